/* What each kind of primitive states: its points, and the angles that it sweeps. Of further facts,
 * the layout of its floats is in scene/frame.h, how they move in scene/move_floats.c. */
#ifndef REYES_GEOM_EVAL_H
#define REYES_GEOM_EVAL_H

#include "reyes/core/disk.h"
#include "reyes/geom/eval_bezier.h"
#include "reyes/geom/eval_quadric.h"
#include "reyes/scene/view.h"

/* Descends the quadtree of a subdivision face to the leaf at (u, v), which become the leaf's own
 * parameters. Returns the leaf's number; *scale is du(leaf)/du(face). */
LSCHED_FN uint32_t reyes_i_find_leaf(
	const reyes_i_view *view, const reyes_i_prim *prim, float *u, float *v, float *scale)
{
	uint32_t node = view->words[prim->data_words];

	*scale = 1;
	while (!(node & REYES_I_LEAF)) {
		uint32_t child = 0;

		*u *= 2;
		*v *= 2;
		*scale *= 2;
		if (*u >= 1) {
			*u -= 1;
			child = 1;
		}
		if (*v >= 1) {
			*v -= 1;
			child |= 2;
		}
		node = view->words[prim->data_words + node + child];
	}
	return node & ~REYES_I_LEAF;
}

LSCHED_FN float reyes_i_cubic_value(const reyes_i_cubic *c, const float *w)
{
	return (w[0] * c->b0 + w[3] * c->b3) + (w[1] * c->b1 + w[2] * c->b2);
}

/* A ribbon along a cubic curve, at right angles to the given normals or facing the camera. */
LSCHED_FN void reyes_i_eval_curve(const reyes_i_view *view, const reyes_i_prim *prim,
	const float *g, float u, float v, reyes_i_surf *out)
{
	const reyes_i_cubic c = reyes_i_cubic_at(v);
	const reyes_i_vec p0 = reyes_i_load3(g), p1 = reyes_i_load3(g + 3);
	const reyes_i_vec p2 = reyes_i_load3(g + 6), p3 = reyes_i_load3(g + 9);
	const reyes_i_vec p = reyes_i_cubic_point(&c, p0, p1, p2, p3);
	reyes_i_vec along = reyes_i_cubic_slope(&c, p0, p1, p2, p3), facing, side;

	if (reyes_i_dot3(along, along) < 1e-30f) /* equal control points at the end */
		along = reyes_i_sub3(p3, p0);
	if (prim->flags & REYES_I_HAS_NORMALS)
		facing = reyes_i_blend3(reyes_i_load3(g + 16), 1 - v, reyes_i_load3(g + 19), v);
	else if (view->camera.perspective)
		facing = reyes_i_scale3(p, -1);
	else
		facing = reyes_i_vec_of(0, 0, -1);
	side = reyes_i_exact_unit3(reyes_i_cross3(facing, along));
	out->du = reyes_i_scale3(side, reyes_i_cubic_value(&c, g + 12));
	out->dv = along;
	out->p = reyes_i_add3(p, reyes_i_scale3(out->du, u - 0.5f));
}

/* A disk parallel to the picture: the square of (u, v) is mapped to it by concentric squares. */
LSCHED_FN void reyes_i_eval_point(const float *g, float u, float v, reyes_i_surf *out)
{
	const float radius = g[3];

	out->p.z = 0;
	reyes_i_disk_place(u, v, &out->p.x, &out->p.y);
	out->p = reyes_i_add3(reyes_i_load3(g), reyes_i_scale3(out->p, radius));
	out->du = reyes_i_vec_of(2 * radius, 0, 0);
	out->dv = reyes_i_vec_of(0, 2 * radius, 0);
}

/* Evaluates a primitive at one of its shutter keys. */
LSCHED_FN void reyes_i_eval(const reyes_i_view *view, const reyes_i_prim *prim, uint32_t key,
	float u, float v, reyes_i_surf *out)
{
	const float *g = view->floats + prim->data + (size_t)key * prim->stride;

	switch (prim->kind) {
	case REYES_I_BICUBIC:
		reyes_i_eval_bicubic(g, u, v, out);
		break;
	case REYES_I_BILINEAR:
		reyes_i_eval_bilinear(g, u, v, out);
		break;
	case REYES_I_RATIONAL:
		reyes_i_eval_rational(g, prim->order_u, prim->order_v, u, v, out);
		break;
	case REYES_I_SUBDIVISION: {
		float scale;
		const uint32_t leaf = reyes_i_find_leaf(view, prim, &u, &v, &scale);

		reyes_i_eval_bicubic(g + (size_t)48 * leaf, u, v, out);
		out->du = reyes_i_scale3(out->du, scale);
		out->dv = reyes_i_scale3(out->dv, scale);
		break;
	}
	case REYES_I_CURVE:
		reyes_i_eval_curve(view, prim, g, u, v, out);
		break;
	case REYES_I_POINT:
		reyes_i_eval_point(g, u, v, out);
		break;
	default:
		reyes_i_eval_quadric(prim->kind, g, u, v, out);
		break;
	}
}

/* The angle that a primitive sweeps in u and in v; 0: straight. */
LSCHED_FN float reyes_i_sweep_u(const reyes_i_prim *prim, const float *g)
{
	switch (prim->kind) {
	case REYES_I_SPHERE:
	case REYES_I_CYLINDER:
	case REYES_I_PARABOLOID:
		return g[3];
	case REYES_I_CONE:
	case REYES_I_DISK:
		return g[2];
	case REYES_I_HYPERBOLOID:
		return g[6];
	case REYES_I_TORUS:
		return g[4];
	case REYES_I_POINT:
		return 3; /* two quarters of the disk's rim on each side */
	default:
		return 0;
	}
}

LSCHED_FN float reyes_i_sweep_v(const reyes_i_prim *prim, const float *g)
{
	return prim->kind == REYES_I_SPHERE  ? g[2] - g[1]
	       : prim->kind == REYES_I_TORUS ? g[3] - g[2]
	       : prim->kind == REYES_I_POINT ? 3
					     : 0;
}

/* Returns the unit normal dP/du x dP/dv, turned by `flip`. Where a derivative vanishes (a pole, a
 * corner of a triangle) it is taken a little inside the surface; where it vanishes there too, the
 * result is zero. */
LSCHED_FN reyes_i_vec reyes_i_normal(const reyes_i_view *view, const reyes_i_prim *prim,
	uint32_t key, float u, float v, const reyes_i_surf *at, uint32_t flip)
{
	reyes_i_vec n = reyes_i_cross3(at->du, at->dv);
	const float size = reyes_i_dot3(at->du, at->du) * reyes_i_dot3(at->dv, at->dv);

	if (reyes_i_dot3(n, n) <= 1e-10f * size || size < 1e-30f) {
		reyes_i_surf inside;

		reyes_i_eval(
			view, prim, key, u + (0.5f - u) * 0.004f, v + (0.5f - v) * 0.004f, &inside);
		n = reyes_i_cross3(reyes_i_exact_unit3(inside.du), reyes_i_exact_unit3(inside.dv));
	}
	n = reyes_i_exact_unit3(n);
	return flip ? reyes_i_scale3(n, -1) : n;
}

#endif
