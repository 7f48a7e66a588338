/* Dicing and shading of a grid with displacement. The normals follow from the displaced points:
 * reyes_i_displace_points, barrier, reyes_i_dice_displaced. Threads: as in dice.h. */
#ifndef REYES_DICE_DISPLACED_H
#define REYES_DICE_DISPLACED_H

#include "reyes/dice/dice.h"

/* Returns the width in a parameter of a micropolygon at p, from the derivative by the parameter. A
 * displacement must not depend on the rate of the grid, because neighbouring grids share points. */
LSCHED_FN float reyes_i_footprint(const reyes_i_dicing *d, reyes_i_vec p, reyes_i_vec slope)
{
	const reyes_i_camera *c = &d->view->camera;
	const float scale = c->scale[0] < 0 ? -c->scale[0] : c->scale[0];
	const float width = sqrtf(d->attr->shading_rate) * (c->perspective ? p.z : 1);
	const float length = sqrtf(reyes_i_dot3(slope, slope)) * scale;

	return width < length ? width / length : 1;
}

/* Evaluates and displaces the points at a shutter key. p: [REYES_I_GRID_POINTS]. */
LSCHED_FN void reyes_i_displace_into(
	const reyes_i_dicing *d, uint32_t key, reyes_i_vec *p, uint32_t thread, uint32_t threads)
{
	REYES_I_EACH_POINT(w, d, thread, threads)
	{
		reyes_i_point at;
		reyes_i_surf s;
		reyes_i_vec n;
		float u, v;

		reyes_i_dice_uv(d, &w, &u, &v);
		reyes_i_eval(d->view, d->prim, key, u, v, &s);
		n = reyes_i_normal(d->view, d->prim, key, u, v, &s, d->flip);
		reyes_i_store3(at.p, s.p);
		reyes_i_store3(at.n, n);
		reyes_i_store3(at.ng, n);
		at.ds = reyes_i_footprint(d, s.p, s.du);
		at.dt = reyes_i_footprint(d, s.p, s.dv);
		reyes_i_vars_eval(d->view, d->prim, u, v, &at);
		p[w.k] = reyes_i_add3(
			s.p, reyes_i_scale3(n, reyes_i_displace(d->view, d->attr, &at)));
	}
}

/* The same, and stores the projection as key `to` of g. */
LSCHED_FN void reyes_i_displace_points(const reyes_i_dicing *d, uint32_t key, uint32_t to,
	reyes_i_points *g, reyes_i_vec *p, uint32_t thread, uint32_t threads)
{
	reyes_i_displace_into(d, key, p, thread, threads);
	for (uint32_t k = thread; k < d->points; k += threads)
		reyes_i_place_point(&d->view->camera, g, to, k, p[k]);
}

/* Enlarges the growths of the rims for displaced points: half of the largest second difference of
 * the points along a rim, because a texture has details between the points. */
LSCHED_FN void reyes_i_displaced_rims(const reyes_i_dicing *d, const reyes_i_vec *p,
	uint8_t grow[4], uint32_t thread, uint32_t threads)
{
	const uint32_t row = d->nu + 1;

	for (uint32_t rim = thread; rim < 4; rim += threads) {
		const uint32_t step = rim < 2 ? row : 1, chords = rim < 2 ? d->nv : d->nu;
		const uint32_t first = rim == 1 ? d->nu : rim == 3 ? d->nv * row : 0;
		float bend = 0, g;

		for (uint32_t k = 1; k < chords; k++) {
			const reyes_i_vec *at = p + first + k * step;
			const reyes_i_xy a = reyes_i_project(&d->view->camera, at[-(int)step]);
			const reyes_i_xy b = reyes_i_project(&d->view->camera, *at);
			const reyes_i_xy c = reyes_i_project(&d->view->camera, at[step]);
			const float x = a.x - 2 * b.x + c.x, y = a.y - 2 * b.y + c.y;
			const float sum = (x < 0 ? -x : x) + (y < 0 ? -y : y);

			bend = sum > bend ? sum : bend;
		}
		g = 0.5f * REYES_I_SUBPIXEL * bend + 2;
		if (grow[rim] && g > (float)grow[rim]) /* 0: the rim has no neighbour */
			grow[rim] = g < 255 ? (uint8_t)g : 255;
	}
}

/* Differences of displaced points at column i and row j, one-sided at the rim. */
LSCHED_FN void reyes_i_displaced_slopes(const reyes_i_dicing *d, const reyes_i_vec *p, uint32_t i,
	uint32_t j, reyes_i_vec *du, reyes_i_vec *dv)
{
	const uint32_t row = d->nu + 1, k = j * row + i;

	*du = reyes_i_sub3(p[i < d->nu ? k + 1 : k], p[i > 0 ? k - 1 : k]);
	*dv = reyes_i_sub3(p[j < d->nv ? k + row : k], p[j > 0 ? k - row : k]);
}

LSCHED_FN reyes_i_vec reyes_i_displaced_normal(
	const reyes_i_dicing *d, reyes_i_vec du, reyes_i_vec dv)
{
	const reyes_i_vec n = reyes_i_exact_unit3(
		reyes_i_cross3(reyes_i_exact_unit3(du), reyes_i_exact_unit3(dv)));

	return d->flip ? reyes_i_scale3(n, -1) : n;
}

/* As reyes_i_seen_normal, at a displaced point; du, dv: its slopes. */
LSCHED_FN reyes_i_vec reyes_i_displaced_seen(const reyes_i_dicing *d, const reyes_i_vec *p,
	const reyes_i_walk *w, reyes_i_vec du, reyes_i_vec dv, reyes_i_vec n)
{
	const reyes_i_vec ray = reyes_i_dicing_ray(d, p[w->k]);
	const uint32_t back_u = reyes_i_dot3(du, ray) > 0, back_v = reyes_i_dot3(dv, ray) > 0;
	const uint32_t i = back_u ? w->i - (w->i > 0) : w->i + (w->i < d->nu);
	const uint32_t j = back_v ? w->j - (w->j > 0) : w->j + (w->j < d->nv);
	reyes_i_vec next;

	if (!reyes_i_near_limb(d, ray, n))
		return n;
	reyes_i_displaced_slopes(d, p, i, j, &du, &dv);
	next = reyes_i_dicing_ray(d, p[j * (d->nu + 1) + i]);
	return reyes_i_dot3(reyes_i_displaced_normal(d, du, dv), next) * reyes_i_dot3(n, ray) < 0
		       ? reyes_i_scale3(n, -1)
		       : n;
}

/* Shades displaced points with the normals of their differences. */
LSCHED_FN void reyes_i_dice_displaced(const reyes_i_dicing *d, const reyes_i_vec *p,
	uint32_t thread, uint32_t threads, const uint32_t mirrors)
{
	REYES_I_EACH_POINT(w, d, thread, threads)
	{
		reyes_i_vec du, dv, n;
		float u, v;

		reyes_i_displaced_slopes(d, p, w.i, w.j, &du, &dv);
		n = reyes_i_displaced_normal(d, du, dv);
		reyes_i_dice_uv(d, &w, &u, &v);
		reyes_i_shade_point(d, w.k, u, v, p[w.k], n,
			reyes_i_displaced_seen(d, p, &w, du, dv, n), mirrors);
	}
}

#endif
