/* The stages of a bucket of the picture, in their order, on both backends. */
#include <config.h>
#include <stdio.h>
#include "reyes/render/engine_state.h"
#include "reyes/render/programs.h"

extern const lsched_program reyes_i_clear_cpu_program, reyes_i_split_run_cpu_program,
	reyes_i_grids_run_cpu_program, reyes_i_resolve_parts_cpu_program,
	reyes_i_filter_rows_cpu_program;
#ifdef HAVE_CUDA
extern const lsched_program reyes_i_split_run_cuda_program;
#endif

static const lsched_program *program_of(const reyes_i_engine *e, int stage)
{
	static const lsched_program *const cpu[REYES_I_STAGES] = { &reyes_i_clear_cpu_program,
		&reyes_i_split_run_cpu_program, &reyes_i_grids_run_cpu_program,
		&reyes_i_resolve_parts_cpu_program, &reyes_i_filter_rows_cpu_program };
#ifdef HAVE_CUDA

	if (e->cuda) /* the other stages are kernels */
		return &reyes_i_split_run_cuda_program;
#endif
	(void)e;
	return cpu[stage];
}

/* Makes the run of a stage, with room for so many tasks or roots, the current one. */
static lsched_status prepare(reyes_i_engine *e, int stage, uint32_t tasks)
{
	lsched_run_options o;
	lsched_status st = LSCHED_OK;

	pthread_mutex_lock(&e->lock);
	if (e->run[stage] && tasks > e->max_tasks[stage])
		lsched_run_destroy(&e->run[stage]);
	if (!e->run[stage]) {
		lsched_run_options_init(&o);
		o.queue = stage == REYES_I_STAGE_SPLIT ? e->queue : LSCHED_QUEUE_RING;
		o.max_tasks = tasks > 0 ? tasks : 1;
		o.trace = e->options.trace_events;
		st = lsched_run_create(&e->run[stage], e->ctx, program_of(e, stage), &o);
		e->max_tasks[stage] = o.max_tasks;
	}
	e->stage = stage;
	e->tasks = tasks;
	pthread_mutex_unlock(&e->lock);
	return st;
}

/* Starts a stage. */
static reyes_status start_on(
	reyes_i_engine *e, int stage, const reyes_i_stage *s, uint32_t tasks, void *stream)
{
	lsched_status st;

	if (reyes_i_is_cancelled(e))
		return reyes_i_engine_failed(e, LSCHED_ERR_CANCELLED, NULL);
	st = prepare(e, stage, tasks);
	if (st == LSCHED_OK)
		st = lsched_run_start(e->run[stage], s, tasks, stream);
	/* The flag was set before the start: then reyes_i_engine_cancel had no effect. */
	if (st == LSCHED_OK && reyes_i_is_cancelled(e))
		(void)lsched_run_cancel(e->run[stage]);
	return reyes_i_engine_failed(e, st, lsched_last_error(e->ctx));
}

size_t reyes_i_engine_runs(const reyes_i_engine *e, lsched_run **runs, size_t room)
{
	size_t n = 0;

	for (int k = 0; e->options.trace_events && k < REYES_I_STAGES; k++)
		if (e->run[k]) {
			if (n < room)
				runs[n] = e->run[k];
			n++;
		}
	return n;
}

/* Waits for a stage. */
static reyes_status finish(reyes_i_engine *e, int stage, reyes_i_figures *g)
{
	lsched_status st;
	lsched_stats stats;

	lsched_stats_init(&stats);
	st = lsched_run_finish(e->run[stage], &stats);
	if (stage == REYES_I_STAGE_SPLIT) {
		g->steals = stats.steals;
		g->donated = stats.donated;
		g->queue_high_water = stats.queue_high_water;
		g->workers = stats.workers;
	}
	return reyes_i_engine_failed(e, st, lsched_run_error(e->run[stage]));
}

/* Runs a stage on the CPU; its time is added to *ns. */
static reyes_status stage(reyes_i_engine *e, reyes_i_job *job, int k, uint32_t tasks, uint64_t *ns)
{
	const uint64_t begin = lsched_now_ns();
	reyes_status r = start_on(e, k, &job->stage, tasks, NULL);

	if (r == REYES_OK)
		r = finish(e, k, job->figures);
	*ns += lsched_now_ns() - begin;
	return r;
}

static reyes_status read_words(reyes_i_engine *e, uint32_t *to, const uint32_t *from, size_t count)
{
	return reyes_i_engine_failed(e, lsched_mem_read(e->ctx, to, from, count * sizeof(*to)),
		lsched_last_error(e->ctx));
}

/* Clear, split, dice and hide. */
static reyes_status fill_canvas(reyes_i_engine *e, reyes_i_job *job)
{
	const reyes_i_stage *s = &job->stage;
	reyes_i_figures *g = job->figures;
	reyes_status r = stage(e, job, REYES_I_STAGE_CLEAR, s->canvas.tiles_y, &g->clear_ns);

	if (r == REYES_OK)
		r = stage(e, job, REYES_I_STAGE_SPLIT, s->view.prim_count, &g->split_ns);
	if (r == REYES_OK)
		r = read_words(e, &job->listed, s->list_count, 1);
	if (r == REYES_OK && job->listed <= s->list_max)
		r = stage(e, job, REYES_I_STAGE_GRIDS, job->listed, &g->hide_ns);
	if (r == REYES_OK)
		r = read_words(e, job->counters, s->canvas.counters, REYES_I_COUNTERS);
	return r;
}

/* Sets the samples of a task that resolves, a whole number of planes of tiles. Returns the number
 * of tasks: as few as there are rows of tiles, but where there are many fragments so many that none
 * takes long, with at most 2^16 for their memory. */
static uint32_t resolve_tasks(reyes_i_job *job)
{
	enum { PLANE = REYES_I_TILE * REYES_I_TILE, FRAGMENTS_FEW = 1 << 20, TASKS_MAX = 1 << 16 };
	const reyes_i_canvas *c = &job->stage.canvas;
	const uint64_t planes = (uint64_t)c->tiles_x * c->tiles_y * c->pattern.count;
	const uint64_t row = (uint64_t)c->tiles_x * c->pattern.count;
	const uint64_t part = job->counters[REYES_I_N_FRAGMENTS] <= FRAGMENTS_FEW
				      ? row
				      : (planes + TASKS_MAX - 1) / TASKS_MAX;

	job->stage.resolve_planes = part;
	return (uint32_t)((planes + part - 1) / part);
}

static reyes_status cpu_bucket(reyes_i_engine *e, reyes_i_job *job)
{
	const reyes_i_camera *c = &job->stage.view.camera;
	lsched_status st = lsched_mem_zero(
		e->ctx, job->stage.canvas.counters, REYES_I_COUNTERS * sizeof(uint32_t));
	reyes_status r;

	if (st == LSCHED_OK)
		st = lsched_mem_zero(e->ctx, job->stage.list_count, sizeof(uint32_t));
	r = reyes_i_engine_failed(e, st, lsched_last_error(e->ctx));
	if (r == REYES_OK)
		r = fill_canvas(e, job);
	if (r != REYES_OK || job->counters[REYES_I_N_FULL])
		return r;
	r = stage(e, job, REYES_I_STAGE_RESOLVE, resolve_tasks(job), &job->figures->resolve_ns);
	if (r == REYES_OK)
		r = stage(e, job, REYES_I_STAGE_FILTER, c->crop_y1 - c->crop_y0,
			&job->figures->filter_ns);
	return r;
}

static reyes_status cuda_failed(reyes_i_engine *e, const char *error)
{
	if (!error)
		return REYES_OK;
	if (e->message && e->message_bytes)
		snprintf(e->message, e->message_bytes, "CUDA: %s", error);
	return REYES_ERR_DEVICE;
}

/* The same by kernels; the stages are ordered on one stream. copy: the picture is copied to the
 * host, too. */
static reyes_status cuda_bucket(reyes_i_engine *e, reyes_i_job *job, int copy)
{
	const reyes_i_stage *s = &job->stage;
	void *stream = reyes_i_cuda_stream(e->cuda);
	/* the host launches their rounds one after the other, on a stream of the context */
	const int rounds = lsched_i_queue_has((uint32_t)e->queue, LSCHED_I_CAP_ROUNDS) != 0;
	reyes_i_figures *g = job->figures;
	reyes_i_cuda_times times;
	reyes_status r = cuda_failed(e, reyes_i_cuda_begin(e->cuda, s, rounds)), after;

	if (r == REYES_OK)
		r = start_on(e, REYES_I_STAGE_SPLIT, s, s->view.prim_count, rounds ? NULL : stream);
	if (r == REYES_OK && rounds)
		r = finish(e, REYES_I_STAGE_SPLIT, g);
	if (r != REYES_OK)
		return r;
	r = cuda_failed(e, reyes_i_cuda_stages(e->cuda, s, (int)job->moves));
	if (r == REYES_OK && copy)
		r = cuda_failed(e, reyes_i_cuda_copy(e->cuda, s));
	if (r == REYES_OK)
		r = cuda_failed(
			e, reyes_i_cuda_end(e->cuda, s, job->counters, &job->listed, &times));
	after = rounds ? REYES_OK : finish(e, REYES_I_STAGE_SPLIT, g);
	if (r != REYES_OK || after != REYES_OK)
		return r != REYES_OK ? r : after;
	g->clear_ns += times.clear_ns;
	g->split_ns += times.split_ns;
	g->dice_ns += times.dice_ns;
	g->hide_ns += times.hide_ns;
	g->filter_ns += times.image_ns;
	return REYES_OK;
}

reyes_status reyes_i_render_bucket(reyes_i_engine *e, reyes_i_job *job, int last)
{
	const uint32_t *n = job->counters;
	reyes_i_figures *g = job->figures;
	const int copy = !e->options.device_picture && (last || e->options.on_bucket);
	const reyes_status r = e->cuda ? cuda_bucket(e, job, copy) : cpu_bucket(e, job);

	job->stage.has_bounds |= r == REYES_OK;
	if (r != REYES_OK || n[REYES_I_N_FULL])
		return r;
	g->grids += job->listed;
	g->points += n[REYES_I_N_SHADED];
	g->micropolygons += n[REYES_I_N_MICROPOLYGONS];
	g->fragments += n[REYES_I_N_FRAGMENTS] - n[REYES_I_N_UNUSED];
	g->splits += n[REYES_I_N_SPLITS];
	g->eye_drops += n[REYES_I_N_EYE_DROPS];
	g->occluded += n[REYES_I_N_OCCLUDED];
	return REYES_OK;
}
