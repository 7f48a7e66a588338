/* The target CUDA: see core/target.h. nvcc compiles it twice; the host half contains only LSCHED_FN
 * functions, with the CPU's atomics, and runs no workers. */
#ifndef LIBSCHED_CUDA_TARGET_CUH
#define LIBSCHED_CUDA_TARGET_CUH

#include "libsched/cpu/relax.h"

#define LSCHED_WORKER_FN static __device__ __forceinline__
#define LSCHED_LANES     32
typedef uint32_t lsched_lane_mask;
#define LSCHED_I_GPU       1
#define LSCHED_I_ALL_LANES 0xffffffffu

#define LSCHED_I_TARGET_PROGRAM(name) name##_cuda_program
#ifndef LSCHED_I_TARGET_ENTRIES /* a test that emulates a device defines its own */
#define LSCHED_I_TARGET_ENTRIES "libsched/cuda/program.cuh"
#endif

/* The host half of a LSCHED_FN body is compiled, but never executed. */
#ifdef __CUDA_ARCH__
#define LSCHED_I_IN_WORKER 1
#else
#define LSCHED_I_IN_WORKER 0
#endif

/* ---- atomics ---- */

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
#define lsched_max(p, v, o, s) __nv_atomic_fetch_max((p), (v), LSCHED_I_ORD_##o, LSCHED_I_SCP_##s)
#define lsched_min(p, v, o, s) __nv_atomic_fetch_min((p), (v), LSCHED_I_ORD_##o, LSCHED_I_SCP_##s)

#define lsched_i_fence_sc()  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE)
#define lsched_i_fence_rel() __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE)
#define lsched_i_fence_sc_sys() \
	__nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM)
#define lsched_i_fence_ar_sys() \
	__nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM)
#else
#include "libsched/cpu/atomics.h"
#endif

/* PTX. A test that emulates a device defines its own. */
#if defined(__CUDA_ARCH__) && !defined(LSCHED_I_GLOBALTIMER)
#define LSCHED_I_GLOBALTIMER(t) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t))
#define LSCHED_I_SMID(sm)       asm volatile("mov.u32 %0, %%smid;" : "=r"(sm))
/* Adds 1; wraps from `most` to 0. */
#define LSCHED_I_INC_WRAP(p, most, old)                       \
	asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;" \
		     : "=r"(old)                              \
		     : "l"(p), "r"(most)                      \
		     : "memory")
#endif
#ifndef LSCHED_I_STORE_IF
#define LSCHED_I_STORE_IF(cond, p, v, how)                                          \
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p " how " [%1], %2; }" \
		     :                                                              \
		     : "r"((uint32_t)(cond)), "l"(p), "l"(v)                        \
		     : "memory")
#endif
#ifndef LSCHED_I_BARRIER
#define LSCHED_I_BARRIER(number, threads) \
	asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory")
#endif

/* One inc instruction counts and resets: after a separate store of 0 the next release of the worker
 * would have to wait for this store, too. */
LSCHED_WORKER_FN int lsched_i_arrive(uint32_t *word, uint32_t need)
{
#ifdef __CUDA_ARCH__
	uint32_t before;

	LSCHED_I_INC_WRAP(word, need - 1, before);
	return before == need - 1;
#else
	(void)word, (void)need;
	return 0;
#endif
}

/* Relaxed accesses to 64-bit words in a block's shared memory (near) and in device memory (far).
 * nvcc's atomics take generic addresses, which is slower; volatile accesses are relaxed too (PTX
 * ISA, "volatile operations"). The stores are predicated, so the other lanes need no branch. */
#define lsched_i_near_ld(p)             (*(const volatile uint64_t *)(p))
#define lsched_i_near_st_if(cond, p, v) LSCHED_I_STORE_IF(cond, p, v, "st.relaxed.cta.b64")
#define lsched_i_far_st_if(cond, p, v)  LSCHED_I_STORE_IF(cond, p, v, "st.relaxed.gpu.b64")

#define lsched_i_local_add(p, v) atomicAdd((p), (v))

/* No effect: stores are written through to the L2 cache. */
#define lsched_i_prefetch_for_write(p) ((void)0)

/* ---- lanes ---- */

#define lsched_i_shfl(v, lane)          __shfl_sync(LSCHED_I_ALL_LANES, (v), (int)(lane))
#define lsched_i_shfl_up(v, distance)   __shfl_up_sync(LSCHED_I_ALL_LANES, (v), (distance))
#define lsched_i_shfl_down(v, distance) __shfl_down_sync(LSCHED_I_ALL_LANES, (v), (distance))
#define lsched_i_shfl_xor(v, mask)      __shfl_xor_sync(LSCHED_I_ALL_LANES, (v), (int)(mask))

/* Of a subset of lanes. */
#define lsched_i_active()               __activemask()
#define lsched_i_match_of(mask, v)      __match_any_sync((mask), (v))
#define lsched_i_ballot_of(mask, p)     __ballot_sync((mask), (p))
#define lsched_i_shfl_of(mask, v, lane) __shfl_sync((mask), (v), (int)(lane))

LSCHED_FN uint32_t lsched_lane(void)
{
#ifdef __CUDA_ARCH__
	return threadIdx.x & 31u;
#else
	return 0;
#endif
}

LSCHED_FN void lsched_sync_worker(void)
{
#ifdef __CUDA_ARCH__
	__syncwarp();
#endif
}

LSCHED_FN uint32_t lsched_bcast(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return __shfl_sync(LSCHED_I_ALL_LANES, v, 0);
#else
	return v;
#endif
}

LSCHED_FN lsched_lane_mask lsched_ballot(int predicate)
{
#ifdef __CUDA_ARCH__
	return __ballot_sync(LSCHED_I_ALL_LANES, predicate);
#else
	return predicate ? 1u : 0u;
#endif
}

LSCHED_FN uint32_t lsched_i_sum(uint32_t v)
{
#ifdef __CUDA_ARCH__
	for (int k = 16; k > 0; k /= 2)
		v += __shfl_xor_sync(LSCHED_I_ALL_LANES, v, k);
#endif
	return v;
}

LSCHED_WORKER_FN void lsched_i_group_sync(uint32_t barrier, uint32_t threads)
{
	__syncwarp();
	LSCHED_I_BARRIER(barrier, threads);
}

/* ---- time, waiting ---- */

/* Returns globaltimer, because clock64 differs from SM to SM. */
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

LSCHED_FN uint64_t lsched_i_ticks(void)
{
#ifdef __CUDA_ARCH__
	return (uint64_t)clock64();
#else
	return lsched_i_cpu_now_ns();
#endif
}

LSCHED_FN uint32_t lsched_i_processor(uint32_t worker)
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

/* Sleeps 32 ns, doubled with each spin up to 1 us; up to 256 ns with at most LSCHED_I_CROWD_WORKERS
 * workers. */
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

/* Does not sleep at first: the wait is short, and a sleep would extend it. */
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
