/* The first stage of backtracking on a GPU: an item program that splits a plan's tasks into boards with few
 * enough rows, depth first, so that it needs little room whatever the tasks are. Both languages.
 *
 * Boards that are small enough go into a list, for the second stage. */
#ifndef NQUEENS_CUDA_SPREAD_H
#define NQUEENS_CUDA_SPREAD_H

#include <libsched/items.h>
#include "nqueens/cuda/subtree.h"

/* Numbers that host and device share. `opens`: boards in the list, and `opens_next` of them taken; more
 * are counted than fit when there is no room. */
typedef struct nq__counts {
	uint32_t opens, opens_next;
	uint32_t subtrees, subtrees_next;
	uint64_t nodes;
} nq__counts;

/* SCHED_CTX. */
typedef struct nq__spread {
	const nq_task *tasks; /* with an empty row at least */
	nq__open *opens;
	nq__counts *counts;
	uint32_t n, rows; /* into the list with so many empty rows or fewer */
	uint32_t room;
} nq__spread;

SCHED_FN uint32_t nq__spread_root(const nq__spread *c, uint32_t i, nq__open *item)
{
	nq__open_task(&c->tasks[i], item);
	return 0;
}

SCHED_TASK_FN void nq__spread_list(const nq__spread *c, const nq__open *b)
{
	const uint32_t at = sched_add(&c->counts->opens, 1u, rlx, dev);

	if (at < c->room)
		c->opens[at] = *b;
}

/* A new board: put into the list, handed on, or forgotten. */
SCHED_TASK_FN void nq__spread_settle(sched_items *x, const nq__spread *c, nq__open *b)
{
	uint32_t key[NQ__KEYS];
	const uint32_t least = nq__row_keys(b, c->n, key);

	if (nq__key_is_dead(least))
		return;
	nq__choose_row(b, c->n, least);
	if (nq__popcount(b->rows) <= c->rows)
		nq__spread_list(c, b);
	else
		sched_emit(x, 0, b);
}

SCHED_TASK_FN sched_result nq__spread_body(
	sched_items *x, const nq__spread *c, sched_no_local *l, uint32_t proc, nq__open item)
{
	(void)l;
	(void)proc;
	if (nq__open_row(&item) != NQ__FRESH) {
		nq__open child = nq__open_child(&item, c->n);

		item.free_cols &= item.free_cols - 1;
		if (item.free_cols)
			sched_emit(x, 0, &item);
		item = child;
	}
	nq__spread_settle(x, c, &item);
	return SCHED_DONE;
}

#endif
