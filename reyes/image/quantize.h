/* Exposure and Quantize (RI Specification 3.2): rendered values become codes of a file. */
#ifndef REYES_IMAGE_QUANTIZE_H
#define REYES_IMAGE_QUANTIZE_H

#include <stdint.h>

/* Quantize: round(one * value + dither * noise), limited to [min, max]; noise is in [-1, 1).
 * one 0: the file holds floating-point values. */
typedef struct reyes_i_quantize {
	float one, min, max, dither;
} reyes_i_quantize;

/* The requests Exposure and Quantize: color is (color * gain)^(1 / gamma), then quantized. */
typedef struct reyes_i_encoding {
	float gain, gamma;
	reyes_i_quantize color; /* Quantize "rgba"; also alpha */
	reyes_i_quantize depth; /* Quantize "z" */
} reyes_i_encoding;

/* The specification's defaults: gain 1, gamma 1; color 255 0 255 0.5; depth 0 0 0 0. */
void reyes_i_encoding_init(reyes_i_encoding *e);

/* (value * gain)^(1 / gamma); negative values and what is no number give 0. */
float reyes_i_expose(float value, float gain, float gamma);

/* Noise in [-1, 1) of a pixel of the full picture and a channel: a hash, so that a picture is the
 * same in every run and for every crop window. */
float reyes_i_noise(int32_t x_px, int32_t y_px, uint32_t channel);

/* The code of a value; q->one is not 0. The result is an integer in [q->min, q->max]; for limits
 * that are no integers the nearest integers inside of them count. */
float reyes_i_quantize_value(const reyes_i_quantize *q, float value, float noise);

#endif
