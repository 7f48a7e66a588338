/* Attribute states: defaults, sharing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/state.h"

reyes_i_shader_use reyes_i_default_surface(void)
{
	reyes_i_shader_use use;

	memset(&use, 0, sizeof(use));
	use.set = 1;
	use.texture = use.shader.texture = REYES_I_NONE;
	use.shader.kind = REYES_I_SURFACE_DEFAULT;
	use.shader.p[0] = 0.2f; /* Ka */
	use.shader.p[1] = 0.8f; /* Kd */
	return use;
}

reyes_i_state *reyes_i_state_new(void)
{
	static const float corners[8] = { 0, 0, 1, 0, 0, 1, 1, 1 };
	reyes_i_state *s = calloc(1, sizeof(*s));
	int i;

	if (!s)
		return NULL;
	s->refs = 1;
	for (i = 0; i < 3; i++)
		s->color[i] = s->opacity[i] = 1;
	memcpy(s->tex_coords, corners, sizeof(corners));
	s->shading_rate = 1;
	s->focus_factor = 1;
	s->two_sides = s->visible = 1;
	s->surface = reyes_i_default_surface();
	s->area_light = REYES_I_NONE;
	s->label = REYES_I_NONE;
	s->detail = INFINITY;
	s->detail_range[2] = s->detail_range[3] = INFINITY;
	reyes_basis_by_name("bezier", s->u_basis, &s->u_step);
	reyes_basis_by_name("bezier", s->v_basis, &s->v_step);
	return s;
}

reyes_i_state *reyes_i_state_ref(reyes_i_state *s)
{
	s->refs++;
	return s;
}

void reyes_i_state_unref(reyes_i_state *s)
{
	if (s && --s->refs == 0) {
		reyes_i_light_set_unref(s->lights);
		free(s);
	}
}

reyes_i_state *reyes_i_state_own(reyes_i_state **s, uint32_t set)
{
	reyes_i_state *copy = *s;

	if (copy->refs > 1) {
		copy = malloc(sizeof(*copy));
		if (!copy)
			return NULL;
		*copy = **s;
		copy->refs = 1;
		if (copy->lights)
			copy->lights->refs++;
		(*s)->refs--;
		*s = copy;
	}
	copy->cached_world = 0;
	copy->changed |= set;
	return copy;
}

/* Copies the attributes that are marked in the object's state. */
static void copy_shading(reyes_i_state *s, const reyes_i_state *o)
{
	if (o->changed & REYES_I_SET_COLOR)
		memcpy(s->color, o->color, sizeof(s->color));
	if (o->changed & REYES_I_SET_OPACITY)
		memcpy(s->opacity, o->opacity, sizeof(s->opacity));
	if (o->changed & REYES_I_SET_TEX_COORDS)
		memcpy(s->tex_coords, o->tex_coords, sizeof(s->tex_coords));
	if (o->changed & REYES_I_SET_SURFACE)
		s->surface = o->surface;
	if (o->changed & REYES_I_SET_DISPLACEMENT)
		s->displacement = o->displacement;
	if (o->changed & REYES_I_SET_ATMOSPHERE)
		s->atmosphere = o->atmosphere;
	if (o->changed & REYES_I_SET_BOUND) {
		s->displacement_bound = o->displacement_bound;
		s->bound_space = o->bound_space;
	}
}

static void copy_drawing(reyes_i_state *s, const reyes_i_state *o)
{
	if (o->changed & REYES_I_SET_SHADING_RATE)
		s->shading_rate = o->shading_rate;
	if (o->changed & REYES_I_SET_FACTORS) {
		s->motion_factor = o->motion_factor;
		s->focus_factor = o->focus_factor;
	}
	if (o->changed & REYES_I_SET_SIDES)
		s->two_sides = o->two_sides;
	if (o->changed & REYES_I_SET_MATTE)
		s->matte = o->matte;
	if (o->changed & REYES_I_SET_SMOOTH)
		s->smooth = o->smooth;
	if (o->changed & REYES_I_SET_VISIBLE)
		s->visible = o->visible;
	if (o->changed & REYES_I_SET_DETAIL_RANGE)
		memcpy(s->detail_range, o->detail_range, sizeof(s->detail_range));
	if (o->changed & REYES_I_SET_LABEL)
		s->label = o->label;
}

reyes_i_state *reyes_i_state_merge(reyes_i_state *instance, const reyes_i_state *object)
{
	reyes_i_state *merged = reyes_i_state_ref(instance);

	if (object->changed == 0 && !object->inside_out)
		return merged;
	if (!reyes_i_state_own(&merged, object->changed)) {
		reyes_i_state_unref(merged);
		return NULL;
	}
	copy_shading(merged, object);
	copy_drawing(merged, object);
	/* Object definitions begin with surfaces that are not turned. */
	merged->inside_out = merged->inside_out != object->inside_out;
	return merged;
}
