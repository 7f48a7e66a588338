/* A byte buffer in which boxes are written. */
#include "h264intra/mp4/box.h"

#include <stdlib.h>
#include <string.h>

int h264i_i_mp4_reserve(mp4_buf *b, size_t more)
{
	size_t capacity = b->capacity;
	uint8_t *data;

	if (b->failed || more > SIZE_MAX / 4 || b->bytes > SIZE_MAX / 4) {
		b->failed = 1;
		return -1;
	}
	if (b->capacity - b->bytes >= more)
		return 0;
	capacity += capacity / 2;
	if (capacity < b->bytes + more)
		capacity = b->bytes + more + 256;
	data = realloc(b->data, capacity);
	if (!data) {
		b->failed = 1;
		return -1;
	}
	b->data = data;
	b->capacity = capacity;
	return 0;
}

void h264i_i_mp4_free(mp4_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

void h264i_i_mp4_put(mp4_buf *b, const void *data, size_t bytes)
{
	if (!bytes || h264i_i_mp4_reserve(b, bytes) != 0)
		return;
	memcpy(b->data + b->bytes, data, bytes);
	b->bytes += bytes;
}

void h264i_i_mp4_zeros(mp4_buf *b, size_t bytes)
{
	if (!bytes || h264i_i_mp4_reserve(b, bytes) != 0)
		return;
	memset(b->data + b->bytes, 0, bytes);
	b->bytes += bytes;
}

void h264i_i_mp4_u8(mp4_buf *b, uint32_t v)
{
	const uint8_t byte = (uint8_t)v;

	h264i_i_mp4_put(b, &byte, 1);
}

void h264i_i_mp4_u16(mp4_buf *b, uint32_t v)
{
	const uint8_t bytes[2] = { (uint8_t)(v >> 8), (uint8_t)v };

	h264i_i_mp4_put(b, bytes, sizeof(bytes));
}

void h264i_i_mp4_u32(mp4_buf *b, uint32_t v)
{
	h264i_i_mp4_zeros(b, 4);
	if (!b->failed)
		h264i_i_mp4_patch32(b, b->bytes - 4, v);
}

void h264i_i_mp4_u64(mp4_buf *b, uint64_t v)
{
	h264i_i_mp4_u32(b, (uint32_t)(v >> 32));
	h264i_i_mp4_u32(b, (uint32_t)v);
}

void h264i_i_mp4_type(mp4_buf *b, const char type[4])
{
	h264i_i_mp4_put(b, type, 4);
}

size_t h264i_i_mp4_begin(mp4_buf *b, const char type[4])
{
	const size_t begin = b->bytes;

	h264i_i_mp4_u32(b, 0);
	h264i_i_mp4_type(b, type);
	return begin;
}

void h264i_i_mp4_end(mp4_buf *b, size_t begin)
{
	if (!b->failed)
		h264i_i_mp4_patch32(b, begin, (uint32_t)(b->bytes - begin));
}

size_t h264i_i_mp4_begin_full(mp4_buf *b, const char type[4], uint32_t version, uint32_t flags)
{
	const size_t begin = h264i_i_mp4_begin(b, type);

	h264i_i_mp4_u32(b, version << 24 | flags);
	return begin;
}

void h264i_i_mp4_header(mp4_buf *b, const char type[4], uint64_t bytes)
{
	h264i_i_mp4_u32(b, bytes > UINT32_MAX ? 1 : (uint32_t)bytes);
	h264i_i_mp4_type(b, type);
	if (bytes > UINT32_MAX)
		h264i_i_mp4_u64(b, bytes);
}

unsigned h264i_i_mp4_header_bytes(uint64_t contents_bytes)
{
	return contents_bytes > UINT32_MAX - 8 ? 16 : 8;
}

void h264i_i_mp4_patch32(mp4_buf *b, size_t at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		b->data[at + (size_t)i] = (uint8_t)(v >> (24 - 8 * i));
}
