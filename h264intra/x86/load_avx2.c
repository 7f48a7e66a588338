/* Source samples to 4x4 blocks with AVX2. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/avx2.h"

/* Four rows of 16 samples to the blocks at these numbers, from the left. */
AVX2_INLINE void four_blocks(uint8_t (*block)[16], const __m128i r[4], int right)
{
	__m128i a = _mm_unpacklo_epi32(r[0], r[1]), b = _mm_unpacklo_epi32(r[2], r[3]);
	__m128i c = _mm_unpackhi_epi32(r[0], r[1]), d = _mm_unpackhi_epi32(r[2], r[3]);

	STORE16(block[0], _mm_unpacklo_epi64(a, b));
	STORE16(block[1], _mm_unpackhi_epi64(a, b));
	STORE16(block[right], _mm_unpacklo_epi64(c, d));
	STORE16(block[right + 1], _mm_unpackhi_epi64(c, d));
}

AVX2 void h264i_i_load16_avx2(uint8_t block[16][16], const uint8_t *src, size_t pitch)
{
	for (int y = 0; y < 4; y++) {
		__m128i r[4];

		for (int i = 0; i < 4; i++, src += pitch)
			r[i] = LOAD16(src);
		four_blocks(block + (y & 1) * 2 + (y & 2) * 4, r, 4);
	}
}

AVX2 void h264i_i_load8_avx2(uint8_t block[4][16], const uint8_t *src, size_t pitch)
{
	for (int y = 0; y < 4; y += 2) {
		__m128i a, b;

		a = _mm_unpacklo_epi32(LOAD8(src), LOAD8(src + pitch));
		b = _mm_unpacklo_epi32(LOAD8(src + 2 * pitch), LOAD8(src + 3 * pitch));
		STORE16(block[y], _mm_unpacklo_epi64(a, b));
		STORE16(block[y + 1], _mm_unpackhi_epi64(a, b));
		src += 4 * pitch;
	}
}

AVX2 void h264i_i_load_pairs_avx2(uint8_t block[8][16], const uint8_t *src, size_t pitch)
{
	const __m128i apart = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);

	for (int y = 0; y < 4; y += 2) {
		__m128i r[4];

		for (int i = 0; i < 4; i++, src += pitch)
			r[i] = _mm_shuffle_epi8(LOAD16(src), apart);
		four_blocks(block + y, r, 4);
	}
}

#endif
