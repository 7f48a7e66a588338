/* Intra16x16 and chroma prediction (clauses 8.3.3 and 8.3.4): the predicted sample at (x, y) from a
 * few sums, for CPU loops and GPU lanes. */
#ifndef H264INTRA_PREDICT_INTRA16X16_H
#define H264INTRA_PREDICT_INTRA16X16_H

#include "h264intra/predict/edge4x4.h"
#include "h264intra/transform/dct.h"

/* Plane: clip((a + b * (x - c0) + c * (y - c0) + 16) >> 5), c0 = 7 for luma, 3 for chroma. */
typedef struct h264i_plane {
	int32_t a, b, c;
} h264i_plane;

/* Luma, from gradients h = sum x' * (p[7 + x', -1] - p[7 - x', -1]), x' = 1..8, and v likewise. */
LSCHED_FN h264i_plane h264i_plane16(int h, int v, int left_bottom, int top_right)
{
	h264i_plane p;

	p.a = 16 * (left_bottom + top_right);
	p.b = (5 * h + 32) >> 6;
	p.c = (5 * v + 32) >> 6;
	return p;
}

/* Chroma, x' = 1..4 around 3 (xCF = yCF = 0 in 4:2:0). */
LSCHED_FN h264i_plane h264i_plane8(int h, int v, int left_bottom, int top_right)
{
	h264i_plane p;

	p.a = 16 * (left_bottom + top_right);
	p.b = (34 * h + 32) >> 6;
	p.c = (34 * v + 32) >> 6;
	return p;
}

LSCHED_FN h264i_px h264i_plane_at(const h264i_plane *p, int x, int y, int c0)
{
	return h264i_clip_px((p->a + p->b * (x - c0) + p->c * (y - c0) + 16) >> 5);
}

LSCHED_FN int h264i_dc16(int avail, int top_sum, int left_sum)
{
	if ((avail & H264I_UP) && (avail & H264I_LEFT))
		return (top_sum + left_sum + 16) >> 5;
	if (avail & H264I_UP)
		return (top_sum + 8) >> 4;
	if (avail & H264I_LEFT)
		return (left_sum + 8) >> 4;
	return H264I_PX_MID;
}

/* Chroma DC of 4x4 block b (0..3): blocks 0 and 3 average both edges, 1 prefers the upper and 2 the
 * left edge (8.3.4.1-3). Each sum is of the four samples next to the block. */
LSCHED_FN int h264i_dc_chroma(int avail, int b, int top_sum, int left_sum)
{
	int up = avail & H264I_UP, left = avail & H264I_LEFT;

	if (up && left && (b == 0 || b == 3))
		return (top_sum + left_sum + 4) >> 3;
	if (up && (b == 1 || !left))
		return (top_sum + 2) >> 2;
	if (left && (b == 2 || !up))
		return (left_sum + 2) >> 2;
	if (up)
		return (top_sum + 2) >> 2;
	if (left)
		return (left_sum + 2) >> 2;
	return H264I_PX_MID;
}

#endif
