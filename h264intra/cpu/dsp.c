/* Choice of the table of inner functions. */
#include "h264intra/cpu/dsp.h"

#include <stddef.h>

const h264i_dsp *h264i_i_dsp(h264i_simd simd)
{
	switch (simd) {
	case H264I_SIMD_SCALAR:
		return &h264i_i_dsp_scalar;
	case H264I_SIMD_VECTOR:
		return &h264i_i_dsp_vector;
#ifdef __x86_64__
	case H264I_SIMD_AVX2:
		if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
			__builtin_cpu_supports("popcnt"))
			return &h264i_i_dsp_avx2;
		return NULL;
	case H264I_SIMD_AVX512:
		if (h264i_i_dsp(H264I_SIMD_AVX2) && __builtin_cpu_supports("avx512f") &&
			__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
			__builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vl") &&
			__builtin_cpu_supports("avx512vbmi") &&
			__builtin_cpu_supports("avx512vpopcntdq"))
			return &h264i_i_dsp_avx512;
		return NULL;
#endif
	default:
		return NULL;
	}
}

void h264i_i_dsp_weighed(h264i_dsp *d)
{
	const h264i_dsp *c = &h264i_i_dsp_scalar;

	*d = *h264i_i_dsp_best();
	d->code4 = c->code4;
	d->quantise4 = c->quantise4;
	d->reconstruct4 = c->reconstruct4;
	d->quantise8 = c->quantise8;
	d->reconstruct8 = c->reconstruct8;
	d->real4 = c->real4;
	d->real8 = c->real8;
}

const h264i_dsp *h264i_i_dsp_best(void)
{
	for (int s = H264I_SIMDS - 1; s > 0; s--)
		if (h264i_i_dsp((h264i_simd)s))
			return h264i_i_dsp((h264i_simd)s);
	return &h264i_i_dsp_scalar;
}
