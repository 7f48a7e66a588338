/* The leaves with AVX2. */
#include "workloads/sort/leaves.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

#define SORT_TARGET __attribute__((target("avx2,popcnt")))
#define SORT_INLINE SORT_TARGET __attribute__((always_inline)) static inline
#define SORT_VECTOR __m256i
#define SORT_MASK   uint32_t

/* For each mask of lanes the permutation that moves them to the first lanes, a byte for each lane
 * of 32 bits: the number of lane k is at the place of k among the lanes of the mask. */
#define LANE(m, k)   ((uint64_t)((m) >> (k)&1))
#define BEFORE(m, k) (8 * __builtin_popcount((m) & ((1u << (k)) - 1)))
#define PLACE4(m, k) (LANE(m, k) * (k) << (LANE(m, k) ? BEFORE(m, k) : 0))
#define PLACE8(m, k) (LANE(m, k) * (0x202 * (k) + 0x100) << (LANE(m, k) ? 2 * BEFORE(m, k) : 0))
#define ORDER4(m)                                                                                  \
	(PLACE4(m, 0) | PLACE4(m, 1) | PLACE4(m, 2) | PLACE4(m, 3) | PLACE4(m, 4) | PLACE4(m, 5) | \
		PLACE4(m, 6) | PLACE4(m, 7))
#define ORDER8(m)      (PLACE8(m, 0) | PLACE8(m, 1) | PLACE8(m, 2) | PLACE8(m, 3))
#define FOUR(order, m) order(m), order((m) + 1), order((m) + 2), order((m) + 3)
#define SIXTEEN(order, m) \
	FOUR(order, m), FOUR(order, (m) + 4), FOUR(order, (m) + 8), FOUR(order, (m) + 12)
#define SIXTY_FOUR(m)                                                             \
	SIXTEEN(ORDER4, m), SIXTEEN(ORDER4, (m) + 16), SIXTEEN(ORDER4, (m) + 32), \
		SIXTEEN(ORDER4, (m) + 48)
static const uint64_t order4[256] = { SIXTY_FOUR(0u), SIXTY_FOUR(64u), SIXTY_FOUR(128u),
	SIXTY_FOUR(192u) };
static const uint64_t order8[16] = { SIXTEEN(ORDER8, 0u) };

SORT_INLINE uint32_t lanes_in(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

SORT_INLINE __m256i permuted(__m256i v, const uint64_t *order)
{
	return _mm256_permutevar8x32_epi32(
		v, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)order)));
}

SORT_INLINE __m256i sort4_first(int n, int first)
{
	return _mm256_cmpgt_epi32(
		_mm256_set1_epi32(n), _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
					      _mm256_set1_epi32(first)));
}

SORT_INLINE __m256i sort4_all(uint32_t key)
{
	return _mm256_set1_epi32((int)key);
}

SORT_INLINE __m256i sort4_load(const uint32_t *from)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

SORT_INLINE void sort4_store(uint32_t *to, __m256i v)
{
	_mm256_storeu_si256((__m256i *)(void *)to, v);
}

SORT_INLINE __m256i sort4_load_first(const uint32_t *from, int n, int first)
{
	const __m256i mask = sort4_first(n, first), ones = _mm256_set1_epi32(-1);

	return _mm256_or_si256(_mm256_maskload_epi32((const int *)(const void *)from, mask),
		_mm256_xor_si256(mask, ones));
}

SORT_INLINE void sort4_store_first(uint32_t *to, int n, int first, __m256i v)
{
	if (n >= first + 8)
		sort4_store(to, v);
	else if (n > first)
		_mm256_maskstore_epi32((int *)(void *)to, sort4_first(n, first), v);
}

SORT_INLINE __m256i sort4_min(__m256i a, __m256i b)
{
	return _mm256_min_epu32(a, b);
}

SORT_INLINE __m256i sort4_max(__m256i a, __m256i b)
{
	return _mm256_max_epu32(a, b);
}

SORT_INLINE __m256i sort4_exchange(__m256i v, int x)
{
	switch (x) {
	case 1:
		return _mm256_shuffle_epi32(v, 0xb1);
	case 2:
		return _mm256_shuffle_epi32(v, 0x4e);
	case 3:
		return _mm256_shuffle_epi32(v, 0x1b);
	case 4:
		return _mm256_permute2x128_si256(v, v, 1);
	default: /* 7 */
		return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
	}
}

SORT_INLINE __m256i sort4_choose(__m256i a, __m256i b, int bit)
{
	switch (bit) {
	case 1:
		return _mm256_blend_epi32(a, b, 0xaa);
	case 2:
		return _mm256_blend_epi32(a, b, 0xcc);
	default:
		return _mm256_blend_epi32(a, b, 0xf0);
	}
}

SORT_INLINE __m256i sort4_zip_low(__m256i a, __m256i b)
{
	return _mm256_permute2x128_si256(
		_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b), 0x20);
}

SORT_INLINE __m256i sort4_zip_high(__m256i a, __m256i b)
{
	return _mm256_permute2x128_si256(
		_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b), 0x31);
}

SORT_INLINE uint32_t sort4_equal(__m256i a, __m256i b)
{
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
}

SORT_INLINE uint32_t sort4_below(__m256i v, __m256i p)
{
	return sort4_equal(_mm256_max_epu32(v, p), v) ^ 0xff;
}

SORT_INLINE uint32_t sort4_above(__m256i v, __m256i p)
{
	return sort4_equal(_mm256_min_epu32(v, p), v) ^ 0xff;
}

SORT_INLINE __m256i sort4_pack(__m256i v, uint32_t mask)
{
	return permuted(v, order4 + mask);
}

#define SORT_KEY   uint32_t
#define SORT_N(x)  sort4##x
#define SORT_LANES 8
#include "workloads/sort/vector.h"
#undef SORT_KEY
#undef SORT_N
#undef SORT_LANES

/* Comparisons are of signed numbers: vectors have keys with the highest bit inverted. */
SORT_INLINE __m256i sort8_inverted(__m256i v)
{
	return _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN));
}

SORT_INLINE __m256i sort8_first(int n, int first)
{
	return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n),
		_mm256_add_epi64(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(first)));
}

SORT_INLINE __m256i sort8_all(uint64_t key)
{
	return sort8_inverted(_mm256_set1_epi64x((long long)key));
}

SORT_INLINE __m256i sort8_load(const uint64_t *from)
{
	return sort8_inverted(_mm256_loadu_si256((const __m256i *)(const void *)from));
}

SORT_INLINE void sort8_store(uint64_t *to, __m256i v)
{
	_mm256_storeu_si256((__m256i *)(void *)to, sort8_inverted(v));
}

SORT_INLINE __m256i sort8_load_first(const uint64_t *from, int n, int first)
{
	const __m256i mask = sort8_first(n, first);
	const __m256i v = _mm256_maskload_epi64((const long long *)(const void *)from, mask);

	return _mm256_blendv_epi8(_mm256_set1_epi64x(INT64_MAX), sort8_inverted(v), mask);
}

SORT_INLINE void sort8_store_first(uint64_t *to, int n, int first, __m256i v)
{
	if (n >= first + 4)
		sort8_store(to, v);
	else if (n > first)
		_mm256_maskstore_epi64(
			(long long *)(void *)to, sort8_first(n, first), sort8_inverted(v));
}

SORT_INLINE __m256i sort8_min(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

SORT_INLINE __m256i sort8_max(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

SORT_INLINE __m256i sort8_exchange(__m256i v, int x)
{
	switch (x) {
	case 1:
		return _mm256_shuffle_epi32(v, 0x4e);
	case 2:
		return _mm256_permute2x128_si256(v, v, 1);
	default: /* 3 */
		return _mm256_permute4x64_epi64(v, 0x1b);
	}
}

SORT_INLINE __m256i sort8_choose(__m256i a, __m256i b, int bit)
{
	return bit == 1 ? _mm256_blend_epi32(a, b, 0xcc) : _mm256_blend_epi32(a, b, 0xf0);
}

SORT_INLINE __m256i sort8_zip_low(__m256i a, __m256i b)
{
	return _mm256_permute2x128_si256(
		_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b), 0x20);
}

SORT_INLINE __m256i sort8_zip_high(__m256i a, __m256i b)
{
	return _mm256_permute2x128_si256(
		_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b), 0x31);
}

SORT_INLINE uint32_t sort8_above(__m256i v, __m256i p)
{
	return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(v, p)));
}

SORT_INLINE uint32_t sort8_below(__m256i v, __m256i p)
{
	return sort8_above(p, v);
}

SORT_INLINE __m256i sort8_pack(__m256i v, uint32_t mask)
{
	return permuted(v, order8 + mask);
}

#define SORT_KEY   uint64_t
#define SORT_N(x)  sort8##x
#define SORT_LANES 4
#include "workloads/sort/vector.h"

const sort_leaves sort_leaves_avx2 = { "avx2", sort4_serial, sort4_count, sort4_split, sort8_serial,
	sort8_count, sort8_split };
#else
extern int sort_no_avx2;
#endif
