/* Size of an item: a box in camera space, lengths in pixels and bend of its rim, from a lattice of
 * 5 x 5 points at each shutter key. */
#ifndef REYES_SPLIT_MEASURE_H
#define REYES_SPLIT_MEASURE_H

#include "reyes/geom/eval.h"
#include "reyes/split/item.h"
#include "reyes/split/raster.h"

#define REYES_I_SIDE    5 /* lattice points of a side */
#define REYES_I_LATTICE (REYES_I_SIDE * REYES_I_SIDE)

typedef struct reyes_i_measure {
	reyes_i_vec lo, hi;       /* box, camera space */
	float size_u, size_v;     /* longest row, longest column, camera space */
	float length_u, length_v; /* longest row, longest column, pixels; if in_front */
	float bend[4];            /* largest second difference along a rim of 4 chords, pixels:
				   * u low, u high, v low, v high */
	float travel; /* least path of the corners and the centre in the shutter time, pixels; if
		       * in_front */
	uint32_t in_front; /* the box is in front of the camera plane */
} reyes_i_measure;

/* The paths of the corners and the centre of a moving rectangle. */
typedef struct reyes_i_paths {
	reyes_i_xy last[REYES_I_SIDE];
	float length[REYES_I_SIDE];
} reyes_i_paths;

/* Extends *bend by the components of the second difference of three points. */
LSCHED_FN void reyes_i_bend3(reyes_i_vec a, reyes_i_vec b, reyes_i_vec c, reyes_i_vec *bend)
{
	bend->x = reyes_i_most(bend->x, reyes_i_abs(a.x - 2 * b.x + c.x));
	bend->y = reyes_i_most(bend->y, reyes_i_abs(a.y - 2 * b.y + c.y));
	bend->z = reyes_i_most(bend->z, reyes_i_abs(a.z - 2 * b.z + c.z));
}

/* Returns an upper bound of the length of the chords along 5 points. */
LSCHED_FN float reyes_i_extent(const reyes_i_vec *p, int step)
{
	float sum = 0;

	for (int i = 0; i < REYES_I_SIDE - 1; i++) {
		const reyes_i_vec d = reyes_i_sub3(p[(i + 1) * step], p[i * step]);

		sum += reyes_i_abs(d.x) + reyes_i_abs(d.y) + reyes_i_abs(d.z);
	}
	return sum;
}

/* Extends the box by the points, and *bend by their second differences. */
LSCHED_FN void reyes_i_measure_box(
	const reyes_i_vec p[REYES_I_LATTICE], reyes_i_measure *m, reyes_i_vec *bend)
{
	for (int k = 0; k < REYES_I_LATTICE; k++) {
		m->lo.x = reyes_i_least(m->lo.x, p[k].x);
		m->lo.y = reyes_i_least(m->lo.y, p[k].y);
		m->lo.z = reyes_i_least(m->lo.z, p[k].z);
		m->hi.x = reyes_i_most(m->hi.x, p[k].x);
		m->hi.y = reyes_i_most(m->hi.y, p[k].y);
		m->hi.z = reyes_i_most(m->hi.z, p[k].z);
	}
	for (int j = 0; j < REYES_I_SIDE; j++) {
		const reyes_i_vec *row = p + j * REYES_I_SIDE, *column = p + j;

		for (int i = 1; i < REYES_I_SIDE - 1; i++) {
			const int k = i * REYES_I_SIDE;

			reyes_i_bend3(row[i - 1], row[i], row[i + 1], bend);
			reyes_i_bend3(column[k - REYES_I_SIDE], column[k], column[k + REYES_I_SIDE],
				bend);
		}
		m->size_u = reyes_i_most(m->size_u, reyes_i_extent(row, 1));
		m->size_v = reyes_i_most(m->size_v, reyes_i_extent(column, REYES_I_SIDE));
	}
}

/* Sum of the chords along 5 points, and their largest second difference. */
LSCHED_FN float reyes_i_chords(const reyes_i_xy *p, int step, float *bend)
{
	float length = 0;

	for (int i = 0; i < REYES_I_SIDE - 1; i++) {
		const reyes_i_xy a = p[i * step], b = p[(i + 1) * step];

		length += reyes_i_distance(a, b);
		if (i > 0) {
			const reyes_i_xy z = p[(i - 1) * step];
			const float x = reyes_i_abs(z.x - 2 * a.x + b.x);
			const float y = reyes_i_abs(z.y - 2 * a.y + b.y);

			*bend = reyes_i_most(*bend, x + y);
		}
	}
	return length;
}

LSCHED_FN void reyes_i_measure_raster(
	const reyes_i_camera *c, const reyes_i_vec p[REYES_I_LATTICE], reyes_i_measure *m)
{
	reyes_i_xy r[REYES_I_LATTICE];

	/* as the hider has them: far outside of the picture, where floats have no fractions of a
	 * pixel, lengths would be those of the rounding */
	for (int k = 0; k < REYES_I_LATTICE; k++) {
		r[k] = reyes_i_project(c, p[k]);
		r[k].x = reyes_i_limited(r[k].x);
		r[k].y = reyes_i_limited(r[k].y);
	}
	for (int j = 0; j < REYES_I_SIDE; j++) {
		float bend_u = 0, bend_v = 0;

		m->length_u =
			reyes_i_most(m->length_u, reyes_i_chords(r + j * REYES_I_SIDE, 1, &bend_u));
		m->length_v =
			reyes_i_most(m->length_v, reyes_i_chords(r + j, REYES_I_SIDE, &bend_v));
		if (j == 0 || j == REYES_I_SIDE - 1) {
			const int high = j != 0;

			m->bend[high] = reyes_i_most(m->bend[high], bend_v);
			m->bend[2 + high] = reyes_i_most(m->bend[2 + high], bend_u);
		}
	}
}

/* Extends the paths by the lattice at a shutter key. */
LSCHED_FN void reyes_i_extend_paths(const reyes_i_camera *c, const reyes_i_vec p[REYES_I_LATTICE],
	uint32_t key, reyes_i_paths *paths)
{
	LSCHED_NO_UNROLL
	for (int k = 0; k < REYES_I_SIDE; k++) {
		const int corner = k & 1 ? REYES_I_SIDE - 1 : 0;
		const int row = k & 2 ? REYES_I_LATTICE - REYES_I_SIDE : 0;
		const reyes_i_xy at = reyes_i_project(
			c, p[k == REYES_I_SIDE - 1 ? REYES_I_LATTICE / 2 : row + corner]);

		paths->length[k] =
			key ? paths->length[k] + reyes_i_distance(paths->last[k], at) : 0;
		paths->last[k] = at;
	}
}

LSCHED_FN float reyes_i_least_path(const reyes_i_paths *paths)
{
	float least = paths->length[0];

	LSCHED_NO_UNROLL
	for (int k = 1; k < REYES_I_SIDE; k++)
		least = reyes_i_least(least, paths->length[k]);
	return least;
}

LSCHED_FN float reyes_i_lattice_step(float from, float to, int k)
{
	return k == REYES_I_SIDE - 1 ? to : from + (to - from) * (0.25f * (float)k);
}

/* The lattice of a bicubic patch. The points of a column share the sums over u; the bits are those
 * of reyes_i_eval. */
LSCHED_FN void reyes_i_lattice_bicubic(
	const float *g, const reyes_i_rect *r, reyes_i_vec p[REYES_I_LATTICE])
{
	LSCHED_NO_UNROLL
	for (int i = 0; i < REYES_I_SIDE; i++) {
		const reyes_i_cubic cu = reyes_i_cubic_at(reyes_i_lattice_step(r->u0, r->u1, i));
		reyes_i_vec q[4];

		LSCHED_UNROLL
		for (int j = 0; j < 4; j++) {
			const float *row = g + 12 * j;

			q[j] = reyes_i_cubic_point(&cu, reyes_i_load3(row), reyes_i_load3(row + 3),
				reyes_i_load3(row + 6), reyes_i_load3(row + 9));
		}
		LSCHED_NO_UNROLL
		for (int j = 0; j < REYES_I_SIDE; j++) {
			const reyes_i_cubic cv =
				reyes_i_cubic_at(reyes_i_lattice_step(r->v0, r->v1, j));

			p[j * REYES_I_SIDE + i] = reyes_i_cubic_point(&cv, q[0], q[1], q[2], q[3]);
		}
	}
}

LSCHED_FN void reyes_i_lattice(const reyes_i_view *view, const reyes_i_prim *prim,
	const reyes_i_rect *r, uint32_t key, reyes_i_vec p[REYES_I_LATTICE])
{
	if (prim->kind == REYES_I_BICUBIC) {
		reyes_i_lattice_bicubic(
			view->floats + prim->data + (size_t)key * prim->stride, r, p);
		return;
	}
	for (int j = 0; j < REYES_I_SIDE; j++) {
		const float v = reyes_i_lattice_step(r->v0, r->v1, j);

		for (int i = 0; i < REYES_I_SIDE; i++) {
			const float u = reyes_i_lattice_step(r->u0, r->u1, i);
			reyes_i_surf s;

			reyes_i_eval(view, prim, key, u, v, &s);
			p[j * REYES_I_SIDE + i] = s.p;
		}
	}
}

/* Measures a rectangle of a primitive. The box has a margin of the largest second difference of
 * the lattice, eight times the distance of a parabola from its chord, and of the displacement. */
LSCHED_FN void reyes_i_measure_item(const reyes_i_view *view, const reyes_i_prim *prim,
	const reyes_i_rect *r, float displacement, reyes_i_measure *m)
{
	const reyes_i_camera *c = &view->camera;
	reyes_i_vec p[REYES_I_LATTICE];
	reyes_i_vec bend = reyes_i_vec_of(0, 0, 0);
	reyes_i_paths paths = { { { 0, 0 } }, { 0 } };

	m->lo = reyes_i_vec_of(INFINITY, INFINITY, INFINITY);
	m->hi = reyes_i_vec_of(-INFINITY, -INFINITY, -INFINITY);
	m->size_u = m->size_v = m->length_u = m->length_v = 0;
	m->bend[0] = m->bend[1] = m->bend[2] = m->bend[3] = 0;
	for (uint32_t key = 0; key < prim->key_count; key++) {
		reyes_i_lattice(view, prim, r, key, p);
		reyes_i_measure_box(p, m, &bend);
		reyes_i_measure_raster(c, p, m); /* without meaning unless in_front */
		if (prim->key_count > 1)
			reyes_i_extend_paths(c, p, key, &paths);
	}
	m->travel = prim->key_count > 1 ? reyes_i_least_path(&paths) : 0;
	bend = reyes_i_add3(bend, reyes_i_vec_of(displacement, displacement, displacement));
	m->lo = reyes_i_sub3(m->lo, bend);
	m->hi = reyes_i_add3(m->hi, bend);
	m->in_front = !c->perspective || m->lo.z > 0.5f * c->hither;
}

#endif
