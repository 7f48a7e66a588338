/* The names of CUDA that the device text of the libraries uses, for the lanes of lanes.h, which
 * includes this file. */
#ifndef TESTS_LIBSCHED_LANES_CUDA_H
#define TESTS_LIBSCHED_LANES_CUDA_H

/* The maximum of both halves. */
static inline uint32_t __vmaxu2(uint32_t a, uint32_t b)
{
	const uint32_t lo = (a & 0xffffu) > (b & 0xffffu) ? a & 0xffffu : b & 0xffffu;

	return (a >> 16 > b >> 16 ? a : b) >> 16 << 16 | lo;
}

static inline int lanes_leading_zeros(uint32_t v)
{
	return v ? __builtin_clz(v) : 32;
}

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* of loops that nvcc unrolls */
#endif

#define __CUDACC__    1
#define __CUDA_ARCH__ 900
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__    inline
#define threadIdx       (lanes_mine->lane[lanes_mine->now].index)

#define __syncwarp()                    ((void)lanes_meet(0, LANES_PLACE))
#define __activemask()                  lanes_active(LANES_PLACE)
#define __match_any_sync(mask, v)       lanes_match((mask), (v), LANES_PLACE)
#define __shfl_sync(mask, v, lane)      lanes_from((mask), (v), (uint32_t)(lane), LANES_PLACE)
#define __shfl_xor_sync(mask, v, k)     lanes_across((v), (uint32_t)(k), LANES_PLACE)
#define __shfl_up_sync(mask, v, d)      lanes_from_below((v), (uint32_t)(d), LANES_PLACE)
#define __ballot_sync(mask, v)          lanes_vote((mask), (v) != 0, LANES_PLACE)
#define __reduce_add_sync(mask, v)      ((void)(mask), lanes_sum((v), LANES_PLACE))
#define __reduce_min_sync(mask, v)      ((void)(mask), lanes_least((v), LANES_PLACE))
#define __reduce_max_sync(mask, v)      ((void)(mask), ~lanes_least(~(v), LANES_PLACE))
#define __any_sync(mask, v)             (__ballot_sync((mask), (v)) != 0)
#define __ffs(v)                        __builtin_ffs(v)
#define __ffsll(v)                      __builtin_ffsll(v)
#define __popc(v)                       __builtin_popcount(v)
#define __popcll(v)                     __builtin_popcountll(v)
#define __clz(v)                        lanes_leading_zeros((uint32_t)(v))
#define __ldg(p)                        (*(p))
#define __nanosleep(ns)                 lanes_sleep(ns)
#define clock64()                       lanes_clock()
#define LSCHED_I_GLOBALTIMER(t)         ((t) = lanes_clock())
#define LSCHED_I_FAST_POLLS             1u
#define LSCHED_I_SMID(sm)               ((sm) = 0)
#define LSCHED_I_INC_WRAP(p, most, old) ((old) = lanes_count_round((p), (most)))
#define LSCHED_I_STORE_IF(cond, p, v, how) \
	((cond) ? __atomic_store_n((p), (v), __ATOMIC_SEQ_CST) : (void)0)
#define LSCHED_I_BARRIER(number, threads) ((void)(number), (void)(threads)) /* one warp a worker */
#define __shfl_down_sync(mask, v, d)      lanes_from_above((v), (uint32_t)(d), LANES_PLACE)
#define atomicAdd(p, v)                   __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define atomicCAS(p, old, v)              __sync_val_compare_and_swap((p), (old), (v))
#define atomicMax(p, v)                   LANES_EXTREME(p, v, <)

#define __nv_atomic_load_n(p, order, scope)       __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define __nv_atomic_store_n(p, v, order, scope)   __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
#define __nv_atomic_fetch_add(p, v, order, scope) __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define __nv_atomic_fetch_or(p, v, order, scope)  __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define __nv_atomic_fetch_and(p, v, order, scope) __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)
#define __nv_atomic_thread_fence(order, scope)    __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __nv_atomic_compare_exchange_n(p, e, d, weak, order, order2, scope) \
	__atomic_compare_exchange_n((p), (e), (d), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#define LANES_EXTREME(p, v, is)                                                      \
	(__extension__({                                                             \
		const __typeof__(*(p)) lanes_new = (v);                              \
		__typeof__(*(p)) lanes_old = __atomic_load_n((p), __ATOMIC_SEQ_CST); \
                                                                                     \
		while (lanes_old is lanes_new &&                                     \
			!__atomic_compare_exchange_n((p), &lanes_old, lanes_new, 0,  \
				__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                 \
			;                                                            \
		lanes_old;                                                           \
	}))
#define __nv_atomic_fetch_max(p, v, order, scope) LANES_EXTREME(p, v, <)
#define __nv_atomic_fetch_min(p, v, order, scope) LANES_EXTREME(p, v, >)

/* atom.inc: one more, and from `most` back to zero */
static inline uint32_t lanes_count_round(uint32_t *p, uint32_t most)
{
	uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(
		p, &old, old >= most ? 0 : old + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	return old;
}

#endif
