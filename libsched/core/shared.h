/* What the one scheduler source needs from its two languages: atomics with order and scope, the lanes
 * of a worker, a clock, and a way to wait. C11 that is also the C++ nvcc reads. */
#ifndef LIBSCHED_CORE_SHARED_H
#define LIBSCHED_CORE_SHARED_H

#include <stdint.h>
#include <libsched/fn.h>

/* Code only workers run: the device under nvcc, ordinary functions otherwise. */
#ifdef __CUDACC__
#define LSCHED_WORKER_FN static __device__ __forceinline__
#define LSCHED_LANES     32
#else
#define LSCHED_WORKER_FN static inline
#define LSCHED_LANES     1
#endif

#define LSCHED_NONE 0xffffffffu

/* Atomics: lsched_ld(p, order, scope), lsched_st(p, v, order, scope), lsched_add, lsched_or, lsched_and
 * (return the old value), lsched_cas(p, expected, desired, order, scope). order: rlx acq rel ar sc; scope: blk (the block),
 * dev (the device), sys (with the host). On the CPU the scope says nothing. Never mix these with plain
 * accesses to the same word while workers run.
 *
 * Where two workers each write one word and then read the other's (store, then load), or read two words
 * whose order counts against such a pair, only sequential consistency helps. Write the accesses with
 * the orders fnc, fna, fnb and lsched_i_fence_sc() between the two. On the CPU these are all seq_cst and
 * the fence is nothing, for ThreadSanitizer sees no fences. On the GPU a seq_cst access is a fence.sc
 * and a plain one, so a pair of them pays for two fences where one between does the work; there fnc is
 * relaxed, fna acquires, fnb acquires and releases, and the fence is one. Both sides need it: a fence.sc
 * orders against another fence.sc only (Le et al., PPoPP 2013, for work stealing).
 *
 * A release store whose address is on its way from memory can be written as lsched_i_fence_rel() and a
 * store of order fnr: the fence then waits together with the address, not after it. On the CPU the store
 * releases and the fence is nothing. */
#ifdef __CUDA_ARCH__
#define LSCHED_I_ORD_rlx       __NV_ATOMIC_RELAXED
#define LSCHED_I_ORD_acq       __NV_ATOMIC_ACQUIRE
#define LSCHED_I_ORD_rel       __NV_ATOMIC_RELEASE
#define LSCHED_I_ORD_ar        __NV_ATOMIC_ACQ_REL
#define LSCHED_I_ORD_sc        __NV_ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fnc       __NV_ATOMIC_RELAXED
#define LSCHED_I_ORD_fna       __NV_ATOMIC_ACQUIRE
#define LSCHED_I_ORD_fnb       __NV_ATOMIC_ACQ_REL
#define LSCHED_I_ORD_fnr       __NV_ATOMIC_RELAXED
#define LSCHED_I_SCP_blk       __NV_THREAD_SCOPE_BLOCK
#define LSCHED_I_SCP_dev       __NV_THREAD_SCOPE_DEVICE
#define LSCHED_I_SCP_sys       __NV_THREAD_SCOPE_SYSTEM
#define lsched_ld(p, o, s)     __nv_atomic_load_n((p), LSCHED_I_ORD_##o, LSCHED_I_SCP_##s)
#define lsched_st(p, v, o, s)  __nv_atomic_store_n((p), (v), LSCHED_I_ORD_##o, LSCHED_I_SCP_##s)
#define lsched_add(p, v, o, s) __nv_atomic_fetch_add((p), (v), LSCHED_I_ORD_##o, LSCHED_I_SCP_##s)
#define lsched_or(p, v, o, s)  __nv_atomic_fetch_or((p), (v), LSCHED_I_ORD_##o, LSCHED_I_SCP_##s)
#define lsched_and(p, v, o, s) __nv_atomic_fetch_and((p), (v), LSCHED_I_ORD_##o, LSCHED_I_SCP_##s)
#define lsched_cas(p, e, d, o, s)       \
	__nv_atomic_compare_exchange_n( \
		(p), (e), (d), 0, LSCHED_I_ORD_##o, __NV_ATOMIC_RELAXED, LSCHED_I_SCP_##s)
#define lsched_i_fence_sc()  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE)
#define lsched_i_fence_rel() __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE)
#else
#define LSCHED_I_ORD_rlx       __ATOMIC_RELAXED
#define LSCHED_I_ORD_acq       __ATOMIC_ACQUIRE
#define LSCHED_I_ORD_rel       __ATOMIC_RELEASE
#define LSCHED_I_ORD_ar        __ATOMIC_ACQ_REL
#define LSCHED_I_ORD_sc        __ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fnc       __ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fna       __ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fnb       __ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fnr       __ATOMIC_RELEASE
#define lsched_i_fence_sc()    ((void)0)
#define lsched_i_fence_rel()   ((void)0)
#define lsched_ld(p, o, s)     __atomic_load_n((p), LSCHED_I_ORD_##o)
#define lsched_st(p, v, o, s)  __atomic_store_n((p), (v), LSCHED_I_ORD_##o)
#define lsched_add(p, v, o, s) __atomic_fetch_add((p), (v), LSCHED_I_ORD_##o)
#define lsched_or(p, v, o, s)  __atomic_fetch_or((p), (v), LSCHED_I_ORD_##o)
#define lsched_and(p, v, o, s) __atomic_fetch_and((p), (v), LSCHED_I_ORD_##o)
#define lsched_cas(p, e, d, o, s) \
	__atomic_compare_exchange_n((p), (e), (d), 0, LSCHED_I_ORD_##o, __ATOMIC_RELAXED)
#endif

/* Relaxed accesses to words in a block's shared memory: nvcc's atomics go by addresses that may be
 * anywhere, which takes longer; volatile ones are relaxed too (PTX ISA, "volatile operations"). And
 * stores by one of the lanes that cost the others no branch, for 64-bit words near and far. */
#ifdef __CUDACC__
#define lsched_i_near_ld(p) (*(const volatile uint64_t *)(p))
#endif
#if defined(__CUDACC__) && !defined(LSCHED_I_STORE_IF)
#define LSCHED_I_STORE_IF(cond, p, v, how)                                          \
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p " how " [%1], %2; }" \
		     :                                                              \
		     : "r"((uint32_t)(cond)), "l"(p), "l"(v)                        \
		     : "memory")
#define lsched_i_near_st_if(cond, p, v) LSCHED_I_STORE_IF(cond, p, v, "st.relaxed.cta.b64")
#define lsched_i_far_st_if(cond, p, v)  LSCHED_I_STORE_IF(cond, p, v, "st.relaxed.gpu.b64")
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif
/* cpu/relax.c: CLOCK_MONOTONIC; one step of waiting that gets longer with `spins`. */
uint64_t lsched_i_cpu_now_ns(void);
void lsched_i_cpu_relax(uint32_t spins);
#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

/* Counts an arrival at a word, with acquire and release; nonzero for the last of `need`, at least 2, which
 * leaves the word at zero. On a GPU one operation does both: after a store of the zero the worker's next
 * release would have to wait for that too. */
#if defined(__CUDA_ARCH__) && !defined(LSCHED_I_COUNT_ROUND)
#define LSCHED_I_COUNT_ROUND(p, most, old)                    \
	asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;" \
		     : "=r"(old)                              \
		     : "l"(p), "r"(most)                      \
		     : "memory")
#endif
LSCHED_WORKER_FN int lsched_i_arrive(uint32_t *word, uint32_t need)
{
#ifdef __CUDA_ARCH__
	uint32_t before;

	LSCHED_I_COUNT_ROUND(word, need - 1, before);
	return before == need - 1;
#else
	if (lsched_add(word, 1u, ar, dev) != need - 1)
		return 0;
	lsched_st(word, 0u, rlx, dev);
	return 1;
#endif
}

/* The word is going to be read and then written: a processor had better get its line for writing at once. */
#ifdef __CUDACC__
#define lsched_i_will_write(p) ((void)0)
#else
#define lsched_i_will_write(p) __builtin_prefetch((p), 1)
#endif

/* A condition that seldom holds: what follows from it is put out of the way. */
#define LSCHED_I_SELDOM(x) __builtin_expect((x) != 0, 0)

/* The smallest power of two that is at least n and at least 2; n up to 2^31. */
LSCHED_FN uint32_t lsched_i_pow2(uint32_t n)
{
	uint32_t p = 2;

	while (p < n)
		p *= 2;
	return p;
}

/* The two special registers that are read; a test that emulates a device brings its own. */
#if defined(__CUDA_ARCH__) && !defined(LSCHED_I_GLOBALTIMER)
#define LSCHED_I_GLOBALTIMER(t) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t))
#define LSCHED_I_SMID(sm)       asm volatile("mov.u32 %0, %%smid;" : "=r"(sm))
#endif

/* This thread's number in its worker, 0..LSCHED_LANES-1. */
LSCHED_FN uint32_t lsched_lane(void)
{
#ifdef __CUDA_ARCH__
	return threadIdx.x & 31u;
#else
	return 0;
#endif
}

/* All lanes meet, and see what the others wrote before. */
LSCHED_FN void lsched_sync_worker(void)
{
#ifdef __CUDA_ARCH__
	__syncwarp();
#endif
}

/* Lane 0's value, in all lanes. Does not order memory: lsched_sync_worker() does. */
LSCHED_FN uint32_t lsched_bcast(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return __shfl_sync(0xffffffffu, v, 0);
#else
	return v;
#endif
}

/* The lanes whose predicate holds, bit i for lane i; all lanes must call. */
LSCHED_FN uint32_t lsched_ballot(int predicate)
{
#ifdef __CUDA_ARCH__
	return __ballot_sync(0xffffffffu, predicate);
#else
	return predicate ? 1u : 0u;
#endif
}

/* The lanes' values added up, in all lanes; all must call. */
LSCHED_FN uint32_t lsched_i_sum(uint32_t v)
{
#ifdef __CUDA_ARCH__
	for (int k = 16; k > 0; k /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, k);
#endif
	return v;
}

LSCHED_FN uint32_t lsched_popcount(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__popc(v);
#else
	return (uint32_t)__builtin_popcount(v);
#endif
}

/* Nanoseconds; the same clock on all SMs (clock64 differs from SM to SM). */
LSCHED_FN uint64_t lsched_now_ns(void)
{
#ifdef __CUDA_ARCH__
	uint64_t t;
	LSCHED_I_GLOBALTIMER(t);
	return t;
#else
	return lsched_i_cpu_now_ns();
#endif
}

/* A quick clock for one worker's own spells; what a tick is, lsched_i_leave finds out. */
LSCHED_FN uint64_t lsched_i_ticks(void)
{
#ifdef __CUDA_ARCH__
	return (uint64_t)clock64();
#else
	return lsched_i_cpu_now_ns();
#endif
}

LSCHED_FN uint32_t lsched_i_place(uint32_t worker)
{
#ifdef __CUDA_ARCH__
	uint32_t sm;
	LSCHED_I_SMID(sm);
	(void)worker;
	return sm;
#else
	return worker;
#endif
}

/* Above so many workers the loads of those that wait are themselves what slows a queue's words down, so
 * they wait longer between two. 600 is between four and five warps on each of the 132 SMs of an H200. */
#define LSCHED_I_CROWD_WORKERS 600u

/* Backoff while there is no work: 32 ns doubling to 1 us on the GPU, to 256 ns without a crowd. */
LSCHED_FN void lsched_i_relax(uint32_t spins, uint32_t workers)
{
#ifdef __CUDA_ARCH__
	const uint32_t most = workers > LSCHED_I_CROWD_WORKERS ? 5 : 3;

	__nanosleep(32u << (spins < most ? spins : most));
#else
	(void)workers;
	lsched_i_cpu_relax(spins);
#endif
}

/* Backoff on the critical path (a flag about to be set, a slot about to be filled): the GPU polls
 * hard first, since every nanosecond of sleep is one of latency. */
LSCHED_FN void lsched_i_relax_critical(uint32_t spins)
{
#ifdef __CUDA_ARCH__
	if (spins >= 256)
		__nanosleep(spins < 1024 ? 32u : 256u);
#else
	lsched_i_cpu_relax(spins);
#endif
}

#endif
