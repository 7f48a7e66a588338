/* Reductions of a half warp. Apart from warp.cuh, as the tests compile them as C. */
#ifndef H264INTRA_CUDA_HALF_CUH
#define H264INTRA_CUDA_HALF_CUH

#include "h264intra/cuda/function.cuh"

#include <stdint.h>

/* Sum over the 16 lanes of the half warp; called by all 32 lanes. The reductions are over the whole
 * warp: a mask that differs between lanes would split the warp. */
GPU_FN uint32_t half_sum(uint32_t v, int lane)
{
	uint32_t lo = __reduce_add_sync(0xffffffffu, lane & 16 ? 0 : v);
	uint32_t hi = __reduce_add_sync(0xffffffffu, lane & 16 ? v : 0);

	return lane & 16 ? hi : lo;
}

/* Minimum of the half warp. */
GPU_FN int half_minimum(int v, int lane)
{
	int lo = __reduce_min_sync(0xffffffffu, lane & 16 ? 0x7fffffff : v);
	int hi = __reduce_min_sync(0xffffffffu, lane & 16 ? v : 0x7fffffff);

	return lane & 16 ? hi : lo;
}

/* Bits of the half warp of a ballot. */
GPU_FN uint32_t half_bits(uint32_t ballot, int lane)
{
	return ballot >> (lane & 16) & 0xffff;
}

#endif
