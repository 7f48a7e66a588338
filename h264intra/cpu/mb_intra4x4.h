/* Intra4x4 macroblocks. */
#ifndef H264INTRA_CPU_MB_INTRA4X4_H
#define H264INTRA_CPU_MB_INTRA4X4_H

#include "h264intra/cpu/mb_work.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/predict/edge4x4.h"

/* The candidate modes of luma block b; avail: of the block. */
MB_FN h264i_candidates candidates_of_block(const mb_work *w, int b, int avail)
{
	h264i_candidates cand;

	cand.avail = avail;
	cand.allowed = h264i_i4_allowed(avail) & h264i_i4_mask(w->q->disable);
	cand.predicted = h264i_predicted_mode(&w->mb, w->left, w->up, b);
	cand.lambda = w->q->lambda;
	return cand;
}

/* Predicts luma block b in all allowed modes and sets their keys. Returns the lowest. */
MB_FN uint32_t decide_intra4x4(
	const mb_work *w, int b, h264i_px pred[I4_MODES][16], uint32_t key[H264I_KEYS])
{
	h264i_candidates cand = candidates_of_block(w, b, h264i_i4_avail(b, w->avail));

	cand.allowed &= ~h264i_i4_upright(b, w->avail, w->q->disable);
	return w->dsp->decide4(
		w->src[b], &PX(w, 4 * h264i_blk_x(b), 4 * h264i_blk_y(b)), &cand, pred, key);
}

/* Codes the luma blocks as Intra4x4, each predicted from the reconstruction of those before it.
 * Returns the cost, or UINT32_MAX when it reaches `limit`; levels and reconstruction are then
 * incomplete. */
MB_FN uint32_t try_intra4x4(mb_work *w, uint32_t limit)
{
	const h264i_quant *q = &w->q->luma;
	uint32_t cost = h264i_cost(0, w->q->lambda, H264I_I4_BASE_BITS);

	begin_luma(w, H264I_MB_I4X4, 0);
	for (int b = 0; b < 16; b++) {
		h264i_px pred[I4_MODES][16], rec[16];
		uint32_t key[H264I_KEYS], best = decide_intra4x4(w, b, pred, key);
		int mode = (int)(best & 15), total;

		cost += best >> 4;
		if (cost >= limit)
			return UINT32_MAX;
		w->mb.i4_mode[b] = (uint8_t)mode;
		total = w->dsp->code4(w->src[b], pred[mode], q, w->lev->luma[b], rec, &w->exceeds);
		w->mb.total[b] = (uint8_t)total;
		w->mb.cbp |= (uint8_t)((total != 0) << (b >> 2));
		store_luma(w, b, rec);
	}
	memset(w->lev->luma_dc, 0, sizeof(w->lev->luma_dc));
	return cost;
}

#endif
