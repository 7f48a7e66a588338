/* Positions and normals of a grid, by the threads of a worker: thread t of n evaluates the points
 * t, t + n and so on. The points of a column of a bicubic patch share the sums over u: these are
 * computed once a column (reyes_i_alone_columns), then, after a barrier, each point needs the sums
 * over v only (reyes_i_alone_points). The operations and their order are those of reyes_i_eval, and
 * so are the bits. Displacement and shutter keys after the first are left out. */
#ifndef REYES_ALONE_POINTS_H
#define REYES_ALONE_POINTS_H

#include "reyes/core/language.h"
#include "reyes/dice/dice.h"

/* Columns of a grid whose sums are shared; a wider grid is evaluated point by point. */
#define REYES_I_ALONE_COLUMNS 24
/* Floats of a column: q[4] and d[4] of reyes_i_eval_bicubic. */
#define REYES_I_ALONE_SUMS 24
/* Floats of a point: x, y, z of the position, x, y, z of the unit normal. */
#define REYES_I_ALONE_FLOATS 6

typedef struct reyes_i_alone_scratch {
	float sum[REYES_I_ALONE_SUMS][REYES_I_ALONE_COLUMNS];
	uint32_t first; /* place of the grid's first point */
} reyes_i_alone_scratch;

/* Returns the number of places that the points of a grid take: whole sectors of 32 bytes in each of
 * the six arrays. */
LSCHED_FN uint32_t reyes_i_alone_room(const reyes_i_grid *g)
{
	return ((g->nu + 1u) * (g->nv + 1u) + 7u) & ~7u;
}

LSCHED_FN uint32_t reyes_i_alone_has_columns(const reyes_i_dicing *d)
{
	return d->prim->kind == REYES_I_BICUBIC && d->nu < REYES_I_ALONE_COLUMNS;
}

LSCHED_FN void reyes_i_alone_store3(
	reyes_i_alone_scratch *s, uint32_t place, uint32_t column, reyes_i_vec v)
{
	s->sum[place][column] = v.x;
	s->sum[place + 1][column] = v.y;
	s->sum[place + 2][column] = v.z;
}

LSCHED_FN reyes_i_vec reyes_i_alone_load3(
	const reyes_i_alone_scratch *s, uint32_t place, uint32_t column)
{
	return reyes_i_vec_of(
		s->sum[place][column], s->sum[place + 1][column], s->sum[place + 2][column]);
}

/* Computes the sums over u: a thread has a row of control points of a column. */
LSCHED_FN void reyes_i_alone_columns(
	const reyes_i_dicing *d, reyes_i_alone_scratch *s, uint32_t thread, uint32_t threads)
{
	if (!reyes_i_alone_has_columns(d))
		return;
	for (uint32_t k = thread; k < 4 * (d->nu + 1); k += threads) {
		const uint32_t i = k >> 2, j = k & 3u;
		const float *row = d->view->floats + d->prim->data + 12 * j;
		const float u = reyes_i_step(d->rect.u0, d->rect.u1, i, d->nu, d->inverse_u);
		const reyes_i_cubic cu = reyes_i_cubic_at(u);
		const reyes_i_vec p0 = reyes_i_load3(row), p1 = reyes_i_load3(row + 3);
		const reyes_i_vec p2 = reyes_i_load3(row + 6), p3 = reyes_i_load3(row + 9);

		reyes_i_alone_store3(s, 3 * j, i, reyes_i_cubic_point(&cu, p0, p1, p2, p3));
		reyes_i_alone_store3(s, 12 + 3 * j, i, reyes_i_cubic_slope(&cu, p0, p1, p2, p3));
	}
}

LSCHED_FN void reyes_i_alone_column_point(
	const reyes_i_alone_scratch *s, uint32_t column, float v, reyes_i_surf *out)
{
	const reyes_i_cubic cv = reyes_i_cubic_at(v);
	const reyes_i_vec q0 = reyes_i_alone_load3(s, 0, column);
	const reyes_i_vec q1 = reyes_i_alone_load3(s, 3, column);
	const reyes_i_vec q2 = reyes_i_alone_load3(s, 6, column);
	const reyes_i_vec q3 = reyes_i_alone_load3(s, 9, column);

	out->p = reyes_i_cubic_point(&cv, q0, q1, q2, q3);
	out->dv = reyes_i_cubic_slope(&cv, q0, q1, q2, q3);
	out->du = reyes_i_cubic_point(&cv, reyes_i_alone_load3(s, 12, column),
		reyes_i_alone_load3(s, 15, column), reyes_i_alone_load3(s, 18, column),
		reyes_i_alone_load3(s, 21, column));
}

/* Position and unit normal. */
typedef struct reyes_i_alone_value {
	reyes_i_vec p, n;
} reyes_i_alone_value;

/* Evaluates a point by itself. */
REYES_I_SLOW_FN reyes_i_alone_value reyes_i_alone_eval(
	const reyes_i_view *view, const reyes_i_prim *prim, float u, float v, uint32_t flip)
{
	reyes_i_alone_value value;
	reyes_i_surf at;

	reyes_i_eval(view, prim, 0, u, v, &at);
	value.p = at.p;
	value.n = reyes_i_normal(view, prim, 0, u, v, &at, flip);
	return value;
}

/* Evaluates a point of a column; one without a normal of its own by itself, as reyes_i_normal. */
LSCHED_FN reyes_i_alone_value reyes_i_alone_column_value(
	const reyes_i_dicing *d, const reyes_i_alone_scratch *s, uint32_t column, float u, float v)
{
	reyes_i_alone_value value;
	reyes_i_surf at;
	float size;

	reyes_i_alone_column_point(s, column, v, &at);
	value.p = at.p;
	value.n = reyes_i_cross3(at.du, at.dv);
	size = reyes_i_dot3(at.du, at.du) * reyes_i_dot3(at.dv, at.dv);
	if (reyes_i_dot3(value.n, value.n) <= 1e-10f * size || size < 1e-30f)
		return reyes_i_alone_eval(d->view, d->prim, u, v, d->flip);
	value.n = reyes_i_exact_unit3(value.n);
	if (d->flip)
		value.n = reyes_i_scale3(value.n, -1);
	return value;
}

/* Writes the points to place `first` and the following ones of the six arrays of points_max
 * floats. */
LSCHED_FN void reyes_i_alone_points(const reyes_i_dicing *d, const reyes_i_alone_scratch *s,
	float *points, size_t points_max, uint32_t first, uint32_t thread, uint32_t threads)
{
	const uint32_t columns = reyes_i_alone_has_columns(d);

	REYES_I_EACH_POINT(w, d, thread, threads)
	{
		float *to = points + first + w.k;
		reyes_i_alone_value at;
		float u, v;

		reyes_i_dice_uv(d, &w, &u, &v);
		if (columns)
			at = reyes_i_alone_column_value(d, s, w.i, u, v);
		else
			at = reyes_i_alone_eval(d->view, d->prim, u, v, d->flip);
		to[0] = at.p.x;
		to[points_max] = at.p.y;
		to[2 * points_max] = at.p.z;
		to[3 * points_max] = at.n.x;
		to[4 * points_max] = at.n.y;
		to[5 * points_max] = at.n.z;
	}
}

#endif
