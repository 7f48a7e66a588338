/* SATD of 4x4 blocks in one vector of sixteen 16-bit lanes, a block in raster order (GNU vector
 * extensions: AVX2 if the caller is compiled for it, else two SSE2 vectors). */
#ifndef H264INTRA_CPU_SATD_H
#define H264INTRA_CPU_SATD_H

#include <stdint.h>
#include <string.h>

typedef int16_t h264i_v16 __attribute__((vector_size(32), aligned(32)));
typedef uint8_t h264i_b16 __attribute__((vector_size(16)));

#define H264I_INLINE static inline __attribute__((always_inline))

/* Sixteen pixels in raster order to sixteen lanes. */
H264I_INLINE void h264i_v16_load(h264i_v16 *v, const uint8_t px[16])
{
	h264i_b16 b;

	memcpy(&b, px, 16);
	*v = __builtin_convertvector(b, h264i_v16);
}

/* Half the sum of |H (s - p) H|. Each stage adds to every lane its partner, negated in the upper
 * lane of the pair. */
H264I_INLINE uint32_t h264i_v16_satd(const h264i_v16 *s, const h264i_v16 *p)
{
	const h264i_v16 n1 = { 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1 };
	const h264i_v16 n2 = { 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1 };
	const h264i_v16 n4 = { 1, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1 };
	const h264i_v16 n8 = { 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1 };
	h264i_v16 d = *s - *p, neg;
	int32_t sum = 0;

	d = d * n1 +
	    __builtin_shufflevector(d, d, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
	d = d * n2 +
	    __builtin_shufflevector(d, d, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
	d = d * n4 +
	    __builtin_shufflevector(d, d, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
	d = d * n8 +
	    __builtin_shufflevector(d, d, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
	neg = d < 0; /* all ones where negative */
	d = (d ^ neg) - neg;
	for (int i = 0; i < 16; i++)
		sum += d[i];
	return (uint32_t)sum / 2;
}

#endif
