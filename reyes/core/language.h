/* Differences between gcc and nvcc in text that both compile. No other shared text of reyes tests
 * __CUDACC__ or __CUDA_ARCH__. */
#ifndef REYES_CORE_LANGUAGE_H
#define REYES_CORE_LANGUAGE_H

#include <stdint.h>
#include <string.h>
#include <libsched/fn.h>

/* A function for rare cases, which is not expanded in the common one: it would need registers
 * there. */
#ifdef __CUDACC__
#define REYES_I_SLOW_FN static __host__ __device__ __noinline__ __attribute__((unused))
#else
#define REYES_I_SLOW_FN static __attribute__((noinline, unused))
#endif

/* A function that is not expanded on CPU threads, where it is rare or would need registers; kernels
 * that call it do little else. */
#ifdef __CUDACC__
#define REYES_I_RARE_FN LSCHED_FN
#else
#define REYES_I_RARE_FN REYES_I_SLOW_FN
#endif

/* A function of loops over arrays, which is not expanded in its callers: there the compiler would
 * not find that their elements can be computed side by side. */
#define REYES_I_LOOP_FN REYES_I_SLOW_FN

/* Records of 16 bytes, which a device reads and writes by one access. */
#define REYES_I_ALIGNED_16 __attribute__((aligned(16)))

LSCHED_FN uint32_t reyes_i_float_bits(float x)
{
#ifdef __CUDA_ARCH__
	return __float_as_uint(x);
#else
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
#endif
}

LSCHED_FN float reyes_i_bits_float(uint32_t bits)
{
#ifdef __CUDA_ARCH__
	return __uint_as_float(bits);
#else
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
#endif
}

/* The number of the lowest set bit; mask is not 0. */
LSCHED_FN uint32_t reyes_i_lowest64(uint64_t mask)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__ffsll((long long)mask) - 1u;
#else
	return (uint32_t)__builtin_ctzll(mask);
#endif
}

/* Atomics of the pictures. Stages are separated by the end of a launch or of a run. Within the
 * hider, records that a thread finds by a value in a cell need an order: the writer calls
 * reyes_i_publish before it changes cells, the reader reyes_i_acquire after it has read one. On the
 * CPU the accesses to cells release and acquire themselves. */
LSCHED_FN void reyes_i_publish(void)
{
#ifdef __CUDA_ARCH__
	__threadfence();
#endif
}

LSCHED_FN void reyes_i_acquire(void)
{
#ifdef __CUDA_ARCH__
	__threadfence();
#endif
}

LSCHED_FN uint64_t reyes_i_load64(const uint64_t *p)
{
#ifdef __CUDA_ARCH__
	return *(const volatile uint64_t *)p;
#else
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}

/* A value that *p has now or had before. */
LSCHED_FN uint64_t reyes_i_any64(const uint64_t *p)
{
#ifdef __CUDA_ARCH__
	return *p;
#else
	return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

/* Returns whether *p was `expected` and is `desired` now. */
LSCHED_FN int reyes_i_cas64(uint64_t *p, uint64_t expected, uint64_t desired)
{
#ifdef __CUDA_ARCH__
	return atomicCAS((unsigned long long *)p, expected, desired) == expected;
#else
	return __atomic_compare_exchange_n(
		p, &expected, desired, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}

/* *p becomes the smaller of *p and v; returns the old value. */
LSCHED_FN uint64_t reyes_i_min64(uint64_t *p, uint64_t v)
{
#ifdef __CUDA_ARCH__
	return atomicMin((unsigned long long *)p, (unsigned long long)v);
#else
	uint64_t old = __atomic_load_n(p, __ATOMIC_ACQUIRE);

	while (v < old &&
		!__atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return old;
#endif
}

LSCHED_FN uint32_t reyes_i_add32(uint32_t *p, uint32_t v)
{
#ifdef __CUDA_ARCH__
	return atomicAdd(p, v);
#else
	return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
#endif
}

/* a / n for a < 2^12 and n < 2^12. The quotient of a + 1/2 is at least 1 / 2 n away from a whole
 * number, so that the error of the device's fast division does not matter. */
LSCHED_FN uint32_t reyes_i_small_over(uint32_t a, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__fdividef((float)a + 0.5f, (float)n);
#else
	return a / n;
#endif
}

/* Number of set bits. */
LSCHED_FN uint32_t reyes_i_count64(uint64_t mask)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__popcll(mask);
#else
	return (uint32_t)__builtin_popcountll(mask);
#endif
}

/* Adds v <= 64 to *p; returns the old value. On a device the lanes that call it together add the
 * sum of theirs at once. */
LSCHED_FN uint32_t reyes_i_add32_warp(uint32_t *p, uint32_t v)
{
#ifdef __CUDA_ARCH__
	const uint32_t active = __activemask(), lane = threadIdx.x & 31u;
	const uint32_t leader = (uint32_t)__ffs((int)active) - 1u;
	uint32_t before = 0, all = 0, first = 0;

	for (uint32_t bit = 0; bit < 7; bit++) {
		const uint32_t lanes = __ballot_sync(active, v >> bit & 1u);

		before += (uint32_t)__popc(lanes & ((1u << lane) - 1u)) << bit;
		all += (uint32_t)__popc(lanes) << bit;
	}
	if (lane == leader)
		first = atomicAdd(p, all);
	return __shfl_sync(active, first, (int)leader) + before;
#else
	return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
#endif
}

/* The same without a result. */
LSCHED_FN void reyes_i_count32_warp(uint32_t *p, uint32_t v)
{
#ifdef __CUDA_ARCH__
	const uint32_t active = __activemask();
	const uint32_t sum = __reduce_add_sync(active, v);

	if (sum && (threadIdx.x & 31u) == (uint32_t)__ffs((int)active) - 1u)
		(void)atomicAdd(p, sum);
#else
	if (v)
		(void)__atomic_fetch_add(p, v, __ATOMIC_RELAXED);
#endif
}

LSCHED_FN uint32_t reyes_i_swap32(uint32_t *p, uint32_t v)
{
#ifdef __CUDA_ARCH__
	return atomicExch(p, v);
#else
	return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
#endif
}

#endif
