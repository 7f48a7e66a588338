#include "h264intra/bitstream/nal.h"

#include <stdlib.h>
#include <string.h>

size_t h264i_i_nal_bytes_max(size_t rbsp_bytes)
{
	return 4 + 1 + rbsp_bytes + rbsp_bytes / 2 + 1;
}

/* 1 when none of the 8 bytes is 0: the borrow of byte - 1 shows in its top bit. */
static int no_zero_byte(uint64_t v)
{
	return ((v - 0x0101010101010101u) & ~v & 0x8080808080808080u) == 0;
}

size_t h264i_i_nal_write(uint8_t *out, size_t capacity, int long_start, int type,
	const uint8_t *rbsp, size_t rbsp_bytes)
{
	size_t o = 0, i = 0;
	unsigned zeros = 0; /* number of zero bytes at the end of the output */

	if (capacity < 5)
		return 0;
	if (long_start)
		out[o++] = 0;
	out[o++] = 0;
	out[o++] = 0;
	out[o++] = 1;
	out[o++] = h264i_nal_header(type);
	while (i < rbsp_bytes) {
		uint64_t eight;
		size_t escape;

		/* Most of a slice has no zero bytes: copy eight at once. */
		if (zeros < 2 && rbsp_bytes - i >= 8 && capacity - o >= 8) {
			memcpy(&eight, rbsp + i, 8);
			if (no_zero_byte(eight)) {
				memcpy(out + o, &eight, 8);
				i += 8;
				o += 8;
				zeros = 0;
				continue;
			}
		}
		/* emulation_prevention_three_byte, clause 7.4.1 */
		escape = zeros == 2 && rbsp[i] <= 3;
		if (capacity - o < 1 + escape)
			return 0;
		if (escape) {
			out[o++] = 3;
			zeros = 0;
		}
		zeros = rbsp[i] ? 0 : zeros + 1;
		out[o++] = rbsp[i++];
	}
	/* A NAL unit must not end in 00; an RBSP with trailing bits never does. */
	if (rbsp_bytes && rbsp[rbsp_bytes - 1] == 0) {
		if (o == capacity)
			return 0;
		out[o++] = 3;
	}
	return o;
}

int h264i_i_buf_reserve(h264i_buf *b, size_t more)
{
	size_t need, capacity;
	uint8_t *data;

	if (more > SIZE_MAX - b->bytes)
		return -1;
	need = b->bytes + more;
	if (need <= b->capacity)
		return 0;
	capacity = need < SIZE_MAX / 2 ? need + need / 2 : need;
	data = realloc(b->data, capacity);
	if (!data)
		return -1;
	b->data = data;
	b->capacity = capacity;
	return 0;
}

void h264i_i_buf_free(h264i_buf *b)
{
	free(b->data);
	b->data = NULL;
	b->bytes = b->capacity = 0;
}

int h264i_i_buf_nal(h264i_buf *b, int long_start, int type, const uint8_t *rbsp, size_t rbsp_bytes)
{
	if (h264i_i_buf_reserve(b, h264i_i_nal_bytes_max(rbsp_bytes)))
		return -1;
	b->bytes += h264i_i_nal_write(
		b->data + b->bytes, b->capacity - b->bytes, long_start, type, rbsp, rbsp_bytes);
	return 0;
}
