/* Table 1 of Tzeng, Patney, Owens 2010: frames per second of scenes, with the library of greyes. */
#include "apps/gsched/repro.h"
#include "apps/common/stop.h"
#include "reyes/alone/scenes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The rows of the table. points: shading points of the grids, in thousands. */
static const struct paper_row {
	const char *scene, *name;
	uint32_t prims;
	double points, frames_per_s;
} paper[] = {
	{ "grass1600", "Grass", 5200, 446, 19.30 },
	{ "killeroo", "Killeroo", 11500, 330, 18.48 },
	{ "bubbles", "Bubbles", 660, 479, 16.75 },
	{ "teapot_bez", "Teapot", 268, 218, 23.35 },
	{ "teapot_motion", "Teapot (motion)", 268, 218, 3.11 },
	{ "bigguy", "Big Guy", 3592, 450, 11.05 },
	{ "grass10000", "Big Grass", 74000, 9500, 0.70 },
};
enum { PAPER_ROWS = sizeof(paper) / sizeof(paper[0]), REPEATS_MAX = 31 };

/* Time after which no further repetition begins. */
#define ENOUGH_NS UINT64_C(10000000000)

const char *repro_scene_path(repro *r, const char *name)
{
	const char *path;

	if (!r->o->scenes)
		return NULL;
	path = repro_text(r, "%s/%s.rib", r->o->scenes, name);
	if (access(path, R_OK) == 0)
		return path;
	path = repro_text(r, "%s/%s/scene.rib", r->o->scenes, name);
	return access(path, R_OK) == 0 ? path : NULL;
}

int repro_check_scenes(repro *r)
{
	if (!r->o->scenes)
		return 0;
	for (size_t k = 0; k < PAPER_ROWS; k++)
		if (repro_scene_path(r, paper[k].scene))
			return 0;
	log_print(r->log, LOG_LEVEL_ERROR,
		"--scenes '%s' has none of the paper's scenes; it needs files such as "
		"teapot_bez.rib or teapot_bez/scene.rib",
		r->o->scenes);
	return -1;
}

static int by_time(const void *a, const void *b)
{
	const reyes_stats *x = a, *y = b;

	return (x->total_ns > y->total_ns) - (x->total_ns < y->total_ns);
}

/* Messages of the renderer. */
static void forward(void *user, reyes_level level, const char *message)
{
	repro *r = user;

	if (level == REYES_LEVEL_ERROR)
		log_print(r->log, LOG_LEVEL_WARN, "%s", message);
}

/* Renders the first frame repeatedly; *s is the median. text: RIB, or NULL for the file. Returns 0,
 * or -1 after a message. */
static int render(repro *r, const char *name, const char *text, const char *path,
	float shading_rate, reyes_stats *s)
{
	const uint32_t repeats = repro_pick(r, 1, 3, 11);
	reyes_stats t[REPEATS_MAX];
	reyes_options o;
	reyes_renderer *renderer;
	reyes_image image;
	uint64_t spent = 0;
	uint32_t n = 0;
	reyes_status st;
	char msg[600] = "";

	if (stop_signal())
		return -1;
	log_print(r->log, LOG_LEVEL_INFO, "frames of %s, shading rate times %.3g", name,
		(double)shading_rate);
	reyes_options_init(&o);
	o.backend = r->backend == LSCHED_BACKEND_CUDA ? REYES_BACKEND_CUDA : REYES_BACKEND_CPU;
	o.device = r->o->device < 0 ? 0 : r->o->device;
	o.shading_rate = shading_rate;
	o.log = forward;
	o.log_user = r;
	if (r->scale == REPRO_TINY)
		o.width_px = o.height_px = 80;
	if (!reyes_i_scene_read(&renderer, &o, text, path, msg, sizeof(msg))) {
		log_print(r->log, LOG_LEVEL_ERROR, "%s: %s", name, msg);
		r->failed = 1;
		return -1;
	}
	/* the first frame uploads the scene and enlarges the memory */
	reyes_image_init(&image);
	st = reyes_render(renderer, &image);
	while (st == REYES_OK && n < repeats && (!n || spent < ENOUGH_NS) && !stop_signal()) {
		reyes_stats_init(t + n);
		st = reyes_render(renderer, &image);
		if (st == REYES_OK)
			st = reyes_get_stats(renderer, t + n);
		spent += t[n++].total_ns;
	}
	if (st != REYES_OK) {
		log_print(r->log, LOG_LEVEL_ERROR, "%s: %s", name, reyes_last_error(renderer));
		r->failed = 1;
	}
	reyes_close(&renderer);
	if (st != REYES_OK || !n)
		return -1;
	qsort(t, n, sizeof(*t), by_time);
	*s = t[n / 2];
	return 0;
}

static double frames_per_s(const reyes_stats *s)
{
	return s->total_ns ? 1e9 / (double)s->total_ns : 0;
}

static void add_row(repro *r, repro_cells *c, const char *name, double shading_rate,
	const reyes_stats *s, const struct paper_row *p)
{
	repro_cell(r, c, "%s", name);
	repro_cell(r, c, "%.3g", shading_rate);
	repro_cell(r, c, "%" PRIu64, s->primitives);
	repro_cell(r, c, "%.0f", (double)s->points / 1000);
	repro_cell(r, c, "%.0f", (double)s->micropolygons / 1000);
	repro_cell(r, c, "%.2f", frames_per_s(s));
	repro_cell(r, c, "%s", p ? repro_text(r, "%u", p->prims) : "");
	repro_cell(r, c, "%s", p ? repro_text(r, "%.0f", p->points) : "");
	repro_cell(r, c, "%s", p ? repro_text(r, "%.2f", p->frames_per_s) : "");
}

/* Frames of one kind of rows, for the verdict. */
typedef struct slowest {
	size_t rows;
	double frames_per_s;
} slowest;

static void note(slowest *w, const reyes_stats *s)
{
	const double v = frames_per_s(s);

	if (!w->rows++ || v < w->frames_per_s)
		w->frames_per_s = v;
}

/* A scene of the paper at its shading rate, and with about the paper's number of points: that is
 * inversely proportional to the rate. */
static void paper_scene(repro *r, repro_cells *c, const struct paper_row *p, slowest *w)
{
	const char *path = repro_scene_path(r, p->scene);
	const int counts = strcmp(p->scene, "teapot_motion") != 0 && p->points < 1000;
	reyes_stats s;
	double ratio;

	if (!path || render(r, p->scene, NULL, path, 1, &s))
		return;
	add_row(r, c, p->name, 1, &s, p);
	if (counts)
		note(w, &s);
	ratio = (double)s.points / (p->points * 1000);
	if (r->scale == REPRO_TINY || (ratio > 0.95 && ratio < 1.05) || !(ratio > 1e-3) ||
		render(r, p->scene, NULL, path, (float)ratio, &s))
		return;
	add_row(r, c, p->name, ratio, &s, p);
	if (counts)
		note(w, &s);
}

static void generated_scene(repro *r, repro_cells *c, const char *name, char *text, slowest *w)
{
	reyes_stats s;

	if (text && render(r, name, text, NULL, 1, &s) == 0) {
		add_row(r, c, name, 1, &s, NULL);
		if (w)
			note(w, &s);
	}
	free(text);
}

void repro_scenes(repro *r)
{
	report_section *s = repro_section(
		r, "Frames per second of a renderer", "Tzeng, Patney, Owens 2010, table 1");
	repro_cells *c = repro_table(r, s, "First frame of each scene",
		"scene|shading rate, times the scene's|primitives|points, K|micropolygons, "
		"K|frames/s|paper: primitives|paper: points, K|paper: frames/s");
	const uint32_t side_px = repro_pick(r, 60, 400, 800);
	slowest given = { 0, 0 }, made = { 0, 0 };
	const slowest *w = &given;

	for (size_t k = 0; k < PAPER_ROWS; k++)
		paper_scene(r, c, &paper[k], &given);
	generated_scene(
		r, c, "generated pot", reyes_i_scene_pot(side_px, REYES_I_POT_STILL), &made);
	generated_scene(r, c, "generated layers",
		reyes_i_scene_layers(repro_pick(r, 2, 4, 16), 10, side_px), NULL);
	if (!given.rows)
		w = &made;
	s->text = repro_text(r,
		"Each frame again from split to the finished picture, with the library of greyes; "
		"the median of several frames. The paper has 800 x 800 pixels with 16 samples, and "
		"counts primitives after subdivision. %s A second row of a scene has about "
		"the paper's number of points, by another shading rate.",
		r->o->scenes ? "Scenes of the folder --scenes have the paper's figures beside them."
			     : "Without the option --scenes there are generated scenes only: a pot "
			       "of quadrics, and sheets of patches one behind the other.");
	repro_judge(r, s,
		"The renderer draws scenes of some hundred thousand shading points with 16 samples "
		"a pixel in real time.",
		w->rows > 0, w->frames_per_s >= 10,
		r->backend == LSCHED_BACKEND_CUDA
			? "A scene has more points, or more samples to test, than the paper's."
			: "CPU threads shade and test fewer samples per second than a GPU.",
		"the slowest of %zu measurements without motion blur and with less than a million "
		"points of the paper's: %.2f frames/s (criterion: at least 10; the paper has 11 to "
		"23)",
		w->rows, w->frames_per_s);
}
