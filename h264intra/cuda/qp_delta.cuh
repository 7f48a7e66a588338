/* mb_qp_delta of all macroblocks, between the wavefront and entropy coding (entropy/qp_delta.h). */
#ifndef H264INTRA_CUDA_QP_DELTA_CUH
#define H264INTRA_CUDA_QP_DELTA_CUH

#include "h264intra/cuda/entropy.cuh"
#include "h264intra/entropy/qp_delta.h"

/* The QP of the last macroblock before this thread's that has mb_qp_delta: `qp` of this thread's,
 * -1 without. *last is that before the first thread's and becomes that behind the last's. Called by
 * all PLACE_THREADS threads. */
GPU_FN int block_last_qp(int qp, int *last)
{
	__shared__ int warp_last[32];
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	uint32_t coded = __ballot_sync(0xffffffffu, qp >= 0), lower = coded & ((1u << lane) - 1);
	int mine = __shfl_sync(0xffffffffu, qp, lower ? 31 - __clz(lower) : 0);
	int top = __shfl_sync(0xffffffffu, qp, coded ? 31 - __clz(coded) : 0), before = *last;

	__syncthreads();
	if (lane == 0)
		warp_last[warp] = coded ? top : -1;
	__syncthreads();
	for (uint32_t w = 0; w < 32; w++) {
		int v = warp_last[w];

		before = w < warp && v >= 0 ? v : before;
		*last = v >= 0 ? v : *last;
	}
	return lower ? mine : before;
}

/* One block per slice: sets qp_delta, and qp of macroblocks without it. */
static __global__ void __launch_bounds__(PLACE_THREADS) qp_delta_kernel(entropy_ctx e)
{
	const slice_place s = slice_place_of(&e, blockIdx.x);
	const h264i_picture *p = &e.pic[s.frame];
	int last = (int)p->qp;

	after_kernels();
	for (uint32_t base = s.first; base < s.end; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x;
		h264i_mb *mb = &p->mb[i];
		int coded = i < s.end && h264i_has_qp_delta(mb), qp = coded ? mb->qp : -1;
		int before = block_last_qp(qp, &last);

		if (coded)
			mb->qp_delta = (int8_t)h264i_qp_delta(qp, before);
		else if (i < s.end)
			mb->qp = (uint8_t)before;
	}
}

#endif
