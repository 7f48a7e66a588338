/* Neighbouring samples of 4x4 blocks (predict/edge4x4.h) in vectors of 16 bytes. */
#ifndef H264INTRA_X86_EDGE4_AVX2_H
#define H264INTRA_X86_EDGE4_AVX2_H

#include "h264intra/x86/avx2.h"

/* The row P of predict/edge4x4.h with its last sample repeated. Samples that are not available
 * have any value. */
AVX2_INLINE __m128i neighbours4(const uint8_t *rec, int avail)
{
	const __m128i all = _mm_setr_epi8(-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8);
	const __m128i some = _mm_setr_epi8(-1, -1, -1, -1, 0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4);
	__m128i above = LOAD16(rec - H264I_REC_PITCH - 1);
	uint32_t left = (uint32_t)rec[-1] << 24 | (uint32_t)rec[H264I_REC_PITCH - 1] << 16 |
			(uint32_t)rec[2 * H264I_REC_PITCH - 1] << 8 | rec[3 * H264I_REC_PITCH - 1];

	above = _mm_shuffle_epi8(above, avail & H264I_UPRIGHT ? all : some);
	return _mm_or_si128(above, _mm_cvtsi32_si128((int)left));
}

AVX2_INLINE int dc_of_block4(__m128i p, int avail)
{
	__m128i zero = _mm_setzero_si128();
	int left = _mm_cvtsi128_si32(
		_mm_sad_epu8(_mm_and_si128(p, _mm_setr_epi32(-1, 0, 0, 0)), zero));
	int up = _mm_cvtsi128_si32(_mm_sad_epu8(
		_mm_and_si128(_mm_srli_si128(p, 5), _mm_setr_epi32(-1, 0, 0, 0)), zero));

	if ((avail & H264I_LEFT) && (avail & H264I_UP))
		return (left + up + 4) >> 3;
	if (avail & H264I_LEFT)
		return (left + 2) >> 2;
	return avail & H264I_UP ? (up + 2) >> 2 : 128;
}

/* The edge P, F2 and F3. */
typedef struct edge4 {
	__m128i p, f2, f3;
} edge4;

AVX2_INLINE edge4 edge4_of_block(const uint8_t *rec, int avail)
{
	const __m128i before = _mm_setr_epi8(0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
	__m128i prev, next;
	edge4 s;

	s.p = neighbours4(rec, avail);
	next = _mm_srli_si128(s.p, 1);
	prev = _mm_shuffle_epi8(s.p, before);
	s.f2 = _mm_avg_epu8(s.p, next);
	s.f3 = MEAN3(prev, s.p, next, _mm_avg_epu8, _mm_sub_epi8, _mm_xor_si128, _mm_and_si128,
		_mm_set1_epi8(1));
	return s;
}

#endif
