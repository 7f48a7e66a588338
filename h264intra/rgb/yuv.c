/* Conversion of packed 4:2:2 and of 10-bit 4:2:0 to NV12 on the CPU: the specification of
 * cuda/yuv.cuh. */
#include "h264intra/rgb/yuv.h"

#include "h264intra/rgb/rgb.h"

#include <string.h>

h264i_yuv h264i_i_yuv_of(h264i_format format, int chroma_loc)
{
	h264i_yuv v = { .ten = format == H264I_P010 };

	v.y_at = format == H264I_UYVY;
	v.cb_at = !v.y_at;
	v.cr_at = v.cb_at + 2;
	h264i_i_rgb_set_rows(chroma_loc, v.wy, &v.row_offset);
	return v;
}

static void write_ten(const uint8_t *at, uint32_t samples, uint8_t *restrict out)
{
	for (uint32_t i = 0; i < samples; i++) {
		uint16_t v;

		memcpy(&v, at + 2 * (size_t)i, sizeof(v));
		out[i] = h264i_yuv_of_ten(v);
	}
}

static void write_chroma(
	const h264i_yuv *v, const uint8_t *const row[3], uint32_t columns, uint8_t *restrict out)
{
	for (uint32_t x = 0; x < columns; x++) {
		const size_t b = 4 * (size_t)x + v->cb_at, r = 4 * (size_t)x + v->cr_at;

		out[2 * x] = h264i_yuv_mean(v, row[0][b], row[1][b], row[2][b]);
		out[2 * x + 1] = h264i_yuv_mean(v, row[0][r], row[1][r], row[2][r]);
	}
}

void h264i_i_yuv_to_nv12(const h264i_yuv *v, const h264i_frame *f, uint32_t width, uint32_t height,
	uint8_t *y, size_t y_pitch, uint8_t *c, size_t c_pitch)
{
	const uint32_t columns = (width + 1) / 2;
	const uint8_t *row[3];

	for (uint32_t i = 0; i < height; i++) {
		const uint8_t *from = f->plane[0] + i * f->pitch_bytes[0];
		uint8_t *restrict to = y + i * y_pitch;

		if (v->ten)
			write_ten(from, width, to);
		for (uint32_t x = 0; !v->ten && x < width; x++)
			to[x] = from[2 * (size_t)x + v->y_at];
	}
	for (uint32_t i = 0; i < (height + 1) / 2; i++, c += c_pitch) {
		for (uint32_t k = 0; !v->ten && k < 3; k++)
			row[k] = f->plane[0] + h264i_yuv_row(v, i, k, height) * f->pitch_bytes[0];
		if (v->ten)
			write_ten(f->plane[1] + i * f->pitch_bytes[1], 2 * columns, c);
		else
			write_chroma(v, row, columns, c);
	}
}
