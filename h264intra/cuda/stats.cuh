/* Counts macroblock types and modes on the device (options.stats). */
#ifndef H264INTRA_CUDA_STATS_CUH
#define H264INTRA_CUDA_STATS_CUH

#include "h264intra/cuda/host_memory.cuh"
#include "h264intra/cuda/state.cuh"

/* One thread per macroblock of all frames. Adds the counts to *n `times` times, 1 or -1. */
static __global__ void __launch_bounds__(256) count_kernel(
	const h264i_picture *pic, uint32_t frames, uint32_t mbs, h264i_mode_counts *n, int times)
{
	__shared__ uint32_t count[sizeof(h264i_mode_counts) / 8];
	enum { TYPE = 0, I4 = 3, I16 = 12, CHROMA = 16, ALL = 20 };
	uint32_t i = blockIdx.x * 256 + threadIdx.x;

	if (threadIdx.x < ALL)
		count[threadIdx.x] = 0;
	__syncthreads();
	if (i < frames * mbs) {
		const h264i_mb *mb = &pic[i / mbs].mb[i % mbs];

		atomicAdd(&count[TYPE + mb->type], 1);
		if (mb->type != H264I_MB_PCM)
			atomicAdd(&count[CHROMA + mb->chroma_mode], 1);
		if (mb->type == H264I_MB_I16X16)
			atomicAdd(&count[I16 + mb->i16_mode], 1);
		if (mb->type == H264I_MB_I4X4)
			for (int b = 0; b < 16; b++)
				atomicAdd(&count[I4 + mb->i4_mode[b]], 1);
	}
	__syncthreads();
	if (threadIdx.x < ALL && count[threadIdx.x])
		atomicAdd(reinterpret_cast<unsigned long long *>(n) + threadIdx.x,
			(unsigned long long)((long long)times * count[threadIdx.x]));
}

/* Counts the macroblocks of a coded group; -1: before it is coded again. */
static h264i_status start_counts(h264i_encoder *enc, gpu_state *s, h264i_group *g, int times)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	uint32_t mbs = enc->geom.mb_width * enc->geom.mb_height;

	count_kernel<<<(g->frames * mbs + 255) / 256, 256, 0, gg->stream>>>(
		gg->d_pic, g->frames, mbs, s->d_counts, times);
	TRY(cudaGetLastError());
	return H264I_OK;
}

#endif
