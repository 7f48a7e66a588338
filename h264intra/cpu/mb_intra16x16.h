/* Intra16x16 macroblocks, in scalar C. The includer of cpu/mb_intra.h defines mb_satd(src, pred),
 * the SATD of two 4x4 blocks. */
#ifndef H264INTRA_CPU_MB_INTRA16X16_H
#define H264INTRA_CPU_MB_INTRA16X16_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/cost.h"
#include "h264intra/predict/intra16x16.h"

/* Predicts luma block b in Intra16x16 mode m. */
MB_FN void predict_block16(mb_work *w, int m, int b, int dc, const h264i_plane *plane)
{
	int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b);
	uint8_t *pred = w->pred16[m][b];

	for (int i = 0; i < 4; i++) {
		if (m == I16_V)
			memcpy(pred + 4 * i, &PX(w, x, -1), 4);
		else if (m == I16_H)
			memset(pred + 4 * i, PX(w, -1, y + i), 4);
		else if (m == I16_DC)
			memset(pred + 4 * i, dc, 4);
		else
			for (int j = 0; j < 4; j++)
				pred[4 * i + j] = h264i_plane_at(plane, x + j, y + i, 7);
	}
}

/* Predicts all allowed Intra16x16 modes. key[]: (cost << 4 | mode) of each, UINT32_MAX of those
 * that are not. Returns the lowest. */
MB_FN uint32_t judge_intra16x16(mb_work *w, uint32_t key[I16_MODES])
{
	const h264i_qparams *q = w->q;
	uint32_t allowed = h264i_i16_allowed(w->avail, q->disable), best = UINT32_MAX;
	int top = 0, left = 0, h = 0, v = 0, dc;
	h264i_plane pl;

	for (int i = 0; i < 16; i++) {
		top += w->avail & H264I_UP ? PX(w, i, -1) : 0;
		left += w->avail & H264I_LEFT ? PX(w, -1, i) : 0;
	}
	dc = h264i_dc16(w->avail, top, left);
	if (allowed >> I16_PLANE & 1)
		for (int i = 1; i <= 8; i++) {
			h += i * (PX(w, 7 + i, -1) - PX(w, 7 - i, -1));
			v += i * (PX(w, -1, 7 + i) - PX(w, -1, 7 - i));
		}
	pl = h264i_plane16(h, v, PX(w, -1, 15), PX(w, 15, -1));
	for (int m = 0; m < I16_MODES; m++) {
		uint32_t satd = 0;

		key[m] = UINT32_MAX;
		if (!(allowed >> m & 1))
			continue;
		for (int b = 0; b < 16; b++) {
			predict_block16(w, m, b, dc, &pl);
			satd += mb_satd(w->src[b], w->pred16[m][b]);
		}
		key[m] = h264i_cost(satd, q->lambda, h264i_i16_mode_bits(m)) << 4 | (uint32_t)m;
		best = key[m] < best ? key[m] : best;
	}
	return best;
}

/* Codes the luma blocks as Intra16x16 in `mode`, which judge_intra16x16 has predicted. */
MB_FN void do_intra16x16(mb_work *w, int mode)
{
	const h264i_quant *q = &w->q->luma;
	int32_t dc[16], f[16];
	int ac = 0;

	begin_luma(w, H264I_MB_I16X16, 0);
	w->mb.i16_mode = (uint8_t)mode;
	memset(w->mb.i4_mode, I4_DC, sizeof(w->mb.i4_mode));
	for (int b = 0; b < 16; b++) {
		dc[4 * h264i_blk_y(b) + h264i_blk_x(b)] = quantise_block(
			w, q, w->src[b], w->pred16[mode][b], 1, w->lev.luma[b], &w->mb.total[b]);
		ac |= w->mb.total[b];
	}
	h264i_hadamard4x4(dc);
	for (int i = 0; i < 16; i++)
		dc[i] = h264i_quantise_dc((dc[i] + 1) >> 1, q);
	if (count_dc(w, dc, 16))
		w->mb.flags |= H264I_MB_DC_Y;
	for (int i = 0; i < 16; i++)
		w->lev.luma_dc[i] = (int16_t)dc[zigzag[i]];
	memcpy(f, dc, sizeof(f));
	h264i_hadamard4x4(f);
	for (int b = 0; b < 16; b++) {
		int at = 4 * h264i_blk_y(b) + h264i_blk_x(b);
		uint8_t rec[16];

		reconstruct(w, q, w->lev.luma[b], w->mb.total[b], 1,
			h264i_dequant_luma_dc(f[at], q), w->pred16[mode][b], rec);
		store_luma(w, b, rec);
	}
	w->mb.cbp = ac ? 15 : 0;
}

#endif
