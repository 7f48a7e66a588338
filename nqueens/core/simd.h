/* Selection of the CPU's vector instructions. */
#ifndef NQUEENS_CORE_SIMD_H
#define NQUEENS_CORE_SIMD_H

#include <nqueens/nqueens.h>

/* Returns the best usable instruction set for AUTO, any other value unchanged. */
nq_simd nq_i_simd_resolve(nq_simd s);

#endif
