/* The two libsched programs of the CPU: units, and boards as items. */
#include "nqueens/cpu/run_cpu.h"
#include <libsched/task.h>
#include "nqueens/core/boards.h"
#include "nqueens/join/join.h"

/* ---- a task is a unit ---- */

static sched_result unit_body(
	sched_worker *w, const nq__cpu_ctx *c, sched_no_local *l, uint32_t task)
{
	nq__run *r = c->run;
	const uint32_t unit = r->todo[task];
	const nq_unit *u = &r->plan->units[unit];
	nq__cpu_worker *own = &c->workers[sched_worker_index(w)];
	uint64_t count;

	(void)l;
	if (nq__run_stopped(r))
		return SCHED_DONE;
	if (r->plan->method == NQ_METHOD_JOIN)
		count = nq__join_unit(own->joiner, u);
	else
		count = c->walk(&own->walk, r->plan->tasks + u->first, u->count, r->plan->n);
	__atomic_store_n(&own->nodes, own->walk.nodes, __ATOMIC_RELAXED);
	/* a walk that was told to stop has counted a part only */
	if (nq__run_stopped(r))
		return SCHED_DONE;
	nq__run_enter(r, unit, count);
	return SCHED_DONE;
}

#define SCHED_NAME nq__units
#define SCHED_CTX  nq__cpu_ctx
#define SCHED_BODY unit_body
#include <libsched/generate.h>

/* ---- an item is a board ---- */

#define SCHED_NAME nq__boards
#define SCHED_CTX  nq__boards
#define SCHED_ITEM nq__open
#define SCHED_ROOT nq__boards_root
#define SCHED_BODY nq__boards_body
#include <libsched/generate_items.h>
