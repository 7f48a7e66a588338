/* The fast builds of the macroblock encoder: the steps of the specification (encode_mb.c) with SATD
 * in vectors, compiled for the baseline processor and for AVX2. */
#include "h264intra/cpu/encode_mb.h"

#include "h264intra/cpu/mb_work.h"
#include "h264intra/cpu/satd.h"

MB_FN uint32_t mb_satd(const uint8_t src[16], const uint8_t pred[16])
{
	h264i_v16 s, p;

	h264i_v16_load(&s, src);
	h264i_v16_load(&p, pred);
	return h264i_v16_satd(&s, &p);
}

MB_FN uint32_t mb_satd8(const uint8_t src[64], const uint8_t pred[64])
{
	return h264i_v16_satd8(src, pred);
}

#include "h264intra/cpu/mb_intra.h"

void h264i_i_encode_mb_vector(
	const h264i_wave_ctx *c, const h264i_picture *p, uint32_t x, uint32_t y)
{
	encode_mb(c, p, x, y);
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))) void h264i_i_encode_mb_avx2(
	const h264i_wave_ctx *c, const h264i_picture *p, uint32_t x, uint32_t y)
{
	encode_mb(c, p, x, y);
}

h264i_encode_mb_fn h264i_i_encode_mb_best(void)
{
	return __builtin_cpu_supports("avx2") ? h264i_i_encode_mb_avx2 : h264i_i_encode_mb_vector;
}
#else
h264i_encode_mb_fn h264i_i_encode_mb_best(void)
{
	return h264i_i_encode_mb_vector;
}
#endif
