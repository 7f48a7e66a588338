/* Bits of CAVLC for rate-distortion decisions, and quantisation by them.
 *
 * * The bits of a block are those of entropy/cavlc.h: they depend on nC and on the block alone, so
 *   that no state is needed, as with CABAC (decide/rates.h).
 *
 * * Quantisation begins with the nearest levels. In a step the level is lowered by 1 whose change
 *   lowers the cost most; every coefficient computes the bits of the block with its own change, a
 *   lane each on a GPU (cuda/cavlc_levels.cuh). A choice for all coefficients at once, as in
 *   decide/rdoq.h, needs bits that are a sum over coefficients, which these are not.
 *
 * * Units are those of decide/rates.h and decide/rdoq.h. Integers only. */
#ifndef H264INTRA_DECIDE_CAVLC_RATES_H
#define H264INTRA_DECIDE_CAVLC_RATES_H

#include "h264intra/decide/rdoq.h"
#include "h264intra/entropy/mb_layer.h"

enum {
	H264I_CAVLC_BIT = 256, /* rate of a bit */
	/* Steps for each pass of options.trellis. BD-rate against CABAC, seven clips, rd 1: 1 step
	 * 11.2 %, 2 10.5, 3 and 4 10.4, any number 10.4; without quantisation by rate 12.5. */
	H264I_CAVLC_STEPS = 2
};

/* Bits of a level beyond the trailing ones, as h264i_emit_level() writes them. */
LSCHED_FN uint32_t h264i_cavlc_level_bits(uint32_t code, uint32_t suffix_length)
{
	if (suffix_length == 0 && code >= 14)
		return code < 30 ? 19 : 28;
	return code < 15u << suffix_length ? (code >> suffix_length) + 1 + suffix_length : 28;
}

/* A kind of block; first: 1 if level[0] is coded elsewhere; last: 16, or 4 with nC -1. */
typedef struct h264i_cavlc_kind {
	const h264i_cavlc_tables *t;
	int first, last, nC;
} h264i_cavlc_kind;

/* The bits of a block without levels. */
LSCHED_FN uint32_t h264i_cavlc_none_bits(const h264i_cavlc_kind *k)
{
	uint32_t bits = 0;

	h264i_emit_token(NULL, &bits, k->t, k->nC, 0, 0, 0);
	return bits;
}

/* Whether a level may be lowered by 1: not further away from its coefficient, unless to 0. */
LSCHED_FN int h264i_may_lower(uint32_t real, int level)
{
	return level == 1 || (level > 1 && (int32_t)real < 256 * level);
}

/* The change of the squared error where it is. */
LSCHED_FN int32_t h264i_lowered_error(uint32_t real, int level)
{
	return 512 * ((int32_t)real - 256 * level) + 65536;
}

/* The change of the squared error where a level becomes 0. Limited, so that sums have 32 bits and
 * no block with a level above 31 becomes 0. */
LSCHED_FN int32_t h264i_zeroed_error(uint32_t real, int level)
{
	int32_t z = real < 8191 ? (int32_t)real : 8191, d = z - 256 * level;

	return !level ? 0 : level > 31 ? z * z : z * z - d * d;
}

/* Cost of bits in quantisation. */
LSCHED_FN int32_t h264i_cavlc_quant_cost(uint32_t bits, int32_t weight)
{
	return (int32_t)(bits * (H264I_CAVLC_BIT / 16) * (uint32_t)weight);
}

/* The bits of a block of magnitudes; that of level `lowered` is one less, -1: none. A level
 * counts as a positive one. any, larger: bit i is set where level i is not 0, or is above 1. */
LSCHED_FN uint32_t h264i_cavlc_bits(const h264i_cavlc_kind *k, const int32_t level[16],
	uint32_t any, uint32_t larger, int lowered)
{
	uint32_t total, end, tail, ones, left, bias, suffix_length, bits = 0;

	if (lowered >= 0) {
		any ^= (uint32_t)(level[lowered] == 1) << lowered;
		larger ^= (uint32_t)(level[lowered] == 2) << lowered;
	}
	total = lsched_popcount(any);
	end = larger ? h264i_top_bit(larger) + 1 : 0;
	tail = lsched_popcount(any >> end);
	ones = tail < 3 ? tail : 3;
	h264i_emit_token(NULL, &bits, k->t, k->nC, total, ones, 0);
	if (!total)
		return bits;
	h264i_emit_zeros(NULL, &bits, k->t, any >> k->first, total, k->first, k->last, k->nC);
	bias = ones < 3 ? 4 : 2;
	suffix_length = total > 10 && ones < 3;
	/* Without the trailing ones. */
	left = tail > 3 ? any : any & ((1u << end) - 1);
	for (; tail > 3 && ones; ones--)
		left ^= 1u << h264i_top_bit(left);
	while (left) {
		uint32_t i = h264i_top_bit(left);
		uint32_t v = (uint32_t)(level[i] - ((int)i == lowered));

		bits += h264i_cavlc_level_bits(2 * v - bias, suffix_length);
		bias = 2;
		suffix_length = h264i_next_suffix(suffix_length, v);
		left ^= 1u << i;
	}
	return bits;
}

/* The levels of a block while they are chosen: magnitudes, and bit i where level i is not 0 and
 * where it is above 1. */
typedef struct h264i_cavlc_levels {
	int32_t level[16];
	uint32_t any, larger, bits;
} h264i_cavlc_levels;

/* Lowers the level of the greatest gain. Returns 0 if there is no gain. */
LSCHED_FN int h264i_cavlc_step(
	const h264i_cavlc_kind *k, const uint32_t real[16], h264i_cavlc_levels *b, int32_t weight)
{
	int32_t best = h264i_cavlc_quant_cost(b->bits, weight);
	uint32_t left;
	int at = -1;

	for (left = b->any; left; left &= left - 1) {
		int i = (int)lsched_i_lowest_bit(left);
		uint32_t bits;
		int32_t cost;

		if (!h264i_may_lower(real[i], b->level[i]))
			continue;
		bits = h264i_cavlc_bits(k, b->level, b->any, b->larger, i);
		cost = h264i_lowered_error(real[i], b->level[i]) +
		       h264i_cavlc_quant_cost(bits, weight);
		if (cost < best) {
			best = cost;
			b->bits = bits;
			at = i;
		}
	}
	if (at < 0)
		return 0;
	b->any ^= (uint32_t)(b->level[at] == 1) << at;
	b->larger ^= (uint32_t)(b->level[at] == 2) << at;
	b->level[at]--;
	return 1;
}

/* Chooses the levels of a block that is not all 0, from plain ones with passes 0, from the nearest
 * ones else. */
LSCHED_FN void h264i_cavlc_search(const h264i_cavlc_kind *k, const uint32_t real[16],
	h264i_cavlc_levels *b, int32_t weight, int passes)
{
	uint32_t none, left;
	int32_t lost = 0;
	int step;

	b->bits = h264i_cavlc_bits(k, b->level, b->any, b->larger, -1);
	for (step = 0; step < passes * H264I_CAVLC_STEPS; step++)
		if (!h264i_cavlc_step(k, real, b, weight))
			break;
	if (!passes || !b->any)
		return;
	none = h264i_cavlc_none_bits(k);
	for (left = b->any; left; left &= left - 1) {
		uint32_t i = lsched_i_lowest_bit(left);

		lost += h264i_zeroed_error(real[i], b->level[i]);
	}
	if (lost > h264i_cavlc_quant_cost(b->bits - none, weight))
		return;
	for (left = b->any; left; left &= left - 1)
		b->level[lsched_i_lowest_bit(left)] = 0;
	b->any = b->larger = 0;
	b->bits = none;
}

/* Chooses the levels of a block from the magnitudes of real levels (decide/rdoq.h). */
LSCHED_FN void h264i_cavlc_quantise(const h264i_cavlc_kind *k, const uint32_t real[16],
	h264i_cavlc_levels *b, int32_t weight, int passes)
{
	int i;

	b->any = b->larger = 0;
	for (i = 0; i < 16; i++) {
		b->level[i] = i < k->first || i >= k->last ? 0
			      : passes                     ? (int32_t)(real[i] + 128) >> 8
							   : h264i_plain_level(real[i]);
		b->any |= (uint32_t)(b->level[i] != 0) << i;
		b->larger |= (uint32_t)(b->level[i] > 1) << i;
	}
	if (b->any)
		h264i_cavlc_search(k, real, b, weight, passes);
	else
		b->bits = h264i_cavlc_none_bits(k);
}

/* prev_intra4x4_pred_mode_flag, and rem_intra4x4_pred_mode where it differs; also of Intra8x8. */
LSCHED_FN uint32_t h264i_cavlc_rate_mode(int mode, int predicted)
{
	return mode == predicted ? H264I_CAVLC_BIT : 4 * H264I_CAVLC_BIT;
}

/* Luma and chroma are chosen without each other, but are coded by one code word. Each is counted
 * with a pattern of the other one that is likely from the neighbours. */
LSCHED_FN int h264i_likely_chroma(const h264i_mb *left, const h264i_mb *up)
{
	int a = left ? left->cbp >> 4 : 0, b = up ? up->cbp >> 4 : 0;

	return a > b ? a : b;
}

LSCHED_FN int h264i_likely_luma(const h264i_mb *left, const h264i_mb *up)
{
	int a = left ? left->cbp : 0, b = up ? up->cbp : left ? 0 : 15;
	int rows = (a >> 1 & 1) | (a >> 1 & 4), columns = b >> 2 & 3;

	return rows | rows << 1 | columns | columns << 2;
}

LSCHED_FN uint32_t h264i_cavlc_rate_pattern(const h264i_cavlc_tables *t, int cbp, int syntax)
{
	return H264I_CAVLC_BIT * h264i_ue_bits(syntax & H264I_SYNTAX_GRAY
						       ? h264i_cbp_code_gray(cbp & 15)
						       : t->cbp[cbp]);
}

/* mb_type, transform_size_8x8_flag, coded_block_pattern and an mb_qp_delta of 0. */
LSCHED_FN uint32_t h264i_cavlc_rate_type(const h264i_cavlc_tables *t, const h264i_mb *mb,
	const h264i_mb *left, const h264i_mb *up, int syntax)
{
	int luma = mb->cbp & 15;
	int chroma = syntax & H264I_SYNTAX_GRAY ? 0 : h264i_likely_chroma(left, up);

	if (mb->type != H264I_MB_I4X4)
		return H264I_CAVLC_BIT *
		       (1 + h264i_ue_bits(
				    1u + mb->i16_mode + 4u * (uint32_t)chroma + (luma ? 12u : 0u)));
	return H264I_CAVLC_BIT * (1u + (syntax & H264I_SYNTAX_8X8) + (luma || chroma)) +
	       h264i_cavlc_rate_pattern(t, luma | chroma << 4, syntax);
}

/* intra_chroma_pred_mode and the pattern of chroma, 0..2. */
LSCHED_FN uint32_t h264i_cavlc_rate_chroma(const h264i_cavlc_tables *t, int mode, int pattern,
	const h264i_mb *left, const h264i_mb *up, int syntax)
{
	return H264I_CAVLC_BIT * h264i_ue_bits((uint32_t)mode) +
	       h264i_cavlc_rate_pattern(t, h264i_likely_luma(left, up) | pattern << 4, syntax);
}

#endif
