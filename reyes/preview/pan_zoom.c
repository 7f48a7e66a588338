/* Pan and zoom: places of pixels, and drawing. */
#include "reyes/preview/pan_zoom.h"

#include <math.h>

static const double scale_min = 1.0 / 64, scale_max = 256;
static const uint32_t around = 0x383838;

static void centre(
	reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, uint32_t width_px, uint32_t height_px)
{
	/* Whole numbers: at scale 1 pixels of picture and window coincide. */
	v->left = floor(((double)width_px - v->scale * p->width_px) / 2);
	v->top = floor(((double)height_px - v->scale * p->height_px) / 2);
}

void reyes_i_pan_zoom_fit(
	reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, uint32_t width_px, uint32_t height_px)
{
	const double x = p->width_px ? (double)width_px / p->width_px : 1;
	const double y = p->height_px ? (double)height_px / p->height_px : 1;

	v->scale = fmin(fmax(fmin(x, y), scale_min), scale_max);
	v->is_fit = 1;
	centre(v, p, width_px, height_px);
}

void reyes_i_pan_zoom_full(
	reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, uint32_t width_px, uint32_t height_px)
{
	v->scale = 1;
	v->is_fit = 0;
	centre(v, p, width_px, height_px);
}

void reyes_i_pan_zoom_by(reyes_i_pan_zoom *v, double factor, double x, double y)
{
	const double scale = fmin(fmax(v->scale * factor, scale_min), scale_max);

	v->left = x - (x - v->left) * (scale / v->scale);
	v->top = y - (y - v->top) * (scale / v->scale);
	v->scale = scale;
	v->is_fit = 0;
}

int reyes_i_pan_zoom_pixel(const reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, int x, int y,
	uint32_t *px, uint32_t *py)
{
	const double fx = floor((x + 0.5 - v->left) / v->scale);
	const double fy = floor((y + 0.5 - v->top) / v->scale);

	if (!(fx >= 0 && fy >= 0 && fx < p->width_px && fy < p->height_px))
		return 0;
	*px = (uint32_t)fx;
	*py = (uint32_t)fy;
	return 1;
}

/* First and last pixel of the picture, in one direction, that pixel i of the window covers.
 * Returns 0 if there is none. */
static int covered(double begin, double scale, uint32_t i, uint32_t count, uint32_t range[2])
{
	double first, last;

	if (scale >= 1) {
		first = last = floor((i + 0.5 - begin) / scale);
	} else {
		first = ceil((i - begin) / scale);
		last = ceil((i + 1.0 - begin) / scale) - 1;
	}
	if (!(last >= 0 && first < count))
		return 0;
	range[0] = first > 0 ? (uint32_t)first : 0;
	range[1] = last < count - 1 ? (uint32_t)last : count - 1;
	return range[0] <= range[1];
}

/* Mean of a rectangle of pixels. */
static uint32_t mean(const reyes_i_picture_rgb *p, const uint32_t x[2], const uint32_t y[2])
{
	const uint64_t count = (uint64_t)(x[1] - x[0] + 1) * (y[1] - y[0] + 1);
	uint64_t sum[3] = { 0, 0, 0 };

	for (uint32_t j = y[0]; j <= y[1]; j++) {
		const uint8_t *at = p->rgb + 3 * ((size_t)j * p->width_px + x[0]);

		for (uint32_t i = x[0]; i <= x[1]; i++, at += 3)
			for (int k = 0; k < 3; k++)
				sum[k] += at[k];
	}
	for (int k = 0; k < 3; k++)
		sum[k] = (sum[k] + count / 2) / count;
	return (uint32_t)(sum[0] << 16 | sum[1] << 8 | sum[2]);
}

void reyes_i_pan_zoom_draw(
	const reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, const reyes_i_window_pixels *to)
{
	for (uint32_t j = 0; j < to->height_px; j++) {
		uint32_t *row = to->xrgb + j * to->stride;
		uint32_t x[2], y[2];
		const int has_row = p->rgb && covered(v->top, v->scale, j, p->height_px, y);

		for (uint32_t i = 0; i < to->width_px; i++)
			row[i] = has_row && covered(v->left, v->scale, i, p->width_px, x)
					 ? mean(p, x, y)
					 : around;
	}
}
