/* Geometry of a frame, moved in camera space: the parts of each kind of primitive. */
#include <math.h>
#include <string.h>
#include "reyes/scene/move_floats.h"

enum form { POINTS, HOMOGENEOUS, VECTORS };

/* Floats of a shutter key that move. */
typedef struct part {
	enum form form;
	uint32_t first, count; /* float of the key; points or vectors */
} part;

/* Writes the parts of a primitive's keys; returns their number. */
static int parts_of(const reyes_i_prim *p, part parts[2])
{
	switch (p->kind) {
	case REYES_I_BILINEAR:
	case REYES_I_BICUBIC:
	case REYES_I_SUBDIVISION:
		parts[0] = (part){ POINTS, 0, p->stride / 3 };
		return 1;
	case REYES_I_RATIONAL:
		parts[0] = (part){ HOMOGENEOUS, 0, p->stride / 4 };
		return 1;
	case REYES_I_CURVE:
		parts[0] = (part){ POINTS, 0, 4 };
		parts[1] = (part){ VECTORS, 16, 2 };
		return p->flags & REYES_I_HAS_NORMALS ? 2 : 1;
	case REYES_I_POINT:
		parts[0] = (part){ POINTS, 0, 1 };
		return 1;
	default: /* quadrics: the matrix after the parameters */
		parts[0] = (part){ VECTORS, 8, 3 };
		parts[1] = (part){ POINTS, 17, 1 };
		return 2;
	}
}

/* Multiplies n points by a matrix; vectors if its translation is zero. */
static void move_points(const double m[16], const float *restrict in, float *restrict out, size_t n)
{
	const double a0 = m[0], a1 = m[1], a2 = m[2], b0 = m[4], b1 = m[5], b2 = m[6];
	const double c0 = m[8], c1 = m[9], c2 = m[10], d0 = m[12], d1 = m[13], d2 = m[14];
	size_t i;

	for (i = 0; i < 3 * n; i += 3) {
		const double x = in[i], y = in[i + 1], z = in[i + 2];

		out[i] = (float)(x * a0 + y * b0 + z * c0 + d0);
		out[i + 1] = (float)(x * a1 + y * b1 + z * c1 + d1);
		out[i + 2] = (float)(x * a2 + y * b2 + z * c2 + d2);
	}
}

static void move_homogeneous(
	const double m[16], const float *restrict in, float *restrict out, size_t n)
{
	size_t i;
	int k;

	for (i = 0; i < 4 * n; i += 4) {
		const double x = in[i], y = in[i + 1], z = in[i + 2], w = in[i + 3];

		for (k = 0; k < 3; k++)
			out[i + (size_t)k] =
				(float)(x * m[k] + y * m[4 + k] + z * m[8 + k] + w * m[12 + k]);
	}
}

void reyes_i_move_floats(const reyes_i_frame *f, const double m[16], float *out)
{
	const float *in = f->floats.list;
	double linear[16];
	size_t i;

	memcpy(linear, m, sizeof(linear));
	linear[12] = linear[13] = linear[14] = 0;
	for (i = 0; i < f->prims.count; i++) {
		const reyes_i_prim *p = &f->prims.list[i];
		part parts[2];
		const int n = p->flags & REYES_I_FIXED ? 0 : parts_of(p, parts);
		uint32_t key;
		int k;

		for (key = 0; key < p->key_count; key++)
			for (k = 0; k < n; k++) {
				const size_t at =
					p->data + (size_t)key * p->stride + parts[k].first;

				if (parts[k].form == HOMOGENEOUS)
					move_homogeneous(m, in + at, out + at, parts[k].count);
				else
					move_points(parts[k].form == POINTS ? m : linear, in + at,
						out + at, parts[k].count);
			}
	}
	for (i = 0; i < f->vars.count; i++) {
		const reyes_i_var *v = &f->vars.list[i];
		const size_t n = v->form == REYES_I_FORM_CONSTANT   ? 1
				 : v->form == REYES_I_FORM_BILINEAR ? 4
								    : 16;

		if (v->name == REYES_I_VAR_N && !v->fixed)
			move_points(linear, in + v->data, out + v->data, n);
	}
}

void reyes_i_measure_floats(const reyes_i_frame *f, double *coordinate, double *weight)
{
	float largest = 0, heaviest = 0;
	size_t i, j;

	for (i = 0; i < f->prims.count; i++) {
		const reyes_i_prim *p = &f->prims.list[i];
		part parts[2];
		const int n = p->flags & REYES_I_FIXED ? 0 : parts_of(p, parts);
		uint32_t key;
		int k;

		for (key = 0; key < p->key_count; key++)
			for (k = 0; k < n; k++) {
				const float *v = f->floats.list + p->data +
						 (size_t)key * p->stride + parts[k].first;
				const uint32_t size = parts[k].form == HOMOGENEOUS ? 4 : 3;

				for (j = 0; j < (size_t)size * parts[k].count; j++)
					largest = fabsf(v[j]) > largest ? fabsf(v[j]) : largest;
				for (j = 3; size == 4 && j < (size_t)4 * parts[k].count; j += 4)
					heaviest = v[j] > heaviest ? v[j] : heaviest;
			}
	}
	*coordinate = fmax(*coordinate, (double)largest);
	*weight = fmax(*weight, (double)heaviest);
}
