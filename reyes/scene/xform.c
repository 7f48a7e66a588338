/* Transforms that may move. */
#include <stdlib.h>
#include <string.h>
#include "reyes/scene/matrix.h"
#include "reyes/scene/xform.h"

reyes_i_xform *reyes_i_xform_new(uint32_t count)
{
	reyes_i_xform *x = malloc(sizeof(*x) + count * sizeof(x->matrix[0]));

	if (!x)
		return NULL;
	x->refs = 1;
	x->count = count;
	x->anchor = REYES_I_ANCHOR_CAMERA;
	memset(x->times, 0, sizeof(x->times));
	return x;
}

reyes_i_xform *reyes_i_xform_anchored(const reyes_i_xform *x, enum reyes_i_anchor anchor)
{
	reyes_i_xform *y = reyes_i_xform_new(x->count);

	if (!y)
		return NULL;
	memcpy(y->times, x->times, sizeof(y->times));
	memcpy(y->matrix, x->matrix, x->count * sizeof(x->matrix[0]));
	y->anchor = (uint32_t)anchor;
	return y;
}

reyes_i_xform *reyes_i_xform_ref(reyes_i_xform *x)
{
	x->refs++;
	return x;
}

void reyes_i_xform_unref(reyes_i_xform *x)
{
	if (x && --x->refs == 0)
		free(x);
}

void reyes_i_xform_at(const reyes_i_xform *x, float time, double m[16])
{
	uint32_t k = 0;
	double part;
	int i;

	while (k + 1 < x->count && x->times[k + 1] <= time)
		k++;
	if (k + 1 == x->count || time <= x->times[k]) {
		memcpy(m, x->matrix[k], sizeof(x->matrix[k]));
		return;
	}
	part = ((double)time - x->times[k]) / ((double)x->times[k + 1] - x->times[k]);
	for (i = 0; i < 16; i++)
		m[i] = (1 - part) * x->matrix[k][i] + part * x->matrix[k + 1][i];
}

/* Writes the ascending union of two ascending lists, without repetition. */
static size_t merge_times(const float *a, size_t a_count, const float *b, size_t b_count,
	float out[2 * REYES_I_KEYS_MAX])
{
	size_t i = 0, j = 0, n = 0;

	while (i < a_count || j < b_count) {
		const int from_a = j == b_count || (i < a_count && a[i] <= b[j]);
		const float t = from_a ? a[i++] : b[j++];

		if (n == 0 || t > out[n - 1])
			out[n++] = t;
	}
	return n;
}

static void equal_distances(float first, float last, float out[REYES_I_KEYS_MAX])
{
	int i;

	for (i = 0; i < REYES_I_KEYS_MAX; i++) {
		const double part = (double)i / (REYES_I_KEYS_MAX - 1);

		out[i] = (float)((1 - part) * first + part * last);
	}
	out[0] = first;
	out[REYES_I_KEYS_MAX - 1] = last;
}

uint32_t reyes_i_clip_times(
	const float *times, size_t count, float open, float close, float out[REYES_I_KEYS_MAX])
{
	uint32_t n = 1;
	size_t i;

	out[0] = open;
	if (!(open < close))
		return 1;
	for (i = 0; i < count; i++) {
		if (times[i] <= out[n - 1] || times[i] >= close)
			continue;
		if (n == REYES_I_KEYS_MAX - 1) {
			equal_distances(open, close, out);
			return REYES_I_KEYS_MAX;
		}
		out[n++] = times[i];
	}
	out[n++] = close;
	return n;
}

/* local * x as a new transform. */
static reyes_i_xform *product(const reyes_i_xform *x, const reyes_i_xform *local)
{
	float times[2 * REYES_I_KEYS_MAX];
	reyes_i_xform *y;
	size_t count = 1;
	uint32_t k;

	times[0] = 0;
	if (x->count > 1 || local->count > 1)
		count = merge_times(local->times, local->count > 1 ? local->count : 0, x->times,
			x->count > 1 ? x->count : 0, times);
	if (count > REYES_I_KEYS_MAX) {
		equal_distances(times[0], times[count - 1], times);
		count = REYES_I_KEYS_MAX;
	}
	y = reyes_i_xform_new((uint32_t)count);
	if (!y)
		return NULL;
	y->anchor = local->anchor == REYES_I_ANCHOR_CAMERA ? x->anchor : REYES_I_ANCHOR_MIXED;
	memcpy(y->times, times, count * sizeof(times[0]));
	for (k = 0; k < count; k++) {
		double a[16], b[16];

		reyes_i_xform_at(local, times[k], a);
		reyes_i_xform_at(x, times[k], b);
		reyes_i_matrix_multiply(y->matrix[k], a, b);
	}
	return y;
}

/* Replaces *x by y, if the numbers of y are finite; else releases y. */
static reyes_status replace(reyes_i_xform **x, reyes_i_xform *y)
{
	uint32_t k;

	for (k = 0; k < y->count; k++) {
		if (!reyes_i_matrix_finite(y->matrix[k])) {
			reyes_i_xform_unref(y);
			return REYES_ERR_SCENE;
		}
	}
	reyes_i_xform_unref(*x);
	*x = y;
	return REYES_OK;
}

reyes_status reyes_i_xform_concat(reyes_i_xform **x, const reyes_i_xform *local)
{
	reyes_i_xform *y = product(*x, local);

	return y ? replace(x, y) : REYES_ERR_NOMEM;
}

reyes_status reyes_i_xform_concat_matrix(reyes_i_xform **x, const double local[16])
{
	const reyes_i_xform *old = *x;
	reyes_i_xform *y = reyes_i_xform_new(old->count);
	uint32_t k;

	if (!y)
		return REYES_ERR_NOMEM;
	y->anchor = old->anchor;
	memcpy(y->times, old->times, sizeof(y->times));
	for (k = 0; k < y->count; k++)
		reyes_i_matrix_multiply(y->matrix[k], local, old->matrix[k]);
	return replace(x, y);
}

void reyes_i_xform_clip(const reyes_i_xform *x, float open, float close, reyes_i_motion *out)
{
	uint32_t k;

	out->count = 1;
	out->times[0] = open;
	if (x->count > 1)
		out->count = reyes_i_clip_times(x->times, x->count, open, close, out->times);
	for (k = 0; k < out->count; k++)
		reyes_i_xform_at(x, out->times[k], out->matrix[k]);
}
