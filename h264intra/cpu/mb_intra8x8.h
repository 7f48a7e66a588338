/* Intra8x8 macroblocks. */
#ifndef H264INTRA_CPU_MB_INTRA8X8_H
#define H264INTRA_CPU_MB_INTRA8X8_H

#include "h264intra/cpu/mb_intra4x4.h"
#include "h264intra/predict/edge8x8.h"

/* Copies the source of 8x8 block b, which is stored as 4x4 blocks, to raster order. */
MB_FN void gather_source8(const mb_work *w, int b, h264i_px src[64])
{
	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 8; x += 4)
			memcpy(src + 8 * y + x,
				w->src[4 * b + (y >> 2) * 2 + (x >> 2)] + 4 * (y & 3),
				4 * sizeof(*src));
}

MB_FN void store_luma8(mb_work *w, int b, const h264i_px rec[64])
{
	for (int y = 0; y < 8; y++)
		memcpy(&PX(w, 8 * (b & 1), 8 * (b >> 1) + y), rec + 8 * y, 8 * sizeof(*rec));
}

/* Predicts 8x8 block b in all allowed modes and sets their keys. Returns the lowest. */
MB_FN uint32_t decide_intra8x8(const mb_work *w, int b, const h264i_px src[64],
	h264i_px pred[I4_MODES][64], uint32_t key[H264I_KEYS])
{
	h264i_candidates cand = candidates_of_block(w, 4 * b, h264i_i8_avail(b, w->avail));

	return w->dsp->decide8(src, &PX(w, 8 * (b & 1), 8 * (b >> 1)), &cand, pred, key);
}

/* Codes the luma blocks as Intra8x8, each predicted from the reconstruction of those before it.
 * Returns the cost, or UINT32_MAX when it reaches `limit`; levels and reconstruction are then
 * incomplete. */
MB_FN uint32_t try_intra8x8(mb_work *w, uint32_t limit)
{
	const h264i_quant8 *q = &w->q->luma8;
	uint32_t cost = h264i_cost(0, w->q->lambda, H264I_I8_BASE_BITS);

	begin_luma(w, H264I_MB_I4X4, H264I_MB_T8X8);
	for (int b = 0; b < 4; b++) {
		h264i_px src[64], pred[I4_MODES][64], rec[64];
		uint32_t key[H264I_KEYS], best;
		int16_t level[64];
		int mode, coded;

		gather_source8(w, b, src);
		best = decide_intra8x8(w, b, src, pred, key);
		mode = (int)(best & 15);
		cost += best >> 4;
		if (cost >= limit)
			return UINT32_MAX;
		memset(w->mb.i4_mode + 4 * b, mode, 4);
		coded = w->dsp->quantise8(src, pred[mode], q, level) != 0;
		w->dsp->divide8(level, w->lev->luma + 4 * b, w->mb.total + 4 * b);
		w->mb.cbp |= (uint8_t)(coded << b);
		if (coded)
			w->exceeds |= w->dsp->reconstruct8(level, q, pred[mode], rec);
		store_luma8(w, b, coded ? rec : pred[mode]);
	}
	memset(w->lev->luma_dc, 0, sizeof(w->lev->luma_dc));
	return cost;
}

#endif
