/* SATD in vectors of sixteen 16-bit lanes, one for a 4x4 block in raster order (GNU vector
 * extensions: AVX2 if the caller is compiled for it, else two SSE2 vectors). Sums of 64 samples of
 * 10 bits have 16 bits. */
#ifndef H264INTRA_CPU_SATD_H
#define H264INTRA_CPU_SATD_H

#include "h264intra/transform/dct8x8.h"

#include <string.h>

typedef int16_t h264i_v16 __attribute__((vector_size(32), aligned(32)));
typedef h264i_px h264i_b16 __attribute__((vector_size(16 * sizeof(h264i_px))));

#define H264I_INLINE static inline __attribute__((always_inline))

/* Sixteen pixels in raster order to sixteen lanes. */
H264I_INLINE void h264i_v16_load(h264i_v16 *v, const h264i_px px[16])
{
	h264i_b16 b;

	memcpy(&b, px, sizeof(b));
	*v = __builtin_convertvector(b, h264i_v16);
}

/* The four stages inside a vector. Each adds to every lane its partner, negated in the upper lane
 * of the pair. */
H264I_INLINE void h264i_v16_hadamard(h264i_v16 *v)
{
	const h264i_v16 n1 = { 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1 };
	const h264i_v16 n2 = { 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1 };
	const h264i_v16 n4 = { 1, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1 };
	const h264i_v16 n8 = { 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1 };
	h264i_v16 d = *v;

	d = d * n1 +
	    __builtin_shufflevector(d, d, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
	d = d * n2 +
	    __builtin_shufflevector(d, d, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
	d = d * n4 +
	    __builtin_shufflevector(d, d, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
	d = d * n8 +
	    __builtin_shufflevector(d, d, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
	*v = d;
}

H264I_INLINE void h264i_v16_abs(h264i_v16 *v)
{
	h264i_v16 neg = *v < 0; /* all ones where negative */

	*v = (*v ^ neg) - neg;
}

/* Half the sum of |H (s - p) H|. */
H264I_INLINE uint32_t h264i_v16_satd(const h264i_v16 *s, const h264i_v16 *p)
{
	h264i_v16 d = *s - *p;
	int32_t sum = 0;

	h264i_v16_hadamard(&d);
	h264i_v16_abs(&d);
	for (int i = 0; i < 16; i++)
		sum += d[i];
	return (uint32_t)sum / 2;
}

/* The SATD of 8x8 blocks in raster order, two rows in a vector. */
H264I_INLINE uint32_t h264i_v16_satd8(const h264i_px s[64], const h264i_px p[64])
{
	h264i_v16 d[4], a, b, more;
	uint32_t sum = 0;

	for (int i = 0; i < 4; i++) {
		h264i_v16 v;

		h264i_v16_load(&d[i], s + 16 * i);
		h264i_v16_load(&v, p + 16 * i);
		d[i] -= v;
		h264i_v16_hadamard(&d[i]);
	}
	a = d[0] + d[1];
	b = d[0] - d[1];
	d[0] = d[2] + d[3];
	d[1] = d[2] - d[3];
	h264i_v16_abs(&a);
	h264i_v16_abs(&b);
	h264i_v16_abs(&d[0]);
	h264i_v16_abs(&d[1]);
	/* |a + b| + |a - b| is twice the larger magnitude: the last stage without its sums. */
	more = a > d[0]; /* all ones where it holds */
	a = (a & more) | (d[0] & ~more);
	more = b > d[1];
	b = (b & more) | (d[1] & ~more);
	for (int i = 0; i < 16; i++)
		sum += (uint32_t)a[i] + (uint32_t)b[i];
	return h264i_satd8_scale(2 * sum);
}

#endif
