/* Figure 8 of Tzeng, Patney, Owens 2010 with split and dice of the renderer, and split and dice
 * under every queue. */
#include "apps/gsched/repro.h"
#include "apps/common/stop.h"
#include "reyes/alone/alone.h"
#include "reyes/alone/scenes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* UNITS_EACH: a load with fewer units a worker is not measured. */
enum { REPEATS_MAX = 31, LEAST_BIN = 64, PARTS = 32, UNITS_EACH = 64 };

/* A scene in the memory of the backend. */
typedef struct split_scene {
	const char *name;
	wl_device d;
	reyes_renderer *r;
	reyes_i_alone *a;
	uint64_t grids; /* of the first execution: all others must make as many */
} split_scene;

static void unload(split_scene *s)
{
	reyes_i_alone_close(&s->a);
	device_close(&s->d);
	reyes_close(&s->r);
}

/* Loads a scene of the folder --scenes, at a shading rate times the scene's. path NULL: the
 * generated pot. side_px of the picture; 0: the scene's. Returns 0 or -1. */
static int load(
	repro *r, split_scene *s, const char *name, const char *path, float rate, uint32_t side_px)
{
	char *text = path ? NULL : reyes_i_scene_pot(side_px, REYES_I_POT_STILL),
	     msg[600] = "out of memory for the text of the scene";
	gs_options o = *r->o;
	const reyes_i_frame *f = NULL;
	reyes_options ro;

	memset(s, 0, sizeof(*s));
	s->name = path ? name : "pot";
	o.backend = r->backend;
	o.workers = r->backend == LSCHED_BACKEND_CPU ? repro_text(r, "%u", r->few_workers) : "0";
	reyes_options_init(&ro);
	ro.width_px = ro.height_px = side_px;
	ro.shading_rate = rate;
	if (path || text)
		f = reyes_i_scene_read(&s->r, &ro, text, path, msg, sizeof(msg));
	free(text);
	if (f && device_open(&s->d, &o, msg, sizeof(msg)) == 0 &&
		reyes_i_alone_open(&s->a, s->d.ctx, f, msg, sizeof(msg)) == LSCHED_OK)
		return 0;
	log_print(r->log, LOG_LEVEL_ERROR, "split of %s: %s", s->name, msg);
	r->failed = 1;
	unload(s);
	return -1;
}

static int by_time(const void *a, const void *b)
{
	const reyes_i_alone_figures *x = a, *y = b;

	return (x->total_ns > y->total_ns) - (x->total_ns < y->total_ns);
}

/* Executes with options and writes the figures of the median to *g. Returns a status. */
static lsched_status run(
	repro *r, split_scene *s, const reyes_i_alone_options *o, reyes_i_alone_figures *g)
{
	reyes_i_alone_figures t[REPEATS_MAX];
	const uint32_t repeats = repro_pick(r, 1, 5, 11);
	lsched_status st;

	memset(g, 0, sizeof(*g));
	if (stop_signal())
		return LSCHED_ERR_CANCELLED;
	log_print(r->log, LOG_LEVEL_INFO, "split of %s: %s, queue %s, bin size %u", s->name,
		reyes_i_alone_form_name(o->form), lsched_queue_name(o->queue), o->bin_size);
	st = reyes_i_alone_prepare(s->a, o);
	if (st == LSCHED_OK)
		st = reyes_i_alone_execute(s->a, g);
	for (uint32_t k = 0; k < repeats && st == LSCHED_OK; k++)
		st = reyes_i_alone_execute(s->a, t + k);
	if (st == LSCHED_OK) {
		qsort(t, repeats, sizeof(*t), by_time);
		*g = t[repeats / 2];
		s->grids = s->grids ? s->grids : g->grids;
		if (g->grids == s->grids)
			return LSCHED_OK;
		log_print(r->log, LOG_LEVEL_ERROR,
			"split of %s made %" PRIu64 " grids, not %" PRIu64, s->name, g->grids,
			s->grids);
	} else {
		log_print(r->log, LOG_LEVEL_ERROR, "split of %s: %s", s->name,
			reyes_i_alone_error(s->a));
	}
	r->failed = 1;
	return st == LSCHED_OK ? LSCHED_ERR_TASK_FAILED : st;
}

/* The lines of the figure. */
enum { DONATE, BUFFER, STEAL, LINES };
static const lsched_queue line_queues[LINES] = { LSCHED_QUEUE_DONATE, LSCHED_QUEUE_BUFFER,
	LSCHED_QUEUE_STEAL };
static const char *const line_names[LINES] = { "donate", "steal, overflow buffer",
	"steal, inline" };

/* What the figure shows of a size of bins. */
typedef struct bin_row {
	uint32_t bin;
	double ms[LINES]; /* NaN: failed */
	reyes_i_alone_figures g[LINES];
} bin_row;

static void measure_bin(repro *r, split_scene *s, uint32_t bin, bin_row *row)
{
	row->bin = bin;
	for (int l = 0; l < LINES; l++) {
		const reyes_i_alone_options o = { .form = REYES_I_ALONE_TASKS,
			.queue = line_queues[l],
			.overflow = LSCHED_OVERFLOW_INLINE,
			.workers = r->few_workers,
			.bin_size = bin,
			.never_keep = 1 };

		row->ms[l] = run(r, s, &o, &row->g[l]) == LSCHED_OK
				     ? (double)row->g[l].total_ns * 1e-6
				     : NAN;
	}
}

/* Returns the KiB of the bins of all workers, and of the largest fill of the buffer, which is at
 * most the high-water mark of all queues. */
static double kib(const repro *r, const bin_row *row, int line)
{
	const lsched_stats *s = &row->g[line].stats;
	const uint64_t buffer = line == BUFFER && s->donated ? s->queue_high_water : 0;

	return (double)(r->few_workers * (uint64_t)row->bin + buffer) * sizeof(uint32_t) / 1024;
}

/* Returns the part of the units of a line that did not fit into the bin of their worker. */
static double overflowed(const bin_row *row, int line)
{
	const lsched_stats *s = &row->g[line].stats;

	return s->tasks ? (double)(s->donated + s->inlined) / (double)s->tasks : 0;
}

/* Returns the percentage of the time that workers wait under the queue buffer. */
static double waiting(const bin_row *row)
{
	const lsched_stats *s = &row->g[BUFFER].stats;

	return 100 * (double)s->idle_ns / (double)(s->idle_ns + s->busy_ns);
}

static void show_bins(repro *r, report_section *s, const bin_row *rows, size_t count)
{
	repro_grid *time = repro_alloc(r, sizeof(*time)), *memory = repro_alloc(r, sizeof(*memory));
	repro_cells *c = repro_table(r, s, "Units that did not fit into their bin",
		"units per bin|KiB of bins|donate, ms|donated|run inline by donate|buffer, "
		"ms|through the buffer|KiB with the buffer|steal, ms|run inline by steal");

	*time = (repro_grid){ .x_label = "units per bin",
		.y_label = "ms",
		.x_scale = CHART_LOG2,
		.lines = LINES,
		.points = count };
	*memory = (repro_grid){ .x_label = "units per bin",
		.y_label = "KiB of bins and buffer",
		.x_scale = CHART_LOG2,
		.lines = STEAL,
		.points = count };
	for (int l = 0; l < LINES; l++)
		time->names[l] = memory->names[l] = line_names[l];
	for (size_t k = 0; k < count; k++) {
		const bin_row *b = rows + k;

		time->x[k] = memory->x[k] = b->bin;
		for (int l = 0; l < LINES; l++) {
			time->y[l][k] = b->ms[l];
			memory->y[l][k] = kib(r, b, l);
		}
		repro_cell(r, c, "%u", b->bin);
		repro_cell(r, c, "%.2f", kib(r, b, DONATE));
		repro_cell(r, c, "%.4f", b->ms[DONATE]);
		repro_cell(r, c, "%" PRIu64, b->g[DONATE].stats.donated);
		repro_cell(r, c, "%" PRIu64, b->g[DONATE].stats.inlined);
		repro_cell(r, c, "%.4f", b->ms[BUFFER]);
		repro_cell(r, c, "%" PRIu64, b->g[BUFFER].stats.donated);
		repro_cell(r, c, "%.2f", kib(r, b, BUFFER));
		repro_cell(r, c, "%.4f", b->ms[STEAL]);
		repro_cell(r, c, "%" PRIu64, b->g[STEAL].stats.inlined);
	}
	repro_grid_show(r, s, time, "Time of split and dice over the size of bins");
	repro_grid_show(r, s, memory, "Memory of bins and buffer over the size of bins");
}

/* Returns the largest ratio of a line's time to that with the largest bins; NaN without any. */
static double worst_ratio(const bin_row *rows, size_t count, int line)
{
	double worst = NAN;

	for (size_t k = 0; k < count; k++) {
		const double ratio = rows[k].ms[line] / rows[0].ms[line];

		if (isfinite(ratio) && !(ratio <= worst))
			worst = ratio;
	}
	return worst;
}

static void judge_bins(repro *r, report_section *s, const bin_row *rows, size_t count)
{
	const bin_row *least = rows + (count ? count - 1 : 0);
	const double donate = worst_ratio(rows, count, DONATE);
	const double buffer = worst_ratio(rows, count, BUFFER);
	const double donated = overflowed(least, DONATE) * 100,
		     buffered = overflowed(least, BUFFER) * 100;
	const double each = (double)least->g[DONATE].stats.tasks / r->few_workers;
	const int measured = isfinite(donate) && isfinite(buffer) && each >= UNITS_EACH;

	repro_judge(r, s, "Smaller bins increase the time of split with donation only slightly.",
		measured, donate <= 1.1,
		repro_text(r,
			"With the smallest bins %.1f %% of the units did not fit into their "
			"worker's bin; each takes a search for a bin with a free slot, and %" PRIu64
			" of them found none.",
			donated, least->g[DONATE].stats.inlined),
		"down to 1/%d of a bin that is never full: at most %.1f %% more time (criterion: "
		"at most 10 %%); %.0f units a worker (at least %d)",
		PARTS, (donate - 1) * 100, each, UNITS_EACH);
	s = repro_claim(r, "Overflow buffer", NULL);
	repro_judge(r, s,
		"With queues that are resized dynamically, by an overflow buffer, the time of "
		"split increases significantly for small bins.",
		measured, buffer >= 1.2 && buffer > donate,
		repro_text(r,
			"With the smallest bins %.1f %% of the units pass through the buffer, and "
			"workers wait %.1f %% of the time, for its lock and for units; with the "
			"largest bins %.1f %%.",
			buffered, waiting(least), waiting(rows)),
		"at most %.2f times the time with bins that are never full, with donation %.2f "
		"times (criterion: at least 1.2 times, and more than donation); %.0f units a "
		"worker (at least %d)",
		buffer, donate, each, UNITS_EACH);
}

static void figure_8(repro *r, split_scene *scene)
{
	report_section *s = repro_section(
		r, "Cost of small bins in split and dice", "Tzeng, Patney, Owens 2010, figure 8");
	const reyes_i_alone_options never_full = { .form = REYES_I_ALONE_TASKS,
		.queue = LSCHED_QUEUE_DONATE,
		.workers = r->few_workers,
		.bin_size = 1 << 16,
		.never_keep = 1 };
	reyes_i_alone_figures g;
	bin_row *rows = repro_alloc(r, REPRO_POINTS * sizeof(*rows));
	uint32_t bin = LEAST_BIN;
	size_t count = 0;

	if (run(r, scene, &never_full, &g) == LSCHED_OK) {
		/* donate divides a bin into a deque and an inbox of the same size */
		while (bin < 2 * g.stats.queue_high_water)
			bin *= 2;
		for (uint32_t part = 1; part <= PARTS; part *= 2)
			measure_bin(r, scene, bin / part, &rows[count++]);
	}
	s->text = repro_text(r,
		"Split and dice of the scene %s, with %" PRIu64 " units and %" PRIu64
		" grids, whose positions and normals are written to memory. A worker (a warp on a "
		"GPU) executes one unit at a time, and every unit passes through the queue. The "
		"largest bin, of %u units, is never full: its high-water mark is %u. As in the "
		"paper what a full bin has no room for goes to the bins of other workers (donate), "
		"or to one overflow buffer with one lock, from which workers with an empty bin "
		"take it (buffer); steal, inline is not in the paper: there a worker executes it "
		"at once. Memory counts the largest fill of the buffer.",
		scene->name, g.stats.tasks, g.grids, bin, g.stats.queue_high_water);
	show_bins(r, s, rows, count);
	judge_bins(r, s, rows, count);
}

/* ---- every queue ---- */

static void queue_row(
	repro *r, repro_cells *c, const reyes_i_alone_options *o, const reyes_i_alone_figures *g)
{
	repro_cell(r, c, "%s", reyes_i_alone_form_name(o->form));
	repro_cell(r, c, "%s", lsched_queue_name(o->queue));
	repro_cell(r, c, "%.4f", (double)g->total_ns * 1e-6);
	repro_cell(r, c, "%u", g->stats.workers);
	repro_cell(r, c, "%" PRIu64, g->stats.tasks);
	repro_cell(r, c, "%" PRIu64, g->stats.steals);
	repro_cell(r, c, "%" PRIu64, g->stats.donated);
	repro_cell(r, c, "%u", g->stats.rounds);
	repro_cell(r, c, "%.2f", (double)g->peak_bytes / 1024);
}

static void all_queues(repro *r, split_scene *scene)
{
	report_section *s = repro_section(
		r, "Split and dice under every queue", "Tzeng, Patney, Owens 2010, section 6");
	repro_cells *c = repro_table(r, s, "All workers",
		"form|queue|ms|workers|units|steals|donated|rounds|peak of the queue, KiB");
	double steal = NAN, donate = NAN;

	s->text = "Not a table of the paper. tasks: a unit of split or a grid for a whole worker, "
		  "each through the queue, as in the paper. items: an item of split for a lane, a "
		  "grid for a warp; items stay with their worker until another worker requests "
		  "them. Peak: the largest number of bytes in the queue; with one deque per worker "
		  "that of the fullest deque times the workers.";
	for (int form = REYES_I_ALONE_ITEMS; form < REYES_I_ALONE_FORMS; form++)
		for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
			const reyes_i_alone_options o = { .form = (reyes_i_alone_form)form,
				.queue = (lsched_queue)q,
				.overflow = LSCHED_OVERFLOW_INLINE,
				.workers = r->all_workers,
				.never_keep = 1 };
			reyes_i_alone_figures g;

			if (run(r, scene, &o, &g) != LSCHED_OK)
				continue;
			queue_row(r, c, &o, &g);
			if (form == REYES_I_ALONE_TASKS && q == LSCHED_QUEUE_STEAL)
				steal = (double)g.total_ns * 1e-6;
			if (form == REYES_I_ALONE_TASKS && q == LSCHED_QUEUE_DONATE)
				donate = (double)g.total_ns * 1e-6;
		}
	repro_judge(r, s,
		"In split and dice donation has a performance comparable to that of stealing.",
		isfinite(steal) && isfinite(donate), donate <= 1.25 * steal,
		"The scene has few units for each worker here, so that the time of the first "
		"steals and donations decides.",
		"form tasks: steal %.4f ms, donate %.4f ms (criterion: at most 1.25 times)", steal,
		donate);
}

void repro_split(repro *r)
{
	split_scene scene;

	/* more micropolygons than pixels, so that each worker has many units */
	if (load(r, &scene, "teapot_bez", repro_scene_path(r, "teapot_bez"), 0.125f,
		    repro_pick(r, 60, 400, 800)))
		return;
	figure_8(r, &scene);
	all_queues(r, &scene);
	unload(&scene);
}

/* ---- micropolygons a second ---- */

/* Splits and dices a scene as the renderer does, and adds a row. Returns millions of micropolygons
 * a second; NaN: not measured. */
static double subdivide(repro *r, repro_cells *c, const char *name, reyes_i_alone_figures *g)
{
	const char *path = repro_scene_path(r, name);
	const reyes_i_alone_options o = { .form = REYES_I_ALONE_LIST,
		.queue = LSCHED_QUEUE_DONATE,
		.overflow = LSCHED_OVERFLOW_INLINE };
	uint64_t micropolygons = 0, points = 0;
	double rate = NAN;
	split_scene s;

	if (!path || load(r, &s, name, path, 1, repro_pick(r, 60, 0, 0)))
		return NAN;
	if (run(r, &s, &o, g) == LSCHED_OK &&
		reyes_i_alone_count(s.a, &micropolygons, &points) == LSCHED_OK && g->total_ns) {
		rate = (double)micropolygons * 1e3 / (double)g->total_ns;
		repro_cell(r, c, "%s", name);
		repro_cell(r, c, "%" PRIu64, g->grids);
		repro_cell(r, c, "%.0f", (double)micropolygons / 1000);
		repro_cell(r, c, "%.4f", (double)g->total_ns * 1e-6);
		repro_cell(r, c, "%.1f", rate);
	}
	unload(&s);
	return rate;
}

void repro_subdivision(repro *r)
{
	report_section *s = repro_claim(r, "Micropolygons a second", NULL);
	repro_cells *c = repro_table(r, s, "Split and dice without shading",
		"scene|grids|micropolygons, K|ms|million micropolygons/s");
	reyes_i_alone_figures g, slow = { .total_ns = 0 };
	double least = INFINITY, most = 0;
	const char *name, *slowest = "";

	for (size_t k = 0; (name = repro_scene_name(k)) != NULL; k++) {
		const double rate = subdivide(r, c, name, &g);

		if (rate < least) {
			least = rate;
			slowest = name;
			slow = g;
		}
		most = fmax(most, isfinite(rate) ? rate : 0);
	}
	s->text = "Split and dice of the first frame at the scene's shading rate, as in the "
		  "renderer: positions and normals of all points are written to memory. The time "
		  "is that of the host, from the start to the end.";
	repro_judge(r, s, "Subdivision generates 100 to 256 million micropolygons a second.",
		most > 0 && r->scale != REPRO_TINY, least >= 100,
		repro_text(r,
			"With the slowest, %s, split takes %.3f ms and dice %.3f ms; it has "
			"%" PRIu64 " grids for %u workers.",
			slowest, (double)slow.split_ns * 1e-6, (double)slow.dice_ns * 1e-6,
			slow.grids, slow.stats.workers),
		"%.1f to %.1f million a second (criterion: at least 100 with each of the paper's "
		"scenes)",
		most > 0 ? least : NAN, most > 0 ? most : NAN);
}
