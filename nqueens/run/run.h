/* The state of a run, as its backends use it. */
#ifndef NQUEENS_RUN_RUN_H
#define NQUEENS_RUN_RUN_H

#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "nqueens/plan/ledger.h"
#include "nqueens/plan/plan.h"

typedef struct nq_i_run {
	const nq_plan *plan;
	nq_ledger *ledger;
	const nq_run_options *o;
	nq_result *result;
	lsched_queue queue; /* o->queue, parsed */
	uint32_t *todo;     /* [todo_count] units to count, the most expensive first */
	uint32_t todo_count;
	size_t done_before;             /* units of this part in the ledger before the run */
	uint64_t work, work_before;     /* expected cost of this part; of done_before */
	uint64_t work_done;             /* of todo */
	uint64_t begin_ns, reported_ns; /* reported: last progress call, since begin_ns */
	/* Set once and read by all workers: by time limit, cancel flag or progress callback. */
	int stop;
	nq_status why;       /* CANCELLED or TIME_LIMIT; written by the thread that called nq_run */
	uint32_t units_done; /* of todo */
} nq_i_run;

/* Records the count of a unit of todo. Called by any worker. */
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

/* Reads the clock and the cancel flag, and calls the progress callback if its interval is over.
 * Cheap enough for a call every 20 us. Called by the thread that called nq_run. */
void nq_i_run_poll(nq_i_run *r, uint64_t nodes);

#endif
