/* An edge is filtered as 16 lines of pixels p3 p2 p1 p0 | q0 q1 q2 q3 across it, gathered into one
 * array for each of the eight, so that the compiler turns the arithmetic into vectors. Chroma takes
 * both planes at once, 8 lines of Cb and 8 of Cr. */
#include "h264intra/filter/deblock.h"
#include "h264intra/core/qp.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 16, P3 = 0, P2, P1, P0, Q0, Q1, Q2, Q3 };

/* Table 8-16, by indexA and indexB; rows of 16. */
/* clang-format off */
static const uint8_t alpha_table[52] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	4, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 17, 20, 22, 25, 28,
	32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182,
	203, 226, 255, 255,
};
static const uint8_t beta_table[52] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 6, 6, 7, 7, 8, 8,
	9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16,
	17, 17, 18, 18,
};
/* Table 8-17, the column of bS 3: the only one below 4 in intra macroblocks (clause 8.7.2.1). */
static const uint8_t tc0_table[52] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3,
	3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13, 14, 16,
	18, 20, 23, 25,
};
/* clang-format on */

typedef struct {
	int alpha, beta, tc0;
} thresholds;

/* By the number of I_PCM macroblocks at the edge, 0, 1 or 2: these count as QP 0. */
typedef struct {
	thresholds luma[3], chroma[3];
} strengths;

static thresholds thresholds_of(int qp_p, int qp_q)
{
	int qp = (qp_p + qp_q + 1) >> 1;
	thresholds t = { alpha_table[qp], beta_table[qp], tc0_table[qp] };

	return t;
}

static strengths strengths_of(int qp)
{
	int chroma_qp = h264i_chroma_qp(qp);
	strengths s;

	s.luma[0] = thresholds_of(qp, qp);
	s.luma[1] = thresholds_of(qp, 0);
	s.luma[2] = thresholds_of(0, 0);
	s.chroma[0] = thresholds_of(chroma_qp, chroma_qp);
	s.chroma[1] = thresholds_of(chroma_qp, h264i_chroma_qp(0));
	s.chroma[2] = thresholds_of(h264i_chroma_qp(0), h264i_chroma_qp(0));
	return s;
}

static inline int clip(int low, int high, int v)
{
	return v < low ? low : v > high ? high : v;
}

/* filterSamplesFlag (8-468), bS not 0. */
static inline int filtered(int p1, int p0, int q0, int q1, thresholds t)
{
	return (abs(p0 - q0) < t.alpha) & (abs(p1 - p0) < t.beta) & (abs(q1 - q0) < t.beta);
}

/* The change of p0 and q0 for bS below 4 (8-475). */
static inline int step(int p1, int p0, int q0, int q1, int tc)
{
	return clip(-tc, tc, (((q0 - p0) * 4) + (p1 - q1) + 4) >> 3);
}

/* Clause 8.7.2.3, luma. */
static void luma_inner(uint8_t px[8][LINES], thresholds t)
{
	int i;

	for (i = 0; i < LINES; i++) {
		int p2 = px[P2][i], p1 = px[P1][i], p0 = px[P0][i];
		int q0 = px[Q0][i], q1 = px[Q1][i], q2 = px[Q2][i];
		int on = filtered(p1, p0, q0, q1, t);
		int p_flat = on & (abs(p2 - p0) < t.beta), q_flat = on & (abs(q2 - q0) < t.beta);
		int delta = step(p1, p0, q0, q1, t.tc0 + p_flat + q_flat);
		int middle = (p0 + q0 + 1) >> 1;
		int p_side = clip(-t.tc0, t.tc0, (p2 + middle - 2 * p1) >> 1);
		int q_side = clip(-t.tc0, t.tc0, (q2 + middle - 2 * q1) >> 1);

		px[P1][i] = (uint8_t)(p_flat ? p1 + p_side : p1);
		px[P0][i] = (uint8_t)(on ? clip(0, 255, p0 + delta) : p0);
		px[Q0][i] = (uint8_t)(on ? clip(0, 255, q0 - delta) : q0);
		px[Q1][i] = (uint8_t)(q_flat ? q1 + q_side : q1);
	}
}

/* Clause 8.7.2.4, luma. */
static void luma_border(uint8_t px[8][LINES], thresholds t)
{
	int i;

	for (i = 0; i < LINES; i++) {
		int p3 = px[P3][i], p2 = px[P2][i], p1 = px[P1][i], p0 = px[P0][i];
		int q0 = px[Q0][i], q1 = px[Q1][i], q2 = px[Q2][i], q3 = px[Q3][i];
		int on = filtered(p1, p0, q0, q1, t);
		int strong = on & (abs(p0 - q0) < (t.alpha >> 2) + 2);
		int p_strong = strong & (abs(p2 - p0) < t.beta);
		int q_strong = strong & (abs(q2 - q0) < t.beta);
		int p_weak = on ? (2 * p1 + p0 + q1 + 2) >> 2 : p0;
		int q_weak = on ? (2 * q1 + q0 + p1 + 2) >> 2 : q0;
		int both = p0 + q0;

		px[P2][i] = (uint8_t)(p_strong ? (2 * p3 + 3 * p2 + p1 + both + 4) >> 3 : p2);
		px[P1][i] = (uint8_t)(p_strong ? (p2 + p1 + both + 2) >> 2 : p1);
		px[P0][i] = (uint8_t)(p_strong ? (p2 + 2 * p1 + 2 * both + q1 + 4) >> 3 : p_weak);
		px[Q0][i] = (uint8_t)(q_strong ? (p1 + 2 * both + 2 * q1 + q2 + 4) >> 3 : q_weak);
		px[Q1][i] = (uint8_t)(q_strong ? (both + q1 + q2 + 2) >> 2 : q1);
		px[Q2][i] = (uint8_t)(q_strong ? (2 * q3 + 3 * q2 + q1 + both + 4) >> 3 : q2);
	}
}

/* Both clauses with chromaStyleFilteringFlag: only p0 and q0 change. */
static void chroma_edge(uint8_t px[8][LINES], thresholds t, int border)
{
	int i;

	for (i = 0; i < LINES; i++) {
		int p1 = px[P1][i], p0 = px[P0][i], q0 = px[Q0][i], q1 = px[Q1][i];
		int on = filtered(p1, p0, q0, q1, t);
		int delta = step(p1, p0, q0, q1, t.tc0 + 1);
		int p = border ? (2 * p1 + p0 + q1 + 2) >> 2 : clip(0, 255, p0 + delta);
		int q = border ? (2 * q1 + q0 + p1 + 2) >> 2 : clip(0, 255, q0 - delta);

		px[P0][i] = (uint8_t)(on ? p : p0);
		px[Q0][i] = (uint8_t)(on ? q : q0);
	}
}

/* Lines `line`.. of px from `lines` lines across an edge at `at`, `reach` pixels on each side: across
 * a vertical edge a line is in a row, across a horizontal one in a column. */
static inline void gather(uint8_t px[8][LINES], const uint8_t *at, ptrdiff_t pitch, int vertical,
	int line, int lines, int reach)
{
	int i, k;

	if (!vertical) {
		for (k = -reach; k < reach; k++)
			memcpy(px[Q0 + k] + line, at + k * pitch, (size_t)lines);
		return;
	}
	for (i = 0; i < lines; i++)
		for (k = -reach; k < reach; k++)
			px[Q0 + k][line + i] = at[i * pitch + k];
}

static inline void scatter(uint8_t px[8][LINES], uint8_t *at, ptrdiff_t pitch, int vertical,
	int line, int lines, int reach)
{
	int i, k;

	if (!vertical) {
		for (k = -reach; k < reach; k++)
			memcpy(at + k * pitch, px[Q0 + k] + line, (size_t)lines);
		return;
	}
	for (i = 0; i < lines; i++)
		for (k = -reach; k < reach; k++)
			at[i * pitch + k] = px[Q0 + k][line + i];
}

static void filter_luma(uint8_t *at, ptrdiff_t pitch, int vertical, int border, thresholds t)
{
	uint8_t px[8][LINES];

	if (t.alpha == 0) /* and beta with it: no line passes */
		return;
	if (border) {
		gather(px, at, pitch, vertical, 0, LINES, 4);
		luma_border(px, t);
		scatter(px, at, pitch, vertical, 0, LINES, 3);
	} else {
		gather(px, at, pitch, vertical, 0, LINES, 3);
		luma_inner(px, t);
		scatter(px, at, pitch, vertical, 0, LINES, 2);
	}
}

static void filter_chroma(
	uint8_t *const at[2], const ptrdiff_t pitch[2], int vertical, int border, thresholds t)
{
	uint8_t px[8][LINES];
	int c;

	if (t.alpha == 0)
		return;
	for (c = 0; c < 2; c++)
		gather(px, at[c], pitch[c], vertical, 8 * c, 8, 2);
	chroma_edge(px, t, border);
	for (c = 0; c < 2; c++)
		scatter(px, at[c], pitch[c], vertical, 8 * c, 8, 1);
}

/* The four luma and two chroma edges of one direction; `neighbour` is the macroblock behind the
 * first of them, NULL at the edge of the picture. */
static void filter_direction(uint8_t *const at[3], const ptrdiff_t pitch[3], int vertical,
	const h264i_mb *mb, const h264i_mb *neighbour, const strengths *s)
{
	int own = mb->type == H264I_MB_PCM, edge, pcm, c;

	for (edge = neighbour ? 0 : 1; edge < 4; edge++) {
		pcm = edge ? 2 * own : own + (neighbour->type == H264I_MB_PCM);
		filter_luma(at[0] + 4 * edge * (vertical ? 1 : pitch[0]), pitch[0], vertical,
			edge == 0, s->luma[pcm]);
	}
	for (edge = neighbour ? 0 : 1; edge < 2; edge++) {
		uint8_t *chroma[2];

		pcm = edge ? 2 * own : own + (neighbour->type == H264I_MB_PCM);
		for (c = 0; c < 2; c++)
			chroma[c] = at[1 + c] + 4 * edge * (vertical ? 1 : pitch[1 + c]);
		filter_chroma(chroma, pitch + 1, vertical, edge == 0, s->chroma[pcm]);
	}
}

void h264i_deblock_rows(uint8_t *const plane[3], const size_t pitch_bytes[3], uint32_t mb_width,
	uint32_t first, uint32_t end, const h264i_mb *mbs, int qp)
{
	const ptrdiff_t pitch[3] = { (ptrdiff_t)pitch_bytes[0], (ptrdiff_t)pitch_bytes[1],
		(ptrdiff_t)pitch_bytes[2] };
	strengths s = strengths_of(qp);
	uint32_t x, y;
	int c;

	for (y = first; y < end; y++) {
		const h264i_mb *mb = mbs + (size_t)y * mb_width;

		for (x = 0; x < mb_width; x++, mb++) {
			uint8_t *at[3];

			for (c = 0; c < 3; c++)
				at[c] = plane[c] + (c ? 8 : 16) * (y * pitch[c] + (ptrdiff_t)x);
			filter_direction(at, pitch, 1, mb, x ? mb - 1 : NULL, &s);
			filter_direction(at, pitch, 0, mb, y ? mb - mb_width : NULL, &s);
		}
	}
}

void h264i_deblock_frame(uint8_t *const plane[3], const size_t pitch_bytes[3], uint32_t mb_width,
	uint32_t mb_height, const h264i_mb *mbs, int qp)
{
	h264i_deblock_rows(plane, pitch_bytes, mb_width, 0, mb_height, mbs, qp);
}
