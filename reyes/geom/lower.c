/* Conversion of a shape into primitives: scratch memory, times, dispatch to the kinds. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "reyes/geom/lower.h"

struct reyes_i_block {
	struct reyes_i_block *next;
	double values[];
};

__attribute__((format(printf, 3, 0))) static void report(
	reyes_i_lowering *l, reyes_level level, const char *format, va_list args)
{
	char text[320];
	int n = snprintf(text, sizeof(text), "%s: ", l->s->request ? l->s->request : "shape");

	if (n < 0 || (size_t)n >= sizeof(text))
		n = 0;
	vsnprintf(text + n, sizeof(text) - (size_t)n, format, args);
	l->where->complain(l->where->user, level, text);
}

void reyes_i_defect(reyes_i_lowering *l, reyes_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(l, level, format, args);
	va_end(args);
}

int reyes_i_drop(reyes_i_lowering *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(l, REYES_LEVEL_ERROR, format, args);
	va_end(args);
	return 0;
}

void *reyes_i_scratch(reyes_i_lowering *l, size_t count, size_t element_bytes)
{
	struct reyes_i_block *b = NULL;

	if (count <= (SIZE_MAX - sizeof(*b)) / element_bytes)
		b = calloc(1, sizeof(*b) + count * element_bytes);
	if (!b) {
		l->no_memory = 1;
		return NULL;
	}
	b->next = l->blocks;
	l->blocks = b;
	return b->values;
}

double reyes_i_scale(const double m[16])
{
	double d = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
		   m[2] * (m[4] * m[9] - m[5] * m[8]);

	return cbrt(fabs(d));
}

static int ascending(const double *t, size_t n)
{
	size_t k;

	for (k = 0; k < n; k++)
		if (!isfinite(t[k]) || (k && t[k] <= t[k - 1]))
			return 0;
	return 1;
}

/* Writes the union of two ascending lists to t; returns its length. */
static size_t merge(const double *a, size_t na, const double *b, size_t nb, double *t)
{
	size_t i = 0, j = 0, n = 0;

	while (i < na || j < nb) {
		double next = j == nb || (i < na && a[i] <= b[j]) ? a[i] : b[j];

		while (i < na && a[i] <= next)
			i++;
		while (j < nb && b[j] <= next)
			j++;
		t[n++] = next;
	}
	return n;
}

/* Finds the interval of the list that contains the time; *blend is the weight of its end. */
static size_t locate(const double *t, size_t n, double time, double *blend)
{
	size_t k = 0;

	*blend = 0;
	if (n < 2 || time <= t[0])
		return 0;
	while (k + 2 < n && time >= t[k + 1])
		k++;
	*blend = time >= t[k + 1] ? 1 : (time - t[k]) / (t[k + 1] - t[k]);
	return k;
}

static void interpolate_matrices(reyes_i_lowering *l, const double *times, size_t n)
{
	const reyes_i_motion *m = l->where->to_camera;
	uint32_t k;
	int i;

	for (k = 0; k < l->key_count; k++) {
		double blend;
		size_t at = locate(times, n, l->times[k], &blend);

		for (i = 0; i < 16; i++)
			l->matrix[k][i] = blend > 0 ? m->matrix[at][i] * (1 - blend) +
							      m->matrix[at + 1][i] * blend
						    : m->matrix[at][i];
	}
}

static int check_matrices(reyes_i_lowering *l)
{
	const reyes_i_motion *m = l->where->to_camera;
	size_t k;
	int i;

	if (m->count < 1 || m->count > REYES_I_KEYS_MAX)
		return reyes_i_drop(l, "the transform has %zu times, 1 to %d are possible",
			m->count, REYES_I_KEYS_MAX);
	for (k = 0; k < m->count; k++)
		for (i = 0; i < 16; i++)
			if (!(fabs(m->matrix[k][i]) <= REYES_I_HUGE))
				return reyes_i_drop(l,
					"the transform has the value %g, the largest possible is "
					"1e30",
					m->matrix[k][i]);
	return 1;
}

/* Merges the times of the shape and of the transform. */
static int merge_times(reyes_i_lowering *l)
{
	const reyes_i_motion *m = l->where->to_camera;
	const reyes_i_shape *s = l->s;
	size_t keys = s->key_count, k, n;
	size_t shape_n = keys > 1 ? keys : 0, motion_n = m->count > 1 ? m->count : 0;
	double motion_times[REYES_I_KEYS_MAX], *shape_times, *all;

	shape_times = reyes_i_scratch(l, keys, sizeof(*shape_times));
	all = reyes_i_scratch(l, keys + REYES_I_KEYS_MAX, sizeof(*all));
	if (!shape_times || !all)
		return 0;
	for (k = 0; k < keys; k++)
		shape_times[k] = s->keys[k].time;
	for (k = 0; k < m->count; k++)
		motion_times[k] = m->times[k];
	if (!ascending(shape_times, shape_n) || !ascending(motion_times, motion_n))
		return reyes_i_drop(l, "the times of its motion do not ascend");
	n = merge(shape_times, shape_n, motion_times, motion_n, all);
	if (!n)
		all[n++] = 0;
	l->key_count = (uint32_t)(n < REYES_I_KEYS_MAX ? n : REYES_I_KEYS_MAX);
	for (k = 0; k < l->key_count; k++) {
		/* Of too many times, evenly distributed ones with the first and the last. */
		size_t at = n <= REYES_I_KEYS_MAX ? k : k * (n - 1) / (REYES_I_KEYS_MAX - 1);

		l->times[k] = all[at];
		l->before[k] = locate(shape_times, shape_n, all[at], &l->blend[k]);
	}
	interpolate_matrices(l, motion_times, motion_n);
	return 1;
}

static int begin(reyes_i_lowering *l)
{
	float *t;
	uint32_t k;

	if (!l->s->key_count || !l->s->keys)
		return reyes_i_drop(l, "it has no values");
	if (!check_matrices(l) || !merge_times(l))
		return 0;
	t = reyes_i_add(l->f, floats, l->key_count, &l->times_index);
	if (!t)
		return 0;
	for (k = 0; k < l->key_count; k++)
		t[k] = (float)l->times[k];
	l->surface = l->f->surface_count++;
	l->shared_vars = REYES_I_NONE;
	return 1;
}

static int lower_kind(reyes_i_lowering *l)
{
	switch (l->s->kind) {
	case REYES_I_SHAPE_POLYGONS:
		return reyes_i_lower_polygons(l);
	case REYES_I_SHAPE_PATCH_MESH:
		return reyes_i_lower_patch_mesh(l);
	case REYES_I_SHAPE_NU_PATCH:
		return reyes_i_lower_nu_patch(l);
	case REYES_I_SHAPE_SUBDIVISION:
		return reyes_i_lower_subdivision(l);
	case REYES_I_SHAPE_CURVES:
		return reyes_i_lower_curves(l);
	case REYES_I_SHAPE_POINTS:
		return reyes_i_lower_points(l);
	default:
		if (l->s->kind < REYES_I_SHAPE_POLYGONS)
			return reyes_i_lower_quadric(l);
		return reyes_i_drop(l, "kind %u does not exist", (unsigned)l->s->kind);
	}
}

reyes_status reyes_i_lower(reyes_i_frame *f, const reyes_i_shape *s, const reyes_i_placement *where)
{
	size_t prims = f->prims.count, floats = f->floats.count, vars = f->vars.count;
	size_t words = f->words.count;
	uint32_t surfaces = f->surface_count;
	reyes_i_lowering *l;
	int done, no_memory;

	if (f->no_memory)
		return REYES_ERR_NOMEM;
	l = calloc(1, sizeof(*l));
	if (!l) {
		f->no_memory = 1;
		return REYES_ERR_NOMEM;
	}
	l->f = f;
	l->s = s;
	l->where = where;
	done = begin(l) && lower_kind(l);
	while (l->blocks) {
		struct reyes_i_block *next = l->blocks->next;

		free(l->blocks);
		l->blocks = next;
	}
	if (l->no_memory)
		f->no_memory = 1;
	if (!done || f->prims.count == prims) {
		f->prims.count = prims;
		f->floats.count = floats;
		f->vars.count = vars;
		f->words.count = words;
		f->surface_count = surfaces;
	}
	no_memory = f->no_memory != 0;
	free(l);
	return no_memory ? REYES_ERR_NOMEM : REYES_OK;
}
