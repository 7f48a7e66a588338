/* Attributes by name. */
#include <math.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/matrix.h"
#include "reyes/scene/params.h"
#include "reyes/scene/spaces.h"

/* What Attribute "displacementbound" has given. */
typedef struct bound_request {
	int has_sphere;
	float sphere;
	const char *space; /* NULL: that of each primitive */
} bound_request;

static reyes_status set_bound(reyes_renderer *r, const bound_request *b)
{
	double m[16];
	double bound = b->sphere;
	uint32_t space = REYES_I_BOUND_CAMERA;

	if (!b->has_sphere)
		return REYES_OK;
	if (!(b->sphere >= 0))
		return reyes_i_error(r, "\"sphere\" %g is negative", (double)b->sphere);
	if (!b->space || strcmp(b->space, "object") == 0) {
		space = REYES_I_BOUND_OBJECT;
	} else if (strcmp(b->space, "camera") != 0) {
		const reyes_i_xform *x = reyes_i_find_space(r, b->space);

		if (!x)
			return reyes_i_error(
				r, "there is no coordinate system \"%.100s\"", b->space);
		reyes_i_xform_at(x, r->settings->shutter_open, m);
		bound *= reyes_i_matrix_stretch(m);
	}
	if (!reyes_i_state_own(&r->state, REYES_I_SET_BOUND))
		return reyes_i_no_memory(r);
	r->state->displacement_bound = (float)fmin(bound, 1e30);
	r->state->bound_space = space;
	return REYES_OK;
}

/* Reads one parameter of "identifier". */
static reyes_status set_identifier(reyes_renderer *r, const reyes_i_param *param)
{
	const char *text;
	uint32_t number;

	if (strcmp(param->name, "name") != 0)
		return REYES_OK;
	text = reyes_i_param_string(r, param);
	if (!text)
		return REYES_ERR_SCENE;
	number = reyes_i_names_add(&r->object_labels, text, NULL);
	if (number == REYES_I_NONE || !reyes_i_state_own(&r->state, REYES_I_SET_LABEL))
		return reyes_i_no_memory(r);
	r->state->label = number;
	return REYES_OK;
}

static reyes_status set_visibility(reyes_renderer *r, const reyes_i_param *param)
{
	float on;

	if (strcmp(param->name, "camera") != 0 && strcmp(param->name, "primary") != 0) {
		reyes_i_param_unused(r, param);
		return REYES_OK;
	}
	if (!reyes_i_param_floats(r, param, &on, 1))
		return REYES_ERR_SCENE;
	if (!reyes_i_state_own(&r->state, REYES_I_SET_VISIBLE))
		return reyes_i_no_memory(r);
	r->state->visible = on != 0;
	return REYES_OK;
}

static void read_bound(reyes_renderer *r, const reyes_i_param *param, bound_request *bound)
{
	if (strcmp(param->name, "sphere") == 0)
		bound->has_sphere = reyes_i_param_floats(r, param, &bound->sphere, 1);
	else if (strcmp(param->name, "coordinatesystem") == 0)
		bound->space = reyes_i_param_string(r, param);
	else
		reyes_i_param_unused(r, param);
}

reyes_status reyes_attribute(reyes_renderer *r, const char *name, const reyes_params *p)
{
	bound_request bound = { 0, 0, NULL };
	reyes_status s = REYES_OK;
	size_t i;

	REYES_I_ENTER(r, "Attribute", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!name || !*name)
		return reyes_i_error(r, "needs a name");
	for (i = 0; i < reyes_i_param_count(p) && s != REYES_ERR_NOMEM; i++) {
		reyes_i_param param;

		if (!reyes_i_param_read(r, p, i, &param)) {
			s = REYES_ERR_SCENE;
			continue;
		}
		if (strcmp(name, "displacementbound") == 0)
			read_bound(r, &param, &bound);
		else if (strcmp(name, "identifier") == 0)
			s = set_identifier(r, &param);
		else if (strcmp(name, "visibility") == 0)
			s = set_visibility(r, &param);
		else if (strcmp(name, "user") != 0)
			reyes_i_param_unused(r, &param);
	}
	return bound.has_sphere ? set_bound(r, &bound) : s;
}
