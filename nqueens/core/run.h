/* A run as its backends see it. */
#ifndef NQUEENS_CORE_RUN_H
#define NQUEENS_CORE_RUN_H

#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "nqueens/core/ledger.h"
#include "nqueens/core/plan.h"

typedef struct nq_i_run {
	const nq_plan *plan;
	nq_ledger *ledger;
	const nq_run_options *o;
	nq_result *result;
	lsched_queue queue; /* the option's */
	uint32_t *todo;     /* units to count */
	uint32_t todo_count;
	size_t done_before;
	uint64_t work, work_before; /* of the run's share, and what was done before */
	uint64_t work_done;         /* of todo */
	uint64_t begin_ns, told_ns; /* told: when progress was called last */
	int stop;            /* set once, seen by all workers: time, cancel or progress says so */
	nq_status why;       /* CANCELLED or TIME_LIMIT, by the thread that called nq_run */
	uint32_t units_done; /* of todo */
} nq_i_run;

uint64_t nq_i_now_ns(void);

/* Enters a unit of todo. By any worker. */
static inline void nq_i_run_enter(nq_i_run *r, uint32_t unit, uint64_t count)
{
	nq_i_ledger_enter(r->ledger, unit, count);
	__atomic_fetch_add(&r->work_done, r->plan->work[unit], __ATOMIC_RELAXED);
	__atomic_fetch_add(&r->units_done, 1, __ATOMIC_RELAXED);
}

static inline int nq_i_run_stopped(const nq_i_run *r)
{
	return __atomic_load_n(&r->stop, __ATOMIC_RELAXED);
}

/* Looks at the clock and the caller's flag, and tells the progress if it is time. By the thread that
 * called nq_run, now and then. */
void nq_i_run_watch(nq_i_run *r, uint64_t nodes);

/* The same, but the progress is told only when it is due; cheap enough to be called each millisecond. */
void nq_i_run_look(nq_i_run *r, uint64_t nodes);

nq_status nq_i_run_cpu(nq_i_run *r);
/* cuda/run_cuda.c, or cuda/none.c */
nq_status nq_i_run_cuda(nq_i_run *r);
/* Nonzero if the device (a number, NQ_CURRENT_DEVICE: the first, NQ_ALL_DEVICES: each of them) can join n queens,
 * n at most NQ_JOIN_MAX_N. Makes no context. There too. */
int nq_i_cuda_joins(uint32_t n, int device);

#endif
