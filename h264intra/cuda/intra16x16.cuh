/* Intra16x16 and chroma of one macroblock by one warp: judged with a lane a 4x4 block and mode,
 * coded with a half warp a block. The prediction is first written where the reconstruction goes. */
#ifndef H264INTRA_CUDA_INTRA16X16_CUH
#define H264INTRA_CUDA_INTRA16X16_CUH

#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/decide/cost.h"

GPU_FN uint32_t splat(uint32_t byte)
{
	return __byte_perm(byte, 0, 0);
}

/* Four samples of a plane prediction at (x..x+3, y). */
GPU_FN uint32_t plane_word(const h264i_plane *p, int x, int y, int c0)
{
	int v = p->a + p->b * (x - c0) + p->c * (y - c0) + 16;
	uint32_t r = 0;

#pragma unroll
	for (int i = 0; i < 4; i++)
		r |= (uint32_t)h264i_clip_u8((v + i * p->b) >> 5) << (8 * i);
	return r;
}

/* What the luma borders say: DC and plane. All lanes call and get the same. */
typedef struct luma_borders {
	int dc;
	h264i_plane plane;
} luma_borders;

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
GPU_FN uint32_t luma_word(mb_local *l, const luma_borders *bd, int mode, int x, int y)
{
	switch (mode) {
	case I16_V:
		return rec_word(rec_y(l, x, -1));
	case I16_H:
		return splat(*rec_y(l, -1, y));
	case I16_DC:
		return splat((uint32_t)bd->dc);
	default:
		return plane_word(&bd->plane, x, y, 7);
	}
}

/* Best key (cost << 4 | mode) of the allowed Intra16x16 modes. Two passes: V and H, DC and plane;
 * a half warp a mode, a lane a block. */
GPU_FN uint32_t judge_intra16x16(
	mb_local *l, const h264i_qparams *q, const luma_borders *bd, int avail, int lane)
{
	int b = lane & 15, bx = b & 3, by = b >> 2;
	uint32_t allowed = h264i_i16_allowed(avail, q->disable), best = 0xffffffffu, src[4];
	int hsrc[16];

#pragma unroll
	for (int i = 0; i < 4; i++)
		src[i] = reinterpret_cast<const uint32_t *>(&l->src_y[4 * by + i])[bx];
	hadamard_rows(src, hsrc);
#pragma unroll
	for (int pass = 0; pass < 2; pass++) {
		int mode = 2 * pass + (lane >> 4);
		uint32_t pred[4], key;

		if (!(allowed >> (2 * pass) & 3))
			continue;
#pragma unroll
		for (int i = 0; i < 4; i++)
			pred[i] = luma_word(l, bd, mode, 4 * bx, 4 * by + i);
		key = h264i_cost(half_sum(satd4x4(hsrc, pred), lane), q->lambda,
			      h264i_i16_mode_bits(mode))
			      << 4 |
		      (uint32_t)mode;
		if (!(allowed >> mode & 1))
			key = 0xffffffffu;
		best = min(best, key);
	}
	return __reduce_min_sync(0xffffffffu, best);
}

/* One coefficient a lane of block b; a half warp a block. The DC goes to *dc (valid in all lanes of
 * the half), its level is left out. Returns the AC's level; *n: total_coeff. */
GPU_FN int code_ac(const uint32_t src[4], const uint32_t pred[4], const h264i_quant *q,
	const lane_consts *k, int mf, int16_t *levels, mb_sums *sums, int *dc, int *n, int lane)
{
	int rows[4], c, hl = lane & 15, level;
	uint32_t any;

	for (int i = 0; i < 4; i++)
		rows[i] = dot_u8s8(src[i], k->row, 0);
	c = forward_coef(rows, pred, k);

	*dc = __shfl_sync(0xffffffffu, c, 0, 16);
	level = hl ? h264i_quantise(c, mf, q->bias, q->qbits) : 0;
	any = __ballot_sync(0xffffffffu, level != 0);
	*n = __popc(lane & 16 ? any >> 16 : any & 0xffff);
	levels[k->zig] = (int16_t)level;
	sums->coded_blocks += *n != 0;
	sums_add(sums, level);
	return level;
}

/* Sylvester's Hadamard over the low two bits of both lane coordinates; its own inverse up to 16. */
GPU_FN int hadamard_lanes(int v, int lane)
{
#pragma unroll
	for (int d = 1; d < 16; d <<= 1) {
		int other = __shfl_xor_sync(0xffffffffu, v, d);

		v = lane & d ? other - v : v + other;
	}
	return v;
}

/* Codes the macroblock as Intra16x16 with `mode`. */
GPU_FN void do_intra16x16(mb_local *l, const h264i_qparams *qp, const luma_borders *bd, int mode,
	const lane_consts *k, mb_sums *sums, int lane)
{
	const h264i_quant *q = &qp->luma;
	const int mf = q->mf[k->pos], scale = q->v[k->pos];
	int hl = lane & 15, half = lane >> 4, ac = 0, dcs = 0, scaled[8];

	/* The prediction in the place of the reconstruction: a row of four words a quarter pass. */
#pragma unroll
	for (int i = 0; i < 2; i++) {
		int at = lane + 32 * i;

		*reinterpret_cast<uint32_t *>(rec_y(l, 4 * (at & 3), at >> 2)) =
			luma_word(l, bd, mode, 4 * (at & 3), at >> 2);
	}
	__syncwarp();
#pragma unroll
	for (int pass = 0; pass < 8; pass++) {
		int b = 2 * pass + half, bx = h264i_blk_x(b), by = h264i_blk_y(b), dc, n;
		uint32_t src[4], pred[4];

#pragma unroll
		for (int i = 0; i < 4; i++) {
			src[i] = reinterpret_cast<const uint32_t *>(&l->src_y[4 * by + i])[bx];
			pred[i] = rec_word(rec_y(l, 4 * bx, 4 * by + i));
		}
		scaled[pass] = scale *
			       code_ac(src, pred, q, k, mf, l->levels.luma[b], sums, &dc, &n, lane);
		ac |= n;
		if (hl == 0)
			l->mb.total[b] = (uint8_t)n;
		/* Lane r (raster, 4 * by + bx) collects the DC of its block. */
		int first = __shfl_sync(0xffffffffu, dc, 0),
		    second = __shfl_sync(0xffffffffu, dc, 16);
		int b0 = 2 * pass, r0 = 4 * h264i_blk_y(b0) + h264i_blk_x(b0);

		dcs = hl == r0 ? first : hl == r0 + 1 ? second : dcs;
	}
	ac |= __shfl_xor_sync(0xffffffffu, ac, 16);

	/* DCs: coefficient lanes count in Sylvester's order 0, 3, 1, 2 of the standard's rows. */
	int nat_to_std = hl & 3, row = hl >> 2;

	nat_to_std = nat_to_std == 1 ? 3 : nat_to_std == 2 ? 1 : nat_to_std == 3 ? 2 : 0;
	row = row == 1 ? 3 : row == 2 ? 1 : row == 3 ? 2 : 0;
	dcs = h264i_quantise_dc((hadamard_lanes(dcs, lane) + 1) >> 1, q);
	uint32_t any = __ballot_sync(0xffffffffu, dcs != 0) & 0xffff;

	if (lane < 16) {
		l->levels.luma_dc[h264i_zigzag_of(4 * row + nat_to_std)] = (int16_t)dcs;
		sums_add(sums, dcs);
		sums->coded_blocks += any != 0;
	}
	dcs = h264i_dequant_luma_dc(hadamard_lanes(dcs, lane), q);
#pragma unroll
	for (int pass = 0; pass < 8; pass++) {
		int b = 2 * pass + half, bx = h264i_blk_x(b), by = h264i_blk_y(b);
		int dc = __shfl_sync(0xffffffffu, dcs, 4 * by + bx);
		uint8_t *at = rec_y(l, 4 * bx + (hl & 3), 4 * by + (hl >> 2));

		reinterpret_cast<int32_t *>(l->coef[half])[hl] = hl ? scaled[pass] : dc;
		__syncwarp();
		*at = h264i_clip_u8(
			*at + inverse_sample(reinterpret_cast<const int32_t *>(l->coef[half]), k,
				      &sums->peak));
		__syncwarp();
	}
	if (lane < 16)
		l->mb.i4_mode[lane] = I4_DC;
	if (lane == 0) {
		l->mb.type = H264I_MB_I16X16;
		l->mb.i16_mode = (uint8_t)mode;
		l->mb.cbp = ac ? 15 : 0;
	}
	__syncwarp();
}

/* Plane and the DC of lane's block (0..7, in lane & 7): all lanes call. */
GPU_FN h264i_plane chroma_plane_of(mb_local *l, int plane, int lane)
{
	/* Lanes 0..7 the row above of Cb, 8..15 of Cr, 16..23 and 24..31 the left columns. */
	int i = lane & 7, pl = lane >> 3 & 1, up = lane < 16;
	int v = up ? *rec_c(l, pl, i, -1) : *rec_c(l, pl, -1, i);
	int grad = (i - 3) * v - (i == 0 ? 4 * *rec_c(l, pl, -1, -1) : 0);

	for (int d = 4; d > 0; d >>= 1)
		grad += __shfl_xor_sync(0xffffffffu, grad, d);
	return h264i_plane8(__shfl_sync(0xffffffffu, grad, 8 * plane),
		__shfl_sync(0xffffffffu, grad, 16 + 8 * plane), *rec_c(l, plane, -1, 7),
		*rec_c(l, plane, 7, -1));
}

GPU_FN int chroma_dc_of(mb_local *l, int plane, int b, int avail)
{
	int x = 4 * (b & 1), y = 4 * (b >> 1), left = 0;
	int top = dot_u8s8(rec_word(rec_c(l, plane, x, -1)), S8X4(1, 1, 1, 1), 0);

#pragma unroll
	for (int i = 0; i < 4; i++)
		left += *rec_c(l, plane, -1, y + i);
	return h264i_dc_chroma(avail, b, top, left);
}

GPU_FN uint32_t chroma_word(
	mb_local *l, int plane, int mode, int dc, const h264i_plane *p, int x, int y)
{
	switch (mode) {
	case IC_DC:
		return splat((uint32_t)dc);
	case IC_H:
		return splat(*rec_c(l, plane, -1, y));
	case IC_V:
		return rec_word(rec_c(l, plane, x, -1));
	default:
		return plane_word(p, x, y, 3);
	}
}

/* Chooses the chroma mode and codes both planes; the outcome is in l->chroma and l->levels. */
GPU_FN void do_chroma(
	mb_local *l, const h264i_qparams *qp, int avail, const lane_consts *k, int lane)
{
	mb_sums own, *sums = &own;
	const h264i_quant *q = &qp->chroma;
	const int mf = q->mf[k->pos], scale = q->v[k->pos];
	int hl = lane & 15, half = lane >> 4;
	/* Judging: a lane a block (lane & 7) and mode (lane >> 3). */
	int pl = lane >> 2 & 1, b = lane & 3, mode = lane >> 3, x = 4 * (b & 1), y = 4 * (b >> 1);
	uint32_t allowed = h264i_chroma_allowed(avail, qp->disable), src[4], pred[4], satd, key;
	h264i_plane plane = chroma_plane_of(l, pl, lane);
	int dc = chroma_dc_of(l, pl, b, avail), hsrc[16], scaled[4], any_ac = 0;

	sums_clear(sums);
#pragma unroll
	for (int i = 0; i < 4; i++) {
		src[i] = reinterpret_cast<const uint32_t *>(&l->src_c[pl][y + i])[b & 1];
		pred[i] = chroma_word(l, pl, mode, dc, &plane, x, y + i);
	}
	hadamard_rows(src, hsrc);
	satd = satd4x4(hsrc, pred);
#pragma unroll
	for (int d = 4; d > 0; d >>= 1)
		satd += __shfl_xor_sync(0xffffffffu, satd, d);
	key = h264i_cost(satd, qp->lambda, h264i_chroma_mode_bits(mode)) << 4 | (uint32_t)mode;
	if (!(allowed >> mode & 1))
		key = 0xffffffffu;
	mode = (int)(__reduce_min_sync(0xffffffffu, key) & 15);

	/* The winner's prediction into place: 32 lanes, a word each. lane: plane lane / 16, row, x. */
	{
		int wp = lane >> 4, wx = 4 * (lane & 1), wy = lane >> 1 & 7;
		int wb = (lane & 1) | (wy >> 2 << 1);
		/* Borders of plane wp are known to lanes 4 * wp .. 4 * wp + 3 (mode 0 lanes). */
		int wdc = __shfl_sync(0xffffffffu, dc, 4 * wp + wb);
		h264i_plane p;

		p.a = __shfl_sync(0xffffffffu, plane.a, 4 * wp);
		p.b = __shfl_sync(0xffffffffu, plane.b, 4 * wp);
		p.c = __shfl_sync(0xffffffffu, plane.c, 4 * wp);
		*reinterpret_cast<uint32_t *>(rec_c(l, wp, wx, wy)) =
			chroma_word(l, wp, mode, wdc, &p, wx, wy);
	}
	__syncwarp();

	/* Coding: pass 0..3, half 0 does Cb block `pass`, half 1 Cr. */
	int dcs = 0;

#pragma unroll
	for (int pass = 0; pass < 4; pass++) {
		int bx = pass & 1, by = pass >> 1, n, d;

#pragma unroll
		for (int i = 0; i < 4; i++) {
			src[i] =
				reinterpret_cast<const uint32_t *>(&l->src_c[half][4 * by + i])[bx];
			pred[i] = rec_word(rec_c(l, half, 4 * bx, 4 * by + i));
		}
		scaled[pass] = scale * code_ac(src, pred, q, k, mf, l->levels.chroma_ac[half][pass],
					       sums, &d, &n, lane);
		any_ac |= n;
		if (hl == 0)
			l->chroma.total[4 * half + pass] = (uint8_t)n;
		dcs = hl == pass ? d : dcs;
	}
	/* 2x2 Hadamard in lanes 0..3 of each half; Sylvester's order is the standard's here. */
#pragma unroll
	for (int d = 1; d < 4; d <<= 1) {
		int other = __shfl_xor_sync(0xffffffffu, dcs, d);

		dcs = lane & d ? other - dcs : dcs + other;
	}
	dcs = hl < 4 ? h264i_quantise_dc(dcs, q) : 0;
	uint32_t any = __ballot_sync(0xffffffffu, dcs != 0);

	if (hl < 4)
		l->levels.chroma_dc[half][hl] = (int16_t)dcs;
	sums_add(sums, dcs);
	sums->coded_blocks += (any >> (16 * half) & 15) != 0;
#pragma unroll
	for (int d = 1; d < 4; d <<= 1) {
		int other = __shfl_xor_sync(0xffffffffu, dcs, d);

		dcs = lane & d ? other - dcs : dcs + other;
	}
	dcs = h264i_dequant_chroma_dc(dcs, q);
	any_ac = __any_sync(0xffffffffu, any_ac);
	if (any || any_ac) {
#pragma unroll
		for (int pass = 0; pass < 4; pass++) {
			uint8_t *at = rec_c(
				l, half, 4 * (pass & 1) + (hl & 3), 4 * (pass >> 1) + (hl >> 2));
			int d = __shfl_sync(0xffffffffu, dcs, pass, 16);

			reinterpret_cast<int32_t *>(l->coef_c[half])[hl] = hl ? scaled[pass] : d;
			__syncwarp();
			*at = h264i_clip_u8(*at + inverse_sample(reinterpret_cast<const int32_t *>(
									 l->coef_c[half]),
							  k, &sums->peak));
			__syncwarp();
		}
	}
	own.coded_blocks += __shfl_xor_sync(0xffffffffu, own.coded_blocks, 16);
	own.abs_sum = __reduce_add_sync(0xffffffffu, own.abs_sum);
	own.nonzero = __reduce_add_sync(0xffffffffu, own.nonzero);
	own.abs_max = __reduce_max_sync(0xffffffffu, own.abs_max);
	own.peak = __reduce_max_sync(0xffffffffu, own.peak);
	if (lane == 0) {
		l->chroma.mode = (uint8_t)mode;
		l->chroma.cbp = (uint8_t)((any_ac ? 2 : any ? 1 : 0) << 4);
		l->chroma.abs_sum = own.abs_sum;
		l->chroma.nonzero = own.nonzero;
		l->chroma.abs_max = own.abs_max;
		l->chroma.coded_blocks = own.coded_blocks;
		l->chroma.peak = own.peak;
	}
}

#endif
