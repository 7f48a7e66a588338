/* Subtrees in the form that the lanes of a GPU walk, for both languages, so that tests need no
 * device.
 *
 * The rows of a subtree are ordered once, at its root: those with the fewest free squares first.
 * That takes fewer steps than filling rows from the middle outwards (n = 18, subtrees of 9 rows:
 * 3.8 instead of 6.6 G). So each lane has an order of its own, and a step shifts by register
 * values, which is as fast as by constants.
 *
 * A node is cols, d1 and d2 as in nq_task, but with rows from 1: a queen in row r, column c
 * occupies bit r+c of d1 and bit 32-r+c of d2. Then both need the same shift count: the columns
 * attacked in row r are the low word of d1 >> r and the high word of d2 << r. All bits of cols
 * above n are set, so the shifts may leave anything there.
 *
 *	narrow (n <= 21): d1 has 2n bits, the lowest of d2 is 32-n, so the high word of d1 and the
 *	low word of d2 fit into one: {d1 low, both, d2 high, cols}. The bits of the other one are
 *	above bit n of the window.
 *	wide (n <= 27): {d1 low, d1 high, d2 low, d2 high} and cols.
 *
 * d2 has at most 26 bits in its high word; the six above hold the bit position of the current row
 * in the order, which has 5 bits per row; the last row is always at bit 55. */
#ifndef NQUEENS_CUDA_SUBTREE_H
#define NQUEENS_CUDA_SUBTREE_H

#include "nqueens/core/open.h"

enum {
	NQ_I_NARROW_MAX_N = 21,
	NQ_I_WIDE_MAX_N = 27,
	NQ_I_LEAF_ROWS_MAX = 10, /* rows of a subtree, 2 at least */
	NQ_I_ORDER_ROWS = 12,    /* rows that an order has room for */
	NQ_I_KEYS = 12,          /* rows of a node that are sorted in registers */
	NQ_I_ROW_BITS = 5,
	NQ_I_LAST_BUT_ONE =
		NQ_I_ROW_BITS * (NQ_I_ORDER_ROWS - 2), /* position of the last row but one */
	NQ_I_PLACE_SHIFT = 26
};

/* order: low, high. narrow: {d1, both, d2, cols}, cols unused; wide: {d1, d1, d2, d2}, cols. */
typedef struct nq_i_subtree {
	uint32_t node[4];
	uint32_t order[2];
	uint32_t unit, cols;
} nq_i_subtree;

/* ---- choosing rows ---- */

/* Sort key of a row: free squares, then distance from the middle, then the row itself, from 1. */
LSCHED_WORKER_FN uint32_t nq_i_row_key(const nq_i_open *b, uint32_t n, uint32_t row)
{
	const int32_t off = (int32_t)(2 * row) - (int32_t)(n - 1);

	return lsched_popcount(nq_i_open_free(b, n, row)) << 10 |
	       (uint32_t)(off < 0 ? -off : off) << NQ_I_ROW_BITS | (row + 1);
}

/* Writes the keys of the empty rows to key[NQ_I_KEYS], then ~0. Returns the least key, also of rows
 * for which key[] has no room. */
LSCHED_WORKER_FN uint32_t nq_i_row_keys(const nq_i_open *b, uint32_t n, uint32_t *key)
{
	uint32_t rows = b->rows, least = ~0u;

	LSCHED_UNROLL
	for (int k = 0; k < NQ_I_KEYS; k++) {
		key[k] = ~0u;
		if (rows) {
			key[k] = nq_i_row_key(b, n, lsched_i_lowest_bit(rows));
			least = key[k] < least ? key[k] : least;
		}
		rows &= rows - 1;
	}
	for (; rows; rows &= rows - 1) {
		const uint32_t one = nq_i_row_key(b, n, lsched_i_lowest_bit(rows));

		least = one < least ? one : least;
	}
	return least;
}

LSCHED_WORKER_FN int nq_i_key_is_dead(uint32_t key)
{
	return key >> 10 == 0;
}

/* Sets the next row of *b to that of the key. */
LSCHED_WORKER_FN void nq_i_choose_row(nq_i_open *b, uint32_t n, uint32_t key)
{
	const uint32_t row = (key & 31u) - 1;

	b->free_cols = nq_i_open_free(b, n, row);
	nq_i_open_set_row(b, row);
}

LSCHED_WORKER_FN void nq_i_key_pair(uint32_t *key, int i, int j)
{
	const uint32_t a = key[i], b = key[j];

	key[i] = a < b ? a : b;
	key[j] = a < b ? b : a;
}

/* Sorts the first NQ_I_LEAF_ROWS_MAX keys by odd-even transposition: all indices are constants, so
 * the keys stay in registers. */
LSCHED_WORKER_FN void nq_i_sort_keys(uint32_t *key)
{
	LSCHED_UNROLL
	for (int phase = 0; phase < NQ_I_LEAF_ROWS_MAX; phase++) {
		LSCHED_UNROLL
		for (int i = phase % 2; i + 1 < NQ_I_LEAF_ROWS_MAX; i += 2)
			nq_i_key_pair(key, i, i + 1);
	}
}

/* Makes a subtree of a node with 2 to NQ_I_LEAF_ROWS_MAX empty rows and their sorted keys. */
LSCHED_WORKER_FN nq_i_subtree nq_i_subtree_of(const nq_i_open *b, uint32_t n, const uint32_t *key)
{
	const uint32_t first = NQ_I_ROW_BITS * (NQ_I_ORDER_ROWS - lsched_popcount(b->rows));
	const uint32_t cols = b->cols | ~nq_i_full(n);
	const uint64_t d1 = b->d1 << 1, d2 = b->d2 << (32 - n);
	const uint32_t d2_high = (uint32_t)(d2 >> 32) | first << NQ_I_PLACE_SHIFT;
	uint64_t order = 0;
	nq_i_subtree s;

	LSCHED_UNROLL
	for (int k = 0; k < NQ_I_LEAF_ROWS_MAX; k++)
		if (key[k] != ~0u)
			order |= (uint64_t)(key[k] & 31u) << (first + NQ_I_ROW_BITS * (uint32_t)k);
	s.node[0] = (uint32_t)d1;
	if (n <= NQ_I_NARROW_MAX_N) {
		s.node[1] = (uint32_t)(d1 >> 32) | (uint32_t)d2;
		s.node[2] = d2_high;
		s.node[3] = cols;
	} else {
		s.node[1] = (uint32_t)(d1 >> 32);
		s.node[2] = (uint32_t)d2;
		s.node[3] = d2_high;
	}
	s.order[0] = (uint32_t)order;
	s.order[1] = (uint32_t)(order >> 32);
	s.unit = nq_i_open_unit(b);
	s.cols = cols;
	return s;
}

/* ---- one step ---- */

/* Places a queen in column `bit` of the node's current row; *node becomes the child. Returns the
 * blocked columns of the child's row, all ones if none is free. */
LSCHED_WORKER_FN uint32_t nq_i_step_narrow(uint32_t *node, uint32_t bit, uint64_t order)
{
	const uint32_t row = (uint32_t)(order >> (node[2] >> NQ_I_PLACE_SHIFT));
	const uint32_t next = row >> NQ_I_ROW_BITS;
	const uint64_t d1 =
		((uint64_t)node[1] << 32 | node[0]) + (uint64_t)bit * nq_i_funnel_left(0, 1, row);

	node[0] = (uint32_t)d1;
	node[1] = (uint32_t)(d1 >> 32) + bit * nq_i_funnel_right(0, 1, row);
	node[2] += nq_i_funnel_right(bit, 0, row) + ((uint32_t)NQ_I_ROW_BITS << NQ_I_PLACE_SHIFT);
	node[3] |= bit;
	return node[3] | nq_i_funnel_right(node[0], node[1], next) |
	       nq_i_funnel_left(node[1], node[2], next);
}

LSCHED_WORKER_FN uint32_t nq_i_step_wide(
	uint32_t *node, uint32_t *cols, uint32_t bit, uint64_t order)
{
	const uint32_t row = (uint32_t)(order >> (node[3] >> NQ_I_PLACE_SHIFT));
	const uint32_t next = row >> NQ_I_ROW_BITS;
	const uint64_t d1 =
		((uint64_t)node[1] << 32 | node[0]) + (uint64_t)bit * nq_i_funnel_left(0, 1, row);
	const uint64_t d2 =
		((uint64_t)node[3] << 32 | node[2]) + (uint64_t)bit * nq_i_funnel_right(0, 1, row);

	node[0] = (uint32_t)d1;
	node[1] = (uint32_t)(d1 >> 32);
	node[2] = (uint32_t)d2;
	node[3] = (uint32_t)(d2 >> 32) + ((uint32_t)NQ_I_ROW_BITS << NQ_I_PLACE_SHIFT);
	*cols |= bit;
	return *cols | nq_i_funnel_right(node[0], node[1], next) |
	       nq_i_funnel_left(node[2], node[3], next);
}

/* Returns the blocked columns of the first row. */
LSCHED_WORKER_FN uint32_t nq_i_subtree_blocked(const nq_i_subtree *s, uint32_t wide)
{
	const uint64_t order = (uint64_t)s->order[1] << 32 | s->order[0];
	const uint32_t row = (uint32_t)(order >> (s->node[wide ? 3 : 2] >> NQ_I_PLACE_SHIFT));

	return s->cols | nq_i_funnel_right(s->node[0], s->node[1], row) |
	       (wide ? nq_i_funnel_left(s->node[2], s->node[3], row)
		     : nq_i_funnel_left(s->node[1], s->node[2], row));
}

#endif
