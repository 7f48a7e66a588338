/* The early end of the kernels that prepare a count: sieve.h. */
#ifndef NQUEENS_CUDA_SIEVE_STOP_CUH
#define NQUEENS_CUDA_SIEVE_STOP_CUH

#include "nqueens/cuda/sieve.h"

/* Returns nonzero if the host has set *stop, which is memory of the host: one thread reads it, and
 * only when the block begins. All threads of the block call this and get one answer, also while the
 * host sets it. */
static __device__ __forceinline__ int block_stops(const volatile uint32_t *stop)
{
	return __syncthreads_or(threadIdx.x == 0 && *stop);
}

#endif
