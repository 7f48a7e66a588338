/* The engine renders frames on a backend of libsched. */
#ifndef REYES_RENDER_ENGINE_H
#define REYES_RENDER_ENGINE_H

#include <reyes/reyes.h>
#include <stdatomic.h>
#include "reyes/scene/frame.h"

typedef struct reyes_i_engine reyes_i_engine;

typedef struct reyes_i_engine_options {
	reyes_backend backend;
	int device;
	uint32_t threads;
	const char *queue; /* NULL: donate */
	uint64_t memory_bytes;
	const atomic_int *cancelled; /* nonzero: no stage begins; NULL: never */
} reyes_i_engine_options;

/* Figures of a frame. */
typedef struct reyes_i_figures {
	uint64_t splits, grids, micropolygons, points, fragments, eye_drops;
	uint64_t upload_ns, clear_ns, split_ns, dice_ns, hide_ns, resolve_ns, filter_ns,
		total_ns; /* host's clock */
} reyes_i_figures;

reyes_status reyes_i_engine_open(
	reyes_i_engine **out, const reyes_i_engine_options *o, char *message, size_t message_bytes);
void reyes_i_engine_close(reyes_i_engine **e);
/* Replaces options.cancelled. Not while a frame is rendered. */
void reyes_i_engine_set_cancelled(reyes_i_engine *e, const atomic_int *cancelled);
/* Ends the current stage, after *options.cancelled was set. Any thread. */
void reyes_i_engine_cancel(reyes_i_engine *e);
/* Finished part of the current reyes_i_engine_render, 0..1. Any thread. */
float reyes_i_engine_progress(reyes_i_engine *e);
/* Name of the processor. */
const char *reyes_i_engine_device(const reyes_i_engine *e);
/* fresh: 0 if the frame has not changed since the last call.
 * Renders a frame: rgba [height][width][4] and z [height][width] of the crop window, in host
 * memory. message: as in reyes_i_engine_open. Returns
 * REYES_CANCELLED while *options.cancelled is not 0. */
reyes_status reyes_i_engine_render(reyes_i_engine *e, const reyes_i_frame *f, int fresh,
	float *rgba, float *z, reyes_i_figures *figures, char *message, size_t message_bytes);

#endif
