/* Deblocking filter on the device: one block per picture, a half warp per macroblock; the warps of
 * a block advance together along the wavefront of filter/deblock_lane.h. A block waits only at its
 * own barrier, so it needs no other block to be resident. */
#ifndef H264INTRA_CUDA_DEBLOCK_CUH
#define H264INTRA_CUDA_DEBLOCK_CUH

#include "h264intra/filter/deblock_lane.h"

#include <cuda_runtime.h>

/* Eight warps: half of the rows that are ready on average at 1080p, and no more registers than a
 * block of the macroblock wavefront, so that it can be resident together with the groups being
 * encoded. */
enum { DEBLOCK_WARPS = 8 };

static __global__ void __launch_bounds__(32 * DEBLOCK_WARPS, 4) deblock_kernel(
	const h264i_picture *pic, uint32_t mb_width, uint32_t mb_height, h264i_strengths tables)
{
	/* In shared memory: indexed by lane and macroblock, registers would be spilled. */
	__shared__ h264i_picture p;
	__shared__ h264i_strengths strengths;
	const uint32_t *table = reinterpret_cast<const uint32_t *>(&tables);
	uint32_t warp = threadIdx.x >> 5, steps = h264i_deblock_steps(mb_width, mb_height);
	uint32_t half = threadIdx.x >> 4 & 1;
	int lane = threadIdx.x & 15;

	if (threadIdx.x == 0)
		p = pic[blockIdx.x];
	if (threadIdx.x < sizeof(tables) / 4)
		reinterpret_cast<uint32_t *>(&strengths)[threadIdx.x] = table[threadIdx.x];
	__syncthreads();
	for (uint32_t step = 0; step < steps; step++) {
		uint32_t first = h264i_deblock_first_row(mb_width, step);
		uint32_t end = h264i_deblock_end_row(mb_height, step);

		/* y + half may be past the last row; the other half still has work. */
		for (uint32_t y = first + 2 * warp; y < end; y += 2 * DEBLOCK_WARPS) {
			uint32_t row = y + half, x = step - 2 * row;

			if (row < end)
				h264i_deblock_lane(&p, mb_width, x, row, 1, lane, &strengths);
			__syncwarp();
			if (row < end)
				h264i_deblock_lane(&p, mb_width, x, row, 0, lane, &strengths);
		}
		__syncthreads();
	}
}

/* Filters pic[0..pictures - 1], an array in device memory, in the order of the stream. */
static cudaError_t deblock_launch(const h264i_picture *pic, uint32_t pictures, uint32_t mb_width,
	uint32_t mb_height, const h264i_strengths *s, cudaStream_t stream)
{
	deblock_kernel<<<pictures, 32 * DEBLOCK_WARPS, 0, stream>>>(pic, mb_width, mb_height, *s);
	return cudaGetLastError();
}

#endif
