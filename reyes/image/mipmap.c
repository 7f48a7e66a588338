/* Levels of a texture by area-weighted means. */
#include <config.h>
#include "reyes/image/mipmap.h"

#include <string.h>

/* Texels of one axis that texel i of the next level covers, at most three, and their weights. */
typedef struct taps {
	uint32_t first, count;
	float weight[3];
} taps;

/* In units of 1 / half texels, texel j covers [j half, (j + 1) half) and texel i of the next level
 * [i n, (i + 1) n): all sums are exact integers. */
static taps find_taps(uint32_t i, uint32_t n, uint32_t half)
{
	const uint64_t low = (uint64_t)i * n, high = low + n;
	taps t;

	memset(&t, 0, sizeof(t));
	t.first = (uint32_t)(low / half);
	for (uint64_t j = t.first; j * half < high && t.count < 3; j++) {
		const uint64_t a = j * half > low ? j * half : low;
		const uint64_t b = (j + 1) * half < high ? (j + 1) * half : high;

		t.weight[t.count++] = (float)((double)(b - a) / (double)n);
	}
	return t;
}

uint32_t reyes_i_level_count(uint32_t width, uint32_t height)
{
	uint32_t count = 1;

	for (; width > 1 || height > 1; count++) {
		width = reyes_i_half_size(width);
		height = reyes_i_half_size(height);
	}
	return count;
}

uint64_t reyes_i_level_texels(uint32_t width, uint32_t height, uint32_t levels)
{
	uint64_t sum = 0;

	for (; levels > 0; levels--) {
		sum += (uint64_t)width * height;
		width = reyes_i_half_size(width);
		height = reyes_i_half_size(height);
	}
	return sum;
}

void reyes_i_next_level(
	float *to, const float *from, uint32_t width, uint32_t height, uint32_t channels)
{
	const uint32_t w = reyes_i_half_size(width), h = reyes_i_half_size(height);

	for (uint32_t y = 0; y < h; y++) {
		const taps ty = find_taps(y, height, h);

		for (uint32_t x = 0; x < w; x++) {
			const taps tx = find_taps(x, width, w);

			for (uint32_t c = 0; c < channels; c++) {
				double sum = 0;

				for (uint32_t j = 0; j < ty.count; j++)
					for (uint32_t i = 0; i < tx.count; i++)
						sum += (double)ty.weight[j] * (double)tx.weight[i] *
						       (double)from[((size_t)(ty.first + j) *
										    width +
									    tx.first + i) *
									    channels +
								    c];
				*to++ = (float)sum;
			}
		}
	}
}
