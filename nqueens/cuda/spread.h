/* The first stage of backtracking on a GPU: an item program that splits a plan's tasks into boards
 * with few enough rows, depth first, so that it needs little room whatever the tasks are. Both
 * languages.
 *
 * Boards that are small enough go into a list, for the second stage. */
#ifndef NQUEENS_CUDA_SPREAD_H
#define NQUEENS_CUDA_SPREAD_H

#include <libsched/items.h>
#include "nqueens/cuda/subtree.h"

/* Numbers that host and device share. `opens`: boards in the list, and `opens_next` of them taken;
 * more are counted than fit when there is no room. */
typedef struct nq_i_counts {
	uint32_t opens, opens_next;
	uint32_t subtrees, subtrees_next;
	uint64_t nodes;
} nq_i_counts;

/* LSCHED_CTX. */
typedef struct nq_i_spread {
	const nq_task *tasks; /* with an empty row at least */
	nq_i_open *opens;
	nq_i_counts *counts;
	uint32_t n, rows; /* into the list with so many empty rows or fewer */
	uint32_t room;
} nq_i_spread;

LSCHED_DECLARE_ITEMS(nq_i_spread_items, nq_i_open);

LSCHED_FN uint32_t nq_i_spread_root(const nq_i_spread *c, uint32_t i, nq_i_open *item)
{
	nq_i_open_task(&c->tasks[i], item);
	return 0;
}

LSCHED_TASK_FN void nq_i_spread_list(const nq_i_spread *c, const nq_i_open *b)
{
	const uint32_t at = lsched_add(&c->counts->opens, 1u, rlx, dev);

	if (at < c->room)
		c->opens[at] = *b;
}

/* A new board: put into the list, handed on, or forgotten. */
LSCHED_TASK_FN void nq_i_spread_settle(nq_i_spread_items *x, const nq_i_spread *c, nq_i_open *b)
{
	uint32_t key[NQ_I_KEYS];
	const uint32_t least = nq_i_row_keys(b, c->n, key);

	if (nq_i_key_is_dead(least))
		return;
	nq_i_choose_row(b, c->n, least);
	if (nq_i_popcount(b->rows) <= c->rows)
		nq_i_spread_list(c, b);
	else
		lsched_emit(x, 0, b);
}

LSCHED_TASK_FN lsched_result nq_i_spread_body(nq_i_spread_items *x, const nq_i_spread *c,
	lsched_no_local *l, uint32_t proc, nq_i_open item)
{
	(void)l;
	(void)proc;
	if (nq_i_open_row(&item) != NQ_I_FRESH) {
		nq_i_open child = nq_i_open_child(&item, c->n);

		item.free_cols &= item.free_cols - 1;
		if (item.free_cols)
			lsched_emit(x, 0, &item);
		item = child;
	}
	nq_i_spread_settle(x, c, &item);
	return LSCHED_DONE;
}

#endif
