/* Table 1 of Tzeng, Patney, Owens 2010: frames per second of scenes, with the library of greyes. */
#include "apps/gsched/repro.h"
#include "apps/common/stop.h"
#include "reyes/alone/scenes.h"

#include <inttypes.h>
#include <math.h>
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
enum { GRASS = 0, TEAPOT = 3, MOTION = 4, BIG_GRASS = 6 };

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

const char *repro_scene_name(size_t k)
{
	return k < PAPER_ROWS ? paper[k].scene : NULL;
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

/* The frames of a row of the paper: at the scene's shading rate, and with about the paper's number
 * of points. total_ns is 0 where they were not measured. */
typedef struct frames {
	reyes_stats own, like;
} frames;

/* Measures a scene of the paper. The number of points is inversely proportional to the shading
 * rate. */
static void paper_scene(repro *r, repro_cells *c, const struct paper_row *p, frames *f)
{
	const char *path = repro_scene_path(r, p->scene);
	double ratio;

	if (!path || render(r, p->scene, NULL, path, 1, &f->own))
		return;
	add_row(r, c, p->name, 1, &f->own, p);
	ratio = (double)f->own.points / (p->points * 1000);
	f->like = f->own;
	if (r->scale == REPRO_TINY || (ratio > 0.95 && ratio < 1.05) || !(ratio > 1e-3))
		return;
	if (render(r, p->scene, NULL, path, (float)ratio, &f->like))
		f->like.total_ns = 0;
	else
		add_row(r, c, p->name, ratio, &f->like, p);
}

static void generated_scene(repro *r, repro_cells *c, const char *name, char *text)
{
	reyes_stats s;

	if (text && render(r, name, text, NULL, 1, &s) == 0)
		add_row(r, c, name, 1, &s, NULL);
	free(text);
}

/* Whether a row is of the scenes that the paper draws in real time. */
static int is_small(size_t row)
{
	return row != MOTION && row != BIG_GRASS;
}

static void judge_rate(repro *r, report_section *s, const frames *f)
{
	const reyes_stats *slowest = NULL;
	size_t count = 0;

	for (size_t k = 0; k < 2 * PAPER_ROWS; k++) {
		const reyes_stats *t = k % 2 ? &f[k / 2].like : &f[k / 2].own;

		if (!is_small(k / 2) || !t->total_ns)
			continue;
		count++;
		if (!slowest || t->total_ns > slowest->total_ns)
			slowest = t;
	}
	repro_judge(r, s,
		"The renderer draws scenes of some hundred thousand shading points with 16 samples "
		"a pixel in real time.",
		slowest && r->scale != REPRO_TINY, slowest && frames_per_s(slowest) >= 10,
		slowest ? repro_text(r,
				  "In the slowest frame split takes %.1f ms, dicing, shading and "
				  "hiding %.1f ms.",
				  (double)slowest->split_ns * 1e-6,
				  (double)(slowest->dice_ns + slowest->hide_ns) * 1e-6)
			: NULL,
		"the slowest of %zu measurements without motion blur and with less than a million "
		"points of the paper's: %.2f frames/s (criterion: at least 10; the paper has 11 to "
		"23)",
		count, slowest ? frames_per_s(slowest) : 0);
}

static void judge_motion(repro *r, const frames *f)
{
	report_section *s = repro_claim(r, "Motion blur", NULL);
	const reyes_stats *still = &f[TEAPOT].like, *moving = &f[MOTION].like;
	const int measured = still->total_ns && moving->total_ns && r->scale != REPRO_TINY;
	const double slower = (double)moving->total_ns / (double)still->total_ns;
	const double points = (double)moving->points / (double)still->points;

	repro_judge(r, s,
		"Motion blur of the teapot lowers the rate much (23.35 to 3.11 frames/s), though "
		"what is sampled stays the same.",
		measured, slower >= 2 && points > 0.9 && points < 1.1,
		measured ? repro_text(r,
				   "Hiding, which tests the samples, takes %.3f ms with motion and "
				   "%.3f ms without, of frames of %.3f and %.3f ms.",
				   (double)moving->hide_ns * 1e-6, (double)still->hide_ns * 1e-6,
				   (double)moving->total_ns * 1e-6, (double)still->total_ns * 1e-6)
			 : NULL,
		"with about the paper's points: %.2f frames/s still, %.2f with motion, %.2f times "
		"slower (criterion: at least 2) with %.2f times the points (criterion: 0.9 to 1.1)",
		frames_per_s(still), frames_per_s(moving), measured ? slower : 0,
		measured ? points : 0);
}

static double points_per_s(const reyes_stats *s)
{
	return s->total_ns ? (double)s->points * 1e9 / (double)s->total_ns : 0;
}

static void judge_big_grass(repro *r, const frames *f)
{
	report_section *s = repro_claim(r, "Big Grass", NULL);
	const reyes_stats *big = &f[BIG_GRASS].like, *grass = &f[GRASS].like;
	double least = INFINITY, most = 0;
	int measured = big->total_ns != 0 && r->scale != REPRO_TINY;

	for (size_t k = 0; k < PAPER_ROWS; k++) {
		const double rate = points_per_s(&f[k].like);

		if (!is_small(k))
			continue;
		measured &= rate > 0;
		least = fmin(least, rate);
		most = fmax(most, rate);
	}
	repro_judge(r, s,
		"Big Grass, of 9.5 million points (0.70 frames/s), is drawn at the rate of points "
		"of the smaller scenes (6.7 million/s, they have 5.0 to 8.6).",
		measured, points_per_s(big) >= least / 1.5 && points_per_s(big) <= most * 1.5,
		repro_text(r,
			"%s the %.2f ms of Big Grass split takes %.2f ms, dicing, shading and "
			"hiding %.2f ms; of the %.2f ms of Grass with %.0f K points %.2f and %.2f "
			"ms.",
			points_per_s(big) > most
				? "The smaller scenes do not fill the processors, so that the rate "
				  "rises with the points: of"
				: "Of",
			(double)big->total_ns * 1e-6, (double)big->split_ns * 1e-6,
			(double)(big->dice_ns + big->hide_ns) * 1e-6,
			(double)grass->total_ns * 1e-6, (double)grass->points / 1000,
			(double)grass->split_ns * 1e-6,
			(double)(grass->dice_ns + grass->hide_ns) * 1e-6),
		"with about the paper's points: Big Grass %.1f million/s at %.2f frames/s, the "
		"smaller scenes %.1f to %.1f million/s (criterion: at most 1.5 times outside)",
		points_per_s(big) * 1e-6, frames_per_s(big), measured ? least * 1e-6 : 0,
		most * 1e-6);
}

void repro_scenes(repro *r)
{
	report_section *s = repro_section(
		r, "Frames per second of a renderer", "Tzeng, Patney, Owens 2010, table 1");
	repro_cells *c = repro_table(r, s, "First frame of each scene",
		"scene|shading rate, times the scene's|primitives|points, K|micropolygons, "
		"K|frames/s|paper: primitives|paper: points, K|paper: frames/s");
	const uint32_t side_px = repro_pick(r, 60, 400, 800);
	frames *f = repro_alloc(r, PAPER_ROWS * sizeof(*f));

	for (size_t k = 0; k < PAPER_ROWS; k++)
		paper_scene(r, c, &paper[k], &f[k]);
	generated_scene(r, c, "generated pot", reyes_i_scene_pot(side_px, REYES_I_POT_STILL));
	generated_scene(r, c, "generated layers",
		reyes_i_scene_layers(repro_pick(r, 2, 4, 16), 10, side_px));
	s->text = repro_text(r,
		"Each frame again from split to the finished picture, with the library of greyes; "
		"the median of several frames. The paper has 800 x 800 pixels with 16 samples, and "
		"counts primitives after subdivision. %s A second row of a scene has about "
		"the paper's number of points, by another shading rate. The claims are measured "
		"with the paper's scenes only.",
		r->o->scenes ? "Scenes of the folder --scenes have the paper's figures beside them."
			     : "Without the option --scenes there are generated scenes only: a pot "
			       "of quadrics, and sheets of patches one behind the other.");
	judge_rate(r, s, f);
	judge_motion(r, f);
	judge_big_grass(r, f);
}
