/* Samples of files: integers of 8 and 16 bits and floats of a picture. */
#ifndef REYES_IMAGE_SAMPLES_H
#define REYES_IMAGE_SAMPLES_H

#include <stdint.h>

/* value * most, rounded, in 0..most; a value that is no number gives 0. */
static inline uint32_t reyes_i_to_integer(float value, uint32_t most)
{
	const double v = (double)value * most + 0.5;

	return v >= 1 ? v >= (double)most ? most : (uint32_t)v : 0;
}

#endif
