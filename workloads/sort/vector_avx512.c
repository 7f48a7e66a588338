/* The leaves with AVX-512. */
#include "workloads/sort/leaves.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

#define SORT_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,popcnt")))
#define SORT_INLINE SORT_TARGET __attribute__((always_inline)) static inline
#define SORT_VECTOR __m512i

/* The number of lanes in a mask. gcc 12 stores a mask of 16 bits where it has no register for it,
 * and counts the bits of a word of 32; not so if it has to make the word. */
SORT_INLINE uint32_t lanes_in(uint32_t mask)
{
	__asm__("" : "+r"(mask));
	return (uint32_t)__builtin_popcount(mask);
}

/* Lanes with bit 1, 2, 4 or 8 of their number. */
#define ODD_LANES(bit) ((bit) == 1 ? 0xaaaa : (bit) == 2 ? 0xcccc : (bit) == 4 ? 0xf0f0 : 0xff00)

SORT_INLINE __m512i sort4_lanes(void)
{
	return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

SORT_INLINE __m512i sort4_exchange(__m512i v, int x)
{
	switch (x) {
	case 1:
		return _mm512_shuffle_epi32(v, _MM_PERM_CDAB);
	case 2:
		return _mm512_shuffle_epi32(v, _MM_PERM_BADC);
	case 3:
		return _mm512_shuffle_epi32(v, _MM_PERM_ABCD);
	case 4:
		return _mm512_shuffle_i64x2(v, v, 0xb1);
	default:
		return _mm512_permutexvar_epi32(
			_mm512_xor_si512(sort4_lanes(), _mm512_set1_epi32(x)), v);
	}
}

SORT_INLINE __m512i sort4_zip_low(__m512i a, __m512i b)
{
	return _mm512_permutex2var_epi32(
		a, _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), b);
}

SORT_INLINE __m512i sort4_zip_high(__m512i a, __m512i b)
{
	return _mm512_permutex2var_epi32(a,
		_mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), b);
}

#define SORT_KEY    uint32_t
#define SORT_SIGNED int32_t
#define SORT_BITS   32
#define SORT_N(x)   sort4##x
#define SORT_LANES  16
#define SORT_MASK   __mmask16
#include "workloads/sort/vector_avx512.h"

SORT_INLINE __m512i sort8_lanes(void)
{
	return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
}

SORT_INLINE __m512i sort8_exchange(__m512i v, int x)
{
	switch (x) {
	case 1:
		return _mm512_permutex_epi64(v, 0xb1);
	case 2:
		return _mm512_permutex_epi64(v, 0x4e);
	case 3:
		return _mm512_permutex_epi64(v, 0x1b);
	case 4:
		return _mm512_shuffle_i64x2(v, v, 0x4e);
	default:
		return _mm512_permutexvar_epi64(
			_mm512_xor_si512(sort8_lanes(), _mm512_set1_epi64(x)), v);
	}
}

SORT_INLINE __m512i sort8_zip_low(__m512i a, __m512i b)
{
	return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
}

SORT_INLINE __m512i sort8_zip_high(__m512i a, __m512i b)
{
	return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
}

#define SORT_KEY    uint64_t
#define SORT_SIGNED int64_t
#define SORT_BITS   64
#define SORT_N(x)   sort8##x
#define SORT_LANES  8
#define SORT_MASK   __mmask8
#include "workloads/sort/vector_avx512.h"

const sort_leaves sort_leaves_avx512 = { "avx512", sort4_serial, sort4_count, sort4_split,
	sort8_serial, sort8_count, sort8_split };
#else
extern int sort_no_avx512;
#endif
