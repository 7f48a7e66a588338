/* The counts of finished units. Workers record units while other threads read. */
#ifndef NQUEENS_PLAN_LEDGER_H
#define NQUEENS_PLAN_LEDGER_H

#include <nqueens/nqueens.h>

struct nq_ledger {
	uint64_t hash;
	size_t units;
	uint64_t *counts;
	uint8_t *done; /* release store after that of the count */
};

/* Records a unit. At most one worker per unit. */
static inline void nq_i_ledger_enter(nq_ledger *l, size_t unit, uint64_t count)
{
	__atomic_store_n(&l->counts[unit], count, __ATOMIC_RELAXED);
	__atomic_store_n(&l->done[unit], 1, __ATOMIC_RELEASE);
}

#endif
