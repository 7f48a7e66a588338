/* The target CPU: see core/target.h. A worker is a thread, its only lane. */
#ifndef LIBSCHED_CPU_TARGET_H
#define LIBSCHED_CPU_TARGET_H

#include "libsched/cpu/atomics.h"
#include "libsched/cpu/relax.h"

#define LSCHED_WORKER_FN static inline
#define LSCHED_LANES     1
#define LSCHED_I_GPU     0
typedef uint32_t lsched_lane_mask;

#define LSCHED_I_TARGET_PROGRAM(name) name##_cpu_program
#define LSCHED_I_TARGET_ENTRIES       "libsched/cpu/program.h"
#define LSCHED_I_IN_WORKER            1

/* Loads the cache line of a word in a state that allows writing: for a read before a write. */
#define lsched_i_prefetch_for_write(p) __builtin_prefetch((p), 1)

#define lsched_i_shfl(v, lane)          (v)
#define lsched_i_shfl_up(v, distance)   (v)
#define lsched_i_shfl_down(v, distance) (v)
#define lsched_i_shfl_xor(v, mask)      (v)

static inline uint32_t lsched_i_local_add(uint32_t *p, uint32_t v)
{
	const uint32_t old = *p;

	*p = old + v;
	return old;
}

static inline int lsched_i_arrive(uint32_t *word, uint32_t need)
{
	if (lsched_add(word, 1u, ar, dev) != need - 1)
		return 0;
	lsched_st(word, 0u, rlx, dev);
	return 1;
}

static inline uint32_t lsched_lane(void)
{
	return 0;
}

static inline void lsched_sync_worker(void)
{
}

static inline uint32_t lsched_bcast(uint32_t v)
{
	return v;
}

static inline lsched_lane_mask lsched_ballot(int predicate)
{
	return predicate ? 1u : 0u;
}

static inline uint32_t lsched_i_sum(uint32_t v)
{
	return v;
}

static inline void lsched_i_group_sync(uint32_t barrier, uint32_t threads)
{
	(void)barrier, (void)threads;
}

static inline uint64_t lsched_now_ns(void)
{
	return lsched_i_cpu_now_ns();
}

static inline uint64_t lsched_i_ticks(void)
{
	return lsched_i_cpu_now_ns();
}

static inline uint32_t lsched_i_processor(uint32_t worker)
{
	return worker;
}

static inline void lsched_i_relax(uint32_t spins, uint32_t workers)
{
	(void)workers;
	lsched_i_cpu_relax(spins);
}

static inline void lsched_i_relax_critical(uint32_t spins)
{
	lsched_i_cpu_relax(spins);
}

#endif
