/* The contact that a search found: weights, point and normal. Compiled for CPU and GPU: products
 * are written as fma(), so that both give the same bits. */
#ifndef COLLIDE_PAIRS_POINT_H
#define COLLIDE_PAIRS_POINT_H

#include <collide/collide.h>
#include "collide/pairs/search.h"

LSCHED_FN double col_dot(const double a[3], const double b[3])
{
	return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0]));
}

/* Vertex `to` minus vertex `from` at time t. */
LSCHED_FN void col_side_of(const col_query *q, int from, int to, double t, double out[3])
{
	for (int axis = 0; axis < 3; axis++) {
		const double a = q->start[from][axis], b = q->start[to][axis];

		out[axis] = fma(t, q->end[to][axis] - b, b) - fma(t, q->end[from][axis] - a, a);
	}
}

/* Makes a vector one of length 1, scaled by a power of two first, so that no square overflows.
 * Returns 0 for a vector that has no direction. */
LSCHED_FN int col_normalise(double v[3])
{
	const double most = col_max(fabs(v[0]), col_max(fabs(v[1]), fabs(v[2])));
	double length;

	if (!(most > 0 && most < INFINITY))
		return 0;
	for (int axis = 0; axis < 3; axis++)
		v[axis] = v[axis] / most;
	length = sqrt(col_dot(v, v));
	for (int axis = 0; axis < 3; axis++)
		v[axis] = v[axis] / length;
	return 1;
}

/* The sum of vertices first .. first + n - 1 with their weights at time t. */
LSCHED_FN void col_weighted(
	const col_query *q, int first, int n, const double weight[3], double t, double out[3])
{
	for (int axis = 0; axis < 3; axis++) {
		double sum = 0;

		for (int k = 0; k < n; k++) {
			const double s = q->start[first + k][axis], e = q->end[first + k][axis];

			sum = fma(weight[k], fma(t, e - s, s), sum);
		}
		out[axis] = sum;
	}
}

/* The normal: of two unit sides, from b to a at the beginning. */
LSCHED_FN void col_normal(const col_query *q, double t, const double before[3], double out[3])
{
	double u[3], v[3];
	int ok;

	col_side_of(q, q->is_edges ? 0 : 1, q->is_edges ? 1 : 2, t, u);
	col_side_of(q, q->is_edges ? 2 : 1, 3, t, v);
	ok = col_normalise(u) && col_normalise(v);
	for (int axis = 0; ok && axis < 3; axis++) {
		const int i = (axis + 1) % 3, k = (axis + 2) % 3;

		out[axis] = fma(u[i], v[k], -(u[k] * v[i]));
	}
	/* an angle of less than 2^-40 is none */
	ok = ok && col_dot(out, out) > 0x1p-80 && col_normalise(out);
	if (ok && col_dot(out, before) < 0)
		for (int axis = 0; axis < 3; axis++)
			out[axis] = -out[axis];
	if (ok)
		return;
	for (int axis = 0; axis < 3; axis++)
		out[axis] = before[axis];
	if (!col_normalise(out))
		out[0] = out[1] = out[2] = 0;
}

/* Fills in the contact of a search that has ended. */
LSCHED_FN void col_contact_point(const col_search *s, const col_query *q, collide_contact *out)
{
	const col_cell cell = col_cell_decode(col_words(s->touch));
	const double t = (double)s->best * 0x1p-20;
	const int n = q->is_edges ? 2 : 1;
	double u = ((double)cell.at[COL_U] + 0.5) * col_side(cell.level[COL_U]);
	double v = ((double)cell.at[COL_V] + 0.5) * col_side(cell.level[COL_V]);
	double from[3], to[3];

	for (int k = 0; k < 3; k++)
		out->weight_a[k] = out->weight_b[k] = out->point[k] = out->normal[k] = 0;
	out->time = s->best;
	out->is_limited = s->cells > COL_MOST_CELLS;
	if (s->best == COL_NEVER) {
		out->is_limited = 0;
		return;
	}
	if (q->is_edges) {
		out->weight_a[0] = 1 - u;
		out->weight_a[1] = u;
		out->weight_b[0] = 1 - v;
		out->weight_b[1] = v;
	} else { /* a cell at the border of the face may have its centre outside */
		if (u + v > 1) {
			const double sum = u + v;

			u = u / sum;
			v = 1 - u;
		}
		out->weight_a[0] = 1;
		out->weight_b[0] = 1 - u - v;
		out->weight_b[1] = u;
		out->weight_b[2] = v;
	}
	col_weighted(q, n, 4 - n, out->weight_b, t, out->point);
	col_weighted(q, 0, n, out->weight_a, 0, from);
	col_weighted(q, n, 4 - n, out->weight_b, 0, to);
	for (int axis = 0; axis < 3; axis++)
		from[axis] = from[axis] - to[axis];
	col_normal(q, t, from, out->normal);
}
#endif
