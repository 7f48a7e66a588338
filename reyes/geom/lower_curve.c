/* Curves: each segment of a curve becomes a cubic Bezier ribbon. */
#include <string.h>
#include "reyes/geom/bezier_rows.h"

#define FLOATS 22 /* of a key: 4 points, 4 widths, 2 normals */

/* Variables that lie along a curve, and the numbers of their values. */
typedef struct along {
	const float *values; /* NULL: the constant */
	float constant;
	uint8_t storage;
} along;

typedef struct curves {
	reyes_i_lowering *l;
	double *net;
	along width, normal;
	double *bezier; /* [4][channels] */
	double *grid;   /* [16][channels] */
	/* The current curve and the numbers of its first values. */
	size_t curve, vertex, varying;
	reyes_i_rows rows;
	int periodic;
} curves;

/* Index of a value of class vertex, varying or uniform; end 0 or 1 of the segment. */
static size_t value_index(const curves *c, uint8_t storage, size_t segment, size_t end)
{
	const reyes_i_segment *s = &c->rows.list[segment];

	switch (storage) {
	case REYES_I_CLASS_UNIFORM:
		return c->curve;
	case REYES_I_CLASS_VARYING:
		return c->varying +
		       (c->periodic ? (segment + end) % c->rows.segments : segment + end);
	case REYES_I_CLASS_VERTEX:
		return c->vertex + (s->first + end) % c->rows.count;
	default:
		return 0;
	}
}

/* Writes the four Bezier values of a variable along a segment. */
static void along_values(
	const curves *c, const along *a, uint32_t components, size_t segment, double out[][3])
{
	const reyes_i_segment *s = &c->rows.list[segment];
	size_t first = value_index(c, a->storage, segment, 0) * components;
	size_t last = value_index(c, a->storage, segment, 1) * components;
	uint32_t i, k, b;

	for (i = 0; i < 4; i++)
		for (k = 0; k < components; k++) {
			double sum = 0;

			if (!a->values) {
				sum = a->constant;
			} else if (a->storage == REYES_I_CLASS_VERTEX) {
				for (b = 0; b < c->rows.width; b++) {
					size_t n = c->vertex + (s->first + b) % c->rows.count;

					sum += s->weight[i][b] * a->values[n * components + k];
				}
			} else {
				sum = a->values[first + k];
				sum += (a->values[last + k] - sum) * i / 3;
			}
			out[i][k] = sum;
		}
}

static void write_segment(const curves *c, size_t segment, uint32_t stride, float *out)
{
	const reyes_i_lowering *l = c->l;
	double width[4][3], normal[4][3];
	uint32_t k, i, d;

	along_values(c, &c->width, 1, segment, width);
	if (c->normal.values)
		along_values(c, &c->normal, 3, segment, normal);
	for (k = 0; k < l->key_count; k++, out += stride) {
		double scale = reyes_i_scale(l->matrix[k]);

		for (i = 0; i < 4; i++) {
			const double *p = c->bezier + i * l->channels + k * 3;

			for (d = 0; d < 3; d++)
				out[3 * i + d] = (float)p[d];
			out[12 + i] = (float)(width[i][0] * scale);
		}
		for (d = 0; d < 3 && c->normal.values; d++) {
			out[16 + d] = (float)normal[0][d];
			out[19 + d] = (float)normal[3][d];
		}
	}
}

/* The Bezier values of the curve for each u. */
static const double *across(const curves *c)
{
	const reyes_i_lowering *l = c->l;
	size_t i;

	if (l->channels == l->key_count * 3)
		return NULL;
	for (i = 0; i < 16; i++)
		memcpy(c->grid + i * l->channels, c->bezier + i / 4 * l->channels,
			l->channels * sizeof(*c->grid));
	return c->grid;
}

static int emit_segment(curves *c, size_t segment)
{
	reyes_i_lowering *l = c->l;
	const reyes_i_rows one = { 1, 1, 1, 1, 1,
		(reyes_i_segment[]){
			{ 0, 0, { 0, 1 }, { 0, 1 }, (double[1][REYES_I_ORDER_MAX]){ { 1 } } } } };
	uint32_t stride = c->normal.values ? FLOATS : 16;
	reyes_i_corners corners;
	reyes_i_prim *p;
	float *floats;
	size_t k;

	p = reyes_i_emit(l, REYES_I_CURVE, stride, &floats);
	if (!p)
		return 0;
	p->flags = c->normal.values ? REYES_I_HAS_NORMALS : 0;
	for (k = 0; k < 2; k++)
		p->v_range[k] = (float)c->rows.list[segment].range[k];
	reyes_i_tensor(&one, 0, &c->rows, segment, c->net + c->vertex * l->channels, l->channels,
		c->bezier);
	reyes_i_correct_origin(l, &one, 0, &c->rows, segment, c->bezier);
	write_segment(c, segment, stride, floats);
	if (!reyes_i_settle(l))
		return 0;
	corners.uniform = c->curve;
	for (k = 0; k < 4; k++) {
		corners.varying[k] = value_index(c, REYES_I_CLASS_VARYING, segment, k >> 1);
		corners.vertex[k] = value_index(c, REYES_I_CLASS_VERTEX, segment, k >> 1);
		corners.face[k] = corners.varying[k];
	}
	return reyes_i_emit_vars(l, &corners, across(c));
}

/* Makes the rows of a curve; `name` is for messages. */
static int curve_rows(reyes_i_lowering *l, size_t count, reyes_i_rows *rows)
{
	const reyes_i_shape *s = l->s;

	if (s->degree == REYES_I_CUBIC)
		return reyes_i_basis_rows(
			l, "a curve", count, s->v_periodic != 0, s->v_basis, s->v_step, rows);
	if (!reyes_i_linear_rows(l, count, s->v_periodic != 0, rows))
		return 0;
	reyes_i_elevate(rows);
	return 1;
}

static size_t least_vertices(const reyes_i_shape *s)
{
	return s->degree == REYES_I_CUBIC ? 4 : 2;
}

/* Varying values of a curve that has too few vertices, and is not drawn. */
static size_t varying_of_bad(const reyes_i_shape *s, size_t n)
{
	return n && !s->v_periodic;
}

/* Writes the numbers of values that the curves need, and checks them. */
static int count_values(reyes_i_lowering *l, reyes_i_needs *needs)
{
	const reyes_i_shape *s = l->s;
	size_t curve, vertices = 0, varying = 0, step = s->v_step ? s->v_step : 1;

	if (s->int_count < s->counts[0])
		return reyes_i_drop(
			l, "%zu counts of vertices for %zu curves", s->int_count, s->counts[0]);
	for (curve = 0; curve < s->counts[0]; curve++) {
		size_t n = (size_t)s->ints[curve], segments;

		if (s->ints[curve] < 0)
			return reyes_i_drop(
				l, "curve %zu has %d vertices", curve, (int)s->ints[curve]);
		vertices += n;
		if (n < least_vertices(s)) {
			varying += varying_of_bad(s, n);
			continue;
		}
		if (s->degree != REYES_I_CUBIC)
			segments = s->v_periodic ? n : n - 1;
		else if (s->v_periodic)
			segments = n / step;
		else
			segments = (n - 4) / step + 1;
		varying += segments + (s->v_periodic ? 0 : 1);
	}
	*needs = (reyes_i_needs){ { 1, s->counts[0], varying, vertices, varying, vertices } };
	return reyes_i_has_points(l, vertices);
}

/* Reads "width" or "constantwidth"; the default is 1. */
static int read_width(reyes_i_lowering *l, const reyes_i_needs *needs, along *width)
{
	const reyes_i_primvar *v = reyes_i_find(l->s, 0, "width");

	if (!v)
		v = reyes_i_find(l->s, 0, "constantwidth");
	*width = (along){ NULL, 1, REYES_I_CLASS_CONSTANT };
	if (!v)
		return 1;
	if (v->components != 1 || v->storage >= REYES_I_CLASSES) {
		reyes_i_defect(
			l, REYES_LEVEL_WARN, "\"%s\" is not a float; it is ignored", v->name);
		return 1;
	}
	width->values = v->floats;
	width->storage = v->storage == REYES_I_CLASS_FACEVARYING  ? REYES_I_CLASS_VARYING
			 : v->storage == REYES_I_CLASS_FACEVERTEX ? REYES_I_CLASS_VERTEX
								  : v->storage;
	return reyes_i_check_values(l, v, needs->count[width->storage]);
}

/* Takes the normals out of the variables: they turn the ribbon. */
static void take_normals(reyes_i_lowering *l, along *normal)
{
	uint32_t i;

	for (i = 0; i < l->var_count; i++) {
		if (l->vars[i].name != REYES_I_VAR_N)
			continue;
		normal->values = l->vars[i].values;
		normal->storage = l->vars[i].storage;
		memmove(&l->vars[i], &l->vars[i + 1], (l->var_count - i - 1) * sizeof(l->vars[0]));
		l->var_count--;
		return;
	}
}

int reyes_i_lower_curves(reyes_i_lowering *l)
{
	const reyes_i_shape *s = l->s;
	reyes_i_needs needs;
	curves c = { .l = l, .periodic = s->v_periodic != 0 };
	size_t segment, bad = 0;

	if (!count_values(l, &needs) || !reyes_i_read_vars(l, &needs) ||
		!read_width(l, &needs, &c.width))
		return 0;
	take_normals(l, &c.normal);
	c.net = reyes_i_make_net(l, needs.count[REYES_I_CLASS_VERTEX], 0);
	if (!c.net)
		return 0;
	c.bezier = reyes_i_scratch(l, 4, l->channels * sizeof(*c.bezier));
	c.grid = reyes_i_scratch(l, 16, l->channels * sizeof(*c.grid));
	if (!c.bezier || !c.grid)
		return 0;
	for (c.curve = 0; c.curve < s->counts[0]; c.curve++) {
		size_t n = (size_t)s->ints[c.curve];

		if (n < least_vertices(s)) {
			bad++;
			c.vertex += n;
			c.varying += varying_of_bad(s, n);
			continue;
		}
		/* Curves of one length, which are the rule, share the rows. */
		if (n != c.rows.count && !curve_rows(l, n, &c.rows))
			return 0;
		if (c.curve)
			l->surface = l->f->surface_count++;
		for (segment = 0; segment < c.rows.segments; segment++)
			if (!emit_segment(&c, segment))
				return 0;
		c.vertex += n;
		c.varying += c.rows.segments + (c.periodic ? 0 : 1);
	}
	if (bad)
		reyes_i_defect(l, REYES_LEVEL_WARN,
			"%zu of %zu curves have fewer than %zu vertices and are not drawn", bad,
			s->counts[0], least_vertices(s));
	return 1;
}

int reyes_i_lower_points(reyes_i_lowering *l)
{
	const size_t n = l->s->counts[0];
	const reyes_i_needs needs = { { 1, 1, n, n, n, n } };
	double scale[REYES_I_KEYS_MAX];
	uint32_t k, d;
	along width;
	double *net;
	size_t i;

	if (!reyes_i_has_points(l, n) || !reyes_i_read_vars(l, &needs) ||
		!read_width(l, &needs, &width))
		return 0;
	/* One value of a point is its value in every class. */
	for (k = 0; k < l->var_count; k++)
		if (l->vars[k].storage > REYES_I_CLASS_UNIFORM)
			l->vars[k].storage = REYES_I_CLASS_UNIFORM;
		else
			l->vars[k].storage = REYES_I_CLASS_CONSTANT;
	net = reyes_i_make_net(l, n, 0);
	if (!net)
		return 0;
	for (k = 0; k < l->key_count; k++)
		scale[k] = reyes_i_scale(l->matrix[k]) / 2;
	for (i = 0; i < n; i++) {
		reyes_i_corners c = { .uniform = i };
		float *out, w = width.constant;

		if (width.values)
			w = width.values[width.storage > REYES_I_CLASS_UNIFORM ? i : 0];
		if (!reyes_i_emit(l, REYES_I_POINT, 4, &out))
			return 0;
		for (k = 0; k < l->key_count; k++, out += 4) {
			for (d = 0; d < 3; d++)
				out[d] = (float)net[i * l->channels + k * 3 + d];
			out[3] = (float)(w * scale[k]);
		}
		if (i)
			l->f->prims.list[l->f->prims.count - 1].surface = l->f->surface_count++;
		if (!reyes_i_settle(l) || !reyes_i_emit_vars(l, &c, NULL))
			return 0;
	}
	return 1;
}
