/* Values at the corners of the primitives of a mesh's faces; the scheme "bilinear". */
#include <string.h>
#include "reyes/geom/subdiv_corners.h"

static size_t roots_of(int32_t size)
{
	return size == 4 ? 1 : (size_t)size;
}

/* Values of a variable at the corners of a face. */
typedef struct face_values {
	const float *floats;
	const double *doubles; /* used if floats is NULL */
	size_t stride;
	const int32_t
		*numbers; /* index of each corner's value; NULL: first + number of the corner */
	size_t first, count;
} face_values;

static double value_at(const face_values *f, size_t corner, size_t component)
{
	size_t at = f->numbers ? (size_t)f->numbers[f->first + corner] : f->first + corner;

	return f->floats ? f->floats[at * f->stride + component]
			 : f->doubles[at * f->stride + component];
}

/* Writes one component at the four corners (u,v) = 00, 10, 01, 11 of a root of the face. */
static void root_values(const face_values *f, size_t root, size_t component, double out[4])
{
	static const uint8_t order[4] = { 0, 1, 3, 2 };
	size_t n = f->count, k;
	double sum = 0;

	if (n == 4) {
		for (k = 0; k < 4; k++)
			out[k] = value_at(f, order[k], component);
		return;
	}
	for (k = 0; k < n; k++)
		sum += value_at(f, k, component);
	out[0] = value_at(f, root, component);
	out[1] = (out[0] + value_at(f, (root + 1) % n, component)) / 2;
	out[2] = (out[0] + value_at(f, (root + n - 1) % n, component)) / 2;
	out[3] = sum / (double)n;
}

/* Replaces the values of one variable. */
static int spread_var(reyes_i_mesh *m, reyes_i_lvar *x, size_t root_count)
{
	face_values f = { x->values, NULL, x->stride, m->numbers, 0, 0 };
	float *out = reyes_i_scratch(m->l, root_count, (size_t)4 * x->components * sizeof(*out));
	size_t face, root, k, c;

	if (!out)
		return 0;
	if (x->storage == REYES_I_CLASS_FACEVARYING)
		f.numbers = NULL;
	x->values = out;
	x->stride = x->components;
	x->storage = REYES_I_CLASS_FACEVARYING;
	for (face = 0; face < m->face_count; face++) {
		f.first = m->first[face];
		f.count = (size_t)m->sizes[face];
		for (root = 0; root < roots_of(m->sizes[face]); root++)
			for (c = 0; c < x->components; c++) {
				double v[4];

				root_values(&f, root, c, v);
				for (k = 0; k < 4; k++)
					out[k * x->components + c] = (float)v[k];
				if (c + 1 == x->components)
					out += 4 * x->components;
			}
	}
	return 1;
}

int reyes_i_spread_corners(reyes_i_mesh *m, int all, int *spread)
{
	reyes_i_lowering *l = m->l;
	size_t roots = 0, face;
	uint32_t i;

	*spread = all;
	for (face = 0; face < m->face_count; face++) {
		roots += roots_of(m->sizes[face]);
		*spread |= m->sizes[face] != 4;
	}
	for (i = 0; i < l->var_count && *spread; i++) {
		uint8_t storage = l->vars[i].storage;

		if (storage != REYES_I_CLASS_VARYING && storage != REYES_I_CLASS_FACEVARYING &&
			!(all && storage == REYES_I_CLASS_VERTEX))
			continue;
		if (!spread_var(m, &l->vars[i], roots))
			return 0;
	}
	return 1;
}

int reyes_i_emit_bilinear_mesh(reyes_i_mesh *m)
{
	reyes_i_lowering *l = m->l;
	face_values f = { NULL, m->net, l->channels, m->numbers, 0, 0 };
	size_t face, root, k, all = 0, key, c;
	reyes_i_corners corners;
	int spread;

	if (!reyes_i_spread_corners(m, 1, &spread))
		return 0;
	memset(&corners, 0, sizeof(corners));
	for (face = 0; face < m->face_count; face++) {
		f.first = m->first[face];
		f.count = (size_t)m->sizes[face];
		for (root = 0; root < roots_of(m->sizes[face]); root++, all++) {
			float *out;

			if (m->face_flags[face] & REYES_I_FACE_HOLE)
				continue;
			if (!reyes_i_emit(l, REYES_I_BILINEAR, 12, &out))
				return 0;
			for (key = 0; key < l->key_count; key++, out += 12)
				for (c = 0; c < 3; c++) {
					double v[4];

					root_values(&f, root, 3 * key + c, v);
					for (k = 0; k < 4; k++)
						out[3 * k + c] = (float)v[k];
				}
			corners.uniform = face;
			for (k = 0; k < 4; k++)
				corners.face[k] = 4 * all + k;
			if (!reyes_i_settle(l) || !reyes_i_emit_vars(l, &corners, NULL))
				return 0;
		}
	}
	return 1;
}
