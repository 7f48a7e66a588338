/* First stage of backtracking on a GPU: an item program that expands tasks of the plan, depth first
 * and hence in little memory, until few enough rows are empty. These open nodes are appended to a
 * list for the second stage. For both languages. */
#ifndef NQUEENS_CUDA_SPREAD_H
#define NQUEENS_CUDA_SPREAD_H

#include <libsched/items.h>
#include "nqueens/cuda/subtree.h"

/* Counters that host and device share. opens: entries of the list of open nodes, including those
 * that did not fit; opens_next: those taken by the second stage; the same for subtrees and the
 * third stage. */
typedef struct nq_i_counts {
	uint32_t opens, opens_next;
	uint32_t subtrees, subtrees_next;
	uint64_t nodes;
} nq_i_counts;

/* LSCHED_CTX. */
typedef struct nq_i_spread {
	const nq_task *tasks; /* with at least one empty row */
	nq_i_open *opens;
	nq_i_counts *counts;
	uint32_t n, rows; /* rows: empty rows of a listed node at most */
	uint32_t room;    /* of opens */
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

/* Chooses the next row of a new node; lists it, enqueues it as an item, or drops it as
 * a dead end. */
LSCHED_TASK_FN void nq_i_spread_settle(nq_i_spread_items *x, const nq_i_spread *c, nq_i_open *b)
{
	uint32_t key[NQ_I_KEYS];
	const uint32_t least = nq_i_row_keys(b, c->n, key);

	if (nq_i_key_is_dead(least))
		return;
	nq_i_choose_row(b, c->n, least);
	if (lsched_popcount(b->rows) <= c->rows)
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
