/* Levels by the bits of CAVLC with AVX2: the search is that of the specification, compiled for
 * instructions that count bits. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/avx2.h"

/* Bit i is set where 32-bit value i of both vectors is above `limit`. */
AVX2_INLINE uint32_t above(__m256i low, __m256i high, int limit)
{
	__m256i l = _mm256_cmpgt_epi32(low, _mm256_set1_epi32(limit));
	__m256i h = _mm256_cmpgt_epi32(high, _mm256_set1_epi32(limit));

	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(l)) |
	       (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(h)) << 8;
}

AVX2 int h264i_i_choose_cavlc_avx2(const h264i_cavlc_kind *k, const int32_t real[16],
	int32_t weight, int passes, int16_t out[16], uint32_t *rate)
{
	const __m256i offset = _mm256_set1_epi32(passes ? 128 : 96);
	const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256i first = _mm256_set1_epi32(k->first - 1), last = _mm256_set1_epi32(k->last);
	__m256i real0 = LOAD32(real), real1 = LOAD32(real + 8), a0, a1, at1;
	h264i_cavlc_levels b;
	uint32_t a[16];

	a0 = _mm256_and_si256(_mm256_abs_epi32(real0), _mm256_cmpgt_epi32(iota, first));
	a0 = _mm256_and_si256(a0, _mm256_cmpgt_epi32(last, iota));
	at1 = _mm256_add_epi32(iota, _mm256_set1_epi32(8));
	a1 = _mm256_and_si256(_mm256_abs_epi32(real1), _mm256_cmpgt_epi32(last, at1));
	STORE32(a, a0);
	STORE32(a + 8, a1);
	a0 = _mm256_srli_epi32(_mm256_add_epi32(a0, offset), 8);
	a1 = _mm256_srli_epi32(_mm256_add_epi32(a1, offset), 8);
	b.any = above(a0, a1, 0);
	b.larger = above(a0, a1, 1);
	if (!b.any) {
		STORE32(out, _mm256_setzero_si256());
		*rate = H264I_CAVLC_BIT * h264i_cavlc_none_bits(k);
		return 0;
	}
	STORE32(b.level, a0);
	STORE32(b.level + 8, a1);
	h264i_cavlc_search(k, a, &b, weight, passes);
	a0 = _mm256_sign_epi32(LOAD32(b.level), real0);
	a1 = _mm256_sign_epi32(LOAD32(b.level + 8), real1);
	STORE32(out, _mm256_permute4x64_epi64(_mm256_packs_epi32(a0, a1), 0xd8));
	*rate = H264I_CAVLC_BIT * b.bits;
	return (int)lsched_popcount(b.any);
}

#endif
