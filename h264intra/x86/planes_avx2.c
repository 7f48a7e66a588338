/* Intra16x16 and chroma modes with AVX2. The Hadamard coefficients of a vertical, horizontal or DC
 * prediction are 0 but for a row, a column or one of them, so SATD of these modes follows from the
 * coefficients of the source, which are computed once. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/satd_avx2.h"
#include "h264intra/decide/cost.h"
#include "h264intra/predict/intra16x16.h"

/* All coefficients of two blocks. */
AVX2_INLINE pair_words coefficients(__m256i bytes)
{
	pair_words w = pair_first(bytes);

	w.sum = last_stage(rows_stages(w.sum));
	w.diff = last_stage(rows_stages(w.diff));
	return w;
}

/* Adds the absolute values of words up to 8,160 in pairs. */
AVX2_INLINE __m256i add_words(__m256i acc, __m256i words)
{
	return _mm256_add_epi32(acc, _mm256_madd_epi16(words, _mm256_set1_epi16(1)));
}

AVX2_INLINE __m256i distance(__m256i a, __m256i b)
{
	return _mm256_abs_epi16(_mm256_sub_epi16(a, b));
}

/* Sums of the absolute coefficients of the modes of a plane, in order of the numbers of
 * Intra16x16. */
typedef struct plane_sums {
	__m256i of[I16_MODES];
} plane_sums;

/* Coefficients of the predictions of two blocks. */
typedef struct pair_modes {
	pair_words vertical;
	__m256i horizontal, dc; /* sums only: their differences are 0 */
} pair_modes;

AVX2_INLINE void add_pair(plane_sums *s, pair_words source, const pair_modes *m)
{
	__m256i diff = _mm256_abs_epi16(source.diff);
	__m256i v = _mm256_add_epi16(
		distance(source.sum, m->vertical.sum), distance(source.diff, m->vertical.diff));
	__m256i h = _mm256_add_epi16(distance(source.sum, m->horizontal), diff);
	__m256i dc = _mm256_add_epi16(distance(source.sum, m->dc), diff);

	s->of[I16_V] = add_words(s->of[I16_V], v);
	s->of[I16_H] = add_words(s->of[I16_H], h);
	s->of[I16_DC] = add_words(s->of[I16_DC], dc);
}

/* Two blocks whose four rows are the eight bytes; whose rows are each one of four bytes. */
AVX2_INLINE __m256i repeated_row(const uint8_t row[8])
{
	const __m256i at = _mm256_setr_epi8(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6,
		7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7);

	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(LOAD8(row)), at);
}

AVX2_INLINE __m256i repeated_column(uint32_t column)
{
	const __m256i at = _mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 0, 0, 0,
		0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);

	return _mm256_shuffle_epi8(_mm256_set1_epi32((int)column), at);
}

/* The DC coefficients of two blocks that are predicted by dc0 and dc1. */
AVX2_INLINE __m256i dc_coefficients(int dc0, int dc1)
{
	return _mm256_setr_epi32(16 * dc0, 0, 0, 0, 16 * dc1, 0, 0, 0);
}

/* Two blocks side by side of a plane prediction: row[] has its samples at y = 0, 1, 2, 3, 8 words
 * before the shift by 5. */
AVX2_INLINE __m256i plane_blocks(__m128i row, __m128i down)
{
	__m128i r[4];

	for (int i = 0; i < 4; i++) {
		r[i] = _mm_srai_epi16(row, 5);
		row = _mm_add_epi16(row, down);
	}
	r[0] = _mm_packus_epi16(r[0], r[1]);
	r[1] = _mm_packus_epi16(r[2], r[3]);
	return _mm256_set_m128i(_mm_castps_si128(_mm_shuffle_ps(
					_mm_castsi128_ps(r[0]), _mm_castsi128_ps(r[1]), 0xdd)),
		_mm_castps_si128(
			_mm_shuffle_ps(_mm_castsi128_ps(r[0]), _mm_castsi128_ps(r[1]), 0x88)));
}

/* The first of these rows of the blocks at (x, y); c0: 7 or 3. All values fit in 16 bits. */
AVX2_INLINE __m128i plane_row(h264i_plane p, int x, int y, int c0)
{
	const __m128i step = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
	int first = p.a + p.b * (x - c0) + p.c * (y - c0) + 16;

	return _mm_add_epi16(
		_mm_set1_epi16((short)first), _mm_mullo_epi16(step, _mm_set1_epi16((short)p.b)));
}

/* Position of the two blocks 2 * k and 2 * k + 1 of a macroblock. */
AVX2_INLINE int pair_x(int k)
{
	return (k & 2) << 2;
}

AVX2_INLINE int pair_y(int k)
{
	return (k & 1) << 2 | (k & 4) << 1;
}

AVX2_INLINE void left_samples(const uint8_t *rec, uint8_t left[16])
{
	for (int y = 0; y < 16; y++)
		left[y] = rec[y * H264I_REC_PITCH - 1];
}

AVX2_INLINE int sum16(const uint8_t s[16])
{
	__m128i v = _mm_sad_epu8(LOAD16(s), _mm_setzero_si128());

	return _mm_cvtsi128_si32(v) + _mm_extract_epi16(v, 4);
}

AVX2_INLINE int dc_of_16(const uint8_t *rec, const uint8_t left[16], int avail)
{
	return h264i_dc16(avail, avail & H264I_UP ? sum16(rec - H264I_REC_PITCH) : 0,
		avail & H264I_LEFT ? sum16(left) : 0);
}

/* t: the row above, t[-1] the corner. left: from the top, left[-1] the corner. n: 8 or 4. */
AVX2_INLINE int gradient(const uint8_t *t, int n)
{
	int g = 0;

	for (int i = 1; i <= n; i++)
		g += i * (t[n - 1 + i] - t[n - 1 - i]);
	return g;
}

AVX2_INLINE h264i_plane plane_of_16(const uint8_t *rec, const uint8_t left[16])
{
	const uint8_t *top = rec - H264I_REC_PITCH;
	uint8_t column[17];

	column[0] = top[-1];
	memcpy(column + 1, left, 16);
	return h264i_plane16(gradient(top, 8), gradient(column + 1, 8), left[15], top[15]);
}

/* Keys of the modes allowed; bits[]: of each mode. Returns the lowest. */
AVX2_INLINE uint32_t plane_keys(
	__m128i satd, __m128i bits, const h264i_candidates *cand, uint32_t key[H264I_KEYS])
{
	const __m128i mode = _mm_setr_epi32(0, 1, 2, 3);
	__m128i k = _mm_or_si128(_mm_add_epi32(_mm_slli_epi32(satd, 8),
					 _mm_mullo_epi32(bits, _mm_set1_epi32(16 * cand->lambda))),
		mode);
	__m128i allowed = _mm_srlv_epi32(_mm_set1_epi32((int)cand->allowed), mode);

	allowed = _mm_sub_epi32(_mm_and_si128(allowed, _mm_set1_epi32(1)), _mm_set1_epi32(1));
	k = _mm_or_si128(k, allowed);
	STORE16(key, k);
	STORE16(key + 4, _mm_set1_epi32(-1));
	STORE32(key + 8, _mm256_set1_epi32(-1));
	return lowest_of_4(k);
}

/* Half the sums of four vectors. */
AVX2_INLINE __m128i four_sums(__m256i a, __m256i b, __m256i c, __m256i d)
{
	__m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));

	return _mm_srli_epi32(
		_mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1)), 1);
}

AVX2 uint32_t h264i_i_decide16_avx2(const uint8_t src[16][16], const uint8_t *rec,
	const h264i_candidates *cand, uint32_t key[H264I_KEYS])
{
	const uint8_t *top = rec - H264I_REC_PITCH;
	plane_sums s = { { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
		_mm256_setzero_si256() } };
	h264i_plane plane = { 0, 0, 0 };
	pair_words column[2];
	__m256i dc, row[4];
	uint8_t left[16];
	uint32_t word;
	int dc_value;

	left_samples(rec, left);
	dc_value = dc_of_16(rec, left, cand->avail);
	dc = dc_coefficients(dc_value, dc_value);
	if (cand->allowed >> I16_PLANE & 1)
		plane = plane_of_16(rec, left);
	column[0] = coefficients(repeated_row(top));
	column[1] = coefficients(repeated_row(top + 8));
	for (int y = 0; y < 4; y++) {
		memcpy(&word, left + 4 * y, 4);
		row[y] = coefficients(repeated_column(word)).sum;
	}
	for (int k = 0; k < 8; k++) {
		__m256i bytes = LOAD32(src[2 * k]);
		pair_modes m = { column[pair_x(k) >> 3], row[pair_y(k) >> 2], dc };

		add_pair(&s, coefficients(bytes), &m);
		if (cand->allowed >> I16_PLANE & 1) {
			__m256i p = plane_blocks(plane_row(plane, pair_x(k), pair_y(k), 7),
				_mm_set1_epi16((short)plane.c));

			s.of[I16_PLANE] = _mm256_add_epi32(s.of[I16_PLANE],
				pair_satd(pair_less(pair_first(bytes), pair_first(p))));
		}
	}
	/* The sums of pair_satd() are half those of absolute coefficients. */
	s.of[I16_PLANE] = _mm256_slli_epi32(s.of[I16_PLANE], 1);
	return plane_keys(four_sums(s.of[0], s.of[1], s.of[2], s.of[3]),
		_mm_setr_epi32(h264i_i16_mode_bits(0), h264i_i16_mode_bits(1),
			h264i_i16_mode_bits(2), h264i_i16_mode_bits(3)),
		cand, key);
}

AVX2 void h264i_i_predict16_avx2(uint8_t pred[16][16], const uint8_t *rec, int avail, int mode)
{
	h264i_plane plane = { 0, 0, 0 };
	__m256i dc = _mm256_setzero_si256();
	uint8_t left[16];
	uint32_t word;

	left_samples(rec, left);
	if (mode == I16_DC)
		dc = _mm256_set1_epi8((char)dc_of_16(rec, left, avail));
	if (mode == I16_PLANE)
		plane = plane_of_16(rec, left);
	for (int k = 0; k < 8; k++) {
		int x = pair_x(k), y = pair_y(k);
		__m256i p = dc;

		memcpy(&word, left + y, 4);
		if (mode == I16_V)
			p = repeated_row(rec - H264I_REC_PITCH + x);
		else if (mode == I16_H)
			p = repeated_column(word);
		else if (mode == I16_PLANE)
			p = plane_blocks(plane_row(plane, x, y, 7), _mm_set1_epi16((short)plane.c));
		STORE32(pred[2 * k], p);
	}
}

/* Sums of four samples: to the left of the blocks' rows and above their columns. */
typedef struct chroma_sums {
	int top[2], left[2];
} chroma_sums;

AVX2_INLINE chroma_sums sums_of_chroma(const h264i_chroma_edge *e, int pl)
{
	__m128i v = _mm_unpacklo_epi64(LOAD8(e->top[pl] + 8), LOAD8(e->left[pl]));
	chroma_sums s;

	v = _mm_madd_epi16(_mm_maddubs_epi16(v, _mm_set1_epi8(1)), _mm_set1_epi16(1));
	s.top[0] = _mm_extract_epi32(v, 0);
	s.top[1] = _mm_extract_epi32(v, 1);
	s.left[0] = _mm_extract_epi32(v, 2);
	s.left[1] = _mm_extract_epi32(v, 3);
	return s;
}

AVX2_INLINE int dc_of_chroma(const chroma_sums *s, int b, int avail)
{
	return h264i_dc_chroma(avail, b, s->top[b & 1], s->left[b >> 1]);
}

AVX2_INLINE h264i_plane plane_of_chroma(const h264i_chroma_edge *e, int pl)
{
	const uint8_t *top = e->top[pl] + 8;
	uint8_t column[9];

	column[0] = top[-1];
	memcpy(column + 1, e->left[pl], 8);
	return h264i_plane8(gradient(top, 4), gradient(column + 1, 4), column[8], top[7]);
}

AVX2 uint32_t h264i_i_decide_chroma_avx2(const uint8_t src[8][16], const h264i_chroma_edge *e,
	const h264i_candidates *cand, uint32_t key[H264I_KEYS])
{
	plane_sums s = { { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
		_mm256_setzero_si256() } };

	for (int pl = 0; pl < 2; pl++) {
		pair_words column = coefficients(repeated_row(e->top[pl] + 8));
		chroma_sums sums = sums_of_chroma(e, pl);
		h264i_plane plane = plane_of_chroma(e, pl);

		for (int k = 0; k < 2; k++) {
			__m256i bytes = LOAD32(src[4 * pl + 2 * k]), p;
			pair_modes m;
			uint32_t word;

			memcpy(&word, e->left[pl] + 4 * k, 4);
			m.vertical = column;
			m.horizontal = coefficients(repeated_column(word)).sum;
			m.dc = dc_coefficients(dc_of_chroma(&sums, 2 * k, cand->avail),
				dc_of_chroma(&sums, 2 * k + 1, cand->avail));
			add_pair(&s, coefficients(bytes), &m);
			if (!(cand->allowed >> IC_PLANE & 1))
				continue;
			p = plane_blocks(
				plane_row(plane, 0, 4 * k, 3), _mm_set1_epi16((short)plane.c));
			s.of[I16_PLANE] = _mm256_add_epi32(s.of[I16_PLANE],
				pair_satd(pair_less(pair_first(bytes), pair_first(p))));
		}
	}
	s.of[I16_PLANE] = _mm256_slli_epi32(s.of[I16_PLANE], 1);
	return plane_keys(four_sums(s.of[I16_DC], s.of[I16_H], s.of[I16_V], s.of[I16_PLANE]),
		_mm_setr_epi32(h264i_chroma_mode_bits(0), h264i_chroma_mode_bits(1),
			h264i_chroma_mode_bits(2), h264i_chroma_mode_bits(3)),
		cand, key);
}

AVX2 void h264i_i_predict_chroma_avx2(
	uint8_t pred[8][16], const h264i_chroma_edge *e, int avail, int mode)
{
	for (int pl = 0; pl < 2; pl++) {
		chroma_sums sums = sums_of_chroma(e, pl);
		h264i_plane plane = { 0, 0, 0 };

		if (mode == IC_PLANE)
			plane = plane_of_chroma(e, pl);
		for (int k = 0; k < 2; k++) {
			uint32_t word;
			__m256i p;

			memcpy(&word, e->left[pl] + 4 * k, 4);
			if (mode == IC_V)
				p = repeated_row(e->top[pl] + 8);
			else if (mode == IC_H)
				p = repeated_column(word);
			else if (mode == IC_PLANE)
				p = plane_blocks(plane_row(plane, 0, 4 * k, 3),
					_mm_set1_epi16((short)plane.c));
			else
				p = _mm256_set_m128i(
					_mm_set1_epi8((char)dc_of_chroma(&sums, 2 * k + 1, avail)),
					_mm_set1_epi8((char)dc_of_chroma(&sums, 2 * k, avail)));
			STORE32(pred[4 * pl + 2 * k], p);
		}
	}
}

#endif
