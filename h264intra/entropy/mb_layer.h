/* macroblock_layer() of ITU-T H.264 in I slices with CAVLC (clauses 7.3.5, 7.4.5).
 *
 * A macroblock's syntax is cut into 28 items in stream order, each of which can be written without
 * the others, so that 28 lanes of a warp write one macroblock:
 *
 *     0        mb_type, prediction modes, coded_block_pattern, mb_qp_delta
 *     1        Intra16x16 DC
 *     2..17    luma blocks 0..15: Intra4x4, or Intra16x16 AC, or the interleaved parts of the 8x8
 *              blocks of Intra8x8 (clause 7.3.5.3.2), which are stored and coded as 4x4 blocks
 *     18, 19   chroma DC: Cb, Cr
 *     20..27   chroma AC: Cb 0..3, Cr 0..3
 *
 * `syntax` is of H264I_SYNTAX_8X8 and H264I_SYNTAX_GRAY; without chroma items 18 to 27 are empty,
 * as the pattern says so. `left` and `up` are the
 * neighbouring macroblocks A and B of the same slice, NULL where there is none (clause 6.4.11.1).
 * Of an h264i_mb the total[] of blocks that are not coded must be 0, and i4_mode[] must be 2 where
 * the type is not I_NxN (core/mb.h). */
#ifndef H264INTRA_ENTROPY_MB_LAYER_H
#define H264INTRA_ENTROPY_MB_LAYER_H

#include "h264intra/core/mb.h"
#include "h264intra/entropy/cavlc.h"

enum {
	H264I_ITEM_HEADER = 0,
	H264I_ITEM_LUMA_DC = 1,
	H264I_ITEM_LUMA = 2,
	H264I_ITEM_CHROMA_DC = 18,
	H264I_ITEM_CHROMA_AC = 20,
	H264I_MB_ITEMS = H264I_ITEM_CHROMA_AC + 2 * H264I_CHROMA_BLOCKS /* 28 */
};

enum { H264I_MB_TYPE_PCM = 25 };

/* I_PCM samples: Y, Cb, Cr, each in raster order. */
LSCHED_FN int h264i_pcm_samples(int syntax)
{
	return syntax & H264I_SYNTAX_GRAY ? (int)H264I_LUMA_PX : (int)H264I_PCM_PX;
}

LSCHED_FN int h264i_pcm_bytes(int syntax)
{
	return h264i_pcm_samples(syntax) * H264I_BIT_DEPTH / 8;
}

/* mb_type, 7 alignment bits (the maximum), samples: the cost of I_PCM, so that no decision depends
 * on the position in the stream. */
LSCHED_FN int h264i_pcm_bits(int syntax)
{
	return 9 + 7 + 8 * h264i_pcm_bytes(syntax);
}

/* The items that write at least one bit, bit i for item i. Of I_PCM only the header. */
LSCHED_FN uint32_t h264i_mb_items(const h264i_mb *mb)
{
	uint32_t items = 1u << H264I_ITEM_HEADER, luma = mb->cbp & 15, chroma = mb->cbp >> 4;

	if (mb->type == H264I_MB_PCM)
		return items;
	/* Each bit of the pattern is for four blocks, of Intra8x8 the parts of one. */
	luma = (luma & 1) | (luma & 2) << 3 | (luma & 4) << 6 | (luma & 8) << 9;
	items |= luma * 15 << H264I_ITEM_LUMA;
	if (mb->type == H264I_MB_I16X16)
		items |= 1u << H264I_ITEM_LUMA_DC;
	if (chroma)
		items |= 3u << H264I_ITEM_CHROMA_DC;
	if (chroma == 2)
		items |= 255u << H264I_ITEM_CHROMA_AC;
	return items;
}

/* nC of luma block b; of Intra16x16 DC that of block 0 (clause 9.2.1). */
LSCHED_FN int h264i_nc_luma(const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int b)
{
	int x = h264i_blk_x(b), y = h264i_blk_y(b);
	const h264i_mb *a = x ? mb : left, *above = y ? mb : up;

	return h264i_cavlc_nc(a != NULL, a ? a->total[h264i_blk_at((x - 1) & 3, y)] : 0,
		above != NULL, above ? above->total[h264i_blk_at(x, (y - 1) & 3)] : 0);
}

/* nC of chroma AC block k, 0..3 Cb and 4..7 Cr. */
LSCHED_FN int h264i_nc_chroma(const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int k)
{
	const h264i_mb *a = k & 1 ? mb : left, *above = k & 2 ? mb : up;

	return h264i_cavlc_nc(a != NULL, a ? a->total[16 + (k ^ 1)] : 0, above != NULL,
		above ? above->total[16 + (k ^ 2)] : 0);
}

/* predIntra4x4PredMode of block b (clause 8.3.1.1). */
LSCHED_FN int h264i_predicted_mode(
	const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int b)
{
	int x = h264i_blk_x(b), y = h264i_blk_y(b), mode_a, mode_b;
	const h264i_mb *a = x ? mb : left, *above = y ? mb : up;

	if (!a || !above)
		return I4_DC;
	mode_a = a->i4_mode[h264i_blk_at((x - 1) & 3, y)];
	mode_b = above->i4_mode[h264i_blk_at(x, (y - 1) & 3)];
	return mode_a < mode_b ? mode_a : mode_b;
}

H264I_INLINE_FN void h264i_emit_ue(h264i_bits *out, uint32_t *count, uint32_t code_num)
{
	h264i_emit(out, count, code_num + 1, h264i_ue_bits(code_num)); /* only below 65,535 */
}

/* codeNum of coded_block_pattern without chroma (table 9-4, b), by the pattern: 1 10 11 6, 12 7 14
 * 2, 13 15 8 3, 9 4 5 0 in nibbles. */
LSCHED_FN uint32_t h264i_cbp_code_gray(int cbp)
{
	return (uint32_t)(0x054938fd2e7c6ba1ull >> 4 * cbp & 15);
}

/* Writes mb_type to mb_qp_delta; only mb_type of I_PCM. Returns the bits written. */
H264I_INLINE_FN int h264i_mb_header_code(h264i_bits *out, const h264i_cavlc_tables *t,
	const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int syntax)
{
	int i8x8 = mb->flags & H264I_MB_T8X8, b;
	uint32_t count = 0;

	if (mb->type == H264I_MB_PCM) {
		h264i_emit_ue(out, &count, H264I_MB_TYPE_PCM);
		return (int)count;
	}
	if (mb->type == H264I_MB_I16X16) { /* table 7-11: the pattern is part of the type */
		h264i_emit_ue(out, &count,
			1u + mb->i16_mode + 4u * (mb->cbp >> 4) + (mb->cbp & 15 ? 12u : 0u));
		if (!(syntax & H264I_SYNTAX_GRAY))
			h264i_emit_ue(out, &count, mb->chroma_mode);
		h264i_emit_ue(out, &count, h264i_se_code_num(mb->qp_delta));
		return (int)count;
	}
	h264i_emit_ue(out, &count, 0); /* I_NxN */
	if (syntax & H264I_SYNTAX_8X8)
		h264i_emit(out, &count, i8x8 != 0, 1); /* transform_size_8x8_flag */
	for (b = 0; b < 16; b += i8x8 ? 4 : 1) {
		int mode = mb->i4_mode[b], predicted = h264i_predicted_mode(mb, left, up, b);

		if (mode == predicted)
			h264i_emit(out, &count, 1, 1);
		else
			h264i_emit(out, &count, (uint32_t)(mode - (mode > predicted)), 4);
	}
	if (syntax & H264I_SYNTAX_GRAY) {
		h264i_emit_ue(out, &count, h264i_cbp_code_gray(mb->cbp));
	} else {
		h264i_emit_ue(out, &count, mb->chroma_mode);
		h264i_emit_ue(out, &count, t->cbp[mb->cbp]);
	}
	if (mb->cbp)
		h264i_emit_ue(out, &count, h264i_se_code_num(mb->qp_delta));
	return (int)count;
}

/* Common to the two functions below. One call of the block coder for all kinds of blocks keeps the
 * lanes of a warp converged. */
H264I_INLINE_FN int h264i_mb_item_code(h264i_bits *out, const h264i_cavlc_tables *t,
	const h264i_mb *mb, const h264i_levels *levels, const h264i_mb *left, const h264i_mb *up,
	int syntax, int item)
{
	const int16_t *level;
	int first = 0, last = 16, nC;

	if (!(h264i_mb_items(mb) >> item & 1))
		return 0;
	if (item == H264I_ITEM_HEADER)
		return h264i_mb_header_code(out, t, mb, left, up, syntax);
	if (item < H264I_ITEM_CHROMA_DC) {
		int b = item == H264I_ITEM_LUMA_DC ? 0 : item - H264I_ITEM_LUMA;

		level = item == H264I_ITEM_LUMA_DC ? levels->luma_dc : levels->luma[b];
		first = item != H264I_ITEM_LUMA_DC && mb->type == H264I_MB_I16X16;
		nC = h264i_nc_luma(mb, left, up, b);
	} else if (item < H264I_ITEM_CHROMA_AC) {
		level = levels->chroma_dc[item - H264I_ITEM_CHROMA_DC];
		last = 4;
		nC = -1;
	} else {
		int k = item - H264I_ITEM_CHROMA_AC;

		level = levels->chroma_ac[k >> 2][k & 3];
		first = 1;
		nC = h264i_nc_chroma(mb, left, up, k);
	}
	return h264i_cavlc_code(out, t, level, first, last, nC);
}

/* Writes one item, 0..27. For I_PCM item 0 is mb_type and the others are empty: alignment and
 * samples depend on the position in the slice (h264i_pcm_put). Returns the bits written, or -1 if a
 * level is too large for Baseline. */
LSCHED_FN int h264i_mb_item_put(h264i_bits *out, const h264i_cavlc_tables *t, const h264i_mb *mb,
	const h264i_levels *levels, const h264i_mb *left, const h264i_mb *up, int syntax, int item)
{
	return h264i_mb_item_code(out, t, mb, levels, left, up, syntax, item);
}

/* The same without writing. */
LSCHED_FN int h264i_mb_item_bits(const h264i_cavlc_tables *t, const h264i_mb *mb,
	const h264i_levels *levels, const h264i_mb *left, const h264i_mb *up, int syntax, int item)
{
	return h264i_mb_item_code(NULL, t, mb, levels, left, up, syntax, item);
}

/* Writes pcm_alignment_zero_bits and the samples after mb_type. The position counts from the
 * first byte of the slice's RBSP. No sample may be 0 in Baseline and Main (clauses
 * A.2.1, A.2.2). */
LSCHED_FN void h264i_pcm_put(h264i_bits *out, const h264i_px *samples, int count)
{
	int i;

	h264i_bits_align(out);
	if (H264I_BIT_DEPTH != 8) {
		for (i = 0; i < count; i++)
			h264i_bits_put(out, samples[i], H264I_BIT_DEPTH);
		return;
	}
	for (i = 0; i < count; i += 4)
		h264i_bits_put(out,
			(uint32_t)samples[i] << 24 | (uint32_t)samples[i + 1] << 16 |
				(uint32_t)samples[i + 2] << 8 | samples[i + 3],
			32);
}

/* The samples as bytes, behind a byte boundary; `count` is a multiple of 4. */
LSCHED_FN void h264i_pcm_pack(const h264i_px *samples, int count, uint8_t *out)
{
	uint32_t word = 0, bits = 0;

	for (int i = 0; i < count; i++) {
		word = word << H264I_BIT_DEPTH | samples[i];
		for (bits += H264I_BIT_DEPTH; bits >= 8; bits -= 8)
			*out++ = (uint8_t)(word >> (bits - 8));
	}
}

/* Writes a block whose number of levels that are not 0 is known: most have none. */
H264I_INLINE_FN int h264i_block_put(h264i_bits *out, const h264i_cavlc_tables *t, int total,
	const int16_t *level, int first, int last, int nC)
{
	uint32_t count = 0;

	if (total)
		return h264i_cavlc_code(out, t, level, first, last, nC) < 0 ? -1 : 0;
	h264i_emit_token(out, &count, t, nC, 0, 0, 0);
	return 0;
}

/* Writes a whole macroblock, for one thread: the items above in order. I_PCM reads the samples
 * `pcm`; the other types read `levels`. Returns 0, or -1 if a level is too large for Baseline. */
H264I_INLINE_FN int h264i_mb_put(h264i_bits *out, const h264i_cavlc_tables *t, const h264i_mb *mb,
	const h264i_levels *levels, const h264i_mb *left, const h264i_mb *up, int syntax,
	const h264i_px *pcm)
{
	int i16 = mb->type == H264I_MB_I16X16, chroma = mb->cbp >> 4, bad = 0, b, k;

	h264i_mb_header_code(out, t, mb, left, up, syntax);
	if (mb->type == H264I_MB_PCM) {
		h264i_pcm_put(out, pcm, h264i_pcm_samples(syntax));
		return 0;
	}
	if (i16)
		bad = h264i_block_put(
			out, t, 1, levels->luma_dc, 0, 16, h264i_nc_luma(mb, left, up, 0));
	for (b = 0; b < 16; b++)
		if (mb->cbp >> (b >> 2) & 1)
			bad |= h264i_block_put(out, t, mb->total[b], levels->luma[b], i16, 16,
				h264i_nc_luma(mb, left, up, b));
	for (k = 0; chroma && k < 2; k++)
		bad |= h264i_block_put(out, t, 1, levels->chroma_dc[k], 0, 4, -1);
	for (k = 0; chroma == 2 && k < 8; k++)
		bad |= h264i_block_put(out, t, mb->total[16 + k], levels->chroma_ac[k >> 2][k & 3],
			1, 16, h264i_nc_chroma(mb, left, up, k));
	return bad;
}

/* Bits of macroblock_layer(), which must not be above 128 more than the samples of
 * I_PCM have (clause A.3.1); of I_PCM always
 * h264i_pcm_bits(). -1 when a level is too large for Baseline. */
LSCHED_FN int h264i_mb_bits(const h264i_cavlc_tables *t, const h264i_mb *mb,
	const h264i_levels *levels, const h264i_mb *left, const h264i_mb *up, int syntax)
{
	uint32_t items = h264i_mb_items(mb);
	int sum = 0;

	if (mb->type == H264I_MB_PCM)
		return h264i_pcm_bits(syntax);
	for (; items; items &= items - 1) {
		int bits = h264i_mb_item_bits(
			t, mb, levels, left, up, syntax, (int)lsched_i_lowest_bit(items));

		if (bits < 0)
			return -1;
		sum += bits;
	}
	return sum;
}

#endif
