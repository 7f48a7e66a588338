/* The detail of the pictures of a group (rate/detail.h), a thread per sampled block. */
#ifndef H264INTRA_CUDA_DETAIL_CUH
#define H264INTRA_CUDA_DETAIL_CUH

#include "h264intra/cuda/host_memory.cuh"
#include "h264intra/cuda/state.cuh"

enum { DETAIL_THREADS = 256 };

static __global__ void __launch_bounds__(DETAIL_THREADS)
	detail_kernel(h264i_geom g, const h264i_picture *pic, h264i_detail *detail)
{
	__shared__ uint32_t last[H264I_DETAIL_QPS];
	const uint32_t width = g.width / 16, t = blockIdx.x * DETAIL_THREADS + threadIdx.x;
	const uint32_t mb = t / H264I_DETAIL_BLOCKS;
	int r[16];

	if (threadIdx.x < H264I_DETAIL_QPS)
		last[threadIdx.x] = 0;
	__syncthreads();
	if (mb < h264i_detail_mbs(&g)) {
		h264i_detail_block(
			r, &pic[blockIdx.y], mb % width, mb / width, t % H264I_DETAIL_BLOCKS);
#pragma unroll
		for (int k = 0; k < 16; k++) {
			int n = h264i_detail_qps(
				(uint32_t)abs(r[k]), h264i_pos_class(k & 3, k >> 2));

			if (n)
				atomicAdd(&last[n - 1], 1u);
		}
	}
	__syncthreads();
	if (threadIdx.x < H264I_DETAIL_QPS && last[threadIdx.x])
		atomicAdd(&detail[blockIdx.y].last[threadIdx.x], last[threadIdx.x]);
}

/* Allocates the memory of a group of n frames. */
static h264i_status open_detail(h264i_encoder *enc, gpu_group *gg, size_t n)
{
	if (!enc->needs_detail)
		return H264I_OK;
	TRY(cudaMalloc(&gg->d_detail, n * sizeof(*gg->d_detail)));
	TRY(cudaHostAlloc(&gg->h_detail, n * sizeof(*gg->h_detail), cudaHostAllocDefault));
	return H264I_OK;
}

static void close_detail(gpu_group *gg)
{
	cudaFree(gg->d_detail);
	cudaFreeHost(gg->h_detail);
}

/* Waits for the uploads of the group and sets the detail of its slots. */
static h264i_status read_detail(h264i_encoder *enc, h264i_group *g)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	uint32_t threads = h264i_detail_mbs(&enc->geom) * H264I_DETAIL_BLOCKS;
	dim3 blocks((threads + DETAIL_THREADS - 1) / DETAIL_THREADS, g->frames);
	size_t bytes = g->frames * sizeof(*gg->d_detail);

	TRY(cudaMemsetAsync(gg->d_detail, 0, bytes, gg->stream));
	detail_kernel<<<blocks, DETAIL_THREADS, 0, gg->stream>>>(
		enc->geom, gg->d_pic, gg->d_detail);
	TRY(cudaGetLastError());
	TRY(cudaMemcpyAsync(gg->h_detail, gg->d_detail, bytes, cudaMemcpyDeviceToHost, gg->stream));
	TRY(cudaStreamSynchronize(gg->stream));
	for (uint32_t i = 0; i < g->frames; i++)
		g->slot[i].detail = gg->h_detail[i];
	return H264I_OK;
}

#endif
