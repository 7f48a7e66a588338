/* Scalar functions: one text with the same bits on host and device, where libm and CUDA differ in
 * the last bits. Products and sums that decide are rounded one by one even in a file that is
 * compiled with contraction to fma. Text for both languages. */
#ifndef REYES_CORE_NUMERIC_H
#define REYES_CORE_NUMERIC_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <libsched/fn.h>

#define REYES_I_FLOAT_MIN 1.17549435e-38f /* the smallest normal number, 2^-126 */
#define REYES_I_FLOAT_MAX 3.40282347e+38f

/* Product and sum that nvcc does not contract to fma. */
#if LSCHED_I_DEVICE_CODE
#define REYES_I_MUL(a, b) __fmul_rn((a), (b))
#define REYES_I_ADD(a, b) __fadd_rn((a), (b))
#else
#define REYES_I_MUL(a, b) ((a) * (b))
#define REYES_I_ADD(a, b) ((a) + (b))
#endif
#define REYES_I_STEP(sum, x, c) REYES_I_ADD(REYES_I_MUL((sum), (x)), (c))

/* Returns the larger of a and b; b if a is NaN. */
LSCHED_FN float reyes_i_max(float a, float b)
{
	return a > b ? a : b;
}

/* Returns the smaller of a and b; b if a is NaN. */
LSCHED_FN float reyes_i_min(float a, float b)
{
	return a < b ? a : b;
}

/* Returns x limited to [lo, hi]; lo if x is NaN. */
LSCHED_FN float reyes_i_clamp(float x, float lo, float hi)
{
	return reyes_i_min(reyes_i_max(x, lo), hi);
}

/* Returns 1 / sqrt(x) for x in [2^-126, 2^128), with a relative error of about 1e-7. Newton's
 * iteration gives the same bits on host and device; the device's own function does not, and its
 * exact root and division call subroutines, which costs 7 registers. */
LSCHED_FN float reyes_i_inverse_sqrt(float x)
{
	const float half = REYES_I_MUL(0.5f, x);
	uint32_t bits;
	float y;

	/* the exponent halved and negated: within 3.5 % */
	memcpy(&bits, &x, sizeof(bits));
	bits = 0x5f375a86u - (bits >> 1);
	memcpy(&y, &bits, sizeof(y));
	y = REYES_I_MUL(y, REYES_I_STEP(REYES_I_MUL(-half, y), y, 1.5f));
	y = REYES_I_MUL(y, REYES_I_STEP(REYES_I_MUL(-half, y), y, 1.5f));
	/* the last step adds a small number, which rounds once */
	return REYES_I_STEP(y, REYES_I_STEP(REYES_I_MUL(-half, y), y, 0.5f), y);
}

/* Returns a at f = 0 and b at f = 1, both exactly. */
LSCHED_FN float reyes_i_mix(float a, float b, float f)
{
	return a * (1.0f - f) + b * f;
}

/* Returns the smoothstep of RISpec 15.1: 0 below lo, 1 from hi on, a cubic between. With lo >= hi
 * it is a step at lo. */
LSCHED_FN float reyes_i_smoothstep(float lo, float hi, float x)
{
	float f;

	if (!(lo < hi))
		return x >= lo ? 1.0f : 0.0f;
	f = reyes_i_clamp((x - lo) / (hi - lo), 0.0f, 1.0f);
	return f * f * (3.0f - 2.0f * f);
}

/* Returns the logarithm to the base 2 of a normal positive number, with a relative error of about
 * 2e-7, also near 1. */
LSCHED_FN float reyes_i_log2(float x)
{
	uint32_t bits, above;
	float f, sum;

	memcpy(&bits, &x, sizeof(bits));
	/* x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)): 0x3f3504f3 is sqrt(1/2) */
	above = bits - 0x3f3504f3u;
	bits = (above & 0x007fffffu) + 0x3f3504f3u;
	memcpy(&f, &bits, sizeof(f));
	f = f - 1.0f;
	/* Chebyshev fit of log2(1 + f) / f, relative error 8e-9 */
	sum = -0.1074978942f;
	sum = REYES_I_STEP(sum, f, 0.1847603337f);
	sum = REYES_I_STEP(sum, f, -0.1913883766f);
	sum = REYES_I_STEP(sum, f, 0.2048576478f);
	sum = REYES_I_STEP(sum, f, -0.2396081219f);
	sum = REYES_I_STEP(sum, f, 0.2885525614f);
	sum = REYES_I_STEP(sum, f, -0.3606965418f);
	sum = REYES_I_STEP(sum, f, 0.4808985203f);
	sum = REYES_I_STEP(sum, f, -0.7213473545f);
	sum = REYES_I_STEP(sum, f, 1.44269504f);
	return REYES_I_STEP(sum, f, (float)((int32_t)above >> 23));
}

/* Returns 2^x with a relative error of about 1e-7; 0 below 2^-126 and for NaN, infinity from 2^128
 * on. */
LSCHED_FN float reyes_i_exp2(float x)
{
	int32_t whole;
	uint32_t bits;
	float f, sum, scale;

	if (!(x >= -126.0f))
		return 0.0f;
	if (x >= 128.0f)
		return (float)INFINITY;
	whole = (int32_t)(x + 128.5f) - 128;
	f = x - (float)whole;
	/* Chebyshev fit of (2^f - 1) / f for f in [-1/2, 1/2] */
	sum = 0.0001545316295f;
	sum = REYES_I_STEP(sum, f, 0.001339086336f);
	sum = REYES_I_STEP(sum, f, 0.009618082557f);
	sum = REYES_I_STEP(sum, f, 0.05550357114f);
	sum = REYES_I_STEP(sum, f, 0.2402265076f);
	sum = REYES_I_STEP(sum, f, 0.693147188f);
	sum = REYES_I_STEP(sum, f, 1.0f);
	/* the exponent of the scale ends at 127 */
	if (whole == 128) {
		sum = sum + sum;
		whole = 127;
	}
	bits = (uint32_t)(whole + 127) << 23;
	memcpy(&scale, &bits, sizeof(scale));
	return REYES_I_MUL(sum, scale);
}

/* Returns e^x with a relative error of about 1e-7 (1 + |x|). */
LSCHED_FN float reyes_i_exp(float x)
{
	return reyes_i_exp2(REYES_I_MUL(x, 1.44269504f));
}

/* Returns x^y for x in [0, infinity). 0^0 is 1; x below 2^-126 counts as 0; for x = 0 and y < 0
 * the result is 0, so that no shader makes an infinite color. */
LSCHED_FN float reyes_i_pow(float x, float y)
{
	if (y == 0.0f)
		return 1.0f;
	if (!(x >= REYES_I_FLOAT_MIN))
		return 0.0f;
	return reyes_i_exp2(REYES_I_MUL(reyes_i_log2(x), y));
}

#endif
