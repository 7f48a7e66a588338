/* The 4x4 core transform, its inverse and the Hadamard transforms of the DCs (clauses 8.5.10 to
 * 8.5.12), exact integers. Matrices are in raster order. */
#ifndef H264INTRA_TRANSFORM_DCT_H
#define H264INTRA_TRANSFORM_DCT_H

#include "h264intra/core/mb.h"

/* Raster position (4 * y + x) of zigzag index k (table 8-12, frame scan). */
#define H264I_ZIGZAG_INIT                                            \
	{                                                            \
		0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15 \
	}

/* Its inverse: zigzag index of raster position p, as sixteen nibbles. */
LSCHED_FN int h264i_zigzag_of(int raster)
{
	return (int)(0xfea9db83c7426510ull >> (4 * raster) & 15);
}

/* d: 4x4 residual in, coefficients out. */
LSCHED_FN void h264i_fdct4x4(int32_t d[16])
{
	for (int i = 0; i < 4; i++) {
		int32_t *r = d + 4 * i;
		int32_t s03 = r[0] + r[3], s12 = r[1] + r[2];
		int32_t d03 = r[0] - r[3], d12 = r[1] - r[2];

		r[0] = s03 + s12;
		r[1] = 2 * d03 + d12;
		r[2] = s03 - s12;
		r[3] = d03 - 2 * d12;
	}
	for (int i = 0; i < 4; i++) {
		int32_t *c = d + i;
		int32_t s03 = c[0] + c[12], s12 = c[4] + c[8];
		int32_t d03 = c[0] - c[12], d12 = c[4] - c[8];

		c[0] = s03 + s12;
		c[4] = 2 * d03 + d12;
		c[8] = s03 - s12;
		c[12] = d03 - 2 * d12;
	}
}

/* Largest magnitude before and inside the inverse transform: 8.5.12 limits the scaled coefficients
 * and all values after them to 8 + depth bits, and 32 is added for rounding. A coarse quantiser can
 * exceed it on black and white noise; such a macroblock becomes I_PCM. */
enum { H264I_IDCT_PEAK = (1 << (7 + H264I_BIT_DEPTH)) - 1 - 32 };

LSCHED_FN int32_t h264i_peak(int32_t peak, int32_t v)
{
	v = v < 0 ? -v : v;
	return v > peak ? v : peak;
}

/* The larger of `peak` and the largest magnitude of n values. */
LSCHED_FN int32_t h264i_peak_of(const int32_t *v, int n, int32_t peak)
{
	for (int i = 0; i < n; i++)
		peak = h264i_peak(peak, v[i]);
	return peak;
}

/* w: scaled coefficients in, residual out, rounded by (x + 32) >> 6 (8.5.12.2). Returns the largest
 * magnitude before and after either pass. (Sums inside a butterfly are means of its outputs, hence
 * no larger; coefficients of odd columns may be, by a fifth.) */
LSCHED_FN int32_t h264i_idct4x4(int32_t w[16])
{
	int32_t peak = h264i_peak_of(w, 16, 0);

	for (int i = 0; i < 4; i++) {
		int32_t *r = w + 4 * i;
		int32_t e = r[0] + r[2], f = r[0] - r[2];
		int32_t g = (r[1] >> 1) - r[3], h = r[1] + (r[3] >> 1);

		r[0] = e + h;
		r[1] = f + g;
		r[2] = f - g;
		r[3] = e - h;
	}
	for (int i = 0; i < 16; i++)
		peak = h264i_peak(peak, w[i]);
	for (int i = 0; i < 4; i++) {
		int32_t *c = w + i;
		int32_t e = c[0] + c[8], f = c[0] - c[8];
		int32_t g = (c[4] >> 1) - c[12], h = c[4] + (c[12] >> 1);

		c[0] = e + h;
		c[4] = f + g;
		c[8] = f - g;
		c[12] = e - h;
	}
	for (int i = 0; i < 16; i++) {
		peak = h264i_peak(peak, w[i]);
		w[i] = (w[i] + 32) >> 6;
	}
	return peak;
}

/* 4x4 Hadamard without scaling, its own inverse up to 16. */
LSCHED_FN void h264i_hadamard4x4(int32_t d[16])
{
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < 4; i++) {
			int32_t *p = pass ? d + i : d + 4 * i;
			int s = pass ? 4 : 1;
			int32_t a = p[0] + p[s], b = p[0] - p[s];
			int32_t c = p[2 * s] + p[3 * s], e = p[2 * s] - p[3 * s];

			/* Rows of the matrix: ++++, ++--, +--+, +-+- (8.5.10). */
			p[0] = a + c;
			p[s] = a - c;
			p[2 * s] = b - e;
			p[3 * s] = b + e;
		}
	}
}

/* 2x2 Hadamard of the chroma DCs, raster order. */
LSCHED_FN void h264i_hadamard2x2(int32_t d[4])
{
	int32_t a = d[0] + d[1], b = d[0] - d[1], c = d[2] + d[3], e = d[2] - d[3];

	d[0] = a + c;
	d[1] = b + e;
	d[2] = a - c;
	d[3] = b - e;
}

LSCHED_FN h264i_px h264i_clip_px(int v)
{
	return (h264i_px)(v < 0 ? 0 : v > H264I_PX_MAX ? H264I_PX_MAX : v);
}

#endif
