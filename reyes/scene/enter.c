/* The beginning of every request: where it is allowed, and its place in a motion block. */
#include <stdio.h>
#include <string.h>
#include "reyes/scene/motion.h"
#include "reyes/scene/renderer.h"

/* Numbers the request in the open motion block. Returns nonzero if it is not executed. */
static int enter_motion(
	reyes_renderer *r, const char *request, enum reyes_i_moves moves, reyes_status *s)
{
	reyes_i_motion_block *m = &r->motion;
	char key[96];

	if (moves == REYES_I_ENDS) {
		reyes_i_error(r, "a motion block is open; it ends here");
		reyes_i_motion_finish(r);
		return 0;
	}
	if (moves == REYES_I_STATIC) {
		*s = reyes_i_error(r, "not allowed in a motion block; write MotionEnd first");
		return 1;
	}
	if (m->request && strcmp(m->request, request) != 0) {
		*s = reyes_i_error(r, "not allowed in a motion block of %s requests", m->request);
		return 1;
	}
	if (m->is_refused && m->requests) {
		*s = REYES_OK;
		return 1;
	}
	if (m->requests == m->count) {
		*s = reyes_i_error(r, "the motion block has %zu times only", m->count);
		return 1;
	}
	m->request = request;
	m->requests++;
	if (moves == REYES_I_KEYS || m->requests == 1)
		return 0;
	snprintf(key, sizeof(key), "motion %s", request);
	reyes_i_warn_once(
		r, key, "changes over time are not supported; the first value of the block counts");
	*s = REYES_OK;
	return 1;
}

int reyes_i_enter(reyes_renderer *r, const char *request, enum reyes_i_where where,
	enum reyes_i_moves moves, reyes_status *s)
{
	if (!r) {
		*s = REYES_ERR_ARG;
		return 1;
	}
	r->request = request;
	if (where == REYES_I_OPTION && (r->in_world || r->in_object)) {
		*s = reyes_i_error(r,
			"not allowed in a %s block; options are set before WorldBegin",
			r->in_object ? "object" : "world");
		return 1;
	}
	if (where == REYES_I_GEOMETRY && !r->in_world && !r->in_object) {
		*s = reyes_i_error(
			r, "not allowed outside WorldBegin .. WorldEnd and object definitions");
		return 1;
	}
	if (where == REYES_I_NOT_OBJECT && r->in_object) {
		*s = reyes_i_error(r, "not allowed in an object definition");
		return 1;
	}
	return r->motion.open && enter_motion(r, request, moves, s);
}
