/* RGB to Y'CbCr, sample by sample: the functions that the CPU and the CUDA conversion share.
 *
 * A component is first rounded to 16 bits, 0 black, 65535 white. Y is a sum of three products in
 * units of 2^-23, rounded. Cb and Cr are sums of the means of R, G and B over the pixels around the
 * chroma sample, in weights of sixteenths. All of this is integer arithmetic; the conversion of a
 * float has one rounding a step, so that contraction to fused operations has no effect. */
#ifndef H264INTRA_RGB_SAMPLE_H
#define H264INTRA_RGB_SAMPLE_H

#include <stdint.h>
#include <string.h>

#include <libsched/fn.h>

enum { H264I_RGB_SHIFT = 23 };

/* Matrix of a stream. Rows of cb and cr add up to 0, so that grey has no chroma. */
typedef struct h264i_rgb_matrix {
	int32_t y[3], cb[3], cr[3]; /* of R, G, B: 2^23 * 255 / 65535 at most */
	uint32_t y_add, c_add;      /* offset and half a unit */
	/* Weights of the pixels -1, 0, 1 around the chroma sample; their sum is 4. The first row
	 * of pixels is 2 * y - 1 + row_offset. */
	uint32_t wx[3], wy[3], row_offset;
} h264i_rgb_matrix;

/* Rounds a float of 0..65535 to the nearest integer, ties to even; clips it; NaN becomes 0. */
LSCHED_FN uint32_t h264i_rgb_round(float v)
{
	/* Not "v < 0": a comparison with NaN is false. */
	float in = v > 0.0f ? v : 0.0f;

	in = in < 65535.0f ? in : 65535.0f;
#if LSCHED_I_DEVICE_CODE
	return __float2uint_rn(in);
#else
	{
		/* From 2^23 on the last bit of a float is 1: the sum is rounded to an integer. */
		float sum = in + 8388608.0f;
		uint32_t bits;

		memcpy(&bits, &sum, sizeof(bits));
		return bits & 0xffff;
	}
#endif
}

/* From samples to 0..65535: (sample + offset) * scale. */
typedef struct h264i_rgb_scale {
	float offset, scale;
} h264i_rgb_scale;

LSCHED_FN uint32_t h264i_rgb_level(float v, h264i_rgb_scale s)
{
	return h264i_rgb_round((v + s.offset) * s.scale);
}

/* Alpha and background have 16 bits, too. The sum is below 2^32. */
LSCHED_FN uint32_t h264i_rgb_blend(uint32_t v, uint32_t alpha, uint32_t background)
{
	return (v * alpha + background * (65535u - alpha) + 32767u) / 65535u;
}

LSCHED_FN float h264i_rgb_float_of(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* The float of a binary16. Infinity becomes a number above 1. */
LSCHED_FN float h264i_rgb_float_of_half(uint16_t h)
{
	uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
	float v;

	if ((h & 0x7fff) > 0x7c00)
		return h264i_rgb_float_of(0x7fc00000); /* NaN */
	/* The exponents differ by 112; the product is exact, of subnormal numbers, too. */
	v = h264i_rgb_float_of(magnitude) * 0x1p112f;
	return sign ? -v : v;
}

LSCHED_FN uint8_t h264i_rgb_y(const h264i_rgb_matrix *m, uint32_t r, uint32_t g, uint32_t b)
{
	/* Modulo 2^32: the sum lies in 0..2^31. */
	uint32_t sum =
		m->y_add + (uint32_t)m->y[0] * r + (uint32_t)m->y[1] * g + (uint32_t)m->y[2] * b;

	return (uint8_t)(sum >> H264I_RGB_SHIFT);
}

/* Cb or Cr of the means of R, G and B; `row` is m->cb or m->cr. */
LSCHED_FN uint8_t h264i_rgb_c(
	const h264i_rgb_matrix *m, const int32_t row[3], uint32_t r, uint32_t g, uint32_t b)
{
	uint32_t sum =
		m->c_add + (uint32_t)row[0] * r + (uint32_t)row[1] * g + (uint32_t)row[2] * b;
	uint32_t v = sum >> H264I_RGB_SHIFT;

	return (uint8_t)(v < 255 ? v : 255); /* full range reaches 255.5 */
}

/* Mean from a sum with weights of sixteenths. */
LSCHED_FN uint32_t h264i_rgb_mean(uint32_t sum)
{
	return (sum + 8) >> 4;
}

#endif
