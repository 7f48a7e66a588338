/* The hot loop of the join for 256 patterns. */
#include "nqueens/join/joiner.h"

#ifdef __x86_64__
#include <immintrin.h>

#define BLOCK_NAME   nq_i_join_block_avx2
#define BLOCK_TARGET __attribute__((target("avx2,popcnt")))
#define BLOCK_WORDS  4

typedef __m256i bv;
#define bv_load(p)      _mm256_load_si256(p)
#define bv_store(p, v)  _mm256_store_si256(p, v)
#define bv_zero()       _mm256_setzero_si256()
#define bv_set1(x)      _mm256_set1_epi64x((long long)(x))
#define bv_xor(a, b)    _mm256_xor_si256(a, b)
#define bv_and(a, b)    _mm256_and_si256(a, b)
#define bv_or(a, b)     _mm256_or_si256(a, b)
#define bv_or3(a, b, c) _mm256_or_si256(_mm256_or_si256(a, b), c)
#define bv_add(a, b)    _mm256_add_epi64(a, b)
#define bv_srl(v, k)    _mm256_srl_epi64(v, _mm_cvtsi32_si128((int)(k)))
#define bv_sll(v, k)    _mm256_sll_epi64(v, _mm_cvtsi32_si128((int)(k)))

/* Population count of each half byte by a table, then the sum of the bytes of each lane. */
BLOCK_TARGET static inline __attribute__((always_inline)) bv bv_ones_of(bv v)
{
	const bv table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
		2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	const bv half = _mm256_set1_epi8(15);
	const bv low = _mm256_shuffle_epi8(table, _mm256_and_si256(v, half));
	const bv high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), half));

	return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

#include "nqueens/join/block.h"
#else
extern int nq_i_no_join_avx2;
#endif
