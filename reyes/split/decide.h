/* The fate of an item: dropped, split, or diced at a rate that follows from its size in pixels. */
#ifndef REYES_SPLIT_DECIDE_H
#define REYES_SPLIT_DECIDE_H

#include "reyes/split/measure.h"

enum reyes_i_fate {
	REYES_I_DROP, /* outside of picture or clipping range; backs of surfaces: hide/cover.h */
	REYES_I_DICE,
	REYES_I_SPLIT_U,
	REYES_I_SPLIT_V,
	REYES_I_SPLIT_BOTH, /* into four, where two splits in turn would follow anyway */
	REYES_I_DROP_EYE    /* crosses the camera plane after all eye splits: to be counted */
};

/* Micropolygons are not larger than this, whatever the shading rate, because the hider's
 * coordinates within a micropolygon have few bits; those that the lens blurs may be. Pixels. */
#define REYES_I_EDGE_MAX 16.0f

/* Micropolygons of a side above which the other side's number is reduced: reyes_i_rate_beside. */
#define REYES_I_BESIDE_MAX 256.0f

/* A range of raster coordinates: all quotients of [lo, hi] / [zlo, zhi]. */
LSCHED_FN void reyes_i_raster_range(const reyes_i_camera *c, int axis, float lo, float hi,
	float z_lo, float z_hi, float *from, float *to)
{
	const float s = c->scale[axis], near = c->perspective ? 1 / z_lo : 1;
	const float far = c->perspective ? 1 / z_hi : 1;
	const float a = s * (s > 0 ? lo : hi), b = s * (s > 0 ? hi : lo);

	*from = reyes_i_least(a * near, a * far) + c->offset[axis];
	*to = reyes_i_most(b * near, b * far) + c->offset[axis];
}

/* The pixels with samples that an item can touch or decide: x0 <= x <= x1. It is stored for whole
 * primitives, so that each bucket of a picture drops most of them by a comparison. */
typedef struct reyes_i_bounds {
	float x0, x1, y0, y1;
} reyes_i_bounds;

/* Bounds of a box in front of the camera. */
LSCHED_FN reyes_i_bounds reyes_i_bounds_of(const reyes_i_camera *c, const reyes_i_measure *m)
{
	const float blur = reyes_i_most(reyes_i_abs(reyes_i_confusion(c, m->lo.z)),
		reyes_i_abs(reyes_i_confusion(c, m->hi.z)));
	const float mx = (float)reyes_i_filter_margin(c, 0) + blur * reyes_i_abs(c->scale[0]) + 1;
	const float my = (float)reyes_i_filter_margin(c, 1) + blur * reyes_i_abs(c->scale[1]) + 1;
	reyes_i_bounds b;

	reyes_i_raster_range(c, 0, m->lo.x, m->hi.x, m->lo.z, m->hi.z, &b.x0, &b.x1);
	reyes_i_raster_range(c, 1, m->lo.y, m->hi.y, m->lo.z, m->hi.z, &b.y0, &b.y1);
	b.x0 -= mx;
	b.x1 += mx;
	b.y0 -= my;
	b.y1 += my;
	return b;
}

/* Whether bounds touch the picture. */
LSCHED_FN uint32_t reyes_i_visible(const reyes_i_camera *c, const reyes_i_bounds *b)
{
	return b->x1 >= (float)c->crop_x0 && b->x0 <= (float)c->crop_x1 &&
	       b->y1 >= (float)c->crop_y0 && b->y0 <= (float)c->crop_y1;
}

/* Micropolygons along a side: by its length, and so that none spans more than a quarter of a turn
 * (a small sphere would vanish: the ends of its rows are one point). */
LSCHED_FN float reyes_i_rate(float length, float edge, float sweep)
{
	/* products of two rates are finite */
	const float by_length = reyes_i_least(ceilf(length / edge), 1e15f);
	const float by_angle = ceilf(reyes_i_abs(sweep) * 0.636619f - 0.01f);

	return reyes_i_most(1, reyes_i_most(by_length, by_angle));
}

/* The largest rate of a rectangle that halvings can reduce to REYES_I_BESIDE_MAX. */
LSCHED_FN float reyes_i_rate_left(uint32_t level)
{
	return REYES_I_BESIDE_MAX * (float)(1u << (REYES_I_LEVELS_MAX - level));
}

/* Reduces a rate where the other direction's rate is `beside` and its rectangle cannot be halved:
 * micropolygons that are much too long need not be narrow. Otherwise a disk of radius 1e15 would
 * become 2^16 grids that all reach its centre. least: the rate by the angle. */
LSCHED_FN float reyes_i_rate_beside(float n, float least, float beside, uint32_t level)
{
	if (level < REYES_I_LEVELS_MAX || beside <= REYES_I_BESIDE_MAX)
		return n;
	return reyes_i_most(least, ceilf(n * (REYES_I_BESIDE_MAX / beside)));
}

/* The growth of a rim in 1/256 pixel that covers the gap to a neighbour with another rate: an
 * eighth of a second difference at this rate, which is the distance of a parabola from its chord,
 * and two units for rounding. More would enlarge small shapes visibly. */
LSCHED_FN uint8_t reyes_i_growth(float bend, float n)
{
	const float g = 256 * 0.13f * bend * (4 / n) * (4 / n) + 2;

	return g < 255 ? (uint8_t)g : 255;
}

/* Removes the growth of rims without a neighbour: the sides of a curve, and the rim of a disk. They
 * may be thinner than their growth. */
LSCHED_FN void reyes_i_trim_growth(uint32_t kind, reyes_i_grid *grid)
{
	if (kind != REYES_I_CURVE && kind != REYES_I_POINT)
		return;
	if (grid->u == 0)
		grid->grow[0] = 0;
	if (grid->u + 1u == 1u << grid->u_level)
		grid->grow[1] = 0;
	if (kind == REYES_I_CURVE)
		return;
	if (grid->v == 0)
		grid->grow[2] = 0;
	if (grid->v + 1u == 1u << grid->v_level)
		grid->grow[3] = 0;
}

LSCHED_FN void reyes_i_make_grid(const reyes_i_item *item, uint32_t kind, const reyes_i_measure *m,
	float nu, float nv, reyes_i_grid *grid)
{
	grid->prim = item->prim;
	grid->u = item->u;
	grid->v = item->v;
	grid->u_level = item->u_level;
	grid->v_level = item->v_level;
	grid->nu = (uint8_t)nu;
	grid->nv = (uint8_t)nv;
	grid->grow[0] = reyes_i_growth(m->bend[0], nv);
	grid->grow[1] = reyes_i_growth(m->bend[1], nv);
	grid->grow[2] = reyes_i_growth(m->bend[2], nu);
	grid->grow[3] = reyes_i_growth(m->bend[3], nu);
	reyes_i_trim_growth(kind, grid);
}

/* Whether a box is outside of one of the planes through the camera and a side of the picture. They
 * bound what is visible for points behind the camera, too, where there is no projection. */
LSCHED_FN uint32_t reyes_i_outside(const reyes_i_camera *c, const reyes_i_measure *m, int axis)
{
	const uint32_t from = axis ? c->crop_y0 : c->crop_x0, to = axis ? c->crop_y1 : c->crop_x1;
	/* a ray of the lens through a point at distance z is at most lens (1 + z / focus) off */
	const float blur =
		c->lens > 0 ? c->lens * reyes_i_abs(c->scale[axis]) * (1 + m->hi.z / c->focus) : 0;
	const float margin = (float)reyes_i_filter_margin(c, axis) + 1;
	const float s = c->scale[axis], first = (float)from - margin - c->offset[axis];
	const float last = (float)to + margin - c->offset[axis];
	const float lo = axis ? m->lo.y : m->lo.x, hi = axis ? m->hi.y : m->hi.x;
	const float a = s * (s > 0 ? lo : hi), b = s * (s > 0 ? hi : lo);

	return b + blur < reyes_i_least(first * m->lo.z, first * m->hi.z) ||
	       a - blur > reyes_i_most(last * m->lo.z, last * m->hi.z);
}

/* Decides an item that crosses the camera plane. */
LSCHED_FN uint32_t reyes_i_decide_eye(
	const reyes_i_camera *c, reyes_i_item *item, const reyes_i_measure *m)
{
	if (reyes_i_outside(c, m, 0) || reyes_i_outside(c, m, 1))
		return REYES_I_DROP;
	/* a level of eye splits halves both directions */
	if (item->eye_splits >= 2 * c->eye_splits)
		return REYES_I_DROP_EYE;
	item->eye_splits++;
	if (item->u_level >= REYES_I_LEVELS_MAX || item->v_level >= REYES_I_LEVELS_MAX)
		return REYES_I_DROP_EYE;
	return m->size_u > m->size_v ? REYES_I_SPLIT_U : REYES_I_SPLIT_V;
}

/* The edge of micropolygons that depth of field allows: a quarter of the least radius of the circle
 * of confusion, times GeometricApproximation "focusfactor". */
LSCHED_FN float reyes_i_blurred_edge(
	const reyes_i_camera *c, const reyes_i_measure *m, float focus_factor)
{
	const float near = reyes_i_confusion(c, m->lo.z), far = reyes_i_confusion(c, m->hi.z);
	const float least =
		near * far <= 0 ? 0 : reyes_i_least(reyes_i_abs(near), reyes_i_abs(far));

	return 0.25f * focus_factor * least *
	       reyes_i_least(reyes_i_abs(c->scale[0]), reyes_i_abs(c->scale[1]));
}

/* The edge of micropolygons by the shading rate, which GeometricApproximation "motionfactor"
 * enlarges where all of a rectangle moves: by the factor times its path in units of 16 pixels. */
LSCHED_FN float reyes_i_moved_edge(const reyes_i_attr *attr, const reyes_i_measure *m)
{
	const float more = attr->motion_factor * m->travel * (1.0f / 16);

	return sqrtf(attr->shading_rate * reyes_i_most(1, more));
}

LSCHED_FN uint32_t reyes_i_fits(const reyes_i_camera *c, float nu, float nv)
{
	return nu <= REYES_I_GRID_SIDE && nv <= REYES_I_GRID_SIDE &&
	       (nu + 1) * (nv + 1) <= REYES_I_GRID_POINTS &&
	       (!c->max_grid || nu * nv <= (float)c->max_grid);
}

/* Decides an item; fills *grid if it is to be diced, counts a split at the camera plane in it.
 * bounds: NULL, or receives the item's bounds. */
LSCHED_FN uint32_t reyes_i_decide(
	const reyes_i_view *view, reyes_i_item *item, reyes_i_grid *grid, reyes_i_bounds *bounds)
{
	const reyes_i_bounds all = { -INFINITY, INFINITY, -INFINITY, INFINITY };
	const reyes_i_bounds none = { INFINITY, -INFINITY, INFINITY, -INFINITY };
	reyes_i_bounds b = none;
	const reyes_i_camera *c = &view->camera;
	const reyes_i_prim *prim = view->prims + item->prim;
	const reyes_i_attr *attr = view->attrs + prim->attr;
	const float *g = view->floats + prim->data;
	const reyes_i_rect r = reyes_i_rect_of(item->u, item->u_level, item->v, item->v_level);
	reyes_i_measure m;
	float edge, nu, nv, sweep_u, sweep_v;

	reyes_i_measure_item(view, prim, &r, attr->displacement_bound, &m);
	if (m.hi.z >= c->hither && m.lo.z <= c->yon)
		b = m.in_front ? reyes_i_bounds_of(c, &m) : all;
	if (bounds)
		*bounds = b;
	if (!reyes_i_visible(c, &b))
		return REYES_I_DROP;
	if (!m.in_front)
		return reyes_i_decide_eye(c, item, &m);
	edge = reyes_i_most(reyes_i_least(reyes_i_moved_edge(attr, &m), REYES_I_EDGE_MAX),
		reyes_i_blurred_edge(c, &m, attr->focus_factor));
	sweep_u = reyes_i_sweep_u(prim, g) * (r.u1 - r.u0);
	sweep_v = reyes_i_sweep_v(prim, g) * (r.v1 - r.v0);
	nu = reyes_i_rate(m.length_u, edge, sweep_u);
	nv = reyes_i_rate(m.length_v, edge, sweep_v);
	if (item->u_level == REYES_I_LEVELS_MAX || item->v_level == REYES_I_LEVELS_MAX) {
		const float by_length = nu;

		nu = reyes_i_rate_beside(nu, reyes_i_rate(0, edge, sweep_u), nv, item->v_level);
		nv = reyes_i_rate_beside(
			nv, reyes_i_rate(0, edge, sweep_v), by_length, item->u_level);
	}
	if (!reyes_i_fits(c, nu, nv)) {
		/* A side that stays too long is halved first: most of its parts are invisible, and
		 * the rate beside the last ones is reduced. The v of quadrics leads to a pole; the
		 * box of an eighth of a turn does not contain it. */
		if (item->u_level >= 3 && item->v_level < REYES_I_LEVELS_MAX &&
			nv > reyes_i_rate_left(item->v_level))
			return REYES_I_SPLIT_V;
		if (nu > 32 && nv > 32 && item->u_level < REYES_I_LEVELS_MAX &&
			item->v_level < REYES_I_LEVELS_MAX)
			return REYES_I_SPLIT_BOTH;
		if (nu >= nv && item->u_level < REYES_I_LEVELS_MAX)
			return REYES_I_SPLIT_U;
		if (item->v_level < REYES_I_LEVELS_MAX)
			return REYES_I_SPLIT_V;
		nu = reyes_i_least(nu, 16); /* the finest rectangle there is */
		nv = reyes_i_least(nv, 16);
	}
	reyes_i_make_grid(item, prim->kind, &m, nu, nv, grid);
	return REYES_I_DICE;
}

/* Returns the number of items that an item becomes. */
LSCHED_FN uint32_t reyes_i_part_count(uint32_t fate)
{
	return fate == REYES_I_SPLIT_BOTH                           ? 4
	       : fate == REYES_I_SPLIT_U || fate == REYES_I_SPLIT_V ? 2
								    : 0;
}

/* Returns part k of an item that is split. */
LSCHED_FN reyes_i_item reyes_i_part(const reyes_i_item *item, uint32_t fate, uint32_t k)
{
	reyes_i_item h = *item;

	if (fate != REYES_I_SPLIT_V) {
		h.u = (uint16_t)(item->u * 2u + (k & 1u));
		h.u_level++;
	}
	if (fate != REYES_I_SPLIT_U) {
		h.v = (uint16_t)(item->v * 2u + (fate == REYES_I_SPLIT_V ? k : k >> 1));
		h.v_level++;
	}
	return h;
}

#endif
