/* The 8x8 core transform and its inverse (clause 8.5.13), the 8x8 zigzag scan and the Hadamard
 * transform for SATD, exact integers. Matrices are in raster order, 8 * y + x.
 *
 * A pass works on the eight values p[0], p[s], ..., p[7 * s]: s is 1 for a row, 8 for a column, so
 * that a GPU lane takes one row or one column. */
#ifndef H264INTRA_TRANSFORM_DCT8X8_H
#define H264INTRA_TRANSFORM_DCT8X8_H

#include "h264intra/transform/dct.h"

/* Raster position of zigzag index k (table 8-13, frame scan). */
/* clang-format off */
#define H264I_ZIGZAG8_INIT                                      \
	{                                                       \
		0, 1, 8, 16, 9, 2, 3, 10,                       \
		17, 24, 32, 25, 18, 11, 4, 5,                   \
		12, 19, 26, 33, 40, 48, 41, 34,                 \
		27, 20, 13, 6, 7, 14, 21, 28,                   \
		35, 42, 49, 56, 57, 50, 43, 36,                 \
		29, 22, 15, 23, 30, 37, 44, 51,                 \
		58, 59, 52, 45, 38, 31, 39, 46,                 \
		53, 60, 61, 54, 47, 55, 62, 63                  \
	}
/* clang-format on */

/* Its inverse without a table: zigzag index of raster position p. Diagonal d = x + y goes down the
 * left when d is odd, up when it is even; the second half of the scan is the first one reversed. */
LSCHED_FN int h264i_zigzag8_of(int raster)
{
	int x = raster & 7, y = raster >> 3, d = x + y, rest = 14 - d;

	if (d < 8)
		return d * (d + 1) / 2 + (d & 1 ? y : x);
	return 63 - rest * (rest + 1) / 2 - (d & 1 ? 7 - y : 7 - x);
}

/* One pass of the forward transform. The rows of the inverse's matrix are scaled to whole numbers,
 * so that nothing is rounded: 0 and 4 by 1 (1 1 1 1 ...), 2 and 6 by 2 (2 1 -1 -2 ...), the odd
 * ones by 8 (12 10 6 3 ...). The quantiser's multipliers have the scales (transform/quant8x8.h). */
LSCHED_FN void h264i_fdct8(int32_t *p, int s)
{
	int32_t s07 = p[0] + p[7 * s], d07 = p[0] - p[7 * s];
	int32_t s16 = p[s] + p[6 * s], d16 = p[s] - p[6 * s];
	int32_t s25 = p[2 * s] + p[5 * s], d25 = p[2 * s] - p[5 * s];
	int32_t s34 = p[3 * s] + p[4 * s], d34 = p[3 * s] - p[4 * s];
	int32_t a = s07 + s34, b = s16 + s25, c = s07 - s34, e = s16 - s25;
	int32_t f = 2 * (d16 + d25) + 3 * d07, g = 2 * (d07 - d34) - 3 * d25;
	int32_t h = 2 * (d07 + d34) - 3 * d16, k = 2 * (d16 - d25) + 3 * d34;

	p[0] = a + b;
	p[s] = 4 * f + k;
	p[2 * s] = 2 * c + e;
	p[3 * s] = 4 * g + h;
	p[4 * s] = a - b;
	p[5 * s] = 4 * h - g;
	p[6 * s] = c - 2 * e;
	p[7 * s] = f - 4 * k;
}

/* d: 8x8 residual in, coefficients out. */
LSCHED_FN void h264i_fdct8x8(int32_t d[64])
{
	for (int i = 0; i < 8; i++)
		h264i_fdct8(d + 8 * i, 1);
	for (int i = 0; i < 8; i++)
		h264i_fdct8(d + i, 8);
}

/* One pass of the inverse transform (8.5.13). Returns the larger of `peak` and the largest
 * magnitude of its inputs, its outputs and the sums inside, all of which the clause limits
 * (H264I_IDCT_PEAK); sums that are means of outputs are no larger and left out. */
LSCHED_FN int32_t h264i_idct8(int32_t *p, int s, int32_t peak)
{
	int32_t d1 = p[s], d3 = p[3 * s], d5 = p[5 * s], d7 = p[7 * s];
	int32_t e0 = p[0] + p[4 * s], e2 = p[0] - p[4 * s];
	int32_t e4 = (p[2 * s] >> 1) - p[6 * s], e6 = p[2 * s] + (p[6 * s] >> 1);
	int32_t e1 = d5 - d3 - d7 - (d7 >> 1), e3 = d1 + d7 - d3 - (d3 >> 1);
	int32_t e5 = d7 - d1 + d5 + (d5 >> 1), e7 = d3 + d5 + d1 + (d1 >> 1);
	int32_t f0 = e0 + e6, f2 = e2 + e4, f4 = e2 - e4, f6 = e0 - e6;
	int32_t f1 = e1 + (e7 >> 2), f3 = e3 + (e5 >> 2), f5 = (e3 >> 2) - e5, f7 = e7 - (e1 >> 2);

	for (int i = 0; i < 8; i++)
		peak = h264i_peak(peak, p[i * s]);
	peak = h264i_peak(h264i_peak(peak, e1), e3);
	peak = h264i_peak(h264i_peak(peak, e5), e7);
	p[0] = f0 + f7;
	p[s] = f2 + f5;
	p[2 * s] = f4 + f3;
	p[3 * s] = f6 + f1;
	p[4 * s] = f6 - f1;
	p[5 * s] = f4 - f3;
	p[6 * s] = f2 - f5;
	p[7 * s] = f0 - f7;
	for (int i = 0; i < 8; i++)
		peak = h264i_peak(peak, p[i * s]);
	return peak;
}

/* w: scaled coefficients in, residual out, rounded by (x + 32) >> 6. Returns the largest magnitude
 * before and inside; above H264I_IDCT_PEAK the macroblock becomes I_PCM. */
LSCHED_FN int32_t h264i_idct8x8(int32_t w[64])
{
	int32_t peak = h264i_peak_of(w, 64, 0);

	for (int i = 0; i < 8; i++)
		peak = h264i_idct8(w + 8 * i, 1, peak);
	for (int i = 0; i < 8; i++)
		peak = h264i_idct8(w + i, 8, peak);
	for (int i = 0; i < 64; i++)
		w[i] = (w[i] + 32) >> 6;
	return peak;
}

/* Sum of the absolute 8x8 Hadamard coefficients to SATD, 7/32 of it, rounded. A quarter would be
 * half the sum of 4x4 blocks for noise: the transform is orthogonal with a gain of 8 instead of 4.
 * 7/8 of that is what a sweep found (H264I_I8_BASE_BITS). Exact in 32 bits: the sum is below
 * 2^23. */
LSCHED_FN uint32_t h264i_satd8_scale(uint32_t sum)
{
	return (7 * sum + 16) >> 5;
}

/* 8x8 Hadamard without scaling. The order of the coefficients is that of the butterflies: index
 * bits are independent, so that d may be in any order whose index bits are those of x and y. */
LSCHED_FN void h264i_hadamard8x8(int32_t d[64])
{
	for (int bit = 1; bit < 64; bit *= 2)
		for (int i = 0; i < 64; i++)
			if (!(i & bit)) {
				int32_t a = d[i], b = d[i | bit];

				d[i] = a + b;
				d[i | bit] = a - b;
			}
}

#endif
