/* The arithmetic of the deblocking filter for one line of samples p3 p2 p1 p0 | q0 q1 q2 q3 across
 * an edge (clause 8.7.2), written once for filter/deblock.c (vectors of lines) and
 * filter/deblock_lane.h (one line a lane).
 *
 * All macroblocks are intra: bS is 4 at the edges of macroblocks ("border") and 3 inside
 * ("inner"). */
#ifndef H264INTRA_FILTER_DEBLOCK_LINE_H
#define H264INTRA_FILTER_DEBLOCK_LINE_H

#include "h264intra/core/format.h"

#include <libsched/fn.h>

#include <stdint.h>

enum {
	H264I_P3 = 0,
	H264I_P2,
	H264I_P1,
	H264I_P0,
	H264I_Q0,
	H264I_Q1,
	H264I_Q2,
	H264I_Q3,
	H264I_LINE_SAMPLES
};

typedef struct h264i_thresholds {
	int alpha, beta, tc0;
} h264i_thresholds;

/* Tables of the filter, constant for a picture parameter set. */
typedef struct h264i_strengths {
	uint32_t by_qp[H264I_QPS]; /* alpha', beta' << 8, tc0' << 16, by the mean of both QPs */
	uint8_t chroma_qp[2][H264I_QPS]; /* QP of Cb and of Cr, by that of luma */
} h264i_strengths;

/* Thresholds of an edge between QPs qp_p and qp_q (clauses 8.7.2.2 and 8.7.2.3). */
LSCHED_FN h264i_thresholds h264i_thresholds_of(const h264i_strengths *s, int qp_p, int qp_q)
{
	uint32_t v = s->by_qp[(qp_p + qp_q + 1) >> 1];
	h264i_thresholds t = { (int)(v & 255) << H264I_DEPTH_SHIFT,
		(int)(v >> 8 & 255) << H264I_DEPTH_SHIFT, (int)(v >> 16) << H264I_DEPTH_SHIFT };

	return t;
}

LSCHED_FN int h264i_clip3(int low, int high, int v)
{
	return v < low ? low : v > high ? high : v;
}

LSCHED_FN int h264i_distance(int a, int b)
{
	int d = a - b;

	return d < 0 ? -d : d;
}

/* filterSamplesFlag (8-468), bS not 0. */
LSCHED_FN int h264i_line_filtered(const int v[H264I_LINE_SAMPLES], h264i_thresholds t)
{
	const int edge = h264i_distance(v[H264I_P0], v[H264I_Q0]) < t.alpha;
	const int p = h264i_distance(v[H264I_P1], v[H264I_P0]) < t.beta;
	const int q = h264i_distance(v[H264I_Q1], v[H264I_Q0]) < t.beta;

	return edge & p & q; /* no branches: lanes of a warp differ here */
}

/* The change of p0 and q0 for bS below 4 (8-475). */
LSCHED_FN int h264i_line_delta(const int v[H264I_LINE_SAMPLES], int tc)
{
	return h264i_clip3(-tc, tc,
		(((v[H264I_Q0] - v[H264I_P0]) * 4) + (v[H264I_P1] - v[H264I_Q1]) + 4) >> 3);
}

/* Clause 8.7.2.3, luma. Changes p1 p0 q0 q1; p3 and q3 are not read. */
LSCHED_FN void h264i_line_luma_inner(int v[H264I_LINE_SAMPLES], h264i_thresholds t)
{
	int p2 = v[H264I_P2], p1 = v[H264I_P1], p0 = v[H264I_P0];
	int q0 = v[H264I_Q0], q1 = v[H264I_Q1], q2 = v[H264I_Q2];
	int on = h264i_line_filtered(v, t);
	int p_flat = on & (h264i_distance(p2, p0) < t.beta);
	int q_flat = on & (h264i_distance(q2, q0) < t.beta);
	int delta = h264i_line_delta(v, t.tc0 + p_flat + q_flat);
	int middle = (p0 + q0 + 1) >> 1;
	int p_side = h264i_clip3(-t.tc0, t.tc0, (p2 + middle - 2 * p1) >> 1);
	int q_side = h264i_clip3(-t.tc0, t.tc0, (q2 + middle - 2 * q1) >> 1);

	v[H264I_P1] = p_flat ? p1 + p_side : p1;
	v[H264I_P0] = on ? h264i_clip3(0, H264I_PX_MAX, p0 + delta) : p0;
	v[H264I_Q0] = on ? h264i_clip3(0, H264I_PX_MAX, q0 - delta) : q0;
	v[H264I_Q1] = q_flat ? q1 + q_side : q1;
}

/* Clause 8.7.2.4, luma. Changes p2 p1 p0 q0 q1 q2. */
LSCHED_FN void h264i_line_luma_border(int v[H264I_LINE_SAMPLES], h264i_thresholds t)
{
	int p3 = v[H264I_P3], p2 = v[H264I_P2], p1 = v[H264I_P1], p0 = v[H264I_P0];
	int q0 = v[H264I_Q0], q1 = v[H264I_Q1], q2 = v[H264I_Q2], q3 = v[H264I_Q3];
	int on = h264i_line_filtered(v, t);
	int strong = on & (h264i_distance(p0, q0) < (t.alpha >> 2) + 2);
	int p_strong = strong & (h264i_distance(p2, p0) < t.beta);
	int q_strong = strong & (h264i_distance(q2, q0) < t.beta);
	int p_weak = on ? (2 * p1 + p0 + q1 + 2) >> 2 : p0;
	int q_weak = on ? (2 * q1 + q0 + p1 + 2) >> 2 : q0;
	int both = p0 + q0;

	v[H264I_P2] = p_strong ? (2 * p3 + 3 * p2 + p1 + both + 4) >> 3 : p2;
	v[H264I_P1] = p_strong ? (p2 + p1 + both + 2) >> 2 : p1;
	v[H264I_P0] = p_strong ? (p2 + 2 * p1 + 2 * both + q1 + 4) >> 3 : p_weak;
	v[H264I_Q0] = q_strong ? (p1 + 2 * both + 2 * q1 + q2 + 4) >> 3 : q_weak;
	v[H264I_Q1] = q_strong ? (both + q1 + q2 + 2) >> 2 : q1;
	v[H264I_Q2] = q_strong ? (2 * q3 + 3 * q2 + q1 + both + 4) >> 3 : q2;
}

/* Both clauses with chromaStyleFilteringFlag: reads p1 p0 q0 q1, changes p0 and q0. */
LSCHED_FN void h264i_line_chroma(int v[H264I_LINE_SAMPLES], h264i_thresholds t, int border)
{
	int p1 = v[H264I_P1], p0 = v[H264I_P0], q0 = v[H264I_Q0], q1 = v[H264I_Q1];
	int on = h264i_line_filtered(v, t);
	int delta = h264i_line_delta(v, t.tc0 + 1);
	int p = border ? (2 * p1 + p0 + q1 + 2) >> 2 : h264i_clip3(0, H264I_PX_MAX, p0 + delta);
	int q = border ? (2 * q1 + q0 + p1 + 2) >> 2 : h264i_clip3(0, H264I_PX_MAX, q0 - delta);

	v[H264I_P0] = on ? p : p0;
	v[H264I_Q0] = on ? q : q0;
}

#endif
