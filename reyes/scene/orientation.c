/* Orientation of surfaces and level of detail: attributes that depend on the current transform. */
#include <math.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/camera.h"
#include "reyes/scene/draw.h"
#include "reyes/scene/params.h"

reyes_status reyes_orientation(reyes_renderer *r, const char *orientation)
{
	uint32_t inside_out;

	REYES_I_ENTER(r, "Orientation", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (orientation && strcmp(orientation, "outside") == 0) {
		inside_out = 0;
	} else if (orientation && strcmp(orientation, "inside") == 0) {
		inside_out = 1;
	} else if (orientation && strcmp(orientation, "lh") == 0) {
		inside_out = reyes_i_is_mirrored(r, r->ctm) != 0;
	} else if (orientation && strcmp(orientation, "rh") == 0) {
		inside_out = !reyes_i_is_mirrored(r, r->ctm);
	} else {
		return reyes_i_error(r, "\"%.100s\" is none of outside, inside, lh and rh",
			orientation ? orientation : "");
	}
	if (!reyes_i_state_own(&r->state, 0))
		return reyes_i_no_memory(r);
	r->state->inside_out = inside_out;
	return REYES_OK;
}

reyes_status reyes_reverse_orientation(reyes_renderer *r)
{
	REYES_I_ENTER(r, "ReverseOrientation", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!reyes_i_state_own(&r->state, 0))
		return reyes_i_no_memory(r);
	r->state->inside_out = !r->state->inside_out;
	return REYES_OK;
}

reyes_status reyes_detail(reyes_renderer *r, const float bound[6])
{
	double to_camera[16];
	float area;

	REYES_I_ENTER(r, "Detail", REYES_I_NOT_OBJECT, REYES_I_FIRST);
	if (!bound || !reyes_i_all_finite(bound, 6))
		return reyes_i_error(r, "needs a box of 6 finite values");
	if (!r->in_world)
		return reyes_i_error(r, "only allowed in a world block: it needs the camera");
	reyes_i_xform_at(r->ctm, r->settings->shutter_open, to_camera);
	area = reyes_i_camera_box_area(&r->frame.camera, to_camera, bound);
	if (!reyes_i_state_own(&r->state, 0))
		return reyes_i_no_memory(r);
	r->state->has_detail = 1;
	r->state->detail = isnan(area) ? INFINITY : area * r->settings->relative_detail;
	return REYES_OK;
}

reyes_status reyes_detail_range(reyes_renderer *r, float min_visible, float lower_transition,
	float upper_transition, float max_visible)
{
	float range[4] = { min_visible, lower_transition, upper_transition, max_visible };
	int i;

	REYES_I_ENTER(r, "DetailRange", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!(min_visible <= lower_transition && lower_transition <= upper_transition &&
		    upper_transition <= max_visible))
		return reyes_i_error(r, "%g %g %g %g do not ascend", (double)min_visible,
			(double)lower_transition, (double)upper_transition, (double)max_visible);
	if (!reyes_i_state_own(&r->state, REYES_I_SET_DETAIL_RANGE))
		return reyes_i_no_memory(r);
	for (i = 0; i < 4; i++)
		r->state->detail_range[i] = range[i] >= 1e38f ? INFINITY : range[i];
	return REYES_OK;
}
