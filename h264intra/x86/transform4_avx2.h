/* The forward transform of a 4x4 block with AVX2. A block is two vectors of 8 words, each with two
 * rows or columns; a pass takes rows in the order 0 1 and 2 3 and leaves them as 0 2 and 1 3. */
#ifndef H264INTRA_X86_TRANSFORM4_AVX2_H
#define H264INTRA_X86_TRANSFORM4_AVX2_H

#include "h264intra/x86/avx2.h"

typedef struct block4 {
	__m128i even, odd; /* rows or columns 0 2 and 1 3 */
} block4;

AVX2_INLINE __m128i swap_halves(__m128i v)
{
	return _mm_shuffle_epi32(v, 0x4e);
}

/* Four words of rows 0 1 and 2 3 to columns 0 1 and 2 3. */
AVX2_INLINE void transpose4(__m128i *r01, __m128i *r23)
{
	__m128i a = _mm_unpacklo_epi16(*r01, *r23), b = _mm_unpackhi_epi16(*r01, *r23);

	*r01 = _mm_unpacklo_epi16(a, b);
	*r23 = _mm_unpackhi_epi16(a, b);
}

/* A pass of the forward transform from rows 0 1 and 2 3. */
AVX2_INLINE block4 forward(__m128i r01, __m128i r23)
{
	__m128i r32 = swap_halves(r23), s = _mm_add_epi16(r01, r32), d = _mm_sub_epi16(r01, r32);
	__m128i s2 = swap_halves(s), d2 = swap_halves(d), twice = _mm_add_epi16(d, d);
	block4 b;

	b.even = _mm_unpacklo_epi64(_mm_add_epi16(s, s2), _mm_sub_epi16(s, s2));
	b.odd = _mm_unpacklo_epi64(_mm_add_epi16(twice, d2), _mm_sub_epi16(d, swap_halves(twice)));
	return b;
}

/* Coefficients of src - pred: columns, so that word 4 * i + j of the columns in order is that of
 * column i and row j. */
AVX2_INLINE block4 transformed(__m128i src, __m128i pred)
{
	__m256i d = _mm256_sub_epi16(_mm256_cvtepu8_epi16(src), _mm256_cvtepu8_epi16(pred));
	block4 b = forward(_mm256_castsi256_si128(d), _mm256_extracti128_si256(d, 1));
	__m128i r01 = _mm_unpacklo_epi64(b.even, b.odd), r23 = _mm_unpackhi_epi64(b.even, b.odd);

	transpose4(&r01, &r23);
	return forward(r01, r23);
}

#endif
