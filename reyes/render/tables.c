/* Tables of the hider that the host makes. */
#include "reyes/render/tables.h"
#include <stdlib.h>

enum { PIXELS = REYES_I_PERIOD * REYES_I_PERIOD };

/* A permutation of 0..n-1 by a fixed pseudo-random sequence (Fisher and Yates). */
static void shuffle(uint16_t *p, uint32_t n, uint32_t *state)
{
	for (uint32_t k = 0; k < n; k++)
		p[k] = (uint16_t)k;
	for (uint32_t k = n; k > 1; k--) {
		const uint32_t j = reyes_i_hash32(++*state) % k;
		const uint16_t v = p[k - 1];

		p[k - 1] = p[j];
		p[j] = v;
	}
}

static void make_orders(uint16_t *group_of, uint16_t *sample_of, uint32_t n)
{
	uint32_t state = 1;

	for (uint32_t k = 0; k < REYES_I_ORDERS; k++) {
		shuffle(group_of + k * n, n, &state);
		for (uint32_t s = 0; s < n; s++)
			sample_of[k * n + group_of[k * n + s]] = (uint16_t)s;
	}
}

/* Jittered positions: stratum k of n is floor((256 k + j) / n), j = 0 .. 255. */
static void make_places(const reyes_i_camera *c, uint16_t *places)
{
	const uint32_t nx = c->samples_x, ny = c->samples_y;

	for (uint32_t pixel = 0; pixel < PIXELS; pixel++)
		for (uint32_t s = 0; s < nx * ny; s++) {
			const uint32_t h = reyes_i_sample_hash(
				reyes_i_pixel_hash(pixel % REYES_I_PERIOD, pixel / REYES_I_PERIOD),
				s);
			const uint32_t jx = c->jitter ? h & 255u : 128u;
			const uint32_t jy = c->jitter ? h >> 8 & 255u : 128u;
			const uint32_t x = (s % nx * 256u + jx) / nx;
			const uint32_t y = (s / nx * 256u + jy) / ny;

			places[pixel * nx * ny + s] = (uint16_t)(x | y << 8);
		}
}

/* The range of lens positions of each group. The map from the square to the disk is one to one, so
 * the extremes are on the cell's rim. */
static void make_lens(uint16_t *cell, float *box, uint32_t nx, uint32_t ny)
{
	uint32_t state = 0x10000;

	shuffle(cell, nx * ny, &state);
	for (uint32_t g = 0; g < nx * ny; g++) {
		float *b = box + 4 * g;

		b[0] = b[2] = 2;
		b[1] = b[3] = -2;
		for (uint32_t k = 0; k < 4 * 64; k++) {
			const float f = (float)(k % 64) / 64;
			const float u = k < 64 ? f : k < 128 ? 1 : k < 192 ? 1 - f : 0;
			const float v = k < 64 ? 0 : k < 128 ? f : k < 192 ? 1 : 1 - f;
			float x, y;

			reyes_i_disk_place(((float)(cell[g] % nx) + u) / (float)nx,
				((float)(cell[g] / nx) + v) / (float)ny, &x, &y);
			b[0] = x < b[0] ? x : b[0];
			b[1] = x > b[1] ? x : b[1];
			b[2] = y < b[2] ? y : b[2];
			b[3] = y > b[3] ? y : b[3];
		}
		for (int k = 0; k < 4; k++) /* the rim bends between the 64 points of a side */
			b[k] += k & 1 ? 1e-3f : -1e-3f;
	}
}

static void make_weights(uint32_t kind, float width, int32_t range, float *w)
{
	for (int32_t k = 0; k < 2 * range; k++)
		w[k] = reyes_i_weight_1d(kind, ((float)(k - range) + 0.5f) / 256, width);
}

/* Returns nonzero if it was cancelled. */
static int make_totals(const reyes_i_camera *c, const reyes_i_pattern *p, const reyes_i_weights *w,
	float *inv_total, const atomic_int *cancelled)
{
	const int32_t mx = (int32_t)w->margin_x, my = (int32_t)w->margin_y;

	for (int32_t k = 0; k < PIXELS; k++) {
		const int32_t x = k % REYES_I_PERIOD, y = k / REYES_I_PERIOD;
		float total = 0;

		if (cancelled && atomic_load(cancelled))
			return 1;
		for (uint32_t s = 0; s < p->count; s++)
			for (int32_t oy = -my; oy <= my; oy++)
				for (int32_t ox = -mx; ox <= mx; ox++)
					total += reyes_i_tap_weight(p, c, w, x, y, ox, oy, s);
		inv_total[k] = total != 0 ? 1 / total : 0;
	}
	return 0;
}

enum reyes_i_tables_result reyes_i_tables_make(
	reyes_i_tables *t, const reyes_i_camera *c, const atomic_int *cancelled)
{
	const uint32_t nx = c->samples_x, ny = c->samples_y, n = nx * ny;
	const uint32_t mx = reyes_i_filter_margin(c, 0), my = reyes_i_filter_margin(c, 1);
	const int32_t rx = (int32_t)(mx * 256 + 128), ry = (int32_t)(my * 256 + 128);
	const size_t floats = (size_t)4 * n + 2 * (size_t)(rx + ry) + PIXELS;
	const size_t words = (2 * (size_t)REYES_I_ORDERS + PIXELS + 1) * n;
	float *box, *wx, *wy, *inv_total;
	uint16_t *group_of, *sample_of, *cell, *places;

	t->bytes = floats * sizeof(float) + words * sizeof(uint16_t);
	t->memory = malloc(t->bytes);
	if (!t->memory)
		return REYES_I_TABLES_NOMEM;
	box = t->memory;
	wx = box + (size_t)4 * n;
	wy = wx + 2 * rx;
	inv_total = wy + 2 * ry;
	group_of = (uint16_t *)(inv_total + PIXELS);
	sample_of = group_of + (size_t)REYES_I_ORDERS * n;
	cell = sample_of + (size_t)REYES_I_ORDERS * n;
	places = cell + n;
	make_places(c, places);
	make_orders(group_of, sample_of, n);
	make_lens(cell, box, nx, ny);
	make_weights(c->filter, c->filter_width[0], rx, wx);
	make_weights(c->filter, c->filter_width[1], ry, wy);
	t->pattern = (reyes_i_pattern){ nx, ny, n, 1 / (float)n, c->jitter, places, group_of,
		sample_of, cell, box };
	t->weights = (reyes_i_weights){ wx, wy, rx, ry, mx, my,
		c->filter == REYES_I_FILTER_CATMULL_ROM, inv_total };
	if (make_totals(c, &t->pattern, &t->weights, inv_total, cancelled)) {
		free(t->memory);
		t->memory = NULL;
		return REYES_I_TABLES_CANCELLED;
	}
	return REYES_I_TABLES_MADE;
}
