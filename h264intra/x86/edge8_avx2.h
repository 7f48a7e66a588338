/* Neighbouring samples of 8x8 blocks (predict/edge8x8.h) in vectors of 32 bytes, and what judging
 * their modes has in common for AVX2 and AVX-512. */
#ifndef H264INTRA_X86_EDGE8_AVX2_H
#define H264INTRA_X86_EDGE8_AVX2_H

#include "h264intra/transform/dct8x8.h"
#include "h264intra/x86/satd_avx2.h"

/* Position i + 1 and i - 1 of a row; that before the first one is the first one. */
AVX2_INLINE __m256i next_bytes(__m256i s)
{
	return _mm256_alignr_epi8(_mm256_permute2x128_si256(s, s, 0x81), s, 1);
}

AVX2_INLINE __m256i bytes_before(__m256i s)
{
	__m256i first = _mm256_broadcastb_epi8(_mm256_castsi256_si128(s));

	return _mm256_alignr_epi8(s, _mm256_permute2x128_si256(first, s, 0x20), 15);
}

AVX2_INLINE __m256i filtered(__m256i s)
{
	return MEAN3(bytes_before(s), s, next_bytes(s), _mm256_avg_epu8, _mm256_sub_epi8,
		_mm256_xor_si256, _mm256_and_si256, _mm256_set1_epi8(1));
}

/* The row P of predict/edge8x8.h. Where the filter repeats a sample at the end of the available
 * ones, so does the edge, and its last sample is repeated to byte 31. */
AVX2_INLINE __m256i neighbours8(const uint8_t *rec, int avail)
{
	const __m128i whole = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8);
	__m128i upper = LOAD16(rec - H264I_REC_PITCH + 7), first;
	uint64_t left = 0, corner; /* the corner and the seven samples above */

	memcpy(&corner, rec - H264I_REC_PITCH - 1, 8);
	upper = _mm_shuffle_epi8(upper, avail & H264I_UPRIGHT ? whole : _mm_setzero_si128());
	for (int y = 0; y < 8; y++)
		left = left << 8 | rec[y * H264I_REC_PITCH - 1];
	if (!(avail & H264I_UPLEFT)) {
		uint64_t beside = avail & H264I_LEFT ? left >> 56 : corner >> 8;

		corner = (corner & ~UINT64_C(255)) | (beside & 255);
	}
	if (!(avail & H264I_LEFT))
		left = left << 8 >> 8 | corner << 56;
	first = _mm_set_epi64x((long long)corner, (long long)left);
	return _mm256_inserti128_si256(_mm256_castsi128_si256(first), upper, 1);
}

/* left, up: the filtered samples, in the lower eight bytes. */
AVX2_INLINE int dc_of_block8(__m128i left, __m128i up, int avail)
{
	__m128i zero = _mm_setzero_si128();

	return h264i_e8_dc(avail, _mm_cvtsi128_si32(_mm_sad_epu8(left, zero)),
		_mm_cvtsi128_si32(_mm_sad_epu8(up, zero)));
}

/* The edge P', F2 and F3; the last sample of P' is repeated. */
typedef struct edge8 {
	__m256i p, f2, f3;
} edge8;

AVX2_INLINE edge8 edge8_of(__m256i raw)
{
	const __m256i repeat = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8);
	edge8 s;

	s.p = _mm256_shuffle_epi8(filtered(raw), repeat);
	s.f2 = _mm256_avg_epu8(s.p, next_bytes(s.p));
	s.f3 = filtered(s.p);
	return s;
}

/* h264i_satd8_scale() of twice the sum. */
AVX2_INLINE __m256i scaled8(__m256i sum)
{
	sum = _mm256_mullo_epi32(sum, _mm256_set1_epi32(14));
	return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(16)), 5);
}

/* The sums of eight vectors, in the order of lane_modes(): v[0..3] to the lower half. */
AVX2_INLINE __m256i sums_of_lanes(const __m256i v[8])
{
	__m256i a = _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
	__m256i b = _mm256_hadd_epi32(_mm256_hadd_epi32(v[4], v[5]), _mm256_hadd_epi32(v[6], v[7]));

	return _mm256_add_epi32(
		_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

#endif
