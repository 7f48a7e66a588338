/* Detail for rate control with AVX2. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/transform4_avx2.h"

AVX2_INLINE int load_word(const uint8_t *p)
{
	int v;

	memcpy(&v, p, 4);
	return v;
}

AVX2_INLINE int sad16(__m128i a, __m128i b)
{
	__m128i s = _mm_sad_epu8(a, b);

	return _mm_cvtsi128_si32(s) + _mm_extract_epi16(s, 4);
}

/* The block at s and its prediction, as h264i_detail_residual() chooses it. */
AVX2_INLINE block4 coefficients_of(const uint8_t *s, size_t pitch, int has_left, int has_up)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i src = _mm_setr_epi32(load_word(s), load_word(s + pitch), load_word(s + 2 * pitch),
		load_word(s + 3 * pitch));
	int n = 4 * (has_left + has_up), sum = 0, best;
	__m128i up = zero, left = zero, pred;

	if (has_up) {
		up = _mm_set1_epi32(load_word(s - pitch));
		sum += _mm_cvtsi128_si32(_mm_sad_epu8(up, zero)) / 2;
	}
	if (has_left) {
		uint32_t column = s[-1] | (uint32_t)s[pitch - 1] << 8 |
				  (uint32_t)s[2 * pitch - 1] << 16 |
				  (uint32_t)s[3 * pitch - 1] << 24;

		left = _mm_cvtsi32_si128((int)column);
		sum += _mm_cvtsi128_si32(_mm_sad_epu8(left, zero));
		left = _mm_shuffle_epi8(
			left, _mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
	}
	/* Of 4 or 8 samples. */
	pred = _mm_set1_epi8((char)(n == 8 ? (sum + 4) >> 3 : n == 4 ? (sum + 2) >> 2 : 128));
	best = sad16(src, pred);
	if (has_up) {
		int sad = sad16(src, up);

		pred = sad < best ? up : pred;
		best = sad < best ? sad : best;
	}
	if (has_left && sad16(src, left) < best)
		pred = left;
	return transformed(src, pred);
}

/* h264i_detail_qps() of eight magnitudes. factor: of their position classes. */
AVX2_INLINE __m256i qps_of(__m128i words, __m256i factor)
{
	const __m256i steps[5] = { _mm256_set1_epi32(73562 - 1), _mm256_set1_epi32(82570 - 1),
		_mm256_set1_epi32(92682 - 1), _mm256_set1_epi32(104032 - 1),
		_mm256_set1_epi32(116772 - 1) };
	__m256i v = _mm256_mullo_epi32(_mm256_cvtepu16_epi32(words), factor), octave, m, n;
	/* The exponent of the value as a floating-point number. Without the bit below the highest
	 * one it is never rounded up to the next exponent. */
	__m256i top = _mm256_andnot_si256(_mm256_srli_epi32(v, 1), v);

	octave = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(top)), 23);
	octave = _mm256_sub_epi32(octave, _mm256_set1_epi32(127 + 16));
	m = _mm256_srlv_epi32(v, octave);
	n = _mm256_mullo_epi32(octave, _mm256_set1_epi32(6));
	n = _mm256_add_epi32(n, _mm256_set1_epi32(1));
	for (int i = 0; i < 5; i++)
		n = _mm256_sub_epi32(n, _mm256_cmpgt_epi32(m, steps[i]));
	n = _mm256_min_epi32(n, _mm256_set1_epi32(H264I_DETAIL_QPS));
	return _mm256_and_si256(n, _mm256_cmpgt_epi32(v, _mm256_set1_epi32(65535)));
}

AVX2 void h264i_i_detail_avx2(const uint8_t *src, size_t pitch, int has_left, int has_up,
	uint32_t count[4][H264I_DETAIL_COUNTS])
{
	const int f0 = 3 * 13107, f1 = 3 * 5243, f2 = 3 * 8066;
	const __m256i even = _mm256_setr_epi32(f0, f2, f0, f2, f0, f2, f0, f2);
	const __m256i odd = _mm256_setr_epi32(f2, f1, f2, f1, f2, f1, f2, f1);

	for (uint32_t n = 0; n < H264I_DETAIL_BLOCKS; n++) {
		uint32_t x = h264i_detail_x(n), at[16];
		block4 b =
			coefficients_of(src + 4 * n * pitch + x, pitch, has_left || x, has_up || n);

		STORE32(at, qps_of(_mm_abs_epi16(b.even), even));
		STORE32(at + 8, qps_of(_mm_abs_epi16(b.odd), odd));
		/* Four counters of each, so that an addition rarely waits for the one before. */
		for (int k = 0; k < 16; k++)
			count[k & 3][at[k]]++;
	}
}

#endif
