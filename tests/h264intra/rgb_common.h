/* One picture in every layout and sample type of H264I_RGB. */
#ifndef TESTS_H264INTRA_RGB_COMMON_H
#define TESTS_H264INTRA_RGB_COMMON_H

#include "tests/h264intra/encode_common.h"

#include <math.h>

enum rgb_layout {
	RGB_INTERLEAVED, /* height, width, 3 */
	RGB_PLANES,      /* 3, height, width */
	RGB_BGRA,        /* height, width, 4 in the order B, G, R, unused */
	RGB_BOTTOM_UP,   /* interleaved, last row first, with a gap between the rows */
	RGB_EVERY_OTHER, /* every second pixel of planes of twice the width */
	RGB_LAYOUTS
};

enum { RGB_SAMPLES = 6, RGB_RANGES = 3 };
/* With H264I_RGB_LIMITS: exact in all sample types. */
enum { RGB_BLACK = 64, RGB_WHITE = RGB_BLACK + 255 };

/* Whether frames can have samples of this type with this range. */
static inline int rgb_has_range(h264i_sample sample, h264i_rgb_range range)
{
	return range == H264I_RGB_UNIT || (sample != H264I_U8 && sample != H264I_U16) ||
	       (sample == H264I_U16 && range == H264I_RGB_LIMITS);
}

/* 8-bit value of a component: smooth shapes and grain, so that chroma differs from pixel to
 * pixel. */
static inline uint8_t rgb_value(uint32_t k, uint32_t x, uint32_t y, uint32_t frame)
{
	return test_sample((x / 40 + y / 24) % 3 ? TEST_NATURAL : TEST_NOISE, x, y, 5 * frame + k);
}

/* The binary16 next to v, for 2^-14 <= |v| < 65504 and 0. */
static inline uint16_t rgb_half_of(double v)
{
	int exponent;
	double m = frexp(fabs(v), &exponent);
	uint32_t mantissa;

	if (v == 0)
		return 0;
	mantissa = (uint32_t)lrint(m * 2048); /* 1024..2048 */
	if (mantissa == 2048) {
		mantissa = 1024;
		exponent++;
	}
	return (uint16_t)((v < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | (mantissa - 1024));
}

static inline void rgb_store(uint8_t *at, uint8_t value, h264i_sample sample, h264i_rgb_range range)
{
	double exact = range == H264I_RGB_LIMITS   ? value + RGB_BLACK
		       : range == H264I_RGB_SIGNED ? value / 127.5 - 1
						   : value / 255.0;
	float v = (float)exact;
	uint32_t bits;
	uint16_t half;

	memcpy(&bits, &v, sizeof(bits));
	switch (sample) {
	case H264I_U8:
		*at = value;
		return;
	case H264I_F32:
		memcpy(at, &v, sizeof(v));
		return;
	case H264I_F64:
		memcpy(at, &exact, sizeof(exact));
		return;
	case H264I_U16:
		half = (uint16_t)(range == H264I_RGB_LIMITS ? exact : value * 257);
		break;
	case H264I_BF16:
		half = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
		break;
	default:
		half = rgb_half_of(v);
		break;
	}
	memcpy(at, &half, sizeof(half));
}

static inline size_t rgb_sample_bytes(h264i_sample sample)
{
	return sample == H264I_U8 ? 1 : sample == H264I_F32 ? 4 : sample == H264I_F64 ? 8 : 2;
}

/* Bytes of a frame. */
static inline size_t rgb_bytes(uint32_t width, uint32_t height, h264i_sample sample)
{
	return ((size_t)8 * width + 16) * height * rgb_sample_bytes(sample);
}

/* Sets planes and strides of a frame at `base`, without writing its samples. */
static inline h264i_frame rgb_frame(uint8_t *base, uint32_t width, uint32_t height,
	enum rgb_layout layout, h264i_sample sample, h264i_rgb_range range)
{
	int64_t size = (int64_t)rgb_sample_bytes(sample), w = width, h = height;
	int64_t pixel = 3, row = 3 * w, component = 1, first = 0;
	h264i_frame f;

	h264i_frame_init(&f);
	f.format = H264I_RGB;
	f.rgb.sample = sample;
	f.rgb.range = range;
	f.rgb_black = RGB_BLACK;
	f.rgb_white = RGB_WHITE;
	switch (layout) {
	case RGB_PLANES:
		pixel = 1;
		row = w;
		component = w * h;
		break;
	case RGB_BGRA:
		pixel = 4;
		row = 4 * w;
		component = -1;
		first = 2;
		break;
	case RGB_BOTTOM_UP:
		row = -(3 * w + 5);
		first = (h - 1) * (3 * w + 5);
		break;
	case RGB_EVERY_OTHER:
		pixel = 2;
		row = 2 * w;
		component = 2 * w * h;
		break;
	default:
		break;
	}
	f.rgb.pixel_stride = pixel * size;
	f.rgb.row_stride = row * size;
	for (int k = 0; k < 3; k++)
		f.plane[k] = base + (first + k * component) * size;
	return f;
}

/* Writes picture `n` in the layout of f, whose planes lie at `base` in host memory. */
static inline void rgb_fill(const h264i_frame *f, uint8_t *base, const uint8_t *device_base,
	uint32_t width, uint32_t height, uint32_t n)
{
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++)
				rgb_store(base + (f->plane[k] - device_base) +
						  y * f->rgb.row_stride + x * f->rgb.pixel_stride,
					rgb_value(k, x, y, n), f->rgb.sample, f->rgb.range);
}

#endif
