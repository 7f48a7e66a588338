/* Input of the conversion: checks of the primitive variables, positions in camera space. */
#include <math.h>
#include <string.h>
#include "reyes/geom/lower.h"

const reyes_i_primvar *reyes_i_find(const reyes_i_shape *s, size_t key, const char *name)
{
	const reyes_i_shape_key *k = &s->keys[key];
	size_t i;

	for (i = 0; i < k->var_count; i++)
		if (k->vars[i].name && strcmp(k->vars[i].name, name) == 0)
			return &k->vars[i];
	return NULL;
}

int reyes_i_check_values(reyes_i_lowering *l, const reyes_i_primvar *v, size_t needed)
{
	size_t i;

	if (v->count < needed)
		return reyes_i_drop(
			l, "\"%s\" has %zu values, %zu are needed", v->name, v->count, needed);
	if (v->count > needed)
		reyes_i_defect(l, REYES_LEVEL_WARN,
			"\"%s\" has %zu values, %zu are needed; the others are ignored", v->name,
			v->count, needed);
	for (i = 0; i < needed; i++)
		if (!(fabsf(v->floats[i]) <= (float)REYES_I_HUGE))
			return reyes_i_drop(l,
				"value %zu of \"%s\" is %g, the largest possible is 1e30", i,
				v->name, (double)v->floats[i]);
	return 1;
}

int reyes_i_check_keys(reyes_i_lowering *l, const char *name, size_t needed, int *found)
{
	size_t k;

	*found = reyes_i_find(l->s, 0, name) != NULL;
	if (!*found)
		return 1;
	for (k = 0; k < l->s->key_count; k++) {
		const reyes_i_primvar *v = reyes_i_find(l->s, k, name);

		if (!v)
			return reyes_i_drop(
				l, "\"%s\" is missing at time %zu of its motion", name, k);
		if (!reyes_i_check_values(l, v, needed))
			return 0;
	}
	return 1;
}

/* Variables that primitives keep: name in RIB, number of floats, names in the frame. */
static const struct known_var {
	const char *name;
	uint32_t components;
	uint8_t parts, names[2];
} known[] = {
	{ "Cs", 3, 1, { REYES_I_VAR_CS, 0 } },
	{ "Os", 3, 1, { REYES_I_VAR_OS, 0 } },
	{ "s", 1, 1, { REYES_I_VAR_S, 0 } },
	{ "t", 1, 1, { REYES_I_VAR_T, 0 } },
	{ "st", 2, 2, { REYES_I_VAR_S, REYES_I_VAR_T } },
	{ "N", 3, 1, { REYES_I_VAR_N, 0 } },
	{ "Np", 3, 1, { REYES_I_VAR_N, 0 } },
};

static int has_var(const reyes_i_lowering *l, uint8_t name)
{
	uint32_t i;

	for (i = 0; i < l->var_count; i++)
		if (l->vars[i].name == name)
			return 1;
	return 0;
}

static void add_var(reyes_i_lowering *l, const float *values, uint32_t stride, uint32_t components,
	uint8_t name, uint8_t storage)
{
	reyes_i_lvar *v;

	if (has_var(l, name))
		return;
	v = &l->vars[l->var_count++];
	v->values = values;
	v->stride = stride;
	v->components = components;
	v->name = name;
	v->storage = storage;
	v->shared = REYES_I_NONE;
}

/* Transforms normals by the cofactors of the matrix: the inverse transpose up to a factor, finite
 * also for a singular matrix. */
static float *camera_normals(reyes_i_lowering *l, const float *n, size_t count)
{
	float *out = reyes_i_scratch(l, count, 3 * sizeof(*out));
	const double *m = l->matrix[0];
	double c[9], det, largest = 0;
	size_t i;
	int a, b;

	if (!out)
		return NULL;
	for (a = 0; a < 3; a++)
		for (b = 0; b < 3; b++) {
			int a1 = 4 * ((a + 1) % 3), a2 = 4 * ((a + 2) % 3);
			int b1 = (b + 1) % 3, b2 = (b + 2) % 3;

			c[3 * a + b] = m[a1 + b1] * m[a2 + b2] - m[a1 + b2] * m[a2 + b1];
			largest = fmax(largest, fabs(c[3 * a + b]));
		}
	det = m[0] * c[0] + m[1] * c[1] + m[2] * c[2];
	if (det < 0)
		largest = -largest;
	if (largest == 0 || !isfinite(largest))
		largest = 1;
	for (i = 0; i < count; i++)
		for (b = 0; b < 3; b++)
			out[3 * i + (size_t)b] =
				(float)((n[3 * i] * c[b] + n[3 * i + 1] * c[3 + b] +
						n[3 * i + 2] * c[6 + b]) /
					largest);
	return out;
}

/* Outside polyhedra the classes of corners of faces are those of vertices (RI 3.2, section 5). */
static uint8_t effective_class(const reyes_i_lowering *l, uint8_t storage)
{
	int faces = l->s->kind == REYES_I_SHAPE_POLYGONS || l->s->kind == REYES_I_SHAPE_SUBDIVISION;

	if (storage == REYES_I_CLASS_FACEVARYING)
		return faces ? storage : REYES_I_CLASS_VARYING;
	if (storage == REYES_I_CLASS_FACEVERTEX)
		return faces ? REYES_I_CLASS_FACEVARYING : REYES_I_CLASS_VERTEX;
	return storage;
}

int reyes_i_read_vars(reyes_i_lowering *l, const reyes_i_needs *needs)
{
	size_t i;
	uint8_t part;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct known_var *w = &known[i];
		const reyes_i_primvar *v = reyes_i_find(l->s, 0, w->name);
		const float *values;
		uint32_t c = w->components / w->parts;
		uint8_t storage;

		if (!v)
			continue;
		if (v->components != w->components || v->storage >= REYES_I_CLASSES) {
			reyes_i_defect(l, REYES_LEVEL_WARN,
				"\"%s\" has %u floats a value, not %u; it is ignored", w->name,
				(unsigned)v->components, (unsigned)w->components);
			continue;
		}
		storage = effective_class(l, v->storage);
		if (needs->count[storage] > SIZE_MAX / 4)
			return reyes_i_drop(l, "it has too many values");
		if (!reyes_i_check_values(l, v, needs->count[storage] * w->components))
			return 0;
		values = v->floats;
		if (w->names[0] == REYES_I_VAR_N)
			values = camera_normals(l, values, needs->count[storage]);
		if (!values)
			return 0;
		for (part = 0; part < w->parts; part++)
			add_var(l, values + part, w->components, c, w->names[part], storage);
	}
	return 1;
}

/* Writes the homogeneous position of a vertex at a time in object space. */
static void blended_point(const reyes_i_primvar *a, const reyes_i_primvar *b, double blend,
	size_t vertex, uint32_t components, double p[4])
{
	uint32_t c;

	p[3] = 1;
	for (c = 0; c < components; c++) {
		p[c] = a->floats[vertex * components + c];
		if (b)
			p[c] += blend * (b->floats[vertex * components + c] - p[c]);
	}
}

/* Checks the weights of all keys; sets l->rational if they differ. */
static int check_weights(reyes_i_lowering *l, size_t vertex_count)
{
	size_t k, i;
	float first = reyes_i_find(l->s, 0, "Pw")->floats[3];

	for (k = 0; k < l->s->key_count; k++) {
		const reyes_i_primvar *v = reyes_i_find(l->s, k, "Pw");

		for (i = 0; i < vertex_count; i++) {
			if (!(v->floats[4 * i + 3] > 0))
				return reyes_i_drop(l,
					"the weight of point %zu of \"Pw\" is %g, it must be "
					"positive",
					i, (double)v->floats[4 * i + 3]);
			if (v->floats[4 * i + 3] != first)
				l->rational = 1;
		}
	}
	return 1;
}

/* Appends the values of the variables of class vertex to those of each vertex in the net. */
static void add_vertex_vars(reyes_i_lowering *l, double *net, size_t vertex_count)
{
	uint32_t channel = l->key_count * l->dimension, i, c;
	size_t n;

	for (i = 0; i < l->var_count; i++) {
		const reyes_i_lvar *v = &l->vars[i];

		if (v->storage != REYES_I_CLASS_VERTEX)
			continue;
		for (n = 0; n < vertex_count; n++) {
			double *at = net + n * l->channels;
			double weight = l->dimension == 4 ? at[3] : 1;

			for (c = 0; c < v->components; c++)
				at[channel + c] = weight * v->values[n * v->stride + c];
		}
		channel += v->components;
	}
}

/* Writes the positions at one time. */
static void transform_key(reyes_i_lowering *l, double *net, size_t vertex_count, uint32_t k,
	const char *name, uint32_t components)
{
	const reyes_i_primvar *a = reyes_i_find(l->s, l->before[k], name), *b = NULL;
	const double *m = l->matrix[k];
	int projective = m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1;
	size_t n;
	int c;

	if (l->blend[k] > 0)
		b = reyes_i_find(l->s, l->before[k] + 1, name);
	for (n = 0; n < vertex_count; n++) {
		double p[4], *out = net + n * l->channels + (size_t)k * l->dimension, w;

		blended_point(a, b, l->blend[k], n, components, p);
		w = p[3];
		if (projective)
			w = p[0] * m[3] + p[1] * m[7] + p[2] * m[11] + p[3] * m[15];
		for (c = 0; c < 3; c++)
			out[c] = p[0] * m[c] + p[1] * m[4 + c] + p[2] * m[8 + c] + p[3] * m[12 + c];
		if (l->dimension == 4)
			out[3] = w;
		else if (w != 1)
			for (c = 0; c < 3; c++)
				out[c] /= w;
	}
}

int reyes_i_has_points(reyes_i_lowering *l, size_t vertex_count)
{
	const reyes_i_primvar *p = reyes_i_find(l->s, 0, "P"), *v = p;

	if (!p)
		v = reyes_i_find(l->s, 0, "Pw");
	if (!v)
		return reyes_i_drop(l, "it has no \"P\"");
	if (v->count / (p ? 3 : 4) < vertex_count)
		return reyes_i_drop(l, "\"%s\" has %zu values, %zu are needed", v->name, v->count,
			vertex_count <= SIZE_MAX / 4 ? vertex_count * (p ? 3 : 4) : SIZE_MAX);
	return 1;
}

double *reyes_i_make_net(reyes_i_lowering *l, size_t vertex_count, int allow_rational)
{
	int found;
	uint32_t components = 3, i, k;
	double *net;

	if (vertex_count > SIZE_MAX / (4 * REYES_I_KEYS_MAX)) {
		reyes_i_drop(l, "it has too many vertices");
		return NULL;
	}
	if (!reyes_i_check_keys(l, "P", 3 * vertex_count, &found))
		return NULL;
	if (!found) {
		components = 4;
		if (!reyes_i_check_keys(l, "Pw", 4 * vertex_count, &found))
			return NULL;
		if (!found) {
			reyes_i_drop(l, "it has no \"P\"");
			return NULL;
		}
		if (!check_weights(l, vertex_count))
			return NULL;
	}
	l->rational = l->rational && allow_rational;
	l->dimension = l->rational ? 4 : 3;
	l->channels = l->key_count * l->dimension;
	for (i = 0; i < l->var_count; i++)
		if (l->vars[i].storage == REYES_I_CLASS_VERTEX)
			l->channels += l->vars[i].components;
	net = reyes_i_scratch(l, vertex_count, l->channels * sizeof(*net));
	if (!net)
		return NULL;
	for (k = 0; k < l->key_count; k++)
		transform_key(l, net, vertex_count, k, components == 3 ? "P" : "Pw", components);
	add_vertex_vars(l, net, vertex_count);
	return net;
}

const float *reyes_i_object_points(reyes_i_lowering *l, size_t vertex_count)
{
	const reyes_i_primvar *p = reyes_i_find(l->s, 0, "P"), *pw;
	float *divided;
	size_t i, c;

	if (p)
		return p->floats;
	pw = reyes_i_find(l->s, 0, "Pw");
	divided = reyes_i_scratch(l, vertex_count, 3 * sizeof(*divided));
	if (!divided)
		return NULL;
	for (i = 0; i < vertex_count; i++)
		for (c = 0; c < 3; c++)
			divided[3 * i + c] = pw->floats[4 * i + c] / pw->floats[4 * i + 3];
	return divided;
}

void reyes_i_default_st(reyes_i_lowering *l, const float *object_points)
{
	add_var(l, object_points, 3, 1, REYES_I_VAR_S, REYES_I_CLASS_VERTEX);
	add_var(l, object_points + 1, 3, 1, REYES_I_VAR_T, REYES_I_CLASS_VERTEX);
}
