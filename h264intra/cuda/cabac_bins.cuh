/* Bins of CABAC on the GPU: of all macroblocks of a group at once, then in the order of the
 * stream. */
#ifndef H264INTRA_CUDA_CABAC_BINS_CUH
#define H264INTRA_CUDA_CABAC_BINS_CUH

#include "h264intra/cuda/entropy.cuh"
#include "h264intra/entropy/cabac_mb.h"

enum {
	BINS_WARPS = 4,
	PART_BINS = 48, /* of a part of a macroblock with 8x8 blocks, staged in shared memory */
	STAGE_BINS = H264I_MB_PARTS * PART_BINS
};

/* Reserves memory in the pool for the bins of macroblock n; NULL if there is none. */
GPU_FN uint16_t *reserve_bins(const entropy_ctx *e, uint32_t n, uint32_t total, uint32_t lane)
{
	uint32_t at = 0;

	if (lane == 0) {
		at = atomicAdd(e->cabac.pool_used, total);
		e->cabac.mb_pool[n] = at;
		e->mb_bits[n] = total;
	}
	at = __shfl_sync(0xffffffffu, at, 0);
	if (at > e->scratch.capacity || total > e->scratch.capacity - at)
		return NULL;
	return e->scratch.pool + at;
}

/* A block of levels, the same in the 16 lanes of a half warp, a lane per coefficient. */
typedef struct lane_block {
	uint32_t nonzero, larger; /* bit i: level i is not 0; is not 0, 1 or -1 */
	uint32_t coefficients;
	int level; /* the lane's */
	int ctx_map, ctx_abs;
	uint32_t map_bins, level_bins;
	uint32_t later; /* bins of the levels before the lane's, those of higher coefficients */
} lane_block;

/* Bins of a level other than 0. */
GPU_FN uint32_t level_bins(int level)
{
	uint32_t rest = (uint32_t)abs(level) - 1;

	if (rest < 14)
		return rest ? rest + 2 : 2;
	return 16 + 2 * h264i_top_bit(rest - 13);
}

/* Block `item` of a macroblock without 8x8 blocks, 1..27; 0: none. */
GPU_FN lane_block load_lane_block(
	const h264i_levels *levels, uint32_t item, int intra16x16, uint32_t lane)
{
	uint32_t hl = lane & 15, shift = lane & 16, cat, at, below, one;
	lane_block b;

	if (item < H264I_ITEM_LUMA) {
		cat = H264I_CAT_LUMA_DC;
		at = 256;
	} else if (item < H264I_ITEM_CHROMA_DC) {
		cat = intra16x16 ? H264I_CAT_LUMA_AC : H264I_CAT_LUMA_4X4;
		at = 16 * (item - H264I_ITEM_LUMA) + (intra16x16 ? 1 : 0);
	} else if (item < H264I_ITEM_CHROMA_AC) {
		cat = H264I_CAT_CHROMA_DC;
		at = 272 + 4 * (item - H264I_ITEM_CHROMA_DC);
	} else {
		cat = H264I_CAT_CHROMA_AC;
		at = 280 + 16 * (item - H264I_ITEM_CHROMA_AC) + 1;
	}
	b.coefficients = cat == H264I_CAT_CHROMA_DC                               ? 4
			 : cat == H264I_CAT_LUMA_AC || cat == H264I_CAT_CHROMA_AC ? 15
										  : 16;
	b.ctx_map = h264i_cat_offset((int)cat);
	b.ctx_abs = H264I_CTX_ABS + h264i_cat_offset_abs((int)cat);
	b.level = item && hl < b.coefficients ? (&levels->luma[0][0])[at + hl] : 0;
	b.nonzero = __ballot_sync(0xffffffffu, b.level != 0) >> shift & 0xffff;
	b.larger = __ballot_sync(0xffffffffu, abs(b.level) > 1) >> shift & 0xffff;
	/* Of the last coefficient there is no significant_coeff_flag and no last... */
	below = b.nonzero & ((1u << (b.coefficients - 1)) - 1);
	one = b.nonzero ? min(h264i_top_bit(b.nonzero) + 1, b.coefficients - 1) : 0;
	b.map_bins = one + __popc(below);
	b.later = 2 * __popc(b.nonzero >> 1 >> hl) + __popc(b.larger >> 1 >> hl);
	b.level_bins = 2 * __popc(b.nonzero) + __popc(b.larger);
	if (__any_sync(0xffffffffu, abs(b.level) > 2)) {
		uint32_t own = b.level ? level_bins(b.level) : 0, sum = own;

#pragma unroll
		for (int d = 1; d < 16; d <<= 1) {
			uint32_t down = __shfl_down_sync(0xffffffffu, sum, d, 16);

			sum += (int)hl + d < 16 ? down : 0;
		}
		b.later = sum - own;
		b.level_bins = __shfl_sync(0xffffffffu, sum, 0, 16);
	}
	return b;
}

/* Writes the bins of a block at `to`, as h264i_block_bins() does. */
GPU_FN void put_lane_block(const lane_block *b, uint16_t *to, uint32_t hl)
{
	uint32_t last = h264i_top_bit(b->nonzero), at = hl + __popc(b->nonzero & ((1u << hl) - 1));
	uint32_t ones = __popc((b->nonzero & ~b->larger) >> 1 >> hl);
	uint32_t larger = __popc(b->larger >> 1 >> hl);
	h264i_bins out = { to + b->map_bins + b->later, 0, UINT32_MAX };

	if (hl <= last && hl + 1 < b->coefficients) {
		to[at] = (uint16_t)((H264I_CTX_SIGNIFICANT + b->ctx_map + hl) << 1 |
				    (b->level != 0));
		if (b->level)
			to[at + 1] =
				(uint16_t)((H264I_CTX_LAST + b->ctx_map + hl) << 1 | (hl == last));
	}
	if (b->level)
		h264i_level_bins(&out, b->level,
			b->ctx_abs + (larger            ? 0
					     : ones < 3 ? (int)ones + 1
							: 4),
			b->ctx_abs + 5 + (int)min(larger, 4u));
}

/* The header of a macroblock other than I_PCM: writes its bins at `to`, returns their number. Lane
 * b < 16 has the mode of block b, lane 16 mb_type, lane 17 what comes behind the modes. */
GPU_FN uint32_t put_header(const entropy_ctx *e, const mb_context *c, uint16_t *to, uint32_t lane)
{
	int n_by_n = c->mb->type == H264I_MB_I4X4, mode, predicted;
	uint32_t others, first, at, modes = 0;
	h264i_bins out = { to, 0, UINT32_MAX };

	if (lane == 16) {
		h264i_mb_type_bins(&out, c->mb, c->left, c->up);
		if (n_by_n && (e->syntax & H264I_SYNTAX_8X8))
			h264i_bin(&out,
				H264I_CTX_T8X8 + (c->left && (c->left->flags & H264I_MB_T8X8)) +
					(c->up && (c->up->flags & H264I_MB_T8X8)),
				0);
	}
	first = __shfl_sync(0xffffffffu, out.count, 16);
	if (n_by_n) {
		uint32_t b = lane & 15;

		mode = c->mb->i4_mode[b];
		predicted = h264i_predicted_mode(c->mb, c->left, c->up, (int)b);
		others = __ballot_sync(0xffffffffu, mode != predicted) & 0xffff;
		at = first + b + 3 * __popc(others & ((1u << b) - 1));
		modes = 16 + 3 * __popc(others);
		if (lane < 16) {
			int rem = mode - (mode > predicted);

			to[at] = (uint16_t)(H264I_CTX_PREV_MODE << 1 | (mode == predicted));
			for (int i = 0; i < 3 && mode != predicted; i++)
				to[at + 1 + i] =
					(uint16_t)(H264I_CTX_REM_MODE << 1 | (rem >> i & 1));
		}
	}
	out.bin = to + first + modes;
	out.count = 0;
	if (lane == 17)
		h264i_mb_header_bins(&out, c->mb, c->left, c->up, c->prev, e->syntax, 4);
	return first + modes + __shfl_sync(0xffffffffu, out.count, 17);
}

/* Items with coded_block_flag 1 of a macroblock without 8x8 blocks, bit i for item i, of those in
 * `items`. */
GPU_FN uint32_t coded_items(const h264i_mb *mb, uint32_t items, uint32_t lane)
{
	int coded = 0;

	if (lane == H264I_ITEM_LUMA_DC || (lane & ~1u) == H264I_ITEM_CHROMA_DC)
		coded = mb->flags &
			(lane == H264I_ITEM_LUMA_DC ? H264I_MB_DC_Y : H264I_MB_DC_CB << (lane & 1));
	else if (lane >= H264I_ITEM_LUMA && lane < H264I_MB_ITEMS)
		coded = mb->total[lane < H264I_ITEM_CHROMA_DC ? lane - H264I_ITEM_LUMA
							      : lane - H264I_ITEM_CHROMA_AC + 16];
	return __ballot_sync(0xffffffffu, coded && items >> lane & 1);
}

/* The bins of a macroblock without 8x8 blocks, other than I_PCM, in stream order: two blocks at a
 * time, a lane per coefficient. Returns their number; of more than STAGE_BINS not all are
 * written. */
GPU_FN uint32_t stage_4x4(const entropy_ctx *e, const mb_context *c, uint16_t *stage, uint32_t lane)
{
	const h264i_mb *mb = c->mb;
	uint32_t items = h264i_mb_bin_items(mb) & ~1u, head = put_header(e, c, stage, lane);
	uint32_t coded = coded_items(mb, items, lane), left = coded, sum = 0, own = 0;

	while (left) {
		uint32_t a = (uint32_t)__ffs((int)left) - 1, b, at, size, size_a, size_b;
		lane_block block;

		left &= left - 1;
		b = left ? (uint32_t)__ffs((int)left) - 1 : 0;
		left &= left - 1;
		block = load_lane_block(
			c->levels, lane & 16 ? b : a, mb->type == H264I_MB_I16X16, lane);
		size = block.map_bins + block.level_bins;
		size_a = __shfl_sync(0xffffffffu, size, 0);
		size_b = __shfl_sync(0xffffffffu, size, 16);
		/* Before a block there are the flags of the items up to it. */
		at = head + sum +
		     (lane & 16 ? size_a + __popc(items & ((2u << b) - 1))
				: __popc(items & ((2u << a) - 1)));
		if (at + size <= STAGE_BINS && block.nonzero)
			put_lane_block(&block, stage + at, lane & 15);
		sum += size_a + size_b;
		own += (lane > a ? size_a : 0) + (b && lane > b ? size_b : 0);
	}
	own += head + __popc(items & ((1u << lane) - 1));
	if (items >> lane & 1 && own < STAGE_BINS) {
		int cat = lane == H264I_ITEM_LUMA_DC     ? H264I_CAT_LUMA_DC
			  : lane >= H264I_ITEM_CHROMA_AC ? H264I_CAT_CHROMA_AC
			  : lane >= H264I_ITEM_CHROMA_DC ? H264I_CAT_CHROMA_DC
			  : mb->type == H264I_MB_I16X16  ? H264I_CAT_LUMA_AC
							 : H264I_CAT_LUMA_4X4;

		stage[own] =
			(uint16_t)((H264I_CTX_CODED_BLOCK + 4 * cat +
					   h264i_coded_block_inc(mb, c->left, c->up, (int)lane))
					   << 1 |
				   (coded >> lane & 1));
	}
	__syncwarp();
	return head + sum + __popc(items);
}

/* Copies the bins of parts from `stage` to the pool; before: bins before the lane's part. */
GPU_FN void unstage_parts(
	uint16_t *to, const uint16_t *stage, uint32_t total, uint32_t before, uint32_t lane)
{
	for (uint32_t base = 0; base < total; base += 32) {
		uint32_t i = base + lane, part = 0;

		/* The part of bin i: the last whose first bin is not behind it. */
		for (uint32_t step = 16; step; step >>= 1)
			part += __shfl_sync(0xffffffffu, before, part + step) <= i ? step : 0;
		i -= __shfl_sync(0xffffffffu, before, part);
		if (i < PART_BINS && base + lane < total)
			to[base + lane] = stage[part * PART_BINS + i];
	}
}

/* The bins of any macroblock n, a lane per part, at once into the pool. A part with more than fit
 * in the stage is binarised again. Returns where they are, NULL if they exceed the capacity, and
 * their number and that of end_of_slice_flag in *total. */
GPU_FN uint16_t *put_parts(const entropy_ctx *e, const mb_context *c, uint32_t n, uint16_t *stage,
	uint32_t *total, uint32_t lane)
{
	h264i_bins out = { stage + lane * PART_BINS, 0, PART_BINS };
	uint32_t end;
	uint16_t *to;

	h264i_mb_part_bins(&out, c->mb, c->levels, c->left, c->up, c->prev, e->syntax, (int)lane);
	end = warp_sums(out.count, lane);
	*total = __shfl_sync(0xffffffffu, end, 31) + 1;
	__syncwarp();
	to = reserve_bins(e, n, *total, lane);
	if (!to)
		return NULL;
	unstage_parts(to, stage, *total - 1, end - out.count, lane);
	if (out.count > PART_BINS) {
		h264i_bins again = { to + end - out.count, 0, out.count };

		h264i_mb_part_bins(
			&again, c->mb, c->levels, c->left, c->up, c->prev, e->syntax, (int)lane);
	}
	return to;
}

/* Bins are staged in shared memory, because their number is not known before. */
static __global__ void __launch_bounds__(32 * BINS_WARPS) bins_kernel(entropy_ctx e)
{
	__shared__ uint16_t shared[BINS_WARPS][STAGE_BINS];
	uint32_t warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
	uint32_t n = blockIdx.x * BINS_WARPS + warp, total = STAGE_BINS + 1;
	uint16_t *to, *stage = shared[warp];
	mb_context c;

	after_kernels();
	if (n == 0 && lane == 0)
		e.cabac.slice_at[-1] = 0;
	if (n >= e.frames * geom_mbs(&e.geom))
		return;
	c = mb_context_of(&e, n);
	if (c.mb->type != H264I_MB_PCM && !(c.mb->flags & H264I_MB_T8X8))
		total = stage_4x4(&e, &c, stage, lane);
	if (total <= STAGE_BINS) {
		total++; /* end_of_slice_flag */
		to = reserve_bins(&e, n, total, lane);
		for (uint32_t i = lane; to && i + 1 < total; i += 32)
			to[i] = stage[i];
	} else {
		__syncwarp();
		to = put_parts(&e, &c, n, stage, &total, lane);
	}
	if (to && lane == 31)
		to[total - 1] = (uint16_t)(H264I_CTX_TERMINATE << 1 | c.last);
}

/* Chunks that the operations of a slice occupy, with those that are read ahead. */
GPU_FN uint32_t slice_chunk_count(uint32_t ops)
{
	return (uint32_t)(((uint64_t)ops + H264I_OPS_AHEAD + H264I_CHUNK_OPS - 1) /
			  H264I_CHUNK_OPS);
}

/* One block: the positions of the slices. They are counted in chunks, because the operations of a
 * group can exceed 32 bits; then no capacity is enough. */
GPU_FN void place_slices(const entropy_ctx *e)
{
	uint32_t slices = e->frames * e->geom.slices, pos = 0;

	for (uint32_t base = 0; base < slices; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x, to;
		h264i_advance own = { 0,
			i < slices ? slice_chunk_count(__ldcg(&e->cabac.slice_ops[i])) : 0, 0 };

		to = block_place(own, &pos);
		if (i < slices)
			e->cabac.slice_at[i] = to * H264I_CHUNK_OPS;
	}
	pos = pos <= UINT32_MAX / H264I_CHUNK_OPS ? pos * H264I_CHUNK_OPS : UINT32_MAX;
	if (threadIdx.x == 0) {
		e->cabac.needed[0] = pos;
		e->cabac.slice_at[-1] = pos;
		*e->cabac.pool_used = 0; /* for the next group */
		e->frame_at[0] = 0;
	}
}

static __global__ void __launch_bounds__(PLACE_THREADS) place_bins_kernel(entropy_ctx e)
{
	const slice_place s = slice_place_of(&e, blockIdx.x);
	uint32_t *at = e.mb_at + (size_t)s.frame * geom_mbs(&e.geom);
	const uint32_t *bins = e.mb_bits + (size_t)s.frame * geom_mbs(&e.geom);
	uint32_t pos = 0;

	after_kernels();
	for (uint32_t base = s.first; base < s.end; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x, to;
		h264i_advance own = { 0, i < s.end ? bins[i] : 0, 0 };

		to = block_place(own, &pos);
		if (i < s.end)
			at[i] = to;
	}
	if (threadIdx.x == 0)
		e.cabac.slice_ops[blockIdx.x] = pos;
	if (last_block(&e.cabac.slice_at[-1], gridDim.x))
		place_slices(&e);
}

/* 1: the operations of the group exceed the capacity; the host will enlarge it and start again. */
GPU_FN int ops_overflow(const entropy_ctx *e)
{
	return e->cabac.slice_at[-1] > e->scratch.capacity;
}

/* Puts the bins of the pool in the order of the stream. */
static __global__ void __launch_bounds__(32 * BINS_WARPS) order_kernel(entropy_ctx e)
{
	uint32_t lane = threadIdx.x & 31, n = blockIdx.x * BINS_WARPS + (threadIdx.x >> 5);
	uint32_t mbs = geom_mbs(&e.geom), frame, slice, total;
	const uint16_t *from;
	uint16_t *to;

	after_kernels();
	if (n >= e.frames * mbs || ops_overflow(&e))
		return;
	frame = n / mbs;
	slice = slice_of_row(&e.geom, (n - frame * mbs) / e.geom.mb_width);
	total = e.mb_bits[n];
	from = e.scratch.pool + e.cabac.mb_pool[n];
	to = e.scratch.bins + e.cabac.slice_at[frame * e.geom.slices + slice] + e.mb_at[n];
	for (uint32_t i = lane; i < total; i += 32)
		to[i] = from[i];
}

#endif
