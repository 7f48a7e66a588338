/* The rules of the board, once for C and CUDA: which columns of a row are free, what a queen attacks,
 * which row comes next. The specification of all other ways to count. */
#ifndef NQUEENS_CORE_BOARD_H
#define NQUEENS_CORE_BOARD_H

#include <libsched/fn.h>
#include <nqueens/nqueens.h>

/* Bits 0 .. n-1; n: 1 .. 32. */
LSCHED_FN uint32_t nq_i_full(uint32_t n)
{
	return 0xffffffffu >> (32 - n);
}

/* The n low bits of `x`, turned right by k < n. */
LSCHED_FN uint64_t nq_i_turn(uint64_t x, uint32_t k, uint32_t n)
{
	return x >> k | x << (n - k);
}

/* Columns of a row that are neither taken nor attacked. */
LSCHED_FN uint32_t nq_i_free(const nq_task *t, uint32_t n, uint32_t row)
{
	return ~(t->cols | (uint32_t)(t->d1 >> row) | (uint32_t)(t->d2 >> (n - 1 - row))) &
	       nq_i_full(n);
}

LSCHED_FN uint32_t nq_i_free_toroidal(const nq_task *t, uint32_t n, uint32_t row)
{
	return ~(t->cols | (uint32_t)nq_i_turn(t->d1, row, n) |
		       (uint32_t)nq_i_turn(t->d2, n - 1 - row, n)) &
	       nq_i_full(n);
}

/* Puts a queen on the column that `bit` stands for. */
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
	t->d1 |= nq_i_turn(bit, (n - row) % n, n) & nq_i_full(n);
	t->d2 |= nq_i_turn(bit, (row + 1) % n, n) & nq_i_full(n);
}

LSCHED_FN uint32_t nq_i_low_index(uint32_t x)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__ffs((int)x) - 1;
#else
	return (uint32_t)__builtin_ctz(x);
#endif
}

LSCHED_FN uint32_t nq_i_high_index(uint32_t x)
{
#ifdef __CUDA_ARCH__
	return 31 - (uint32_t)__clz((int)x);
#else
	return 31 - (uint32_t)__builtin_clz(x);
#endif
}

/* The empty row nearest to the middle, the upper of two; rows must not be 0. Filling rows in this order
 * uses what the queens on the middle columns forbid soonest. */
LSCHED_FN uint32_t nq_i_next_row(uint32_t rows, uint32_t n)
{
	const uint32_t upper = rows & nq_i_full((n + 1) / 2), lower = rows & ~upper;
	uint32_t up, down;

	if (!upper)
		return nq_i_low_index(lower);
	up = nq_i_high_index(upper);
	if (!lower)
		return up;
	down = nq_i_low_index(lower);
	return up + down >= n - 1 ? up : down;
}

/* The rows in the order they are filled; returns how many. order: 32 entries. */
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
