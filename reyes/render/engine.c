/* The engine: memory of a frame on a backend, and the order of its stages. */
#include <config.h>
#include "reyes/render/engine.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <libsched/sched.h>
#include "reyes/cuda/stages.h"
#include "reyes/render/programs.h"
#include "reyes/render/tables.h"

enum { STAGE_CLEAR, STAGE_SPLIT, STAGE_GRIDS, STAGE_RESOLVE, STAGE_FILTER, STAGES };

/* Device arrays of a frame. */
enum array {
	A_PRIMS,
	A_ATTRS,
	A_SHADERS,
	A_LIGHTS,
	A_VARS,
	A_TEXTURES,
	A_SOLIDS,
	A_FLOATS,
	A_WORDS,
	A_TEXELS,
	A_TABLES,
	A_CELLS,
	A_HEADS,
	A_FRAGMENTS,
	A_COLORS,
	A_GRIDS,
	A_COUNTERS,
	A_SAMPLES,
	A_SAMPLE_Z,
	A_RGBA,
	A_Z,
	A_LIST,
	A_LIST_COUNT,
	A_POINTS,
	A_CHUNKS,
	ARRAYS
};

struct reyes_i_engine {
	reyes_i_cuda *cuda; /* NULL: the CPU backend */
	uint32_t points_max, chunks_max;
	lsched_ctx *ctx;
	lsched_queue queue;
	uint64_t memory_bytes;
	/* capacities, grown when a frame needs more */
	uint32_t colors_max, fragments_max, list_max;
	void *array[ARRAYS];
	size_t room[ARRAYS];
	lsched_run *run[STAGES];
	uint32_t max_tasks[STAGES];
	/* Other threads read these for reyes_i_engine_cancel and reyes_i_engine_progress. */
	pthread_mutex_t lock; /* protects run[] and these */
	int stage;            /* the latest one; STAGES: none in this frame */
	uint32_t tasks;       /* of that stage */
	float progress;       /* largest value returned in this frame */
	const atomic_int *cancelled;
	char *message;
	size_t message_bytes;
};

extern const lsched_program reyes_i_clear_cpu_program, reyes_i_split_run_cpu_program,
	reyes_i_grids_run_cpu_program, reyes_i_resolve_rows_cpu_program,
	reyes_i_filter_rows_cpu_program;
#ifdef HAVE_CUDA
extern const lsched_program reyes_i_split_run_cuda_program;
#endif

static const lsched_program *program_of(const reyes_i_engine *e, int stage)
{
	static const lsched_program *const cpu[STAGES] = { &reyes_i_clear_cpu_program,
		&reyes_i_split_run_cpu_program, &reyes_i_grids_run_cpu_program,
		&reyes_i_resolve_rows_cpu_program, &reyes_i_filter_rows_cpu_program };
#ifdef HAVE_CUDA

	if (e->cuda) /* the other stages are kernels */
		return &reyes_i_split_run_cuda_program;
#endif
	(void)e;
	return cpu[stage];
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static reyes_status failed(reyes_i_engine *e, lsched_status st, const char *why)
{
	if (st == LSCHED_OK)
		return REYES_OK;
	if (st == LSCHED_ERR_CANCELLED)
		why = "the frame was cancelled";
	if (e->message && e->message_bytes)
		snprintf(e->message, e->message_bytes, "%s",
			why && *why ? why : lsched_strstatus(st));
	return st == LSCHED_ERR_NOMEM       ? REYES_ERR_NOMEM
	       : st == LSCHED_ERR_DEVICE    ? REYES_ERR_DEVICE
	       : st == LSCHED_ERR_CANCELLED ? REYES_CANCELLED
					    : REYES_ERR_SCHED;
}

reyes_status reyes_i_engine_open(
	reyes_i_engine **out, const reyes_i_engine_options *o, char *message, size_t message_bytes)
{
	reyes_i_engine *e = calloc(1, sizeof(*e));
	lsched_options so;
	lsched_status st;

	*out = NULL;
	if (!e)
		return REYES_ERR_NOMEM;
	lsched_options_init(&so);
	so.backend = o->backend == REYES_BACKEND_CPU    ? LSCHED_BACKEND_CPU
		     : o->backend == REYES_BACKEND_CUDA ? LSCHED_BACKEND_CUDA
							: LSCHED_BACKEND_AUTO;
	so.device = o->device;
	if (so.backend == LSCHED_BACKEND_CPU)
		so.workers = o->threads;
	e->queue = LSCHED_QUEUE_DONATE;
	e->memory_bytes = o->memory_bytes;
	e->colors_max = 1u << 21;
	e->fragments_max = 1u << 21;
	e->list_max = 1u << 16;
	e->points_max = 1u << 21;
	e->chunks_max = 1u << 17;
	e->cancelled = o->cancelled;
	e->stage = STAGES;
	pthread_mutex_init(&e->lock, NULL);
	if (o->queue && lsched_queue_parse(o->queue, &e->queue)) {
		if (message)
			snprintf(message, message_bytes, "queue \"%s\" is unknown", o->queue);
		pthread_mutex_destroy(&e->lock);
		free(e);
		return REYES_ERR_ARG;
	}
	st = lsched_open(&e->ctx, &so, message, message_bytes);
	if (st != LSCHED_OK) {
		pthread_mutex_destroy(&e->lock);
		free(e);
		return st == LSCHED_ERR_NO_DEVICE     ? REYES_ERR_NO_DEVICE
		       : st == LSCHED_ERR_UNSUPPORTED ? REYES_ERR_UNSUPPORTED
		       : st == LSCHED_ERR_NOMEM       ? REYES_ERR_NOMEM
						      : REYES_ERR_SCHED;
	}
	if (lsched_ctx_backend(e->ctx) == LSCHED_BACKEND_CUDA) {
		const char *error = reyes_i_cuda_open(&e->cuda, lsched_ctx_device(e->ctx));

		if (error) {
			if (message)
				snprintf(message, message_bytes, "CUDA: %s", error);
			reyes_i_engine_close(&e);
			return REYES_ERR_DEVICE;
		}
	}
	*out = e;
	return REYES_OK;
}

void reyes_i_engine_close(reyes_i_engine **pe)
{
	reyes_i_engine *e = *pe;

	if (!e)
		return;
	reyes_i_cuda_close(&e->cuda);
	for (int k = 0; k < STAGES; k++)
		lsched_run_destroy(&e->run[k]);
	for (int k = 0; k < ARRAYS; k++)
		lsched_mem_free(e->ctx, e->array[k]);
	lsched_close(&e->ctx);
	pthread_mutex_destroy(&e->lock);
	free(e);
	*pe = NULL;
}

const char *reyes_i_engine_device(const reyes_i_engine *e)
{
	return lsched_ctx_device_name(e->ctx);
}

/* Makes room for an array; its contents are undefined. */
static lsched_status reserve(reyes_i_engine *e, enum array a, uint64_t count, size_t element_bytes)
{
	lsched_status st;

	if (count * element_bytes <= e->room[a] && e->array[a])
		return LSCHED_OK;
	lsched_mem_free(e->ctx, e->array[a]);
	e->array[a] = NULL;
	e->room[a] = 0;
	st = lsched_mem_alloc_array(e->ctx, &e->array[a], (size_t)count, element_bytes);
	if (st == LSCHED_OK)
		e->room[a] = (size_t)count * element_bytes;
	return st;
}

static lsched_status upload(
	reyes_i_engine *e, enum array a, const void *from, size_t count, size_t element_bytes)
{
	lsched_status st = reserve(e, a, count, element_bytes);

	if (st == LSCHED_OK && count)
		st = lsched_mem_write(e->ctx, e->array[a], from, count * element_bytes);
	return st;
}

#define UPLOAD(a, name)                                                                          \
	(st == LSCHED_OK ? (st = upload(                                                         \
				    e, (a), f->name.list, f->name.count, sizeof(*f->name.list))) \
			 : st)

static lsched_status upload_frame(
	reyes_i_engine *e, const reyes_i_frame *f, int fresh, reyes_i_view *v)
{
	lsched_status st = LSCHED_OK;

	if (fresh) {
		UPLOAD(A_PRIMS, prims);
		UPLOAD(A_ATTRS, attrs);
		UPLOAD(A_SHADERS, shaders);
		UPLOAD(A_LIGHTS, lights);
		UPLOAD(A_VARS, vars);
		UPLOAD(A_TEXTURES, textures);
		UPLOAD(A_SOLIDS, solids);
		UPLOAD(A_FLOATS, floats);
		UPLOAD(A_WORDS, words);
		UPLOAD(A_TEXELS, texels);
	}
	*v = reyes_i_view_of(f);
	v->prims = e->array[A_PRIMS];
	v->attrs = e->array[A_ATTRS];
	v->shaders = e->array[A_SHADERS];
	v->lights = e->array[A_LIGHTS];
	v->vars = e->array[A_VARS];
	v->textures = e->array[A_TEXTURES];
	v->solids = e->array[A_SOLIDS];
	v->floats = e->array[A_FLOATS];
	v->words = e->array[A_WORDS];
	v->texels = e->array[A_TEXELS];
	return st;
}

/* Moves a pointer into the host's tables to the device's copy. */
static const void *moved(const reyes_i_engine *e, const reyes_i_tables *t, const void *p)
{
	return (const char *)e->array[A_TABLES] + ((const char *)p - (const char *)t->memory);
}

static lsched_status upload_tables(reyes_i_engine *e, const reyes_i_camera *c, reyes_i_stage *s)
{
	reyes_i_tables t;
	lsched_status st;

	if (reyes_i_tables_make(&t, c) != 0)
		return LSCHED_ERR_NOMEM;
	st = upload(e, A_TABLES, t.memory, t.bytes, 1);
	s->canvas.pattern = t.pattern;
	s->canvas.pattern.places = moved(e, &t, t.pattern.places);
	s->canvas.pattern.group_of = moved(e, &t, t.pattern.group_of);
	s->canvas.pattern.sample_of = moved(e, &t, t.pattern.sample_of);
	s->canvas.pattern.lens_cell = moved(e, &t, t.pattern.lens_cell);
	s->canvas.pattern.lens_box = moved(e, &t, t.pattern.lens_box);
	s->weights = t.weights;
	s->weights.x = moved(e, &t, t.weights.x);
	s->weights.y = moved(e, &t, t.weights.y);
	free(t.memory);
	return st;
}

static int has_transparency(const reyes_i_frame *f)
{
	for (size_t k = 0; k < f->attrs.count; k++)
		if (!(f->attrs.list[k].flags & REYES_I_ATTR_OPAQUE))
			return 1;
	return 0;
}

/* Reserves the canvas and the pictures. */
static lsched_status reserve_canvas(reyes_i_engine *e, const reyes_i_frame *f, reyes_i_stage *s)
{
	const reyes_i_camera *c = &f->camera;
	const uint32_t mx = s->weights.margin_x, my = s->weights.margin_y;
	const uint64_t pixels = (uint64_t)(c->crop_x1 - c->crop_x0) * (c->crop_y1 - c->crop_y0);
	const int lists = has_transparency(f) || c->depth_filter == REYES_I_DEPTH_MIDPOINT;
	reyes_i_canvas *v = &s->canvas;
	uint64_t samples;
	lsched_status st;

	v->x0 = (int32_t)c->crop_x0 - (int32_t)mx;
	v->y0 = (int32_t)c->crop_y0 - (int32_t)my;
	v->width = c->crop_x1 - c->crop_x0 + 2 * mx;
	v->height = c->crop_y1 - c->crop_y0 + 2 * my;
	v->grids_max = REYES_I_GRIDS_MAX - 1;
	v->colors_max = e->colors_max;
	v->fragments_max = lists ? e->fragments_max : 0;
	v->tiles_x = (v->width + REYES_I_TILE - 1) / REYES_I_TILE;
	v->tiles_y = (v->height + REYES_I_TILE - 1) / REYES_I_TILE;
	samples = v->tiles_y * reyes_i_tile_row(v);
	st = reserve(e, A_CELLS, samples, sizeof(uint64_t));
	if (st == LSCHED_OK && lists)
		st = reserve(e, A_HEADS, samples, sizeof(uint32_t));
	if (st == LSCHED_OK && lists)
		st = reserve(e, A_FRAGMENTS, v->fragments_max, sizeof(reyes_i_fragment));
	if (st == LSCHED_OK)
		st = reserve(e, A_COLORS, v->colors_max, sizeof(reyes_i_rgba));
	if (st == LSCHED_OK)
		st = reserve(e, A_GRIDS, v->grids_max, sizeof(reyes_i_placed));
	if (st == LSCHED_OK)
		st = reserve(e, A_COUNTERS, REYES_I_COUNTERS, sizeof(uint32_t));
	if (st == LSCHED_OK)
		st = reserve(e, A_SAMPLES, samples, sizeof(reyes_i_rgba));
	if (st == LSCHED_OK)
		st = reserve(e, A_SAMPLE_Z, samples, sizeof(float));
	if (st == LSCHED_OK)
		st = reserve(e, A_RGBA, pixels * 4, sizeof(float));
	if (st == LSCHED_OK)
		st = reserve(e, A_Z, pixels, sizeof(float));
	if (st == LSCHED_OK)
		st = lsched_mem_zero(
			e->ctx, e->array[A_COUNTERS], REYES_I_COUNTERS * sizeof(uint32_t));
	s->list_max = e->list_max;
	if (st == LSCHED_OK)
		st = reserve(e, A_LIST, s->list_max, sizeof(reyes_i_grid));
	if (st == LSCHED_OK)
		st = reserve(e, A_LIST_COUNT, 1, sizeof(uint32_t));
	if (st == LSCHED_OK)
		st = lsched_mem_zero(e->ctx, e->array[A_LIST_COUNT], sizeof(uint32_t));
	s->points_max = e->cuda ? e->points_max : 0;
	s->chunks_max = e->cuda ? e->chunks_max : 0;
	if (st == LSCHED_OK && e->cuda)
		st = reserve(e, A_POINTS, s->points_max, 4 * sizeof(int32_t));
	if (st == LSCHED_OK && e->cuda)
		st = reserve(e, A_CHUNKS, s->chunks_max, sizeof(uint32_t));
	s->points = e->array[A_POINTS];
	s->chunks = e->array[A_CHUNKS];
	s->list = e->array[A_LIST];
	s->list_count = e->array[A_LIST_COUNT];
	v->cells = e->array[A_CELLS];
	v->heads = lists ? e->array[A_HEADS] : NULL;
	v->fragments = e->array[A_FRAGMENTS];
	v->colors = e->array[A_COLORS];
	v->grids = e->array[A_GRIDS];
	v->solids = e->array[A_SOLIDS];
	v->counters = e->array[A_COUNTERS];
	s->samples = e->array[A_SAMPLES];
	s->sample_z = e->array[A_SAMPLE_Z];
	s->rgba = e->array[A_RGBA];
	s->z = e->array[A_Z];
	return st;
}

static int is_cancelled(const reyes_i_engine *e)
{
	return e->cancelled && atomic_load(e->cancelled);
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
		o.queue = stage == STAGE_SPLIT ? e->queue : LSCHED_QUEUE_RING;
		o.max_tasks = tasks > 0 ? tasks : 1;
		st = lsched_run_create(&e->run[stage], e->ctx, program_of(e, stage), &o);
		e->max_tasks[stage] = o.max_tasks;
	}
	e->stage = stage;
	e->tasks = tasks;
	pthread_mutex_unlock(&e->lock);
	return st;
}

/* Starts a stage. */
static lsched_status start_on(
	reyes_i_engine *e, int stage, const reyes_i_stage *s, uint32_t tasks, void *stream)
{
	lsched_status st;

	if (is_cancelled(e))
		return LSCHED_ERR_CANCELLED;
	st = prepare(e, stage, tasks);
	if (st == LSCHED_OK)
		st = lsched_run_start(e->run[stage], s, tasks, stream);
	/* The flag was set before the start: then reyes_i_engine_cancel had no effect. */
	if (st == LSCHED_OK && is_cancelled(e))
		(void)lsched_run_cancel(e->run[stage]);
	return st;
}

void reyes_i_engine_set_cancelled(reyes_i_engine *e, const atomic_int *cancelled)
{
	e->cancelled = cancelled;
}

void reyes_i_engine_cancel(reyes_i_engine *e)
{
	pthread_mutex_lock(&e->lock);
	if (e->stage < STAGES && e->run[e->stage])
		(void)lsched_run_cancel(e->run[e->stage]);
	pthread_mutex_unlock(&e->lock);
}

/* Finished part of a stage. Item programs have no count of finished items: there it is the part of
 * the roots that no longer wait. */
static float stage_progress(const lsched_run_progress_info *info, uint32_t tasks)
{
	const uint64_t left = info->outstanding < tasks ? info->outstanding : tasks;

	if (!tasks || !info->executing)
		return 0;
	if (info->finished != LSCHED_NOT_KNOWN)
		return info->finished < tasks ? (float)info->finished / (float)tasks : 1;
	return 1 - (float)left / (float)tasks;
}

float reyes_i_engine_progress(reyes_i_engine *e)
{
	/* Shares of the stages in the time of a frame: a typical scene on CPU threads. */
	static const float begin[STAGES + 1] = { 0, 0.01f, 0.1f, 0.85f, 0.95f, 0 };
	static const float end[STAGES] = { 0.01f, 0.1f, 0.85f, 0.95f, 1 };
	lsched_run_progress_info info;
	float p;

	lsched_run_progress_info_init(&info);
	pthread_mutex_lock(&e->lock);
	p = begin[e->stage];
	if (e->stage < STAGES && e->run[e->stage] &&
		lsched_run_progress(e->run[e->stage], &info) == LSCHED_OK)
		p += (end[e->stage] - p) * stage_progress(&info, e->tasks);
	if (p > e->progress)
		e->progress = p;
	p = e->progress;
	pthread_mutex_unlock(&e->lock);
	return p;
}

static reyes_status finish(reyes_i_engine *e, int stage)
{
	const lsched_status st = lsched_run_finish(e->run[stage], NULL);

	return failed(e, st, lsched_run_error(e->run[stage]));
}

static reyes_status stage(
	reyes_i_engine *e, int k, const reyes_i_stage *s, uint32_t tasks, uint64_t *ns)
{
	const uint64_t begin = now_ns();
	const lsched_status st = start_on(e, k, s, tasks, NULL);
	reyes_status r = failed(e, st, lsched_last_error(e->ctx));

	if (r == REYES_OK)
		r = finish(e, k);
	*ns = now_ns() - begin;
	return r;
}

static int has_motion(const reyes_i_frame *f)
{
	for (size_t k = 0; k < f->prims.count; k++)
		if (f->prims.list[k].key_count > 1)
			return 1;
	return f->camera.lens > 0;
}

static reyes_status cuda_failed(reyes_i_engine *e, const char *error)
{
	if (!error)
		return REYES_OK;
	if (e->message && e->message_bytes)
		snprintf(e->message, e->message_bytes, "CUDA: %s", error);
	return REYES_ERR_DEVICE;
}

/* The same by kernels, to the finished picture; the stages are ordered on one stream. */
static reyes_status cuda_frame(reyes_i_engine *e, const reyes_i_frame *f, const reyes_i_stage *s,
	uint32_t *counters, uint32_t *listed, float *rgba, float *z, reyes_i_figures *g)
{
	void *stream = reyes_i_cuda_stream(e->cuda);
	/* the host launches their rounds one after the other, on a stream of the context */
	const int rounds = e->queue == LSCHED_QUEUE_RELAUNCH || e->queue == LSCHED_QUEUE_COMPACT ||
			   e->queue == LSCHED_QUEUE_BALANCE;
	reyes_i_cuda_times times;
	reyes_status r = cuda_failed(e, reyes_i_cuda_begin(e->cuda, s)), after;

	if (r == REYES_OK && rounds)
		r = cuda_failed(e, reyes_i_cuda_wait(e->cuda));
	if (r == REYES_OK)
		r = failed(e,
			start_on(e, STAGE_SPLIT, s, (uint32_t)f->prims.count,
				rounds ? NULL : stream),
			lsched_last_error(e->ctx));
	if (r == REYES_OK && rounds)
		r = finish(e, STAGE_SPLIT);
	if (r != REYES_OK)
		return r;
	r = cuda_failed(e, reyes_i_cuda_stages(e->cuda, s, has_motion(f)));
	if (r == REYES_OK)
		r = cuda_failed(e, reyes_i_cuda_end(e->cuda, s, counters, listed, rgba, z, &times));
	after = rounds ? REYES_OK : finish(e, STAGE_SPLIT);
	if (r != REYES_OK || after != REYES_OK)
		return r != REYES_OK ? r : after;
	g->clear_ns = times.clear_ns;
	g->split_ns = times.split_ns;
	g->dice_ns = times.dice_ns;
	g->hide_ns = times.hide_ns;
	g->filter_ns = times.image_ns;
	return REYES_OK;
}

/* Enlarges what was full in the last attempt; the counters have what it needed. Returns 0 if that
 * cannot be had. */
static int grow(
	reyes_i_engine *e, const reyes_i_stage *s, const uint32_t *counters, uint32_t listed)
{
	const uint32_t most = UINT32_MAX / 2;

	if (counters[REYES_I_N_GRIDS] > s->canvas.grids_max || listed > s->canvas.grids_max ||
		counters[REYES_I_N_COLORS] > most || counters[REYES_I_N_POINTS] > most ||
		counters[REYES_I_N_FRAGMENTS] > most)
		return 0;
	if (counters[REYES_I_N_COLORS] > s->canvas.colors_max)
		e->colors_max = counters[REYES_I_N_COLORS] / 4 * 5;
	if (counters[REYES_I_N_FRAGMENTS] > s->canvas.fragments_max)
		e->fragments_max = counters[REYES_I_N_FRAGMENTS] / 4 * 5;
	if (listed > s->list_max)
		e->list_max = listed / 4 * 5;
	if (counters[REYES_I_N_POINTS] > s->points_max)
		e->points_max = counters[REYES_I_N_POINTS] / 4 * 5;
	if (counters[REYES_I_N_CHUNKS] > s->chunks_max)
		e->chunks_max = counters[REYES_I_N_CHUNKS] / 4 * 5;
	return 1;
}

/* Clear, split, dice, hide. */
static reyes_status fill_canvas(reyes_i_engine *e, const reyes_i_frame *f, const reyes_i_stage *s,
	uint32_t *counters, uint32_t *listed, reyes_i_figures *g)
{
	uint64_t clear_ns;
	reyes_status r = stage(e, STAGE_CLEAR, s, s->canvas.tiles_y, &clear_ns);

	*listed = 0;
	if (r == REYES_OK)
		r = stage(e, STAGE_SPLIT, s, (uint32_t)f->prims.count, &g->split_ns);
	if (r == REYES_OK)
		r = failed(e,
			lsched_mem_read(e->ctx, listed, e->array[A_LIST_COUNT], sizeof(*listed)),
			lsched_last_error(e->ctx));
	if (r == REYES_OK)
		r = stage(e, STAGE_GRIDS, s, *listed < s->list_max ? *listed : s->list_max,
			&g->hide_ns);
	if (r == REYES_OK)
		r = failed(e,
			lsched_mem_read(e->ctx, counters, e->array[A_COUNTERS],
				REYES_I_COUNTERS * sizeof(*counters)),
			lsched_last_error(e->ctx));
	return r;
}

/* Bytes of samples, pictures, grids, colours and fragments of a frame. */
static uint64_t needed_bytes(
	const reyes_i_engine *e, const reyes_i_frame *f, const reyes_i_weights *w, int lists)
{
	const reyes_i_camera *c = &f->camera;
	const uint64_t width = c->crop_x1 - c->crop_x0, height = c->crop_y1 - c->crop_y0;
	const uint64_t samples = (width + 2 * w->margin_x + REYES_I_TILE) *
				 (height + 2 * w->margin_y + REYES_I_TILE) * c->samples_x *
				 c->samples_y;
	const uint64_t sample_bytes = sizeof(uint64_t) + sizeof(reyes_i_rgba) + sizeof(float) +
				      (lists ? sizeof(uint32_t) : 0);

	return samples * sample_bytes + width * height * 5 * sizeof(float) +
	       REYES_I_GRIDS_MAX * (uint64_t)sizeof(reyes_i_placed) +
	       e->colors_max * (uint64_t)sizeof(reyes_i_rgba) +
	       (lists ? e->fragments_max * (uint64_t)sizeof(reyes_i_fragment) : 0);
}

/* Refuses a frame beyond the limit of memory: that of the options, else three quarters of the
 * machine's on the CPU, where a larger reservation would end the process; a device refuses by
 * itself. */
static reyes_status check_memory(
	reyes_i_engine *e, const reyes_i_frame *f, const reyes_i_weights *w)
{
	const int lists = has_transparency(f) || f->camera.depth_filter == REYES_I_DEPTH_MIDPOINT;
	const uint64_t need = needed_bytes(e, f, w, lists);
	const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t limit = e->memory_bytes;

	if (!limit && !e->cuda && pages > 0 && page_bytes > 0)
		limit = (uint64_t)pages * (uint64_t)page_bytes / 4 * 3;
	if (!limit || need <= limit)
		return REYES_OK;
	if (e->message && e->message_bytes)
		snprintf(e->message, e->message_bytes,
			"the frame needs %llu MB, the limit of memory is %llu MB; make the "
			"picture, "
			"its crop window or PixelSamples smaller, or raise the limit",
			(unsigned long long)(need >> 20), (unsigned long long)(limit >> 20));
	return REYES_ERR_NOMEM;
}

static reyes_status stages(reyes_i_engine *e, const reyes_i_frame *f, reyes_i_stage *s, float *rgba,
	float *z, reyes_i_figures *g)
{
	uint32_t counters[REYES_I_COUNTERS], listed;
	reyes_status r;

	for (int attempt = 0;; attempt++) {
		r = check_memory(e, f, &s->weights);
		if (r == REYES_OK)
			r = failed(e, reserve_canvas(e, f, s), lsched_last_error(e->ctx));
		if (r == REYES_OK)
			r = e->cuda ? cuda_frame(e, f, s, counters, &listed, rgba, z, g)
				    : fill_canvas(e, f, s, counters, &listed, g);
		if (r != REYES_OK)
			return r;
		if (!counters[REYES_I_N_FULL])
			break;
		if (attempt == 3 || !grow(e, s, counters, listed)) {
			if (e->message)
				snprintf(e->message, e->message_bytes,
					"%u grids with %u colours and %u fragments do not fit "
					"into memory",
					counters[REYES_I_N_GRIDS], counters[REYES_I_N_COLORS],
					counters[REYES_I_N_FRAGMENTS]);
			return REYES_ERR_NOMEM;
		}
	}
	g->grids = e->cuda ? listed : counters[REYES_I_N_GRIDS];
	g->points = counters[REYES_I_N_COLORS];
	g->micropolygons = counters[REYES_I_N_MICROPOLYGONS];
	g->fragments = counters[REYES_I_N_FRAGMENTS];
	g->splits = counters[REYES_I_N_SPLITS];
	g->eye_drops = counters[REYES_I_N_EYE_DROPS];
	if (e->cuda)
		return REYES_OK;
	r = stage(e, STAGE_RESOLVE, s, s->canvas.tiles_y, &g->resolve_ns);
	if (r == REYES_OK)
		r = stage(e, STAGE_FILTER, s, f->camera.crop_y1 - f->camera.crop_y0, &g->filter_ns);
	return r;
}

reyes_status reyes_i_engine_render(reyes_i_engine *e, const reyes_i_frame *f, int fresh,
	float *rgba, float *z, reyes_i_figures *g, char *message, size_t message_bytes)
{
	const reyes_i_camera *c = &f->camera;
	const size_t pixels = (size_t)(c->crop_x1 - c->crop_x0) * (c->crop_y1 - c->crop_y0);
	const uint64_t begin = now_ns();
	reyes_i_stage s;
	lsched_status st;
	reyes_status r;

	e->message = message;
	e->message_bytes = message_bytes;
	pthread_mutex_lock(&e->lock);
	e->stage = STAGES;
	e->progress = 0;
	pthread_mutex_unlock(&e->lock);
	memset(&s, 0, sizeof(s));
	memset(g, 0, sizeof(*g));
	st = upload_frame(e, f, fresh, &s.view);
	if (st == LSCHED_OK)
		st = upload_tables(e, c, &s);
	g->upload_ns = now_ns() - begin;
	r = failed(e, st, lsched_last_error(e->ctx));
	if (r == REYES_OK)
		r = stages(e, f, &s, rgba, z, g);
	if (r == REYES_OK && !e->cuda)
		st = lsched_mem_read(e->ctx, rgba, e->array[A_RGBA], pixels * 16);
	if (r == REYES_OK && st == LSCHED_OK && !e->cuda)
		st = lsched_mem_read(e->ctx, z, e->array[A_Z], pixels * 4);
	if (r == REYES_OK)
		r = failed(e, st, lsched_last_error(e->ctx));
	g->total_ns = now_ns() - begin;
	return r;
}
