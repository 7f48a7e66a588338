/* A generator with a fixed seed, so that a failure can be repeated (xorshift64*, Vigna 2014). */
#ifndef TESTS_COMMON_RNG_H
#define TESTS_COMMON_RNG_H

#include <stdint.h>

static uint64_t rng_state = 0x9e3779b97f4a7c15u;

static inline uint32_t rng(void)
{
	rng_state ^= rng_state >> 12;
	rng_state ^= rng_state << 25;
	rng_state ^= rng_state >> 27;
	return (uint32_t)(rng_state * 0x2545f4914f6cdd1du >> 32);
}

/* 0 .. n-1 */
static inline uint32_t rng_below(uint32_t n)
{
	return (uint32_t)((uint64_t)rng() * n >> 32);
}

/* -limit .. limit */
static inline int rng_around(int limit)
{
	return (int)rng_below(2 * (uint32_t)limit + 1) - limit;
}

#endif
