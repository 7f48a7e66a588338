/* The two libsched programs of the CPU: units as tasks, nodes as items. */
#include "nqueens/cpu/run_cpu.h"
#include <libsched/task.h>
#include "nqueens/core/board_items.h"
#include "nqueens/join/sieve.h"

/* ---- units ---- */

static lsched_result unit_body(
	lsched_worker *w, const nq_i_cpu_ctx *c, lsched_no_local *l, uint32_t task)
{
	nq_i_run *r = c->run;
	const uint32_t unit = r->todo[task];
	const nq_unit *u = &r->plan->units[unit];
	nq_i_cpu_worker *own = &c->workers[lsched_worker_index(w)];
	uint64_t count;

	(void)l;
	if (own->siever) {
		own->status = nq_i_sieve_unit(own->siever, u, &count);
		if (own->status != NQ_OK)
			return LSCHED_DONE;
	} else if (own->joiner) {
		count = nq_i_join_unit(own->joiner, u);
	} else {
		count = c->walk(&own->walk, r->plan->tasks + u->first, u->count, r->plan->n);
	}
	__atomic_store_n(&own->nodes, own->walk.nodes, __ATOMIC_RELAXED);
	/* the count of a stopped walk is incomplete */
	if (nq_i_run_stopped(r))
		return LSCHED_DONE;
	nq_i_run_enter(r, unit, count);
	return LSCHED_DONE;
}

#define LSCHED_NAME           nq_i_units
#define LSCHED_CTX            nq_i_cpu_ctx
#define LSCHED_BODY           unit_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>

/* ---- nodes ---- */

#define LSCHED_NAME           nq_i_boards
#define LSCHED_CTX            nq_i_boards
#define LSCHED_ITEMS          nq_i_boards_items
#define LSCHED_ROOT           nq_i_boards_root
#define LSCHED_BODY           nq_i_boards_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
