/* Intra4x4 modes with AVX2: two modes in a vector. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/edge4_avx2.h"
#include "h264intra/x86/satd_avx2.h"

/* Bytes of P, F2 and F3 (predict/edge4x4.h) that make each mode, -1: none. Both modes of a pair are
 * loaded at once. */
#define AT(i)   (i)
#define NONE(i) (-1)
static const int8_t from_p[I4_MODES][16] = H264I_E4_TABLE_OF(AT, NONE, NONE, -1);
static const int8_t from_f2[I4_MODES][16] = H264I_E4_TABLE_OF(NONE, AT, NONE, -1);
static const int8_t from_f3[I4_MODES][16] = H264I_E4_TABLE_OF(NONE, NONE, AT, -1);

AVX2_INLINE __m256i both(__m128i v)
{
	return _mm256_broadcastsi128_si256(v);
}

AVX2_INLINE void store_pair(uint8_t *a, uint8_t *b, __m256i v)
{
	STORE16(a, _mm256_castsi256_si128(v));
	STORE16(b, _mm256_extracti128_si256(v, 1));
}

AVX2 uint32_t h264i_i_decide4_avx2(const uint8_t src[16], const uint8_t *rec,
	const h264i_candidates *cand, uint8_t pred[I4_MODES][16], uint32_t key[H264I_KEYS])
{
	edge4 edge = edge4_of_block(rec, cand->avail);
	__m256i p = both(edge.p), f2 = both(edge.f2), f3 = both(edge.f3), m[4], s[4];
	__m256i dc = _mm256_set1_epi8((char)dc_of_block4(edge.p, cand->avail));
	pair_words source = pair_first(both(LOAD16(src)));
	__m256i dc_satd;

	m[0] = _mm256_shuffle_epi8(p, LOAD32(from_p[I4_V]));
	m[1] = _mm256_shuffle_epi8(f3, LOAD32(from_f3[I4_DDL]));
	m[2] = _mm256_or_si256(_mm256_shuffle_epi8(f3, LOAD32(from_f3[I4_VR])),
		_mm256_shuffle_epi8(f2, LOAD32(from_f2[I4_VR])));
	m[3] = _mm256_or_si256(_mm256_shuffle_epi8(f3, LOAD32(from_f3[I4_VL])),
		_mm256_shuffle_epi8(f2, LOAD32(from_f2[I4_VL])));
	m[3] = _mm256_or_si256(m[3], _mm256_shuffle_epi8(p, LOAD32(from_p[I4_VL])));
	for (int i = 0; i < 4; i++)
		s[i] = pair_satd(pair_less(source, pair_first(m[i])));
	dc_satd = pair_satd(pair_less(source, pair_first(dc)));
	store_pair(pred[I4_V], pred[I4_H], m[0]);
	store_pair(pred[I4_DDL], pred[I4_DDR], m[1]);
	store_pair(pred[I4_VR], pred[I4_HD], m[2]);
	store_pair(pred[I4_VL], pred[I4_HU], m[3]);
	STORE16(pred[I4_DC], _mm256_castsi256_si128(dc));
	s[0] = _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), _mm256_hadd_epi32(s[2], s[3]));
	return block_keys(s[0], sum_of_8(dc_satd) / 2, cand, key);
}

#endif
