/* Intra16x16 and chroma of a macroblock by rate and distortion, in scalar C. */
#ifndef H264INTRA_CPU_MB_RD_PLANES_H
#define H264INTRA_CPU_MB_RD_PLANES_H

#include "h264intra/cpu/mb_chroma.h"
#include "h264intra/cpu/mb_intra16x16.h"
#include "h264intra/cpu/mb_rd.h"

/* Flag of a block: the rates of coded_block_flag of an item. */
MB_FN const uint16_t *rd_flag(const mb_work *w, int cat, int item)
{
	int inc = h264i_coded_block_inc(&w->mb, w->left, w->up, item);

	return rates_of(w)->bin[H264I_CTX_CODED_BLOCK + 4 * cat + inc];
}

/* Chooses the levels of the AC blocks of Intra16x16; dc: the DCs in raster order. Returns the rate
 * of their bins. */
MB_FN uint32_t rd_levels_ac16(mb_work *w, int mode, rd_block ac[16], int32_t dc[16])
{
	uint32_t rate = 0, any = 0;

	for (int b = 0; b < 16; b++) {
		dc[4 * h264i_blk_y(b) + h264i_blk_x(b)] =
			rd_levels4(w, &w->q->luma, w->src[b], w->pred16[mode][b], H264I_CAT_LUMA_AC,
				rd_flag(w, H264I_CAT_LUMA_AC, H264I_ITEM_LUMA + b),
				rates_of(w)->quant_luma, &ac[b]);
		memcpy(w->lev.luma[b], ac[b].level, sizeof(w->lev.luma[b]));
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
	rd_levels_dc(w, &w->q->luma, dc, H264I_CAT_LUMA_DC,
		rd_flag(w, H264I_CAT_LUMA_DC, H264I_ITEM_LUMA_DC), rates_of(w)->quant_luma, &block);
	for (int i = 0; i < 16; i++) {
		w->lev.luma_dc[i] = block.level[i];
		dc[zigzag[i]] = block.level[i];
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

	begin_luma(w, H264I_MB_I16X16, 0);
	w->mb.i16_mode = (uint8_t)mode;
	memset(w->mb.i4_mode, I4_DC, sizeof(w->mb.i4_mode));
	memset(w->mb.total, 0, 16);
	rate = rd_levels_ac16(w, mode, ac, dc);
	rate += rd_levels_dc16(w, dc);
	h264i_hadamard4x4(dc);
	for (int b = 0; b < 16; b++) {
		int at = 4 * h264i_blk_y(b) + h264i_blk_x(b);

		rd_reconstruct4(q, w->pred16[mode][b], 1, h264i_dequant_luma_dc(dc[at], q), &ac[b]);
		raise_peak(w, ac[b].peak);
		store_luma(w, b, ac[b].rec);
		error += squared_error(w->src[b], ac[b].rec, 16);
	}
	return h264i_rd_cost(rates_of(w), error, rate + rd_type_rate(w));
}

/* Codes the luma blocks as Intra16x16 in the modes of the lowest keys by SATD, and keeps the best.
 * Its cost is by rate and distortion, or with options.rd 0 by SATD. */
MB_FN void rd_intra16x16(mb_work *w, uint32_t key[I16_MODES], mb_candidate *best)
{
	uint32_t satd = UINT32_MAX;

	for (int m = 0; m < I16_MODES; m++)
		satd = key[m] < satd ? key[m] : satd;
	for (int i = h264i_rd_plane_modes(w->c->rd); i > 0; i--) {
		int mode = take_lowest(key, I16_MODES);
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
	rd_block dc[2], ac[8];
} rd_chroma_part;

/* Chooses all levels of a mode. rate[1], rate[2]: with the pattern 1 and 2. */
MB_FN void rd_chroma_levels(mb_work *w, rd_chroma_part *c, uint32_t rate[3])
{
	const h264i_quant *q = &w->q->chroma;
	int32_t weight = rates_of(w)->quant_chroma, dc[8];

	rate[0] = rate[1] = rate[2] = 0;
	for (int k = 0; k < 8; k++) {
		dc[k] = rd_levels4(w, q, w->src[16 + k], w->pred_c[c->mode][k], H264I_CAT_CHROMA_AC,
			rd_flag(w, H264I_CAT_CHROMA_AC, H264I_ITEM_CHROMA_AC + k), weight,
			&c->ac[k]);
		w->mb.total[16 + k] = (uint8_t)c->ac[k].count;
		rate[2] += c->ac[k].rate;
	}
	for (int pl = 0; pl < 2; pl++) {
		h264i_hadamard2x2(dc + 4 * pl);
		rd_levels_dc(w, q, dc + 4 * pl, H264I_CAT_CHROMA_DC,
			rd_flag(w, H264I_CAT_CHROMA_DC, H264I_ITEM_CHROMA_DC + pl), weight,
			&c->dc[pl]);
		rate[1] += c->dc[pl].rate;
	}
	rate[2] += rate[1];
}

/* Decodes with a pattern. Returns the squared error. */
MB_FN uint32_t rd_chroma_decode(mb_work *w, rd_chroma_part *c, int pattern)
{
	const h264i_quant *q = &w->q->chroma;
	uint32_t error = 0;

	for (int pl = 0; pl < 2; pl++) {
		int32_t f[4];

		for (int k = 0; k < 4; k++)
			f[k] = pattern ? c->dc[pl].level[k] : 0;
		h264i_hadamard2x2(f);
		for (int k = 4 * pl; k < 4 * pl + 4; k++) {
			if (pattern < 2) {
				c->ac[k].count = 0;
				memset(c->ac[k].level, 0, 16 * sizeof(c->ac[k].level[0]));
			}
			rd_reconstruct4(q, w->pred_c[c->mode][k], 1,
				h264i_dequant_chroma_dc(f[k & 3], q), &c->ac[k]);
			error += squared_error(w->src[16 + k], c->ac[k].rec, 16);
		}
	}
	return error;
}

/* Codes chroma in c->mode, with the pattern of the lowest cost. A pattern whose blocks have no
 * levels is left out. */
MB_FN void rd_chroma_mode(mb_work *w, rd_chroma_part *c)
{
	const h264i_rates *r = rates_of(w);
	uint32_t rate[3], mode_rate = h264i_rate_chroma_mode(r, c->mode, w->left, w->up);
	int any[3] = { 1, 0, 0 };
	rd_chroma_part full;

	rd_chroma_levels(w, c, rate);
	any[1] = c->dc[0].count + c->dc[1].count;
	for (int k = 0; k < 8; k++)
		any[2] += c->ac[k].count;
	full = *c;
	c->cost = UINT32_MAX;
	for (int pattern = 0; pattern < 3; pattern++) {
		rd_chroma_part now = full;
		uint32_t error;

		if (!any[pattern])
			continue;
		error = rd_chroma_decode(w, &now, pattern);
		now.pattern = pattern;
		now.cost = h264i_rd_cost(r, error,
			mode_rate + rate[pattern] +
				h264i_rate_cbp_chroma(r, pattern, w->left, w->up));
		if (now.cost < c->cost)
			*c = now;
	}
}

/* Codes both chroma planes in the mode of the lowest cost and adds their coded block pattern. */
MB_FN void rd_chroma(mb_work *w)
{
	uint32_t key[IC_MODES];
	rd_chroma_part best = { .cost = UINT32_MAX }, now;

	judge_chroma(w, key);
	for (int i = h264i_rd_plane_modes(w->c->rd); i > 0; i--) {
		now.mode = take_lowest(key, IC_MODES);
		if (now.mode < 0)
			break;
		rd_chroma_mode(w, &now);
		if (now.cost < best.cost)
			best = now;
	}
	w->mb.chroma_mode = (uint8_t)best.mode;
	w->mb.cbp |= (uint8_t)(best.pattern << 4);
	for (int pl = 0; pl < 2; pl++) {
		const rd_block *dc = &best.dc[pl];

		memset(w->lev.chroma_dc[pl], 0, sizeof(w->lev.chroma_dc[pl]));
		if (best.pattern && dc->count) {
			memcpy(w->lev.chroma_dc[pl], dc->level, sizeof(w->lev.chroma_dc[pl]));
			w->mb.flags |= (uint8_t)(H264I_MB_DC_CB << pl);
		}
		count_levels(&w->sums, w->lev.chroma_dc[pl], 4);
	}
	for (int k = 0; k < 8; k++) {
		raise_peak(w, best.ac[k].peak);
		memcpy(w->rec_c[k], best.ac[k].rec, 16);
		memcpy(w->lev.chroma_ac[k >> 2][k & 3], best.ac[k].level, 32);
		w->mb.total[16 + k] = (uint8_t)best.ac[k].count;
		count_levels(&w->sums, best.ac[k].level, 16);
	}
}

#endif
