/* The two inner loops that list the halves: after the hot loop they take most of the time. */
#ifndef NQUEENS_JOIN_SIDES_H
#define NQUEENS_JOIN_SIDES_H

#include <libsched/fn.h>
#include "nqueens/join/join.h"

/* Entries after the end of an output that vector stores may overwrite. */
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
	       (uint64_t)(p >> NQ_I_ON_MAIN) << NQ_I_D1_MAIN;
}

LSCHED_FN uint64_t nq_i_as_se(uint32_t p)
{
	return nq_i_field(p, NQ_I_LOW) << NQ_I_D2_LOW | nq_i_field(p, NQ_I_HIGH) << NQ_I_D2_HIGH |
	       nq_i_field(p, NQ_I_FAR) << NQ_I_D1_HIGH |
	       (uint64_t)(p >> NQ_I_ON_MAIN) << NQ_I_D2_MAIN;
}

/* A northern and a southern placement of a half share a diagonal if a bit is set both in nq_i_upper
 * of the first and in nq_i_lower of the second: HIGH of one corresponds to FAR of the other. */
LSCHED_FN uint32_t nq_i_upper(uint32_t p)
{
	return p & ((uint32_t)NQ_I_FIELD_MASK << NQ_I_HIGH | (uint32_t)NQ_I_FIELD_MASK << NQ_I_FAR);
}

LSCHED_FN uint32_t nq_i_lower(uint32_t p)
{
	return (p >> NQ_I_HIGH & NQ_I_FIELD_MASK) << NQ_I_FAR | (p >> NQ_I_FAR & NQ_I_FIELD_MASK)
									<< NQ_I_HIGH;
}

/* Writes the patterns of all compatible pairs of a NE (as pattern) and a SE placement without
 * forbidden bits. Returns the end of the output. */
typedef uint64_t *nq_i_patterns_fn(uint64_t *to, const uint64_t *ne, uint32_t ne_count,
	const uint32_t *se, uint32_t se_count, uint32_t forbidden);

/* A NW and a SW placement, each as NQ_I_PAIR_STEP times its index in the batch: the scaled
 * addressing of the processor makes this the address of its row of bits. 16 bits suffice: the
 * longest list (n = 22) has 3,571 placements. */
typedef struct nq_i_pair {
	uint16_t nw, sw;
} nq_i_pair;
enum { NQ_I_PAIR_STEP = 8 };

/* Lists of NW and SW placements of one split. */
typedef struct nq_i_corner {
	const uint32_t *nw;    /* placements */
	const uint32_t *lower; /* nq_i_lower of the SW ones */
	uint32_t nw_count, sw_off_main, sw_count;
	uint32_t nw_place, sw_place; /* index of the first ones in the batch */
	uint32_t first_class;        /* 1: omit pairs without a main diagonal */
	uint32_t by_main;            /* 0: all pairs have one class, and sw_off_main is sw_count */
} nq_i_corner;

/* Writes the compatible pairs; to[k]: output of those on k main diagonals, advanced to its end. */
typedef void nq_i_pairs_fn(nq_i_pair **to, const nq_i_corner *c);

nq_i_patterns_fn nq_i_patterns_scalar, nq_i_patterns_avx512;
nq_i_pairs_fn nq_i_pairs_scalar, nq_i_pairs_avx512;

#endif
