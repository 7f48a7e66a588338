/* The engine renders frames on a backend of libsched. */
#ifndef REYES_RENDER_ENGINE_H
#define REYES_RENDER_ENGINE_H

#include <reyes/reyes.h>
#include <stdatomic.h>
#include "reyes/scene/frame.h"

typedef struct reyes_i_engine reyes_i_engine;

/* A rectangle of pixels: [x0, x1) x [y0, y1). */
typedef struct reyes_i_area {
	uint32_t x0, x1, y0, y1;
} reyes_i_area;

/* The picture of the crop window: rgba [height][width][4] and z [height][width], the engine's until
 * its next frame. */
typedef struct reyes_i_output {
	float *rgba, *z;
	int on_device;
} reyes_i_output;

typedef struct reyes_i_engine_options {
	reyes_backend backend;
	int device;
	uint32_t threads;
	const char *queue; /* NULL: donate */
	uint64_t memory_bytes;
	const atomic_int *cancelled; /* nonzero: no stage begins; NULL: never */
	uint32_t bucket_px;      /* side of the buckets of the picture; 0: as large as possible */
	uint32_t trace_events;   /* that a worker records in a stage */
	uint32_t device_picture; /* nonzero: the picture stays on the device */
	void (*on_bucket)(void *user, const reyes_i_output *, const reyes_i_area *); /* or NULL */
	void *bucket_user;
} reyes_i_engine_options;

/* Figures of a frame. */
typedef struct reyes_i_figures {
	uint64_t splits, grids, micropolygons, points, fragments, eye_drops;
	uint64_t occluded; /* micropolygons that occlusion culling dropped */
	uint64_t buckets;  /* in which the picture was rendered */
	uint64_t steals, donated, queue_high_water, workers; /* of split, last bucket */
	uint64_t upload_ns, clear_ns, split_ns, dice_ns, hide_ns, resolve_ns, filter_ns,
		total_ns; /* host's clock */
} reyes_i_figures;

reyes_status reyes_i_engine_open(
	reyes_i_engine **out, const reyes_i_engine_options *o, char *message, size_t message_bytes);
void reyes_i_engine_close(reyes_i_engine **e);
/* Replaces options.cancelled and options.bucket_user. Not while a frame is rendered. */
void reyes_i_engine_set_renderer(reyes_i_engine *e, const atomic_int *cancelled, void *bucket_user);
/* Ends the current stage, after *options.cancelled was set. Any thread. */
void reyes_i_engine_cancel(reyes_i_engine *e);
/* Finished part of the current reyes_i_engine_render, 0..1. Any thread. */
float reyes_i_engine_progress(reyes_i_engine *e);
/* Runs of the last bucket that have recorded events, in the order of the stages. Returns their
 * number; at most `room` are stored. */
size_t reyes_i_engine_runs(const reyes_i_engine *e, struct lsched_run **runs, size_t room);
/* Name of the processor. */
const char *reyes_i_engine_device(const reyes_i_engine *e);
/* Renders a frame. fresh: since the last call. message: as in reyes_i_engine_open. Returns
 * REYES_CANCELLED while *options.cancelled is not 0. */
reyes_status reyes_i_engine_render(reyes_i_engine *e, const reyes_i_frame *f,
	enum reyes_i_fresh fresh, reyes_i_output *picture, reyes_i_figures *figures, char *message,
	size_t message_bytes);
/* Copies a picture on the device to the host; *picture becomes the copy. */
reyes_status reyes_i_engine_fetch(reyes_i_engine *e, const reyes_i_frame *f,
	reyes_i_output *picture, char *message, size_t message_bytes);

#endif
