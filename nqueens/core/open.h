/* Open nodes: nodes of the search with columns of their next row left to try. Expanding one places
 * a single queen and yields the child and the rest of the node, two items at most, so that all
 * lanes do the same amount of work. For both languages. */
#ifndef NQUEENS_CORE_OPEN_H
#define NQUEENS_CORE_OPEN_H

#include "libsched/core/shared.h"
#include "nqueens/core/board.h"

/* free_cols: columns of the next row that are left to try. */
typedef struct nq_i_open {
	uint64_t d1, d2;
	uint32_t cols, rows;
	uint32_t free_cols;
	uint32_t unit_row; /* unit and next row; row NQ_I_FRESH: not chosen yet */
} nq_i_open;

enum { NQ_I_FRESH = 63, NQ_I_UNIT_SHIFT = 6 };

LSCHED_FN uint32_t nq_i_open_row(const nq_i_open *b)
{
	return b->unit_row & (uint32_t)NQ_I_FRESH;
}

LSCHED_FN uint32_t nq_i_open_unit(const nq_i_open *b)
{
	return b->unit_row >> NQ_I_UNIT_SHIFT;
}

LSCHED_FN void nq_i_open_set_row(nq_i_open *b, uint32_t row)
{
	b->unit_row = (b->unit_row & ~(uint32_t)NQ_I_FRESH) | row;
}

LSCHED_WORKER_FN uint32_t nq_i_open_free(const nq_i_open *b, uint32_t n, uint32_t row)
{
	return ~(b->cols | (uint32_t)(b->d1 >> row) | (uint32_t)(b->d2 >> (n - 1 - row))) &
	       nq_i_full(n);
}

/* Returns the child with a queen on the lowest column left to try. */
LSCHED_WORKER_FN nq_i_open nq_i_open_child(const nq_i_open *b, uint32_t n)
{
	const uint32_t row = nq_i_open_row(b), bit = b->free_cols & (0u - b->free_cols);
	nq_i_open c = *b;

	c.cols |= bit;
	c.rows &= ~(1u << row);
	c.d1 |= (uint64_t)bit << row;
	c.d2 |= (uint64_t)bit << (n - 1 - row);
	return c;
}

/* Makes an open node of a task; its first row is not chosen yet. */
LSCHED_FN void nq_i_open_task(const nq_task *t, nq_i_open *b)
{
	b->d1 = t->d1;
	b->d2 = t->d2;
	b->cols = t->cols;
	b->rows = t->rows;
	b->free_cols = 0;
	b->unit_row = t->unit << NQ_I_UNIT_SHIFT | NQ_I_FRESH;
}

#endif
