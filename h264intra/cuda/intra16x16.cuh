/* Intra16x16 of one macroblock by one warp: one lane per 4x4 block and mode for the decision, one
 * half warp per block for the coding. The prediction is written to the reconstruction
 * first; the decoded residual is added to it. */
#ifndef H264INTRA_CUDA_INTRA16X16_CUH
#define H264INTRA_CUDA_INTRA16X16_CUH

#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/decide/cost.h"

/* Four samples of a plane prediction at (x..x+3, y). */
GPU_FN px4 plane_word(const h264i_plane *p, int x, int y, int c0)
{
	int v = p->a + p->b * (x - c0) + p->c * (y - c0) + 16;
	px4 r = px4_zero();

#pragma unroll
	for (int i = 0; i < 4; i++)
		r = px4_with(r, i, (uint32_t)h264i_clip_px((v + i * p->b) >> 5));
	return r;
}

/* DC and plane prediction of luma, from its borders. */
typedef struct luma_borders {
	int dc;
	h264i_plane plane;
} luma_borders;

/* Called by all lanes; all get the same. */
GPU_FN luma_borders luma_borders_of(mb_local *l, int avail, int lane)
{
	/* Lanes 0..15 hold the row above, 16..31 the left column. */
	int i = lane & 15, up = lane < 16, grad;
	int v = up ? *rec_y(l, i, -1) : *rec_y(l, -1, i);
	uint32_t sums = __reduce_add_sync(0xffffffffu, up ? (uint32_t)v : (uint32_t)v << 16);
	luma_borders r;

	/* sum x' (p[7+x'] - p[7-x']): weight i - 7; the corner has weight -8. */
	grad = (i - 7) * v - (i == 0 ? 8 * *rec_y(l, -1, -1) : 0);
	int h = (int)__reduce_add_sync(0xffffffffu, (uint32_t)(up ? grad : 0));
	int g = (int)__reduce_add_sync(0xffffffffu, (uint32_t)(up ? 0 : grad));

	r.dc = h264i_dc16(avail, (int)(sums & 0xffff), (int)(sums >> 16));
	r.plane = h264i_plane16(h, g, *rec_y(l, -1, 15), *rec_y(l, 15, -1));
	return r;
}

/* Four predicted luma samples at (x, y), x a multiple of 4. */
GPU_FN px4 luma_word(mb_local *l, const luma_borders *bd, int mode, int x, int y)
{
	switch (mode) {
	case I16_V:
		return px4_at(rec_y(l, x, -1));
	case I16_H:
		return px4_splat(*rec_y(l, -1, y));
	case I16_DC:
		return px4_splat((uint32_t)bd->dc);
	default:
		return plane_word(&bd->plane, x, y, 7);
	}
}

/* The four rows of the predicted luma block at (x, y). */
GPU_FN void luma_block(mb_local *l, const luma_borders *bd, int mode, int x, int y, px4 pred[4])
{
	if (mode == I16_PLANE) {
#pragma unroll
		for (int i = 0; i < 4; i++)
			pred[i] = plane_word(&bd->plane, x, y + i, 7);
		return;
	}
	pred[0] = mode == I16_V ? px4_at(rec_y(l, x, -1)) : px4_splat((uint32_t)bd->dc);
#pragma unroll
	for (int i = 3; i >= 0; i--)
		pred[i] = mode == I16_H ? px4_splat(*rec_y(l, -1, y + i)) : pred[0];
}

/* Keys (cost << 4 | mode) of two of the modes in each half, of which the first half has those of V
 * and DC, the second those of H and plane; 0xffffffff of those that are not allowed. Two passes: V
 * and H, then DC and plane; one half warp per mode, one lane per block. */
GPU_FN uint2 half_keys16(
	mb_local *l, const h264i_qparams *q, const luma_borders *bd, int avail, int lane)
{
	int b = lane & 15, bx = b & 3, by = b >> 2;
	uint32_t allowed = h264i_i16_allowed(avail, q->disable);
	px4 src[4];
	uint2 both = make_uint2(0xffffffffu, 0xffffffffu);
	int hsrc[16];

#pragma unroll
	for (int i = 0; i < 4; i++)
		src[i] = reinterpret_cast<const px4 *>(&l->src_y[4 * by + i])[bx];
	hadamard_rows(src, hsrc);
#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		int mode = 2 * pass + (lane >> 4);
		uint32_t key;
		px4 pred[4];

		if (!(allowed >> (2 * pass) & 3))
			continue;
		luma_block(l, bd, mode, 4 * bx, 4 * by, pred);
		key = h264i_cost(half_sum(satd4x4(hsrc, pred), lane), q->lambda,
			      h264i_i16_mode_bits(mode))
			      << 4 |
		      (uint32_t)mode;
		if (!(allowed >> mode & 1))
			continue;
		if (pass)
			both.y = key;
		else
			both.x = key;
	}
	return both;
}

/* The lowest of them. */
GPU_FN uint32_t decide_intra16x16(
	mb_local *l, const h264i_qparams *q, const luma_borders *bd, int avail, int lane)
{
	uint2 keys = half_keys16(l, q, bd, avail, lane);

	return __reduce_min_sync(0xffffffffu, min(keys.x, keys.y));
}

/* All of them, by mode. */
GPU_FN void keys16(mb_local *l, const h264i_qparams *q, const luma_borders *bd, int avail,
	uint32_t keys[I16_MODES], int lane)
{
	uint2 own = half_keys16(l, q, bd, avail, lane);

	keys[I16_V] = __shfl_sync(0xffffffffu, own.x, 0);
	keys[I16_H] = __shfl_sync(0xffffffffu, own.x, 16);
	keys[I16_DC] = __shfl_sync(0xffffffffu, own.y, 0);
	keys[I16_PLANE] = __shfl_sync(0xffffffffu, own.y, 16);
}

/* Transforms and quantises one block per half warp, one coefficient per lane. *dc gets the DC
 * coefficient, which is coded in a block of DCs; its level here is 0. Returns total_coeff, in all
 * lanes of the half. */
GPU_FN int code_ac(const px4 src[4], const px4 pred[4], const h264i_quant *q, const lane_consts *k,
	int mf, int16_t *levels, int32_t *dc, mb_sums *sums, int lane)
{
	int rows[4], c, hl = lane & 15, level, n;
	uint32_t any;

#pragma unroll
	for (int i = 0; i < 4; i++)
		rows[i] = px4_dot(src[i], k->row, 0);
	c = forward_coef(rows, pred, k);

	if (hl == 0)
		*dc = c;
	level = hl ? h264i_quantise(c, mf, q->bias, q->qbits) : 0;
	any = __ballot_sync(0xffffffffu, level != 0);
	n = __popc(lane & 16 ? any >> 16 : any & 0xffff);
	levels[k->zig] = (int16_t)level;
	sums->coded_blocks += n != 0;
	sums_add(sums, level);
	return n;
}

/* Adds to four samples the residual of a block whose only coefficient is the dequantised `dc`. */
GPU_FN px4 add_dc(px4 v, int dc)
{
	return px4_add(v, (dc + 32) >> 6);
}

/* Hadamard transform of n lanes, 4 or 16, in Sylvester's order: of four lanes that of the standard.
 * Its own inverse up to n. */
GPU_FN int hadamard_lanes(int v, int n, int lane)
{
#pragma unroll
	for (int d = 1; d < n; d <<= 1) {
		int other = __shfl_xor_sync(0xffffffffu, v, d);

		v = lane & d ? other - v : v + other;
	}
	return v;
}

/* Row or column of the standard's Hadamard matrix that hadamard_lanes() computes in index i. */
GPU_FN int standard_index(int i)
{
	return i == 1 ? 3 : i == 2 ? 1 : i == 3 ? 2 : 0;
}

/* Adds the decoded residual to the prediction. dcs: the dequantised DC of block (x, y) in lane
 * 4 * y + x of each half; ac: a level of l->levels.luma is not 0. */
GPU_FN void reconstruct_luma(
	mb_local *l, const lane_consts *k, int scale, int ac, int dcs, mb_sums *sums, int lane)
{
	int hl = lane & 15, half = lane >> 4;

	if (!ac) {
#pragma unroll
		for (int i = 0; i < 2; i++) {
			int at = lane + 32 * i;
			h264i_px *px = rec_y(l, 4 * (at & 3), at >> 2);

			*px4_in(px) = add_dc(px4_at(px),
				__shfl_sync(0xffffffffu, dcs, 4 * (at >> 4) + (at & 3)));
		}
		sums->peak = h264i_peak(sums->peak, dcs);
		return;
	}
#pragma unroll 1
	for (int pass = 0; pass < 8; pass++) {
		int b = 2 * pass + half, bx = h264i_blk_x(b), by = h264i_blk_y(b);
		int dc = __shfl_sync(0xffffffffu, dcs, 4 * by + bx);
		int coef = hl ? h264i_dequant(l->levels.luma[b][k->zig], scale) : dc;
		h264i_px *at = rec_y(l, 4 * bx + (hl & 3), 4 * by + (hl >> 2));

		reinterpret_cast<int32_t *>(l->coef[half])[hl] = coef;
		sums->peak = h264i_peak(sums->peak, coef);
		__syncwarp();
		*at = h264i_clip_px(
			*at + inverse_sample(reinterpret_cast<const int32_t *>(l->coef[half]), k,
				      &sums->peak));
		__syncwarp();
	}
}

/* Writes the prediction of `mode` to the reconstruction, two words per lane. */
GPU_FN void predict_luma(mb_local *l, const luma_borders *bd, int mode, int lane)
{
#pragma unroll
	for (int i = 0; i < 2; i++) {
		int at = lane + 32 * i;

		*px4_in(rec_y(l, 4 * (at & 3), at >> 2)) =
			luma_word(l, bd, mode, 4 * (at & 3), at >> 2);
	}
	__syncwarp();
}

/* Codes the macroblock as Intra16x16 with `mode`. Loops over blocks are not unrolled, here as in
 * chroma.cuh: with more code than the instruction caches hold, warps wait for instructions most of
 * the time. */
GPU_FN void do_intra16x16(mb_local *l, const h264i_qparams *qp, const luma_borders *bd, int mode,
	const lane_consts *k, mb_sums *sums, int lane)
{
	const h264i_quant *q = &qp->luma;
	const int mf = q->mul[k->pos], scale = q->step[k->pos];
	int hl = lane & 15, half = lane >> 4, ac = 0, dcs;
	int32_t *dc = reinterpret_cast<int32_t *>(l->coef[0]);

	predict_luma(l, bd, mode, lane);
#pragma unroll 1
	for (int pass = 0; pass < 8; pass++) {
		int b = 2 * pass + half, bx = h264i_blk_x(b), by = h264i_blk_y(b), n;
		px4 src[4], pred[4];

#pragma unroll
		for (int i = 0; i < 4; i++) {
			src[i] = reinterpret_cast<const px4 *>(&l->src_y[4 * by + i])[bx];
			pred[i] = px4_at(rec_y(l, 4 * bx, 4 * by + i));
		}
		n = code_ac(src, pred, q, k, mf, l->levels.luma[b], &dc[4 * by + bx], sums, lane);
		ac |= n;
		if (hl == 0)
			l->mb.total[b] = (uint8_t)n;
	}
	ac |= __shfl_xor_sync(0xffffffffu, ac, 16);
	__syncwarp();
	dcs = dc[hl];

	int column = standard_index(hl & 3), row = standard_index(hl >> 2);

	dcs = h264i_quantise_dc((hadamard_lanes(dcs, 16, lane) + 1) >> 1, q);
	uint32_t any = __ballot_sync(0xffffffffu, dcs != 0) & 0xffff;

	if (lane < 16) {
		l->levels.luma_dc[h264i_zigzag_of(4 * row + column)] = (int16_t)dcs;
		sums_add(sums, dcs);
		sums->coded_blocks += any != 0;
	}
	dcs = h264i_dequant_luma_dc(hadamard_lanes(dcs, 16, lane), q);
	__syncwarp();
	if (any || ac)
		reconstruct_luma(l, k, scale, ac, dcs, sums, lane);
	if (lane < 16)
		l->mb.i4_mode[lane] = I4_DC;
	if (lane == 0) {
		l->mb.type = H264I_MB_I16X16;
		l->mb.i16_mode = (uint8_t)mode;
		l->mb.cbp = ac ? 15 : 0;
		l->mb.flags = any ? H264I_MB_DC_Y : 0;
	}
	__syncwarp();
}

#endif
