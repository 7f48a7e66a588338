#include "h264intra/bitstream/bits.h"

void h264i_i_bits_to_bytes(uint8_t *out, const uint32_t *word, size_t bytes)
{
	size_t i;

	for (i = 0; i + 4 <= bytes; i += 4) {
		uint32_t w = *word++;

		out[i] = (uint8_t)(w >> 24);
		out[i + 1] = (uint8_t)(w >> 16);
		out[i + 2] = (uint8_t)(w >> 8);
		out[i + 3] = (uint8_t)w;
	}
	for (; i < bytes; i++)
		out[i] = (uint8_t)(*word >> (24 - 8 * (i & 3)));
}
