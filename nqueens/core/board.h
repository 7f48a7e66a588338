/* The rules of the board, for C and CUDA: free columns of a row, attacks of a queen, order of the
 * rows. They are the specification of all counting methods. */
#ifndef NQUEENS_CORE_BOARD_H
#define NQUEENS_CORE_BOARD_H

#include "nqueens/core/language.h"
#include <nqueens/nqueens.h>

/* Returns bits 0 .. n-1; n: 1 .. 32. */
LSCHED_FN uint32_t nq_i_full(uint32_t n)
{
	return 0xffffffffu >> (32 - n);
}

/* Rotates the n low bits of x right by k < n. */
LSCHED_FN uint64_t nq_i_rotate(uint64_t x, uint32_t k, uint32_t n)
{
	return x >> k | x << (n - k);
}

/* Returns the columns of a row that are neither occupied nor attacked. */
LSCHED_FN uint32_t nq_i_free(const nq_task *t, uint32_t n, uint32_t row)
{
	return ~(t->cols | (uint32_t)(t->d1 >> row) | (uint32_t)(t->d2 >> (n - 1 - row))) &
	       nq_i_full(n);
}

LSCHED_FN uint32_t nq_i_free_toroidal(const nq_task *t, uint32_t n, uint32_t row)
{
	return ~(t->cols | (uint32_t)nq_i_rotate(t->d1, row, n) |
		       (uint32_t)nq_i_rotate(t->d2, n - 1 - row, n)) &
	       nq_i_full(n);
}

/* Places a queen; bit: its column. */
LSCHED_FN void nq_i_place(nq_task *t, uint32_t n, uint32_t row, uint32_t bit)
{
	t->cols |= bit;
	t->rows &= ~(1u << row);
	t->d1 |= (uint64_t)bit << row;
	t->d2 |= (uint64_t)bit << (n - 1 - row);
}

LSCHED_FN void nq_i_place_toroidal(nq_task *t, uint32_t n, uint32_t row, uint32_t bit)
{
	t->cols |= bit;
	t->rows &= ~(1u << row);
	t->d1 |= nq_i_rotate(bit, (n - row) % n, n) & nq_i_full(n);
	t->d2 |= nq_i_rotate(bit, (row + 1) % n, n) & nq_i_full(n);
}

/* Returns the empty row nearest to the middle, of two the upper; rows is not 0. Queens on the
 * middle columns attack most squares of these rows, so the branching factor is low at the top of
 * the tree. */
LSCHED_FN uint32_t nq_i_next_row(uint32_t rows, uint32_t n)
{
	const uint32_t upper = rows & nq_i_full((n + 1) / 2), lower = rows & ~upper;
	uint32_t up, down;

	if (!upper)
		return lsched_i_lowest_bit(lower);
	up = 31 - lsched_i_leading_zeros(upper);
	if (!lower)
		return up;
	down = lsched_i_lowest_bit(lower);
	return up + down >= n - 1 ? up : down;
}

/* Writes the rows in the order in which they are filled to order[32]; returns their number. */
LSCHED_FN uint32_t nq_i_row_order(uint32_t rows, uint32_t n, uint8_t *order)
{
	uint32_t count = 0;

	while (rows) {
		const uint32_t row = nq_i_next_row(rows, n);

		order[count++] = (uint8_t)row;
		rows &= ~(1u << row);
	}
	return count;
}

#endif
