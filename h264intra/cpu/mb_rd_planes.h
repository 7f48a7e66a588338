/* Intra16x16 and chroma of a macroblock by rate and distortion. */
#ifndef H264INTRA_CPU_MB_RD_PLANES_H
#define H264INTRA_CPU_MB_RD_PLANES_H

#include "h264intra/cpu/mb_chroma.h"
#include "h264intra/cpu/mb_intra16x16.h"
#include "h264intra/cpu/mb_rd.h"

/* Chooses the levels of the AC blocks of Intra16x16; dc: the DCs in raster order. Returns the rate
 * of their bins. */
MB_FN uint32_t rd_levels_ac16(mb_work *w, rd_block ac[16], int32_t dc[16])
{
	uint32_t rate = 0, any = 0;

	for (int b = 0; b < 16; b++) {
		dc[4 * h264i_blk_y(b) + h264i_blk_x(b)] =
			rd_levels4(w, &w->q->luma, w->src[b], w->pred16[b], H264I_CAT_LUMA_AC,
				rd_context_of(w, H264I_CAT_LUMA_AC, H264I_ITEM_LUMA + b),
				rd_luma_weight(w), &ac[b]);
		memcpy(w->lev->luma[b], ac[b].level, sizeof(w->lev->luma[b]));
		w->mb.total[b] = (uint8_t)ac[b].count;
		rate += ac[b].rate;
		any |= (uint32_t)ac[b].count;
	}
	w->mb.cbp = any ? 15 : 0;
	return any ? rate : 0;
}

/* The same of their DCs, which it replaces by the levels. */
MB_FN uint32_t rd_levels_dc16(mb_work *w, int32_t dc[16])
{
	rd_block block;

	h264i_hadamard4x4(dc);
	for (int i = 0; i < 16; i++)
		dc[i] = (dc[i] + 1) >> 1;
	rd_levels_dc(w, &w->q->luma, dc, 16, H264I_CAT_LUMA_DC,
		rd_context_of(w, H264I_CAT_LUMA_DC, H264I_ITEM_LUMA_DC), rd_luma_weight(w), &block);
	for (int i = 0; i < 16; i++) {
		w->lev->luma_dc[i] = block.level[i];
		dc[scan4[i]] = block.level[i];
	}
	if (block.count)
		w->mb.flags |= H264I_MB_DC_Y;
	return block.rate;
}

/* Codes the luma blocks as Intra16x16 in `mode`. Returns the cost. */
MB_FN uint32_t rd_code16(mb_work *w, int mode)
{
	const h264i_quant *q = &w->q->luma;
	uint32_t rate, error = 0;
	int32_t dc[16];
	rd_block ac[16];

	begin_intra16x16(w, mode);
	memset(w->mb.total, 0, 16);
	rate = rd_levels_ac16(w, ac, dc);
	rate += rd_levels_dc16(w, dc);
	h264i_hadamard4x4(dc);
	for (int b = 0; b < 16; b++) {
		int at = 4 * h264i_blk_y(b) + h264i_blk_x(b);

		rd_reconstruct4(w, q, w->pred16[b], 1, h264i_dequant_luma_dc(dc[at], q), &ac[b]);
		w->exceeds |= ac[b].exceeds;
		store_luma(w, b, ac[b].rec);
		error += w->dsp->squared_error(w->src[b], ac[b].rec, 16);
	}
	return h264i_rd_cost(w->rates, error, rate + rd_type_rate(w));
}

/* Codes the luma blocks as Intra16x16 in the modes of the lowest keys by SATD, and keeps the best.
 * Its cost is by rate and distortion, or with options.rd 0 by SATD. */
MB_FN void rd_intra16x16(mb_work *w, uint32_t key[H264I_KEYS], mb_candidate *best)
{
	uint32_t satd = UINT32_MAX;

	for (int m = 0; m < I16_MODES; m++)
		satd = key[m] < satd ? key[m] : satd;
	for (int i = h264i_rd_plane_modes(w->c->rd); i > 0; i--) {
		int mode = take_lowest(key);
		uint32_t cost;

		if (mode < 0)
			break;
		cost = rd_code16(w, mode);
		if (cost < best->cost) {
			keep_luma(w, best);
			best->cost = cost;
		}
	}
	best->cost = w->c->rd ? best->cost : satd >> 4;
}

/* Chroma coded in one mode. */
typedef struct rd_chroma_part {
	uint32_t cost;
	int mode, pattern; /* pattern: 0, 1 DC, 2 DC and AC */
	int exceeds;
	int dc_count[2];   /* of levels that are not 0 */
	int16_t dc[2][16]; /* levels; four in use */
	uint8_t total[8];
	h264i_px rec[8][16];
	int16_t ac[8][16];
} rd_chroma_part;

/* Chooses all levels of a mode. rate[1], rate[2]: with the pattern 1 and 2. */
MB_FN void rd_chroma_levels(mb_work *w, rd_chroma_part *c, uint32_t rate[3])
{
	const int32_t *weight = w->rates->quant_chroma;
	int32_t dc[8];
	rd_block block;

	rate[0] = rate[1] = rate[2] = 0;
	for (int k = 0; k < 8; k++) {
		dc[k] = rd_levels4(w, h264i_chroma_quant(w->q, k >> 2), w->src[16 + k],
			w->pred_c[k], H264I_CAT_CHROMA_AC,
			rd_context_of(w, H264I_CAT_CHROMA_AC, H264I_ITEM_CHROMA_AC + k),
			weight[k >> 2], &block);
		memcpy(c->ac[k], block.level, sizeof(c->ac[k]));
		c->total[k] = w->mb.total[16 + k] = (uint8_t)block.count;
		rate[2] += block.rate;
	}
	for (int pl = 0; pl < 2; pl++) {
		h264i_hadamard2x2(dc + 4 * pl);
		rd_levels_dc(w, h264i_chroma_quant(w->q, pl), dc + 4 * pl, 4, H264I_CAT_CHROMA_DC,
			rd_context_of(w, H264I_CAT_CHROMA_DC, H264I_ITEM_CHROMA_DC + pl),
			weight[pl], &block);
		memcpy(c->dc[pl], block.level, sizeof(c->dc[pl]));
		c->dc_count[pl] = block.count;
		rate[1] += block.rate;
	}
	rate[2] += rate[1];
}

/* Decodes with a pattern to rec. Returns the squared error. */
MB_FN uint32_t rd_chroma_decode(
	mb_work *w, const rd_chroma_part *c, int pattern, h264i_px rec[8][16], int *exceeds)
{
	static const int16_t none[16];

	*exceeds = 0;
	for (int k = 0; k < 8; k++) {
		const h264i_quant *q = h264i_chroma_quant(w->q, k >> 2);
		const int16_t *level = c->dc[k >> 2];
		int32_t f[4] = { level[0], level[1], level[2], level[3] }, dc = 0;
		int total = pattern == 2 ? c->total[k] : 0;

		if (pattern) {
			h264i_hadamard2x2(f);
			dc = h264i_dequant_chroma_dc(f[k & 3], q);
		}
		if (total || dc)
			*exceeds |= w->dsp->reconstruct4(
				total ? c->ac[k] : none, q, 1, dc, w->pred_c[k], rec[k]);
		else
			memcpy(rec[k], w->pred_c[k], sizeof(rec[k]));
	}
	return w->dsp->squared_error(w->src[16], rec[0], 2 * H264I_CHROMA_PX);
}

/* Codes chroma in c->mode, with the pattern of the lowest cost. A pattern whose blocks have no
 * levels is left out. */
MB_FN void rd_chroma_mode(mb_work *w, rd_chroma_part *c)
{
	const h264i_rates *r = w->rates;
	uint32_t rate[3];
	int any[3] = { 1, 0, 0 };

	rd_chroma_levels(w, c, rate);
	any[1] = c->dc_count[0] + c->dc_count[1];
	for (int k = 0; k < 8; k++)
		any[2] += c->total[k];
	c->cost = UINT32_MAX;
	for (int pattern = 0; pattern < 3; pattern++) {
		h264i_px rec[8][16];
		uint32_t cost;
		int exceeds;

		if (!any[pattern])
			continue;
		cost = h264i_rd_cost(r, rd_chroma_decode(w, c, pattern, rec, &exceeds),
			rate[pattern] + h264i_rd_chroma_rate(r, &h264i_i_cavlc, c->mode, pattern,
						w->left, w->up, w->q->syntax));
		if (cost < c->cost) {
			c->cost = cost;
			c->pattern = pattern;
			c->exceeds = exceeds;
			memcpy(c->rec, rec, sizeof(c->rec));
		}
	}
}

/* Takes the levels and the samples of chroma as coded. */
MB_FN void rd_chroma_keep(mb_work *w, const rd_chroma_part *c)
{
	w->mb.chroma_mode = (uint8_t)c->mode;
	w->mb.cbp |= (uint8_t)(c->pattern << 4);
	w->exceeds |= c->exceeds;
	memcpy(w->rec_c, c->rec, sizeof(w->rec_c));
	memset(w->lev->chroma_dc, 0, sizeof(w->lev->chroma_dc));
	for (int pl = 0; pl < 2; pl++)
		if (c->pattern && c->dc_count[pl]) {
			memcpy(w->lev->chroma_dc[pl], c->dc[pl], sizeof(w->lev->chroma_dc[pl]));
			w->mb.flags |= (uint8_t)(H264I_MB_DC_CB << pl);
		}
	memset(w->lev->chroma_ac, 0, sizeof(w->lev->chroma_ac));
	memset(w->mb.total + 16, 0, 8);
	if (c->pattern == 2) {
		memcpy(w->lev->chroma_ac, c->ac, sizeof(w->lev->chroma_ac));
		memcpy(w->mb.total + 16, c->total, 8);
	}
}

/* Codes both chroma planes in the mode of the lowest cost and adds their coded block pattern. */
MB_FN void mb_rd_chroma(mb_work *w)
{
	uint32_t key[H264I_KEYS];
	rd_chroma_part part[2], *best = &part[0], *now = &part[1];

	decide_chroma_modes(w, key);
	best->cost = UINT32_MAX;
	for (int i = h264i_rd_plane_modes(w->c->rd); i > 0; i--) {
		now->mode = take_lowest(key);
		if (now->mode < 0)
			break;
		w->dsp->predict_chroma(w->pred_c, &w->edge_c, w->avail, now->mode);
		rd_chroma_mode(w, now);
		if (now->cost < best->cost) {
			rd_chroma_part *better = now;

			now = best;
			best = better;
		}
	}
	rd_chroma_keep(w, best);
}

#endif
