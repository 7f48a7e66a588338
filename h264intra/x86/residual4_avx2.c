/* Residual coding of a 4x4 block with AVX2. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/satd_avx2.h"
#include "h264intra/x86/transform4_avx2.h"

/* Position of words in a block4: columns 0 2 in `even`, 1 3 in `odd`, four rows of each. */
#define C(x, y) (2 * (4 * ((x) >> 1) + (y)) + 0), (2 * (4 * ((x) >> 1) + (y)) + 1)
#define N       0x80, 0x80

/* Bytes of the scan from even and from odd columns. */
static const uint8_t scan_even[2][16] = {
	{ C(0, 0), N, C(0, 1), C(0, 2), N, C(2, 0), N, C(2, 1) },
	{ N, C(0, 3), N, C(2, 2), N, N, C(2, 3), N },
};
static const uint8_t scan_odd[2][16] = {
	{ N, C(1, 0), N, N, C(1, 1), N, C(3, 0), N },
	{ C(1, 2), N, C(1, 3), N, C(3, 1), C(3, 2), N, C(3, 3) },
};
#undef C
/* Bytes of each of the two vectors from the lower and the upper half of the scan. */
#define Z(k) (2 * ((k)&7)), (2 * ((k)&7) + 1)
static const uint8_t even_of[2][16] = {
	{ Z(0), Z(2), Z(3), N, Z(5), Z(7), N, N },
	{ N, N, N, Z(9), N, N, Z(11), Z(14) },
};
static const uint8_t odd_of[2][16] = {
	{ Z(1), Z(4), N, N, Z(6), N, N, N },
	{ N, N, Z(8), Z(10), N, Z(12), Z(13), Z(15) },
};
#undef Z
#undef N

/* Words of columns to scan order and back. */
AVX2_INLINE __m256i scanned(block4 b)
{
	__m128i low = _mm_or_si128(_mm_shuffle_epi8(b.even, LOAD16(scan_even[0])),
		_mm_shuffle_epi8(b.odd, LOAD16(scan_odd[0])));
	__m128i high = _mm_or_si128(_mm_shuffle_epi8(b.even, LOAD16(scan_even[1])),
		_mm_shuffle_epi8(b.odd, LOAD16(scan_odd[1])));

	return _mm256_set_m128i(high, low);
}

AVX2_INLINE block4 unscanned(__m128i low, __m128i high)
{
	block4 b;

	b.even = _mm_or_si128(_mm_shuffle_epi8(low, LOAD16(even_of[0])),
		_mm_shuffle_epi8(high, LOAD16(even_of[1])));
	b.odd = _mm_or_si128(_mm_shuffle_epi8(low, LOAD16(odd_of[0])),
		_mm_shuffle_epi8(high, LOAD16(odd_of[1])));
	return b;
}

/* Three constants by position class, for the words of an even or an odd column: classes 0 2 0 2 and
 * 2 1 2 1 (h264i_pos_class). All are below 2^15. */
AVX2_INLINE __m128i even_constants(const int32_t v[3])
{
	return _mm_set1_epi32(v[0] | v[2] << 16);
}

AVX2_INLINE __m128i odd_constants(const int32_t v[3])
{
	return _mm_set1_epi32(v[2] | v[1] << 16);
}

/* (a * m + bias) >> qbits of words, a and m not negative. */
AVX2_INLINE __m256i scaled(__m256i a, __m256i m, __m256i bias, __m128i qbits, __m256i *high)
{
	__m256i zero = _mm256_setzero_si256();
	__m256i lo =
		_mm256_madd_epi16(_mm256_unpacklo_epi16(a, zero), _mm256_unpacklo_epi16(m, zero));
	__m256i hi =
		_mm256_madd_epi16(_mm256_unpackhi_epi16(a, zero), _mm256_unpackhi_epi16(m, zero));

	*high = _mm256_srl_epi32(_mm256_add_epi32(hi, bias), qbits);
	return _mm256_srl_epi32(_mm256_add_epi32(lo, bias), qbits);
}

/* Levels of coefficients, in columns. */
AVX2_INLINE __m256i quantised(__m256i d, const h264i_quant *q)
{
	__m256i m = _mm256_set_m128i(odd_constants(q->mf), even_constants(q->mf)), lo, hi;

	lo = scaled(_mm256_abs_epi16(d), m, _mm256_set1_epi32(q->bias), _mm_cvtsi32_si128(q->qbits),
		&hi);
	return _mm256_sign_epi16(_mm256_packs_epi32(lo, hi), d);
}

AVX2_INLINE block4 columns_of(__m256i d)
{
	return (block4){ _mm256_castsi256_si128(d), _mm256_extracti128_si256(d, 1) };
}

AVX2_INLINE int count_of(__m256i level)
{
	__m256i zero = _mm256_cmpeq_epi16(level, _mm256_setzero_si256());

	return 16 - __builtin_popcount((unsigned)_mm256_movemask_epi8(zero)) / 2;
}

AVX2 int h264i_i_quantise4_avx2(const uint8_t src[16], const uint8_t pred[16], const h264i_quant *q,
	int dc_apart, int16_t level[16], int32_t *dc)
{
	block4 b = transformed(LOAD16(src), LOAD16(pred));
	__m256i d = _mm256_set_m128i(b.odd, b.even);

	*dc = (int16_t)_mm_extract_epi16(b.even, 0);
	if (dc_apart)
		d = _mm256_and_si256(
			d, _mm256_setr_epi32((int)0xffff0000, -1, -1, -1, -1, -1, -1, -1));
	d = quantised(d, q);
	STORE32(level, scanned(columns_of(d)));
	return count_of(d);
}

AVX2 void h264i_i_real4_avx2(const uint8_t src[16], const uint8_t pred[16], const h264i_quant *q,
	int32_t real[16], int32_t *dc)
{
	block4 b = transformed(LOAD16(src), LOAD16(pred));
	__m256i d = scanned(b), lo, hi, sign = _mm256_srai_epi16(d, 15);
	/* The position classes in scan order. */
	__m256i m = scanned((block4){ even_constants(q->mf), odd_constants(q->mf) });

	*dc = (int16_t)_mm_extract_epi16(b.even, 0);
	lo = scaled(_mm256_abs_epi16(d), m, _mm256_setzero_si256(), _mm_cvtsi32_si128(q->qbits - 8),
		&hi);
	lo = _mm256_sign_epi32(
		lo, _mm256_or_si256(_mm256_unpacklo_epi16(sign, sign), _mm256_set1_epi32(1)));
	hi = _mm256_sign_epi32(
		hi, _mm256_or_si256(_mm256_unpackhi_epi16(sign, sign), _mm256_set1_epi32(1)));
	STORE32(real, _mm256_permute2x128_si256(lo, hi, 0x20));
	STORE32(real + 8, _mm256_permute2x128_si256(lo, hi, 0x31));
}

/* A pass of the inverse transform. Returns rows 0 1 and 3 2. */
AVX2_INLINE void inverse(block4 b, __m128i *r01, __m128i *r32)
{
	__m128i even2 = swap_halves(b.even), half = _mm_srai_epi16(b.odd, 1);
	__m128i e = _mm_add_epi16(b.even, even2), f = _mm_sub_epi16(b.even, even2);
	__m128i g = _mm_sub_epi16(half, swap_halves(b.odd));
	__m128i h = _mm_add_epi16(b.odd, swap_halves(half));
	__m128i ef = _mm_unpacklo_epi64(e, f), hg = _mm_unpacklo_epi64(h, g);

	*r01 = _mm_add_epi16(ef, hg);
	*r32 = _mm_sub_epi16(ef, hg);
}

/* 1: the magnitudes of the dequantised coefficients, whose sum no value inside the inverse
 * transform exceeds by more than its rounding, do not exceed 32,000 in all. */
AVX2_INLINE int is_small(block4 level, block4 v, int32_t dc)
{
	__m128i s = _mm_add_epi32(_mm_madd_epi16(_mm_abs_epi16(level.even), v.even),
		_mm_madd_epi16(_mm_abs_epi16(level.odd), v.odd));

	s = _mm_min_epu32(s, _mm_set1_epi32(1 << 20)); /* or their sum might exceed 32 bits */
	s = _mm_add_epi32(s, swap_halves(s));
	s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
	return (uint32_t)_mm_cvtsi128_si32(s) + (uint32_t)(dc < 0 ? -dc : dc) <= 32000;
}

/* The decoded block, from dequantised coefficients in columns. */
AVX2_INLINE __m128i decoded(block4 b, __m128i pred)
{
	const __m128i round = _mm_set1_epi16(32);
	__m128i r01, r32;

	inverse(b, &r01, &r32);
	r32 = swap_halves(r32);
	transpose4(&r01, &r32);
	b.even = _mm_unpacklo_epi64(r01, r32);
	b.odd = _mm_unpackhi_epi64(r01, r32);
	inverse(b, &r01, &r32);
	r01 = _mm_srai_epi16(_mm_add_epi16(r01, round), 6);
	r32 = _mm_srai_epi16(_mm_add_epi16(swap_halves(r32), round), 6);
	r01 = _mm_add_epi16(r01, _mm_cvtepu8_epi16(pred));
	r32 = _mm_add_epi16(r32, _mm_cvtepu8_epi16(_mm_srli_si128(pred, 8)));
	return _mm_packus_epi16(r01, r32);
}

AVX2 int h264i_i_reconstruct4_avx2(const int16_t level[16], const h264i_quant *q, int dc_apart,
	int32_t dc, const uint8_t pred[16], uint8_t rec[16])
{
	block4 b = unscanned(LOAD16(level), LOAD16(level + 8));
	block4 v = { even_constants(q->v), odd_constants(q->v) };

	if (dc_apart)
		b.even = _mm_insert_epi16(b.even, 0, 0);
	if (!is_small(b, v, dc_apart ? dc : 0))
		return h264i_i_dsp_scalar.reconstruct4(level, q, dc_apart, dc, pred, rec);
	b.even = _mm_mullo_epi16(b.even, v.even);
	b.odd = _mm_mullo_epi16(b.odd, v.odd);
	if (dc_apart)
		b.even = _mm_insert_epi16(b.even, dc, 0);
	STORE16(rec, decoded(b, LOAD16(pred)));
	return 0;
}

/* Without a branch on whether a level is not 0, which is hard to predict. */
AVX2 int h264i_i_code4_avx2(const uint8_t src[16], const uint8_t pred[16], const h264i_quant *q,
	int16_t level[16], uint8_t rec[16], int *exceeds)
{
	block4 b = transformed(LOAD16(src), LOAD16(pred)),
	       v = { even_constants(q->v), odd_constants(q->v) };
	__m256i d = quantised(_mm256_set_m128i(b.odd, b.even), q);

	b = columns_of(d);
	STORE32(level, scanned(b));
	if (is_small(b, v, 0)) {
		b.even = _mm_mullo_epi16(b.even, v.even);
		b.odd = _mm_mullo_epi16(b.odd, v.odd);
		STORE16(rec, decoded(b, LOAD16(pred)));
	} else {
		*exceeds |= h264i_i_dsp_scalar.reconstruct4(level, q, 0, 0, pred, rec);
	}
	return count_of(d);
}

AVX2 uint32_t h264i_i_squared_error_avx2(const uint8_t *a, const uint8_t *b, int n)
{
	__m256i sum = _mm256_setzero_si256();

	for (int i = 0; i < n; i += 16) {
		__m256i d = _mm256_sub_epi16(
			_mm256_cvtepu8_epi16(LOAD16(a + i)), _mm256_cvtepu8_epi16(LOAD16(b + i)));

		sum = _mm256_add_epi32(sum, _mm256_madd_epi16(d, d));
	}
	return sum_of_8(sum);
}

AVX2 void h264i_i_sum_levels_avx2(const int16_t *level, int blocks, h264i_level_sums *s)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i sum = zero, max = zero;
	__m128i largest;
	uint32_t top;

	for (; blocks; blocks--, level += 16) {
		__m256i v = LOAD32(level), a = _mm256_abs_epi16(v);
		uint32_t zeros = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi16(v, zero));

		/* A magnitude of 32,768 is not a level of any stream; as a word it is negative. */
		sum = _mm256_sub_epi32(sum, _mm256_madd_epi16(a, _mm256_set1_epi16(-1)));
		max = _mm256_max_epu16(max, a);
		s->nonzero += 16 - (uint32_t)__builtin_popcount(zeros) / 2;
		s->coded_blocks += zeros != UINT32_MAX;
	}
	s->abs_sum += sum_of_8(sum);
	/* The largest word, by the instruction that finds the smallest one. */
	largest = _mm_max_epu16(_mm256_castsi256_si128(max), _mm256_extracti128_si256(max, 1));
	largest = _mm_minpos_epu16(_mm_xor_si128(largest, _mm_set1_epi16(-1)));
	top = 0xffff ^ (uint32_t)_mm_extract_epi16(largest, 0);
	s->abs_max = top > s->abs_max ? top : s->abs_max;
}

#endif
