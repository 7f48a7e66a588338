/* The two libsched programs of the CPU: units, and boards as items. */
#include "nqueens/cpu/run_cpu.h"
#include <libsched/task.h>
#include <libsched/items.h>
#include "nqueens/core/board.h"
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

typedef struct board {
	nq_task t;
	uint32_t free_cols, row; /* the next row to fill, and where */
} board;

static uint32_t board_root(const nq__cpu_ctx *c, uint32_t i, board *item)
{
	const nq_plan *p = c->run->plan;
	const nq_task *t = &p->tasks[c->roots[i]];

	item->t = *t;
	item->row = t->rows ? nq__next_row(t->rows, p->n) : 0;
	item->free_cols = t->rows ? nq__free(t, p->n, item->row) : 0;
	/* what is full already has no row to fill: it is one completion of itself, found by its root */
	if (!t->rows)
		item->row = NQ_MAX_N;
	return 0;
}

static sched_result board_body(
	sched_items *x, const nq__cpu_ctx *c, sched_no_local *l, uint32_t proc, board item)
{
	const uint32_t n = c->run->plan->n;
	nq__cpu_worker *own = &c->workers[sched_worker_index(sched_items_worker(x))];
	uint32_t cols = item.free_cols;
	uint64_t found = 0;

	(void)l;
	(void)proc;
	if (nq__run_stopped(c->run))
		return SCHED_DONE;
	if (item.row == NQ_MAX_N)
		found = 1;
	else if (cols && (item.t.rows & (item.t.rows - 1)))
		__atomic_store_n(&own->nodes, own->nodes + 1, __ATOMIC_RELAXED);
	for (; cols; cols &= cols - 1) {
		board next = item;

		nq__place(&next.t, n, item.row, cols & (0u - cols));
		if (!next.t.rows) {
			found++;
			continue;
		}
		next.row = nq__next_row(next.t.rows, n);
		next.free_cols = nq__free(&next.t, n, next.row);
		/* of the last row there is one square at most, and nothing else to do */
		if (next.free_cols && !(next.t.rows & (next.t.rows - 1)))
			found++;
		else if (next.free_cols)
			sched_emit(x, 0, &next);
	}
	if (found)
		__atomic_fetch_add(&c->found[item.t.unit], found, __ATOMIC_RELAXED);
	return SCHED_DONE;
}

#define SCHED_NAME      nq__boards
#define SCHED_CTX       nq__cpu_ctx
#define SCHED_ITEM      board
#define SCHED_ROOT      board_root
#define SCHED_BODY      board_body
#define SCHED_MAX_SPAWN NQ_MAX_N
#include <libsched/generate_items.h>
