/* The 4x4 Hadamard transform of two blocks, one in each half of a vector: the blocks' bytes are
 * summed and subtracted in pairs by the first stage, which leaves 8 words of sums and 8 of
 * differences of each block, two a row. The other stages work inside a half. */
#ifndef H264INTRA_X86_SATD_AVX2_H
#define H264INTRA_X86_SATD_AVX2_H

#include "h264intra/x86/avx2.h"

typedef struct pair_words {
	__m256i sum, diff;
} pair_words;

AVX2_INLINE pair_words pair_first(__m256i bytes)
{
	pair_words w;

	w.sum = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
	w.diff = _mm256_maddubs_epi16(bytes, _mm256_set1_epi16((short)0xff01));
	return w;
}

AVX2_INLINE pair_words pair_less(pair_words a, pair_words b)
{
	a.sum = _mm256_sub_epi16(a.sum, b.sum);
	a.diff = _mm256_sub_epi16(a.diff, b.diff);
	return a;
}

/* The stages over rows. */
AVX2_INLINE __m256i rows_stages(__m256i d)
{
	const __m256i far = _mm256_set_epi64x(-1, 0x0001000100010001, -1, 0x0001000100010001);
	const __m256i near = _mm256_set1_epi64x((long long)0xffffffff00010001);

	d = _mm256_add_epi16(_mm256_sign_epi16(d, far), _mm256_shuffle_epi32(d, 0x4e));
	return _mm256_add_epi16(_mm256_sign_epi16(d, near), _mm256_shuffle_epi32(d, 0xb1));
}

/* Words 1, 0, 3, 2, ... */
AVX2_INLINE __m256i swap_words(__m256i d)
{
	const __m256i at = _mm256_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2, 13,
		12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2);

	return _mm256_shuffle_epi8(d, at);
}

/* The last stage of the rows' words, without and with its sums. |a + b| + |a - b| is twice the
 * larger magnitude: both words of a pair become that one. */
AVX2_INLINE __m256i last_stage(__m256i d)
{
	const __m256i sign = _mm256_set1_epi32((int)0xffff0001);

	return _mm256_add_epi16(_mm256_sign_epi16(d, sign), swap_words(d));
}

AVX2_INLINE __m256i last_magnitudes(__m256i d)
{
	d = _mm256_abs_epi16(d);
	return _mm256_max_epi16(d, swap_words(d));
}

/* SATD of two blocks as the sum of the four 32-bit lanes of each half. */
AVX2_INLINE __m256i pair_satd(pair_words d)
{
	__m256i a = last_magnitudes(rows_stages(d.sum)), b = last_magnitudes(rows_stages(d.diff));

	return _mm256_and_si256(_mm256_add_epi16(a, b), _mm256_set1_epi32(0xffff));
}

AVX2_INLINE uint32_t lowest_of_4(__m128i v)
{
	v = _mm_min_epu32(v, _mm_shuffle_epi32(v, 0x4e));
	v = _mm_min_epu32(v, _mm_shuffle_epi32(v, 0xb1));
	return (uint32_t)_mm_cvtsi128_si32(v);
}

AVX2_INLINE uint32_t lowest_of_8(__m256i v)
{
	return lowest_of_4(
		_mm_min_epu32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)));
}

/* The eight directional and other modes but DC in the order of the lanes below. */
AVX2_INLINE __m256i lane_modes(void)
{
	return _mm256_setr_epi32(I4_V, I4_DDL, I4_VR, I4_VL, I4_H, I4_DDR, I4_HD, I4_HU);
}

/* Keys of these modes from their SATD, and of DC; writes them in order. Returns the lowest. */
AVX2_INLINE uint32_t block_keys(
	__m256i satd, uint32_t dc_satd, const h264i_candidates *cand, uint32_t key[H264I_KEYS])
{
	__m256i mode = lane_modes(), lambda = _mm256_set1_epi32(16 * cand->lambda);
	__m256i same = _mm256_cmpeq_epi32(mode, _mm256_set1_epi32(cand->predicted));
	__m256i bits = _mm256_blendv_epi8(_mm256_slli_epi32(lambda, 2), lambda, same);
	__m256i k = _mm256_or_si256(_mm256_add_epi32(_mm256_slli_epi32(satd, 8), bits), mode);
	__m256i allowed = _mm256_srlv_epi32(_mm256_set1_epi32((int)cand->allowed), mode);
	const __m256i order = _mm256_setr_epi32(4, 4, 1, 5, 2, 6, 3, 7);
	uint32_t dc = UINT32_MAX, best;

	allowed = _mm256_sub_epi32(
		_mm256_and_si256(allowed, _mm256_set1_epi32(1)), _mm256_set1_epi32(1));
	k = _mm256_or_si256(k, allowed);
	if (cand->allowed >> I4_DC & 1)
		dc = (dc_satd << 8) +
		     (uint32_t)(16 * cand->lambda * (cand->predicted == I4_DC ? 1 : 4)) + I4_DC;
	STORE32(key + 8, _mm256_set1_epi32(-1));
	STORE32(key + 1, _mm256_permutevar8x32_epi32(k, order));
	key[0] = (uint32_t)_mm256_cvtsi256_si32(k);
	key[I4_DC] = dc;
	best = lowest_of_8(k);
	return best < dc ? best : dc;
}

#endif
