/* Method TASKS: each node of the search is an item, after Tzeng, Lloyd, Owens 2012, section 6.3.
 * The body of the program, for both languages. An item is an open node (open.h); rows are filled
 * from the middle outwards. The nodes of nq_result.nodes are counted: on CUDA in
 * lsched_stats.value, on the CPU in an array that the progress reads. */
#ifndef NQUEENS_CORE_BOARD_ITEMS_H
#define NQUEENS_CORE_BOARD_ITEMS_H

#include <libsched/items.h>
#include "nqueens/core/open.h"

/* LSCHED_CTX. */
typedef struct nq_i_boards {
	const nq_task *tasks;
	const uint32_t *roots; /* indices into tasks; NULL: all */
	uint64_t *found;       /* [unit of a task] */
	uint64_t *nodes;       /* CPU: worker k adds to nodes[k * apart] */
	uint32_t apart, n;
} nq_i_boards;

LSCHED_DECLARE_ITEMS(nq_i_boards_items, nq_i_open);

LSCHED_FN uint32_t nq_i_boards_root(const nq_i_boards *c, uint32_t i, nq_i_open *item)
{
	nq_i_open_task(&c->tasks[c->roots ? c->roots[i] : i], item);
	return 0;
}

LSCHED_TASK_FN void nq_i_boards_node(nq_i_boards_items *x, const nq_i_boards *c)
{
#if NQ_I_NODES_IN_VALUE
	(void)c;
	lsched_return(x, LSCHED_JOIN_ROOT, 1);
#else
	uint64_t *own = &c->nodes[(size_t)lsched_worker_index(lsched_items_worker(x)) * c->apart];

	lsched_st(own, *own + 1, rlx, dev);
#endif
}

LSCHED_TASK_FN lsched_result nq_i_boards_body(nq_i_boards_items *x, const nq_i_boards *c,
	lsched_no_local *l, uint32_t proc, nq_i_open item)
{
	uint32_t left = lsched_popcount(item.rows), row;

	(void)l;
	(void)proc;
	if (nq_i_open_row(&item) != NQ_I_FRESH) {
		nq_i_open child = nq_i_open_child(&item, c->n);

		item.free_cols &= item.free_cols - 1;
		if (item.free_cols)
			lsched_emit(x, 0, &item);
		item = child;
		left--;
	}
	if (left) {
		row = nq_i_next_row(item.rows, c->n);
		item.free_cols = nq_i_open_free(&item, c->n, row);
		nq_i_open_set_row(&item, row);
		if (!item.free_cols)
			return LSCHED_DONE;
		if (left > 1) {
			nq_i_boards_node(x, c);
			lsched_emit(x, 0, &item);
			return LSCHED_DONE;
		}
	}
	/* at most one square of the last row is free */
	(void)lsched_add(&c->found[nq_i_open_unit(&item)], (uint64_t)1, rlx, dev);
	return LSCHED_DONE;
}

#endif
