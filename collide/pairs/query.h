/* Whether two primitives touch at a time of a step in which their vertices move on straight lines:
 * a vertex and a face, or two edges. The vector from a point of one to a point of the other is
 * affine in each of three parameters (time, and two that place the points), so that over a box of
 * parameters it stays in the box of its values at the eight corners. If that box does not contain
 * zero, nothing touches there; else the parameters are halved (inclusion functions: Snyder 1992;
 * for this problem with rounding errors considered: Wang et al. 2021). No contact is missed; those
 * that come closer than a tolerance are reported, too. Compiled for CPU and GPU: products are
 * written as fma(), so that both give the same bits. */
#ifndef COLLIDE_PAIRS_QUERY_H
#define COLLIDE_PAIRS_QUERY_H

#include <math.h>
#include <stdint.h>
#include <libsched/fn.h>

/* Vertex and face: p, a, b, c. Two edges: a, b and c, d. */
typedef struct col_query {
	double start[4][3], end[4][3];
	int is_edges;
} col_query;

/* Parameters 0 time, 1 and 2 places: each in [at, at + 1] 2^-level. */
enum { COL_TIME, COL_U, COL_V, COL_PARAMETERS, COL_MAX_LEVEL = 20 };

typedef struct col_cell {
	uint32_t at[COL_PARAMETERS], level[COL_PARAMETERS];
} col_cell;

/* A cell as 63 bits: each parameter's position behind a leading one. */
LSCHED_FN uint64_t col_cell_code(const col_cell *c)
{
	uint64_t code = 0;

	for (int k = 0; k < COL_PARAMETERS; k++)
		code |= (uint64_t)(c->at[k] | 1u << c->level[k]) << (21 * k);
	return code;
}

LSCHED_FN col_cell col_cell_decode(uint64_t code)
{
	col_cell c;

	for (int k = 0; k < COL_PARAMETERS; k++) {
		const uint32_t v = (uint32_t)(code >> (21 * k)) & 0x1fffffu;
		uint32_t level = 0;

		while (v >> level > 1)
			level++;
		c.level[k] = level;
		c.at[k] = v ^ 1u << level;
	}
	return c;
}

/* The whole domain. */
#define COL_CELL_ALL (UINT64_C(1) | UINT64_C(1) << 21 | UINT64_C(1) << 42)

/* The earliest time of a cell in units of 2^-20, and where its time ends. */
LSCHED_FN uint32_t col_cell_time(const col_cell *c)
{
	return c->at[COL_TIME] << (COL_MAX_LEVEL - c->level[COL_TIME]);
}

LSCHED_FN uint32_t col_cell_end(const col_cell *c)
{
	return (c->at[COL_TIME] + 1) << (COL_MAX_LEVEL - c->level[COL_TIME]);
}

/* 2^-level. */
LSCHED_FN double col_side(uint32_t level)
{
	return 1.0 / (double)(1u << level);
}

/* What one axis of the vector does over a cell. */
typedef struct col_range {
	double lo, hi;
	double length[COL_PARAMETERS]; /* largest change over the whole domain of a parameter */
} col_range;

LSCHED_FN double col_max(double a, double b)
{
	return a > b ? a : b;
}

/* The vector's component at one time: p of the four vertices, places (u, v). */
LSCHED_FN double col_value(const double p[4], int is_edges, double u, double v)
{
	if (is_edges)
		return fma(-v, p[3] - p[2], fma(u, p[1] - p[0], p[0] - p[2]));
	return fma(-v, p[3] - p[1], fma(-u, p[2] - p[1], p[0] - p[1]));
}

LSCHED_FN void col_axis(const col_query *q, int axis, const col_cell *c, col_range *r)
{
	double most = 0;

	r->lo = INFINITY;
	r->hi = -INFINITY;
	r->length[COL_TIME] = r->length[COL_U] = r->length[COL_V] = 0;
	for (uint32_t i = 0; i < 2; i++) {
		const double t = (double)(c->at[COL_TIME] + i) * col_side(c->level[COL_TIME]);
		double p[4];

		for (int k = 0; k < 4; k++) {
			const double s = q->start[k][axis], e = q->end[k][axis];

			p[k] = fma(t, e - s, s);
			most = col_max(most, col_max(fabs(s), fabs(e)));
			r->length[COL_TIME] = col_max(r->length[COL_TIME], fabs(e - s));
		}
		for (uint32_t j = 0; j < 4; j++) {
			const double u =
				(double)(c->at[COL_U] + (j & 1)) * col_side(c->level[COL_U]);
			const double v =
				(double)(c->at[COL_V] + (j >> 1)) * col_side(c->level[COL_V]);
			const double f = col_value(p, q->is_edges, u, v);

			r->lo = f < r->lo ? f : r->lo;
			r->hi = f > r->hi ? f : r->hi;
		}
		r->length[COL_U] =
			col_max(r->length[COL_U], fabs(q->is_edges ? p[1] - p[0] : p[2] - p[1]));
		r->length[COL_V] =
			col_max(r->length[COL_V], fabs(q->is_edges ? p[3] - p[2] : p[3] - p[1]));
	}
	/* A component is made by at most 40 roundings of values up to `most`. */
	r->lo -= most * 0x1p-47;
	r->hi += most * 0x1p-47;
}

typedef enum col_verdict { COL_APART, COL_TOUCH, COL_SPLIT } col_verdict;

/* Judges a cell. COL_SPLIT: *parameter is the one to halve. */
LSCHED_FN col_verdict col_judge(
	const col_query *q, const col_cell *c, double tolerance, int *parameter)
{
	double change[COL_PARAMETERS] = { 0, 0, 0 };
	int close = 1, best = -1;

	/* outside the face: u + v > 1 */
	if (!q->is_edges && (double)c->at[COL_U] * col_side(c->level[COL_U]) +
					    (double)c->at[COL_V] * col_side(c->level[COL_V]) >
				    1.0)
		return COL_APART;
	for (int axis = 0; axis < 3; axis++) {
		col_range r;

		col_axis(q, axis, c, &r);
		if (r.lo > 0 || r.hi < 0)
			return COL_APART;
		close &= r.hi - r.lo <= tolerance;
		for (int k = 0; k < COL_PARAMETERS; k++)
			change[k] = col_max(change[k], r.length[k]);
	}
	for (int k = 0; k < COL_PARAMETERS; k++)
		if (c->level[k] < COL_MAX_LEVEL &&
			(best < 0 || change[k] * col_side(c->level[k]) >
					     change[best] * col_side(c->level[best])))
			best = k;
	if (close || best < 0)
		return COL_TOUCH;
	*parameter = best;
	return COL_SPLIT;
}

/* The lower or upper half of a cell. */
LSCHED_FN col_cell col_half(const col_cell *c, int parameter, uint32_t upper)
{
	col_cell h = *c;

	h.at[parameter] = h.at[parameter] * 2 + upper;
	h.level[parameter]++;
	return h;
}
#endif
