/* Backtracking with four nodes in a vector. */
#include "nqueens/cpu/walk.h"
#include "nqueens/core/board.h"

#ifdef __x86_64__
#include <immintrin.h>

#define WALK_NAME    nq_i_walk_avx2
#define WALK_TARGET  __attribute__((target("avx2,popcnt")))
#define WALK_LANES   4u
#define WALK_VECTORS 6

typedef __m256i wv;
typedef uint32_t wm;

/* Permutation that compresses the lanes of each mask, in 32-bit halves; the other
 * lanes are arbitrary. */
static const uint32_t pack_order[16][8] __attribute__((aligned(32))) = {
#define LANE(k) 2 * (k), 2 * (k) + 1
	{ LANE(0), LANE(0), LANE(0), LANE(0) },
	{ LANE(0), LANE(0), LANE(0), LANE(0) },
	{ LANE(1), LANE(0), LANE(0), LANE(0) },
	{ LANE(0), LANE(1), LANE(0), LANE(0) },
	{ LANE(2), LANE(0), LANE(0), LANE(0) },
	{ LANE(0), LANE(2), LANE(0), LANE(0) },
	{ LANE(1), LANE(2), LANE(0), LANE(0) },
	{ LANE(0), LANE(1), LANE(2), LANE(0) },
	{ LANE(3), LANE(0), LANE(0), LANE(0) },
	{ LANE(0), LANE(3), LANE(0), LANE(0) },
	{ LANE(1), LANE(3), LANE(0), LANE(0) },
	{ LANE(0), LANE(1), LANE(3), LANE(0) },
	{ LANE(2), LANE(3), LANE(0), LANE(0) },
	{ LANE(0), LANE(2), LANE(3), LANE(0) },
	{ LANE(1), LANE(2), LANE(3), LANE(0) },
	{ LANE(0), LANE(1), LANE(2), LANE(3) },
#undef LANE
};

/* All ones in the lanes of each mask. */
static const int64_t keep_lanes[16][4] __attribute__((aligned(32))) = {
#define KEEP(m)                                                                    \
	{                                                                          \
		-((m) >> 0 & 1), -((m) >> 1 & 1), -((m) >> 2 & 1), -((m) >> 3 & 1) \
	}
	KEEP(0), KEEP(1), KEEP(2), KEEP(3), KEEP(4), KEEP(5), KEEP(6), KEEP(7), KEEP(8), KEEP(9),
	KEEP(10), KEEP(11), KEEP(12), KEEP(13), KEEP(14), KEEP(15)
#undef KEEP
};

#define wv_set1(x)      _mm256_set1_epi64x(x)
#define wv_load(p)      _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define wv_and(a, b)    _mm256_and_si256(a, b)
#define wv_andnot(a, b) _mm256_andnot_si256(a, b)
#define wv_or(a, b)     _mm256_or_si256(a, b)
#define wv_or3(a, b, c) _mm256_or_si256(_mm256_or_si256(a, b), c)
#define wv_sub(a, b)    _mm256_sub_epi64(a, b)
#define wv_srl(v, k)    _mm256_srl_epi64(v, _mm_cvtsi32_si128((int)(k)))
#define wv_sll(v, k)    _mm256_sll_epi64(v, _mm_cvtsi32_si128((int)(k)))
#define wv_zero(v) \
	((wm)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(v, _mm256_setzero_si256()))))
#define wv_nonzero(v)  (wv_zero(v) ^ 15u)
#define wv_not_ones(v) (wv_zero(_mm256_xor_si256(v, _mm256_set1_epi64x(-1))) ^ 15u)
#define wv_keep(mask, v) \
	_mm256_and_si256(v, _mm256_load_si256((const __m256i *)(const void *)keep_lanes[mask]))
#define wv_pack_store(p, mask, v)                   \
	_mm256_storeu_si256((__m256i *)(void *)(p), \
		_mm256_permutevar8x32_epi32(        \
			v, _mm256_load_si256((const __m256i *)(const void *)pack_order[mask])))

#include "nqueens/cpu/walk_vector.h"
#else
extern int nq_i_no_avx2;
#endif
