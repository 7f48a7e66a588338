/* What the AVX-512 functions of cpu/dsp.h share, and their declarations. */
#ifndef H264INTRA_X86_AVX512_H
#define H264INTRA_X86_AVX512_H

#include "h264intra/x86/avx2.h"

/* clang-format off */
#define AVX512                                                                                  \
	__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,"  \
			      "avx512vl,avx512vbmi,avx512vpopcntdq")))
/* clang-format on */
#define AVX512_INLINE static inline AVX512 __attribute__((always_inline))

uint32_t h264i_i_decide4_avx512(const uint8_t src[16], const uint8_t *rec,
	const h264i_candidates *cand, uint8_t pred[I4_MODES][16], uint32_t key[H264I_KEYS]);
uint32_t h264i_i_decide8_avx512(const uint8_t src[64], const uint8_t *rec,
	const h264i_candidates *cand, uint8_t pred[I4_MODES][64], uint32_t key[H264I_KEYS]);
int h264i_i_choose_avx512(const h264i_scan_rates *r, const int32_t real[], const uint16_t flag[2],
	int32_t weight, int passes, int16_t level[], uint32_t *rate);

/* Stages of the Hadamard transform inside 128 bits (x86/satd_avx2.h) in four of them: over the
 * 64-bit halves, over the 32-bit halves of these, over the words of these. */
AVX512_INLINE __m512i stages_512(__m512i d)
{
	__m512i t = _mm512_shuffle_epi32(d, _MM_PERM_BADC);

	d = _mm512_mask_sub_epi16(_mm512_add_epi16(d, t), 0xf0f0f0f0, t, d);
	t = _mm512_shuffle_epi32(d, _MM_PERM_CDAB);
	return _mm512_mask_sub_epi16(_mm512_add_epi16(d, t), 0xcccccccc, t, d);
}

AVX512_INLINE __m512i sums_512(__m512i bytes)
{
	return _mm512_maddubs_epi16(bytes, _mm512_set1_epi8(1));
}

AVX512_INLINE __m512i differences_512(__m512i bytes)
{
	return _mm512_maddubs_epi16(bytes, _mm512_set1_epi16((short)0xff01));
}

#endif
