/* Points of Bezier patches: bilinear, bicubic, rational of any order. At the rim of a patch the
 * result depends on the rim's control points only, and is the same if they are given in the
 * opposite order: the sums are symmetric. So patches that share a rim meet without a gap. */
#ifndef REYES_GEOM_EVAL_BEZIER_H
#define REYES_GEOM_EVAL_BEZIER_H

#include "reyes/core/vec.h"
#include "reyes/scene/frame.h"

/* A point of a surface and its derivatives. */
typedef struct reyes_i_surf {
	reyes_i_vec p, du, dv;
} reyes_i_surf;

LSCHED_FN void reyes_i_eval_bilinear(const float *g, float u, float v, reyes_i_surf *out)
{
	const reyes_i_vec p00 = reyes_i_load3(g), p10 = reyes_i_load3(g + 3);
	const reyes_i_vec p01 = reyes_i_load3(g + 6), p11 = reyes_i_load3(g + 9);
	const reyes_i_vec low = reyes_i_blend3(p00, 1 - u, p10, u);
	const reyes_i_vec high = reyes_i_blend3(p01, 1 - u, p11, u);

	out->p = reyes_i_blend3(low, 1 - v, high, v);
	out->du = reyes_i_blend3(reyes_i_sub3(p10, p00), 1 - v, reyes_i_sub3(p11, p01), v);
	out->dv = reyes_i_sub3(high, low);
}

/* Cubic Bernstein polynomials and their derivatives. */
typedef struct reyes_i_cubic {
	float b0, b1, b2, b3, d0, d1, d2;
} reyes_i_cubic;

LSCHED_FN reyes_i_cubic reyes_i_cubic_at(float t)
{
	const float s = 1 - t, st = s * t;
	reyes_i_cubic c;

	c.b0 = s * s * s;
	c.b1 = 3 * st * s;
	c.b2 = 3 * st * t;
	c.b3 = t * t * t;
	c.d0 = 3 * (s * s);
	c.d1 = 6 * st;
	c.d2 = 3 * (t * t);
	return c;
}

LSCHED_FN reyes_i_vec reyes_i_cubic_point(
	const reyes_i_cubic *c, reyes_i_vec p0, reyes_i_vec p1, reyes_i_vec p2, reyes_i_vec p3)
{
	return reyes_i_add3(
		reyes_i_blend3(p0, c->b0, p3, c->b3), reyes_i_blend3(p1, c->b1, p2, c->b2));
}

LSCHED_FN reyes_i_vec reyes_i_cubic_slope(
	const reyes_i_cubic *c, reyes_i_vec p0, reyes_i_vec p1, reyes_i_vec p2, reyes_i_vec p3)
{
	return reyes_i_add3(
		reyes_i_blend3(reyes_i_sub3(p1, p0), c->d0, reyes_i_sub3(p3, p2), c->d2),
		reyes_i_scale3(reyes_i_sub3(p2, p1), c->d1));
}

LSCHED_FN void reyes_i_eval_bicubic(const float *g, float u, float v, reyes_i_surf *out)
{
	const reyes_i_cubic cu = reyes_i_cubic_at(u), cv = reyes_i_cubic_at(v);
	reyes_i_vec q[4], d[4];

	LSCHED_UNROLL
	for (int j = 0; j < 4; j++) {
		const float *row = g + 12 * j;
		const reyes_i_vec p0 = reyes_i_load3(row), p1 = reyes_i_load3(row + 3);
		const reyes_i_vec p2 = reyes_i_load3(row + 6), p3 = reyes_i_load3(row + 9);

		q[j] = reyes_i_cubic_point(&cu, p0, p1, p2, p3);
		d[j] = reyes_i_cubic_slope(&cu, p0, p1, p2, p3);
	}
	out->p = reyes_i_cubic_point(&cv, q[0], q[1], q[2], q[3]);
	out->du = reyes_i_cubic_point(&cv, d[0], d[1], d[2], d[3]);
	out->dv = reyes_i_cubic_slope(&cv, q[0], q[1], q[2], q[3]);
}

LSCHED_FN reyes_i_vec reyes_i_point_bicubic(const float *g, float u, float v)
{
	const reyes_i_cubic cu = reyes_i_cubic_at(u), cv = reyes_i_cubic_at(v);
	reyes_i_vec q[4];

	LSCHED_UNROLL
	for (int j = 0; j < 4; j++) {
		const float *row = g + 12 * j;

		q[j] = reyes_i_cubic_point(&cu, reyes_i_load3(row), reyes_i_load3(row + 3),
			reyes_i_load3(row + 6), reyes_i_load3(row + 9));
	}
	return reyes_i_cubic_point(&cv, q[0], q[1], q[2], q[3]);
}

#define REYES_I_ORDER_MAX 16

/* Bernstein polynomials of an order (degree + 1) at t, and those of the order below it, of which
 * the derivatives are differences. */
LSCHED_FN void reyes_i_basis_of(
	uint32_t order, float t, float basis[REYES_I_ORDER_MAX], float lower[REYES_I_ORDER_MAX])
{
	const float s = 1 - t;

	basis[0] = 1;
	lower[0] = 0;
	for (uint32_t n = 1; n < order; n++) {
		float carry = 0;

		for (uint32_t k = 0; k < n; k++) {
			const float b = basis[k];

			lower[k] = b;
			basis[k] = s * b + carry;
			carry = t * b;
		}
		basis[n] = carry;
	}
}

typedef struct reyes_i_homogeneous {
	reyes_i_vec p;
	float w;
} reyes_i_homogeneous;

LSCHED_FN reyes_i_homogeneous reyes_i_rational_sum(
	const float *g, uint32_t nu, uint32_t nv, const float *bu, const float *bv)
{
	reyes_i_homogeneous h = { { 0, 0, 0 }, 0 };

	for (uint32_t j = 0; j < nv; j++) {
		for (uint32_t i = 0; i < nu; i++) {
			const float *c = g + 4 * (j * nu + i), b = bu[i] * bv[j];

			h.p = reyes_i_vec_of(h.p.x + b * c[0], h.p.y + b * c[1], h.p.z + b * c[2]);
			h.w += b * c[3];
		}
	}
	return h;
}

/* The derivative of h.p / h.w. */
LSCHED_FN reyes_i_vec reyes_i_rational_slope(
	reyes_i_homogeneous h, reyes_i_vec p, reyes_i_homogeneous d)
{
	return reyes_i_scale3(reyes_i_sub3(d.p, reyes_i_scale3(p, d.w)), 1 / h.w);
}

/* Turns the basis of the lower order into the derivative's coefficients of each point. */
LSCHED_FN void reyes_i_basis_slope(uint32_t order, float lower[REYES_I_ORDER_MAX])
{
	float before = 0;

	for (uint32_t k = 0; k < order; k++) {
		const float here = k + 1 < order ? lower[k] : 0;

		lower[k] = (float)(order - 1) * (before - here);
		before = here;
	}
}

LSCHED_FN void reyes_i_eval_rational(
	const float *g, uint32_t nu, uint32_t nv, float u, float v, reyes_i_surf *out)
{
	float bu[REYES_I_ORDER_MAX], bv[REYES_I_ORDER_MAX];
	float du[REYES_I_ORDER_MAX], dv[REYES_I_ORDER_MAX];
	reyes_i_homogeneous h;

	reyes_i_basis_of(nu, u, bu, du);
	reyes_i_basis_of(nv, v, bv, dv);
	reyes_i_basis_slope(nu, du);
	reyes_i_basis_slope(nv, dv);
	h = reyes_i_rational_sum(g, nu, nv, bu, bv);
	out->p = reyes_i_scale3(h.p, 1 / h.w);
	out->du = reyes_i_rational_slope(h, out->p, reyes_i_rational_sum(g, nu, nv, du, bv));
	out->dv = reyes_i_rational_slope(h, out->p, reyes_i_rational_sum(g, nu, nv, bu, dv));
}

#endif
