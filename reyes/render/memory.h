/* Arrays in the memory of a context of libsched, and the copy of a frame there. */
#ifndef REYES_RENDER_MEMORY_H
#define REYES_RENDER_MEMORY_H

#include <libsched/sched.h>
#include "reyes/scene/view.h"

typedef struct reyes_i_memory {
	void *list;
	size_t bytes;
} reyes_i_memory;

/* Makes room for an array; its contents are undefined if it has to grow. */
lsched_status reyes_i_memory_reserve(
	lsched_ctx *ctx, reyes_i_memory *m, uint64_t count, size_t element_bytes);
void reyes_i_memory_free(lsched_ctx *ctx, reyes_i_memory *m);
/* Copies an array. */
lsched_status reyes_i_memory_write(
	lsched_ctx *ctx, reyes_i_memory *m, const void *from, size_t count, size_t element_bytes);
/* Copies what has changed in a frame, and sets the view's arrays to the copies. */
lsched_status reyes_i_memory_write_frame(lsched_ctx *ctx,
	reyes_i_memory m[REYES_I_FRAME_ARRAY_COUNT], const reyes_i_frame *f,
	enum reyes_i_fresh fresh, reyes_i_view *v);

#endif
