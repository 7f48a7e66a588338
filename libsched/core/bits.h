/* Bit operations of 32-bit words, for both languages and all libraries. */
#ifndef LIBSCHED_CORE_BITS_H
#define LIBSCHED_CORE_BITS_H

#include <stdint.h>
#include <libsched/fn.h>

LSCHED_FN uint32_t lsched_popcount(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__popc(v);
#else
	return (uint32_t)__builtin_popcount(v);
#endif
}

/* Returns the number of the lowest set bit of v, which is not 0. */
LSCHED_FN uint32_t lsched_i_lowest_bit(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__ffs((int)v) - 1u;
#else
	return (uint32_t)__builtin_ctz(v);
#endif
}

/* Returns the number of leading zero bits of v, which is not 0. */
LSCHED_FN uint32_t lsched_i_leading_zeros(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__clz((int)v);
#else
	return (uint32_t)__builtin_clz(v);
#endif
}

/* A count of 64 bits in a field of 32 that a struct has had since its first version. */
static inline uint32_t lsched_i_at_most_u32(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

#endif
