/* Output of the conversion: primitives and their variables in the arrays of the frame. */
#include <math.h>
#include <string.h>
#include "reyes/geom/lower.h"

reyes_i_prim *reyes_i_emit(
	reyes_i_lowering *l, enum reyes_i_prim_kind kind, uint32_t stride, float **floats)
{
	uint32_t data;
	reyes_i_prim *p;

	*floats = reyes_i_add(l->f, floats, (size_t)stride * l->key_count, &data);
	if (!*floats)
		return NULL;
	p = reyes_i_add(l->f, prims, 1, NULL);
	if (!p)
		return NULL;
	p->kind = (uint8_t)kind;
	p->key_count = (uint8_t)l->key_count;
	p->attr = l->where->attr;
	p->data = data;
	p->stride = stride;
	p->times = l->times_index;
	p->surface = l->surface;
	p->u_range[1] = p->v_range[1] = 1;
	return p;
}

int reyes_i_settle(reyes_i_lowering *l)
{
	reyes_i_prim *p = &l->f->prims.list[l->f->prims.count - 1];
	const float *v = l->f->floats.list + p->data;
	size_t n = (size_t)p->stride * p->key_count, i;
	uint32_t k;

	for (i = 0; i < n; i++)
		if (!(fabsf(v[i]) <= (float)REYES_I_HUGE))
			return reyes_i_drop(l,
				"a coordinate is %g in camera space, the largest possible is 1e30",
				(double)v[i]);
	for (k = 1; k < p->key_count; k++)
		if (memcmp(v, v + (size_t)k * p->stride, p->stride * sizeof(*v)) != 0)
			return 1;
	p->key_count = 1;
	l->f->floats.count = (size_t)p->data + p->stride;
	return 1;
}

static const size_t *corner_list(const reyes_i_corners *c, uint8_t storage)
{
	switch (storage) {
	case REYES_I_CLASS_VARYING:
		return c->varying;
	case REYES_I_CLASS_VERTEX:
		return c->vertex;
	default:
		return c->face;
	}
}

/* Writes one value that the whole primitive has. */
static int emit_constant(reyes_i_lowering *l, reyes_i_lvar *v, size_t index, uint32_t *data)
{
	uint32_t i;
	float *out;

	if (v->storage == REYES_I_CLASS_CONSTANT && v->shared != REYES_I_NONE) {
		*data = v->shared;
		return 1;
	}
	out = reyes_i_add(l->f, floats, v->components, data);
	if (!out)
		return 0;
	for (i = 0; i < v->components; i++)
		out[i] = v->values[index * v->stride + i];
	if (v->storage == REYES_I_CLASS_CONSTANT)
		v->shared = *data;
	return 1;
}

static int emit_bilinear(
	reyes_i_lowering *l, const reyes_i_lvar *v, const size_t corner[4], uint32_t *data)
{
	float *out = reyes_i_add(l->f, floats, (size_t)4 * v->components, data);
	uint32_t i, k;

	if (!out)
		return 0;
	for (k = 0; k < 4; k++)
		for (i = 0; i < v->components; i++)
			*out++ = v->values[corner[k] * v->stride + i];
	return 1;
}

static int emit_bicubic(reyes_i_lowering *l, const reyes_i_lvar *v, const double *bezier,
	uint32_t channel, uint32_t *data)
{
	float *out = reyes_i_add(l->f, floats, (size_t)16 * v->components, data);
	uint32_t i, k;

	if (!out)
		return 0;
	for (k = 0; k < 16; k++)
		for (i = 0; i < v->components; i++)
			*out++ = (float)bezier[k * l->channels + channel + i];
	return 1;
}

static int emit_var(reyes_i_lowering *l, reyes_i_lvar *v, const reyes_i_corners *c,
	const double *bezier, uint32_t channel, reyes_i_var *out)
{
	out->name = v->name;
	out->components = (uint8_t)v->components;
	if (v->storage == REYES_I_CLASS_CONSTANT || v->storage == REYES_I_CLASS_UNIFORM) {
		out->form = REYES_I_FORM_CONSTANT;
		return emit_constant(
			l, v, v->storage == REYES_I_CLASS_UNIFORM ? c->uniform : 0, &out->data);
	}
	if (v->storage == REYES_I_CLASS_VERTEX && bezier) {
		out->form = REYES_I_FORM_BICUBIC;
		return emit_bicubic(l, v, bezier, channel, &out->data);
	}
	out->form = REYES_I_FORM_BILINEAR;
	return emit_bilinear(l, v, corner_list(c, v->storage), &out->data);
}

int reyes_i_emit_vars(reyes_i_lowering *l, const reyes_i_corners *c, const double *bezier)
{
	reyes_i_prim *p = &l->f->prims.list[l->f->prims.count - 1];
	uint32_t first, i, channel = l->key_count * l->dimension, constants = 0;
	reyes_i_var *out;

	if (!l->var_count)
		return 1;
	p->var_count = l->var_count;
	if (l->shared_vars != REYES_I_NONE) {
		p->vars = l->shared_vars;
		return 1;
	}
	out = reyes_i_add(l->f, vars, l->var_count, &first);
	if (!out)
		return 0;
	p->vars = first;
	for (i = 0; i < l->var_count; i++) {
		reyes_i_lvar *v = &l->vars[i];

		if (!emit_var(l, v, c, bezier, channel, &out[i]))
			return 0;
		if (v->storage == REYES_I_CLASS_VERTEX)
			channel += v->components;
		constants += v->storage == REYES_I_CLASS_CONSTANT;
	}
	if (constants == l->var_count)
		l->shared_vars = first;
	return 1;
}
