/* macroblock_layer() of ITU-T H.264 in I slices with CABAC (clauses 7.3.5, 9.3.2, 9.3.3.1) as bins.
 *
 * A macroblock's syntax is cut into the 28 items of mb_layer.h, each of which can be binarised
 * without the others; on a GPU a lane has one, where cuda/cabac_bins.cuh has no faster form. Of
 * Intra8x8 the 8x8 blocks are items 2, 6, 10 and 14. mb_type of I_PCM ends with a terminate bin of
 * 1, after which the coder stores the samples and starts again. end_of_slice_flag is left to the
 * caller.
 *
 * `left` and `up` are the neighbouring macroblocks A and B of the same slice and `prev` the one
 * before in decoding order, NULL where there is none. total[] of blocks that are not coded is 0,
 * chroma_mode of I_PCM too. */
#ifndef H264INTRA_ENTROPY_CABAC_MB_H
#define H264INTRA_ENTROPY_CABAC_MB_H

#include "h264intra/core/mb.h"
#include "h264intra/bitstream/bits.h"
#include "h264intra/entropy/bins.h"
#include "h264intra/entropy/cabac_block.h"
#include "h264intra/entropy/cabac_tables.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/entropy/qp_delta.h"

/* No item has more bins: 64 levels of significance, last, 14 and 29 bins of the magnitude and the
 * sign; the header has at most 131. */
enum { H264I_ITEM_BINS_MAX = 64 * 46 };

/* Lanes of a warp that binarise a macroblock, in stream order: the header in five parts, then an
 * item each. */
enum { H264I_HEADER_PARTS = 5, H264I_MB_PARTS = H264I_HEADER_PARTS + H264I_MB_ITEMS - 1 };

/* The items that have at least one bin, bit i for item i. */
LSCHED_FN uint32_t h264i_mb_bin_items(const h264i_mb *mb)
{
	uint32_t items = h264i_mb_items(mb);

	return mb->flags & H264I_MB_T8X8 ? items & ~(0xeeeeu << H264I_ITEM_LUMA) : items;
}

/* What a neighbour says of blocks: 1 where there is none, as the macroblock is intra (clause
 * 9.3.3.1.1.9). Of I_PCM all flags and counts are set. */
LSCHED_FN int h264i_coded_luma(const h264i_mb *n, int b)
{
	if (!n)
		return 1;
	return n->flags & H264I_MB_T8X8 ? n->cbp >> (b >> 2) & 1 : n->total[b] != 0;
}

LSCHED_FN int h264i_coded_chroma(const h264i_mb *n, int k)
{
	return n ? n->total[16 + k] != 0 : 1;
}

LSCHED_FN int h264i_coded_dc(const h264i_mb *n, int flag)
{
	return n ? (n->flags & flag) != 0 : 1;
}

/* ctxIdxInc of coded_block_flag of an item. */
LSCHED_FN int h264i_coded_block_inc(
	const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int item)
{
	if (item == H264I_ITEM_LUMA_DC || (item & ~1) == H264I_ITEM_CHROMA_DC) {
		int flag =
			item == H264I_ITEM_LUMA_DC ? H264I_MB_DC_Y : H264I_MB_DC_CB << (item & 1);

		return h264i_coded_dc(left, flag) + 2 * h264i_coded_dc(up, flag);
	}
	if (item < H264I_ITEM_CHROMA_DC) {
		int b = item - H264I_ITEM_LUMA, x = h264i_blk_x(b), y = h264i_blk_y(b);

		return h264i_coded_luma(x ? mb : left, h264i_blk_at((x - 1) & 3, y)) +
		       2 * h264i_coded_luma(y ? mb : up, h264i_blk_at(x, (y - 1) & 3));
	} else {
		int k = item - H264I_ITEM_CHROMA_AC;

		return h264i_coded_chroma(k & 1 ? mb : left, k ^ 1) +
		       2 * h264i_coded_chroma(k & 2 ? mb : up, k ^ 2);
	}
}

/* The levels of an item other than the header. */
LSCHED_FN h264i_bin_block h264i_item_block(const h264i_mb *mb, const h264i_levels *levels, int item)
{
	h264i_bin_block b;

	b.coefficients = 16;
	if (item == H264I_ITEM_LUMA_DC) {
		b.cat = H264I_CAT_LUMA_DC;
		b.level = levels->luma_dc;
	} else if (item < H264I_ITEM_CHROMA_DC) {
		b.cat = mb->flags & H264I_MB_T8X8     ? H264I_CAT_LUMA_8X8
			: mb->type == H264I_MB_I16X16 ? H264I_CAT_LUMA_AC
						      : H264I_CAT_LUMA_4X4;
		b.level = levels->luma[item - H264I_ITEM_LUMA];
	} else if (item < H264I_ITEM_CHROMA_AC) {
		b.cat = H264I_CAT_CHROMA_DC;
		b.level = levels->chroma_dc[item - H264I_ITEM_CHROMA_DC];
		b.coefficients = 4;
	} else {
		b.cat = H264I_CAT_CHROMA_AC;
		b.level = levels->chroma_ac[(item - H264I_ITEM_CHROMA_AC) >> 2]
					   [(item - H264I_ITEM_CHROMA_AC) & 3];
	}
	b.nonzero = h264i_nonzero_mask(b.level, b.coefficients);
	if (b.cat == H264I_CAT_LUMA_8X8) {
		int k;

		b.nonzero = h264i_every_fourth((uint32_t)b.nonzero);
		for (k = 1; k < 4; k++)
			b.nonzero |= h264i_every_fourth(h264i_nonzero_mask(b.level + 16 * k, 16))
				     << k;
		b.coefficients = 64;
	} else if (b.cat == H264I_CAT_LUMA_AC || b.cat == H264I_CAT_CHROMA_AC) {
		b.level++; /* the list of an AC block begins with coefficient 1 */
		b.nonzero >>= 1;
		b.coefficients = 15;
	}
	return b;
}

/* mb_type of I slices (table 9-36). */
H264I_INLINE_FN void h264i_mb_type_bins(
	h264i_bins *out, const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up)
{
	int inc = (left && left->type != H264I_MB_I4X4) + (up && up->type != H264I_MB_I4X4);
	int ctx = H264I_CTX_MB_TYPE, chroma = mb->cbp >> 4;

	h264i_bin(out, ctx + inc, mb->type != H264I_MB_I4X4);
	if (mb->type == H264I_MB_I4X4)
		return;
	h264i_bin(out, H264I_CTX_TERMINATE, mb->type == H264I_MB_PCM);
	if (mb->type == H264I_MB_PCM)
		return;
	h264i_bin(out, ctx + 3, (mb->cbp & 15) != 0);
	h264i_bin(out, ctx + 4, chroma != 0);
	if (chroma)
		h264i_bin(out, ctx + 5, chroma == 2);
	h264i_bin(out, ctx + 6, mb->i16_mode >> 1 & 1);
	h264i_bin(out, ctx + 7, mb->i16_mode & 1);
}

/* The modes of the 4x4 blocks of an 8x8 block of I_NxN. */
H264I_INLINE_FN void h264i_modes_bins(
	h264i_bins *out, const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int block8)
{
	int count = mb->flags & H264I_MB_T8X8 ? 1 : 4, b, i;

	/* The predicted mode of an 8x8 block is that of its first 4x4 block (clause 8.3.2.1). */
	for (b = 4 * block8; b < 4 * block8 + count; b++) {
		int mode = mb->i4_mode[b], predicted = h264i_predicted_mode(mb, left, up, b);
		int rem = mode - (mode > predicted);

		h264i_bin(out, H264I_CTX_PREV_MODE, mode == predicted);
		for (i = 0; i < 3 && mode != predicted; i++)
			h264i_bin(out, H264I_CTX_REM_MODE, rem >> i & 1);
	}
}

H264I_INLINE_FN void h264i_cbp_bins(
	h264i_bins *out, const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int syntax)
{
	int a = left ? left->cbp : 0x0f, b = up ? up->cbp : 0x0f, chroma = mb->cbp >> 4, k;

	for (k = 0; k < 4; k++) { /* k ^ 1 and k ^ 2 are the 8x8 blocks beside and above */
		int of_a = k & 1 ? mb->cbp : a, of_b = k & 2 ? mb->cbp : b;
		int inc = (~of_a >> (k ^ 1) & 1) + 2 * (~of_b >> (k ^ 2) & 1);

		h264i_bin(out, H264I_CTX_CBP_LUMA + inc, mb->cbp >> k & 1);
	}
	if (syntax & H264I_SYNTAX_GRAY)
		return;
	h264i_bin(out, H264I_CTX_CBP_CHROMA + (a >> 4 != 0) + 2 * (b >> 4 != 0), chroma != 0);
	if (chroma)
		h264i_bin(out, H264I_CTX_CBP_CHROMA + 4 + (a >> 4 == 2) + 2 * (b >> 4 == 2),
			chroma == 2);
}

H264I_INLINE_FN void h264i_qp_delta_bins(h264i_bins *out, const h264i_mb *mb, const h264i_mb *prev)
{
	int inc = prev && h264i_has_qp_delta(prev) && prev->qp_delta != 0;
	uint32_t left = h264i_se_code_num(mb->qp_delta);

	for (; left; left--) {
		h264i_bin(out, H264I_CTX_QP_DELTA + inc, 1);
		inc = inc < 2 ? 2 : 3;
	}
	h264i_bin(out, H264I_CTX_QP_DELTA + inc, 0);
}

/* intra_chroma_pred_mode (table 9-34: truncated unary); none in 4:0:0, whatever the record says. */
H264I_INLINE_FN void h264i_chroma_mode_bins(
	h264i_bins *out, const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int syntax)
{
	int a = left && left->chroma_mode != 0, b = up && up->chroma_mode != 0, i;

	if (syntax & H264I_SYNTAX_GRAY)
		return;
	h264i_bin(out, H264I_CTX_CHROMA_MODE + a + b, mb->chroma_mode != 0);
	for (i = 1; i < 3 && i <= mb->chroma_mode; i++)
		h264i_bin(out, H264I_CTX_CHROMA_MODE + 3, i < mb->chroma_mode);
}

/* The header in five parts: mb_type, transform_size_8x8_flag and the modes of 8x8 block 0; the
 * modes of blocks 1, 2 and 3; intra_chroma_pred_mode to mb_qp_delta. syntax: of
 * H264I_SYNTAX_8X8 and _GRAY. */
H264I_INLINE_FN void h264i_mb_header_bins(h264i_bins *out, const h264i_mb *mb, const h264i_mb *left,
	const h264i_mb *up, const h264i_mb *prev, int syntax, int part)
{
	int n_by_n = mb->type == H264I_MB_I4X4;

	if (part == 0) {
		h264i_mb_type_bins(out, mb, left, up);
		if (n_by_n && (syntax & H264I_SYNTAX_8X8))
			h264i_bin(out,
				H264I_CTX_T8X8 + (left && (left->flags & H264I_MB_T8X8)) +
					(up && (up->flags & H264I_MB_T8X8)),
				mb->flags & H264I_MB_T8X8);
	}
	if (part < 4 && n_by_n)
		h264i_modes_bins(out, mb, left, up, part);
	if (part != 4 || mb->type == H264I_MB_PCM)
		return;
	h264i_chroma_mode_bins(out, mb, left, up, syntax);
	if (n_by_n)
		h264i_cbp_bins(out, mb, left, up, syntax);
	if (h264i_has_qp_delta(mb))
		h264i_qp_delta_bins(out, mb, prev);
}

/* Appends the bins of one part, 0..31: the five of the header, then items 1..27. None if the
 * macroblock lacks it. */
H264I_INLINE_FN void h264i_mb_part_bins(h264i_bins *out, const h264i_mb *mb,
	const h264i_levels *levels, const h264i_mb *left, const h264i_mb *up, const h264i_mb *prev,
	int syntax, int part)
{
	int item = part - (H264I_HEADER_PARTS - 1);
	h264i_bin_block block;

	if (part < H264I_HEADER_PARTS) {
		h264i_mb_header_bins(out, mb, left, up, prev, syntax, part);
		return;
	}
	if (!(h264i_mb_bin_items(mb) >> item & 1))
		return;
	block = h264i_item_block(mb, levels, item);
	if (block.cat != H264I_CAT_LUMA_8X8) /* inferred from the pattern in 4:2:0 */
		h264i_bin(out,
			H264I_CTX_CODED_BLOCK + 4 * block.cat +
				h264i_coded_block_inc(mb, left, up, item),
			block.nonzero != 0);
	if (block.nonzero)
		h264i_block_bins(out, &block);
}

/* Appends the bins of one item, 0..27; none if the macroblock lacks it. */
H264I_INLINE_FN void h264i_mb_item_bins(h264i_bins *out, const h264i_mb *mb,
	const h264i_levels *levels, const h264i_mb *left, const h264i_mb *up, const h264i_mb *prev,
	int syntax, int item)
{
	int part = item ? item + H264I_HEADER_PARTS - 1 : 0;

	h264i_mb_part_bins(out, mb, levels, left, up, prev, syntax, part);
	for (part = 1; !item && part < H264I_HEADER_PARTS; part++)
		h264i_mb_header_bins(out, mb, left, up, prev, syntax, part);
}

#endif
