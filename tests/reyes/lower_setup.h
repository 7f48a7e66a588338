/* Set-up of the suites of the conversion to primitives: shapes from arrays, messages, evaluation of
 * primitives in double precision. */
#ifndef TESTS_REYES_LOWER_SETUP_H
#define TESTS_REYES_LOWER_SETUP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reyes/scene/frame_arrays.h"
#include "reyes/scene/shape.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#define MOST_KEYS 4
#define MOST_VARS 8

/* A shape whose arrays are the caller's. */
typedef struct test_shape {
	reyes_i_shape s;
	reyes_i_shape_key keys[MOST_KEYS];
	reyes_i_primvar vars[MOST_KEYS][MOST_VARS];
} test_shape;

/* The result of a conversion. */
typedef struct lowered {
	reyes_i_frame f;
	reyes_i_motion motion;
	reyes_status status;
	unsigned errors, warnings;
	char text[512]; /* the last message */
} lowered;

static const float b_spline[4][4] = { { -1.f / 6, 3.f / 6, -3.f / 6, 1.f / 6 },
	{ 3.f / 6, -6.f / 6, 3.f / 6, 0 }, { -3.f / 6, 0, 3.f / 6, 0 },
	{ 1.f / 6, 4.f / 6, 1.f / 6, 0 } };
static const float bezier[4][4] = { { -1, 3, -3, 1 }, { 3, -6, 3, 0 }, { -3, 3, 0, 0 },
	{ 1, 0, 0, 0 } };

static inline void shape_init(test_shape *t, uint32_t kind, const char *request)
{
	memset(t, 0, sizeof(*t));
	t->s.kind = kind;
	t->s.request = request;
	t->s.key_count = 1;
	t->s.keys = t->keys;
}

static inline void shape_basis(test_shape *t, const float m[4][4], uint32_t step)
{
	memcpy(t->s.u_basis, m, sizeof(t->s.u_basis));
	memcpy(t->s.v_basis, m, sizeof(t->s.v_basis));
	t->s.u_step = t->s.v_step = step;
	t->s.degree = REYES_I_CUBIC;
}

static inline void shape_var(test_shape *t, size_t key, const char *name, uint8_t storage,
	uint32_t components, const float *floats, size_t count)
{
	reyes_i_shape_key *k = &t->keys[key];
	reyes_i_primvar *v = &t->vars[key][k->var_count++];

	k->vars = t->vars[key];
	v->name = (char *)name;
	v->storage = storage;
	v->components = components;
	v->count = count;
	v->floats = (float *)floats;
}

static inline void shape_points(test_shape *t, const float *p, size_t count)
{
	shape_var(t, 0, "P", REYES_I_CLASS_VERTEX, 3, p, 3 * count);
}

static inline void shape_ints(test_shape *t, const int32_t *ints, size_t n)
{
	t->s.ints = (int32_t *)ints;
	t->s.int_count = n;
}

static inline void note(void *user, reyes_level level, const char *message)
{
	lowered *r = user;

	if (level == REYES_LEVEL_ERROR)
		r->errors++;
	else
		r->warnings++;
	snprintf(r->text, sizeof(r->text), "%s", message);
}

static inline void identity(double m[16])
{
	int i;

	for (i = 0; i < 16; i++)
		m[i] = i % 5 == 0;
}

static inline void lowered_init(lowered *r)
{
	memset(r, 0, sizeof(*r));
	r->motion.count = 1;
	identity(r->motion.matrix[0]);
}

/* Converts the shape; the frame keeps what it has. */
static inline void lower(lowered *r, const test_shape *t)
{
	reyes_i_placement where = { &r->motion, 7, note, r };

	r->status = reyes_i_lower(&r->f, &t->s, &where);
}

static inline void lowered_free(lowered *r)
{
	reyes_i_frame_free(&r->f);
}

/* 0 .. 1, without 1 */
static inline double random_unit(void)
{
	return (double)rng() / 4294967296.0;
}

static inline void fill_random(float *out, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = (float)(2 * random_unit() - 1);
}

/* ---- evaluation ---- */

/* De Casteljau's algorithm over n points of c coordinates, `step` doubles apart. */
static inline void casteljau(
	const double *p, size_t n, size_t step, size_t c, double t, double *out)
{
	double d[16][4];
	size_t i, k, r;

	for (i = 0; i < n; i++)
		for (k = 0; k < c; k++)
			d[i][k] = p[i * step + k];
	for (r = 1; r < n; r++)
		for (i = 0; i + r < n; i++)
			for (k = 0; k < c; k++)
				d[i][k] += t * (d[i + 1][k] - d[i][k]);
	memcpy(out, d[0], c * sizeof(*out));
}

static inline void eval_tensor(
	const float *p, size_t nu, size_t nv, size_t c, double u, double v, double *out)
{
	double line[16 * 4], row[16 * 4];
	size_t i, j;

	for (j = 0; j < nv; j++) {
		for (i = 0; i < nu * c; i++)
			line[i] = p[j * nu * c + i];
		casteljau(line, nu, c, c, u, row + j * c);
	}
	casteljau(row, nv, c, c, v, out);
}

/* Finds the leaf of a quadtree at (u, v); *u and *v become its coordinates. */
static inline uint32_t find_leaf(
	const reyes_i_frame *f, const reyes_i_prim *p, double *u, double *v)
{
	uint32_t node = f->words.list[p->data_words];

	while (!(node & REYES_I_LEAF)) {
		uint32_t x = *u >= 0.5, y = *v >= 0.5;

		*u = 2 * *u - x;
		*v = 2 * *v - y;
		node = f->words.list[p->data_words + node + x + 2 * y];
	}
	return node & ~REYES_I_LEAF;
}

static inline void eval_quadric(const float *p, int kind, double u, double v, double q[3])
{
	static const int sweep[] = { 3, 3, 2, 6, 3, 2, 4 };
	double a = u * p[sweep[kind - REYES_I_SPHERE]], x, y = 0, z;

	switch (kind) {
	case REYES_I_SPHERE:
		x = p[0] * cos(p[1] + v * (p[2] - p[1]));
		z = p[0] * sin(p[1] + v * (p[2] - p[1]));
		break;
	case REYES_I_CYLINDER:
		x = p[0];
		z = p[1] + v * (p[2] - p[1]);
		break;
	case REYES_I_CONE:
		x = p[1] * (1 - v);
		z = v * p[0];
		break;
	case REYES_I_HYPERBOLOID:
		x = p[0] + v * (p[3] - p[0]);
		y = p[1] + v * (p[4] - p[1]);
		z = p[2] + v * (p[5] - p[2]);
		break;
	case REYES_I_PARABOLOID:
		z = p[1] + v * (p[2] - p[1]);
		x = p[0] * sqrt(z / p[2]);
		break;
	case REYES_I_DISK:
		x = p[1] * (1 - v);
		z = p[0];
		break;
	default:
		x = p[0] + p[1] * cos(p[2] + v * (p[3] - p[2]));
		z = p[1] * sin(p[2] + v * (p[3] - p[2]));
	}
	q[0] = x * cos(a) - y * sin(a);
	q[1] = x * sin(a) + y * cos(a);
	q[2] = z;
}

/* Writes the point of a primitive at a key. */
static inline void eval_prim(const reyes_i_frame *f, const reyes_i_prim *p, size_t key, double u,
	double v, double out[3])
{
	const float *d = f->floats.list + p->data + key * p->stride;
	double h[4], q[3];
	int k;

	switch (p->kind) {
	case REYES_I_BILINEAR:
		eval_tensor(d, 2, 2, 3, u, v, out);
		return;
	case REYES_I_BICUBIC:
		eval_tensor(d, 4, 4, 3, u, v, out);
		return;
	case REYES_I_RATIONAL:
		eval_tensor(d, p->order_u, p->order_v, 4, u, v, h);
		for (k = 0; k < 3; k++)
			out[k] = h[k] / h[3];
		return;
	case REYES_I_SUBDIVISION:
		d += 48 * (size_t)find_leaf(f, p, &u, &v);
		eval_tensor(d, 4, 4, 3, u, v, out);
		return;
	case REYES_I_CURVE:
		eval_tensor(d, 1, 4, 3, 0, v, out);
		return;
	case REYES_I_POINT:
		for (k = 0; k < 3; k++)
			out[k] = d[k];
		return;
	default:
		eval_quadric(d, p->kind, u, v, q);
		d += 8;
		for (k = 0; k < 3; k++)
			out[k] = q[0] * d[k] + q[1] * d[3 + k] + q[2] * d[6 + k] + d[9 + k];
	}
}

/* Writes the value of a variable; returns 0 if the primitive does not have it. */
static inline int eval_var(const reyes_i_frame *f, const reyes_i_prim *p, uint8_t name, double u,
	double v, double *out)
{
	uint32_t i, k;

	for (i = 0; i < p->var_count; i++) {
		const reyes_i_var *x = &f->vars.list[p->vars + i];
		const float *d = f->floats.list + x->data;

		if (x->name != name)
			continue;
		if (x->form == REYES_I_FORM_CONSTANT)
			for (k = 0; k < x->components; k++)
				out[k] = d[k];
		else if (x->form == REYES_I_FORM_BILINEAR)
			eval_tensor(d, 2, 2, x->components, u, v, out);
		else
			eval_tensor(d, 4, 4, x->components, u, v, out);
		return 1;
	}
	return 0;
}

static inline double distance(const double a[3], const double b[3])
{
	return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

#endif
