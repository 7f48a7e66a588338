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

enum { REPEATS_MAX = 31, LEAST_BIN = 64, PARTS = 32 };

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

/* Loads the teapot if the option --scenes has it, else the generated pot. Returns 0 or -1. */
static int load(repro *r, split_scene *s)
{
	const char *path = repro_scene_path(r, "teapot_bez");
	const uint32_t side_px = repro_pick(r, 60, 400, 800);
	char *text = path ? NULL : reyes_i_scene_pot(side_px, REYES_I_POT_STILL),
	     msg[600] = "out of memory for the text of the scene";
	gs_options o = *r->o;
	const reyes_i_frame *f = NULL;
	reyes_options ro;

	memset(s, 0, sizeof(*s));
	s->name = path ? "teapot_bez" : "pot";
	o.backend = r->backend;
	o.workers = r->backend == LSCHED_BACKEND_CPU ? repro_text(r, "%u", r->few_workers) : "0";
	reyes_options_init(&ro);
	ro.width_px = ro.height_px = side_px;
	/* more micropolygons than pixels, so that each worker has many units */
	ro.shading_rate = r->scale == REPRO_TINY ? 1 : 0.125f;
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

/* Executes with options and writes the figures of the median to *g. Returns a status; after a
 * failure g->total_ns is the time until then. A full deque is no failure of the report if
 * o->overflow is FAIL. */
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
	} else if (st == LSCHED_ERR_OVERFLOW && o->overflow == LSCHED_OVERFLOW_FAIL) {
		return st;
	} else {
		log_print(r->log, LOG_LEVEL_ERROR, "split of %s: %s", s->name,
			reyes_i_alone_error(s->a));
	}
	r->failed = 1;
	return st == LSCHED_OK ? LSCHED_ERR_TASK_FAILED : st;
}

/* Runs stealing with bins that are reallocated: after a run with a full bin all bins are twice as
 * large, and the next run begins anew. *ms: sum of all runs; *bin: the last size. Returns 0 or
 * -1. */
static int run_reallocated(repro *r, split_scene *s, uint32_t *bin, double *ms)
{
	reyes_i_alone_options o = { .form = REYES_I_ALONE_TASKS,
		.queue = LSCHED_QUEUE_STEAL,
		.overflow = LSCHED_OVERFLOW_FAIL,
		.workers = r->few_workers,
		.bin_size = *bin,
		.never_keep = 1 };

	*ms = 0;
	for (;; o.bin_size *= 2) {
		reyes_i_alone_figures g;
		const lsched_status st = run(r, s, &o, &g);

		*ms += (double)g.total_ns * 1e-6;
		*bin = o.bin_size;
		if (st != LSCHED_ERR_OVERFLOW)
			return st == LSCHED_OK ? 0 : -1;
	}
}

/* What the figure shows of a size of bins. */
typedef struct bin_row {
	uint32_t bin, last_bin;
	double donate_ms, steal_ms, reallocated_ms; /* NaN: failed */
	reyes_i_alone_figures donate, steal;
} bin_row;

static void measure_bin(repro *r, split_scene *s, uint32_t bin, bin_row *row)
{
	reyes_i_alone_options o = { .form = REYES_I_ALONE_TASKS,
		.queue = LSCHED_QUEUE_DONATE,
		.overflow = LSCHED_OVERFLOW_INLINE,
		.workers = r->few_workers,
		.bin_size = bin,
		.never_keep = 1 };

	row->bin = row->last_bin = bin;
	row->donate_ms = run(r, s, &o, &row->donate) == LSCHED_OK
				 ? (double)row->donate.total_ns * 1e-6
				 : NAN;
	o.queue = LSCHED_QUEUE_STEAL;
	row->steal_ms =
		run(r, s, &o, &row->steal) == LSCHED_OK ? (double)row->steal.total_ns * 1e-6 : NAN;
	if (run_reallocated(r, s, &row->last_bin, &row->reallocated_ms))
		row->reallocated_ms = NAN;
}

/* Returns the KiB of the bins of all workers. */
static double kib(const repro *r, uint32_t bin)
{
	return (double)r->few_workers * bin * sizeof(uint32_t) / 1024;
}

static void show_bins(repro *r, report_section *s, const bin_row *rows, size_t count)
{
	repro_grid *time = repro_alloc(r, sizeof(*time)), *memory = repro_alloc(r, sizeof(*memory));
	repro_cells *c = repro_table(r, s, "Donated and inline units, memory of the bins",
		"units per bin|KiB of bins|donate, ms|donated|run inline by donate|steal, ms|run "
		"inline by steal|reallocated, ms|units per bin at the end|KiB at the end");

	*time = (repro_grid){ .x_label = "units per bin",
		.y_label = "ms",
		.x_scale = CHART_LOG2,
		.lines = 3,
		.points = count,
		.names = { "donate", "steal, inline", "steal, reallocated" } };
	*memory = (repro_grid){ .x_label = "units per bin at the start",
		.y_label = "KiB of bins at the end",
		.x_scale = CHART_LOG2,
		.lines = 2,
		.points = count,
		.names = { "donate", "steal, reallocated" } };
	for (size_t k = 0; k < count; k++) {
		const bin_row *b = rows + k;

		time->x[k] = memory->x[k] = b->bin;
		time->y[0][k] = b->donate_ms;
		time->y[1][k] = b->steal_ms;
		time->y[2][k] = b->reallocated_ms;
		memory->y[0][k] = kib(r, b->bin);
		memory->y[1][k] = kib(r, b->last_bin);
		repro_cell(r, c, "%u", b->bin);
		repro_cell(r, c, "%.2f", kib(r, b->bin));
		repro_cell(r, c, "%.4f", b->donate_ms);
		repro_cell(r, c, "%" PRIu64, b->donate.stats.donated);
		repro_cell(r, c, "%" PRIu64, b->donate.stats.inlined);
		repro_cell(r, c, "%.4f", b->steal_ms);
		repro_cell(r, c, "%" PRIu64, b->steal.stats.inlined);
		repro_cell(r, c, "%.4f", b->reallocated_ms);
		repro_cell(r, c, "%u", b->last_bin);
		repro_cell(r, c, "%.2f", kib(r, b->last_bin));
	}
	repro_grid_show(r, s, time, "Time of split and dice over the size of bins");
	repro_grid_show(r, s, memory, "Memory of the bins over their size at the start");
}

/* Returns the largest ratio of a time to that with the largest bins; NaN without any. */
static double worst_ratio(const bin_row *rows, size_t count, int reallocated)
{
	double worst = NAN;

	for (size_t k = 0; k < count; k++) {
		const double ratio = reallocated ? rows[k].reallocated_ms / rows[0].reallocated_ms
						 : rows[k].donate_ms / rows[0].donate_ms;

		if (isfinite(ratio) && !(ratio <= worst))
			worst = ratio;
	}
	return worst;
}

static void judge_bins(repro *r, report_section *s, const bin_row *rows, size_t count)
{
	const double donate = worst_ratio(rows, count, 0);
	const double reallocated = worst_ratio(rows, count, 1);
	uint64_t inlined = 0;

	for (size_t k = 0; k < count; k++)
		if (rows[k].donate.stats.inlined > inlined)
			inlined = rows[k].donate.stats.inlined;
	repro_judge(r, s, "Smaller bins increase the time of split with donation only slightly.",
		isfinite(donate), donate <= 1.1,
		"A worker searches for a bin with a free slot. When nearly all bins are full, as "
		"with the smallest sizes here, the search takes longer than a unit.",
		"down to 1/%d of a bin that is never full: at most %.1f %% more time (criterion: "
		"at most 10 %%); at most %" PRIu64 " units found all bins full",
		PARTS, (donate - 1) * 100, inlined);
	s = repro_claim(r, "Reallocated bins", NULL);
	repro_judge(r, s,
		"With bins that are reallocated when they are full, the time of split increases "
		"significantly for small bins.",
		isfinite(reallocated) && isfinite(donate),
		reallocated >= 1.2 && reallocated > donate,
		"A worker uses its own bin as a stack, so that a bin is full early in a run, and "
		"little work is repeated with larger bins.",
		"time with the smallest bins against those that are never full: reallocated %.2f "
		"times, donation %.2f times (criterion: at least 1.2 times, and more than "
		"donation)",
		reallocated, donate);
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
	bin_row rows[REPRO_POINTS];
	uint32_t bin = LEAST_BIN;
	size_t count = 0;

	memset(rows, 0, sizeof(rows));
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
		"largest bin, of %u units, is never full: its high-water mark is %u. When all bins "
		"are full, a worker executes a unit inline. The paper compares donation with bins "
		"that are reallocated, for which it has an overflow buffer. Here a run of stealing "
		"that meets a full bin ends, all bins become twice as large, and the run begins "
		"anew; its time is the sum, without allocation.",
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

	if (load(r, &scene))
		return;
	figure_8(r, &scene);
	all_queues(r, &scene);
	unload(&scene);
}
