/* Functions of vectors with AVX-512 that differ between keys of 32 and of 64 bits in the names of
 * instructions only; see vector.h. Template text; the includer defines SORT_KEY, SORT_SIGNED,
 * SORT_N, SORT_LANES, SORT_MASK, SORT_BITS, and SORT_N(_lanes), the numbers of the lanes. */
#define SORT_PASTE(op, type, bits, end) _mm512_##op##_##type##bits##end
#define SORT_OP(op, type, bits, end)    SORT_PASTE(op, type, bits, end)
#define SORT_EPI(op)                    SORT_OP(op, epi, SORT_BITS, )
#define SORT_EPU(op)                    SORT_OP(op, epu, SORT_BITS, )
#define SORT_EPI_MASK(op)               SORT_OP(op, epi, SORT_BITS, _mask)
#define SORT_EPU_MASK(op)               SORT_OP(op, epu, SORT_BITS, _mask)

SORT_INLINE SORT_MASK SORT_N(_first)(int n, int first)
{
	return SORT_EPI_MASK(cmpgt)(
		SORT_EPI(set1)(n), SORT_EPI(add)(SORT_N(_lanes)(), SORT_EPI(set1)(first)));
}

SORT_INLINE __m512i SORT_N(_all)(SORT_KEY key)
{
	return SORT_EPI(set1)((SORT_SIGNED)key);
}

SORT_INLINE __m512i SORT_N(_load)(const SORT_KEY *from)
{
	return _mm512_loadu_si512(from);
}

SORT_INLINE void SORT_N(_store)(SORT_KEY *to, __m512i v)
{
	_mm512_storeu_si512(to, v);
}

SORT_INLINE __m512i SORT_N(_load_first)(const SORT_KEY *from, int n, int first)
{
	return SORT_EPI(mask_loadu)(SORT_EPI(set1)(-1), SORT_N(_first)(n, first), from);
}

SORT_INLINE void SORT_N(_store_first)(SORT_KEY *to, int n, int first, __m512i v)
{
	SORT_EPI(mask_storeu)(to, SORT_N(_first)(n, first), v);
}

SORT_INLINE __m512i SORT_N(_min)(__m512i a, __m512i b)
{
	return SORT_EPU(min)(a, b);
}

SORT_INLINE __m512i SORT_N(_max)(__m512i a, __m512i b)
{
	return SORT_EPU(max)(a, b);
}

SORT_INLINE __m512i SORT_N(_choose)(__m512i a, __m512i b, int bit)
{
	return SORT_EPI(mask_mov)(a, (SORT_MASK)ODD_LANES(bit), b);
}

SORT_INLINE SORT_MASK SORT_N(_below)(__m512i v, __m512i p)
{
	return SORT_EPU_MASK(cmplt)(v, p);
}

SORT_INLINE SORT_MASK SORT_N(_above)(__m512i v, __m512i p)
{
	return SORT_EPU_MASK(cmpgt)(v, p);
}

/* Compressed in a register first, as compressing stores are slow on some processors, and into a
 * copy of the keys, not into zeros: Zen 4 waits for the register that is written in both cases. */
SORT_INLINE __m512i SORT_N(_pack)(__m512i v, SORT_MASK mask)
{
	return SORT_EPI(mask_compress)(v, mask, v);
}

#include "workloads/sort/vector.h"
#undef SORT_PASTE
#undef SORT_OP
#undef SORT_EPI
#undef SORT_EPU
#undef SORT_EPI_MASK
#undef SORT_EPU_MASK
#undef SORT_KEY
#undef SORT_SIGNED
#undef SORT_N
#undef SORT_LANES
#undef SORT_MASK
#undef SORT_BITS
