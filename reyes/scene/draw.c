/* From shapes of requests to primitives of the frame: shutter, level of detail, solids. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/matrix.h"
#include "reyes/scene/motion.h"
#include "reyes/scene/shape_keys.h"

/* Forwards a defect of a shape, with the object's name. */
static void complain(void *user, reyes_level level, const char *message)
{
	reyes_renderer *r = user;
	const char *label =
		r->state->label == REYES_I_NONE ? NULL : r->object_labels.list[r->state->label];
	char text[512];

	if (level == REYES_LEVEL_ERROR && r->error_style == REYES_I_IGNORE)
		return;
	if (label)
		snprintf(text, sizeof(text), "%.380s (object \"%.100s\")", message, label);
	reyes_i_log_counted(r, level, message, label ? text : message);
}

/* RISpec 3.2, "RiDetailRange": never drawn below the first or above the last number, always
 * between the inner two. In the transitions between them the representations are mixed: of those
 * that share a transition each sample has one. */
uint32_t reyes_i_detail_flags(const reyes_i_state *s)
{
	const float *range = s->detail_range, d = s->detail;
	const uint32_t rises = d < range[1];
	uint32_t part;

	if (d < range[0] || (d >= range[3] && !isinf(range[3])))
		return REYES_I_DETAIL_NONE;
	if (!rises && (!(d > range[2]) || isinf(range[3])))
		return 0;
	part = (uint32_t)(65536 * (rises ? (d - range[0]) / (range[1] - range[0])
					 : (d - range[2]) / (range[3] - range[2])));
	if (part == 0)
		return rises ? REYES_I_DETAIL_NONE : 0;
	if (part > 65535)
		return rises ? 0 : REYES_I_DETAIL_NONE;
	return part << REYES_I_DETAIL_SHIFT |
	       (rises ? REYES_I_ATTR_DETAIL_BELOW : REYES_I_ATTR_DETAIL_ABOVE);
}

static int is_in_detail_range(reyes_renderer *r)
{
	const reyes_i_state *s = r->state;

	if (s->has_detail && (s->detail_range[1] > 0 || !isinf(s->detail_range[3])))
		r->unmovable = "Detail and DetailRange choose the geometry by its size in pixels";
	return reyes_i_detail_flags(s) != REYES_I_DETAIL_NONE;
}

static int has_opacities(const reyes_i_shape *shape)
{
	size_t i;

	for (i = 0; i < shape->keys[0].var_count; i++) {
		if (strcmp(shape->keys[0].vars[i].name, "Os") == 0)
			return 1;
	}
	return 0;
}

/* Enlarges the box of the current area light by the geometry's points. The box has the axes of the
 * world, so that the light's place does not depend on the camera. */
static void extend_area_light(
	reyes_renderer *r, const reyes_i_shape *shape, const reyes_i_xform *to_camera)
{
	reyes_i_scene_light *l = &r->lights[r->state->area_light];
	double m[16], to_world[16], p[3];
	float corners[2][3];
	size_t i, n;
	const reyes_i_primvar *points = reyes_i_shape_points(shape);
	int axis;

	if (to_camera->anchor != REYES_I_ANCHOR_WORLD)
		r->unmovable = reyes_i_mixed_spaces;
	reyes_i_xform_at(to_camera, r->settings->shutter_open, m);
	reyes_i_matrix_invert(to_world, r->world_matrix);
	reyes_i_matrix_multiply(m, m, to_world);
	n = points ? points->count / 3 : 2;
	if (!points)
		reyes_i_quadric_axis(shape, corners);
	for (i = 0; i < n; i++) {
		reyes_i_matrix_point(p, m, points ? points->floats + 3 * i : corners[i]);
		for (axis = 0; axis < 3; axis++) {
			double *range = &l->box[2 * axis];

			if (!isfinite(p[axis]))
				return;
			range[0] = l->has_box ? fmin(range[0], p[axis]) : p[axis];
			range[1] = l->has_box ? fmax(range[1], p[axis]) : p[axis];
		}
		l->has_box = 1;
	}
}

/* Marks what was added to the frame since then as fixed in camera space. */
static void fix(reyes_i_frame *f, size_t prims, size_t vars)
{
	for (; prims < f->prims.count; prims++)
		f->prims.list[prims].flags |= REYES_I_FIXED;
	for (; vars < f->vars.count; vars++)
		f->vars.list[vars].fixed = 1;
}

reyes_status reyes_i_draw_at(
	reyes_renderer *r, const reyes_i_shape *shape, const reyes_i_xform *to_camera)
{
	const reyes_i_settings *settings = r->settings;
	const size_t prims = r->frame.prims.count, vars = r->frame.vars.count;
	reyes_i_motion motion;
	reyes_i_placement place = { &motion, 0, complain, r };
	reyes_i_shape clipped;
	reyes_status s;

	if (!r->state->visible || !is_in_detail_range(r))
		return REYES_OK;
	if (r->solid != REYES_I_NONE && !r->solid_leaf)
		return reyes_i_error(r,
			"not allowed directly in a solid of an operation; it needs a "
			"SolidBegin \"primitive\" around it");
	place.attr = reyes_i_attr_index(r, to_camera, has_opacities(shape));
	if (place.attr == REYES_I_NONE)
		return reyes_i_no_memory(r);
	if (r->texture_status != REYES_OK) {
		s = r->texture_status;
		r->texture_status = REYES_OK;
		return s;
	}
	if (r->state->area_light != REYES_I_NONE)
		extend_area_light(r, shape, to_camera);
	reyes_i_xform_clip(to_camera, settings->shutter_open, settings->shutter_close, &motion);
	if (!reyes_i_shape_clip(shape, settings->shutter_open, settings->shutter_close, &clipped))
		return reyes_i_no_memory(r);
	s = reyes_i_lower(&r->frame, &clipped, &place);
	if (to_camera->anchor == REYES_I_ANCHOR_CAMERA)
		fix(&r->frame, prims, vars);
	else if (to_camera->anchor == REYES_I_ANCHOR_MIXED)
		r->unmovable = reyes_i_mixed_spaces;
	reyes_i_shape_unclip(shape, &clipped);
	return s == REYES_ERR_NOMEM || r->frame.no_memory ? reyes_i_no_memory(r) : s;
}

/* Keeps a shape in the open object definition. */
static reyes_status keep(reyes_renderer *r, reyes_i_shape *shape)
{
	reyes_i_object *o = &r->objects[r->object];

	if (!reyes_i_reserve(&o->list, &o->room, o->count + 1, sizeof(*o->list))) {
		reyes_i_shape_free(shape);
		return reyes_i_no_memory(r);
	}
	o->list[o->count].shape = *shape;
	o->list[o->count].state = reyes_i_state_ref(r->state);
	o->list[o->count++].local = reyes_i_xform_ref(r->ctm);
	return REYES_OK;
}

reyes_status reyes_i_draw(reyes_renderer *r, reyes_i_shape *shape, reyes_status read)
{
	if (read == REYES_OK && r->motion.open)
		return reyes_i_motion_add_shape(r, shape);
	if (read == REYES_OK && r->in_object)
		return keep(r, shape);
	if (read == REYES_OK)
		read = reyes_i_draw_at(r, shape, r->ctm);
	reyes_i_shape_free(shape);
	return read;
}
