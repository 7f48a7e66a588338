/* The workload `priority`: tasks with random priorities that are all ready at the start. Each
 * task records its rank, its position in the order of execution (Steinberger et al. 2012,
 * Softshell, section 6.1, scheduling accuracy). Compiled for CPU and GPU. */
#ifndef WORKLOADS_PRIORITY_PRIORITY_H
#define WORKLOADS_PRIORITY_PRIORITY_H

#include "workloads/common/work.h"

typedef struct gsprio_ctx {
	uint32_t seed;
	wl_length length;
	uint32_t *next_rank; /* tasks that have a rank */
	uint32_t *rank;      /* [task] */
	float *sink;
} gsprio_ctx;

/* Returns a uniformly distributed priority; larger ones run first. */
LSCHED_FN uint32_t gsprio_priority(const gsprio_ctx *c, uint32_t task)
{
	return wl_hash(task ^ c->seed);
}

LSCHED_TASK_FN lsched_result gsprio_body(
	lsched_worker *w, const gsprio_ctx *c, lsched_no_local *l, uint32_t task)
{
	(void)w;
	(void)l;
	if (lsched_lane() == 0)
		c->rank[task] = lsched_add(c->next_rank, 1u, rlx, dev);
	wl_run_steps(wl_steps(&c->length, task), c->sink);
	return LSCHED_DONE;
}

#endif

#ifdef WL_PRIORITY_PROGRAM
#undef WL_PRIORITY_PROGRAM
#define LSCHED_NAME           gsprio
#define LSCHED_CTX            gsprio_ctx
#define LSCHED_BODY           gsprio_body
#define LSCHED_PRIORITY       gsprio_priority
#define LSCHED_MIN_BLOCKS     4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
