/* Intra4x4 and Intra8x8 macroblocks by rate and distortion, in scalar C. */
#ifndef H264INTRA_CPU_MB_RD_BLOCKS_H
#define H264INTRA_CPU_MB_RD_BLOCKS_H

#include "h264intra/cpu/mb_intra4x4.h"
#include "h264intra/cpu/mb_intra8x8.h"
#include "h264intra/cpu/mb_rd.h"

/* The decoded 8x8 block. */
MB_FN void rd_reconstruct8(const h264i_quant8 *q, const uint8_t pred[64], rd_block *out)
{
	int32_t r[64] = { 0 };

	out->peak = 0;
	if (out->count) {
		for (int i = 0; i < 64; i++) {
			int z = zigzag8[i];

			r[z] = h264i_dequant8(out->level[i], h264i_pos_class8(z >> 3, z & 7), q);
		}
		out->peak = h264i_idct8x8(r);
	}
	for (int i = 0; i < 64; i++)
		out->rec[i] = h264i_clip_u8(pred[i] + r[i]);
}

/* Codes luma block b, whose keys by SATD are key[]. */
MB_FN void rd_block4(mb_work *w, int b, uint32_t key[], uint8_t pred[I4_MODES][16], rd_block *best)
{
	const h264i_rates *r = rates_of(w);
	const h264i_quant *q = &w->q->luma;
	int predicted = h264i_predicted_mode(&w->mb, w->left, w->up, b);
	int inc = h264i_coded_block_inc(&w->mb, w->left, w->up, H264I_ITEM_LUMA + b);
	const uint16_t *flag = r->bin[H264I_CTX_CODED_BLOCK + 4 * H264I_CAT_LUMA_4X4 + inc];
	rd_block now;

	*best = (rd_block){ .cost = UINT32_MAX };
	for (int i = h264i_rd_block_modes(w->c->rd); i > 0; i--) {
		int mode = take_lowest(key, I4_MODES);

		if (mode < 0)
			break;
		rd_levels4(
			w, q, w->src[b], pred[mode], H264I_CAT_LUMA_4X4, flag, r->quant_luma, &now);
		rd_reconstruct4(q, pred[mode], 0, 0, &now);
		now.mode = mode;
		now.cost = h264i_rd_cost(r, squared_error(w->src[b], now.rec, 16),
			now.rate + h264i_rate_mode(r, mode, predicted));
		if (now.cost < best->cost)
			*best = now;
	}
}

/* Rate of the luma part of coded_block_pattern. */
MB_FN uint32_t rd_pattern_rate(const mb_work *w)
{
	const h264i_rates *r = rates_of(w);
	uint32_t rate = 0;

	for (int b = 0; b < 4; b++)
		rate += r->bin[h264i_cbp_luma_ctx(&w->mb, w->left, w->up, b)][w->mb.cbp >> b & 1];
	return rate;
}

/* Takes the levels, the mode and the samples of a coded block. */
MB_FN void rd_keep4(mb_work *w, int b, const rd_block *best)
{
	w->mb.i4_mode[b] = (uint8_t)best->mode;
	w->mb.total[b] = (uint8_t)best->count;
	w->mb.cbp |= (uint8_t)((best->count != 0) << (b >> 2));
	memcpy(w->lev.luma[b], best->level, sizeof(w->lev.luma[b]));
	raise_peak(w, best->peak);
	store_luma(w, b, best->rec);
}

/* Codes the luma blocks as Intra4x4. Returns the cost, or UINT32_MAX when it reaches `limit`: of
 * rate and distortion, or with options.rd 0 by SATD. */
MB_FN uint32_t rd_intra4x4(mb_work *w, uint32_t limit)
{
	const h264i_rates *r = rates_of(w);
	uint32_t satd = h264i_cost(0, w->q->lambda, H264I_I4_BASE_BITS), cost = 0, saved = 0;
	uint32_t flags[4] = { 0, 0, 0, 0 };

	begin_luma(w, H264I_MB_I4X4, 0);
	memset(w->mb.total, 0, 16);
	for (int b = 0; b < 16; b++) {
		uint8_t pred[I4_MODES][16];
		uint32_t key[I4_MODES];
		rd_block best;

		satd += judge_intra4x4(w, b, pred, key) >> 4;
		rd_block4(w, b, key, pred, &best);
		rd_keep4(w, b, &best);
		cost += best.cost;
		flags[b >> 2] += best.count ? 0 : best.rate;
		if (!w->c->rd && satd >= limit)
			return UINT32_MAX;
	}
	/* The flags of an 8x8 block without levels are not coded. */
	for (int b = 0; b < 4; b++)
		saved += w->mb.cbp >> b & 1 ? 0 : flags[b];
	cost += h264i_rd_cost(r, 0, rd_type_rate(w) + rd_pattern_rate(w)) -
		h264i_rd_cost(r, 0, saved);
	memset(w->lev.luma_dc, 0, sizeof(w->lev.luma_dc));
	return w->c->rd ? cost : satd;
}

/* Codes 8x8 block b, whose keys by SATD are key[]. */
MB_FN void rd_block8(mb_work *w, int b, const uint8_t src[64], uint32_t key[],
	uint8_t pred[I4_MODES][64], rd_block *best)
{
	const h264i_rates *r = rates_of(w);
	const h264i_quant8 *q = &w->q->luma8;
	h264i_block_rates br = h264i_block_rates_of(r, H264I_CAT_LUMA_8X8);
	/* The bit of the pattern is the flag of the block. */
	const uint16_t *flag = r->bin[h264i_cbp_luma_ctx(&w->mb, w->left, w->up, b)];
	int predicted = h264i_predicted_mode(&w->mb, w->left, w->up, 4 * b);
	rd_block now;

	*best = (rd_block){ .cost = UINT32_MAX };
	for (int i = h264i_rd_block_modes(w->c->rd); i > 0; i--) {
		int mode = take_lowest(key, I4_MODES);
		int32_t d[64], coef[64];
		uint32_t real[64];

		if (mode < 0)
			break;
		for (int k = 0; k < 64; k++)
			d[k] = src[k] - pred[mode][k];
		h264i_fdct8x8(d);
		for (int k = 0; k < 64; k++) {
			int z = zigzag8[k];

			coef[k] = d[z];
			real[k] = h264i_real_level((uint32_t)(d[z] < 0 ? -d[z] : d[z]),
				q->mf[h264i_pos_class8(z >> 3, z & 7)], q->qbits);
		}
		rd_levels(w, &br, coef, real, flag, r->quant_luma, &now);
		rd_reconstruct8(q, pred[mode], &now);
		now.mode = mode;
		now.cost = h264i_rd_cost(r, squared_error(src, now.rec, 64),
			now.rate + h264i_rate_mode(r, mode, predicted));
		if (now.cost < best->cost)
			*best = now;
	}
}

/* Takes the levels, the mode and the samples of a coded block. */
MB_FN void rd_keep8(mb_work *w, int b, const rd_block *best)
{
	memset(w->mb.i4_mode + 4 * b, best->mode, 4);
	for (int i = 0; i < 64; i++) {
		w->lev.luma[4 * b + (i & 3)][i >> 2] = best->level[i];
		w->mb.total[4 * b + (i & 3)] += best->level[i] != 0;
	}
	w->mb.cbp |= (uint8_t)((best->count != 0) << b);
	raise_peak(w, best->peak);
	for (int y = 0; y < 8; y++)
		memcpy(&PX(w, 8 * (b & 1), 8 * (b >> 1) + y), best->rec + 8 * y, 8);
}

/* Codes the luma blocks as Intra8x8. Returns the cost as rd_intra4x4() does. */
MB_FN uint32_t rd_intra8x8(mb_work *w, uint32_t limit)
{
	uint32_t satd = h264i_cost(0, w->q->lambda, H264I_I8_BASE_BITS), cost = 0;

	begin_luma(w, H264I_MB_I4X4, H264I_MB_T8X8);
	memset(w->mb.total, 0, 16);
	for (int b = 0; b < 4; b++) {
		uint8_t src[64], pred[I4_MODES][64];
		uint32_t key[I4_MODES];
		rd_block best;

		gather_source8(w, b, src);
		satd += judge_intra8x8(w, b, src, pred, key) >> 4;
		rd_block8(w, b, src, key, pred, &best);
		rd_keep8(w, b, &best);
		cost += best.cost;
		if ((w->c->rd ? cost : satd) >= limit)
			return UINT32_MAX;
	}
	cost += h264i_rd_cost(rates_of(w), 0, rd_type_rate(w));
	memset(w->lev.luma_dc, 0, sizeof(w->lev.luma_dc));
	return w->c->rd ? cost : satd;
}

#endif
