/* Boards as items: a lane puts one queen, and hands on the board that it makes and what is left to try of its
 * own, so that all lanes have the same work and an item makes two items at most. Both languages. */
#ifndef NQUEENS_CORE_OPEN_H
#define NQUEENS_CORE_OPEN_H

#include "libsched/core/shared.h"
#include "nqueens/core/board.h"

/* A board of which not all is tried: the row to fill next, and its columns that are left to try. */
typedef struct nq__open {
	uint64_t d1, d2;
	uint32_t cols, rows;
	uint32_t free_cols;
	uint32_t unit_row; /* unit and row; row NQ__FRESH: not chosen yet */
} nq__open;

enum { NQ__FRESH = 63, NQ__UNIT_SHIFT = 6 };

SCHED_FN uint32_t nq__open_row(const nq__open *b)
{
	return b->unit_row & (uint32_t)NQ__FRESH;
}

SCHED_FN uint32_t nq__open_unit(const nq__open *b)
{
	return b->unit_row >> NQ__UNIT_SHIFT;
}

SCHED_FN void nq__open_set_row(nq__open *b, uint32_t row)
{
	b->unit_row = (b->unit_row & ~(uint32_t)NQ__FRESH) | row;
}

SCHED_WORKER_FN uint32_t nq__popcount(uint32_t x)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__popc((int)x);
#else
	return (uint32_t)__builtin_popcount(x);
#endif
}

SCHED_WORKER_FN uint32_t nq__open_free(const nq__open *b, uint32_t n, uint32_t row)
{
	return ~(b->cols | (uint32_t)(b->d1 >> row) | (uint32_t)(b->d2 >> (n - 1 - row))) &
	       nq__full(n);
}

/* The board with a queen on the lowest free column of its row. */
SCHED_WORKER_FN nq__open nq__open_child(const nq__open *b, uint32_t n)
{
	const uint32_t row = nq__open_row(b), bit = b->free_cols & (0u - b->free_cols);
	nq__open c = *b;

	c.cols |= bit;
	c.rows &= ~(1u << row);
	c.d1 |= (uint64_t)bit << row;
	c.d2 |= (uint64_t)bit << (n - 1 - row);
	return c;
}

/* A task as it is before its first row is chosen. */
SCHED_FN void nq__open_task(const nq_task *t, nq__open *b)
{
	b->d1 = t->d1;
	b->d2 = t->d2;
	b->cols = t->cols;
	b->rows = t->rows;
	b->free_cols = 0;
	b->unit_row = t->unit << NQ__UNIT_SHIFT | NQ__FRESH;
}

#endif
