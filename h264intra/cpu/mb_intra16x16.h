/* Intra16x16 macroblocks. */
#ifndef H264INTRA_CPU_MB_INTRA16X16_H
#define H264INTRA_CPU_MB_INTRA16X16_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/cost.h"

/* Sets the keys of the allowed Intra16x16 modes. Returns the lowest. */
MB_FN uint32_t decide_intra16x16(const mb_work *w, uint32_t key[H264I_KEYS])
{
	h264i_candidates cand = { w->avail, h264i_i16_allowed(w->avail, w->q->disable), 0,
		w->q->lambda };

	return w->dsp->decide16(w->src, &PX(w, 0, 0), &cand, key);
}

/* Begins Intra16x16 in `mode`, and predicts. */
MB_FN void begin_intra16x16(mb_work *w, int mode)
{
	begin_luma(w, H264I_MB_I16X16, 0);
	w->mb.i16_mode = (uint8_t)mode;
	memset(w->mb.i4_mode, I4_DC, sizeof(w->mb.i4_mode));
	w->dsp->predict16(w->pred16, &PX(w, 0, 0), w->avail, mode);
}

/* Codes the luma blocks as Intra16x16 in `mode`. */
MB_FN void mb_code16(mb_work *w, int mode)
{
	const h264i_quant *q = &w->q->luma;
	int32_t dc[16];
	int ac = 0, any = 0;

	begin_intra16x16(w, mode);
	for (int b = 0; b < 16; b++) {
		int at = 4 * h264i_blk_y(b) + h264i_blk_x(b);

		w->mb.total[b] = (uint8_t)w->dsp->quantise4(
			w->src[b], w->pred16[b], q, 1, w->lev->luma[b], &dc[at]);
		ac |= w->mb.total[b];
	}
	h264i_hadamard4x4(dc);
	for (int i = 0; i < 16; i++) {
		dc[i] = h264i_quantise_dc((dc[i] + 1) >> 1, q);
		any |= dc[i];
	}
	if (any)
		w->mb.flags |= H264I_MB_DC_Y;
	for (int i = 0; i < 16; i++)
		w->lev->luma_dc[i] = (int16_t)dc[scan4[i]];
	h264i_hadamard4x4(dc);
	for (int b = 0; b < 16; b++) {
		int32_t d = h264i_dequant_luma_dc(dc[4 * h264i_blk_y(b) + h264i_blk_x(b)], q);
		h264i_px rec[16];

		decode_block(w, q, w->lev->luma[b], w->mb.total[b], d, w->pred16[b], rec);
		store_luma(w, b, rec);
	}
	w->mb.cbp = ac ? 15 : 0;
}

#endif
