/* The CUDA half of generate.h: kernels and the descriptor. Template text. Each warp is a worker; its
 * SCHED_LOCAL stands in dynamic shared memory, its desk in static shared memory. With SCHED_HELPER the
 * second half of a block's warps are the helpers of the first; named barrier 1 + k joins pair k. */

/* All threads of a block. */
#define SCHED__CLEAR(words)                                                            \
	{                                                                              \
		uint32_t *all = &(words)[0][0];                                        \
                                                                                       \
		for (uint32_t k = threadIdx.x; k < sizeof(words) / 4; k += blockDim.x) \
			all[k] = 0;                                                    \
		__syncthreads();                                                       \
	}

#ifdef SCHED_HELPER
#define SCHED__HELP(w, c, a, warp, desks)                                                      \
	if (warp >= SCHED_WARPS_PER_BLOCK) {                                                   \
		const uint32_t k = warp - SCHED_WARPS_PER_BLOCK;                               \
                                                                                               \
		if (blockIdx.x * SCHED_WARPS_PER_BLOCK + k >= a.workers)                       \
			return;                                                                \
		for (;;) {                                                                     \
			uint32_t task, prev;                                                   \
                                                                                               \
			sched_pair_sync(1u + k);                                               \
			task = desks[k].helper_task;                                           \
			prev = desks[k].helper_prev;                                           \
			if (task == SCHED_NONE)                                                \
				return;                                                        \
			SCHED_HELPER(1u + k, &c,                                               \
				(SCHED_LOCAL *)(sched__locals + k * SCHED__LOCAL_BYTES), task, \
				prev);                                                         \
			__syncwarp();                                                          \
		}                                                                              \
	}
/* Ends the helper, whatever way the worker came out of its loop. */
#define SCHED__DISMISS(w)                         \
	if (sched_lane() == 0)                    \
		w.desk->helper_task = SCHED_NONE; \
	sched_pair_sync(w.pair);
#elif SCHED__IS_ITEMS && SCHED_GROUP_WARPS > 1
/* The other warps of each group run the same items; their leader's warp does everything else. */
#define SCHED__HELP(w, c, a, warp, desks)                                                   \
	if (warp >= SCHED_WARPS_PER_BLOCK) {                                                \
		const uint32_t k = (warp - SCHED_WARPS_PER_BLOCK) / SCHED__HELPERS;         \
		const uint32_t rank = 1u + (warp - SCHED_WARPS_PER_BLOCK) % SCHED__HELPERS; \
                                                                                            \
		w.a = &a;                                                                   \
		w.desk = &desks[k];                                                         \
		w.index = blockIdx.x * SCHED_WARPS_PER_BLOCK + k;                           \
		w.pair = 1u + k;                                                            \
		w.fail_code = 0;                                                            \
		if (w.index < a.workers)                                                    \
			SCHED__N(_items_help)                                               \
		(&w, &c, (SCHED_LOCAL *)(sched__locals + k * SCHED__LOCAL_BYTES), rank);    \
		return;                                                                     \
	}
#define SCHED__DISMISS(w)
#else
#define SCHED__HELP(w, c, a, warp, desks)
#define SCHED__DISMISS(w)
#endif

#define SCHED__X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                       \
	static __global__ void __launch_bounds__(                                            \
		32 * SCHED_WARPS_PER_BLOCK * (1 + SCHED__HELPERS), SCHED_MIN_BLOCKS)         \
		SCHED__N(_##instance##_kernel)(const __grid_constant__ sched__args a,        \
			const __grid_constant__ SCHED_CTX c)                                 \
	{                                                                                    \
		extern __shared__ __align__(16) unsigned char sched__locals[];               \
		__shared__ sched__desk desks[SCHED_WARPS_PER_BLOCK];                         \
		__shared__ __align__(8)                                                      \
			uint32_t words[SCHED_WARPS_PER_BLOCK][(scratch) ? (scratch) : 1];    \
		const uint32_t warp = threadIdx.x / 32u;                                     \
		const uint32_t index = blockIdx.x * SCHED_WARPS_PER_BLOCK + warp;            \
		sched_worker w;                                                              \
                                                                                             \
		if (SCHED_SCHEME_##SCHEME == SCHED_SCHEME_WORDS)                             \
			SCHED__CLEAR(words)                                                  \
		SCHED__HELP(w, c, a, warp, desks)                                            \
		if (index >= a.workers)                                                      \
			return;                                                              \
		sched__begin(&w, &a, index, &desks[warp], (scratch) ? words[warp] : NULL,    \
			SCHED_QUEUE_##QUEUE, SCHED__HAS_RULE);                               \
		w.is_items = SCHED__IS_ITEMS;                                                \
		w.in_line = SCHED__IN_LINE;                                                  \
		w.pair = 1u + warp;                                                          \
		if (uses_queue)                                                              \
			sched__enter(&w);                                                    \
		SCHED__N(worker)                                                             \
		(&w, &c,                                                                     \
			SCHED__LOCAL_BYTES                                                   \
				? (SCHED_LOCAL *)(sched__locals + warp * SCHED__LOCAL_BYTES) \
				: NULL);                                                     \
		SCHED__DISMISS(w)                                                            \
		sched__exit(&w, uses_queue);                                                 \
	}
SCHED__INSTANCES(SCHED__X)
#undef SCHED__X

static const sched__entry SCHED__N(_cuda_entries)[] = {
#define SCHED__X(SCHEME, worker, QUEUE, instance, uses_queue, scratch) \
	{ SCHED_SCHEME_##SCHEME, SCHED_QUEUE_##QUEUE, NULL,            \
		(const void *)SCHED__N(_##instance##_kernel), SCHED__ROUNDS(uses_queue, QUEUE) },
	SCHED__INSTANCES(SCHED__X)
#undef SCHED__X
};

#include "libsched/core/descriptor.h"

extern "C" const sched_program SCHED__N(_cuda_program);
extern "C" const sched_program SCHED__N(_cuda_program) = SCHED__DESCRIPTOR(
	SCHED_BACKEND_CUDA, SCHED__N(_cuda_entries));
#undef SCHED__DESCRIPTOR
#undef SCHED__OF_ITEMS
#undef SCHED__CLEAR
#undef SCHED__HELP
#undef SCHED__DISMISS
