/* Levels by rate and distortion with AVX2. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/avx2.h"

#define V                 __m256i
#define M                 __m256i
#define LANES             8
#define CHOOSE            AVX2_INLINE
#define v_add             _mm256_add_epi32
#define v_sub             _mm256_sub_epi32
#define v_mul             _mm256_mullo_epi32
#define v_min             _mm256_min_epi32
#define v_abs             _mm256_abs_epi32
#define v_shl             _mm256_slli_epi32
#define v_shr             _mm256_srli_epi32
#define v_set             _mm256_set1_epi32
#define v_iota()          _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define v_gt              _mm256_cmpgt_epi32
#define v_eq              _mm256_cmpeq_epi32
#define m_and             _mm256_and_si256
#define m_bits(m)         ((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(m)))
#define v_select(m, a, b) _mm256_blendv_epi8(b, a, m)
#define v_lookup          _mm256_permutevar8x32_epi32
#define v_load(p)         LOAD32(p)
#define v_load16(p)       _mm256_cvtepu16_epi32(LOAD16(p))
#define v_sign            _mm256_sign_epi32
#define v_sum(v)          ((int32_t)sum_of_8(v))

AVX2_INLINE void v_store16(int16_t *p, __m256i v)
{
	STORE16(p, _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)));
}

/* Sums of the lanes up to each. */
AVX2_INLINE __m256i inclusive(__m256i v)
{
	__m256i low;

	v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
	v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
	low = _mm256_permute2x128_si256(_mm256_shuffle_epi32(v, 0xff), v, 0x08);
	return _mm256_add_epi32(v, low);
}

AVX2_INLINE __m256i v_prefix(__m256i v)
{
	return _mm256_sub_epi32(inclusive(v), v);
}

AVX2_INLINE int32_t v_lowest(__m256i v)
{
	__m128i s = _mm_min_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

	s = _mm_min_epi32(s, _mm_shuffle_epi32(s, 0x4e));
	s = _mm_min_epi32(s, _mm_shuffle_epi32(s, 0xb1));
	return _mm_cvtsi128_si32(s);
}

/* The exponent of the value as a floating-point number, which is exact. */
AVX2_INLINE __m256i v_top_bit(__m256i v)
{
	__m256i bits = _mm256_castps_si256(_mm256_cvtepi32_ps(v));

	return _mm256_sub_epi32(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(127));
}

AVX2_INLINE __m256i v_behind(uint64_t bits)
{
	/* A bit a lane, then sums of the lanes from each on, without its own. */
	__m256i own = _mm256_srlv_epi32(_mm256_set1_epi32((int)(bits & 255)), v_iota()), v, high;

	own = _mm256_and_si256(own, _mm256_set1_epi32(1));
	v = _mm256_add_epi32(own, _mm256_srli_si256(own, 4));
	v = _mm256_add_epi32(v, _mm256_srli_si256(v, 8));
	high = _mm256_permute2x128_si256(_mm256_shuffle_epi32(v, 0), v, 0x81);
	return _mm256_sub_epi32(_mm256_add_epi32(v, high), own);
}

#include "h264intra/x86/choose.h"

AVX2 int h264i_i_choose_avx2(const h264i_scan_rates *r, const int32_t real[],
	const uint16_t flag[2], int32_t weight, int passes, int16_t level[], uint32_t *rate)
{
	return choose_levels_of(r, real, flag, weight, passes, level, rate);
}

#endif
