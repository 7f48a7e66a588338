/* Shapes: memory, and their values during the shutter. */
#include <stdlib.h>
#include <string.h>
#include "reyes/scene/shape_keys.h"
#include "reyes/scene/xform.h"

int reyes_i_shape_init(reyes_i_shape *s, uint32_t kind, const char *request)
{
	memset(s, 0, sizeof(*s));
	s->kind = kind;
	s->request = request;
	s->keys = calloc(1, sizeof(*s->keys));
	s->key_count = s->keys ? 1 : 0;
	return s->keys != NULL;
}

static void free_key(reyes_i_shape_key *k)
{
	size_t i;

	for (i = 0; i < k->var_count; i++) {
		free(k->vars[i].name);
		free(k->vars[i].floats);
	}
	free(k->vars);
}

void reyes_i_shape_free(reyes_i_shape *s)
{
	size_t i;

	for (i = 0; i < s->key_count; i++)
		free_key(&s->keys[i]);
	free(s->keys);
	free(s->ints);
	free(s->floats);
	for (i = 0; i < s->tag_count; i++)
		free(s->tags[i]);
	free(s->tags);
	memset(s, 0, sizeof(*s));
}

reyes_i_primvar *reyes_i_shape_add_var(reyes_i_shape *s, const char *name, size_t count)
{
	reyes_i_shape_key *key = &s->keys[0];
	reyes_i_primvar *vars, *v;

	vars = realloc(key->vars, (key->var_count + 1) * sizeof(*vars));
	if (!vars)
		return NULL;
	key->vars = vars;
	v = &vars[key->var_count];
	memset(v, 0, sizeof(*v));
	v->name = strdup(name);
	if (count <= SIZE_MAX / sizeof(float))
		v->floats = malloc(count ? count * sizeof(float) : 1);
	if (!v->name || !v->floats) {
		free(v->name);
		free(v->floats);
		return NULL;
	}
	v->count = count;
	key->var_count++;
	return v;
}

const reyes_i_primvar *reyes_i_shape_points(const reyes_i_shape *s)
{
	size_t i;

	for (i = 0; i < s->keys[0].var_count; i++) {
		if (strcmp(s->keys[0].vars[i].name, "P") == 0)
			return &s->keys[0].vars[i];
	}
	return NULL;
}

void reyes_i_quadric_axis(const reyes_i_shape *s, float points[2][3])
{
	const float *a = s->keys[0].args;

	memset(points, 0, 6 * sizeof(float));
	switch (s->kind) {
	case REYES_I_SHAPE_CONE:
		points[1][2] = a[0];
		break;
	case REYES_I_SHAPE_DISK:
		points[0][2] = points[1][2] = a[0];
		break;
	case REYES_I_SHAPE_CYLINDER:
	case REYES_I_SHAPE_PARABOLOID:
		points[0][2] = a[1];
		points[1][2] = a[2];
		break;
	case REYES_I_SHAPE_HYPERBOLOID:
		points[0][2] = a[2];
		points[1][2] = a[5];
		break;
	default: /* sphere, torus: the origin */
		break;
	}
}

static size_t key_at_or_before(const reyes_i_shape *s, float time)
{
	size_t k = 0;

	while (k + 1 < s->key_count && s->keys[k + 1].time <= time)
		k++;
	return k;
}

/* Interpolates the values of a shape at a time between two of its keys. The key owns the floats of
 * its variables, and shares their names with the shape. Returns 0 if there is no memory; the key
 * can be released then, too. */
static int interpolate(const reyes_i_shape *s, float time, reyes_i_shape_key *out)
{
	const size_t k = key_at_or_before(s, time);
	const reyes_i_shape_key *a = &s->keys[k];
	const reyes_i_shape_key *b = k + 1 < s->key_count ? a + 1 : a;
	const float part =
		b == a || time <= a->time
			? 0
			: (float)(((double)time - a->time) / ((double)b->time - a->time));
	size_t v, i;

	memset(out, 0, sizeof(*out));
	out->time = time;
	for (i = 0; i < 8; i++)
		out->args[i] = (1 - part) * a->args[i] + part * b->args[i];
	out->vars = calloc(a->var_count ? a->var_count : 1, sizeof(*out->vars));
	if (!out->vars)
		return 0;
	for (v = 0; v < a->var_count; v++) {
		const reyes_i_primvar *x = &a->vars[v], *y = &b->vars[v];
		float *floats = malloc(x->count ? x->count * sizeof(*floats) : 1);

		if (!floats)
			return 0;
		for (i = 0; i < x->count; i++)
			floats[i] = part == 0 ? x->floats[i]
					      : (1 - part) * x->floats[i] + part * y->floats[i];
		out->vars[v] = *x;
		out->vars[v].floats = floats;
		out->var_count++;
	}
	return 1;
}

int reyes_i_shape_clip(const reyes_i_shape *s, float open, float close, reyes_i_shape *view)
{
	float times[REYES_I_KEYS_MAX], *given;
	uint32_t count, k;
	size_t i;

	*view = *s;
	if (s->key_count == 1)
		return 1;
	view->key_count = 0;
	view->keys = NULL;
	given = malloc(s->key_count * sizeof(*given));
	if (!given)
		return 0;
	for (i = 0; i < s->key_count; i++)
		given[i] = s->keys[i].time;
	count = reyes_i_clip_times(given, s->key_count, open, close, times);
	free(given);
	view->keys = calloc(count, sizeof(*view->keys));
	if (!view->keys)
		return 0;
	for (k = 0; k < count; k++) {
		view->key_count++;
		if (!interpolate(s, times[k], &view->keys[k])) {
			reyes_i_shape_unclip(s, view);
			return 0;
		}
	}
	return 1;
}

void reyes_i_shape_unclip(const reyes_i_shape *s, reyes_i_shape *view)
{
	size_t k, v;

	if (view->keys == s->keys)
		return;
	for (k = 0; k < view->key_count; k++) {
		for (v = 0; v < view->keys[k].var_count; v++)
			free(view->keys[k].vars[v].floats);
		free(view->keys[k].vars);
	}
	free(view->keys);
}
