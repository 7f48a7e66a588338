/* The table of positions that all workers share: words of 64 bits, each read and written by one
 * relaxed access. A word has the bounds of one position, and the bits of it that its place does not
 * give, so that no two positions are taken for each other. Compiled for CPU and GPU. */
#ifndef WORKLOADS_FOURROW_TABLE_H
#define WORKLOADS_FOURROW_TABLE_H

#include "workloads/fourrow/fourrow.h"

/* Scores are -28 .. 28: at most 56 cells, half of them of one player. Low bits of a word: the
 * smallest and the largest possible score, plus FR_BIAS, 7 bits each. A word in use is not 0. */
enum { FR_BIAS = 32, FR_BOUND_BITS = 7, FR_BOUNDS_BITS = 14, FR_TABLE_MIN_BITS = 14 };

typedef struct fr_place {
	uint64_t *word;
	uint64_t tag; /* as the high bits of the word */
} fr_place;

/* The place of a position in the table: a bijection of its bits, cut into place and tag. */
LSCHED_FN fr_place fr_table_place(const fr_ctx *c, uint64_t position)
{
	const uint32_t bits = c->board.width * (c->board.height + 1);
	const uint64_t mask = ~UINT64_C(0) >> (64 - bits);
	fr_place at;
	uint64_t v = position;

	v = (v ^ v >> (bits + 1) / 2) * UINT64_C(0x9e3779b97f4a7c15) & mask;
	v = (v ^ v >> (bits + 1) / 2) * UINT64_C(0xd6e8feb86659fd93) & mask;
	at.word = c->table + (v >> (bits - c->table_bits));
	at.tag = (v & (mask >> c->table_bits)) << FR_BOUNDS_BITS;
	return at;
}

/* Returns the bounds of a position, or 0. */
LSCHED_TASK_FN uint32_t fr_table_bounds(fr_place at)
{
	const uint64_t word = lsched_ld(at.word, rlx, dev);
	const uint64_t bounds = word & ((1u << FR_BOUNDS_BITS) - 1u);

	return word - bounds == at.tag ? (uint32_t)bounds : 0;
}

LSCHED_FN int32_t fr_low(uint32_t bounds)
{
	return (int32_t)(bounds & ((1u << FR_BOUND_BITS) - 1u)) - FR_BIAS;
}

LSCHED_FN int32_t fr_high(uint32_t bounds)
{
	return (int32_t)(bounds >> FR_BOUND_BITS) - FR_BIAS;
}

LSCHED_FN uint32_t fr_bounds(int32_t low, int32_t high)
{
	return (uint32_t)(low + FR_BIAS) | (uint32_t)(high + FR_BIAS) << FR_BOUND_BITS;
}

/* Stores that the score of a position is at least `score` (reached), or below it. */
LSCHED_TASK_FN void fr_table_store(fr_place at, int32_t score, int reached)
{
	uint32_t bounds = fr_table_bounds(at);
	int32_t low = bounds ? fr_low(bounds) : -FR_BIAS;
	int32_t high = bounds ? fr_high(bounds) : FR_BIAS;

	if (reached)
		low = score > low ? score : low;
	else
		high = score - 1 < high ? score - 1 : high;
	lsched_st(at.word, at.tag | fr_bounds(low, high), rlx, dev);
}

#endif
