#include "nqueens/core/simd.h"

int nq_simd_usable(nq_simd s)
{
	switch (s) {
	case NQ_SIMD_AUTO:
	case NQ_SIMD_SCALAR:
		return 1;
#ifdef __x86_64__
	case NQ_SIMD_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
	case NQ_SIMD_AVX512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("popcnt") &&
		       __builtin_cpu_supports("avx512vpopcntdq");
#endif
	default:
		return 0;
	}
}

nq_simd nq_i_simd_resolve(nq_simd s)
{
	if (s != NQ_SIMD_AUTO)
		return s;
	if (nq_simd_usable(NQ_SIMD_AVX512))
		return NQ_SIMD_AVX512;
	return nq_simd_usable(NQ_SIMD_AVX2) ? NQ_SIMD_AVX2 : NQ_SIMD_SCALAR;
}
