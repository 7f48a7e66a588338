/* Conversion of RGB frames to NV12 on the CPU: the specification of cuda/rgb.cuh. */
#include "h264intra/rgb/rgb.h"

#include <stdlib.h>

/* Luma coefficients of R and B, in units of 1/10000. */
static int luma_of(int matrix, double *kr, double *kb)
{
	switch (matrix) {
	case 1: /* BT.709 */
		*kr = 0.2126;
		*kb = 0.0722;
		return 0;
	case 5: /* BT.470 B, G and BT.601, 625 lines */
	case 6: /* BT.601, 525 lines */
		*kr = 0.299;
		*kb = 0.114;
		return 0;
	case 9: /* BT.2020, non-constant luminance */
		*kr = 0.2627;
		*kb = 0.0593;
		return 0;
	default:
		return -1;
	}
}

static int32_t rounded(double v)
{
	return (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
}

/* Weights of three pixels in one direction: on the pixel in the middle, or between it and the
 * next. */
static void set_weights(uint32_t w[3], int on_pixel)
{
	w[0] = on_pixel ? 1 : 0;
	w[1] = 2;
	w[2] = on_pixel ? 1 : 2;
}

int h264i_i_rgb_set_matrix(h264i_rgb_matrix *m, const h264i_vui *vui)
{
	int full = vui->full_range > 0, loc = vui->chroma_loc;
	double y = (full ? 255.0 : 219.0) / 65535 * (1 << H264I_RGB_SHIFT);
	double c = (full ? 255.0 : 224.0) / 65535 * (1 << H264I_RGB_SHIFT);
	double kr, kb;

	if (luma_of(vui->matrix, &kr, &kb) || loc < 0 || loc > 5)
		return -1;
	m->y[0] = rounded(y * kr);
	m->y[2] = rounded(y * kb);
	m->y[1] = rounded(y) - m->y[0] - m->y[2];
	m->cb[0] = rounded(c * -kr / (2 * (1 - kb)));
	m->cb[2] = rounded(c / 2);
	m->cb[1] = -m->cb[0] - m->cb[2];
	m->cr[0] = rounded(c / 2);
	m->cr[2] = rounded(c * -kb / (2 * (1 - kr)));
	m->cr[1] = -m->cr[0] - m->cr[2];
	m->y_add = ((full ? 0u : 16u) << H264I_RGB_SHIFT) + (1u << (H264I_RGB_SHIFT - 1));
	m->c_add = (128u << H264I_RGB_SHIFT) + (1u << (H264I_RGB_SHIFT - 1));
	/* chroma_sample_loc_type (clause E.2.1): 0 left, 1 centre, 2 top left, 3 top, 4 bottom
	 * left, 5 bottom. */
	set_weights(m->wx, loc % 2 == 0);
	set_weights(m->wy, loc >= 2);
	m->row_offset = loc >= 4;
	return 0;
}

uint32_t h264i_i_rgb_sample_bytes(h264i_sample sample)
{
	switch (sample) {
	case H264I_U8:
		return 1;
	case H264I_F32:
		return 4;
	case H264I_F64:
		return 8;
	default:
		return 2;
	}
}

h264i_rgb_scale h264i_i_rgb_scale(const h264i_frame *f)
{
	h264i_rgb_scale s = { 0.0f, f->rgb.sample == H264I_U16 ? 1.0f : 65535.0f };

	if (f->rgb.range == H264I_RGB_SIGNED) {
		s.offset = 1.0f;
		s.scale = 32767.5f;
	} else if (f->rgb.range == H264I_RGB_LIMITS) {
		s.offset = -f->rgb_black;
		s.scale = (float)(65535.0 / ((double)f->rgb_white - f->rgb_black));
	}
	return s;
}

/* Loads one component of a row as 16-bit values, with the stride as a constant where the compiler
 * can vectorise that. */
#define LOAD_ROW(type, expression)                                       \
	do {                                                             \
		for (uint32_t x = 0; x < width; x++) {                   \
			type v;                                          \
                                                                         \
			memcpy(&v, at + (int64_t)x * stride, sizeof(v)); \
			to[x] = (uint16_t)(expression);                  \
		}                                                        \
	} while (0)

static inline void load_samples(uint16_t *to, const uint8_t *at, int64_t stride, uint32_t width,
	h264i_sample sample, h264i_rgb_scale s)
{
	switch (sample) {
	case H264I_U8:
		LOAD_ROW(uint8_t, v * 257u);
		return;
	case H264I_F16:
		LOAD_ROW(uint16_t, h264i_rgb_level(h264i_rgb_float_of_half(v), s));
		return;
	case H264I_BF16:
		LOAD_ROW(uint16_t, h264i_rgb_level(h264i_rgb_float_of((uint32_t)v << 16), s));
		return;
	case H264I_F32:
		LOAD_ROW(float, h264i_rgb_level(v, s));
		return;
	case H264I_U16:
		LOAD_ROW(uint16_t, h264i_rgb_level(v, s));
		return;
	case H264I_F64:
		LOAD_ROW(double, h264i_rgb_level((float)v, s));
		return;
	}
}

/* Rows of 16-bit samples, one pixel longer on both sides: the first and last are repeated. */
typedef struct sample_rows {
	uint16_t *at[3], *alpha; /* alpha: of the row that is loaded */
	uint32_t row;            /* of the frame */
} sample_rows;

static void load_plane(
	uint16_t *to, const h264i_frame *f, const uint8_t *plane, uint32_t width, uint32_t row)
{
	const h264i_rgb *rgb = &f->rgb;
	int64_t stride = rgb->pixel_stride, size = h264i_i_rgb_sample_bytes(rgb->sample);
	const uint8_t *at = plane + (int64_t)row * rgb->row_stride;

	if (stride == size)
		load_samples(to, at, size, width, rgb->sample, h264i_i_rgb_scale(f));
	else
		load_samples(to, at, stride, width, rgb->sample, h264i_i_rgb_scale(f));
}

static void load_row(sample_rows *s, const h264i_frame *f, uint32_t width, uint32_t row)
{
	s->row = row;
	if (f->alpha)
		load_plane(s->alpha, f, f->alpha, width, row);
	for (int k = 0; k < 3; k++) {
		uint16_t *to = s->at[k] + 1;

		load_plane(to, f, f->plane[k], width, row);
		for (uint32_t x = 0; f->alpha && x < width; x++)
			to[x] = (uint16_t)h264i_rgb_blend(to[x], s->alpha[x], f->background[k]);
		to[-1] = to[0];
		to[width] = to[width - 1];
		to[width + 1] = to[width - 1];
	}
}

static void write_luma(
	const h264i_rgb_matrix *m, const sample_rows *s, uint32_t width, uint8_t *restrict out)
{
	const uint16_t *r = s->at[0] + 1, *g = s->at[1] + 1, *b = s->at[2] + 1;

	for (uint32_t x = 0; x < width; x++)
		out[x] = h264i_rgb_y(m, r[x], g[x], b[x]);
}

/* Writes a row of chroma of three rows of pixels. `centre` is 1 if the weights are those of
 * chroma_loc 1; then 4 of the 9 pixels are read. */
static inline void chroma_of(const h264i_rgb_matrix *m, const sample_rows *const rows[3],
	uint32_t width, uint8_t *restrict out, int centre)
{
	for (uint32_t x = 0; x < (width + 1) / 2; x++) {
		uint32_t mean[3];

		for (int k = 0; k < 3; k++) {
			uint32_t sum = 0;

			/* at[k][0] is pixel -1 */
			for (int j = centre; j < 3; j++) {
				const uint16_t *p = rows[j]->at[k] + 2 * x;

				sum += centre ? 4u * (p[1] + p[2])
					      : m->wy[j] * (m->wx[0] * p[0] + m->wx[1] * p[1] +
								   m->wx[2] * p[2]);
			}
			mean[k] = h264i_rgb_mean(sum);
		}
		out[2 * x] = h264i_rgb_c(m, m->cb, mean[0], mean[1], mean[2]);
		out[2 * x + 1] = h264i_rgb_c(m, m->cr, mean[0], mean[1], mean[2]);
	}
}

static void write_chroma(
	const h264i_rgb_matrix *m, const sample_rows *const rows[3], uint32_t width, uint8_t *out)
{
	if (m->wx[0] || m->wy[0] || m->row_offset)
		chroma_of(m, rows, width, out, 0);
	else
		chroma_of(m, rows, width, out, 1);
}

/* Returns the cached row of the frame, loading it if it is not there. Rows beyond the frame repeat
 * its first and last. The cache has a row for each residue modulo 4, which four consecutive rows do
 * not share. */
static const sample_rows *get_row(
	sample_rows cache[4], const h264i_frame *f, uint32_t width, uint32_t height, int64_t row)
{
	uint32_t at = row < 0 ? 0 : row < (int64_t)height ? (uint32_t)row : height - 1;
	sample_rows *s = &cache[at % 4];

	if (s->row != at)
		load_row(s, f, width, at);
	return s;
}

int h264i_i_rgb_to_nv12(const h264i_rgb_matrix *m, const h264i_frame *f, uint32_t width,
	uint32_t height, uint8_t *y, size_t y_pitch, uint8_t *c, size_t c_pitch)
{
	size_t samples = (size_t)width + 3;
	uint16_t *memory = malloc((4 * 3 + 1) * samples * sizeof(*memory));
	sample_rows cache[4];

	if (!memory)
		return -1;
	for (int i = 0; i < 4; i++) {
		cache[i].row = UINT32_MAX;
		for (int k = 0; k < 3; k++)
			cache[i].at[k] = memory + (size_t)(3 * i + k) * samples;
		cache[i].alpha = memory + 4 * 3 * samples;
	}
	for (uint32_t i = 0; i < height; i += 2) {
		const sample_rows *rows[3];

		for (uint32_t j = i; j < i + 2 && j < height; j++)
			write_luma(m, get_row(cache, f, width, height, j), width, y + j * y_pitch);
		for (int j = 0; j < 3; j++)
			rows[j] = get_row(
				cache, f, width, height, (int64_t)i - 1 + m->row_offset + j);
		write_chroma(m, rows, width, c + (size_t)(i / 2) * c_pitch);
	}
	free(memory);
	return 0;
}
