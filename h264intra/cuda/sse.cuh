/* Sums of squared differences between the source, as the encoder saw it, and the decoded
 * picture. */
#ifndef H264INTRA_CUDA_SSE_CUH
#define H264INTRA_CUDA_SSE_CUH

#include "h264intra/core/work.h"

#include <cuda_runtime.h>

enum { SSE_THREADS = 256 };

/* One block per macroblock row of a picture; blockIdx.y is the picture. The sum of a thread for a
 * plane is below 2^27: 16 rows of at most 66 samples. Adds to sums[3 * picture + plane]. */
static __global__ void __launch_bounds__(SSE_THREADS) sse_kernel(
	const h264i_picture *pic, uint32_t width, uint32_t height, unsigned long long *sums)
{
	const h264i_picture *p = &pic[blockIdx.y];

	for (int plane = 0; plane < 3; plane++) {
		uint32_t rows = plane ? H264I_CHROMA_H : 16;
		uint32_t w = plane ? h264i_chroma_width(width) : width;
		uint32_t first = blockIdx.x * rows, sum = 0,
			 end = plane ? h264i_chroma_height(height) : height;
		size_t step = plane ? p->chroma_step : 1;

		end = min(first + rows, end);
		for (uint32_t y = first; y < end; y++) {
			const h264i_px *a = p->src[plane] + (size_t)y * p->src_pitch[plane];
			const h264i_px *b = p->recon[plane] + (size_t)y * p->recon_pitch[plane];

			for (uint32_t x = threadIdx.x; x < w; x += SSE_THREADS) {
				int d = a[x * step] - b[x];

				sum += (uint32_t)(d * d);
			}
		}
		for (int d = 16; d; d >>= 1)
			sum += __shfl_xor_sync(0xffffffffu, sum, d);
		if ((threadIdx.x & 31) == 0 && sum)
			atomicAdd(&sums[3 * blockIdx.y + plane], (unsigned long long)sum);
	}
}

/* Writes sums[3 * pictures]; pic and sums are device memory. */
static cudaError_t sse_launch(const h264i_picture *pic, uint32_t pictures, uint32_t width,
	uint32_t height, uint64_t *sums, cudaStream_t stream)
{
	cudaError_t e = cudaMemsetAsync(sums, 0, 3 * sizeof(*sums) * pictures, stream);

	if (e != cudaSuccess)
		return e;
	sse_kernel<<<dim3((height + 15) / 16, pictures), SSE_THREADS, 0, stream>>>(
		pic, width, height, reinterpret_cast<unsigned long long *>(sums));
	return cudaGetLastError();
}

#endif
