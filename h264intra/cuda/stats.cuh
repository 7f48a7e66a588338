/* Counts coding tools on the device (options.stats). */
#ifndef H264INTRA_CUDA_STATS_CUH
#define H264INTRA_CUDA_STATS_CUH

#include "h264intra/cuda/host_memory.cuh"
#include "h264intra/cuda/state.cuh"

/* One thread per macroblock of all frames. Adds the counts to *n `times` times, 1 or -1. */
static __global__ void __launch_bounds__(256) count_kernel(const h264i_picture *pic,
	uint32_t frames, uint32_t mbs, int gray, h264i_tool_counts *n, int times)
{
	__shared__ uint32_t count[H264I_TOOL_COUNT];
	uint32_t i = blockIdx.x * 256 + threadIdx.x;

	if (threadIdx.x < H264I_TOOL_COUNT)
		count[threadIdx.x] = 0;
	__syncthreads();
	if (i < frames * mbs) {
		uint8_t tool[H264I_MB_TOOLS_MAX];

		for (int k = h264i_mb_tools(&pic[i / mbs].mb[i % mbs], gray, tool); k > 0; k--)
			atomicAdd(&count[tool[k - 1]], 1);
	}
	__syncthreads();
	if (threadIdx.x < H264I_TOOL_COUNT && count[threadIdx.x])
		atomicAdd(reinterpret_cast<unsigned long long *>(n->n) + threadIdx.x,
			(unsigned long long)((long long)times * count[threadIdx.x]));
}

/* Counts the macroblocks of a coded group; -1: before it is coded again. */
static h264i_status start_counts(h264i_encoder *enc, gpu_state *s, h264i_group *g, int times)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	uint32_t mbs = enc->geom.mb_width * enc->geom.mb_height;

	count_kernel<<<(g->frames * mbs + 255) / 256, 256, 0, gg->stream>>>(
		gg->d_pic, g->frames, mbs, enc->params.gray, s->d_counts, times);
	TRY(cudaGetLastError());
	return H264I_OK;
}

#endif
