/* Levels by rate and distortion with AVX-512. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/avx512.h"

#define V                 __m512i
#define M                 __mmask16
#define LANES             16
#define CHOOSE            AVX512_INLINE
#define v_add             _mm512_add_epi32
#define v_sub             _mm512_sub_epi32
#define v_mul             _mm512_mullo_epi32
#define v_min             _mm512_min_epi32
#define v_abs             _mm512_abs_epi32
#define v_shl             _mm512_slli_epi32
#define v_shr             _mm512_srli_epi32
#define v_set             _mm512_set1_epi32
#define v_iota()          _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define v_gt              _mm512_cmpgt_epi32_mask
#define v_eq              _mm512_cmpeq_epi32_mask
#define m_and(a, b)       ((__mmask16)((a) & (b)))
#define m_bits(m)         ((uint32_t)(m))
#define v_select(m, a, b) _mm512_mask_blend_epi32(m, b, a)
#define v_lookup(t, at)   _mm512_permutexvar_epi32(at, t)
#define v_load(p)         _mm512_loadu_si512(p)
#define v_load16(p)       _mm512_cvtepu16_epi32(LOAD32(p))
#define v_store16(p, v)   STORE32(p, _mm512_cvtsepi32_epi16(v))
#define v_sum             _mm512_reduce_add_epi32
#define v_lowest          _mm512_reduce_min_epi32
#define v_top_bit(v)      _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(v))

AVX512_INLINE __m512i v_prefix(__m512i v)
{
	const __m512i zero = _mm512_setzero_si512();
	__m512i s = _mm512_alignr_epi32(v, zero, 15);

	s = _mm512_add_epi32(s, _mm512_alignr_epi32(s, zero, 15));
	s = _mm512_add_epi32(s, _mm512_alignr_epi32(s, zero, 14));
	s = _mm512_add_epi32(s, _mm512_alignr_epi32(s, zero, 12));
	return _mm512_add_epi32(s, _mm512_alignr_epi32(s, zero, 8));
}

AVX512_INLINE __m512i v_behind(uint64_t bits)
{
	const __m512i behind = _mm512_sllv_epi32(_mm512_set1_epi32(0xfffe), v_iota());

	return _mm512_popcnt_epi32(
		_mm512_and_si512(_mm512_set1_epi32((int)(bits & 0xffff)), behind));
}

/* v is 0 where s is 0. */
AVX512_INLINE __m512i v_sign(__m512i v, __m512i s)
{
	return _mm512_mask_sub_epi32(v, _mm512_movepi32_mask(s), _mm512_setzero_si512(), v);
}

#include "h264intra/x86/choose.h"

AVX512 int h264i_i_choose_avx512(const h264i_scan_rates *r, const int32_t real[],
	const uint16_t flag[2], int32_t weight, int passes, int16_t level[], uint32_t *rate)
{
	return choose_levels_of(r, real, flag, weight, passes, level, rate);
}

#endif
