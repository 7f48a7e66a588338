/* Method TASKS: each board is an item, after Tzeng, Lloyd, Owens 2012, section 6.3. The body of the program, for
 * both languages. An item is a board and the columns of its next row that are left to try (open.h); rows are
 * filled from the middle outwards. Boards that go on for two rows or more, those of nq_result.nodes, are
 * counted: CUDA in sched_stats.value, CPU where others can look. */
#ifndef NQUEENS_CORE_BOARDS_H
#define NQUEENS_CORE_BOARDS_H

#include <libsched/items.h>
#include "nqueens/core/open.h"

/* A run that is to end is noticed by boards with so many rows: of the others there are too many. */
enum { NQ__BOARDS_LOOK_ROWS = 8 };

/* SCHED_CTX. */
typedef struct nq__boards {
	const nq_task *tasks;
	const uint32_t *roots; /* which of the tasks; NULL: all */
	uint64_t *found;       /* [unit of a task] */
	uint32_t *stop;  /* nonzero there: make no more items, the counts are worthless then */
	uint64_t *nodes; /* CPU: of worker k at nodes[k * apart] */
	uint32_t apart, n;
} nq__boards;

SCHED_FN uint32_t nq__boards_root(const nq__boards *c, uint32_t i, nq__open *item)
{
	nq__open_task(&c->tasks[c->roots ? c->roots[i] : i], item);
	return 0;
}

SCHED_TASK_FN void nq__boards_node(sched_items *x, const nq__boards *c)
{
#ifdef __CUDACC__
	(void)c;
	sched_return(x, SCHED_JOIN_ROOT, 1);
#else
	uint64_t *own = &c->nodes[(size_t)sched_worker_index(sched_items_worker(x)) * c->apart];

	sched_st(own, *own + 1, rlx, dev);
#endif
}

SCHED_TASK_FN sched_result nq__boards_body(
	sched_items *x, const nq__boards *c, sched_no_local *l, uint32_t proc, nq__open item)
{
	uint32_t left = nq__popcount(item.rows), row;

	(void)l;
	(void)proc;
	if (left >= NQ__BOARDS_LOOK_ROWS && sched_ld(c->stop, rlx, dev))
		return SCHED_DONE;
	if (nq__open_row(&item) != NQ__FRESH) {
		nq__open child = nq__open_child(&item, c->n);

		item.free_cols &= item.free_cols - 1;
		if (item.free_cols)
			sched_emit(x, 0, &item);
		item = child;
		left--;
	}
	if (left) {
		row = nq__next_row(item.rows, c->n);
		item.free_cols = nq__open_free(&item, c->n, row);
		nq__open_set_row(&item, row);
		if (!item.free_cols)
			return SCHED_DONE;
		if (left > 1) {
			nq__boards_node(x, c);
			sched_emit(x, 0, &item);
			return SCHED_DONE;
		}
	}
	/* of the last row there is one square at most, and nothing else to do */
	(void)sched_add(&c->found[nq__open_unit(&item)], (uint64_t)1, rlx, dev);
	return SCHED_DONE;
}

#endif
