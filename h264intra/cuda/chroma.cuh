/* Chroma of one macroblock by one warp. The prediction is written to the reconstruction
 * first; the decoded residual is added to it. */
#ifndef H264INTRA_CUDA_CHROMA_CUH
#define H264INTRA_CUDA_CHROMA_CUH

#include "h264intra/cuda/intra16x16.cuh"

/* Plane prediction of chroma plane `plane`. Called by all lanes. */
GPU_FN h264i_plane chroma_plane_of(mb_local *l, int plane, int lane)
{
	/* Lanes 0..7 have the row above Cb, 8..15 that above Cr, 16..31 the left columns. */
	int i = lane & 7, pl = lane >> 3 & 1, up = lane < 16;
	int v = up ? *rec_c(l, pl, i, -1) : *rec_c(l, pl, -1, i);
	int grad = (i - 3) * v - (i == 0 ? 4 * *rec_c(l, pl, -1, -1) : 0);

	for (int d = 4; d > 0; d >>= 1)
		grad += __shfl_xor_sync(0xffffffffu, grad, d);
	return h264i_plane8(__shfl_sync(0xffffffffu, grad, 8 * plane),
		__shfl_sync(0xffffffffu, grad, 16 + 8 * plane),
		*rec_c(l, plane, -1, H264I_CHROMA_H - 1), *rec_c(l, plane, H264I_CHROMA_W - 1, -1));
}

/* DC prediction of block b of a chroma plane. */
GPU_FN int chroma_dc_of(mb_local *l, int plane, int b, int avail)
{
	int x = 4 * (b & 1), y = 4 * (b >> 1), left = 0;
	int top = px4_dot(px4_at(rec_c(l, plane, x, -1)), S8X4(1, 1, 1, 1), 0);

#pragma unroll
	for (int i = 0; i < 4; i++)
		left += *rec_c(l, plane, -1, y + i);
	return h264i_dc_chroma(avail, b, top, left);
}

GPU_FN px4 chroma_word(mb_local *l, int plane, int mode, int dc, const h264i_plane *p, int x, int y)
{
	switch (mode) {
	case IC_DC:
		return px4_splat((uint32_t)dc);
	case IC_H:
		return px4_splat(*rec_c(l, plane, -1, y));
	case IC_V:
		return px4_at(rec_c(l, plane, x, -1));
	default:
		return plane_word(p, x, y, 3);
	}
}

/* The four rows of the predicted block at (x, y). */
GPU_FN void chroma_block(
	mb_local *l, int plane, int mode, int dc, const h264i_plane *p, int x, int y, px4 pred[4])
{
	if (mode == IC_PLANE) {
#pragma unroll
		for (int i = 0; i < 4; i++)
			pred[i] = plane_word(p, x, y + i, 3);
		return;
	}
	pred[0] = mode == IC_V ? px4_at(rec_c(l, plane, x, -1)) : px4_splat((uint32_t)dc);
#pragma unroll
	for (int i = 3; i >= 0; i--)
		pred[i] = mode == IC_H ? px4_splat(*rec_c(l, plane, -1, y + i)) : pred[0];
}

/* Writes the prediction of `mode` to the reconstruction, one word per lane: plane lane /
 * 16, row lane / 2 % 8, column 4 * (lane % 2). dc, plane: of chroma plane p and block b in lane 4 *
 * p + b. */
GPU_FN void write_chroma(mb_local *l, int mode, int dc, const h264i_plane *plane, int lane)
{
	int wp = lane >> 4, wx = 4 * (lane & 1), wy = lane >> 1 & 7;
	int wb = (lane & 1) | (wy >> 2 << 1);
	int wdc = __shfl_sync(0xffffffffu, dc, 4 * wp + wb);
	h264i_plane p;

	p.a = __shfl_sync(0xffffffffu, plane->a, 4 * wp);
	p.b = __shfl_sync(0xffffffffu, plane->b, 4 * wp);
	p.c = __shfl_sync(0xffffffffu, plane->c, 4 * wp);
	*px4_in(rec_c(l, wp, wx, wy)) = chroma_word(l, wp, mode, wdc, &p, wx, wy);
	__syncwarp();
}

static_assert(H264I_CHROMA_BLOCKS == 4, "the DCs of 4:2:0 are 2x2 (clause 8.5.11.1)");

/* Reduces the sums and stores the result for mb_join(). `any`: ballot of the DC levels that are
 * not 0, a half warp per plane. */
GPU_FN void store_chroma(mb_local *l, int mode, int cbp, uint32_t any, mb_sums *sums, int lane)
{
	sums->coded_blocks += __shfl_xor_sync(0xffffffffu, sums->coded_blocks, 16);
	sums->abs_sum = __reduce_add_sync(0xffffffffu, sums->abs_sum);
	sums->nonzero = __reduce_add_sync(0xffffffffu, sums->nonzero);
	sums->abs_max = __reduce_max_sync(0xffffffffu, sums->abs_max);
	sums->peak = __reduce_max_sync(0xffffffffu, sums->peak);
	if (lane == 0) {
		l->chroma.mode = (uint8_t)mode;
		l->chroma.cbp = (uint8_t)(cbp << 4);
		l->chroma.flags = (uint8_t)((any & 0xffff ? H264I_MB_DC_CB : 0) |
					    (any >> 16 ? H264I_MB_DC_CR : 0));
		l->chroma.abs_sum = sums->abs_sum;
		l->chroma.nonzero = sums->nonzero;
		l->chroma.abs_max = sums->abs_max;
		l->chroma.coded_blocks = sums->coded_blocks;
		l->chroma.peak = sums->peak;
	}
}

/* Adds the decoded residual to the prediction. dcs: the dequantised DC of block n in lane n of each
 * half; ac: a level of l->levels.chroma_ac is not 0. */
GPU_FN void reconstruct_chroma(
	mb_local *l, const lane_consts *k, int scale, int ac, int dcs, mb_sums *sums, int lane)
{
	int hl = lane & 15, half = lane >> 4;

	if (!ac) {
		int block = (lane & 1) | (lane >> 2 & 2);
		h264i_px *px = rec_c(l, half, 4 * (lane & 1), lane >> 1 & 7);

		*px4_in(px) = add_dc(px4_at(px), __shfl_sync(0xffffffffu, dcs, block, 16));
		sums->peak = h264i_peak(sums->peak, dcs);
		__syncwarp();
		return;
	}
#pragma unroll 1
	for (int pass = 0; pass < H264I_CHROMA_BLOCKS; pass++) {
		h264i_px *at =
			rec_c(l, half, 4 * (pass & 1) + (hl & 3), 4 * (pass >> 1) + (hl >> 2));
		int d = __shfl_sync(0xffffffffu, dcs, pass, 16);

		if (hl)
			d = h264i_dequant(l->levels.chroma_ac[half][pass][k->zig], scale);
		reinterpret_cast<int32_t *>(l->coef_c[half])[hl] = d;
		sums->peak = h264i_peak(sums->peak, d);
		__syncwarp();
		*at = h264i_clip_px(
			*at + inverse_sample(reinterpret_cast<const int32_t *>(l->coef_c[half]), k,
				      &sums->peak));
		__syncwarp();
	}
}

/* The key (cost << 4 | mode) of mode lane / 8, 0xffffffff if it is not allowed. dc, plane: of
 * chroma plane lane / 4 % 2 and block lane % 4. */
GPU_FN uint32_t key_of_chroma(
	mb_local *l, const h264i_qparams *qp, int avail, int dc, const h264i_plane *plane, int lane)
{
	/* One lane per mode, plane and block. */
	int pl = lane >> 2 & 1, b = lane & 3, mode = lane >> 3, x = 4 * (b & 1), y = 4 * (b >> 1);
	uint32_t allowed = h264i_chroma_allowed(avail, qp->disable), satd, key;
	px4 src[4], pred[4];
	int hsrc[16];

#pragma unroll
	for (int i = 0; i < 4; i++)
		src[i] = reinterpret_cast<const px4 *>(&l->src_c[pl][y + i])[b & 1];
	chroma_block(l, pl, mode, dc, plane, x, y, pred);
	hadamard_rows(src, hsrc);
	satd = satd4x4(hsrc, pred);
#pragma unroll
	for (int d = 4; d > 0; d >>= 1)
		satd += __shfl_xor_sync(0xffffffffu, satd, d);
	key = h264i_cost(satd, qp->lambda, h264i_chroma_mode_bits(mode)) << 4 | (uint32_t)mode;
	return allowed >> mode & 1 ? key : 0xffffffffu;
}

/* Chooses the chroma mode and codes both planes, one half warp per plane. The results are in
 * l->chroma, l->levels and the reconstruction. */
GPU_FN void do_chroma(
	mb_local *l, const h264i_qparams *qp, int avail, const lane_consts *k, int lane)
{
	mb_sums own, *sums = &own;
	int hl = lane & 15, half = lane >> 4;
	const h264i_quant *q = h264i_chroma_quant(qp, half);
	const int mf = q->mul[k->pos], scale = q->step[k->pos];
	px4 src[4], pred[4];
	h264i_plane plane = chroma_plane_of(l, lane >> 2 & 1, lane);
	int dc = chroma_dc_of(l, lane >> 2 & 1, lane & 3, avail), any_ac = 0, mode;

	sums_clear(sums);
	mode = (int)(__reduce_min_sync(0xffffffffu, key_of_chroma(l, qp, avail, dc, &plane, lane)) &
		     15);
	write_chroma(l, mode, dc, &plane, lane);

	/* Coding: in pass n half 0 codes block n of Cb, half 1 that of Cr. */
	int32_t *dc_of = reinterpret_cast<int32_t *>(l->coef_c[half]);
	int dcs;

#pragma unroll 1
	for (int pass = 0; pass < H264I_CHROMA_BLOCKS; pass++) {
		int bx = pass & 1, by = pass >> 1, n;

#pragma unroll
		for (int i = 0; i < 4; i++) {
			src[i] = reinterpret_cast<const px4 *>(&l->src_c[half][4 * by + i])[bx];
			pred[i] = px4_at(rec_c(l, half, 4 * bx, 4 * by + i));
		}
		n = code_ac(src, pred, q, k, mf, l->levels.chroma_ac[half][pass], &dc_of[pass],
			sums, lane);
		any_ac |= n;
		if (hl == 0)
			l->chroma.total[4 * half + pass] = (uint8_t)n;
	}
	__syncwarp();
	dcs = hl < 4 ? dc_of[hl] : 0;
	__syncwarp();
	dcs = hadamard_lanes(dcs, 4, lane);
	dcs = hl < 4 ? h264i_quantise_dc(dcs, q) : 0;
	uint32_t any = __ballot_sync(0xffffffffu, dcs != 0);

	if (hl < 4)
		l->levels.chroma_dc[half][hl] = (int16_t)dcs;
	sums_add(sums, dcs);
	sums->coded_blocks += (any >> (16 * half) & 15) != 0;
	dcs = hadamard_lanes(dcs, 4, lane);
	dcs = h264i_dequant_chroma_dc(dcs, q);
	any_ac = __any_sync(0xffffffffu, any_ac);
	if (any || any_ac)
		reconstruct_chroma(l, k, scale, any_ac, dcs, sums, lane);
	store_chroma(l, mode, any_ac ? 2 : any ? 1 : 0, any, sums, lane);
}

#endif
