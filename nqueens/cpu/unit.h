/* Counting single units in the calling thread. */
#ifndef NQUEENS_CPU_UNIT_H
#define NQUEENS_CPU_UNIT_H

#include <nqueens/nqueens.h>
#include "nqueens/cpu/walk.h"

struct nq_i_joiner;
struct nq_i_siever;

typedef struct nq_i_unit_counter {
	const nq_plan *plan;
	nq_i_walk *walk;
	nq_i_walk_fn *fn;
	struct nq_i_joiner *joiner; /* JOIN of n up to NQ_I_JOIN_FILL_MAX_N */
	struct nq_i_siever *siever; /* JOIN of larger n */
} nq_i_unit_counter;

/* Fills the plan's quarter lists (JOIN) and allocates the thread's memory. On failure sets
 * nq_last_error(); close is required in either case. */
nq_status nq_i_unit_counter_open(nq_i_unit_counter *c, const nq_plan *plan, nq_simd simd);
void nq_i_unit_counter_close(nq_i_unit_counter *c);

/* Writes the unweighted count of a unit. NOMEM: memory is short. */
nq_status nq_i_unit_count(nq_i_unit_counter *c, size_t unit, uint64_t *count);

#endif
