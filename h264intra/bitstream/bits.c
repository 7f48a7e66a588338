#include "h264intra/bitstream/bits.h"

/* 32 bits from bit `at` on; reads the second word only when bits of it are wanted. */
static uint32_t window(const uint32_t *word, uint32_t stride, uint64_t at, uint32_t want)
{
	const uint32_t *w = word + (size_t)(at >> 5) * stride;
	uint32_t skip = at & 31, v = w[0] << skip;

	if (skip + want > 32)
		v |= w[stride] >> (32 - skip);
	return v;
}

void h264i_bits_append(
	h264i_bits *b, const uint32_t *word, uint32_t stride, uint64_t first, uint64_t count)
{
	for (; count >= 32; count -= 32, first += 32)
		h264i_bits_put(b, window(word, stride, first, 32), 32);
	if (count)
		h264i_bits_put(b, window(word, stride, first, (uint32_t)count) >> (32 - count),
			(uint32_t)count);
}

void h264i_bits_to_bytes(uint8_t *out, const uint32_t *word, size_t bytes)
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
