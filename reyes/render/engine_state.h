/* The engine's state, shared by its files: memory, stages, buckets of the picture, progress. */
#ifndef REYES_RENDER_ENGINE_STATE_H
#define REYES_RENDER_ENGINE_STATE_H

#include <pthread.h>
#include "reyes/cuda/stages.h"
#include "reyes/render/engine.h"
#include "reyes/render/memory.h"

/* Stages that are programs of libsched. */
enum reyes_i_stage_number {
	REYES_I_STAGE_CLEAR,
	REYES_I_STAGE_SPLIT,
	REYES_I_STAGE_GRIDS,
	REYES_I_STAGE_RESOLVE,
	REYES_I_STAGE_FILTER,
	REYES_I_STAGES
};

/* Sizes of the arrays whose need is known only when the stages have run. They grow. Points and
 * chunks: device only. */
#define REYES_I_CAPACITIES(X) X(grids) X(colors) X(fragments) X(list) X(points) X(chunks)
typedef struct reyes_i_capacity {
#define REYES_I_CAPACITY(name) uint32_t name;
	REYES_I_CAPACITIES(REYES_I_CAPACITY)
#undef REYES_I_CAPACITY
} reyes_i_capacity;

/* Arrays of a bucket: the member of reyes_i_stage that points to it, or is NULL if it has no
 * elements; number of elements. engine_memory.c defines what the numbers depend on. */
#define REYES_I_BUCKET_ARRAYS(X)                           \
	X(canvas.cells, job->has_opaque ? samples : 0)     \
	X(canvas.heads, job->lists ? samples : 0)          \
	X(canvas.fragments, job->lists ? n->fragments : 0) \
	X(canvas.colors, n->colors)                        \
	X(canvas.grids, n->grids)                          \
	X(samples, stored ? samples : 0)                   \
	X(sample_z, stored ? samples : 0)                  \
	X(list, n->list)                                   \
	X(points, e->cuda ? 4 * (uint64_t)n->points : 0)   \
	X(chunks, e->cuda ? n->chunks : 0)                 \
	X(culling.boxes, culled ? n->grids : 0)            \
	X(culling.order, culled ? n->grids : 0)            \
	X(culling.bins, culled ? 2 * REYES_I_BINS : 0)     \
	X(culling.farthest, culled ? tiles : 0)
enum { REYES_I_BUCKET_ARRAY_COUNT = 0 REYES_I_BUCKET_ARRAYS(REYES_I_COUNT_ARRAY) };

/* Arrays in the backend's memory: those of the whole picture, those of the frame and those of a
 * bucket. */
enum reyes_i_memory_number {
	REYES_I_MEM_TABLES,
	REYES_I_MEM_BOUNDS,
	REYES_I_MEM_RGBA,
	REYES_I_MEM_Z,
	REYES_I_MEM_COUNTERS,
	REYES_I_MEM_LIST_COUNT,
	REYES_I_MEM_FRAME,
	REYES_I_MEM_BUCKET = REYES_I_MEM_FRAME + REYES_I_FRAME_ARRAY_COUNT,
	REYES_I_MEMS = REYES_I_MEM_BUCKET + REYES_I_BUCKET_ARRAY_COUNT
};

/* What the tables are made of. */
typedef struct reyes_i_tables_key {
	uint32_t samples_x, samples_y, jitter, filter;
	float filter_width[2];
} reyes_i_tables_key;

struct reyes_i_engine {
	reyes_i_cuda *cuda; /* NULL: the CPU backend */
	lsched_ctx *ctx;
	lsched_queue queue;
	reyes_i_engine_options options;
	reyes_i_capacity capacity;
	reyes_i_tables_key tables_key; /* samples_x 0: there are no tables */
	reyes_i_pattern pattern;       /* with pointers to the tables */
	reyes_i_weights weights;
	reyes_i_memory memory[REYES_I_MEMS];
	lsched_run *run[REYES_I_STAGES];
	uint32_t max_tasks[REYES_I_STAGES];
	/* Other threads read these for reyes_i_engine_cancel and reyes_i_engine_progress. */
	pthread_mutex_t lock; /* protects run[] and these */
	int stage;            /* the latest one; REYES_I_STAGES: none in this frame */
	uint32_t tasks;       /* of that stage */
	float bucket_begin;   /* finished share of the frame when the bucket of the picture began */
	float bucket_share;   /* share of the bucket */
	float progress;       /* largest value returned in this frame */
	const atomic_int *cancelled;
	char *message;
	size_t message_bytes;
};

/* A frame while it is rendered. */
typedef struct reyes_i_job {
	const reyes_i_frame *frame;
	reyes_i_stage stage;
	uint64_t limit;      /* bytes of all memory; 0: none */
	uint64_t fixed;      /* bytes that do not depend on the bucket: scene, tables, picture */
	uint32_t lists;      /* nonzero: samples have lists of fragments */
	uint32_t has_opaque; /* nonzero: a surface is opaque */
	uint32_t moves;      /* nonzero: a primitive moves, or the lens blurs */
	uint32_t counters[REYES_I_COUNTERS], listed; /* of the last bucket */
	reyes_i_output picture;
	reyes_i_figures *figures;
} reyes_i_job;

/* Converts a status of libsched, and keeps the message of a failure. */
reyes_status reyes_i_engine_failed(reyes_i_engine *e, lsched_status st, const char *why);

/* ---- engine_memory.c ---- */

/* Makes the frame and its tables accessible to the stages. */
lsched_status reyes_i_engine_load(reyes_i_engine *e, reyes_i_job *job, enum reyes_i_fresh fresh);
/* Bytes of the samples of a bucket, and of arrays of these sizes. */
uint64_t reyes_i_bucket_bytes(const reyes_i_engine *e, const reyes_i_job *job,
	const reyes_i_area *bucket, const reyes_i_capacity *capacity);
/* Reserves the canvas of a bucket, and sets job->stage for it. */
lsched_status reyes_i_reserve_bucket(
	reyes_i_engine *e, reyes_i_job *job, const reyes_i_area *bucket);

/* ---- engine_capacity.c ---- */

/* Sets the capacities that the last bucket needed, by its counters, with some room. Returns 0 if
 * they are not possible. */
int reyes_i_capacity_needed(const reyes_i_job *job, reyes_i_capacity *capacity);
/* Reduces the capacities to those that the last bucket needed, by its counters. */
void reyes_i_capacity_least(const reyes_i_job *job, reyes_i_capacity *capacity);
/* Capacities at the begin of a frame. */
void reyes_i_capacity_first(reyes_i_engine *e, const reyes_i_job *job);

/* ---- engine_stages.c ---- */

/* Runs all stages of the bucket in job->stage. last: it is the picture's last bucket. A counter
 * REYES_I_N_FULL of the job that is not 0 says that an array was full: the bucket must be rendered
 * again. */
reyes_status reyes_i_render_bucket(reyes_i_engine *e, reyes_i_job *job, int last);

/* ---- engine_buckets.c ---- */

/* Renders the picture in buckets that the memory has room for. */
reyes_status reyes_i_render_buckets(reyes_i_engine *e, reyes_i_job *job);

/* ---- engine_progress.c ---- */

int reyes_i_is_cancelled(const reyes_i_engine *e);
/* A bucket of the picture begins: finished share of the frame, share of the bucket. */
void reyes_i_progress_bucket(reyes_i_engine *e, double begin, double share);

#endif
