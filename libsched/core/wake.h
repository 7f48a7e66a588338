/* Wakes sleeping CPU workers; see core/idle.h. */
#ifndef LIBSCHED_CORE_WAKE_H
#define LIBSCHED_CORE_WAKE_H

#include "libsched/core/shared.h"

#if LSCHED_I_GPU
#define lsched_i_wake_one(a) ((void)0)
#define lsched_i_wake_all(a) ((void)0)
#else
static inline void lsched_i_wake(const lsched_i_args *a, uint32_t all)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (LSCHED_I_UNLIKELY(lsched_ld(&a->state->idle.sleepers.v, rlx, dev)))
		lsched_i_cpu_wake(&a->state->idle.wakes.v, &a->state->idle.searching.v, all);
}
#define lsched_i_wake_one(a) lsched_i_wake((a), 0)
#define lsched_i_wake_all(a) lsched_i_wake((a), 1)
#endif

#endif
