/* Rate-distortion decisions of a macroblock: prediction modes and types are compared
 * by the squared error after coding and the estimated bits (decide/rates.h), and levels are chosen
 * by both (decide/rdoq.h). Here: what the types share. */
#ifndef H264INTRA_CPU_MB_RD_H
#define H264INTRA_CPU_MB_RD_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/rd.h"

/* A block that was coded in one mode. */
typedef struct rd_block {
	uint32_t cost, rate; /* rate: without the mode */
	int mode, count;     /* of levels that are not 0 */
	int exceeds;         /* of the inverse transform */
	int16_t level[64];   /* in scan order */
	h264i_px rec[64];
} rd_block;

/* What the bits of a block depend on besides its levels. */
typedef struct rd_context {
	const uint16_t *flag; /* CABAC: rates of what says that all levels are 0, or not */
	int nC;               /* CAVLC */
} rd_context;

/* Of an item of entropy/mb_layer.h. */
MB_FN rd_context rd_context_of(const mb_work *w, int cat, int item)
{
	rd_context c = { NULL, -1 };

	if (!(w->q->syntax & H264I_SYNTAX_CAVLC))
		c.flag = w->rates->bin[H264I_CTX_CODED_BLOCK + 4 * cat +
				       h264i_coded_block_inc(&w->mb, w->left, w->up, item)];
	else if (item >= H264I_ITEM_CHROMA_AC)
		c.nC = h264i_nc_chroma(&w->mb, w->left, w->up, item - H264I_ITEM_CHROMA_AC);
	else if (item < H264I_ITEM_CHROMA_DC)
		c.nC = h264i_nc_luma(&w->mb, w->left, w->up,
			item == H264I_ITEM_LUMA_DC ? 0 : item - H264I_ITEM_LUMA);
	return c;
}

/* Chooses levels and sets count and rate. */
MB_FN void rd_choose(const mb_work *w, int cat, const int32_t real[], rd_context context,
	int32_t weight, rd_block *out)
{
	h264i_cavlc_kind k = { &h264i_i_cavlc,
		cat == H264I_CAT_LUMA_AC || cat == H264I_CAT_CHROMA_AC,
		cat == H264I_CAT_CHROMA_DC ? 4 : 16, context.nC };

	if (w->q->syntax & H264I_SYNTAX_CAVLC)
		out->count = w->dsp->choose_cavlc(
			&k, real, weight, w->c->trellis, out->level, &out->rate);
	else
		out->count = w->dsp->choose(&w->scan[cat], real, context.flag, weight,
			w->c->trellis, out->level, &out->rate);
}

/* Weight of a bit in the quantisation of luma. */
MB_FN int32_t rd_luma_weight(const mb_work *w)
{
	return h264i_rd_luma_weight(w->rates, w->q->syntax & H264I_SYNTAX_CAVLC);
}

/* Transforms a 4x4 residual and chooses its levels. Of a kind with 15 coefficients the DC is coded
 * elsewhere. Returns the DC coefficient. */
MB_FN int32_t rd_levels4(const mb_work *w, const h264i_quant *q, const h264i_px src[16],
	const h264i_px pred[16], int cat, rd_context context, int32_t weight, rd_block *out)
{
	int32_t real[16], dc;

	w->dsp->real4(src, pred, q, real, &dc);
	rd_choose(w, cat, real, context, weight, out);
	return dc;
}

/* Chooses the levels of a block of n DCs, which are transformed already: 16 or 4. */
MB_FN void rd_levels_dc(const mb_work *w, const h264i_quant *q, const int32_t dc[], int n, int cat,
	rd_context context, int32_t weight, rd_block *out)
{
	int32_t real[16] = { 0 };

	for (int i = 0; i < n; i++) {
		int32_t c = dc[n == 16 ? scan4[i] : i];
		uint32_t a = h264i_real_level((uint32_t)(c < 0 ? -c : c), q->mul[0], q->qbits + 1);

		real[i] = c < 0 ? -(int32_t)a : (int32_t)a;
	}
	rd_choose(w, cat, real, context, weight, out);
}

/* The decoded block; dc: that of a block whose DC is coded apart. */
MB_FN void rd_reconstruct4(const mb_work *w, const h264i_quant *q, const h264i_px pred[16],
	int dc_apart, int32_t dc, rd_block *out)
{
	out->exceeds = 0;
	if (out->count || dc)
		out->exceeds = w->dsp->reconstruct4(out->level, q, dc_apart, dc, pred, out->rec);
	else
		memcpy(out->rec, pred, 16 * sizeof(*pred));
}

/* Rate of the mode of a block of I_NxN. */
MB_FN uint32_t rd_mode_rate(const mb_work *w, int mode, int predicted)
{
	return h264i_rd_mode_rate(w->rates, w->q->syntax & H264I_SYNTAX_CAVLC, mode, predicted);
}

/* Rate of mb_type and what follows it to the modes, and of mb_qp_delta. */
MB_FN uint32_t rd_type_rate(const mb_work *w)
{
	return h264i_rd_type_rate(w->rates, &h264i_i_cavlc, &w->mb, w->left, w->up, w->q->syntax);
}

/* Takes the lowest key, (cost << 4 | mode), out of the list. Returns its mode, or -1. */
MB_FN int take_lowest(uint32_t key[H264I_KEYS])
{
	uint32_t best = UINT32_MAX;

	for (int m = 0; m < H264I_KEYS; m++)
		best = key[m] < best ? key[m] : best;
	if (best == UINT32_MAX)
		return -1;
	key[best & 15] = UINT32_MAX;
	return (int)(best & 15);
}

#endif
