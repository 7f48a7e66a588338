/* Motion blocks: transforms and shapes at several times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/matrix.h"
#include "reyes/scene/motion.h"
#include "reyes/scene/params.h"

void reyes_i_motion_clear(reyes_i_motion_block *m)
{
	free(m->times);
	free(m->moves);
	if (m->has_shape)
		reyes_i_shape_free(&m->shape);
	memset(m, 0, sizeof(*m));
}

float reyes_i_motion_time(const reyes_renderer *r)
{
	return r->motion.times[r->motion.requests - 1];
}

static reyes_status check_times(reyes_renderer *r, size_t count, const float *times)
{
	size_t i;

	if (count == 0 || !times)
		return reyes_i_error(r, "needs at least one time; the first request counts");
	if (!reyes_i_all_finite(times, count))
		return reyes_i_error(r, "a time is not finite; the first request counts");
	for (i = 1; i < count; i++) {
		if (times[i] <= times[i - 1])
			return reyes_i_error(r,
				"times must ascend: %g is followed by %g; the first request counts",
				(double)times[i - 1], (double)times[i]);
	}
	return REYES_OK;
}

reyes_status reyes_motion_begin(reyes_renderer *r, size_t count, const float *times)
{
	static const float zero;
	reyes_i_motion_block *m;
	reyes_status s;

	REYES_I_ENTER(r, "MotionBegin", REYES_I_ANYWHERE, REYES_I_STATIC);
	s = check_times(r, count, times);
	if (s != REYES_OK) {
		count = 1;
		times = &zero;
	}
	m = &r->motion;
	m->times = count <= SIZE_MAX / sizeof(*times) ? malloc(count * sizeof(*times)) : NULL;
	if (!m->times)
		return reyes_i_no_memory(r);
	memcpy(m->times, times, count * sizeof(*times));
	m->count = count;
	m->open = 1;
	m->is_refused = s != REYES_OK;
	return s;
}

/* ---- transforms ---- */

/* Makes x, whose reference passes to the call, the current transform; or, if it could not be
 * computed, reports the reason s. */
static reyes_status set_current(reyes_renderer *r, reyes_i_xform *x, reyes_status s)
{
	if (s != REYES_OK) {
		reyes_i_xform_unref(x);
		return s == REYES_ERR_NOMEM ? reyes_i_no_memory(r)
					    : reyes_i_error(r, "the transform overflows");
	}
	reyes_i_xform_unref(r->ctm);
	r->ctm = x;
	return REYES_OK;
}

static reyes_status apply_matrix(reyes_renderer *r, const reyes_i_move *move)
{
	reyes_i_xform *from = reyes_i_xform_ref(move->replace ? r->base : r->ctm);
	const reyes_status s = reyes_i_xform_concat_matrix(&from, move->matrix);

	return set_current(r, from, s);
}

reyes_status reyes_i_move_apply(reyes_renderer *r, const reyes_i_move *move)
{
	reyes_i_motion_block *m = &r->motion;

	if (!reyes_i_matrix_finite(move->matrix))
		return reyes_i_error(r, "a value is not finite");
	if (!m->open)
		return apply_matrix(r, move);
	if (!m->moves) {
		m->moves = calloc(m->count, sizeof(*m->moves));
		if (!m->moves)
			return reyes_i_no_memory(r);
	}
	/* A request that was an error before this one leaves its key to this one. */
	while (m->move_count < m->requests)
		m->moves[m->move_count++] = *move;
	return REYES_OK;
}

/* The step of the angle in degrees between keys of a rotation. Between two keys points move along
 * the chord: at 10 degrees it is at most 0.4 % of the radius inside the arc. */
static const double angle_step = 10;

static int same_axis(const reyes_i_move *a, const reyes_i_move *b)
{
	const double ab = (double)a->axis[0] * b->axis[0] + (double)a->axis[1] * b->axis[1] +
			  (double)a->axis[2] * b->axis[2];
	const double aa = (double)a->axis[0] * a->axis[0] + (double)a->axis[1] * a->axis[1] +
			  (double)a->axis[2] * a->axis[2];
	const double bb = (double)b->axis[0] * b->axis[0] + (double)b->axis[1] * b->axis[1] +
			  (double)b->axis[2] * b->axis[2];

	return a->is_rotation && b->is_rotation && ab > 0 && ab * ab > 0.999999 * aa * bb;
}

/* Number of equal steps from a key to the next one. */
static size_t steps_between(const reyes_i_move *a, const reyes_i_move *b, double step)
{
	const double turn = fabs(b->degrees - a->degrees);

	if (!same_axis(a, b) || !(turn > step))
		return 1;
	return turn / step > REYES_I_KEYS_MAX ? REYES_I_KEYS_MAX : (size_t)ceil(turn / step);
}

/* The smallest step, from angle_step on, with which all keys fit into a transform; 0: none. */
static double choose_step(const reyes_i_motion_block *m)
{
	double step;

	for (step = angle_step; step < 1e6; step *= 1.1) {
		size_t keys = 1, i;

		for (i = 1; i < m->move_count && keys <= REYES_I_KEYS_MAX; i++)
			keys += steps_between(&m->moves[i - 1], &m->moves[i], step);
		if (keys <= REYES_I_KEYS_MAX)
			return step;
	}
	return 0;
}

/* The value between two keys. */
static void move_between(
	const reyes_i_move *a, const reyes_i_move *b, double part, double matrix[16])
{
	int i;

	if (same_axis(a, b)) {
		reyes_i_matrix_rotate(matrix, (1 - part) * a->degrees + part * b->degrees, a->axis);
		return;
	}
	for (i = 0; i < 16; i++)
		matrix[i] = (1 - part) * a->matrix[i] + part * b->matrix[i];
}

/* More keys than a transform has: values at equal distances. */
static void sample_keys(const reyes_i_motion_block *m, reyes_i_xform *x)
{
	const double first = m->times[0], last = m->times[m->move_count - 1];
	size_t i = 0;
	uint32_t k;

	for (k = 0; k < REYES_I_KEYS_MAX; k++) {
		const double t = first + (last - first) * k / (REYES_I_KEYS_MAX - 1);

		while (i + 2 < m->move_count && m->times[i + 1] < t)
			i++;
		x->times[k] = (float)t;
		move_between(&m->moves[i], &m->moves[i + 1],
			(t - m->times[i]) / ((double)m->times[i + 1] - m->times[i]), x->matrix[k]);
	}
	x->count = REYES_I_KEYS_MAX;
}

/* The transform of the block's keys. NULL: no memory. */
static reyes_i_xform *moving(const reyes_i_motion_block *m)
{
	reyes_i_xform *x = reyes_i_xform_new(REYES_I_KEYS_MAX);
	const double step = m->move_count > 1 ? choose_step(m) : 0;
	size_t i, j;

	if (!x)
		return NULL;
	if (m->move_count > 1 && step == 0) {
		sample_keys(m, x);
		return x;
	}
	x->times[0] = m->times[0];
	memcpy(x->matrix[0], m->moves[0].matrix, sizeof(x->matrix[0]));
	x->count = 1;
	for (i = 1; i < m->move_count; i++) {
		const size_t n = steps_between(&m->moves[i - 1], &m->moves[i], step);

		for (j = 1; j < n; j++) {
			const double part = (double)j / (double)n;

			x->times[x->count] = (float)((1 - part) * (double)m->times[i - 1] +
						     part * (double)m->times[i]);
			move_between(&m->moves[i - 1], &m->moves[i], part, x->matrix[x->count++]);
		}
		x->times[x->count] = m->times[i];
		memcpy(x->matrix[x->count++], m->moves[i].matrix, sizeof(x->matrix[0]));
	}
	return x;
}

static reyes_status finish_moves(reyes_renderer *r)
{
	const reyes_i_motion_block *m = &r->motion;
	reyes_i_xform *x = moving(m), *from;
	reyes_status s;

	if (!x)
		return reyes_i_no_memory(r);
	from = reyes_i_xform_ref(m->moves[0].replace ? r->base : r->ctm);
	s = reyes_i_xform_concat(&from, x);
	reyes_i_xform_unref(x);
	return set_current(r, from, s);
}

/* ---- shapes ---- */

/* Nonzero if two shapes differ in their keys only. */
static int same_structure(const reyes_i_shape *a, const reyes_i_shape *b)
{
	size_t v;

	if (a->kind != b->kind || memcmp(a->counts, b->counts, sizeof(a->counts)) != 0 ||
		a->int_count != b->int_count || a->float_count != b->float_count ||
		a->degree != b->degree || a->u_periodic != b->u_periodic ||
		a->v_periodic != b->v_periodic || a->keys[0].var_count != b->keys[0].var_count)
		return 0;
	if (a->int_count && memcmp(a->ints, b->ints, a->int_count * sizeof(*a->ints)) != 0)
		return 0;
	for (v = 0; v < a->keys[0].var_count; v++) {
		const reyes_i_primvar *x = &a->keys[0].vars[v], *y = &b->keys[0].vars[v];

		if (strcmp(x->name, y->name) != 0 || x->storage != y->storage ||
			x->count != y->count || x->components != y->components)
			return 0;
	}
	return 1;
}

reyes_status reyes_i_motion_add_shape(reyes_renderer *r, reyes_i_shape *shape)
{
	reyes_i_motion_block *m = &r->motion;
	reyes_i_shape_key *keys;

	shape->keys[0].time = reyes_i_motion_time(r);
	if (!m->has_shape) {
		m->shape = *shape;
		m->has_shape = 1;
		return REYES_OK;
	}
	if (!same_structure(&m->shape, shape)) {
		reyes_i_shape_free(shape);
		return reyes_i_error(r,
			"differs from the first one of the motion block in more than the values of "
			"its arguments and variables");
	}
	keys = realloc(m->shape.keys, (m->shape.key_count + 1) * sizeof(*keys));
	if (!keys) {
		reyes_i_shape_free(shape);
		return reyes_i_no_memory(r);
	}
	m->shape.keys = keys;
	keys[m->shape.key_count++] = shape->keys[0];
	shape->key_count = 0; /* its key has a new owner */
	reyes_i_shape_free(shape);
	return REYES_OK;
}

/* ---- the end of a block ---- */

reyes_status reyes_i_motion_finish(reyes_renderer *r)
{
	reyes_i_motion_block *m = &r->motion;
	reyes_status s = REYES_OK;

	m->open = 0;
	if (m->requests < m->count && !m->is_refused)
		s = reyes_i_error(r, "the motion block has %zu times, but %zu requests", m->count,
			m->requests);
	if (m->move_count > 0) {
		const reyes_status done = finish_moves(r);

		s = done != REYES_OK ? done : s;
	}
	if (m->has_shape) {
		const reyes_status done = reyes_i_draw(r, &m->shape, REYES_OK);

		m->has_shape = 0;
		s = done != REYES_OK ? done : s;
	}
	reyes_i_motion_clear(m);
	return s;
}
