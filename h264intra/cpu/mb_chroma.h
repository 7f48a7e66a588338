/* Chroma of a macroblock. */
#ifndef H264INTRA_CPU_MB_CHROMA_H
#define H264INTRA_CPU_MB_CHROMA_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/cost.h"

/* Sets the keys of the allowed chroma modes. Returns the mode of the lowest. */
MB_FN int decide_chroma_modes(const mb_work *w, uint32_t key[H264I_KEYS])
{
	h264i_candidates cand = { w->avail, h264i_chroma_allowed(w->avail, w->q->disable), 0,
		w->q->lambda };

	return (int)(w->dsp->decide_chroma(w->src + 16, &w->edge_c, &cand, key) & 15);
}

/* Quantises the DCs of a chroma plane. Returns 1 if a level is not 0. */
MB_FN int quantise_chroma_dc(int32_t dc[4], const h264i_quant *q, int16_t level[4])
{
	int any = 0;

	h264i_hadamard2x2(dc);
	for (int k = 0; k < 4; k++) {
		dc[k] = h264i_quantise_dc(dc[k], q);
		level[k] = (int16_t)dc[k];
		any |= dc[k];
	}
	return any != 0;
}

/* Codes both chroma planes and adds their coded block pattern. */
MB_FN void mb_code_chroma(mb_work *w)
{
	uint32_t key[H264I_KEYS];
	int mode = decide_chroma_modes(w, key), any_ac = 0;

	w->mb.chroma_mode = (uint8_t)mode;
	w->dsp->predict_chroma(w->pred_c, &w->edge_c, w->avail, mode);
	for (int pl = 0; pl < 2; pl++) {
		const h264i_quant *q = h264i_chroma_quant(w->q, pl);
		uint8_t *total = w->mb.total + 16 + 4 * pl;
		int32_t dc[4];

		for (int k = 0; k < 4; k++) {
			total[k] = (uint8_t)w->dsp->quantise4(w->src[16 + 4 * pl + k],
				w->pred_c[4 * pl + k], q, 1, w->lev->chroma_ac[pl][k], &dc[k]);
			any_ac |= total[k];
		}
		if (quantise_chroma_dc(dc, q, w->lev->chroma_dc[pl]))
			w->mb.flags |= pl ? H264I_MB_DC_CR : H264I_MB_DC_CB;
		h264i_hadamard2x2(dc);
		for (int k = 0; k < 4; k++)
			decode_block(w, q, w->lev->chroma_ac[pl][k], total[k],
				h264i_dequant_chroma_dc(dc[k], q), w->pred_c[4 * pl + k],
				w->rec_c[4 * pl + k]);
	}
	if (any_ac)
		w->mb.cbp |= 2 << 4;
	else if (w->mb.flags & (H264I_MB_DC_CB | H264I_MB_DC_CR))
		w->mb.cbp |= 1 << 4;
}

#endif
