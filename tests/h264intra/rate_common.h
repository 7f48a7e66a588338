/* Sizes of pictures, for the suites of rate control. */
#ifndef TESTS_H264INTRA_RATE_COMMON_H
#define TESTS_H264INTRA_RATE_COMMON_H

#include <stdint.h>

/* Buffer of a decoder, in bits. Returns the pictures that are not in it as a whole when they are
 * removed. */
static inline uint32_t late_pictures(
	const double *bits, uint32_t n, double fill, double size, double start)
{
	double level = start;
	uint32_t late = 0;

	for (uint32_t i = 0; i < n; i++) {
		late += bits[i] > level;
		level = level > bits[i] ? level - bits[i] : 0;
		level = level + fill < size ? level + fill : size;
	}
	return late;
}

static inline double mean_of(const double *bits, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t n = from; n < to; n++)
		sum += bits[n];
	return sum / (to - from);
}

#endif
