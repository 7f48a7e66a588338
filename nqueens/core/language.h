/* Differences between gcc and nvcc in text that both compile: funnel shifts, and where the nodes
 * of method TASKS are counted. No other shared text of nqueens tests __CUDACC__ or
 * __CUDA_ARCH__. */
#ifndef NQUEENS_CORE_LANGUAGE_H
#define NQUEENS_CORE_LANGUAGE_H

#include <stdint.h>
#include "libsched/core/bits.h"

/* 1: a node is counted in the run's value (lsched_return). 0: in an array that the progress
 * reads. */
#ifdef __CUDACC__
#define NQ_I_NODES_IN_VALUE 1
#else
#define NQ_I_NODES_IN_VALUE 0
#endif

/* The low word of hi:lo >> k, the high word of hi:lo << k; k modulo 32. */
LSCHED_FN uint32_t nq_i_funnel_right(uint32_t lo, uint32_t hi, uint32_t k)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_r(lo, hi, k);
#else
	return (uint32_t)((((uint64_t)hi << 32) | lo) >> (k & 31));
#endif
}

LSCHED_FN uint32_t nq_i_funnel_left(uint32_t lo, uint32_t hi, uint32_t k)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_l(lo, hi, k);
#else
	return (uint32_t)(((((uint64_t)hi << 32) | lo) << (k & 31)) >> 32);
#endif
}

#endif
