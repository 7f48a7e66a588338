/* The hider of hide_static.h with another order of the tests, for CPU threads: the samples of a row
 * of strata in a pixel are tested side by side, and what is covered is listed first. For the usual
 * 4 columns of strata and small micropolygons; others are left to reyes_i_hide_reach. */
#ifndef REYES_HIDE_HIDE_STATIC_ROWS_H
#define REYES_HIDE_HIDE_STATIC_ROWS_H

#include "reyes/hide/hide_static.h"

#define REYES_I_ROW  4  /* columns of strata of a pixel */
#define REYES_I_ROWS 16 /* rows that are tested before what they list is hidden */
/* Largest extent of a micropolygon, in 1/256 pixel: its edge functions are whole numbers below 2^24
 * then, which floats hold exactly. */
#define REYES_I_SMALL_ROWS 1024

/* Edge functions of two triangles: e = x a + y b + c, edges 0 to 2 of the first one, which has
 * precedence, then those of the second one. Each number is there for every column. */
typedef struct reyes_i_edges {
	float a[6][REYES_I_ROW], b[6][REYES_I_ROW], c[6][REYES_I_ROW];
} reyes_i_edges;

/* Fills the edges; a triangle that is not visible has edges that exclude all samples. */
LSCHED_FN void reyes_i_edges_of(const reyes_i_triangle t[2], reyes_i_edges *e)
{
	for (int j = 0; j < 6; j++) {
		const reyes_i_triangle *of = t + j / 3;
		const int seen = of->inv_area != 0;
		const float a = seen ? (float)of->a[j % 3] : 0, b = seen ? (float)of->b[j % 3] : 0;
		const float c = seen ? (float)of->c[j % 3] : -1;

		for (int k = 0; k < REYES_I_ROW; k++) {
			e->a[j][k] = a;
			e->b[j][k] = b;
			e->c[j][k] = c;
		}
	}
}

/* Samples of rows of strata. */
typedef struct reyes_i_rows {
	float x[REYES_I_ROWS * REYES_I_ROW], y[REYES_I_ROWS * REYES_I_ROW];
	/* 1: in the first triangle, 2: in the second one, 3: both */
	int32_t in[REYES_I_ROWS * REYES_I_ROW];
	uint8_t hits[REYES_I_ROWS * REYES_I_ROW + 1]; /* numbers of samples that are covered */
	/* of the rows: pixel, number of the first sample in it */
	int32_t px[REYES_I_ROWS], py[REYES_I_ROWS];
	uint32_t s[REYES_I_ROWS];
} reyes_i_rows;

/* Tests the samples of a row. place: theirs in the pixel, which begins at (left, top). The loop
 * accesses arrays only: then the compiler computes its elements side by side. */
LSCHED_FN void reyes_i_row_test(const uint16_t *place, int32_t left, int32_t top,
	const reyes_i_edges *e, float *to_x, float *to_y, int32_t *to_in)
{
	float x[REYES_I_ROW], y[REYES_I_ROW];
	int32_t in[REYES_I_ROW];

	for (int k = 0; k < REYES_I_ROW; k++) {
		x[k] = (float)(left + (place[k] & 255));
		y[k] = (float)(top + (place[k] >> 8));
		in[k] = ((x[k] * e->a[0][k] + y[k] * e->b[0][k] + e->c[0][k] >= 0) &
				(x[k] * e->a[1][k] + y[k] * e->b[1][k] + e->c[1][k] >= 0) &
				(x[k] * e->a[2][k] + y[k] * e->b[2][k] + e->c[2][k] >= 0)) |
			((x[k] * e->a[3][k] + y[k] * e->b[3][k] + e->c[3][k] >= 0) &
				(x[k] * e->a[4][k] + y[k] * e->b[4][k] + e->c[4][k] >= 0) &
				(x[k] * e->a[5][k] + y[k] * e->b[5][k] + e->c[5][k] >= 0))
				<< 1;
	}
	memcpy(to_x, x, sizeof(x));
	memcpy(to_y, y, sizeof(y));
	memcpy(to_in, in, sizeof(in));
}

/* Hides the samples that are listed. */
LSCHED_FN void reyes_i_hide_listed(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_quad *q, const reyes_i_triangle t[2], const reyes_i_edges *edges, uint32_t m,
	const reyes_i_rows *r, uint32_t count)
{
	const uint32_t fragments = reyes_i_makes_fragments(h);

	if (fragments && count)
		reyes_i_reserve_fragments(c, h->room, count);
	for (uint32_t n = 0; n < count; n++) {
		const uint32_t at = r->hits[n], row = at / REYES_I_ROW;
		const uint32_t s = r->s[row] + at % REYES_I_ROW, high = r->in[at] == 2;
		const reyes_i_triangle *of = t + high;
		reyes_i_hit hit;
		int rim = 0;

		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t j = 3 * high + k;
			const float e = r->x[at] * edges->a[j][0] + r->y[at] * edges->b[j][0] +
					edges->c[j][0] - (float)of->growth[k];

			rim |= e < 0;
			hit.w[k] = e * of->inv_area;
		}
		hit.high = high;
		hit.flags = of->positive | (uint32_t)rim;
		reyes_i_hide_hit(
			c, h, q, &hit, m, reyes_i_sample_index(c, r->px[row], r->py[row], s));
	}
	if (fragments && count)
		reyes_i_release_fragments(c, h->room);
}

/* The samples of a small micropolygon. */
LSCHED_FN void reyes_i_hide_rows(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_quad *q, uint32_t m, const reyes_i_reach *to)
{
	const reyes_i_pattern *p = &c->pattern;
	const uint32_t period = REYES_I_PERIOD - 1;
	reyes_i_triangle t[2];
	reyes_i_edges edges;
	reyes_i_rows r;
	uint32_t rows = 0, count = 0;

	reyes_i_quad_triangles(q, t);
	if (t[0].inv_area == 0 && t[1].inv_area == 0)
		return;
	reyes_i_edges_of(t, &edges);
	for (int32_t px = to->sx0 >> 2; px <= to->sx1 >> 2; px++) {
		int32_t wanted[REYES_I_ROW];

		for (int32_t k = 0; k < REYES_I_ROW; k++)
			wanted[k] = (px * REYES_I_ROW + k >= to->sx0) &
				    (px * REYES_I_ROW + k <= to->sx1);
		for (int32_t y = to->sy0; y <= to->sy1; y++) {
			const int32_t py = reyes_i_floor_over(y, (int32_t)p->ny);
			const uint32_t s = (uint32_t)(y - py * (int32_t)p->ny) * REYES_I_ROW;
			const uint32_t pixel =
				((uint32_t)py & period) * REYES_I_PERIOD + ((uint32_t)px & period);
			const uint32_t first = rows * REYES_I_ROW;

			reyes_i_row_test(p->places + pixel * p->count + s, px * 256 - to->x0,
				py * 256 - to->y0, &edges, r.x + first, r.y + first, r.in + first);
			for (uint32_t k = 0; k < REYES_I_ROW; k++) {
				r.hits[count] = (uint8_t)(first + k);
				count += (uint32_t)((r.in[first + k] != 0) & wanted[k]);
			}
			r.px[rows] = px;
			r.py[rows] = py;
			r.s[rows] = s;
			if (++rows == REYES_I_ROWS) {
				reyes_i_hide_listed(c, h, q, t, &edges, m, &r, count);
				rows = count = 0;
			}
		}
	}
	reyes_i_hide_listed(c, h, q, t, &edges, m, &r, count);
}

/* Micropolygon m of a grid. */
LSCHED_FN void reyes_i_hide_static(
	const reyes_i_canvas *c, const reyes_i_hidden *h, const reyes_i_points *g, uint32_t m)
{
	const uint32_t row = h->nu + 1, k = reyes_i_first_point(m, h->nu);
	const uint32_t corner[4] = { k, k + 1, k + row, k + row + 1 };
	int32_t x[4], y[4];
	reyes_i_reach r;
	reyes_i_quad q;

	for (int n = 0; n < 4; n++) {
		x[n] = g->x[0][corner[n]];
		y[n] = g->y[0][corner[n]];
		q.z[n] = g->z[0][corner[n]];
	}
	if (!reyes_i_reach_of(c, h, m, x, y, &q, &r))
		return;
	if (c->pattern.nx == REYES_I_ROW && r.x1 - r.x0 < REYES_I_SMALL_ROWS &&
		r.y1 - r.y0 < REYES_I_SMALL_ROWS)
		reyes_i_hide_rows(c, h, &q, m, &r);
	else
		reyes_i_hide_reach(c, h, &q, m, &r);
}

#endif
