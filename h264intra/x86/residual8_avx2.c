/* Residual coding of an 8x8 block with AVX2: a vector has a row or a column, as words in the first
 * pass of the forward transform and in the inverse one, else as 32-bit values. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/avx2.h"
#include "h264intra/transform/dct8x8.h"

static const uint8_t zigzag8[64] = H264I_ZIGZAG8_INIT;

/* Where the coefficient of index k in the scan is in columns. */
AVX2_INLINE int in_columns(int k)
{
	return (zigzag8[k] & 7) << 3 | zigzag8[k] >> 3;
}

AVX2_INLINE void transpose8(__m128i r[8])
{
	__m128i a[8], b[8];

	for (int i = 0; i < 4; i++) {
		a[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
		a[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
	}
	for (int i = 0; i < 4; i++) {
		b[2 * i] = _mm_unpacklo_epi16(a[i], a[i + 4]);
		b[2 * i + 1] = _mm_unpackhi_epi16(a[i], a[i + 4]);
	}
	for (int i = 0; i < 4; i++) {
		r[2 * i] = _mm_unpacklo_epi16(b[i], b[i + 4]);
		r[2 * i + 1] = _mm_unpackhi_epi16(b[i], b[i + 4]);
	}
}

/* h264i_fdct8() of eight columns at once, for vectors V of words or of 32-bit values. */
#define FORWARD8(V, p, add, sub)                                                              \
	do {                                                                                  \
		V s07 = add(p[0], p[7]), d07 = sub(p[0], p[7]);                               \
		V s16 = add(p[1], p[6]), d16 = sub(p[1], p[6]);                               \
		V s25 = add(p[2], p[5]), d25 = sub(p[2], p[5]);                               \
		V s34 = add(p[3], p[4]), d34 = sub(p[3], p[4]);                               \
		V a = add(s07, s34), b = add(s16, s25), c = sub(s07, s34), e = sub(s16, s25); \
		V f = add(d16, d25), g = sub(d07, d34), h = add(d07, d34), k = sub(d16, d25); \
                                                                                              \
		f = add(add(f, f), add(d07, add(d07, d07)));                                  \
		g = sub(add(g, g), add(d25, add(d25, d25)));                                  \
		h = sub(add(h, h), add(d16, add(d16, d16)));                                  \
		k = add(add(k, k), add(d34, add(d34, d34)));                                  \
		p[0] = add(a, b);                                                             \
		p[4] = sub(a, b);                                                             \
		p[2] = add(add(c, c), e);                                                     \
		p[6] = sub(c, add(e, e));                                                     \
		a = add(f, f);                                                                \
		p[1] = add(add(a, a), k);                                                     \
		a = add(g, g);                                                                \
		p[3] = add(add(a, a), h);                                                     \
		a = add(h, h);                                                                \
		p[5] = sub(add(a, a), g);                                                     \
		a = add(k, k);                                                                \
		p[7] = sub(f, add(a, a));                                                     \
	} while (0)

/* Coefficients of src - pred in columns. */
AVX2_INLINE void transformed8(const uint8_t src[64], const uint8_t pred[64], __m256i col[8])
{
	__m128i r[8];

	for (int y = 0; y < 8; y++)
		r[y] = _mm_sub_epi16(_mm_cvtepu8_epi16(LOAD8(src + 8 * y)),
			_mm_cvtepu8_epi16(LOAD8(pred + 8 * y)));
	FORWARD8(__m128i, r, _mm_add_epi16, _mm_sub_epi16); /* below 31 * 510 */
	transpose8(r);
	for (int x = 0; x < 8; x++)
		col[x] = _mm256_cvtepi16_epi32(r[x]);
	FORWARD8(__m256i, col, _mm256_add_epi32, _mm256_sub_epi32);
}

/* The constants of column x by position class (h264i_pos_class8). */
AVX2_INLINE void column_constants(const int32_t v[6], __m256i of[4])
{
	of[0] = _mm256_setr_epi32(v[0], v[3], v[4], v[3], v[0], v[3], v[4], v[3]);
	of[1] = of[3] = _mm256_setr_epi32(v[3], v[1], v[5], v[1], v[3], v[1], v[5], v[1]);
	of[2] = _mm256_setr_epi32(v[4], v[5], v[2], v[5], v[4], v[5], v[2], v[5]);
}

AVX2_INLINE __m256i scaled8(__m256i c, __m256i mf, __m256i bias, __m128i qbits)
{
	__m256i a = _mm256_mullo_epi32(_mm256_abs_epi32(c), mf);

	return _mm256_sign_epi32(_mm256_srl_epi32(_mm256_add_epi32(a, bias), qbits), c);
}

/* Two vectors of 32-bit values to 16 words in order. */
AVX2_INLINE __m256i packed_words(__m256i a, __m256i b)
{
	return _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
}

AVX2 int h264i_i_quantise8_avx2(
	const uint8_t src[64], const uint8_t pred[64], const h264i_quant8 *q, int16_t level[64])
{
	__m256i c[8], mf[4], bias = _mm256_set1_epi32(q->bias), zero = _mm256_setzero_si256();
	__m128i qbits = _mm_cvtsi32_si128(q->qbits);
	int16_t column[64];
	int n = 64;

	transformed8(src, pred, c);
	column_constants(q->mf, mf);
	for (int x = 0; x < 8; x += 2) {
		__m256i words = packed_words(scaled8(c[x], mf[x & 3], bias, qbits),
			scaled8(c[x + 1], mf[(x + 1) & 3], bias, qbits));
		uint32_t zeros = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi16(words, zero));

		STORE32(column + 8 * x, words);
		n -= __builtin_popcount(zeros) / 2;
	}
	if (n == 0)
		memset(level, 0, 64 * sizeof(*level));
	else
		for (int k = 0; k < 64; k++)
			level[k] = column[in_columns(k)];
	return n;
}

AVX2 void h264i_i_real8_avx2(
	const uint8_t src[64], const uint8_t pred[64], const h264i_quant8 *q, int32_t real[64])
{
	__m256i c[8], mf[4], zero = _mm256_setzero_si256();
	__m128i qbits = _mm_cvtsi32_si128(q->qbits - 8);
	int32_t column[64];

	transformed8(src, pred, c);
	column_constants(q->mf, mf);
	for (int x = 0; x < 8; x++)
		STORE32(column + 8 * x, scaled8(c[x], mf[x & 3], zero, qbits));
	for (int k = 0; k < 64; k++)
		real[k] = column[in_columns(k)];
}

/* h264i_idct8() of eight columns at once. */
AVX2_INLINE __m128i half_of(__m128i v)
{
	return _mm_srai_epi16(v, 1);
}

AVX2_INLINE void inverse8(__m128i p[8])
{
	__m128i e0 = _mm_add_epi16(p[0], p[4]), e2 = _mm_sub_epi16(p[0], p[4]);
	__m128i e4 = _mm_sub_epi16(half_of(p[2]), p[6]), e6 = _mm_add_epi16(p[2], half_of(p[6]));
	__m128i e1 = _mm_sub_epi16(_mm_sub_epi16(p[5], p[3]), _mm_add_epi16(p[7], half_of(p[7])));
	__m128i e3 = _mm_sub_epi16(_mm_add_epi16(p[1], p[7]), _mm_add_epi16(p[3], half_of(p[3])));
	__m128i e5 = _mm_add_epi16(_mm_sub_epi16(p[7], p[1]), _mm_add_epi16(p[5], half_of(p[5])));
	__m128i e7 = _mm_add_epi16(_mm_add_epi16(p[3], p[5]), _mm_add_epi16(p[1], half_of(p[1])));
	__m128i f0 = _mm_add_epi16(e0, e6), f2 = _mm_add_epi16(e2, e4);
	__m128i f4 = _mm_sub_epi16(e2, e4), f6 = _mm_sub_epi16(e0, e6);
	__m128i f1 = _mm_add_epi16(e1, _mm_srai_epi16(e7, 2));
	__m128i f3 = _mm_add_epi16(e3, _mm_srai_epi16(e5, 2));
	__m128i f5 = _mm_sub_epi16(_mm_srai_epi16(e3, 2), e5);
	__m128i f7 = _mm_sub_epi16(e7, _mm_srai_epi16(e1, 2));

	p[0] = _mm_add_epi16(f0, f7);
	p[1] = _mm_add_epi16(f2, f5);
	p[2] = _mm_add_epi16(f4, f3);
	p[3] = _mm_add_epi16(f6, f1);
	p[4] = _mm_sub_epi16(f6, f1);
	p[5] = _mm_sub_epi16(f4, f3);
	p[6] = _mm_sub_epi16(f2, f5);
	p[7] = _mm_sub_epi16(f0, f7);
}

/* Dequantises words in columns to words. Returns 1 if their magnitudes do not exceed 14,000 in all:
 * a pass multiplies that by 1.5 at most, so that no value inside two exceeds 16 bits. */
AVX2_INLINE int dequantised8(const int16_t column[64], const h264i_quant8 *q, __m128i p[8])
{
	__m256i v[4], sum = _mm256_setzero_si256();

	column_constants(q->v, v);
	for (int x = 0; x < 8; x++) {
		__m256i w =
			_mm256_mullo_epi32(_mm256_cvtepi16_epi32(LOAD16(column + 8 * x)), v[x & 3]);

		w = _mm256_srai_epi32(_mm256_add_epi32(w, _mm256_set1_epi32(2)), 2);
		sum = _mm256_add_epi32(
			sum, _mm256_min_epu32(_mm256_abs_epi32(w), _mm256_set1_epi32(1 << 20)));
		p[x] = _mm_packs_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
	}
	return sum_of_8(sum) <= 14000;
}

AVX2 int h264i_i_reconstruct8_avx2(
	const int16_t level[64], const h264i_quant8 *q, const uint8_t pred[64], uint8_t rec[64])
{
	int16_t column[64];
	__m128i p[8];

	for (int k = 0; k < 64; k++)
		column[in_columns(k)] = level[k];
	if (!dequantised8(column, q, p))
		return h264i_i_dsp_scalar.reconstruct8(level, q, pred, rec);
	inverse8(p);
	transpose8(p);
	inverse8(p);
	for (int y = 0; y < 8; y++) {
		p[y] = _mm_srai_epi16(_mm_add_epi16(p[y], _mm_set1_epi16(32)), 6);
		p[y] = _mm_add_epi16(p[y], _mm_cvtepu8_epi16(LOAD8(pred + 8 * y)));
	}
	for (int y = 0; y < 8; y += 2)
		STORE16(rec + 8 * y, _mm_packus_epi16(p[y], p[y + 1]));
	return 0;
}

/* Sixteen levels as four of each part, the parts one after another. */
AVX2_INLINE __m256i parts_of(const int16_t level[16])
{
	const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15,
		0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);

	return _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(LOAD32(level), pairs),
		_mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

AVX2 void h264i_i_divide8_avx2(const int16_t level[64], int16_t part[4][16], uint8_t total[4])
{
	__m256i a = parts_of(level), b = parts_of(level + 16), c = parts_of(level + 32);
	__m256i d = parts_of(level + 48), v[4];
	__m256i ab02 = _mm256_unpacklo_epi64(a, b), ab13 = _mm256_unpackhi_epi64(a, b);
	__m256i cd02 = _mm256_unpacklo_epi64(c, d), cd13 = _mm256_unpackhi_epi64(c, d);

	v[0] = _mm256_permute2x128_si256(ab02, cd02, 0x20);
	v[1] = _mm256_permute2x128_si256(ab13, cd13, 0x20);
	v[2] = _mm256_permute2x128_si256(ab02, cd02, 0x31);
	v[3] = _mm256_permute2x128_si256(ab13, cd13, 0x31);
	for (int i = 0; i < 4; i++) {
		__m256i zero = _mm256_cmpeq_epi16(v[i], _mm256_setzero_si256());

		STORE32(part[i], v[i]);
		total[i] = (uint8_t)(16 -
				     __builtin_popcount((unsigned)_mm256_movemask_epi8(zero)) / 2);
	}
}

#endif
