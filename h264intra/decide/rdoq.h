/* Quantisation by rate and distortion (RDOQ): of the levels next to a coefficient, and of the
 * places where a block may end, those of the lowest cost.
 *
 * * A real level is a coefficient over its quantiser step, in 1/256. As all positions have the
 * same step after the scaling of the transform, the squared error of a level is that of the real
 * level, times the step squared; the weight of a bit is then the same for all QPs
 * (h264i_rates.quant_luma).
 *
 * * A trellis would go through the coefficients one after another, because the contexts of a level
 * depend on those behind it. Here these contexts come from the levels of the pass before (first:
 * from plain quantisation), so that all coefficients are decided at once, a lane each on a GPU;
 * the end of the block then follows from a prefix sum. Of random blocks the cost after a pass is
 * 0.2 % above the lowest one, that of plain quantisation 1.6 % (tests/h264intra/rdoq_test.c); a
 * second pass gains nothing on average.
 *
 * * All costs are relative to a level of 0 behind the last one, which has no bins. */
#ifndef H264INTRA_DECIDE_RDOQ_H
#define H264INTRA_DECIDE_RDOQ_H

#include "h264intra/decide/rates.h"
#include "h264intra/transform/quant.h"

/* The contexts of a kind of block. */
typedef struct h264i_block_rates {
	const uint16_t (*significant)[2], (*last)[2], (*abs)[2];
	int cat, coefficients;
} h264i_block_rates;

LSCHED_FN h264i_block_rates h264i_block_rates_of(const h264i_rates *r, int cat)
{
	h264i_block_rates b;
	int is_8x8 = cat == H264I_CAT_LUMA_8X8, offset = is_8x8 ? 0 : h264i_cat_offset(cat);

	b.significant =
		r->bin + (is_8x8 ? H264I_CTX_SIGNIFICANT_8X8 : H264I_CTX_SIGNIFICANT + offset);
	b.last = r->bin + (is_8x8 ? H264I_CTX_LAST_8X8 : H264I_CTX_LAST + offset);
	b.abs = r->bin + (is_8x8 ? H264I_CTX_ABS_8X8 : H264I_CTX_ABS + h264i_cat_offset_abs(cat));
	b.cat = cat;
	b.coefficients = is_8x8                                                   ? 64
			 : cat == H264I_CAT_CHROMA_DC                             ? 4
			 : cat == H264I_CAT_LUMA_AC || cat == H264I_CAT_CHROMA_AC ? 15
										  : 16;
	return b;
}

/* Rates of the map's bins of coefficient i: significant_coeff_flag of 0 and 1, and
 * last_significant_coeff_flag of 0 and 1. The last coefficient has none. */
typedef struct h264i_map_rates {
	uint32_t zero, one, more, end;
} h264i_map_rates;

LSCHED_FN h264i_map_rates h264i_map_rates_of(const h264i_block_rates *b, int i)
{
	int is_8x8 = b->cat == H264I_CAT_LUMA_8X8;
	int flat = b->cat == H264I_CAT_CHROMA_DC && i > 2 ? 2 : i;
	const uint16_t *s, *l;
	h264i_map_rates m = { 0, 0, 0, 0 };

	if (i == b->coefficients - 1)
		return m;
	s = b->significant[is_8x8 ? h264i_significant_8x8(i) : flat];
	l = b->last[is_8x8 ? h264i_last_8x8(i) : flat];
	m.zero = s[0];
	m.one = s[1];
	m.more = l[0];
	m.end = l[1];
	return m;
}

/* The real level, in 1/256, of a coefficient of magnitude a. */
LSCHED_FN uint32_t h264i_real_level(uint32_t a, int32_t mf, int32_t qbits)
{
	return a * (uint32_t)mf >> (qbits - 8);
}

/* Plain quantisation: 3/8, as h264i_quant.bias. */
LSCHED_FN int h264i_plain_level(uint32_t real)
{
	return (int)((real + 96) >> 8);
}

/* The choices for one coefficient. */
typedef struct h264i_choice {
	int level;      /* magnitude of the best level that is not 0; 0: there is none */
	int keep;       /* it is better than 0, if the block does not end before */
	int32_t inside; /* cost of the better one, if the block goes on behind it */
	int32_t end;    /* cost of level, if it is the last one */
} h264i_choice;

LSCHED_FN int32_t h264i_quant_rate(uint32_t rate, int32_t weight)
{
	return (int32_t)(rate * (uint32_t)weight >> 4);
}

/* Squared error of `level` less that of 0. The latter is limited: from 4 on no level becomes 0. */
LSCHED_FN int32_t h264i_quant_error(uint32_t real, int level)
{
	int32_t d = (int32_t)real - 256 * level, z = real < 1023 ? (int32_t)real : 1023;

	return d * d - z * z;
}

/* Chooses between the nearest level, the one below it and 0. weight: h264i_rates.quant_*. */
LSCHED_FN h264i_choice h264i_choose_level(uint32_t real, const uint16_t (*abs)[2], int first,
	int more, h264i_map_rates map, int32_t weight)
{
	int nearest = (int)((real + 128) >> 8);
	uint32_t rate = 0;
	int32_t error = 0, lower_error;
	h264i_choice c = { nearest, 0, h264i_quant_rate(map.zero, weight), 0 };

	if (!nearest)
		return c;
	rate = h264i_rate_level(abs, nearest, first, more);
	error = h264i_quant_error(real, nearest);
	if (nearest > 1) {
		uint32_t lower = h264i_rate_level(abs, nearest - 1, first, more);

		lower_error = h264i_quant_error(real, nearest - 1);
		if (lower_error + h264i_quant_rate(lower, weight) <
			error + h264i_quant_rate(rate, weight)) {
			c.level--;
			rate = lower;
			error = lower_error;
		}
	}
	c.end = error + h264i_quant_rate(rate + map.one + map.end, weight);
	error += h264i_quant_rate(rate + map.one + map.more, weight);
	c.keep = error <= c.inside;
	c.inside = c.keep ? error : c.inside;
	return c;
}

/* One pass over the magnitudes of a block in scan order, whose contexts come from level[] and whose
 * result replaces it. flag: rates of what says that all are 0, or not. */
LSCHED_FN void h264i_quantise_pass(const h264i_block_rates *b, const uint32_t real[], int level[],
	const uint16_t flag[2], int32_t weight)
{
	int32_t best = h264i_quant_rate(flag[0], weight), coded = h264i_quant_rate(flag[1], weight);
	int32_t before = 0;
	int ones = 0, larger = 0, end = -1, i;
	h264i_choice c[64];

	for (i = b->coefficients - 1; i >= 0; i--) {
		c[i] = h264i_choose_level(real[i], b->abs, h264i_first_of(ones, larger),
			h264i_more_of(larger), h264i_map_rates_of(b, i), weight);
		ones += level[i] == 1;
		larger += level[i] > 1;
	}
	for (i = 0; i < b->coefficients; i++) {
		if (c[i].level && before + c[i].end + coded < best) {
			best = before + c[i].end + coded;
			end = i;
		}
		before += c[i].inside;
	}
	for (i = 0; i < b->coefficients; i++)
		level[i] = i < end ? (c[i].keep ? c[i].level : 0) : i == end ? c[i].level : 0;
}

/* Rate of the magnitudes of a block, of which at least one is not 0, without its flag. */
LSCHED_FN uint32_t h264i_rate_block(const h264i_block_rates *b, const int level[])
{
	uint32_t rate = 0;
	int ones = 0, larger = 0, last = b->coefficients - 1, i;

	while (!level[last])
		last--;
	for (i = last; i >= 0; i--) {
		h264i_map_rates m = h264i_map_rates_of(b, i);

		if (!level[i]) {
			rate += m.zero;
			continue;
		}
		rate += m.one + (i == last ? m.end : m.more) +
			h264i_rate_level(b->abs, level[i], h264i_first_of(ones, larger),
				h264i_more_of(larger));
		ones += level[i] == 1;
		larger += level[i] > 1;
	}
	return rate;
}

#endif
