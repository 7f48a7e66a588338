/* The end of <libsched/generate.h> for CUDA: kernels and the descriptor. Template text. Each warp
 * is a worker; its LSCHED_LOCAL is in dynamic shared memory, its private variables are in static
 * shared memory. With LSCHED_HELPER the block's warps behind its workers' are their helpers; worker
 * k and its helpers use the named barrier 1 + k. */

/* Zeroes an array in shared memory, by all threads of a block. */
#define LSCHED_I_CLEAR(words)                                                          \
	{                                                                              \
		uint32_t *all = &(words)[0][0];                                        \
                                                                                       \
		for (uint32_t k = threadIdx.x; k < sizeof(words) / 4; k += blockDim.x) \
			all[k] = 0;                                                    \
		__syncthreads();                                                       \
	}

#ifdef LSCHED_HELPER
/* lsched_worker.pair: barrier, threads that wait at it, number of the warp (task.h). */
#define LSCHED_I_PAIR(k, rank) \
	(1u + (k) | LSCHED_LANES * (1u + LSCHED_I_HELPERS) << 8 | (uint32_t)(rank) << 24)
#define LSCHED_I_HELP(c, a, warp, privs)                                                           \
	if (warp >= LSCHED_WARPS_PER_BLOCK) {                                                      \
		const uint32_t k = (warp - LSCHED_WARPS_PER_BLOCK) / LSCHED_I_HELPERS;             \
		const uint32_t pair =                                                              \
			LSCHED_I_PAIR(k, 1u + (warp - LSCHED_WARPS_PER_BLOCK) % LSCHED_I_HELPERS); \
                                                                                                   \
		if (blockIdx.x * LSCHED_WARPS_PER_BLOCK + k >= a.workers)                          \
			return;                                                                    \
		for (;;) {                                                                         \
			uint32_t task, prev;                                                       \
                                                                                                   \
			lsched_pair_sync(pair);                                                    \
			task = privs[k].helper_task;                                               \
			prev = privs[k].helper_prev;                                               \
			if (task == LSCHED_NONE)                                                   \
				return;                                                            \
			LSCHED_HELPER(pair, &c,                                                    \
				(LSCHED_LOCAL *)(lsched_i_locals + k * LSCHED_I_LOCAL_BYTES),      \
				task, prev);                                                       \
			__syncwarp();                                                              \
		}                                                                                  \
	}
#elif LSCHED_I_IS_ITEMS && LSCHED_GROUP_WARPS > 1
/* The further warps of each group execute the items of the first warp, which does everything
 * else. */
#define LSCHED_I_HELP(c, a, warp, privs)                                                       \
	if (warp >= LSCHED_WARPS_PER_BLOCK) {                                                  \
		const uint32_t k = (warp - LSCHED_WARPS_PER_BLOCK) / LSCHED_I_HELPERS;         \
		const uint32_t rank = 1u + (warp - LSCHED_WARPS_PER_BLOCK) % LSCHED_I_HELPERS; \
		lsched_worker w;                                                               \
                                                                                               \
		w.a = &a;                                                                      \
		w.priv = &privs[k];                                                            \
		w.index = blockIdx.x * LSCHED_WARPS_PER_BLOCK + k;                             \
		w.marks = a.marks + (size_t)w.index * LSCHED_I_MARK_USED_WORDS;                \
		w.pair = 1u + k;                                                               \
		w.fail_code = 0;                                                               \
		if (w.index < a.workers)                                                       \
			LSCHED_I_N(_items_help)                                                \
		(&w, &c, (LSCHED_LOCAL *)(lsched_i_locals + k * LSCHED_I_LOCAL_BYTES), rank);  \
		return;                                                                        \
	}
#else
#define LSCHED_I_HELP(c, a, warp, privs)
#endif
#ifndef LSCHED_HELPER
#define LSCHED_I_PAIR(k, rank) 1u + k
#endif

#define LSCHED_I_KERNEL(SCHEME, worker, QUEUE, instance)                                       \
	static __global__ void __launch_bounds__(                                              \
		32 * LSCHED_WARPS_PER_BLOCK * (1 + LSCHED_I_HELPERS), LSCHED_MIN_BLOCKS)       \
		LSCHED_I_N(_##instance##_kernel)(const __grid_constant__ lsched_i_args a,      \
			const __grid_constant__ LSCHED_CTX c)                                  \
	{                                                                                      \
		extern __shared__ __align__(16) unsigned char lsched_i_locals[];               \
		__shared__ lsched_i_worker_private privs[LSCHED_WARPS_PER_BLOCK];              \
		__shared__ __align__(8) uint32_t words[LSCHED_WARPS_PER_BLOCK]                 \
						      [LSCHED_I_SCRATCH_WORDS(SCHEME, QUEUE)]; \
		const uint32_t warp = threadIdx.x / 32u;                                       \
		const uint32_t index = blockIdx.x * LSCHED_WARPS_PER_BLOCK + warp;             \
                                                                                               \
		if (LSCHED_SCHEME_##SCHEME == LSCHED_SCHEME_EPOCH)                             \
			LSCHED_I_CLEAR(words)                                                  \
		LSCHED_I_HELP(c, a, warp, privs)                                               \
		if (index >= a.workers)                                                        \
			return;                                                                \
		const LSCHED_I_N(_launch) at = { &a, &c, &privs[warp], words[warp], index,     \
			LSCHED_I_PAIR(warp, 0u) };                                             \
                                                                                               \
		LSCHED_I_RUN_INSTANCE(SCHEME, worker, QUEUE, at,                               \
			(LSCHED_I_LOCAL_BYTES ? (LSCHED_LOCAL *)(lsched_i_locals +             \
								 warp * LSCHED_I_LOCAL_BYTES)  \
					      : NULL))                                         \
	}
LSCHED_I_INSTANCES(LSCHED_I_KERNEL)

static const lsched_i_entry LSCHED_I_N(_cuda_entries)[] = {
#define LSCHED_I_ENTRY(SCHEME, worker, QUEUE, instance)                                        \
	{ LSCHED_SCHEME_##SCHEME, LSCHED_QUEUE_##QUEUE, NULL,                                  \
		LSCHED_I_IF_DISPATCHED(QUEUE, (const void *)LSCHED_I_N(_##instance##_kernel)), \
		LSCHED_I_##QUEUE##_ROUNDS },
	LSCHED_I_INSTANCES(LSCHED_I_ENTRY)
};

/* Returns a handle, because the address of a kernel is valid only for the instance of the CUDA
 * runtime that this object is linked with. */
static const void *LSCHED_I_N(_kernel_handle)(const void *kernel)
{
	cudaKernel_t handle;

	return cudaGetKernel(&handle, kernel) == cudaSuccess ? (const void *)handle : NULL;
}

#define LSCHED_I_KERNEL_HANDLE LSCHED_I_N(_kernel_handle)
#include "libsched/core/descriptor.h"

extern "C" const lsched_program LSCHED_I_N(_cuda_program);
extern "C" const lsched_program LSCHED_I_N(_cuda_program) = LSCHED_I_DESCRIPTOR(
	LSCHED_BACKEND_CUDA, LSCHED_I_N(_cuda_entries));
