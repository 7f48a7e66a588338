/* Adaptive quantisation (transform/aq.h) before the wavefront: one warp per macroblock for its
 * energy; in mode 2 the QPs need the sums of the picture, and a second kernel writes them. */
#ifndef H264INTRA_CUDA_AQ_CUH
#define H264INTRA_CUDA_AQ_CUH

#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/transform/aq.h"

#include <cuda_runtime.h>

enum { AQ_WARPS = 8 };

/* Arguments of the kernels; arrays are [frames][macroblocks] and [frames]. */
typedef struct aq_ctx {
	h264i_aq aq;
	h264i_geom geom;
	const h264i_picture *pic;
	uint8_t *mb_qp;
	uint32_t *root; /* of mode 2 */
	h264i_aq_sums *sums;
} aq_ctx;

/* Energy of a macroblock, in all lanes. */
GPU_FN uint32_t energy_of(
	const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my, int lane)
{
	px8 y = fetch_source_y(g, p, mx, my, lane);
	px4 c = fetch_source_c(g, p, mx, my, lane);
	uint32_t cr = lane >> 4;
	uint32_t squares = px4_squares(y.x, px4_squares(y.y, 0u));
	uint32_t sum = px4_sum(y.x, px4_sum(y.y, 0u));
	uint32_t squares_c = px4_squares(c, 0u), sum_c = px4_sum(c, 0u);
	uint32_t cb_squares = __reduce_add_sync(0xffffffffu, cr ? 0 : squares_c);
	uint32_t cr_squares = __reduce_add_sync(0xffffffffu, cr ? squares_c : 0);

	squares = __reduce_add_sync(0xffffffffu, squares);
	sum = __reduce_add_sync(0xffffffffu, sum);
	sum_c = __reduce_add_sync(0xffffffffu, cr ? sum_c << 16 : sum_c);
	return h264i_deviation(squares, sum, 8) + h264i_deviation(cb_squares, sum_c & 0xffff, 6) +
	       h264i_deviation(cr_squares, sum_c >> 16, 6);
}

static __global__ void __launch_bounds__(32 * AQ_WARPS) aq_energy_kernel(aq_ctx c)
{
	__shared__ h264i_aq_sums part;
	const h264i_picture *p = &c.pic[blockIdx.y];
	uint32_t mbs = c.geom.mb_width * c.geom.mb_height, lane = threadIdx.x & 31;
	uint32_t at = blockIdx.x * AQ_WARPS + (threadIdx.x >> 5);
	size_t n = (size_t)blockIdx.y * mbs + at;
	uint32_t energy = 0;

	if (threadIdx.x == 0)
		part.root = part.square = 0;
	__syncthreads();
	if (at < mbs)
		energy = energy_of(
			&c.geom, p, at % c.geom.mb_width, at / c.geom.mb_width, (int)lane);
	if (at < mbs && lane == 0) {
		if (c.aq.mode == 1) {
			c.mb_qp[n] = h264i_aq_qp(p->qp, h264i_aq_offset(&c.aq, energy));
		} else {
			h264i_aq_sums own = { 0, 0 };

			c.root[n] = h264i_aq_root(energy);
			h264i_aq_add(&own, c.root[n]);
			atomicAdd(reinterpret_cast<unsigned long long *>(&part.root), own.root);
			atomicAdd(reinterpret_cast<unsigned long long *>(&part.square), own.square);
		}
	}
	__syncthreads();
	if (threadIdx.x == 0 && c.aq.mode != 1) {
		h264i_aq_sums *sums = &c.sums[blockIdx.y];

		atomicAdd(reinterpret_cast<unsigned long long *>(&sums->root), part.root);
		atomicAdd(reinterpret_cast<unsigned long long *>(&sums->square), part.square);
	}
}

static __global__ void __launch_bounds__(256) aq_qp_kernel(aq_ctx c)
{
	uint32_t mbs = c.geom.mb_width * c.geom.mb_height, at = blockIdx.x * 256 + threadIdx.x;
	size_t n = (size_t)blockIdx.y * mbs + at;

	if (at < mbs)
		c.mb_qp[n] = h264i_aq_qp(c.pic[blockIdx.y].qp,
			h264i_aq_offset_of_root(
				h264i_aq_scale_of(&c.aq, &c.sums[blockIdx.y], mbs), c.root[n]));
}

/* Starts both for `frames` pictures. */
static cudaError_t aq_launch(const aq_ctx *c, uint32_t frames, cudaStream_t stream)
{
	uint32_t mbs = c->geom.mb_width * c->geom.mb_height;
	cudaError_t e = cudaSuccess;

	if (c->aq.mode != 1)
		e = cudaMemsetAsync(c->sums, 0, frames * sizeof(*c->sums), stream);
	if (e != cudaSuccess)
		return e;
	aq_energy_kernel<<<dim3((mbs + AQ_WARPS - 1) / AQ_WARPS, frames), 32 * AQ_WARPS, 0,
		stream>>>(*c);
	e = cudaGetLastError();
	if (e != cudaSuccess || c->aq.mode == 1)
		return e;
	aq_qp_kernel<<<dim3((mbs + 255) / 256, frames), 256, 0, stream>>>(*c);
	return cudaGetLastError();
}

#endif
