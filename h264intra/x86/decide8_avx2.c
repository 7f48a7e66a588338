/* Intra8x8 modes with AVX2: four rows of bytes in a vector. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/edge8_avx2.h"
#include "h264intra/x86/edge8_tables.h"

/* An 8x8 block of bytes, and the words of its first Hadamard stage (x86/satd_avx2.h). */
typedef struct bytes8 {
	__m256i upper, lower;
} bytes8;

typedef struct words8 {
	pair_words upper, lower;
} words8;

AVX2_INLINE bytes8 shuffled(__m256i s, const uint8_t at[64])
{
	bytes8 b;

	b.upper = _mm256_shuffle_epi8(s, LOAD32(at));
	b.lower = _mm256_shuffle_epi8(s, LOAD32(at + 32));
	return b;
}

AVX2_INLINE bytes8 merged(bytes8 a, bytes8 b)
{
	a.upper = _mm256_or_si256(a.upper, b.upper);
	a.lower = _mm256_or_si256(a.lower, b.lower);
	return a;
}

AVX2_INLINE words8 first8(bytes8 b)
{
	words8 w;

	w.upper = pair_first(b.upper);
	w.lower = pair_first(b.lower);
	return w;
}

/* The stages over two words of a row, over the rows of a half and over the dwords of a row. */
AVX2_INLINE __m256i inner_stages8(__m256i d)
{
	const __m256i sign = _mm256_set1_epi32((int)0xffff0001);

	d = rows_stages(d);
	return _mm256_add_epi16(_mm256_sign_epi16(d, sign), swap_words(d));
}

/* The larger magnitudes of the halves of two vectors. */
AVX2_INLINE __m256i larger_halves(__m256i a, __m256i b)
{
	a = _mm256_abs_epi16(inner_stages8(a));
	b = _mm256_abs_epi16(inner_stages8(b));
	return _mm256_max_epi16(
		_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

/* The sum of the absolute coefficients, divided by 2, as the sum of eight lanes. */
AVX2_INLINE __m256i satd8(words8 s, words8 p)
{
	pair_words u = pair_less(s.upper, p.upper), l = pair_less(s.lower, p.lower);
	__m256i a = larger_halves(_mm256_add_epi16(u.sum, l.sum), _mm256_sub_epi16(u.sum, l.sum));
	__m256i b =
		larger_halves(_mm256_add_epi16(u.diff, l.diff), _mm256_sub_epi16(u.diff, l.diff));

	return _mm256_madd_epi16(_mm256_add_epi16(a, b), _mm256_set1_epi16(1));
}

AVX2_INLINE __m256i satd_of_mode8(words8 source, bytes8 b, uint8_t pred[64])
{
	STORE32(pred, b.upper);
	STORE32(pred + 32, b.lower);
	return satd8(source, first8(b));
}

/* The edge of a block: 16 bytes from the position that the tables are made for, twice. */
typedef struct edges8 {
	__m256i p, f2, f3, f2_vl, f3_dl;
	__m128i up;
} edges8;

AVX2_INLINE __m256i from(__m256i s, int first)
{
	__m256i high = _mm256_permute4x64_epi64(s, 0xee), low = _mm256_permute4x64_epi64(s, 0x44);

	return first == E8_VL_F2 ? _mm256_alignr_epi8(high, low, E8_VL_F2)
	       : first           ? _mm256_alignr_epi8(high, low, E8_DL_F3)
				 : low;
}

AVX2_INLINE edges8 edges_of(__m256i raw)
{
	edge8 whole = edge8_of(raw);
	edges8 s;

	s.p = from(whole.p, 0);
	s.f2 = from(whole.f2, 0);
	s.f3 = from(whole.f3, 0);
	s.f2_vl = from(whole.f2, E8_VL_F2);
	s.f3_dl = from(whole.f3, E8_DL_F3);
	s.up = _mm256_castsi256_si128(from(whole.p, E8_VL_F2)); /* E8_A too */
	return s;
}

AVX2 uint32_t h264i_i_decide8_avx2(const uint8_t src[64], const uint8_t *rec,
	const h264i_candidates *cand, uint8_t pred[I4_MODES][64], uint32_t key[H264I_KEYS])
{
	__m256i raw = neighbours8(rec, cand->avail), v[8], dc;
	edges8 s = edges_of(raw);
	bytes8 b = { LOAD32(src), LOAD32(src + 32) };
	words8 source = first8(b);

	b.upper = b.lower = _mm256_broadcastq_epi64(s.up);
	v[0] = satd_of_mode8(source, b, pred[I4_V]);
	v[1] = satd_of_mode8(source, shuffled(s.f3_dl, e8_ddl_f3), pred[I4_DDL]);
	b = merged(shuffled(s.f2, e8_vr_f2), shuffled(s.f3, e8_vr_f3));
	v[2] = satd_of_mode8(source, b, pred[I4_VR]);
	b = merged(shuffled(s.f2_vl, e8_vl_f2), shuffled(s.f3_dl, e8_vl_f3));
	v[3] = satd_of_mode8(source, b, pred[I4_VL]);
	v[4] = satd_of_mode8(source, shuffled(s.p, e8_h_p), pred[I4_H]);
	v[5] = satd_of_mode8(source, shuffled(s.f3, e8_ddr_f3), pred[I4_DDR]);
	b = merged(shuffled(s.f2, e8_hd_f2), shuffled(s.f3, e8_hd_f3));
	v[6] = satd_of_mode8(source, b, pred[I4_HD]);
	b = merged(shuffled(s.f2, e8_hu_f2), shuffled(s.f3, e8_hu_f3));
	v[7] = satd_of_mode8(source, merged(b, shuffled(s.p, e8_hu_p)), pred[I4_HU]);
	b.upper = b.lower = _mm256_set1_epi8(
		(char)dc_of_block8(_mm256_castsi256_si128(s.p), s.up, cand->avail));
	dc = satd_of_mode8(source, b, pred[I4_DC]);
	return block_keys(
		scaled8(sums_of_lanes(v)), h264i_satd8_scale(2 * sum_of_8(dc)), cand, key);
}

#endif
