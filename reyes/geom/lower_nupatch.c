/* NuPatch: B-spline surfaces, conversion to Bezier patches by knot insertion. */
#include "reyes/geom/lower_patch.h"

/* Replaces the values of class varying by four for each patch: a trimmed domain begins and ends
 * inside a span, whose corners have the values. */
static int spread_varying(reyes_i_lowering *l, const reyes_i_rows *u, const reyes_i_rows *v)
{
	size_t columns = u->spans + 1, i, j, k;
	uint32_t n, c;

	for (n = 0; n < l->var_count; n++) {
		reyes_i_lvar *x = &l->vars[n];
		const float *values = x->values;
		size_t stride = x->stride;
		float *out;

		if (x->storage != REYES_I_CLASS_VARYING)
			continue;
		out = reyes_i_scratch(
			l, u->segments * v->segments, (size_t)4 * x->components * sizeof(*out));
		if (!out)
			return 0;
		x->values = out;
		x->stride = x->components;
		x->storage = REYES_I_CLASS_FACEVARYING;
		for (j = 0; j < v->segments; j++)
			for (i = 0; i < u->segments; i++)
				for (k = 0; k < 4; k++) {
					double a = u->list[i].inside[k & 1];
					double b = v->list[j].inside[k >> 1];
					const float *p = values + (v->list[j].span * columns +
									  u->list[i].span) *
									  stride;
					const float *q = p + columns * stride;

					for (c = 0; c < x->components; c++)
						*out++ =
							(float)((1 - b) *
									((1 - a) * p[c] +
										a * p[stride + c]) +
								b * ((1 - a) * q[c] +
									    a * q[stride + c]));
				}
	}
	return 1;
}

static int check_floats(reyes_i_lowering *l, size_t nu, size_t uorder, size_t nv, size_t vorder)
{
	if (nu > UINT32_MAX || nv > UINT32_MAX || uorder > REYES_I_ORDER_MAX ||
		vorder > REYES_I_ORDER_MAX)
		return reyes_i_drop(l,
			"%zu by %zu points of order %zu by %zu, the largest order is 16", nu, nv,
			uorder, vorder);
	if (l->s->float_count < nu + uorder + nv + vorder + 4)
		return reyes_i_drop(l, "it has %zu knots and limits, %zu are needed",
			l->s->float_count, nu + uorder + nv + vorder + 4);
	return reyes_i_has_points(l, nu * nv);
}

int reyes_i_lower_nu_patch(reyes_i_lowering *l)
{
	const reyes_i_shape *s = l->s;
	size_t nu = s->counts[0], uorder = s->counts[1], nv = s->counts[2], vorder = s->counts[3];
	const float *uknot = s->floats, *vknot, *limit;
	reyes_i_rows u, v;
	reyes_i_needs needs;
	double *net;

	if (!check_floats(l, nu, uorder, nv, vorder))
		return 0;
	vknot = uknot + nu + uorder;
	limit = vknot + nv + vorder;
	if (!reyes_i_knot_rows(l, "u", nu, (uint32_t)uorder, uknot, limit[0], limit[1], &u) ||
		!reyes_i_knot_rows(l, "v", nv, (uint32_t)vorder, vknot, limit[2], limit[3], &v))
		return 0;
	needs = (reyes_i_needs){ { 1, u.spans * v.spans, (u.spans + 1) * (v.spans + 1), nu * nv,
		4 * u.spans * v.spans, 4 * u.spans * v.spans } };
	if (!reyes_i_read_vars(l, &needs) || !spread_varying(l, &u, &v))
		return 0;
	net = reyes_i_make_net(l, nu * nv, 1);
	if (!net)
		return 0;
	if (!l->rational && u.points <= 4 && v.points <= 4) {
		reyes_i_elevate(&u);
		reyes_i_elevate(&v);
	}
	return reyes_i_emit_patches(l, &u, &v, net, u.spans + 1, v.spans + 1);
}
