/* Patch, PatchMesh: conversion to Bezier patches; primitives of any mesh of patches. */
#include "reyes/geom/lower_patch.h"

typedef struct mesh {
	reyes_i_lowering *l;
	const reyes_i_rows *u, *v;
	const double *net;
	size_t columns, rows; /* of the values of class varying */
	enum reyes_i_prim_kind kind;
	double *bezier; /* [v][u][channels] */
	double *fitted; /* [16][channels]: vertex variables of rational patches */
} mesh;

/* Writes the floats of all keys from the Bezier points. */
static void write_points(const mesh *m, float *out)
{
	const reyes_i_lowering *l = m->l;
	size_t n = (size_t)m->u->points * m->v->points, i;
	uint32_t k, c;

	for (k = 0; k < l->key_count; k++)
		for (i = 0; i < n; i++) {
			const double *p = m->bezier + i * l->channels + (size_t)k * l->dimension;

			for (c = 0; c < l->dimension; c++)
				*out++ = (float)p[c];
			if (m->kind == REYES_I_RATIONAL && l->dimension == 3)
				*out++ = 1;
		}
}

/* Returns Bezier values of the vertex variables; NULL for bilinear patches. A bicubic polynomial
 * replaces rational functions and higher degrees; its values on an edge depend on that edge
 * only. */
static const double *vertex_values(const mesh *m)
{
	const reyes_i_lowering *l = m->l;
	static const double node[4] = { 0, 0.25, 0.75, 1 };
	uint32_t c;
	int i;

	if (m->kind == REYES_I_BICUBIC)
		return m->bezier;
	if (m->kind == REYES_I_BILINEAR || l->channels == l->key_count * l->dimension)
		return NULL;
	for (i = 0; i < 16; i++) {
		double *at = m->fitted + (size_t)i * l->channels, weight = 1;

		reyes_i_bezier_value(m->bezier, m->u->points, m->v->points, l->channels,
			node[i % 4], node[i / 4], at);
		if (l->dimension == 4)
			weight = at[3];
		for (c = l->key_count * l->dimension; c < l->channels; c++)
			at[c] /= weight;
	}
	reyes_i_fit_bicubic(m->fitted, l->channels);
	return m->fitted;
}

static int emit_patch(const mesh *m, size_t i, size_t j)
{
	reyes_i_lowering *l = m->l;
	const reyes_i_segment *su = &m->u->list[i], *sv = &m->v->list[j];
	uint32_t n = m->u->points * m->v->points;
	reyes_i_corners c;
	reyes_i_prim *p;
	float *floats;
	size_t k, patch = j * m->u->segments + i;

	p = reyes_i_emit(l, m->kind, n * (m->kind == REYES_I_RATIONAL ? 4 : 3), &floats);
	if (!p)
		return 0;
	p->order_u = (uint8_t)m->u->points;
	p->order_v = (uint8_t)m->v->points;
	for (k = 0; k < 2; k++) {
		p->u_range[k] = (float)su->range[k];
		p->v_range[k] = (float)sv->range[k];
	}
	reyes_i_tensor(m->u, i, m->v, j, m->net, l->channels, m->bezier);
	reyes_i_correct_origin(l, m->u, i, m->v, j, m->bezier);
	write_points(m, floats);
	if (!reyes_i_settle(l))
		return 0;
	c.uniform = sv->span * m->u->spans + su->span;
	for (k = 0; k < 4; k++) {
		size_t x = k & 1, y = k >> 1;

		c.varying[k] = (sv->span + y) % m->rows * m->columns + (su->span + x) % m->columns;
		c.vertex[k] =
			(sv->first + y) % m->v->count * m->u->count + (su->first + x) % m->u->count;
		c.face[k] = 4 * patch + k;
	}
	return reyes_i_emit_vars(l, &c, vertex_values(m));
}

int reyes_i_emit_patches(reyes_i_lowering *l, const reyes_i_rows *u, const reyes_i_rows *v,
	const double *net, size_t varying_columns, size_t varying_rows)
{
	mesh m = { l, u, v, net, varying_columns, varying_rows, REYES_I_RATIONAL, NULL, NULL };
	size_t i, j;

	if (!l->rational && u->points == 4 && v->points == 4)
		m.kind = REYES_I_BICUBIC;
	else if (!l->rational && u->points == 2 && v->points == 2)
		m.kind = REYES_I_BILINEAR;
	m.bezier =
		reyes_i_scratch(l, (size_t)u->points * v->points, l->channels * sizeof(*m.bezier));
	m.fitted = reyes_i_scratch(l, 16, l->channels * sizeof(*m.fitted));
	if (!m.bezier || !m.fitted)
		return 0;
	for (j = 0; j < v->segments; j++)
		for (i = 0; i < u->segments; i++)
			if (!emit_patch(&m, i, j))
				return 0;
	return 1;
}

int reyes_i_lower_patch_mesh(reyes_i_lowering *l)
{
	const reyes_i_shape *s = l->s;
	size_t nu = s->counts[0], nv = s->counts[1], columns, rows;
	int cubic = s->degree == REYES_I_CUBIC;
	reyes_i_rows u, v;
	reyes_i_needs needs;
	double *net;

	if (nu > UINT32_MAX || nv > UINT32_MAX)
		return reyes_i_drop(l, "%zu by %zu points are too many", nu, nv);
	if (!reyes_i_has_points(l, nu * nv))
		return 0;
	if (cubic ? !reyes_i_basis_rows(
			    l, "u", nu, s->u_periodic != 0, s->u_basis, s->u_step, &u) ||
				!reyes_i_basis_rows(
					l, "v", nv, s->v_periodic != 0, s->v_basis, s->v_step, &v)
		  : !reyes_i_linear_rows(l, nu, s->u_periodic != 0, &u) ||
				!reyes_i_linear_rows(l, nv, s->v_periodic != 0, &v))
		return 0;
	columns = u.segments + (s->u_periodic ? 0 : 1);
	rows = v.segments + (s->v_periodic ? 0 : 1);
	needs = (reyes_i_needs){ { 1, u.segments * v.segments, columns * rows, nu * nv,
		4 * u.segments * v.segments, 4 * u.segments * v.segments } };
	if (!reyes_i_read_vars(l, &needs))
		return 0;
	net = reyes_i_make_net(l, nu * nv, 1);
	return net && reyes_i_emit_patches(l, &u, &v, net, columns, rows);
}
