/* Exposure, Quantize, and the noise of the dither. */
#include <config.h>
#include "reyes/image/quantize.h"

#include <math.h>
#include <string.h>

void reyes_i_encoding_init(reyes_i_encoding *e)
{
	memset(e, 0, sizeof(*e));
	e->gain = e->gamma = 1;
	e->color.one = e->color.max = 255;
	e->color.dither = 0.5f;
}

float reyes_i_expose(float value, float gain, float gamma)
{
	const float v = value * gain;

	if (!(v > 0))
		return 0;
	return gamma > 0 && gamma != 1 ? powf(v, 1 / gamma) : v;
}

float reyes_i_noise(int32_t x_px, int32_t y_px, uint32_t channel)
{
	/* Odd constants keep neighbouring pixels apart; then the mixing steps of a 32-bit hash:
	 * each step is a bijection, and every input bit changes about half of the output bits. */
	uint32_t h = (uint32_t)x_px * 0x9e3779b1u ^ (uint32_t)y_px * 0x85ebca77u ^
		     (channel + 1) * 0xc2b2ae3du;

	h ^= h >> 16;
	h *= 0x7feb352du;
	h ^= h >> 15;
	h *= 0x846ca68bu;
	h ^= h >> 16;
	return (float)(h >> 8) / 8388608.0f - 1; /* 24 bits are exact in a float */
}

float reyes_i_quantize_value(const reyes_i_quantize *q, float value, float noise)
{
	const double v =
		floor((double)q->one * (double)value + (double)q->dither * (double)noise + 0.5);
	const double least = ceil((double)q->min), most = floor((double)q->max);

	if (!(v > least))
		return (float)least;
	return (float)(v < most ? v : most);
}
