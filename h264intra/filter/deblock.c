/* An edge is filtered as 16 lines of pixels p3 p2 p1 p0 | q0 q1 q2 q3 across it, gathered into one
 * array for each of the eight, so that the compiler turns the arithmetic into vectors. Chroma takes
 * both planes at once, 8 lines of Cb and 8 of Cr. */
#include "h264intra/filter/deblock.h"
#include "h264intra/core/qp.h"

#include <string.h>

enum { LINES = 16, SAMPLES = H264I_LINE_SAMPLES, Q0 = H264I_Q0 };

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

/* indexA and indexB. */
static int clipped(int qp)
{
	return qp < 0 ? 0 : qp > 51 ? 51 : qp;
}

h264i_strengths h264i_i_deblock_strengths(const h264i_filter *f, const int chroma_qp_offset[2])
{
	h264i_strengths s;

	for (int qp = 0; qp < H264I_QPS; qp++) {
		int a = clipped(qp - H264I_QP_OFFSET + 2 * f->alpha);
		int b = clipped(qp - H264I_QP_OFFSET + 2 * f->beta);

		s.by_qp[qp] = alpha_table[a] | (uint32_t)beta_table[b] << 8 |
			      (uint32_t)tc0_table[a] << 16;
		for (int c = 0; c < 2; c++)
			s.chroma_qp[c][qp] = (uint8_t)h264i_chroma_qp(
				qp, chroma_qp_offset ? chroma_qp_offset[c] : 0);
	}
	return s;
}

int h264i_i_deblock_changes(const h264i_strengths *s, int qp)
{
	return ((s->by_qp[qp] | s->by_qp[s->chroma_qp[0][qp]] | s->by_qp[s->chroma_qp[1][qp]]) &
		       0xff) != 0;
}

/* Load and store line i of px; the loops below turn both into vector operations. */
static inline void load_line(int v[SAMPLES], h264i_px px[SAMPLES][LINES], int i)
{
	int k;

	for (k = 0; k < SAMPLES; k++)
		v[k] = px[k][i];
}

static inline void put_samples(
	const int v[SAMPLES], h264i_px px[SAMPLES][LINES], int i, int first, int last)
{
	int k;

	for (k = first; k <= last; k++)
		px[k][i] = (h264i_px)v[k];
}

static void luma_inner(h264i_px px[SAMPLES][LINES], h264i_thresholds t)
{
	int i, v[SAMPLES];

	for (i = 0; i < LINES; i++) {
		load_line(v, px, i);
		h264i_line_luma_inner(v, t);
		put_samples(v, px, i, H264I_P1, H264I_Q1);
	}
}

static void luma_border(h264i_px px[SAMPLES][LINES], h264i_thresholds t)
{
	int i, v[SAMPLES];

	for (i = 0; i < LINES; i++) {
		load_line(v, px, i);
		h264i_line_luma_border(v, t);
		put_samples(v, px, i, H264I_P2, H264I_Q2);
	}
}

static void chroma_edge(h264i_px px[SAMPLES][LINES], const h264i_thresholds t[2], int border)
{
	int c, i, v[SAMPLES];

	for (c = 0; c < 2; c++)
		for (i = 8 * c; i < 8 * c + 8; i++) {
			load_line(v, px, i);
			h264i_line_chroma(v, t[c], border);
			put_samples(v, px, i, H264I_P0, H264I_Q0);
		}
}

/* Loads `lines` lines across an edge at `at`, `reach` samples on each side, into px from line
 * `line` on. A line across a vertical edge is part of a row, one across a horizontal edge part of a
 * column. */
static inline void gather(h264i_px px[SAMPLES][LINES], const h264i_px *at, ptrdiff_t pitch,
	int vertical, int line, int lines, int reach)
{
	int i, k;

	if (!vertical) {
		for (k = -reach; k < reach; k++)
			memcpy(px[Q0 + k] + line, at + k * pitch, (size_t)lines * sizeof(h264i_px));
		return;
	}
	for (i = 0; i < lines; i++)
		for (k = -reach; k < reach; k++)
			px[Q0 + k][line + i] = at[i * pitch + k];
}

static inline void scatter(h264i_px px[SAMPLES][LINES], h264i_px *at, ptrdiff_t pitch, int vertical,
	int line, int lines, int reach)
{
	int i, k;

	if (!vertical) {
		for (k = -reach; k < reach; k++)
			memcpy(at + k * pitch, px[Q0 + k] + line, (size_t)lines * sizeof(h264i_px));
		return;
	}
	for (i = 0; i < lines; i++)
		for (k = -reach; k < reach; k++)
			at[i * pitch + k] = px[Q0 + k][line + i];
}

static void filter_luma(h264i_px *at, ptrdiff_t pitch, int vertical, int border, h264i_thresholds t)
{
	h264i_px px[SAMPLES][LINES];

	if (t.alpha == 0) /* no line passes */
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

static void filter_chroma(h264i_px *const at[2], const ptrdiff_t pitch[2], int vertical, int border,
	const h264i_thresholds t[2])
{
	h264i_px px[SAMPLES][LINES];
	int c;

	if (t[0].alpha == 0 && t[1].alpha == 0)
		return;
	for (c = 0; c < 2; c++)
		gather(px, at[c], pitch[c], vertical, 8 * c, 8, 2);
	chroma_edge(px, t, border);
	for (c = 0; c < 2; c++)
		scatter(px, at[c], pitch[c], vertical, 8 * c, 8, 1);
}

/* Filters the four luma and two chroma edges of one direction; `neighbour` is the macroblock before
 * the first of them, NULL at the edge of the picture. With the 8x8 transform luma edges 1 and 3 are
 * no block edges and not filtered; chroma of 4:2:0 has no 8x8 transform (clause 8.7). */
static void filter_direction(h264i_px *const at[3], const ptrdiff_t pitch[3], int vertical,
	const h264i_mb *mb, const h264i_mb *neighbour, const h264i_strengths *s)
{
	int own = h264i_filter_qp(mb), other = neighbour ? h264i_filter_qp(neighbour) : own, edge,
	    c;

	for (edge = neighbour ? 0 : 1; edge < 4; edge++) {
		if (edge & 1 && mb->flags & H264I_MB_T8X8)
			continue;
		filter_luma(at[0] + 4 * edge * (vertical ? 1 : pitch[0]), pitch[0], vertical,
			edge == 0, h264i_thresholds_of(s, edge ? own : other, own));
	}
	for (edge = neighbour ? 0 : 1; edge < 2; edge++) {
		h264i_thresholds t[2];
		h264i_px *chroma[2];

		for (c = 0; c < 2; c++) {
			const uint8_t *qp = s->chroma_qp[c];

			t[c] = h264i_thresholds_of(s, qp[edge ? own : other], qp[own]);
			chroma[c] = at[1 + c] + 4 * edge * (vertical ? 1 : pitch[1 + c]);
		}
		filter_chroma(chroma, pitch + 1, vertical, edge == 0, t);
	}
}

void h264i_i_deblock_rows(h264i_px *const plane[3], const size_t pitches[3], uint32_t mb_width,
	uint32_t first, uint32_t end, const h264i_mb *mbs, const h264i_strengths *s)
{
	const ptrdiff_t pitch[3] = { (ptrdiff_t)pitches[0], (ptrdiff_t)pitches[1],
		(ptrdiff_t)pitches[2] };
	uint32_t x, y;
	int c;

	for (y = first; y < end; y++) {
		const h264i_mb *mb = mbs + (size_t)y * mb_width;

		for (x = 0; x < mb_width; x++, mb++) {
			h264i_px *at[3];

			for (c = 0; c < 3; c++)
				at[c] = plane[c] + (c ? H264I_CHROMA_H : 16) * y * pitch[c] +
					(c ? H264I_CHROMA_W : 16) * (ptrdiff_t)x;
			filter_direction(at, pitch, 1, mb, x ? mb - 1 : NULL, s);
			filter_direction(at, pitch, 0, mb, y ? mb - mb_width : NULL, s);
		}
	}
}

void h264i_i_deblock_frame(h264i_px *const plane[3], const size_t pitches[3], uint32_t mb_width,
	uint32_t mb_height, const h264i_mb *mbs, const h264i_strengths *s)
{
	h264i_i_deblock_rows(plane, pitches, mb_width, 0, mb_height, mbs, s);
}
