/* Intra4x4 and Intra8x8 macroblocks by rate and distortion. */
#ifndef H264INTRA_CPU_MB_RD_BLOCKS_H
#define H264INTRA_CPU_MB_RD_BLOCKS_H

#include "h264intra/cpu/mb_intra4x4.h"
#include "h264intra/cpu/mb_intra8x8.h"
#include "h264intra/cpu/mb_rd.h"

/* The decoded 8x8 block. */
MB_FN void rd_reconstruct8(const mb_work *w, const h264i_px pred[64], rd_block *out)
{
	out->exceeds = 0;
	if (out->count)
		out->exceeds = w->dsp->reconstruct8(out->level, &w->q->luma8, pred, out->rec);
	else
		memcpy(out->rec, pred, 64 * sizeof(*pred));
}

/* A block coded in two modes: the better one so far, and the one that is tried. */
typedef struct rd_trial {
	rd_block block[2];
	rd_block *best, *now;
} rd_trial;

MB_FN void rd_trial_begin(rd_trial *t)
{
	t->best = &t->block[0];
	t->now = &t->block[1];
	t->best->cost = UINT32_MAX;
}

/* Keeps the one just tried if it is better. */
MB_FN void rd_trial_end(rd_trial *t)
{
	if (t->now->cost < t->best->cost) {
		rd_block *better = t->now;

		t->now = t->best;
		t->best = better;
	}
}

/* Codes luma block b, whose keys by SATD are key[]. */
MB_FN void rd_block4(mb_work *w, int b, uint32_t key[], h264i_px pred[I4_MODES][16], rd_trial *t)
{
	const h264i_rates *r = w->rates;
	const h264i_quant *q = &w->q->luma;
	int predicted = h264i_predicted_mode(&w->mb, w->left, w->up, b);
	rd_context context = rd_context_of(w, H264I_CAT_LUMA_4X4, H264I_ITEM_LUMA + b);

	rd_trial_begin(t);
	for (int i = h264i_rd_block_modes(w->c->rd); i > 0; i--) {
		int mode = take_lowest(key);
		rd_block *now = t->now;

		if (mode < 0)
			break;
		rd_levels4(w, q, w->src[b], pred[mode], H264I_CAT_LUMA_4X4, context,
			rd_luma_weight(w), now);
		rd_reconstruct4(w, q, pred[mode], 0, 0, now);
		now->mode = mode;
		now->cost = h264i_rd_cost(r, w->dsp->squared_error(w->src[b], now->rec, 16),
			now->rate + rd_mode_rate(w, mode, predicted));
		rd_trial_end(t);
	}
}

/* Takes the levels, the mode and the samples of a coded block. */
MB_FN void rd_keep4(mb_work *w, int b, const rd_block *best)
{
	w->mb.i4_mode[b] = (uint8_t)best->mode;
	w->mb.total[b] = (uint8_t)best->count;
	w->mb.cbp |= (uint8_t)((best->count != 0) << (b >> 2));
	memcpy(w->lev->luma[b], best->level, sizeof(w->lev->luma[b]));
	w->exceeds |= best->exceeds;
	store_luma(w, b, best->rec);
}

/* Codes the luma blocks as Intra4x4. Returns the cost, or UINT32_MAX when it reaches `limit`: of
 * rate and distortion, or with options.rd 0 by SATD. */
MB_FN uint32_t rd_intra4x4(mb_work *w, uint32_t limit)
{
	const h264i_rates *r = w->rates;
	uint32_t satd = h264i_cost(0, w->q->lambda, H264I_I4_BASE_BITS), cost = 0, saved = 0;
	uint32_t flags[4] = { 0, 0, 0, 0 };

	begin_luma(w, H264I_MB_I4X4, 0);
	memset(w->mb.total, 0, 16);
	for (int b = 0; b < 16; b++) {
		h264i_px pred[I4_MODES][16];
		uint32_t key[H264I_KEYS];
		rd_trial t;

		satd += decide_intra4x4(w, b, pred, key) >> 4;
		rd_block4(w, b, key, pred, &t);
		rd_keep4(w, b, t.best);
		cost += t.best->cost;
		flags[b >> 2] += t.best->count ? 0 : t.best->rate;
		if (!w->c->rd && satd >= limit)
			return UINT32_MAX;
	}
	/* The flags of an 8x8 block without levels are not coded. */
	for (int b = 0; b < 4; b++)
		saved += w->mb.cbp >> b & 1 ? 0 : flags[b];
	cost += h264i_rd_cost(r, 0, rd_type_rate(w)) - h264i_rd_cost(r, 0, saved);
	memset(w->lev->luma_dc, 0, sizeof(w->lev->luma_dc));
	return w->c->rd ? cost : satd;
}

/* Chooses the levels of 8x8 block b, which CAVLC codes as four blocks of every fourth one. */
MB_FN void rd_choose_parts(mb_work *w, int b, const int32_t real[64], rd_block *out)
{
	out->count = 0;
	out->rate = 0;
	for (int k = 0; k < 4; k++) {
		rd_context context =
			rd_context_of(w, H264I_CAT_LUMA_4X4, H264I_ITEM_LUMA + 4 * b + k);
		int32_t part[16];
		rd_block block;

		for (int i = 0; i < 16; i++)
			part[i] = real[4 * i + k];
		rd_choose(w, H264I_CAT_LUMA_4X4, part, context, rd_luma_weight(w), &block);
		for (int i = 0; i < 16; i++)
			out->level[4 * i + k] = block.level[i];
		w->mb.total[4 * b + k] = (uint8_t)block.count;
		out->count += block.count;
		out->rate += block.rate;
	}
	if (!out->count)
		out->rate = 0;
}

/* Chooses the levels of 8x8 block b. */
MB_FN void rd_choose8(mb_work *w, int b, const int32_t real[64], rd_block *out)
{
	rd_context context = { NULL, 0 };

	if (w->q->syntax & H264I_SYNTAX_CAVLC) {
		rd_choose_parts(w, b, real, out);
		return;
	}
	/* The bit of the pattern is the flag of the block. */
	context.flag = w->rates->bin[h264i_cbp_luma_ctx(&w->mb, w->left, w->up, b)];
	rd_choose(w, H264I_CAT_LUMA_8X8, real, context, rd_luma_weight(w), out);
}

/* Codes 8x8 block b, whose keys by SATD are key[]. */
MB_FN void rd_block8(mb_work *w, int b, const h264i_px src[64], uint32_t key[],
	h264i_px pred[I4_MODES][64], rd_trial *t)
{
	const h264i_rates *r = w->rates;
	int predicted = h264i_predicted_mode(&w->mb, w->left, w->up, 4 * b);

	rd_trial_begin(t);
	for (int i = h264i_rd_block_modes(w->c->rd); i > 0; i--) {
		int mode = take_lowest(key);
		rd_block *now = t->now;
		int32_t real[64];

		if (mode < 0)
			break;
		w->dsp->real8(src, pred[mode], &w->q->luma8, real);
		rd_choose8(w, b, real, now);
		rd_reconstruct8(w, pred[mode], now);
		now->mode = mode;
		now->cost = h264i_rd_cost(r, w->dsp->squared_error(src, now->rec, 64),
			now->rate + rd_mode_rate(w, mode, predicted));
		rd_trial_end(t);
	}
}

/* Takes the levels, the mode and the samples of a coded block. */
MB_FN void rd_keep8(mb_work *w, int b, const rd_block *best)
{
	memset(w->mb.i4_mode + 4 * b, best->mode, 4);
	w->dsp->divide8(best->level, w->lev->luma + 4 * b, w->mb.total + 4 * b);
	w->mb.cbp |= (uint8_t)((best->count != 0) << b);
	w->exceeds |= best->exceeds;
	store_luma8(w, b, best->rec);
}

/* Codes the luma blocks as Intra8x8. Returns the cost as rd_intra4x4() does. */
MB_FN uint32_t rd_intra8x8(mb_work *w, uint32_t limit)
{
	uint32_t satd = h264i_cost(0, w->q->lambda, H264I_I8_BASE_BITS), cost = 0;

	begin_luma(w, H264I_MB_I4X4, H264I_MB_T8X8);
	memset(w->mb.total, 0, 16);
	for (int b = 0; b < 4; b++) {
		h264i_px src[64], pred[I4_MODES][64];
		uint32_t key[H264I_KEYS];
		rd_trial t;

		gather_source8(w, b, src);
		satd += decide_intra8x8(w, b, src, pred, key) >> 4;
		rd_block8(w, b, src, key, pred, &t);
		rd_keep8(w, b, t.best);
		cost += t.best->cost;
		if ((w->c->rd ? cost : satd) >= limit)
			return UINT32_MAX;
	}
	cost += h264i_rd_cost(w->rates, 0, rd_type_rate(w));
	memset(w->lev->luma_dc, 0, sizeof(w->lev->luma_dc));
	return w->c->rd ? cost : satd;
}

#endif
