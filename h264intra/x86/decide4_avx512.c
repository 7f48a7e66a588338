/* Intra4x4 modes with AVX-512: four modes in a vector. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/avx512.h"
#include "h264intra/x86/edge4_avx2.h"

/* Where the samples of the modes are: P at 0, F2 at 16, F3 at 32, DC at 48. */
#define AT_P(i)  (i)
#define AT_F2(i) (16 + (i))
#define AT_F3(i) (32 + (i))
static const uint8_t bytes_of[I4_MODES][16] = H264I_E4_TABLE_OF(AT_P, AT_F2, AT_F3, 48);

/* SATD of four blocks, each in all 32-bit lanes of its 128 bits. */
AVX512_INLINE __m512i satd_of_4(__m512i sum, __m512i diff)
{
	__m512i a = _mm512_abs_epi16(stages_512(sum)), b = _mm512_abs_epi16(stages_512(diff));

	a = _mm512_max_epi16(a, _mm512_rol_epi32(a, 16));
	b = _mm512_max_epi16(b, _mm512_rol_epi32(b, 16));
	a = _mm512_and_si512(_mm512_add_epi16(a, b), _mm512_set1_epi32(0xffff));
	a = _mm512_add_epi32(a, _mm512_shuffle_epi32(a, _MM_PERM_BADC));
	return _mm512_add_epi32(a, _mm512_shuffle_epi32(a, _MM_PERM_CDAB));
}

AVX512 uint32_t h264i_i_decide4_avx512(const uint8_t src[16], const uint8_t *rec,
	const h264i_candidates *cand, uint8_t pred[I4_MODES][16], uint32_t key[H264I_KEYS])
{
	const __m512i mode =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	/* A lane of each 128 bits of the first vector, then of the second one. */
	const __m512i lanes =
		_mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
	edge4 s = edge4_of_block(rec, cand->avail);
	__m512i edge = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set_m128i(s.f2, s.p)),
		_mm256_set_m128i(_mm_set1_epi8((char)dc_of_block4(s.p, cand->avail)), s.f3), 1);
	__m512i source = _mm512_broadcast_i32x4(LOAD16(src));
	__m512i sum = sums_512(source), diff = differences_512(source), satd[3], bits, lambda;

	for (int i = 0; i < 3; i++) {
		/* The last vector has only one mode, four times. */
		__m512i at = i < 2 ? _mm512_loadu_si512(bytes_of[4 * i])
				   : _mm512_broadcast_i32x4(LOAD16(bytes_of[I4_HU]));
		__m512i p = _mm512_permutexvar_epi8(at, edge);

		if (i < 2)
			_mm512_storeu_si512(pred[4 * i], p);
		else
			STORE16(pred[I4_HU], _mm512_castsi512_si128(p));
		satd[i] = satd_of_4(_mm512_sub_epi16(sum, sums_512(p)),
			_mm512_sub_epi16(diff, differences_512(p)));
	}
	satd[0] = _mm512_permutex2var_epi32(satd[0], lanes, satd[1]);
	satd[0] = _mm512_mask_blend_epi32(0xff00, satd[0], satd[2]);
	lambda = _mm512_set1_epi32(16 * cand->lambda);
	bits = _mm512_mask_blend_epi32(
		_mm512_cmpeq_epi32_mask(mode, _mm512_set1_epi32(cand->predicted)),
		_mm512_slli_epi32(lambda, 2), lambda);
	bits = _mm512_add_epi32(_mm512_slli_epi32(satd[0], 8), _mm512_add_epi32(bits, mode));
	bits = _mm512_mask_blend_epi32(
		(__mmask16)(cand->allowed & 511), _mm512_set1_epi32(-1), bits);
	_mm512_storeu_si512(key, bits);
	return _mm512_reduce_min_epu32(bits);
}

#endif
