/* Primitive variables: Cs, Os, s, t and N at a point of a primitive. Text for both languages. */
#ifndef REYES_SHADE_VARS_H
#define REYES_SHADE_VARS_H

#include "reyes/shade/point.h"

/* Weights of the four Bezier values of a cubic. */
typedef struct reyes_i_bernstein {
	float a, b, c, d;
} reyes_i_bernstein;

LSCHED_FN reyes_i_bernstein reyes_i_bernstein_at(float f)
{
	const float g = 1.0f - f;
	reyes_i_bernstein w;

	w.a = g * g * g;
	w.b = 3.0f * f * g * g;
	w.c = 3.0f * f * f * g;
	w.d = f * f * f;
	return w;
}

/* Returns four values of a row, `stride` floats apart, with their weights. */
LSCHED_FN float reyes_i_bezier(const float *p, uint32_t stride, reyes_i_bernstein w)
{
	return w.a * p[0] + w.b * p[stride] + w.c * p[2 * stride] + w.d * p[3 * stride];
}

/* Returns the bilinear value of four corners 00, 10, 01, 11, `stride` floats apart. */
LSCHED_FN float reyes_i_bilinear(const float *p, uint32_t stride, float u, float v)
{
	return reyes_i_mix(
		reyes_i_mix(p[0], p[stride], u), reyes_i_mix(p[2 * stride], p[3 * stride], u), v);
}

/* Returns one component of a variable at (u, v) of its primitive. */
LSCHED_FN float reyes_i_var_at(
	const reyes_i_view *view, const reyes_i_var *var, uint32_t component, float u, float v)
{
	const float *p = view->floats + var->data + component;
	const uint32_t n = var->components;
	reyes_i_bernstein across, down;

	if (var->form == REYES_I_FORM_CONSTANT)
		return *p;
	if (var->form == REYES_I_FORM_BILINEAR)
		return reyes_i_bilinear(p, n, u, v);
	across = reyes_i_bernstein_at(u);
	down = reyes_i_bernstein_at(v);
	return down.a * reyes_i_bezier(p, n, across) +
	       down.b * reyes_i_bezier(p + 4 * n, n, across) +
	       down.c * reyes_i_bezier(p + 8 * n, n, across) +
	       down.d * reyes_i_bezier(p + 12 * n, n, across);
}

LSCHED_FN reyes_i_vec reyes_i_var3_at(
	const reyes_i_view *view, const reyes_i_var *var, float u, float v)
{
	return reyes_i_vec_of(reyes_i_var_at(view, var, 0, u, v),
		reyes_i_var_at(view, var, 1, u, v), reyes_i_var_at(view, var, 2, u, v));
}

/* Sets u, v, s, t, cs and os of a point, and n if the primitive has the variable N (and N is not
 * zero there). u and v: 0 to 1 over the primitive. Where the primitive has no variable, the
 * attributes' color and opacity hold, and TextureCoordinates over the (u, v) of the request. */
LSCHED_FN void reyes_i_vars_eval(
	const reyes_i_view *view, const reyes_i_prim *prim, float u, float v, reyes_i_point *at)
{
	const reyes_i_attr *attr = &view->attrs[prim->attr];
	const float request_u = reyes_i_mix(prim->u_range[0], prim->u_range[1], u);
	const float request_v = reyes_i_mix(prim->v_range[0], prim->v_range[1], v);
	uint32_t i;

	at->u = u;
	at->v = v;
	at->s = reyes_i_bilinear(attr->tex_coords, 2, request_u, request_v);
	at->t = reyes_i_bilinear(attr->tex_coords + 1, 2, request_u, request_v);
	reyes_i_store3(at->cs, reyes_i_load3(attr->color));
	reyes_i_store3(at->os, reyes_i_load3(attr->opacity));
	for (i = 0; i < prim->var_count; i++) {
		const reyes_i_var *var = &view->vars[prim->vars + i];
		reyes_i_vec value;

		if (var->name == REYES_I_VAR_S) {
			at->s = reyes_i_var_at(view, var, 0, u, v);
			continue;
		}
		if (var->name == REYES_I_VAR_T) {
			at->t = reyes_i_var_at(view, var, 0, u, v);
			continue;
		}
		value = reyes_i_var3_at(view, var, u, v);
		if (var->name == REYES_I_VAR_CS)
			reyes_i_store3(at->cs, value);
		else if (var->name == REYES_I_VAR_OS)
			reyes_i_store3(at->os, value);
		else if (var->name == REYES_I_VAR_N) {
			value = reyes_i_newton_unit3(value);
			if (reyes_i_dot3(value, value) > 0.0f)
				reyes_i_store3(at->n, value);
		}
	}
}

#endif
