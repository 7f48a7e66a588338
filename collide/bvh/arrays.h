/* Memory of a bounding volume hierarchy. Host code. */
#ifndef COLLIDE_BVH_ARRAYS_H
#define COLLIDE_BVH_ARRAYS_H

#include "collide/bvh/bvh.h"
#include <libsched/sched.h>

/* Allocates the arrays of *c for c->n boxes, at most BVH_MAX_BOXES, in the memory of the tasks;
 * c->box is the caller's. Returns the error of lsched_mem_alloc(); collide_i_bvh_free() in both
 * cases. */
lsched_status collide_i_bvh_alloc(lsched_ctx *ctx, bvh_ctx *c);
/* Frees them, and sets their pointers to NULL. */
void collide_i_bvh_free(lsched_ctx *ctx, bvh_ctx *c);

/* Options of a run for trees of n boxes by so many workers. */
void collide_i_bvh_run_options(lsched_run_options *o, uint32_t n, uint32_t workers);
#endif
