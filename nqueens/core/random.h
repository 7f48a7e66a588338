/* splitmix64 (Steele et al. 2014): a hash over numbers and a random generator, the
 * same on all machines. */
#ifndef NQUEENS_CORE_RANDOM_H
#define NQUEENS_CORE_RANDOM_H

#include <stdint.h>

/* Returns the hash extended by one value. */
static inline uint64_t nq_i_mix(uint64_t hash, uint64_t value)
{
	uint64_t z = hash + 0x9e3779b97f4a7c15u + value;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Returns a random number below n; advances *state. */
static inline uint64_t nq_i_random_below(uint64_t *state, uint64_t n)
{
	__extension__ typedef unsigned __int128 wide;

	*state += 0x9e3779b97f4a7c15u;
	return (uint64_t)((wide)nq_i_mix(*state, 0) * n >> 64);
}

#endif
