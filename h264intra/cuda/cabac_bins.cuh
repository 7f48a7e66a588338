/* Bins of CABAC on the GPU: of all macroblocks of a group at once, then in the order of the
 * stream. */
#ifndef H264INTRA_CUDA_CABAC_BINS_CUH
#define H264INTRA_CUDA_CABAC_BINS_CUH

#include "h264intra/cuda/entropy.cuh"
#include "h264intra/entropy/cabac_mb.h"

enum {
	BINS_WARPS = 4,
	PART_BINS = 48, /* of a part, staged in shared memory */
};

/* The inclusive prefix sum of v over the warp. */
GPU_FN uint32_t warp_sums(uint32_t v, uint32_t lane)
{
	for (int d = 1; d < 32; d <<= 1) {
		uint32_t up = __shfl_up_sync(0xffffffffu, v, d);

		v += (int)lane >= d ? up : 0;
	}
	return v;
}

/* Reserves memory in the pool for the bins of macroblock n, and copies the staged ones to it. */
GPU_FN uint16_t *stage_out(const entropy_ctx *e, uint32_t n, uint32_t total,
	const uint16_t (*stage)[PART_BINS], uint32_t before, uint32_t lane)
{
	uint32_t at = 0;
	uint16_t *to;

	if (lane == 0)
		at = atomicAdd(e->cabac.pool_used, total);
	at = __shfl_sync(0xffffffffu, at, 0);
	if (lane == 0) {
		e->cabac.mb_pool[n] = at;
		e->mb_bits[n] = total;
	}
	if (at > e->cabac.room || total > e->cabac.room - at)
		return NULL;
	to = e->cabac.pool + at;
	for (uint32_t base = 0; base + 1 < total; base += 32) {
		uint32_t i = base + lane, part = 0;

		/* The part of bin i: the last whose first bin is not behind it. */
		for (uint32_t step = 16; step; step >>= 1)
			part += __shfl_sync(0xffffffffu, before, part + step) <= i ? step : 0;
		i -= __shfl_sync(0xffffffffu, before, part);
		if (i < PART_BINS && base + lane + 1 < total)
			to[base + lane] = stage[part][i];
	}
	return to;
}

/* Bins are staged in shared memory, because their number is not known before; a part with more than
 * fit is binarised again. */
static __global__ void __launch_bounds__(32 * BINS_WARPS) bins_kernel(entropy_ctx e)
{
	__shared__ uint16_t stage[BINS_WARPS][H264I_MB_PARTS][PART_BINS];
	uint32_t warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
	uint32_t n = blockIdx.x * BINS_WARPS + warp, end, total;
	h264i_bins out = { stage[warp][lane], 0, PART_BINS };
	uint16_t *to;
	mb_context c;

	if (n >= e.frames * geom_mbs(&e.geom))
		return;
	c = mb_context_of(&e, n);
	h264i_mb_part_bins(&out, c.mb, c.levels, c.left, c.up, c.prev, e.transform8x8, (int)lane);
	end = warp_sums(out.count, lane);
	total = __shfl_sync(0xffffffffu, end, 31) + 1; /* end_of_slice_flag */
	__syncwarp();
	to = stage_out(&e, n, total, stage[warp], end - out.count, lane);
	if (!to)
		return;
	if (out.count > PART_BINS) {
		h264i_bins again = { to + end - out.count, 0, out.count };

		h264i_mb_part_bins(
			&again, c.mb, c.levels, c.left, c.up, c.prev, e.transform8x8, (int)lane);
	}
	if (lane == 31) {
		uint32_t slice = h264i_slice_of_row(&e.geom, c.at / e.geom.mb_width);
		uint32_t last = h264i_slice_first_row(&e.geom, slice + 1) * e.geom.mb_width - 1;

		to[total - 1] = (uint16_t)(H264I_CTX_TERMINATE << 1 | (c.at == last));
	}
}

static __global__ void __launch_bounds__(PLACE_THREADS) place_bins_kernel(entropy_ctx e)
{
	const slice_place s = slice_place_of(&e, blockIdx.x);
	uint32_t *at = e.mb_at + (size_t)s.frame * geom_mbs(&e.geom);
	const uint32_t *bins = e.mb_bits + (size_t)s.frame * geom_mbs(&e.geom);
	uint32_t pos = 0;

	for (uint32_t base = s.first; base < s.end; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x, to;
		h264i_advance own = { 0, i < s.end ? bins[i] : 0, 0 };

		to = block_place(own, &pos);
		if (i < s.end)
			at[i] = to;
	}
	if (threadIdx.x == 0)
		e.cabac.slice_ops[blockIdx.x] = pos;
}

/* The operations of a slice occupy whole chunks; states_kernel writes up to 31 more, and four more
 * bytes are read. */
GPU_FN uint32_t slice_room(uint32_t ops)
{
	return (ops + 31 + 4 + H264I_CHUNK_OPS - 1) / H264I_CHUNK_OPS * H264I_CHUNK_OPS;
}

static __global__ void __launch_bounds__(PLACE_THREADS) base_kernel(entropy_ctx e)
{
	uint32_t slices = e.frames * e.geom.slices, pos = 0;

	for (uint32_t base = 0; base < slices; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x, to;
		h264i_advance own = { 0, i < slices ? slice_room(e.cabac.slice_ops[i]) : 0, 0 };

		to = block_place(own, &pos);
		if (i < slices)
			e.cabac.slice_at[i] = to;
	}
	if (threadIdx.x == 0) {
		e.cabac.needed[0] = pos;
		e.cabac.slice_at[-1] = pos;
	}
}

/* 1: the operations of the group need more room than there is; the host will enlarge it and start
 * again. */
GPU_FN int ops_overflow(const entropy_ctx *e)
{
	return e->cabac.slice_at[-1] > e->cabac.room;
}

/* Puts the bins of the pool in the order of the stream. */
static __global__ void __launch_bounds__(32 * BINS_WARPS) order_kernel(entropy_ctx e)
{
	uint32_t lane = threadIdx.x & 31, n = blockIdx.x * BINS_WARPS + (threadIdx.x >> 5);
	uint32_t mbs = geom_mbs(&e.geom), slice, total;
	const uint16_t *from;
	uint16_t *to;

	if (n >= e.frames * mbs || ops_overflow(&e))
		return;
	slice = h264i_slice_of_row(&e.geom, n % mbs / e.geom.mb_width);
	total = e.mb_bits[n];
	from = e.cabac.pool + e.cabac.mb_pool[n];
	to = e.cabac.bins + e.cabac.slice_at[n / mbs * e.geom.slices + slice] + e.mb_at[n];
	for (uint32_t i = lane; i < total; i += 32)
		to[i] = from[i];
}

#endif
