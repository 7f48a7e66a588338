/* What the AVX2 functions of cpu/dsp.h share, and their declarations. */
#ifndef H264INTRA_X86_AVX2_H
#define H264INTRA_X86_AVX2_H

#include "h264intra/cpu/dsp.h"
#include "h264intra/predict/edge8x8.h"

#include <immintrin.h>
#include <string.h>

#if H264I_BIT_DEPTH != 8
#error "these functions are for vectors of bytes"
#endif

/* By function, not by file: nothing else is compiled for these instructions. */
#define AVX2        __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define AVX2_INLINE static inline AVX2 __attribute__((always_inline))

#define LOAD16(p)     _mm_loadu_si128((const __m128i *)(p))
#define LOAD32(p)     _mm256_loadu_si256((const __m256i *)(p))
#define LOAD8(p)      _mm_loadl_epi64((const __m128i *)(p))
#define STORE16(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define STORE32(p, v) _mm256_storeu_si256((__m256i *)(p), v)

AVX2_INLINE uint32_t sum_of_8(__m256i v)
{
	__m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

	s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
	s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
	return (uint32_t)_mm_cvtsi128_si32(s);
}

uint32_t h264i_i_decide4_avx2(const uint8_t src[16], const uint8_t *rec,
	const h264i_candidates *cand, uint8_t pred[I4_MODES][16], uint32_t key[H264I_KEYS]);
uint32_t h264i_i_decide8_avx2(const uint8_t src[64], const uint8_t *rec,
	const h264i_candidates *cand, uint8_t pred[I4_MODES][64], uint32_t key[H264I_KEYS]);
uint32_t h264i_i_decide16_avx2(const uint8_t src[16][16], const uint8_t *rec,
	const h264i_candidates *cand, uint32_t key[H264I_KEYS]);
uint32_t h264i_i_decide_chroma_avx2(const uint8_t src[8][16], const h264i_chroma_edge *e,
	const h264i_candidates *cand, uint32_t key[H264I_KEYS]);
void h264i_i_predict16_avx2(uint8_t pred[16][16], const uint8_t *rec, int avail, int mode);
void h264i_i_predict_chroma_avx2(
	uint8_t pred[8][16], const h264i_chroma_edge *e, int avail, int mode);
void h264i_i_load16_avx2(uint8_t block[16][16], const uint8_t *src, size_t pitch);
void h264i_i_load8_avx2(uint8_t block[4][16], const uint8_t *src, size_t pitch);
void h264i_i_load_pairs_avx2(uint8_t block[8][16], const uint8_t *src, size_t pitch);
int h264i_i_code4_avx2(const uint8_t src[16], const uint8_t pred[16], const h264i_quant *q,
	int16_t level[16], uint8_t rec[16], int *exceeds);
int h264i_i_quantise4_avx2(const uint8_t src[16], const uint8_t pred[16], const h264i_quant *q,
	int dc_apart, int16_t level[16], int32_t *dc);
int h264i_i_reconstruct4_avx2(const int16_t level[16], const h264i_quant *q, int dc_apart,
	int32_t dc, const uint8_t pred[16], uint8_t rec[16]);
int h264i_i_quantise8_avx2(
	const uint8_t src[64], const uint8_t pred[64], const h264i_quant8 *q, int16_t level[64]);
int h264i_i_reconstruct8_avx2(
	const int16_t level[64], const h264i_quant8 *q, const uint8_t pred[64], uint8_t rec[64]);
void h264i_i_divide8_avx2(const int16_t level[64], int16_t part[4][16], uint8_t total[4]);
void h264i_i_real4_avx2(const uint8_t src[16], const uint8_t pred[16], const h264i_quant *q,
	int32_t real[16], int32_t *dc);
void h264i_i_real8_avx2(
	const uint8_t src[64], const uint8_t pred[64], const h264i_quant8 *q, int32_t real[64]);
int h264i_i_choose_avx2(const h264i_scan_rates *r, const int32_t real[], const uint16_t flag[2],
	int32_t weight, int passes, int16_t level[], uint32_t *rate);
int h264i_i_choose_cavlc_avx2(const h264i_cavlc_kind *k, const int32_t real[16], int32_t weight,
	int passes, int16_t level[16], uint32_t *rate);
uint32_t h264i_i_squared_error_avx2(const uint8_t *a, const uint8_t *b, int n);
void h264i_i_detail_avx2(const uint8_t *src, size_t pitch, int has_left, int has_up,
	uint32_t count[4][H264I_DETAIL_COUNTS]);
void h264i_i_sum_levels_avx2(const int16_t *level, int blocks, h264i_level_sums *s);

/* The rounded mean of bytes next to each other and the filter (1, 2, 1), as intra prediction has
 * them. */
#define MEAN3(prev, cur, next, avg, sub, xor, and, one) \
	avg(sub(avg(prev, next), and(xor(prev, next), one)), cur)

#endif
