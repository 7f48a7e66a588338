/* residual_block_cabac() of ITU-T H.264 (clauses 7.3.5.3.3 and 9.3): a block of levels as bins. */
#ifndef H264INTRA_ENTROPY_CABAC_BLOCK_H
#define H264INTRA_ENTROPY_CABAC_BLOCK_H

#include "h264intra/bitstream/bits.h"
#include "h264intra/entropy/bins.h"

/* First contexts of the syntax elements, table 9-34. */
enum {
	H264I_CTX_MB_TYPE = 3,
	H264I_CTX_QP_DELTA = 60,
	H264I_CTX_CHROMA_MODE = 64,
	H264I_CTX_PREV_MODE = 68,
	H264I_CTX_REM_MODE = 69,
	H264I_CTX_CBP_LUMA = 73,
	H264I_CTX_CBP_CHROMA = 77,
	H264I_CTX_CODED_BLOCK = 85,
	H264I_CTX_SIGNIFICANT = 105,
	H264I_CTX_LAST = 166,
	H264I_CTX_ABS = 227,
	H264I_CTX_T8X8 = 399,
	H264I_CTX_SIGNIFICANT_8X8 = 402,
	H264I_CTX_LAST_8X8 = 417,
	H264I_CTX_ABS_8X8 = 426
};

/* The kinds of blocks of table 9-42 (ctxBlockCat). */
enum {
	H264I_CAT_LUMA_DC,
	H264I_CAT_LUMA_AC,
	H264I_CAT_LUMA_4X4,
	H264I_CAT_CHROMA_DC,
	H264I_CAT_CHROMA_AC,
	H264I_CAT_LUMA_8X8,
	H264I_CATS
};

/* ctxIdxInc of coefficient i of an 8x8 block of a frame macroblock, 0 <= i <= 62 (table 9-43):
 * significant_coeff_flag, in constants because lanes of a warp need different coefficients. */
LSCHED_FN int h264i_significant_8x8(int i)
{
	uint64_t low = i & 16 ? UINT64_C(0x789a987776334444) : UINT64_C(0x5544433445543210);
	uint64_t high = i & 16 ? UINT64_C(0x0caebdcb9ae96bdc) : UINT64_C(0xb689ae9876bdcb67);

	return (int)((i & 32 ? high : low) >> 4 * (i & 15) & 15);
}

/* The same of last_significant_coeff_flag: equal in groups of four, but for coefficient 0. */
LSCHED_FN int h264i_last_8x8(int i)
{
	return (int)(UINT64_C(0x8765443322221111) >> (i & 60) & 15) - (i == 0);
}

/* Offsets to the contexts of a kind of block, 0..4 (table 9-40). */
LSCHED_FN int h264i_cat_offset(int cat)
{
	return (int)(UINT64_C(0x2f2c1d0f00) >> 8 * cat & 255);
}

LSCHED_FN int h264i_cat_offset_abs(int cat)
{
	return (int)(UINT64_C(0x271e140a00) >> 8 * cat & 255);
}

/* coeff_abs_level_minus1: prefix in unary to 14 with two contexts, suffix in Exp-Golomb 0 (clause
 * 9.3.2.3), then coeff_sign_flag. */
H264I_INLINE_FN void h264i_level_bins(h264i_bins *out, int level, int ctx_first, int ctx_more)
{
	uint32_t rest = (uint32_t)(level < 0 ? -level : level) - 1, i;
	int negative = level < 0;

	h264i_bin(out, ctx_first, rest != 0);
	if (rest) {
		for (i = 1; i < 14 && i < rest; i++)
			h264i_bin(out, ctx_more, 1);
		if (rest < 14) {
			h264i_bin(out, ctx_more, 0);
		} else {
			uint32_t suffix = rest - 14 + 1, top = h264i_top_bit(suffix);

			for (i = 0; i < top; i++)
				h264i_bin(out, H264I_BIN_BYPASS, 1);
			h264i_bin(out, H264I_BIN_BYPASS, 0);
			while (i-- > 0)
				h264i_bin(out, H264I_BIN_BYPASS, (int)(suffix >> i & 1));
		}
	}
	h264i_bin(out, H264I_BIN_BYPASS, negative);
}

/* Spreads the 16 bits of v to the bits 0, 4, 8, ... */
LSCHED_FN uint64_t h264i_every_fourth(uint32_t v)
{
	uint64_t s = v;

	s = (s | s << 24) & UINT64_C(0x000000ff000000ff);
	s = (s | s << 12) & UINT64_C(0x000f000f000f000f);
	s = (s | s << 6) & UINT64_C(0x0303030303030303);
	return (s | s << 3) & UINT64_C(0x1111111111111111);
}

/* The levels of a block of kind `cat`: coefficient i is level[i]; of an 8x8 block
 * level[16 * (i % 4) + i / 4]. */
typedef struct h264i_bin_block {
	const int16_t *level;
	uint64_t nonzero; /* bit i: coefficient i is not 0 */
	int cat, coefficients;
} h264i_bin_block;

LSCHED_FN int h264i_block_level(const h264i_bin_block *b, int i)
{
	return b->level[b->cat == H264I_CAT_LUMA_8X8 ? (i & 3) << 4 | i >> 2 : i];
}

/* significant_coeff_flag and last_significant_coeff_flag of a block that is not all 0. */
H264I_INLINE_FN void h264i_map_bins(h264i_bins *out, const h264i_bin_block *b)
{
	int is_8x8 = b->cat == H264I_CAT_LUMA_8X8, offset = h264i_cat_offset(b->cat), i;
	int ctx = is_8x8 ? H264I_CTX_SIGNIFICANT_8X8 : H264I_CTX_SIGNIFICANT + offset;
	int ctx_last = is_8x8 ? H264I_CTX_LAST_8X8 : H264I_CTX_LAST + offset;

	for (i = 0; i < b->coefficients - 1; i++) {
		int dc_inc = b->cat == H264I_CAT_CHROMA_DC && i > 2 ? 2 : i;
		int significant = (int)(b->nonzero >> i & 1), last = b->nonzero >> i == 1;

		h264i_bin(out, ctx + (is_8x8 ? h264i_significant_8x8(i) : dc_inc), significant);
		if (significant)
			h264i_bin(out, ctx_last + (is_8x8 ? h264i_last_8x8(i) : dc_inc), last);
		if (last)
			return;
	}
}

/* The same where all that a block can have fits, for processors that predict branches: none
 * depends on a coefficient. Both records of one are stored, of which the next coefficient
 * overwrites the second if it is not significant. */
LSCHED_FN void h264i_map_bins_straight(h264i_bins *out, const h264i_bin_block *b)
{
	int is_8x8 = b->cat == H264I_CAT_LUMA_8X8, offset = h264i_cat_offset(b->cat), i;
	uint32_t upper = (uint32_t)(b->nonzero >> 32);
	int last = (int)(upper ? 32 + h264i_top_bit(upper) : h264i_top_bit((uint32_t)b->nonzero));
	int ctx = is_8x8 ? H264I_CTX_SIGNIFICANT_8X8 : H264I_CTX_SIGNIFICANT + offset;
	int ctx_last = is_8x8 ? H264I_CTX_LAST_8X8 : H264I_CTX_LAST + offset;
	int end = last < b->coefficients - 1 ? last + 1 : last;
	uint16_t *to = out->bin + out->count;

	for (i = 0; i < end; i++) {
		/* Only the last coefficient of chroma DC would need an i above 2. */
		int inc = is_8x8 ? h264i_significant_8x8(i) : i;
		int inc_last = is_8x8 ? h264i_last_8x8(i) : i;
		int significant = (int)(b->nonzero >> i & 1);

		to[0] = (uint16_t)((ctx + inc) << 1 | significant);
		to[1] = (uint16_t)((ctx_last + inc_last) << 1 | (i == last));
		to += 1 + significant;
	}
	out->count = (uint32_t)(to - out->bin);
}

/* residual_block_cabac() after coded_block_flag (clause 7.3.5.3.3). The smaller maximum of chroma
 * DC for `larger`, 3, needs no test: its last level has three before it. */
H264I_INLINE_FN void h264i_block_bins(h264i_bins *out, const h264i_bin_block *b)
{
	int is_8x8 = b->cat == H264I_CAT_LUMA_8X8, ones = 0, larger = 0;
	int ctx = is_8x8 ? H264I_CTX_ABS_8X8 : H264I_CTX_ABS + h264i_cat_offset_abs(b->cat);
	uint64_t left = b->nonzero;

	if (H264I_PREDICTS_BRANCHES && out->count + 2 * 64 < out->capacity)
		h264i_map_bins_straight(out, b);
	else
		h264i_map_bins(out, b);
	while (left) { /* from the last */
		uint32_t upper = (uint32_t)(left >> 32);
		int i = (int)(upper ? 32 + h264i_top_bit(upper) : h264i_top_bit((uint32_t)left));
		int level = h264i_block_level(b, i), one = level == 1 || level == -1;

		h264i_level_bins(out, level,
			ctx + (larger            ? 0
				      : ones < 3 ? ones + 1
						 : 4),
			ctx + 5 + (larger < 4 ? larger : 4));
		ones += one;
		larger += !one;
		left ^= UINT64_C(1) << i;
	}
}

#endif
