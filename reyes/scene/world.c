/* The beginning and the end of a world block. */
#include <math.h>
#include <reyes/ri.h>
#include "reyes/scene/blocks.h"
#include "reyes/scene/camera.h"
#include "reyes/scene/frame_arrays.h"
#include "reyes/scene/matrix.h"

/* Notes the displays of the frame before whose files were not written, for the message about a
 * texture that is missing for this reason. Without memory it has the reason of all others. */
static void note_unwritten(reyes_renderer *r)
{
	for (size_t i = 0; i < r->display_count; i++)
		if (!r->displays[i]->is_written &&
			reyes_i_display_format(&r->displays[i]->display) != REYES_I_FORMAT_WINDOW)
			(void)reyes_i_names_add(&r->unwritten, r->displays[i]->display.name, NULL);
}

reyes_status reyes_i_world_start(reyes_renderer *r)
{
	double inverse[16];
	size_t i;

	reyes_i_frame_clear(&r->frame);
	r->frame_ready = 0;
	r->pose.is_moved = 0;
	r->unmovable = NULL;
	r->world++;
	r->solid = REYES_I_NONE;
	r->solid_leaf = 0;
	for (i = 0; i < REYES_I_ATTR_CACHE; i++)
		r->attr_cache[i] = REYES_I_NONE;
	for (i = 0; i < REYES_I_SHADER_CACHE; i++)
		r->shader_cache[i] = REYES_I_NONE;
	note_unwritten(r);
	reyes_i_displays_free(r->displays, r->display_count);
	r->display_count = r->settings->display_count;
	if (!reyes_i_displays_copy(&r->displays, r->settings->displays, r->display_count)) {
		r->display_count = 0;
		return reyes_i_no_memory(r);
	}
	reyes_i_camera_compute(r);
	if (!reyes_i_matrix_invert(inverse, r->world_matrix)) {
		reyes_i_error(r, "the transform from world to camera has no inverse");
		r->unmovable = "the transform from world to camera has no inverse";
	}
	return REYES_OK;
}

/* Moves the lights of AreaLightSource requests to the centres of their geometry. */
static void place_area_lights(reyes_renderer *r)
{
	double to_world[16], place[16];
	/* Without an inverse the boxes are in camera space. */
	const int has_inverse = reyes_i_matrix_invert(to_world, r->world_matrix);
	size_t i;
	int axis;

	for (i = 0; i < r->light_count; i++) {
		const reyes_i_scene_light *l = &r->lights[i];
		reyes_i_light *light;

		if (!l->is_area || !l->has_box || l->world != r->world)
			continue;
		light = &r->frame.lights.list[l->index];
		reyes_i_matrix_identity(place);
		for (axis = 0; axis < 3; axis++)
			place[12 + axis] = (l->box[2 * axis] + l->box[2 * axis + 1]) / 2;
		if (has_inverse)
			reyes_i_matrix_multiply(place, place, r->world_matrix);
		for (axis = 0; axis < 3; axis++)
			light->from[axis] = (float)fmax(-1e30, fmin(place[12 + axis], 1e30));
		light->fixed = 0;
	}
}

reyes_status reyes_i_world_finish(reyes_renderer *r)
{
	place_area_lights(r);
	r->solid = REYES_I_NONE;
	r->solid_leaf = 0;
	if (r->frame.no_memory)
		return reyes_i_no_memory(r);
	r->frame_ready = 1;
	return REYES_OK;
}
