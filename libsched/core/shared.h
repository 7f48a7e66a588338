/* What the one scheduler source needs from its two languages: atomics with order and scope, the lanes
 * of a worker, a clock, and a way to wait. C11 that is also the C++ nvcc reads. */
#ifndef LIBSCHED_CORE_SHARED_H
#define LIBSCHED_CORE_SHARED_H

#include <stdint.h>
#include <libsched/fn.h>

/* Code only workers run: the device under nvcc, ordinary functions otherwise. */
#ifdef __CUDACC__
#define SCHED_WORKER_FN static __device__ __forceinline__
#define SCHED_LANES     32
#else
#define SCHED_WORKER_FN static inline
#define SCHED_LANES     1
#endif

#define SCHED_NONE 0xffffffffu

/* Atomics: sched_ld(p, order, scope), sched_st(p, v, order, scope), sched_add, sched_or, sched_and
 * (return the old value), sched_cas(p, expected, desired, order, scope). order: rlx acq rel ar sc; scope: blk (the block),
 * dev (the device), sys (with the host). On the CPU the scope says nothing. Never mix these with plain
 * accesses to the same word while workers run.
 *
 * Where two workers each write one word and then read the other's (store, then load), or read two words
 * whose order counts against such a pair, only sequential consistency helps. Write the accesses with
 * the orders fnc, fna, fnb and sched__fence_sc() between the two. On the CPU these are all seq_cst and
 * the fence is nothing, for ThreadSanitizer sees no fences. On the GPU a seq_cst access is a fence.sc
 * and a plain one, so a pair of them pays for two fences where one between does the work; there fnc is
 * relaxed, fna acquires, fnb acquires and releases, and the fence is one. Both sides need it: a fence.sc
 * orders against another fence.sc only (Le et al., PPoPP 2013, for work stealing).
 *
 * A release store whose address is on its way from memory can be written as sched__fence_rel() and a
 * store of order fnr: the fence then waits together with the address, not after it. On the CPU the store
 * releases and the fence is nothing. */
#ifdef __CUDA_ARCH__
#define SCHED__ORD_rlx        __NV_ATOMIC_RELAXED
#define SCHED__ORD_acq        __NV_ATOMIC_ACQUIRE
#define SCHED__ORD_rel        __NV_ATOMIC_RELEASE
#define SCHED__ORD_ar         __NV_ATOMIC_ACQ_REL
#define SCHED__ORD_sc         __NV_ATOMIC_SEQ_CST
#define SCHED__ORD_fnc        __NV_ATOMIC_RELAXED
#define SCHED__ORD_fna        __NV_ATOMIC_ACQUIRE
#define SCHED__ORD_fnb        __NV_ATOMIC_ACQ_REL
#define SCHED__ORD_fnr        __NV_ATOMIC_RELAXED
#define SCHED__SCP_blk        __NV_THREAD_SCOPE_BLOCK
#define SCHED__SCP_dev        __NV_THREAD_SCOPE_DEVICE
#define SCHED__SCP_sys        __NV_THREAD_SCOPE_SYSTEM
#define sched_ld(p, o, s)     __nv_atomic_load_n((p), SCHED__ORD_##o, SCHED__SCP_##s)
#define sched_st(p, v, o, s)  __nv_atomic_store_n((p), (v), SCHED__ORD_##o, SCHED__SCP_##s)
#define sched_add(p, v, o, s) __nv_atomic_fetch_add((p), (v), SCHED__ORD_##o, SCHED__SCP_##s)
#define sched_or(p, v, o, s)  __nv_atomic_fetch_or((p), (v), SCHED__ORD_##o, SCHED__SCP_##s)
#define sched_and(p, v, o, s) __nv_atomic_fetch_and((p), (v), SCHED__ORD_##o, SCHED__SCP_##s)
#define sched_cas(p, e, d, o, s)        \
	__nv_atomic_compare_exchange_n( \
		(p), (e), (d), 0, SCHED__ORD_##o, __NV_ATOMIC_RELAXED, SCHED__SCP_##s)
#define sched__fence_sc()  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE)
#define sched__fence_rel() __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE)
#else
#define SCHED__ORD_rlx        __ATOMIC_RELAXED
#define SCHED__ORD_acq        __ATOMIC_ACQUIRE
#define SCHED__ORD_rel        __ATOMIC_RELEASE
#define SCHED__ORD_ar         __ATOMIC_ACQ_REL
#define SCHED__ORD_sc         __ATOMIC_SEQ_CST
#define SCHED__ORD_fnc        __ATOMIC_SEQ_CST
#define SCHED__ORD_fna        __ATOMIC_SEQ_CST
#define SCHED__ORD_fnb        __ATOMIC_SEQ_CST
#define SCHED__ORD_fnr        __ATOMIC_RELEASE
#define sched__fence_sc()     ((void)0)
#define sched__fence_rel()    ((void)0)
#define sched_ld(p, o, s)     __atomic_load_n((p), SCHED__ORD_##o)
#define sched_st(p, v, o, s)  __atomic_store_n((p), (v), SCHED__ORD_##o)
#define sched_add(p, v, o, s) __atomic_fetch_add((p), (v), SCHED__ORD_##o)
#define sched_or(p, v, o, s)  __atomic_fetch_or((p), (v), SCHED__ORD_##o)
#define sched_and(p, v, o, s) __atomic_fetch_and((p), (v), SCHED__ORD_##o)
#define sched_cas(p, e, d, o, s) \
	__atomic_compare_exchange_n((p), (e), (d), 0, SCHED__ORD_##o, __ATOMIC_RELAXED)
#endif

/* Relaxed accesses to words in a block's shared memory: nvcc's atomics go by addresses that may be
 * anywhere, which takes longer; volatile ones are relaxed too (PTX ISA, "volatile operations"). And
 * stores by one of the lanes that cost the others no branch, for 64-bit words near and far. */
#ifdef __CUDACC__
#define sched__near_ld(p) (*(const volatile uint64_t *)(p))
#endif
#if defined(__CUDACC__) && !defined(SCHED__STORE_IF)
#define SCHED__STORE_IF(cond, p, v, how)                                            \
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p " how " [%1], %2; }" \
		     :                                                              \
		     : "r"((uint32_t)(cond)), "l"(p), "l"(v)                        \
		     : "memory")
#define sched__near_st_if(cond, p, v) SCHED__STORE_IF(cond, p, v, "st.relaxed.cta.b64")
#define sched__far_st_if(cond, p, v)  SCHED__STORE_IF(cond, p, v, "st.relaxed.gpu.b64")
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* cpu/relax.c: CLOCK_MONOTONIC; one step of waiting that gets longer with `spins`. */
uint64_t sched__cpu_now_ns(void);
void sched__cpu_relax(uint32_t spins);
#ifdef __cplusplus
}
#endif

/* Counts an arrival at a word, with acquire and release; nonzero for the last of `need`, at least 2, which
 * leaves the word at zero. On a GPU one operation does both: after a store of the zero the worker's next
 * release would have to wait for that too. */
#if defined(__CUDA_ARCH__) && !defined(SCHED__COUNT_ROUND)
#define SCHED__COUNT_ROUND(p, most, old)                      \
	asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;" \
		     : "=r"(old)                              \
		     : "l"(p), "r"(most)                      \
		     : "memory")
#endif
SCHED_WORKER_FN int sched__arrive(uint32_t *word, uint32_t need)
{
#ifdef __CUDA_ARCH__
	uint32_t before;

	SCHED__COUNT_ROUND(word, need - 1, before);
	return before == need - 1;
#else
	if (sched_add(word, 1u, ar, dev) != need - 1)
		return 0;
	sched_st(word, 0u, rlx, dev);
	return 1;
#endif
}

/* The word is going to be read and then written: a processor had better get its line for writing at once. */
#ifdef __CUDACC__
#define sched__will_write(p) ((void)0)
#else
#define sched__will_write(p) __builtin_prefetch((p), 1)
#endif

/* A condition that seldom holds: what follows from it is put out of the way. */
#define SCHED__SELDOM(x) __builtin_expect((x) != 0, 0)

/* The smallest power of two that is at least n and at least 2; n up to 2^31. */
SCHED_FN uint32_t sched__pow2(uint32_t n)
{
	uint32_t p = 2;

	while (p < n)
		p *= 2;
	return p;
}

/* The two special registers that are read; a test that emulates a device brings its own. */
#if defined(__CUDA_ARCH__) && !defined(SCHED__GLOBALTIMER)
#define SCHED__GLOBALTIMER(t) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t))
#define SCHED__SMID(sm)       asm volatile("mov.u32 %0, %%smid;" : "=r"(sm))
#endif

/* This thread's number in its worker, 0..SCHED_LANES-1. */
SCHED_FN uint32_t sched_lane(void)
{
#ifdef __CUDA_ARCH__
	return threadIdx.x & 31u;
#else
	return 0;
#endif
}

/* All lanes meet, and see what the others wrote before. */
SCHED_FN void sched_sync_worker(void)
{
#ifdef __CUDA_ARCH__
	__syncwarp();
#endif
}

/* Lane 0's value, in all lanes. Does not order memory: sched_sync_worker() does. */
SCHED_FN uint32_t sched_bcast(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return __shfl_sync(0xffffffffu, v, 0);
#else
	return v;
#endif
}

/* The lanes whose predicate holds, bit i for lane i; all lanes must call. */
SCHED_FN uint32_t sched_ballot(int predicate)
{
#ifdef __CUDA_ARCH__
	return __ballot_sync(0xffffffffu, predicate);
#else
	return predicate ? 1u : 0u;
#endif
}

/* The lanes' values added up, in all lanes; all must call. */
SCHED_FN uint32_t sched__sum(uint32_t v)
{
#ifdef __CUDA_ARCH__
	for (int k = 16; k > 0; k /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, k);
#endif
	return v;
}

SCHED_FN uint32_t sched_popcount(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__popc(v);
#else
	return (uint32_t)__builtin_popcount(v);
#endif
}

/* Nanoseconds; the same clock on all SMs (clock64 differs from SM to SM). */
SCHED_FN uint64_t sched_now_ns(void)
{
#ifdef __CUDA_ARCH__
	uint64_t t;
	SCHED__GLOBALTIMER(t);
	return t;
#else
	return sched__cpu_now_ns();
#endif
}

/* A quick clock for one worker's own spells; what a tick is, sched__leave finds out. */
SCHED_FN uint64_t sched__ticks(void)
{
#ifdef __CUDA_ARCH__
	return (uint64_t)clock64();
#else
	return sched__cpu_now_ns();
#endif
}

SCHED_FN uint32_t sched__place(uint32_t worker)
{
#ifdef __CUDA_ARCH__
	uint32_t sm;
	SCHED__SMID(sm);
	(void)worker;
	return sm;
#else
	return worker;
#endif
}

/* Backoff while there is no work: 32 ns doubling to 1 us on the GPU; only to 256 ns when so few wait
 * that their looking does not crowd the queue's words. */
SCHED_FN void sched__relax(uint32_t spins, uint32_t workers)
{
#ifdef __CUDA_ARCH__
	const uint32_t most = workers > 600 ? 5 : 3;

	__nanosleep(32u << (spins < most ? spins : most));
#else
	(void)workers;
	sched__cpu_relax(spins);
#endif
}

/* Backoff on the critical path (a flag about to be set, a slot about to be filled): the GPU polls
 * hard first, since every nanosecond of sleep is one of latency. */
SCHED_FN void sched__relax_critical(uint32_t spins)
{
#ifdef __CUDA_ARCH__
	if (spins >= 256)
		__nanosleep(spins < 1024 ? 32u : 256u);
#else
	sched__cpu_relax(spins);
#endif
}

#endif
