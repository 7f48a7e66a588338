/* The two inner loops that make the halves of the board, behind the hot loop the costliest. */
#ifndef NQUEENS_JOIN_SIDES_H
#define NQUEENS_JOIN_SIDES_H

#include <libsched/fn.h>
#include "nqueens/join/join.h"

/* Vectors may be written behind the end of what is made. */
enum { NQ__SIDES_SLACK = 16 };

/* An eastern pattern: four fields of diagonals, and the queens on the two main diagonals. */
enum {
	NQ__D1_LOW = 0,
	NQ__D1_HIGH = 10,
	NQ__D2_LOW = 20,
	NQ__D2_HIGH = 30,
	NQ__D1_MAIN = 40,
	NQ__D2_MAIN = 41,
	NQ__PATTERN_BITS = 42
};

SCHED_FN uint64_t nq__field(uint32_t placement, uint32_t field)
{
	return placement >> field & NQ__FIELD_MASK;
}

SCHED_FN uint64_t nq__as_ne(uint32_t p)
{
	return nq__field(p, NQ__LOW) << NQ__D1_LOW | nq__field(p, NQ__HIGH) << NQ__D1_HIGH |
	       nq__field(p, NQ__FAR) << NQ__D2_HIGH | (uint64_t)(p >> NQ__TOUCH) << NQ__D1_MAIN;
}

SCHED_FN uint64_t nq__as_se(uint32_t p)
{
	return nq__field(p, NQ__LOW) << NQ__D2_LOW | nq__field(p, NQ__HIGH) << NQ__D2_HIGH |
	       nq__field(p, NQ__FAR) << NQ__D1_HIGH | (uint64_t)(p >> NQ__TOUCH) << NQ__D2_MAIN;
}

/* Two placements one above the other share a diagonal where HIGH of one meets FAR of the other:
 * nq__upper of the one and nq__lower of the other have a bit in common. */
SCHED_FN uint32_t nq__upper(uint32_t p)
{
	return p & ((uint32_t)NQ__FIELD_MASK << NQ__HIGH | (uint32_t)NQ__FIELD_MASK << NQ__FAR);
}

SCHED_FN uint32_t nq__lower(uint32_t p)
{
	return (p >> NQ__HIGH & NQ__FIELD_MASK) << NQ__FAR | (p >> NQ__FAR & NQ__FIELD_MASK)
								     << NQ__HIGH;
}

/* The patterns of a list of NE placements (as patterns) and one of SE placements, those left out that have
 * a forbidden bit. Returns where they end. */
typedef uint64_t *nq__patterns_fn(uint64_t *to, const uint64_t *ne, uint32_t ne_count,
	const uint32_t *se, uint32_t se_count, uint32_t forbidden);

/* A NW and a SW placement, each as 8 times its place in its batch: with the processor's scaling of
 * addresses that is the place of its row of bits. 16 bits do: the longest list of n = 22 has 3,571. */
typedef struct nq__pair {
	uint16_t nw, sw;
} nq__pair;
enum { NQ__PAIR_STEP = 8 };

/* Lists of NW and SW placements whose legal pairs are wanted. */
typedef struct nq__corner {
	const uint32_t *nw;    /* placements */
	const uint32_t *lower; /* nq__lower of the SW ones */
	uint32_t nw_count, sw_quiet, sw_count;
	uint32_t nw_place, sw_place; /* of the first ones, in their batch */
	uint32_t first_class;        /* 1: not those that occupy no main diagonal */
} nq__corner;

/* to[k]: where pairs that occupy k main diagonals go; moved on. */
typedef void nq__pairs_fn(nq__pair **to, const nq__corner *c);

nq__patterns_fn nq__patterns_scalar, nq__patterns_avx512;
nq__pairs_fn nq__pairs_scalar, nq__pairs_avx512;

#endif
