/* The deblocking filter of filter/deblock.c with 16 lanes per macroblock and a wavefront of
 * macroblocks, for the CUDA backend; also C, so that a test without a GPU runs the same steps.
 *
 * Order. The standard filters macroblocks in raster order, the vertical edges of each before its
 * horizontal ones. Macroblock (x, y) changes 3 and reads 4 samples of its neighbours to the left
 * and above. Hence it follows its left neighbour, and, since the left edge of (x + 1, y - 1)
 * changes the last columns of (x, y - 1), it follows its upper right neighbour. Step s of the
 * wavefront filters the macroblocks with x + 2 y = s: these are two columns apart from row to row
 * and touch no common sample.
 *
 * A lane processes a line of luma, and one of Cb (lanes 0..7) or Cr (8..15). A line crosses the
 * whole macroblock and all parallel edges of one direction; it stays in registers meanwhile. All
 * lanes finish the vertical edges before any starts the horizontal ones. Cb and Cr have the same
 * pitch. */
#ifndef H264INTRA_FILTER_DEBLOCK_LANE_H
#define H264INTRA_FILTER_DEBLOCK_LANE_H

#include "h264intra/core/language.h"
#include "h264intra/core/work.h"
#include "h264intra/filter/deblock_line.h"

#include <stddef.h>

enum { H264I_DEBLOCK_LANES = 16 };

LSCHED_FN uint32_t h264i_deblock_steps(uint32_t mb_width, uint32_t mb_height)
{
	return mb_width + 2 * (mb_height - 1);
}

/* The rows of a step that have a macroblock: first..end - 1, in column step - 2 * row. */
LSCHED_FN uint32_t h264i_deblock_first_row(uint32_t mb_width, uint32_t step)
{
	return step < mb_width ? 0 : (step - mb_width) / 2 + 1;
}

LSCHED_FN uint32_t h264i_deblock_end_row(uint32_t mb_height, uint32_t step)
{
	return step / 2 + 1 < mb_height ? step / 2 + 1 : mb_height;
}

/* Loads `count` samples, `across` samples apart, from `at` on. If `row`, a constant, is 1, they are
 * side by side and aligned, and the device reads words. */
LSCHED_FN void h264i_line_load(int *v, const h264i_px *at, ptrdiff_t across, int row, int count)
{
	if (row) {
		h264i_load_samples(v, at, count);
		return;
	}
	for (int i = 0; i < count; i++)
		v[i] = at[i * across];
}

LSCHED_FN void h264i_line_store(const int *v, h264i_px *at, ptrdiff_t across, int row, int count)
{
	if (row) {
		h264i_store_samples(v, at, count);
		return;
	}
	for (int i = 0; i < count; i++)
		at[i * across] = (h264i_px)v[i];
}

/* One line of luma, `at` its first sample inside the macroblock. has_p: there is a macroblock
 * before the first edge; t8x8: the macroblock has the 8x8 transform, whose inner edges are not
 * filtered. Columns leave out the samples that cannot change. */
LSCHED_FN void h264i_lane_luma(h264i_px *at, ptrdiff_t across, int row, int has_p, int t8x8,
	h264i_thresholds border, h264i_thresholds inner)
{
	int v[20] = { 0 };

	h264i_line_load(v + 4, at, across, row, 16);
	if (has_p) {
		h264i_line_load(v, at - 4 * across, across, row, 4);
		h264i_line_luma_border(v, border);
		if (row)
			h264i_line_store(v, at - 4, 1, 1, 4);
		else
			h264i_line_store(v + 1, at - 3 * across, across, 0, 3);
	}
	for (int edge = 1; edge < 4; edge++)
		if (!(t8x8 && edge & 1))
			h264i_line_luma_inner(v + 4 * edge, inner);
	h264i_line_store(v + 4, at, across, row, row ? 16 : 14);
}

LSCHED_FN void h264i_lane_chroma(h264i_px *at, ptrdiff_t across, int row, int has_p,
	h264i_thresholds border, h264i_thresholds inner)
{
	int v[12] = { 0 };

	h264i_line_load(v + 4, at, across, row, row ? 8 : 6);
	if (has_p) {
		if (row)
			h264i_line_load(v, at - 4, 1, 1, 4);
		else
			h264i_line_load(v + 2, at - 2 * across, across, 0, 2);
		h264i_line_chroma(v, border, 1);
		if (row)
			h264i_line_store(v, at - 4, 1, 1, 4);
		else
			h264i_line_store(v + 3, at - across, across, 0, 1);
	}
	h264i_line_chroma(v + 4, inner, 0);
	h264i_line_store(v + 4, at, across, row, row ? 8 : 5);
}

/* Filters the lane's lines across the edges of one direction of macroblock (x, y). recon[] and its
 * pitches are aligned to 4. */
LSCHED_FN void h264i_deblock_lane(const h264i_picture *p, uint32_t mb_width, uint32_t x, uint32_t y,
	int vertical, int lane, const h264i_strengths *s)
{
	const h264i_mb *mb = p->mb + (size_t)y * mb_width + x;
	int plane = 1 + lane / 8, line = lane % 8, has_p = (vertical ? x : y) != 0;
	int t8x8 = mb->flags & H264I_MB_T8X8, own = h264i_filter_qp(mb), other = own;
	const uint8_t *chroma_qp = s->chroma_qp[lane / 8];
	h264i_thresholds border, inner;
	ptrdiff_t pitch = (ptrdiff_t)p->recon_pitch[0], chroma_pitch = (ptrdiff_t)p->recon_pitch[1];
	h264i_px *luma = p->recon[0] + 16 * ((ptrdiff_t)y * pitch + (ptrdiff_t)x);
	h264i_px *chroma = p->recon[plane] + 8 * ((ptrdiff_t)y * chroma_pitch + (ptrdiff_t)x);

	if (has_p)
		other = h264i_filter_qp(mb - (vertical ? 1 : (ptrdiff_t)mb_width));
	border = h264i_thresholds_of(s, other, own);
	inner = h264i_thresholds_of(s, own, own);
	if (vertical)
		h264i_lane_luma(luma + lane * pitch, 1, 1, has_p, t8x8, border, inner);
	else
		h264i_lane_luma(luma + lane, pitch, 0, has_p, t8x8, border, inner);
	border = h264i_thresholds_of(s, chroma_qp[other], chroma_qp[own]);
	inner = h264i_thresholds_of(s, chroma_qp[own], chroma_qp[own]);
	if (vertical)
		h264i_lane_chroma(chroma + line * chroma_pitch, 1, 1, has_p, border, inner);
	else
		h264i_lane_chroma(chroma + line, chroma_pitch, 0, has_p, border, inner);
}

#endif
