/* Dicing and shading of a grid by the threads of a worker: thread t of n handles the points t,
 * t + n and so on. The caller puts a barrier between the steps; a thread alone needs none. Without
 * displacement (displaced.h): reyes_i_dice for key 0, with shading, then for the other keys. */
#ifndef REYES_DICE_DICE_H
#define REYES_DICE_DICE_H

#include "reyes/core/language.h"
#include "reyes/geom/eval.h"
#include "reyes/hide/points.h"
#include "reyes/shade/shade.h"
#include "reyes/shade/vars.h"

/* A grid that is being diced. */
typedef struct reyes_i_dicing {
	const reyes_i_view *view;
	const reyes_i_prim *prim;
	const reyes_i_attr *attr;
	reyes_i_rect rect;
	uint32_t nu, nv, points;    /* micropolygons; (nu + 1) (nv + 1) */
	float inverse_u, inverse_v; /* 1 / nu, 1 / nv */
	float limb;                 /* reyes_i_near_limb */
	uint32_t flip, simple, transparent;
	uint32_t even; /* transparent, and only one opacity is stored */
	reyes_i_rgba *colors;
} reyes_i_dicing;

/* Enlarges the rectangle of a whole disk, so that the polygon of its rim has the area of the
 * circle: an octagon would lack a tenth of it. A chord of the polygon spans the angle pi / (2 n);
 * the factor is the series of the root of x / sin(x) for that angle x. Disks that are split have
 * so many chords that they lack less than 0.2 %. */
LSCHED_FN void reyes_i_enlarge_disk(const reyes_i_grid *g, reyes_i_rect *r)
{
	const float u = 1 / (float)g->nu, v = 1 / (float)g->nv, square = 0.5f * (u * u + v * v);
	const float more = 0.5f * square * (0.205617f + 0.038050f * square);

	if (g->u_level || g->v_level)
		return;
	r->u0 -= more;
	r->u1 += more;
	r->v0 -= more;
	r->v1 += more;
}

LSCHED_FN void reyes_i_dicing_of(
	const reyes_i_view *view, const reyes_i_grid *g, reyes_i_rgba *colors, reyes_i_dicing *d)
{
	d->view = view;
	d->prim = view->prims + g->prim;
	d->attr = view->attrs + d->prim->attr;
	d->rect = reyes_i_rect_of(g->u, g->u_level, g->v, g->v_level);
	if (d->prim->kind == REYES_I_POINT)
		reyes_i_enlarge_disk(g, &d->rect);
	d->nu = g->nu;
	d->nv = g->nv;
	d->inverse_u = 1 / (float)g->nu;
	d->inverse_v = 1 / (float)g->nv;
	d->points = (g->nu + 1u) * (g->nv + 1u);
	d->flip = d->attr->flags & REYES_I_ATTR_FLIP;
	d->simple = reyes_i_is_simple(view, d->attr);
	d->transparent = !(d->attr->flags & REYES_I_ATTR_OPAQUE);
	/* through a transparent surface its far side is seen */
	d->limb = d->transparent ? 0 : reyes_i_least(0.04f * d->attr->shading_rate, 0.25f);
	d->even = d->transparent && reyes_i_even_opacity(view, d->prim);
	d->colors = colors;
}

/* Walks over the points of a grid, `threads` apart, without a division for each. */
typedef struct reyes_i_walk {
	uint32_t k, i, j;       /* point, column, row */
	uint32_t rows, columns; /* of a step */
} reyes_i_walk;

LSCHED_FN reyes_i_walk reyes_i_walk_from(const reyes_i_dicing *d, uint32_t k, uint32_t threads)
{
	const uint32_t row = d->nu + 1;
	reyes_i_walk w;

	w.k = k;
	w.j = k / row;
	w.i = k - w.j * row;
	w.rows = threads / row;
	w.columns = threads - w.rows * row;
	return w;
}

LSCHED_FN void reyes_i_walk_next(const reyes_i_dicing *d, uint32_t threads, reyes_i_walk *w)
{
	w->k += threads;
	w->i += w->columns;
	w->j += w->rows;
	if (w->i > d->nu) {
		w->i -= d->nu + 1;
		w->j++;
	}
}

#define REYES_I_EACH_POINT(w, d, thread, threads)                                               \
	for (reyes_i_walk w = reyes_i_walk_from((d), (thread), (threads)); (w).k < (d)->points; \
		reyes_i_walk_next((d), (threads), &(w)))

LSCHED_FN float reyes_i_step(float from, float to, uint32_t k, uint32_t n, float inverse)
{
	return k == n ? to : from + (to - from) * ((float)k * inverse);
}

LSCHED_FN void reyes_i_dice_uv(const reyes_i_dicing *d, const reyes_i_walk *w, float *u, float *v)
{
	*u = reyes_i_step(d->rect.u0, d->rect.u1, w->i, d->nu, d->inverse_u);
	*v = reyes_i_step(d->rect.v0, d->rect.v1, w->j, d->nv, d->inverse_v);
}

LSCHED_FN reyes_i_vec reyes_i_dicing_normal(const reyes_i_dicing *d, float u, float v)
{
	reyes_i_surf s;

	reyes_i_eval(d->view, d->prim, 0, u, v, &s);
	return reyes_i_normal(d->view, d->prim, 0, u, v, &s, d->flip);
}

/* Returns the angle between the reflections at (u, v) and at the next points of the grid: twice
 * that of the normals, and that of a micropolygon's width seen from the camera. */
LSCHED_FN float reyes_i_reflection_spread(const reyes_i_dicing *d, float u, float v)
{
	const reyes_i_camera *c = &d->view->camera;
	const float du = (d->rect.u1 - d->rect.u0) * d->inverse_u;
	const float dv = (d->rect.v1 - d->rect.v0) * d->inverse_v;
	const reyes_i_vec n = reyes_i_dicing_normal(d, u, v);
	const reyes_i_vec by_u =
		reyes_i_sub3(reyes_i_dicing_normal(d, u + du > 1 ? u - du : u + du, v), n);
	const reyes_i_vec by_v =
		reyes_i_sub3(reyes_i_dicing_normal(d, u, v + dv > 1 ? v - dv : v + dv), n);
	const float turn = sqrtf(reyes_i_max(reyes_i_dot3(by_u, by_u), reyes_i_dot3(by_v, by_v)));
	const float view =
		c->perspective ? sqrtf(d->attr->shading_rate) / reyes_i_abs(c->scale[0]) : 0;

	return 2 * turn + view;
}

/* The direction from the eye to a point; any length. */
LSCHED_FN reyes_i_vec reyes_i_dicing_ray(const reyes_i_dicing *d, reyes_i_vec p)
{
	return d->view->camera.perspective ? p : reyes_i_vec_of(0, 0, 1);
}

/* Micropolygons through which the limb passes are seen from the side of their nearest corner. The
 * other corners are on the surface's far side, whose light may be another one: they are shaded as
 * if they were on the near side. Whether the limb may be so near that it is to be looked for, at a
 * point with the unit normal n: by their angle, and for larger micropolygons sooner. */
LSCHED_FN int reyes_i_near_limb(const reyes_i_dicing *d, reyes_i_vec ray, reyes_i_vec n)
{
	const float cosine = reyes_i_dot3(n, ray);

	return cosine * cosine < d->limb * reyes_i_dot3(ray, ray);
}

/* Whether the surface, without displacement, shows its back at (u, v). */
REYES_I_SLOW_FN int reyes_i_shows_back(const reyes_i_dicing *d, float u, float v)
{
	reyes_i_surf s;

	reyes_i_eval(d->view, d->prim, 0, u, v, &s);
	return reyes_i_dot3(reyes_i_normal(d->view, d->prim, 0, u, v, &s, d->flip),
		       reyes_i_dicing_ray(d, s.p)) > 0;
}

/* Returns the geometric normal by which the shaders turn N towards the eye (faceforward) at the
 * point *s with the normal n: n, or its opposite if the next point of the grid's lattice towards
 * the eye shows the other side. */
LSCHED_FN reyes_i_vec reyes_i_seen_normal(
	const reyes_i_dicing *d, float u, float v, const reyes_i_surf *s, reyes_i_vec n)
{
	const reyes_i_vec ray = reyes_i_dicing_ray(d, s->p);
	const float du = (d->rect.u1 - d->rect.u0) * d->inverse_u;
	const float dv = (d->rect.v1 - d->rect.v0) * d->inverse_v;

	if (!reyes_i_near_limb(d, ray, n))
		return n;
	u += reyes_i_dot3(s->du, ray) > 0 ? -du : du;
	v += reyes_i_dot3(s->dv, ray) > 0 ? -dv : dv;
	u = reyes_i_most(reyes_i_least(u, 1), 0);
	v = reyes_i_most(reyes_i_least(v, 1), 0);
	return reyes_i_shows_back(d, u, v) != (reyes_i_dot3(n, ray) > 0) ? reyes_i_scale3(n, -1)
									 : n;
}

/* ng: the geometric normal of reyes_i_seen_normal(). */
LSCHED_FN void reyes_i_point_of(const reyes_i_dicing *d, float u, float v, reyes_i_vec p,
	reyes_i_vec n, reyes_i_vec ng, reyes_i_point *at)
{
	reyes_i_store3(at->p, p);
	reyes_i_store3(at->n, n);
	reyes_i_store3(at->ng, ng);
	at->ds = (d->rect.u1 - d->rect.u0) * d->inverse_u;
	at->dt = (d->rect.v1 - d->rect.v0) * d->inverse_v;
	reyes_i_vars_eval(d->view, d->prim, u, v, at);
}

/* Stores Ci and Oi of point k. */
LSCHED_FN void reyes_i_store_shade(
	const reyes_i_dicing *d, uint32_t k, const float ci[3], const float oi[3])
{
	reyes_i_rgba *color = d->colors + k;

	color->r = ci[0];
	color->g = ci[1];
	color->b = ci[2];
	color->a = 1;
	if (d->transparent && (k == 0 || !d->even)) {
		color += d->points;
		color->r = oi[0];
		color->g = oi[1];
		color->b = oi[2];
		color->a = 1;
	}
}

/* Shades a point of a surface with an environment map. */
REYES_I_SLOW_FN void reyes_i_shade_mirror_point(const reyes_i_dicing *d, uint32_t k, float u,
	float v, reyes_i_vec p, reyes_i_vec n, reyes_i_vec ng)
{
	reyes_i_point at;
	float ci[3], oi[3];

	reyes_i_point_of(d, u, v, p, n, ng, &at);
	at.spread = reyes_i_reflection_spread(d, u, v);
	reyes_i_shade_mirror(d->view, d->attr, &at, ci, oi);
	reyes_i_store_shade(d, k, ci, oi);
}

/* Shades point k at `p` with the normal n and stores its colour. ng: as reyes_i_seen_normal.
 * mirrors: a constant of the call; 0 if no surface has an environment map. */
LSCHED_FN void reyes_i_shade_point(const reyes_i_dicing *d, uint32_t k, float u, float v,
	reyes_i_vec p, reyes_i_vec n, reyes_i_vec ng, const uint32_t mirrors)
{
	reyes_i_point at;
	float ci[3], oi[3];

	if (mirrors && reyes_i_is_mirror(d->view, d->attr)) {
		reyes_i_shade_mirror_point(d, k, u, v, p, n, ng);
		return;
	}
	reyes_i_point_of(d, u, v, p, n, ng, &at);
	if (d->simple)
		reyes_i_shade_simple(d->view, d->attr, &at, ci, oi);
	else
		reyes_i_shade(d->view, d->attr, &at, ci, oi);
	reyes_i_store_shade(d, k, ci, oi);
}

/* Shades point k of a surface without displacement, which is *s at the first shutter key. */
LSCHED_FN void reyes_i_shade_plain(const reyes_i_dicing *d, uint32_t k, float u, float v,
	const reyes_i_surf *s, const uint32_t mirrors)
{
	const reyes_i_vec n = reyes_i_normal(d->view, d->prim, 0, u, v, s, d->flip);

	reyes_i_shade_point(d, k, u, v, s->p, n, reyes_i_seen_normal(d, u, v, s, n), mirrors);
}

/* Evaluates the points at a shutter key and stores their projection as key `to` of g; shades them
 * if `shade` is nonzero, at key 0 only. */
LSCHED_FN void reyes_i_dice(const reyes_i_dicing *d, uint32_t key, uint32_t to, reyes_i_points *g,
	uint32_t shade, uint32_t thread, uint32_t threads)
{
	REYES_I_EACH_POINT(w, d, thread, threads)
	{
		reyes_i_surf s;
		float u, v;

		reyes_i_dice_uv(d, &w, &u, &v);
		reyes_i_eval(d->view, d->prim, key, u, v, &s);
		reyes_i_place_point(&d->view->camera, g, to, w.k, s.p);
		if (shade)
			reyes_i_shade_plain(d, w.k, u, v, &s, 1);
	}
}

#endif
