/* Random numbers by hashing, for generators of inputs. Compiled for CPU and GPU. */
#ifndef WORKLOADS_COMMON_RANDOM_H
#define WORKLOADS_COMMON_RANDOM_H

#include <libsched/task.h>

/* Hashes by multiplication and xor-shift; a bijection of 32-bit numbers. */
LSCHED_FN uint32_t wl_hash(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014); a bijection of 64-bit numbers. Hashes of
 * seed + 1, seed + 2, ... times the odd constant are its sequence. */
LSCHED_FN uint64_t wl_hash64(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* A number in 0 <= v < 1 from the upper 53 bits of a hash. */
LSCHED_FN double wl_unit(uint64_t hash)
{
	return (double)(hash >> 11) * 0x1p-53;
}

#endif
