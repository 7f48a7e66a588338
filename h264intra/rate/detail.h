/* The detail of a source picture, from which rate control predicts its size at each QP: how many
 * coefficients a QP leaves. Four of the sixteen 4x4 luma blocks of a macroblock are predicted from
 * source samples, transformed, and counted by the lowest QP that quantises a coefficient to 0. The
 * size is nearly linear in the number of the others (He and Mitra, "A linear source model and a
 * unified rate control algorithm for DCT video coding", 2002). */
#ifndef H264INTRA_RATE_DETAIL_H
#define H264INTRA_RATE_DETAIL_H

#include "h264intra/core/language.h"
#include "h264intra/core/work.h"

#include <stddef.h>

enum { H264I_DETAIL_QPS = H264I_QPS, H264I_DETAIL_BLOCKS = 4 /* of a macroblock */ };

typedef struct h264i_detail {
	/* [q]: sampled coefficients that are quantised to 0 from QP q + 1 on, of the last QP also
	 * those that never are. */
	uint32_t last[H264I_DETAIL_QPS];
} h264i_detail;

/* Macroblocks that are sampled: those with 16x16 samples of the source. */
LSCHED_FN uint32_t h264i_detail_mbs(const h264i_geom *g)
{
	return (g->width / 16) * (g->height / 16);
}

/* The number of QPs that leave a coefficient c of the core transform at position class `pos`
 * (h264i_pos_class): those with |c| * mf >= 2/3 * 2^(15 + QP / 6). */
LSCHED_FN int h264i_detail_qps(uint32_t c, int pos)
{
	/* 2^16 * 3 / 2 * mf / 2^15 */
	uint32_t v = c * (pos == 0 ? 3u * 13107 : pos == 1 ? 3u * 5243 : 3u * 8066), m;
	int octave, n;

	if (v < 65536)
		return 0;
	octave = 15 - (int)lsched_i_leading_zeros(v);
	m = v >> octave; /* 2^16 to 2^17; compared with 2^(16 + n / 6) */
	n = (m >= 73562) + (m >= 82570) + (m >= 92682) + (m >= 104032) + (m >= 116772);
	n += 6 * octave + 1;
	return n < H264I_DETAIL_QPS ? n : H264I_DETAIL_QPS;
}

/* Four inputs of the core transform (clause 8.5.12's inverse) in place, `step` apart. */
LSCHED_FN void h264i_detail_core(int *v, int step)
{
	int a = v[0] + v[3 * step], b = v[step] + v[2 * step];
	int c = v[step] - v[2 * step], d = v[0] - v[3 * step];

	v[0] = a + b;
	v[step] = 2 * d + c;
	v[2 * step] = a - b;
	v[3 * step] = d - 2 * c;
}

/* Replaces the samples of the block at `s` by the difference from its prediction: vertical,
 * horizontal or DC, whichever leaves the least. */
LSCHED_FN void h264i_detail_residual(
	int r[16], const h264i_px *s, uint32_t pitch, int has_left, int has_up)
{
	int up[4], left[4], n = 0, dc = 0, mode = 0;
	uint32_t sad[3] = { 0, 0, 0 };

	for (int i = 0; i < 4; i++) {
		up[i] = has_up ? s[i - (long)pitch] : 0;
		left[i] = has_left ? s[(long)(i * pitch) - 1] : 0;
		dc += up[i] + left[i];
	}
	n = 4 * (has_left + has_up);
	dc = n ? (dc + n / 2) / n : H264I_PX_MID;
	for (int k = 0; k < 16; k++) {
		int v = s[(k >> 2) * pitch + (k & 3)], d = v - dc, e = v - up[k & 3];
		int f = v - left[k >> 2];

		r[k] = v;
		sad[0] += (uint32_t)(d < 0 ? -d : d);
		sad[1] += (uint32_t)(e < 0 ? -e : e);
		sad[2] += (uint32_t)(f < 0 ? -f : f);
	}
	if (has_up && sad[1] < sad[mode])
		mode = 1;
	if (has_left && sad[2] < sad[mode])
		mode = 2;
	for (int k = 0; k < 16; k++)
		r[k] -= mode == 0 ? dc : mode == 1 ? up[k & 3] : left[k >> 2];
}

/* Column of sampled block n, 0..3, in a macroblock, in samples; its row is 4 * n: one block in each
 * row and column of blocks. */
LSCHED_FN uint32_t h264i_detail_x(uint32_t n)
{
	return 4 * ((2 * n + (n >> 1)) & 3);
}

/* The transformed residual of sampled block n of the macroblock at (mx, my). */
LSCHED_FN void h264i_detail_block(
	int r[16], const h264i_picture *p, uint32_t mx, uint32_t my, uint32_t n)
{
	uint32_t x = 16 * mx + h264i_detail_x(n), y = 16 * my + 4 * n;

	h264i_detail_residual(
		r, p->src[0] + (size_t)y * p->src_pitch[0] + x, p->src_pitch[0], x > 0, y > 0);
	for (int i = 0; i < 4; i++)
		h264i_detail_core(r + 4 * i, 1);
	for (int i = 0; i < 4; i++)
		h264i_detail_core(r + i, 4);
}

#endif
