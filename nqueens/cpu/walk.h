/* Backtracking on one CPU thread: counts the completions of subtrees. */
#ifndef NQUEENS_CPU_WALK_H
#define NQUEENS_CPU_WALK_H

#include <nqueens/nqueens.h>

/* The nodes of one depth that are not expanded yet, as a structure of arrays for vector loads. A
 * step expands at most NQ_I_VECTOR_MAX nodes into at most NQ_MAX_N each, and only while no deeper
 * level can fill a vector. */
enum { NQ_I_VECTOR_MAX = 32, NQ_I_LEVEL_ROOM = NQ_I_VECTOR_MAX * (NQ_MAX_N + 2) };

typedef struct nq_i_level {
	uint64_t d1[NQ_I_LEVEL_ROOM], d2[NQ_I_LEVEL_ROOM], cols[NQ_I_LEVEL_ROOM];
	uint32_t count;
} __attribute__((aligned(64))) nq_i_level;

/* The memory of a worker. */
typedef struct nq_i_walk {
	nq_i_level levels[NQ_MAX_N];
	const int *stop; /* polled; nonzero: return early with an invalid count. May be NULL */
	uint64_t nodes;  /* incremented as nq_result.nodes */
} nq_i_walk;

/* Returns the unweighted completions of all tasks, which have the same empty rows. */
typedef uint64_t nq_i_walk_fn(nq_i_walk *w, const nq_task *tasks, uint32_t count, uint32_t n);

nq_i_walk_fn nq_i_walk_scalar;   /* the specification */
nq_i_walk_fn nq_i_walk_toroidal; /* diagonals wrap around */
nq_i_walk_fn nq_i_walk_avx2, nq_i_walk_avx512;

/* s: not AUTO; see nq_i_simd_resolve. */
nq_i_walk_fn *nq_i_walk_of(nq_simd s, uint32_t toroidal);

#endif
