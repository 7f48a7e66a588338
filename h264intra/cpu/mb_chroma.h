/* Chroma of a macroblock, in scalar C. The includer of cpu/mb_intra.h defines mb_satd(src, pred),
 * the SATD of two 4x4 blocks. */
#ifndef H264INTRA_CPU_MB_CHROMA_H
#define H264INTRA_CPU_MB_CHROMA_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/cost.h"
#include "h264intra/predict/intra16x16.h"

/* Predicts the eight chroma blocks in all allowed modes. */
MB_FN void predict_chroma(mb_work *w, uint32_t allowed)
{
	for (int b = 0; b < 8; b++) {
		int pl = b >> 2, x = 4 * (b & 1), y = 4 * (b >> 1 & 1), top = 0, left = 0, dc;
		const uint8_t *t = w->top_c[pl] + 1, *l = w->left_c[pl];

		for (int i = 0; i < 4; i++) {
			top += w->avail & H264I_UP ? t[x + i] : 0;
			left += w->avail & H264I_LEFT ? l[y + i] : 0;
		}
		dc = h264i_dc_chroma(w->avail, b & 3, top, left);
		memset(w->pred_c[IC_DC][b], dc, 16);
		for (int i = 0; i < 4; i++) {
			if (allowed >> IC_H & 1)
				memset(w->pred_c[IC_H][b] + 4 * i, l[y + i], 4);
			if (allowed >> IC_V & 1)
				memcpy(w->pred_c[IC_V][b] + 4 * i, t + x, 4);
		}
		if (allowed >> IC_PLANE & 1) {
			int h = 0, v = 0;
			h264i_plane p;

			for (int i = 1; i <= 4; i++) {
				h += i * (t[3 + i] - t[3 - i]);
				v += i * (l[3 + i] - (i == 4 ? t[-1] : l[3 - i]));
			}
			p = h264i_plane8(h, v, l[7], t[7]);
			for (int i = 0; i < 16; i++)
				w->pred_c[IC_PLANE][b][i] =
					h264i_plane_at(&p, x + (i & 3), y + (i >> 2), 3);
		}
	}
}

/* Predicts all allowed chroma modes. key[]: (cost << 4 | mode) of each, UINT32_MAX of those that
 * are not. Returns the mode of the lowest. */
MB_FN int judge_chroma(mb_work *w, uint32_t key[IC_MODES])
{
	const h264i_qparams *q = w->q;
	uint32_t allowed = h264i_chroma_allowed(w->avail, q->disable), best = UINT32_MAX;

	predict_chroma(w, allowed);
	for (int m = 0; m < IC_MODES; m++) {
		uint32_t satd = 0;

		key[m] = UINT32_MAX;
		if (!(allowed >> m & 1))
			continue;
		for (int b = 0; b < 8; b++)
			satd += mb_satd(w->src[16 + b], w->pred_c[m][b]);
		key[m] = h264i_cost(satd, q->lambda, h264i_chroma_mode_bits(m)) << 4 | (uint32_t)m;
		best = key[m] < best ? key[m] : best;
	}
	return (int)(best & 15);
}

/* Codes both chroma planes and adds their coded block pattern. */
MB_FN void do_chroma(mb_work *w)
{
	const h264i_quant *q = &w->q->chroma;
	uint32_t key[IC_MODES];
	int any_ac = 0, mode = judge_chroma(w, key);

	w->mb.chroma_mode = (uint8_t)mode;
	for (int pl = 0; pl < 2; pl++) {
		int32_t dc[4], f[4];

		for (int k = 0; k < 4; k++) {
			uint8_t *total = &w->mb.total[16 + 4 * pl + k];

			dc[k] = quantise_block(w, q, w->src[16 + 4 * pl + k],
				w->pred_c[mode][4 * pl + k], 1, w->lev.chroma_ac[pl][k], total);
			any_ac |= *total;
		}
		h264i_hadamard2x2(dc);
		for (int k = 0; k < 4; k++) {
			dc[k] = h264i_quantise_dc(dc[k], q);
			w->lev.chroma_dc[pl][k] = (int16_t)dc[k];
		}
		if (count_dc(w, dc, 4))
			w->mb.flags |= pl ? H264I_MB_DC_CR : H264I_MB_DC_CB;
		memcpy(f, dc, sizeof(f));
		h264i_hadamard2x2(f);
		for (int k = 0; k < 4; k++)
			reconstruct(w, q, w->lev.chroma_ac[pl][k], w->mb.total[16 + 4 * pl + k], 1,
				h264i_dequant_chroma_dc(f[k], q), w->pred_c[mode][4 * pl + k],
				w->rec_c[4 * pl + k]);
	}
	if (any_ac)
		w->mb.cbp |= 2 << 4;
	else if (w->mb.flags & (H264I_MB_DC_CB | H264I_MB_DC_CR))
		w->mb.cbp |= 1 << 4;
}

#endif
