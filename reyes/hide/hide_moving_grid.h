/* The hider of hide_moving.h for all micropolygons of a grid together, for CPU threads: the samples
 * of a group are made once for all micropolygons, in arrays whose elements are computed side by
 * side. The samples that are covered, and their values, are those of reyes_i_hide_group. */
#ifndef REYES_HIDE_HIDE_MOVING_GRID_H
#define REYES_HIDE_HIDE_MOVING_GRID_H

#include "reyes/hide/hide_moving.h"

/* Sides of a block of pixels whose samples are made together. */
#define REYES_I_BLOCK         32
#define REYES_I_BLOCK_SAMPLES (REYES_I_BLOCK * REYES_I_BLOCK)
/* Samples that are tested side by side. */
#define REYES_I_SIDE_BY_SIDE 4
#define REYES_I_BLOCK_ROOM   (REYES_I_BLOCK_SAMPLES + REYES_I_SIDE_BY_SIDE)

/* The samples of a group in a block of pixels, row by row. */
typedef struct reyes_i_block {
	reyes_i_pixels at;
	int32_t wide;                   /* at.x1 - at.x0 */
	uint16_t s[REYES_I_BLOCK_ROOM]; /* as reyes_i_group_sample, also the following */
	int32_t x[REYES_I_BLOCK_ROOM], y[REYES_I_BLOCK_ROOM];
	float time[REYES_I_BLOCK_ROOM]; /* NaN: not in the part of the shutter */
	float lens_x[REYES_I_BLOCK_ROOM], lens_y[REYES_I_BLOCK_ROOM];
} reyes_i_block;

/* A micropolygon and the number in the block of a sample that it may cover. */
typedef struct reyes_i_candidate {
	uint16_t m, k;
} reyes_i_candidate;

#define REYES_I_CANDIDATES 512

/* The micropolygons of a grid in a part of the shutter. */
typedef struct reyes_i_moving_grid {
	uint32_t count;
	reyes_i_moving moving[REYES_I_GRID_QUADS];
	reyes_i_quad quad[REYES_I_GRID_QUADS]; /* side and growth are set */
	int32_t grow[REYES_I_GRID_QUADS];      /* the largest growth of an edge */
	/* their reyes_i_sweep: [2 end + axis] */
	float lo[4][REYES_I_GRID_QUADS], hi[4][REYES_I_GRID_QUADS];
	float blur[2][REYES_I_GRID_QUADS];
	/* pixels for the samples of the current group: from <= x < to */
	int32_t from[2][REYES_I_GRID_QUADS], to[2][REYES_I_GRID_QUADS]; /* [axis] */
	reyes_i_block block;
	reyes_i_candidate candidate[REYES_I_CANDIDATES];
} reyes_i_moving_grid;

/* Reads the sweep of micropolygon m. */
LSCHED_FN void reyes_i_moving_sweep(const reyes_i_moving_grid *g, uint32_t m, reyes_i_sweep *w)
{
	for (int k = 0; k < 4; k++) {
		w->lo[k >> 1][k & 1] = g->lo[k][m];
		w->hi[k >> 1][k & 1] = g->hi[k][m];
	}
	w->blur[0] = g->blur[0][m];
	w->blur[1] = g->blur[1][m];
}

/* Loads the micropolygons of a grid in the part of the shutter of mv, whose ends are keys 0 and 1
 * of the points (both 0 for a surface that does not move). */
LSCHED_FN void reyes_i_moving_load(const reyes_i_hidden *h, const reyes_i_points *points,
	uint32_t moves, const reyes_i_moving *mv, reyes_i_moving_grid *g)
{
	g->count = h->nu * h->nv;
	for (uint32_t m = 0; m < g->count; m++) {
		reyes_i_sweep w;

		g->moving[m] = *mv;
		reyes_i_moving_corners(h, points, moves, m, g->moving + m);
		g->grow[m] = reyes_i_quad_most_growth(h, m, g->quad + m);
		reyes_i_sweep_of(g->moving + m, g->grow[m], &w);
		for (int k = 0; k < 4; k++) {
			g->lo[k][m] = w.lo[k >> 1][k & 1];
			g->hi[k][m] = w.hi[k >> 1][k & 1];
		}
		g->blur[0][m] = w.blur[0];
		g->blur[1][m] = w.blur[1];
	}
}

/* Rounds n coordinates to pixels, in two loops: in one the compiler would branch at the limits
 * instead of computing elements side by side. */
LSCHED_FN void reyes_i_pixels_at(float *at, uint32_t n, int32_t *pixel)
{
	for (uint32_t m = 0; m < n; m++)
		at[m] = reyes_i_limited(at[m]);
	for (uint32_t m = 0; m < n; m++)
		pixel[m] = reyes_i_rounded(at[m]) >> 8;
}

/* Finds the pixels of each micropolygon on an axis for the samples of a group, between b0 and b1 of
 * the way: those of reyes_i_sweep_pixels. first, end: of the canvas. */
REYES_I_LOOP_FN void reyes_i_moving_ranges(const reyes_i_canvas *c, const reyes_i_moving *mv,
	uint32_t group, float b0, float b1, int axis, int32_t first, int32_t end,
	reyes_i_moving_grid *g)
{
	float lo[REYES_I_GRID_QUADS], hi[REYES_I_GRID_QUADS];
	int32_t *from = g->from[axis], *to = g->to[axis];

	for (uint32_t m = 0; m < g->count; m++) {
		reyes_i_sweep w;

		reyes_i_moving_sweep(g, m, &w);
		reyes_i_sweep_range(c, mv, &w, group, axis, b0, b1, lo + m, hi + m);
	}
	reyes_i_pixels_at(lo, g->count, from);
	reyes_i_pixels_at(hi, g->count, to);
	for (uint32_t m = 0; m < g->count; m++) {
		from[m] = from[m] > first ? from[m] : first;
		to[m] = to[m] + 1 < end ? to[m] + 1 : end;
	}
}

/* Makes the samples of a group in the pixels b->at. */
REYES_I_LOOP_FN void reyes_i_block_fill(
	const reyes_i_canvas *c, const reyes_i_moving *mv, uint32_t group, reyes_i_block *b)
{
	uint32_t k = 0;

	b->wide = b->at.x1 - b->at.x0;
	for (int32_t y = b->at.y0; y < b->at.y1; y++)
		for (int32_t x = b->at.x0; x < b->at.x1; x++, k++) {
			reyes_i_group_sample g = { 0, 0, 0, 0, 0, 0 };
			const int is = reyes_i_group_sample_of(c, mv, group, x, y, &g);

			b->s[k] = (uint16_t)g.s;
			b->x[k] = g.x;
			b->y[k] = g.y;
			b->time[k] = is ? g.time : NAN;
			b->lens_x[k] = g.lens_x;
			b->lens_y[k] = g.lens_y;
		}
}

/* Tests samples first .. first + REYES_I_SIDE_BY_SIDE - 1 of the block as reyes_i_sweep_has does.
 * The loop has no memory accesses but those of the arrays: then the compiler computes its elements
 * side by side. lens: 0 if there is none. */
REYES_I_LOOP_FN void reyes_i_block_may(const reyes_i_block *b, int32_t first,
	const reyes_i_moving *mv, const reyes_i_sweep *sweep, int lens,
	int32_t may[REYES_I_SIDE_BY_SIDE])
{
	const float t0 = mv->t0, inv_length = mv->inv_length;
	const float scale_x = mv->camera->scale[0], scale_y = mv->camera->scale[1];
	const float *time = b->time + first, *lens_x = b->lens_x + first,
		    *lens_y = b->lens_y + first;
	const int32_t *x = b->x + first, *y = b->y + first;
	int32_t is[REYES_I_SIDE_BY_SIDE];
	reyes_i_sweep w = *sweep;

	if (!lens)
		w.blur[0] = w.blur[1] = 0;
	for (int k = 0; k < REYES_I_SIDE_BY_SIDE; k++) {
		const float at = (time[k] - t0) * inv_length;
		const float lx = lens ? lens_x[k] * scale_x : 0,
			    ly = lens ? lens_y[k] * scale_y : 0;

		is[k] = reyes_i_sweep_has_axis(
				&w, 0, at, lx, (float)x[k] * (1.0f / REYES_I_SUBPIXEL)) &
			reyes_i_sweep_has_axis(
				&w, 1, at, ly, (float)y[k] * (1.0f / REYES_I_SUBPIXEL));
	}
	memcpy(may, is, sizeof(is));
}

/* The edge from a corner to the next one, as seen from a sample at the origin. */
typedef struct reyes_i_seen_edge {
	int64_t cross; /* twice the area of the triangle with the sample */
	int32_t dx, dy;
} reyes_i_seen_edge;

/* Returns the edge between two corners, which are relative to the sample. */
LSCHED_FN reyes_i_seen_edge reyes_i_see_edge(reyes_i_corner from, reyes_i_corner to)
{
	reyes_i_seen_edge e;

	e.cross = (int64_t)from.x * to.y - (int64_t)from.y * to.x;
	e.dx = from.x - to.x;
	e.dy = from.y - to.y;
	return e;
}

/* Whether edges have the origin on different sides: then it is outside of their triangle. */
LSCHED_FN int reyes_i_around(const reyes_i_seen_edge edge[3])
{
	const int64_t a = edge[0].cross, b = edge[1].cross, d = edge[2].cross;

	return ((a | b | d) & (-a | -b | -d)) < 0;
}

/* Tests the sample at the origin against a triangle of these edges, as reyes_i_pair_hit does.
 * grow[k]: growth of edge k. */
LSCHED_FN int reyes_i_seen_triangle(
	const reyes_i_seen_edge edge[3], const int32_t grow[3], int32_t side, reyes_i_hit *hit)
{
	const int64_t area = edge[0].cross + edge[1].cross + edge[2].cross;
	const int64_t sign = area > 0 ? 1 : -1;
	int64_t e[3], outside = 0, rim = 0;
	float inv_area;

	for (int k = 0; k < 3; k++) {
		const int32_t dx = area > 0 ? edge[k].dx : -edge[k].dx;
		const int32_t dy = area > 0 ? edge[k].dy : -edge[k].dy;

		e[k] = sign * edge[k].cross - !((dy > 0) | ((dy == 0) & (dx > 0)));
		rim |= e[k];
		outside |= grow[k] ? e[k] + (int64_t)grow[k] * reyes_i_long(dx, dy) : e[k];
	}
	if (outside < 0 || area == 0 || (side != 0 && (area > 0) != (side > 0)))
		return 0;
	inv_area = 1.0f / (float)(sign * area);
	hit->flags = (area > 0 ? REYES_I_HIT_POSITIVE : 0) | (rim < 0);
	for (int k = 0; k < 3; k++)
		hit->w[k] = (float)e[k] * inv_area;
	return 1;
}

/* Tests the sample at the origin against a micropolygon, as reyes_i_hide_sample does with the
 * triangles of reyes_i_quad_triangles. */
LSCHED_FN int reyes_i_seen_quad(
	const reyes_i_corner at[4], const int32_t grow[4], int32_t side, reyes_i_hit *hit)
{
	const reyes_i_seen_edge back = reyes_i_see_edge(at[3], at[0]);
	const reyes_i_seen_edge there = { -back.cross, -back.dx, -back.dy };
	const reyes_i_seen_edge low[3] = { reyes_i_see_edge(at[1], at[3]), back,
		reyes_i_see_edge(at[0], at[1]) };
	const reyes_i_seen_edge high[3] = { reyes_i_see_edge(at[3], at[2]),
		reyes_i_see_edge(at[2], at[0]), there };
	const int32_t grow_low[3] = { grow[1], 0, grow[2] };
	const int32_t grow_high[3] = { grow[3], grow[0], 0 };

	if (!(grow[0] | grow[1] | grow[2] | grow[3]) && reyes_i_around(low) && reyes_i_around(high))
		return 0;
	hit->high = 0;
	if (reyes_i_seen_triangle(low, grow_low, side, hit))
		return 1;
	hit->high = 1;
	return reyes_i_seen_triangle(high, grow_high, side, hit);
}

/* Tests a candidate as reyes_i_hide_group_sample does. */
REYES_I_LOOP_FN void reyes_i_hide_candidate(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_moving_grid *g, reyes_i_candidate of)
{
	const reyes_i_block *b = &g->block;
	const uint32_t m = of.m, k = of.k;
	const int32_t sx = b->x[k], sy = b->y[k];
	float x[4], y[4];
	reyes_i_quad q;
	reyes_i_hit hit;

	reyes_i_quad_at(g->moving + m, b->time[k], b->lens_x[k], b->lens_y[k], x, y, q.z);
	if (!reyes_i_quad_near(&q, x, y, sx, sy, g->grow[m]))
		return;
	reyes_i_quad_measure(h, m, &q);
	if (reyes_i_seen_quad(q.at, g->quad[m].grow, h->side, &hit))
		reyes_i_hide_hit(
			c, h, &q, &hit, m, reyes_i_sample_index(c, sx >> 8, sy >> 8, b->s[k]));
}

/* Tests all candidates of the list. */
LSCHED_FN void reyes_i_hide_candidates(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_moving_grid *g, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		reyes_i_hide_candidate(c, h, g, g->candidate[k]);
}

/* Adds the samples of the block that micropolygon m may cover to the list, which has `count`
 * candidates. Returns their number. */
REYES_I_LOOP_FN uint32_t reyes_i_find_candidates(const reyes_i_canvas *c, const reyes_i_hidden *h,
	reyes_i_moving_grid *g, uint32_t m, uint32_t count)
{
	const reyes_i_block *b = &g->block;
	const int32_t x0 = g->from[0][m] > b->at.x0 ? g->from[0][m] : b->at.x0;
	const int32_t x1 = g->to[0][m] < b->at.x1 ? g->to[0][m] : b->at.x1;
	const int32_t y0 = g->from[1][m] > b->at.y0 ? g->from[1][m] : b->at.y0;
	const int32_t y1 = g->to[1][m] < b->at.y1 ? g->to[1][m] : b->at.y1;
	const int32_t n = REYES_I_SIDE_BY_SIDE;
	const reyes_i_moving *mv = g->moving + m;
	reyes_i_sweep w;

	reyes_i_moving_sweep(g, m, &w);
	for (int32_t y = y0; y < y1; y++)
		for (int32_t x = x0; x < x1; x += n) {
			const int32_t first = (y - b->at.y0) * b->wide + x - b->at.x0;
			int32_t may[REYES_I_SIDE_BY_SIDE];

			if (mv->camera->lens > 0)
				reyes_i_block_may(b, first, mv, &w, 1, may);
			else
				reyes_i_block_may(b, first, mv, &w, 0, may);
			for (int32_t k = 0; k < n; k++) {
				g->candidate[count].m = (uint16_t)m;
				g->candidate[count].k = (uint16_t)(first + k);
				count += (uint32_t)(may[k] & (x + k < x1));
			}
			if (count > REYES_I_CANDIDATES - REYES_I_SIDE_BY_SIDE) {
				reyes_i_hide_candidates(c, h, g, count);
				count = 0;
			}
		}
	return count;
}

/* The pixels of all micropolygons for the current group. Returns the pixels of the micropolygons
 * added up. */
LSCHED_FN uint64_t reyes_i_moving_pixels(const reyes_i_moving_grid *g, reyes_i_pixels *p)
{
	const reyes_i_pixels none = { INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN };
	uint64_t sum = 0;

	*p = none;
	for (uint32_t m = 0; m < g->count; m++)
		if (g->from[0][m] < g->to[0][m] && g->from[1][m] < g->to[1][m]) {
			p->x0 = g->from[0][m] < p->x0 ? g->from[0][m] : p->x0;
			p->x1 = g->to[0][m] > p->x1 ? g->to[0][m] : p->x1;
			p->y0 = g->from[1][m] < p->y0 ? g->from[1][m] : p->y0;
			p->y1 = g->to[1][m] > p->y1 ? g->to[1][m] : p->y1;
			sum += (uint64_t)(g->to[0][m] - g->from[0][m]) *
			       (uint64_t)(g->to[1][m] - g->from[1][m]);
		}
	return sum;
}

/* The micropolygons in the samples of a group in the pixels *p, block by block. */
LSCHED_FN void reyes_i_hide_blocks(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_moving *mv, uint32_t group, const reyes_i_pixels *p, reyes_i_moving_grid *g)
{
	const int32_t side = REYES_I_BLOCK;
	reyes_i_pixels *at = &g->block.at;
	uint32_t count;

	for (int32_t y = p->y0; y < p->y1; y += side)
		for (int32_t x = p->x0; x < p->x1; x += side) {
			at->x0 = x;
			at->x1 = p->x1 - x < side ? p->x1 : x + side;
			at->y0 = y;
			at->y1 = p->y1 - y < side ? p->y1 : y + side;
			reyes_i_block_fill(c, mv, group, &g->block);
			reyes_i_advance(h);
			count = 0;
			for (uint32_t m = 0; m < g->count; m++)
				count = reyes_i_find_candidates(c, h, g, m, count);
			reyes_i_hide_candidates(c, h, g, count);
		}
}

/* The micropolygons of a grid in the part of the shutter of mv, whose ends are keys 0 and 1 of the
 * points (both 0 for a surface that does not move). */
LSCHED_FN void reyes_i_hide_moving_grid(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_moving *mv, const reyes_i_points *points, uint32_t moves,
	reyes_i_moving_grid *g)
{
	reyes_i_moving_load(h, points, moves, mv, g);
	for (uint32_t group = 0; group < c->pattern.count; group++) {
		reyes_i_pixels p;
		uint64_t each, all;
		float b0, b1;

		if (!reyes_i_group_interval(c, mv, group, &b0, &b1))
			continue;
		reyes_i_moving_ranges(c, mv, group, b0, b1, 0, c->x0, c->x0 + (int32_t)c->width, g);
		reyes_i_moving_ranges(
			c, mv, group, b0, b1, 1, c->y0, c->y0 + (int32_t)c->height, g);
		each = reyes_i_moving_pixels(g, &p);
		if (!each)
			continue;
		all = (uint64_t)(p.x1 - p.x0) * (uint64_t)(p.y1 - p.y0);
		if (all <= each) {
			reyes_i_hide_blocks(c, h, mv, group, &p, g);
			continue;
		}
		for (uint32_t m = 0; m < g->count; m++) {
			reyes_i_sweep w;

			reyes_i_moving_sweep(g, m, &w);
			reyes_i_hide_group(
				c, h, g->moving + m, &w, g->quad + m, m, group, g->grow[m]);
		}
	}
}

#endif
