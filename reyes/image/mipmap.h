/* Levels of a texture: each texel is the mean of the area that it covers in the level before. */
#ifndef REYES_IMAGE_MIPMAP_H
#define REYES_IMAGE_MIPMAP_H

#include <stdint.h>

/* Size of the next level: half, rounded up, at least 1. */
static inline uint32_t reyes_i_half_size(uint32_t n)
{
	return n > 1 ? (n - 1) / 2 + 1 : 1;
}

/* Number of levels down to 1 x 1. */
uint32_t reyes_i_level_count(uint32_t width, uint32_t height);
/* Texels of all levels together. */
uint64_t reyes_i_level_texels(uint32_t width, uint32_t height, uint32_t levels);

/* Computes the level after `from`. A texel of an even size covers 2 x 2 texels; of an odd size n it
 * covers n / ((n + 1) / 2) texels along that axis, and those at its rim count with the part that
 * it covers. */
void reyes_i_next_level(
	float *to, const float *from, uint32_t width, uint32_t height, uint32_t channels);

#endif
