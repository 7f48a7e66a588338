/* Intra8x8 modes with AVX-512: all bytes of a prediction in a vector. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/avx512.h"
#include "h264intra/x86/edge8_avx2.h"

/* Where the sample of a position in the edge of predict/edge8x8.h is: P' at 0, F2 at 32, F3 at
 * 64, DC at 96. */
#define AT(pos)                                    \
	((pos) < E8_F2          ? (pos)            \
		: (pos) < E8_F3 ? (pos)-E8_F2 + 32 \
		: (pos) < E8_DC ? (pos)-E8_F3 + 64 \
				: 96)
#define V_OF(x, y)   AT(E8_V_AT(x, y))
#define H_OF(x, y)   AT(E8_H_AT(x, y))
#define DC_OF(x, y)  AT(E8_DC_AT(x, y))
#define DDL_OF(x, y) AT(E8_DDL_AT(x, y))
#define DDR_OF(x, y) AT(E8_DDR_AT(x, y))
#define VR_OF(x, y)  AT(E8_VR_AT(x, y))
#define HD_OF(x, y)  AT(E8_HD_AT(x, y))
#define VL_OF(x, y)  AT(E8_VL_AT(x, y))
#define HU_OF(x, y)  AT(E8_HU_AT(x, y))

/* In the order of lane_modes(), DC last. */
static const uint8_t order[I4_MODES] = { I4_V, I4_DDL, I4_VR, I4_VL, I4_H, I4_DDR, I4_HD, I4_HU,
	I4_DC };
static const uint8_t bytes_of[I4_MODES][64] = { E8_MODE(V_OF), E8_MODE(DDL_OF), E8_MODE(VR_OF),
	E8_MODE(VL_OF), E8_MODE(H_OF), E8_MODE(DDR_OF), E8_MODE(HD_OF), E8_MODE(HU_OF),
	E8_MODE(DC_OF) };

AVX512_INLINE __m256i last_of_rows(__m512i d)
{
	/* Over the pairs of rows, then over the words of a row. */
	__m512i t = _mm512_shuffle_i64x2(d, d, 0xb1);

	d = _mm512_mask_sub_epi16(_mm512_add_epi16(d, t), 0xff00ff00, t, d);
	t = _mm512_rol_epi32(d, 16);
	d = _mm512_mask_sub_epi16(_mm512_add_epi16(d, t), 0xaaaaaaaa, t, d);
	d = _mm512_abs_epi16(d);
	return _mm256_max_epi16(_mm512_castsi512_si256(d), _mm512_extracti64x4_epi64(d, 1));
}

AVX512 uint32_t h264i_i_decide8_avx512(const uint8_t src[64], const uint8_t *rec,
	const h264i_candidates *cand, uint8_t pred[I4_MODES][64], uint32_t key[H264I_KEYS])
{
	__m512i source = _mm512_loadu_si512(src), sum = sums_512(source), low, high;
	__m512i diff = differences_512(source);
	edge8 s = edge8_of(neighbours8(rec, cand->avail));
	__m128i left = _mm256_castsi256_si128(s.p);
	__m128i up = _mm_alignr_epi8(_mm256_extracti128_si256(s.p, 1), left, E8_A);
	__m256i v[I4_MODES];

	low = _mm512_inserti64x4(_mm512_castsi256_si512(s.p), s.f2, 1);
	high = _mm512_inserti64x4(_mm512_castsi256_si512(s.f3),
		_mm256_set1_epi8((char)dc_of_block8(left, up, cand->avail)), 1);
	for (int i = 0; i < I4_MODES; i++) {
		__m512i p = _mm512_permutex2var_epi8(low, _mm512_loadu_si512(bytes_of[i]), high);
		__m256i a = last_of_rows(stages_512(_mm512_sub_epi16(sum, sums_512(p))));
		__m256i b = last_of_rows(stages_512(_mm512_sub_epi16(diff, differences_512(p))));

		_mm512_storeu_si512(pred[order[i]], p);
		v[i] = _mm256_madd_epi16(_mm256_add_epi16(a, b), _mm256_set1_epi16(1));
	}
	return block_keys(
		scaled8(sums_of_lanes(v)), h264i_satd8_scale(2 * sum_of_8(v[8])), cand, key);
}

#endif
