/* Frames of YUY2, UYVY and P010 with random samples. */
#ifndef TESTS_H264INTRA_YUV_COMMON_H
#define TESTS_H264INTRA_YUV_COMMON_H

#include "tests/h264intra/encode_common.h"

static inline size_t yuv_pitch(uint32_t width, h264i_format format)
{
	return format == H264I_P010 ? 4 * ((width + 1) / 2) + 6 : 4 * ((width + 1) / 2) + 3;
}

static inline size_t yuv_bytes(uint32_t width, uint32_t height, h264i_format format)
{
	return yuv_pitch(width, format) * (format == H264I_P010 ? 2 * height + 1 : height);
}

/* A frame whose planes lie at `base`. */
static inline h264i_frame yuv_frame(
	uint8_t *base, uint32_t width, uint32_t height, h264i_format format)
{
	h264i_frame f;

	h264i_frame_init(&f);
	f.format = format;
	f.plane[0] = base;
	f.pitch_bytes[0] = f.pitch_bytes[1] = yuv_pitch(width, format);
	if (format == H264I_P010)
		f.plane[1] = base + height * f.pitch_bytes[0];
	return f;
}

static inline void yuv_fill(uint8_t *memory, size_t bytes, uint32_t seed)
{
	for (size_t i = 0; i < bytes; i++)
		memory[i] = (uint8_t)(test_hash((uint32_t)i + 65537 * seed) >> 13);
}

#endif
