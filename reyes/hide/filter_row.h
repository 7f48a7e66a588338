/* The pixel filter of a row of pixels, for CPU threads: each sample is read once and added to all
 * pixels that it belongs to. Every pixel has the sum of reyes_i_filter_pixel, in its order. */
#ifndef REYES_HIDE_FILTER_ROW_H
#define REYES_HIDE_FILTER_ROW_H

#include <string.h>
#include "reyes/hide/filter.h"

/* Pixels of a call at most: their sums stay in the cache. */
#define REYES_I_FILTER_RUN 256

/* Pixels (x, y) to (x + n - 1, y), whose sums are collected. */
typedef struct reyes_i_filter_pixels {
	int32_t x, y, n;
	float sum[REYES_I_FILTER_RUN][4];
} reyes_i_filter_pixels;

/* Whether all bits of a colour are 0. Such a sample does not change a sum: weights are finite, and
 * a sum is never -0. */
LSCHED_FN int reyes_i_is_zero4(const reyes_i_rgba *p)
{
	uint64_t bits[2];

	memcpy(bits, p, sizeof(bits));
	return !(bits[0] | bits[1]);
}

/* Adds sample s of pixel (x, f->y + oy) to the sums of the pixels that it belongs to. */
LSCHED_FN void reyes_i_filter_spread(const reyes_i_camera *camera, const reyes_i_weights *w,
	const reyes_i_rgba *sample, uint32_t place, int32_t x, int32_t oy, reyes_i_filter_pixels *f)
{
	const int32_t mx = (int32_t)w->margin_x, at = x - f->x;
	const int32_t from = at - mx > 0 ? at - mx : 0;
	const int32_t to = at + mx < f->n - 1 ? at + mx : f->n - 1;
	const int32_t dx = at * 256 + (int32_t)(place & 255u) - 128;
	const int32_t dy = oy * 256 + (int32_t)(place >> 8) - 128;
	const float color[4] = { sample->r, sample->g, sample->b, sample->a };

	for (int32_t k = from; k <= to; k++) {
		const float weight = reyes_i_weight(camera, w, dx - k * 256, dy);

		for (int a = 0; a < 4; a++)
			f->sum[k][a] += color[a] * weight;
	}
}

/* Adds sample s of the pixels in the row f->y + oy. */
LSCHED_FN void reyes_i_filter_plane_row(const reyes_i_canvas *c, const reyes_i_camera *camera,
	const reyes_i_weights *w, const reyes_i_rgba *samples, uint32_t s, int32_t oy,
	reyes_i_filter_pixels *f)
{
	const int32_t mx = (int32_t)w->margin_x, end = f->x + f->n + mx;

	/* the samples of a row of a tile follow each other */
	for (int32_t x = f->x - mx, stop; x < end; x = stop) {
		const reyes_i_rgba *p = samples + reyes_i_sample_index(c, x, f->y + oy, s);

		stop = x + REYES_I_TILE - (x - c->x0) % REYES_I_TILE;
		stop = stop < end ? stop : end;
		for (int32_t k = x; k < stop; k++, p++)
			if (!reyes_i_is_zero4(p))
				reyes_i_filter_spread(camera, w, p,
					reyes_i_sample_place(&c->pattern, k, f->y + oy, s), k, oy,
					f);
	}
}

/* Filters the pixels of *f. samples: as the cells. A pixel gets its samples by sample number, row
 * and column, as in reyes_i_filter_pixel. */
LSCHED_FN void reyes_i_filter_run(const reyes_i_canvas *c, const reyes_i_camera *camera,
	const reyes_i_weights *w, const reyes_i_rgba *samples, reyes_i_filter_pixels *f)
{
	const int32_t my = (int32_t)w->margin_y;

	memset(f->sum, 0, (size_t)f->n * sizeof(f->sum[0]));
	for (uint32_t s = 0; s < c->pattern.count; s++)
		for (int32_t oy = -my; oy <= my; oy++)
			reyes_i_filter_plane_row(c, camera, w, samples, s, oy, f);
	for (int32_t k = 0; k < f->n; k++) {
		const float inv_total = reyes_i_inv_total(w, f->x + k, f->y);

		for (int a = 0; a < 4; a++)
			f->sum[k][a] *= inv_total;
	}
}

#endif
