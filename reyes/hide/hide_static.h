/* The hider of surfaces that do not move, seen through a pinhole. */
#ifndef REYES_HIDE_HIDE_STATIC_H
#define REYES_HIDE_HIDE_STATIC_H

#include "reyes/hide/micropolygon.h"

/* A range of pixels. */
typedef struct reyes_i_pixels {
	int32_t x0, x1, y0, y1; /* x0 <= x < x1 */
} reyes_i_pixels;

/* Returns the number of pixels of a range, at most UINT32_MAX: a canvas may have more. */
LSCHED_FN uint32_t reyes_i_pixel_count(const reyes_i_pixels *p)
{
	const uint64_t n = (uint64_t)(p->x1 - p->x0) * (uint64_t)(p->y1 - p->y0);

	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Pixels of the canvas that a box in 1/256 pixel touches; x0 >= x1 if none. */
LSCHED_FN reyes_i_pixels reyes_i_pixels_of(
	const reyes_i_canvas *c, int32_t x0, int32_t x1, int32_t y0, int32_t y1)
{
	reyes_i_pixels p;

	p.x0 = x0 >> 8 > c->x0 ? x0 >> 8 : c->x0;
	p.y0 = y0 >> 8 > c->y0 ? y0 >> 8 : c->y0;
	p.x1 = (x1 >> 8) + 1;
	p.y1 = (y1 >> 8) + 1;
	if (p.x1 > c->x0 + (int32_t)c->width)
		p.x1 = c->x0 + (int32_t)c->width;
	if (p.y1 > c->y0 + (int32_t)c->height)
		p.y1 = c->y0 + (int32_t)c->height;
	return p;
}

LSCHED_FN int32_t reyes_i_min4(const int32_t v[4])
{
	const int32_t a = v[0] < v[1] ? v[0] : v[1], b = v[2] < v[3] ? v[2] : v[3];

	return a < b ? a : b;
}

LSCHED_FN int32_t reyes_i_max4(const int32_t v[4])
{
	const int32_t a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];

	return a > b ? a : b;
}

/* First and last stratum that a range of raster coordinates can touch, n strata a pixel: sample
 * positions of stratum k in a pixel are floor((256 k + j) / n), j = 0 .. 255. */
LSCHED_FN int32_t reyes_i_first_stratum(int32_t from, int32_t n)
{
	return (from >> 8) * n + ((from & 255) * n >> 8);
}

LSCHED_FN int32_t reyes_i_last_stratum(int32_t to, int32_t n)
{
	return (to >> 8) * n + (((to & 255) * n + n - 1) >> 8);
}

/* A window of at most 8 x 8 strata: bit 8 row + column of a mask. */
typedef struct reyes_i_window {
	int32_t px, py;       /* pixel of its first stratum */
	uint32_t column, row; /* of that stratum in the pixel */
	uint32_t wide, high;
} reyes_i_window;

/* Largest extent of a triangle, with the pixels that its box touches, for the version with 32
 * bits: 2 * 20,000^2 and the growth are below 2^31. In 1/256 pixel. */
#define REYES_I_SMALL 20000

#include "reyes/hide/cover.h"
#define REYES_I_LARGE
#include "reyes/hide/cover.h"

/* The strata that a micropolygon touches, and its box with the rim's growth. */
typedef struct reyes_i_reach {
	int32_t sx0, sx1, sy0, sy1; /* the first and the last one */
	int32_t x0, x1, y0, y1;     /* 1/256 pixel; (x0, y0) is the origin of the corners */
} reyes_i_reach;

/* Sets the corners of a micropolygon: x and y in 1/256 pixel. Returns 0 if it touches no stratum of
 * the canvas. */
LSCHED_FN int reyes_i_reach_of(const reyes_i_canvas *c, const reyes_i_hidden *h, uint32_t m,
	const int32_t x[4], const int32_t y[4], reyes_i_quad *q, reyes_i_reach *r)
{
	const int32_t nx = (int32_t)c->pattern.nx, ny = (int32_t)c->pattern.ny;
	int32_t grow = 0;
	reyes_i_pixels p;

	reyes_i_quad_growth(h, m % h->nu, m / h->nu, q);
	LSCHED_UNROLL
	for (int n = 0; n < 4; n++)
		grow = q->grow[n] > grow ? q->grow[n] : grow;
	r->x0 = reyes_i_min4(x) - grow;
	r->x1 = reyes_i_max4(x) + grow;
	r->y0 = reyes_i_min4(y) - grow;
	r->y1 = reyes_i_max4(y) + grow;
	p = reyes_i_pixels_of(c, r->x0, r->x1, r->y0, r->y1);
	if (p.x0 >= p.x1 || p.y0 >= p.y1)
		return 0;
	LSCHED_UNROLL
	for (int n = 0; n < 4; n++) {
		q->at[n].x = x[n] - r->x0;
		q->at[n].y = y[n] - r->y0;
	}
	r->sx0 = reyes_i_first_stratum(r->x0 > p.x0 * 256 ? r->x0 : p.x0 * 256, nx);
	r->sy0 = reyes_i_first_stratum(r->y0 > p.y0 * 256 ? r->y0 : p.y0 * 256, ny);
	r->sx1 = reyes_i_last_stratum(r->x1 < p.x1 * 256 ? r->x1 : p.x1 * 256 - 1, nx);
	r->sy1 = reyes_i_last_stratum(r->y1 < p.y1 * 256 ? r->y1 : p.y1 * 256 - 1, ny);
	reyes_i_quad_measure(h, m, q);
	return 1;
}

/* The strata of a micropolygon. */
LSCHED_FN void reyes_i_hide_reach(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_quad *q, uint32_t m, const reyes_i_reach *r)
{
	if (r->x1 - r->x0 < REYES_I_SMALL - 256 && r->y1 - r->y0 < REYES_I_SMALL - 256)
		reyes_i_hide_box(c, h, q, m, r->sx0, r->sx1, r->sy0, r->sy1, r->x0, r->y0);
	else
		reyes_i_hide_box_large(c, h, q, m, r->sx0, r->sx1, r->sy0, r->sy1, r->x0, r->y0);
}

/* A micropolygon with its corners: x and y in 1/256 pixel. */
LSCHED_FN void reyes_i_hide_corners(const reyes_i_canvas *c, const reyes_i_hidden *h, uint32_t m,
	const int32_t x[4], const int32_t y[4], reyes_i_quad *q)
{
	reyes_i_reach r;

	if (reyes_i_reach_of(c, h, m, x, y, q, &r))
		reyes_i_hide_reach(c, h, q, m, &r);
}

#endif
