/* Counting the completions of subtrees on one CPU thread. */
#ifndef NQUEENS_CPU_WALK_H
#define NQUEENS_CPU_WALK_H

#include <nqueens/nqueens.h>

/* Boards at one depth that wait to go on, in structure-of-arrays form, so that several of them are one
 * vector, and several vectors a step. A board that is taken out makes at most 32, and none is taken out while a deeper level has a
 * vector's worth. */
enum { NQ_I_VECTOR_MAX = 32, NQ_I_LEVEL_ROOM = NQ_I_VECTOR_MAX * (NQ_MAX_N + 2) };

typedef struct nq_i_level {
	uint64_t d1[NQ_I_LEVEL_ROOM], d2[NQ_I_LEVEL_ROOM], cols[NQ_I_LEVEL_ROOM];
	uint32_t count;
} __attribute__((aligned(64))) nq_i_level;

/* A worker's memory. */
typedef struct nq_i_walk {
	nq_i_level levels[NQ_MAX_N];
	const int *stop; /* nonzero there: give up, the count is worthless then. Or NULL */
	uint64_t nodes;  /* added to, see nq_result */
} nq_i_walk;

/* All tasks have the same empty rows. Returns the completions of all of them, unweighted. */
typedef uint64_t nq_i_walk_fn(nq_i_walk *w, const nq_task *tasks, uint32_t count, uint32_t n);

nq_i_walk_fn nq_i_walk_scalar;   /* the specification */
nq_i_walk_fn nq_i_walk_toroidal; /* diagonals that go round */
nq_i_walk_fn nq_i_walk_avx2, nq_i_walk_avx512;

/* s: not AUTO; see nq_i_simd_resolve. */
nq_i_walk_fn *nq_i_walk_of(nq_simd s, uint32_t toroidal);

#endif
