/* The hider of surfaces that move during the shutter time, or that the lens blurs. Samples are
 * taken by groups (pattern.h): in the short interval of a group the micropolygon covers few pixels,
 * and each pixel has one sample in the group. */
#ifndef REYES_HIDE_HIDE_MOVING_H
#define REYES_HIDE_HIDE_MOVING_H

#include "reyes/hide/hide_static.h"

/* A micropolygon at both ends of a part of the shutter time. */
typedef struct reyes_i_moving {
	const reyes_i_camera *camera;
	float t0, t1;                    /* the part, in 0..1 of the shutter */
	float inv_length;                /* 1 / (t1 - t0); 0 if they are equal */
	uint32_t last;                   /* the part includes t1 */
	float x[2][4], y[2][4], z[2][4]; /* pixels */
} reyes_i_moving;

LSCHED_FN void reyes_i_moving_interval(reyes_i_moving *mv, float t0, float t1, uint32_t last)
{
	mv->t0 = t0;
	mv->t1 = t1;
	mv->inv_length = t1 > t0 ? 1 / (t1 - t0) : 0;
	mv->last = last;
}

/* Sets the part of the shutter between keys `part` and `part` + 1 of a primitive. The surface
 * stands still before the first key and after the last one. */
LSCHED_FN void reyes_i_moving_part(
	const reyes_i_view *v, const reyes_i_prim *prim, uint32_t part, reyes_i_moving *mv)
{
	const reyes_i_camera *c = &v->camera;
	const uint32_t keys = prim->key_count;
	const float *times = v->floats + prim->times;
	const float length = c->shutter_close - c->shutter_open;

	mv->camera = c;
	reyes_i_moving_interval(mv, part ? (times[part] - c->shutter_open) / length : 0,
		part + 2 < keys ? (times[part + 1] - c->shutter_open) / length : 1,
		part + 2 >= keys);
}

LSCHED_FN void reyes_i_quad_at(const reyes_i_moving *mv, float time, float lens_x, float lens_y,
	float x[4], float y[4], float z[4])
{
	const reyes_i_camera *c = mv->camera;
	const float b = (time - mv->t0) * mv->inv_length, a = 1 - b;

	for (int n = 0; n < 4; n++) {
		z[n] = mv->z[0][n] * a + mv->z[1][n] * b;
		x[n] = mv->x[0][n] * a + mv->x[1][n] * b;
		y[n] = mv->y[0][n] * a + mv->y[1][n] * b;
	}
	if (!(c->lens > 0))
		return;
	for (int n = 0; n < 4; n++) {
		const float blur = reyes_i_confusion(c, z[n] > 1e-6f ? z[n] : 1e-6f);

		x[n] += lens_x * blur * c->scale[0];
		y[n] += lens_y * blur * c->scale[1];
	}
}

/* Bounds of a micropolygon in a part of the shutter: boxes at both ends, whose interpolation
 * contains the micropolygon at each time, and the range of the confusion of its corners. They
 * reject most samples by few operations. */
typedef struct reyes_i_sweep {
	float lo[2][2], hi[2][2]; /* [end][x, y], pixels, with a margin for rims and rounding */
	float blur[2];            /* least and largest, camera units; 0: no lens */
} reyes_i_sweep;

LSCHED_FN void reyes_i_sweep_of(const reyes_i_moving *mv, int32_t grow, reyes_i_sweep *w)
{
	const reyes_i_camera *c = mv->camera;
	float far = 0, margin;

	w->blur[0] = c->lens > 0 ? 1e30f : 0;
	w->blur[1] = c->lens > 0 ? -1e30f : 0;
	LSCHED_UNROLL
	for (int e = 0; e < 2; e++) {
		float x0 = 1e30f, x1 = -1e30f, y0 = 1e30f, y1 = -1e30f;

		LSCHED_UNROLL
		for (int n = 0; n < 4; n++) {
			x0 = reyes_i_least(x0, mv->x[e][n]);
			x1 = reyes_i_most(x1, mv->x[e][n]);
			y0 = reyes_i_least(y0, mv->y[e][n]);
			y1 = reyes_i_most(y1, mv->y[e][n]);
			if (c->lens > 0) {
				const float z = mv->z[e][n] > 1e-6f ? mv->z[e][n] : 1e-6f;
				const float blur = reyes_i_confusion(c, z);

				w->blur[0] = reyes_i_least(w->blur[0], blur);
				w->blur[1] = reyes_i_most(w->blur[1], blur);
			}
		}
		w->lo[e][0] = x0;
		w->hi[e][0] = x1;
		w->lo[e][1] = y0;
		w->hi[e][1] = y1;
		far = reyes_i_most(far, reyes_i_most(reyes_i_abs(x0), reyes_i_abs(x1)));
		far = reyes_i_most(far, reyes_i_most(reyes_i_abs(y0), reyes_i_abs(y1)));
	}
	if (c->lens > 0)
		far += reyes_i_most(reyes_i_abs(w->blur[0]), reyes_i_abs(w->blur[1])) *
		       reyes_i_most(reyes_i_abs(c->scale[0]), reyes_i_abs(c->scale[1]));
	margin = (float)(grow + 2) * (1.0f / REYES_I_SUBPIXEL) + 1e-6f * far;
	LSCHED_UNROLL
	for (int k = 0; k < 4; k++) {
		w->lo[k >> 1][k & 1] -= margin;
		w->hi[k >> 1][k & 1] += margin;
	}
}

/* Whether the micropolygon may contain coordinate `at` on an axis, b of the way from the first end
 * to the second one. lens: the position on the lens, times the camera's scale. */
LSCHED_FN int reyes_i_sweep_has_axis(
	const reyes_i_sweep *w, int axis, float b, float lens, float at)
{
	const float a = 1 - b, low = lens * w->blur[0], high = lens * w->blur[1];
	const float lo = w->lo[0][axis] * a + w->lo[1][axis] * b;
	const float hi = w->hi[0][axis] * a + w->hi[1][axis] * b;

	const int above = at >= lo + reyes_i_least(low, high);
	const int below = at <= hi + reyes_i_most(low, high);

	return above & below; /* without a branch */
}

/* A sample of a group. */
typedef struct reyes_i_group_sample {
	uint32_t s;   /* its number in the pixel */
	int32_t x, y; /* 1/256 pixel */
	float time, lens_x, lens_y;
} reyes_i_group_sample;

/* Finds the sample of a group in a pixel. Returns 0 if its time is not in the shutter's part. */
LSCHED_FN int reyes_i_group_sample_of(const reyes_i_canvas *c, const reyes_i_moving *mv,
	uint32_t group, int32_t px, int32_t py, reyes_i_group_sample *g)
{
	const reyes_i_pattern *p = &c->pattern;
	const uint32_t pixel_hash = reyes_i_pixel_hash((uint32_t)px, (uint32_t)py);
	uint32_t hash, place;

	g->s = reyes_i_order_of(p->sample_of, p, pixel_hash)[group];
	hash = reyes_i_sample_hash(pixel_hash, g->s);
	g->time = reyes_i_sample_time(p, hash, group);
	if (g->time < mv->t0 || (g->time >= mv->t1 && !mv->last))
		return 0;
	g->lens_x = g->lens_y = 0;
	if (mv->camera->lens > 0)
		reyes_i_sample_lens(p, hash, group, &g->lens_x, &g->lens_y);
	place = reyes_i_sample_place(p, px, py, g->s);
	g->x = px * REYES_I_SUBPIXEL + (int32_t)(place & 255u);
	g->y = py * REYES_I_SUBPIXEL + (int32_t)(place >> 8);
	return 1;
}

/* Whether the micropolygon may cover a sample. */
LSCHED_FN int reyes_i_sweep_has(
	const reyes_i_sweep *w, const reyes_i_moving *mv, const reyes_i_group_sample *g)
{
	const float b = (g->time - mv->t0) * mv->inv_length, *scale = mv->camera->scale;

	return reyes_i_sweep_has_axis(
		       w, 0, b, g->lens_x * scale[0], (float)g->x * (1.0f / REYES_I_SUBPIXEL)) &
	       reyes_i_sweep_has_axis(
		       w, 1, b, g->lens_y * scale[1], (float)g->y * (1.0f / REYES_I_SUBPIXEL));
}

/* The least and the largest coordinate of a micropolygon on an axis for the samples of a group,
 * between b0 and b1 of the way. */
LSCHED_FN void reyes_i_sweep_range(const reyes_i_canvas *c, const reyes_i_moving *mv,
	const reyes_i_sweep *w, uint32_t group, int axis, float b0, float b1, float *lo, float *hi)
{
	const float *box = c->pattern.lens_box + 4 * group + 2 * axis;
	const float scale = mv->camera->scale[axis];

	*lo = reyes_i_least(w->lo[0][axis] * (1 - b0) + w->lo[1][axis] * b0,
		w->lo[0][axis] * (1 - b1) + w->lo[1][axis] * b1);
	*hi = reyes_i_most(w->hi[0][axis] * (1 - b0) + w->hi[1][axis] * b0,
		w->hi[0][axis] * (1 - b1) + w->hi[1][axis] * b1);
	if (mv->camera->lens > 0) {
		const float x0 = box[0] * scale, x1 = box[1] * scale;

		*lo += reyes_i_least(reyes_i_least(x0 * w->blur[0], x0 * w->blur[1]),
			reyes_i_least(x1 * w->blur[0], x1 * w->blur[1]));
		*hi += reyes_i_most(reyes_i_most(x0 * w->blur[0], x0 * w->blur[1]),
			reyes_i_most(x1 * w->blur[0], x1 * w->blur[1]));
	}
}

/* The part of the way that the samples of a group are in, b0 to b1. Returns 0 if there is none. */
LSCHED_FN int reyes_i_group_interval(
	const reyes_i_canvas *c, const reyes_i_moving *mv, uint32_t group, float *b0, float *b1)
{
	const float begin = (float)group * c->pattern.inv_count;
	const float end = (float)(group + 1) * c->pattern.inv_count;
	const float from = begin > mv->t0 ? begin : mv->t0, to = end < mv->t1 ? end : mv->t1;

	*b0 = (from - mv->t0) * mv->inv_length;
	*b1 = (to - mv->t0) * mv->inv_length;
	return !(to < from);
}

/* The pixels of a micropolygon for the samples of a group, between b0 and b1 of the way. */
LSCHED_FN reyes_i_pixels reyes_i_sweep_pixels(const reyes_i_canvas *c, const reyes_i_moving *mv,
	const reyes_i_sweep *w, uint32_t group, float b0, float b1)
{
	float x0, x1, y0, y1;

	reyes_i_sweep_range(c, mv, w, group, 0, b0, b1, &x0, &x1);
	reyes_i_sweep_range(c, mv, w, group, 1, b0, b1, &y0, &y1);
	return reyes_i_pixels_of(c, reyes_i_to_subpixel(x0), reyes_i_to_subpixel(x1),
		reyes_i_to_subpixel(y0), reyes_i_to_subpixel(y1));
}

/* The pixels of a micropolygon for the samples of a group. Returns 0 if there are none. */
LSCHED_FN int reyes_i_group_range(const reyes_i_canvas *c, const reyes_i_moving *mv,
	const reyes_i_sweep *w, uint32_t group, reyes_i_pixels *p)
{
	float b0, b1;

	if (!reyes_i_group_interval(c, mv, group, &b0, &b1))
		return 0;
	*p = reyes_i_sweep_pixels(c, mv, w, group, b0, b1);
	return p->x0 < p->x1 && p->y0 < p->y1;
}

/* Limits x and y, and sets the corners relative to a sample. Returns 0 if their box, with the rim's
 * growth, does not contain the sample. */
LSCHED_FN int reyes_i_quad_near(
	reyes_i_quad *q, float x[4], float y[4], int32_t sx, int32_t sy, int32_t grow)
{
	int32_t cx[4], cy[4];

	/* two loops: in one a compiler for CPUs would branch at the limits instead of computing
	 * elements side by side */
	for (int n = 0; n < 4; n++) {
		x[n] = reyes_i_limited(x[n]);
		y[n] = reyes_i_limited(y[n]);
	}
	for (int n = 0; n < 4; n++) {
		q->at[n].x = cx[n] = reyes_i_rounded(x[n]) - sx;
		q->at[n].y = cy[n] = reyes_i_rounded(y[n]) - sy;
	}
	return reyes_i_min4(cx) <= grow && reyes_i_max4(cx) >= -grow && reyes_i_min4(cy) <= grow &&
	       reyes_i_max4(cy) >= -grow;
}

/* Whether 32 bits are enough for the edge functions of corners around the origin. */
LSCHED_FN int reyes_i_quad_small(const reyes_i_quad *q)
{
	int32_t most = 0;

	for (int n = 0; n < 4; n++) {
		const int32_t x = q->at[n].x, y = q->at[n].y;

		most = x > most ? x : -x > most ? -x : most;
		most = y > most ? y : -y > most ? -y : most;
	}
	return most < REYES_I_SMALL / 2;
}

/* A sample of a group in pixel (px, py). grow: the largest growth of an edge. */
LSCHED_FN void reyes_i_hide_group_sample(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_moving *mv, reyes_i_quad *q, uint32_t m, const reyes_i_group_sample *g,
	int32_t px, int32_t py, int32_t grow)
{
	const uint64_t sample = reyes_i_sample_index(c, px, py, g->s);
	float x[4], y[4];

	reyes_i_quad_at(mv, g->time, g->lens_x, g->lens_y, x, y, q->z);
	if (!reyes_i_quad_near(q, x, y, g->x, g->y, grow))
		return;
	reyes_i_quad_measure(h, m, q);
	if (reyes_i_quad_small(q)) {
		reyes_i_triangle t[2];

		reyes_i_quad_triangles(q, t);
		reyes_i_hide_sample(c, h, q, t, m, sample, 0, 0);
	} else {
		reyes_i_triangle_large t[2];

		reyes_i_quad_triangles_large(q, t);
		reyes_i_hide_sample_large(c, h, q, t, m, sample, 0, 0);
	}
}

/* Returns the largest growth of an edge of micropolygon m, and fills q->grow and q->side. */
LSCHED_FN int32_t reyes_i_quad_most_growth(const reyes_i_hidden *h, uint32_t m, reyes_i_quad *q)
{
	int32_t grow = 0;

	reyes_i_quad_growth(h, m % h->nu, m / h->nu, q);
	for (int a = 0; a < 4; a++)
		grow = q->grow[a] > grow ? q->grow[a] : grow;
	return grow;
}

/* A micropolygon whose corners are in *mv, in samples of a group. */
LSCHED_FN void reyes_i_hide_group(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_moving *mv, const reyes_i_sweep *w, reyes_i_quad *q, uint32_t m,
	uint32_t group, int32_t grow)
{
	reyes_i_group_sample g;
	reyes_i_pixels p;

	if (!reyes_i_group_range(c, mv, w, group, &p))
		return;
	for (int32_t py = p.y0; py < p.y1; py++) {
		reyes_i_advance(h);
		for (int32_t px = p.x0; px < p.x1; px++)
			if (reyes_i_group_sample_of(c, mv, group, px, py, &g) &&
				reyes_i_sweep_has(w, mv, &g))
				reyes_i_hide_group_sample(c, h, mv, q, m, &g, px, py, grow);
	}
}

/* Fills the corners of micropolygon m of a grid: at keys 0 and 1 of the points, or both at key 0
 * for a surface that does not move. */
LSCHED_FN void reyes_i_moving_corners(const reyes_i_hidden *h, const reyes_i_points *g,
	uint32_t moves, uint32_t m, reyes_i_moving *mv)
{
	const uint32_t row = h->nu + 1, k = reyes_i_first_point(m, h->nu);
	const uint32_t corner[4] = { k, k + 1, k + row, k + row + 1 };

	for (int e = 0; e < 2; e++)
		for (int a = 0; a < 4; a++) {
			const uint32_t key = moves ? (uint32_t)e : 0;

			mv->x[e][a] = (float)g->x[key][corner[a]] * (1.0f / REYES_I_SUBPIXEL);
			mv->y[e][a] = (float)g->y[key][corner[a]] * (1.0f / REYES_I_SUBPIXEL);
			mv->z[e][a] = g->z[key][corner[a]];
		}
}

#endif
