/* The pixel filter (RI Specification 3.2, PixelFilter): the weighted mean of the samples within the
 * filter's width. Each pixel gathers its samples in a fixed order, so the sum is independent of the
 * schedule. Depth has a filter of its own over the pixel's samples. */
#ifndef REYES_HIDE_FILTER_H
#define REYES_HIDE_FILTER_H

#include "reyes/hide/resolve.h"
#include "reyes/split/raster.h"

#define REYES_I_PI 3.14159265358979f

LSCHED_FN float reyes_i_catmull_rom(float r)
{
	if (r >= 2)
		return 0;
	return r < 1 ? (3 * r * r * r - 5 * r * r + 2) * 0.5f
		     : (-r * r * r + 5 * r * r - 8 * r + 4) * 0.5f;
}

LSCHED_FN float reyes_i_sinc(float x)
{
	float s, c;

	if (x > -1e-4f && x < 1e-4f)
		return 1;
	reyes_i_sincos(x * REYES_I_PI, &s, &c);
	return s / (x * REYES_I_PI);
}

/* The weight of a sample at (x, y) from the pixel's centre, inside the filter's width. All filters
 * but Catmull-Rom are products of a function of x and one of y. Gaussian: exp(-2 x^2), with x in
 * half widths: host code makes a table of it, see reyes_i_weights. */
LSCHED_FN float reyes_i_weight_1d(uint32_t kind, float x, float width)
{
	const float half = 0.5f * width, a = x < 0 ? -x : x;
	float s, c;

	if (a > half)
		return 0;
	switch (kind) {
	case REYES_I_FILTER_TRIANGLE:
		return half - a;
	case REYES_I_FILTER_SINC:
		reyes_i_sincos(REYES_I_PI * a / width, &s, &c);
		return reyes_i_sinc(x) * c; /* a cosine window ends it smoothly */
	case REYES_I_FILTER_GAUSSIAN:
		return expf(-2 * (x / half) * (x / half));
	default:
		return 1;
	}
}

/* Weights by distance in 1/256 pixel: [-range, range) around the pixel's centre. */
typedef struct reyes_i_weights {
	const float *x, *y;       /* [2 range]; entry k is the distance k - range + 0.5 */
	int32_t range_x, range_y; /* 1/256 pixel: (margin + 1/2) pixels */
	uint32_t margin_x, margin_y;
	uint32_t radial; /* Catmull-Rom: weight by the distance from the centre */
	/* [REYES_I_PERIOD][REYES_I_PERIOD]: 1 / sum of the weights of a pixel; 0 if that is 0 */
	const float *inv_total;
} reyes_i_weights;

LSCHED_FN float reyes_i_weight(
	const reyes_i_camera *camera, const reyes_i_weights *w, int32_t dx, int32_t dy)
{
	if (w->radial) {
		const float x = ((float)dx + 0.5f) / 256, y = ((float)dy + 0.5f) / 256;

		if (2 * (x < 0 ? -x : x) > camera->filter_width[0] ||
			2 * (y < 0 ? -y : y) > camera->filter_width[1])
			return 0;
		return reyes_i_catmull_rom(sqrtf(x * x + y * y));
	}
	return w->x[dx + w->range_x] * w->y[dy + w->range_y];
}

/* The weight of sample s of the pixel that is (ox, oy) from pixel (x, y). */
LSCHED_FN float reyes_i_tap_weight(const reyes_i_pattern *p, const reyes_i_camera *camera,
	const reyes_i_weights *w, int32_t x, int32_t y, int32_t ox, int32_t oy, uint32_t s)
{
	const uint32_t place = reyes_i_sample_place(p, x + ox, y + oy, s);

	return reyes_i_weight(camera, w, ox * 256 + (int32_t)(place & 255u) - 128,
		oy * 256 + (int32_t)(place >> 8) - 128);
}

LSCHED_FN float reyes_i_inv_total(const reyes_i_weights *w, int32_t x, int32_t y)
{
	const uint32_t period = REYES_I_PERIOD - 1;

	return w->inv_total[((uint32_t)y & period) * REYES_I_PERIOD + ((uint32_t)x & period)];
}

/* Returns the filtered colour of pixel (x, y) of the picture. samples: as the cells. The order of
 * the sum, by sample number first, is part of the result. */
LSCHED_FN reyes_i_rgba reyes_i_filter_pixel(const reyes_i_canvas *c, const reyes_i_camera *camera,
	const reyes_i_weights *w, const reyes_i_rgba *samples, int32_t x, int32_t y)
{
	const int32_t mx = (int32_t)w->margin_x, my = (int32_t)w->margin_y;
	const float inv_total = reyes_i_inv_total(w, x, y);
	reyes_i_rgba sum = { 0, 0, 0, 0 };

	for (uint32_t s = 0; s < c->pattern.count; s++)
		for (int32_t oy = -my; oy <= my; oy++)
			for (int32_t ox = -mx; ox <= mx; ox++)
				sum = reyes_i_mix4(sum, 1,
					samples[reyes_i_sample_index(c, x + ox, y + oy, s)],
					reyes_i_tap_weight(
						&c->pattern, camera, w, x, y, ox, oy, s));
	return reyes_i_mix4(sum, inv_total, sum, 0);
}

/* Returns the depth of a pixel from those of its samples. "midpoint" is done where the samples are
 * resolved: their depths are then the means of the two nearest surfaces. */
LSCHED_FN float reyes_i_filter_depth(
	const reyes_i_canvas *c, const reyes_i_camera *camera, const float *z, int32_t x, int32_t y)
{
	float nearest = INFINITY, farthest = -INFINITY, sum = 0;

	for (uint32_t s = 0; s < c->pattern.count; s++) {
		const float d = z[reyes_i_sample_index(c, x, y, s)];

		nearest = d < nearest ? d : nearest;
		farthest = d > farthest ? d : farthest;
		sum += d;
	}
	return camera->depth_filter == REYES_I_DEPTH_MAX       ? farthest
	       : camera->depth_filter == REYES_I_DEPTH_AVERAGE ? sum * c->pattern.inv_count
							       : nearest;
}

#endif
