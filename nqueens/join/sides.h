/* The two inner loops that make the halves of the board, behind the hot loop the costliest. */
#ifndef NQUEENS_JOIN_SIDES_H
#define NQUEENS_JOIN_SIDES_H

#include <libsched/fn.h>
#include "nqueens/join/join.h"

/* Vectors may be written behind the end of what is made. */
enum { NQ_I_SIDES_SLACK = 16 };

/* An eastern pattern: four fields of diagonals, and the queens on the two main diagonals. */
enum {
	NQ_I_D1_LOW = 0,
	NQ_I_D1_HIGH = 10,
	NQ_I_D2_LOW = 20,
	NQ_I_D2_HIGH = 30,
	NQ_I_D1_MAIN = 40,
	NQ_I_D2_MAIN = 41,
	NQ_I_PATTERN_BITS = 42
};

LSCHED_FN uint64_t nq_i_field(uint32_t placement, uint32_t field)
{
	return placement >> field & NQ_I_FIELD_MASK;
}

LSCHED_FN uint64_t nq_i_as_ne(uint32_t p)
{
	return nq_i_field(p, NQ_I_LOW) << NQ_I_D1_LOW | nq_i_field(p, NQ_I_HIGH) << NQ_I_D1_HIGH |
	       nq_i_field(p, NQ_I_FAR) << NQ_I_D2_HIGH |
	       (uint64_t)(p >> NQ_I_TOUCH) << NQ_I_D1_MAIN;
}

LSCHED_FN uint64_t nq_i_as_se(uint32_t p)
{
	return nq_i_field(p, NQ_I_LOW) << NQ_I_D2_LOW | nq_i_field(p, NQ_I_HIGH) << NQ_I_D2_HIGH |
	       nq_i_field(p, NQ_I_FAR) << NQ_I_D1_HIGH |
	       (uint64_t)(p >> NQ_I_TOUCH) << NQ_I_D2_MAIN;
}

/* Two placements one above the other share a diagonal where HIGH of one meets FAR of the other:
 * nq_i_upper of the one and nq_i_lower of the other have a bit in common. */
LSCHED_FN uint32_t nq_i_upper(uint32_t p)
{
	return p & ((uint32_t)NQ_I_FIELD_MASK << NQ_I_HIGH | (uint32_t)NQ_I_FIELD_MASK << NQ_I_FAR);
}

LSCHED_FN uint32_t nq_i_lower(uint32_t p)
{
	return (p >> NQ_I_HIGH & NQ_I_FIELD_MASK) << NQ_I_FAR | (p >> NQ_I_FAR & NQ_I_FIELD_MASK)
									<< NQ_I_HIGH;
}

/* The patterns of a list of NE placements (as patterns) and one of SE placements, those left out that have
 * a forbidden bit. Returns where they end. */
typedef uint64_t *nq_i_patterns_fn(uint64_t *to, const uint64_t *ne, uint32_t ne_count,
	const uint32_t *se, uint32_t se_count, uint32_t forbidden);

/* A NW and a SW placement, each as 8 times its place in its batch: with the processor's scaling of
 * addresses that is the place of its row of bits. 16 bits do: the longest list of n = 22 has 3,571. */
typedef struct nq_i_pair {
	uint16_t nw, sw;
} nq_i_pair;
enum { NQ_I_PAIR_STEP = 8 };

/* Lists of NW and SW placements whose legal pairs are wanted. */
typedef struct nq_i_corner {
	const uint32_t *nw;    /* placements */
	const uint32_t *lower; /* nq_i_lower of the SW ones */
	uint32_t nw_count, sw_quiet, sw_count;
	uint32_t nw_place, sw_place; /* of the first ones, in their batch */
	uint32_t first_class;        /* 1: not those that occupy no main diagonal */
} nq_i_corner;

/* to[k]: where pairs that occupy k main diagonals go; moved on. */
typedef void nq_i_pairs_fn(nq_i_pair **to, const nq_i_corner *c);

nq_i_patterns_fn nq_i_patterns_scalar, nq_i_patterns_avx512;
nq_i_pairs_fn nq_i_pairs_scalar, nq_i_pairs_avx512;

#endif
