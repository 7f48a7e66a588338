/* From the current attributes to an entry of frame.attrs. Equal entries are shared: a table by hash
 * keeps the last entry of each hash value. */
#include <math.h>
#include <string.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/frame_arrays.h"
#include "reyes/scene/matrix.h"

static uint32_t hash_of(const void *data, size_t bytes)
{
	const unsigned char *c = data;
	uint32_t h = 2166136261u; /* FNV-1a */

	while (bytes-- > 0)
		h = (h ^ *c++) * 16777619u;
	return h ^ h >> 16;
}

int reyes_i_is_mirrored(const reyes_renderer *r, const reyes_i_xform *to_camera)
{
	double m[16];

	reyes_i_xform_at(to_camera, r->settings->shutter_open, m);
	return reyes_i_matrix_determinant(m) < 0;
}

/* The number in frame.shaders of a shader; NONE: there is none. */
static uint32_t shader_index(reyes_renderer *r, const reyes_i_shader_use *use)
{
	reyes_i_shader shader = use->shader, *fresh;
	uint32_t *slot, index;

	if (!use->set)
		return REYES_I_NONE;
	shader.texture = REYES_I_NONE;
	if (use->texture != REYES_I_NONE)
		shader.texture = reyes_i_texture_index(r, use->texture);
	slot = &r->shader_cache[hash_of(&shader, sizeof(shader)) % REYES_I_SHADER_CACHE];
	if (*slot != REYES_I_NONE &&
		memcmp(&r->frame.shaders.list[*slot], &shader, sizeof(shader)) == 0)
		return *slot;
	fresh = reyes_i_add(&r->frame, shaders, 1, &index);
	if (!fresh)
		return REYES_I_NONE;
	*fresh = shader;
	*slot = index;
	return index;
}

static uint32_t light_index(reyes_renderer *r, reyes_i_scene_light *l)
{
	reyes_i_light *fresh;
	uint32_t index;

	if (l->world == r->world)
		return l->index;
	fresh = reyes_i_add(&r->frame, lights, 1, &index);
	if (!fresh)
		return 0;
	*fresh = l->light;
	fresh->shadow = REYES_I_NONE;
	fresh->fixed = l->anchor == REYES_I_ANCHOR_CAMERA;
	if (l->anchor == REYES_I_ANCHOR_MIXED)
		r->unmovable = reyes_i_mixed_spaces;
	l->world = r->world;
	l->index = index;
	if (l->shadow != REYES_I_NONE) {
		const uint32_t shadow = reyes_i_texture_index(r, l->shadow);

		r->frame.lights.list[index].shadow = shadow;
	}
	return index;
}

/* Writes the numbers of a set of lights to frame.words, once for each set. */
static uint32_t light_words(reyes_renderer *r, reyes_i_light_set *set)
{
	uint32_t *words, first, i;

	if (set->world == r->world)
		return set->words;
	for (i = 0; i < set->count; i++)
		light_index(r, &r->lights[set->list[i]]);
	words = reyes_i_add(&r->frame, words, set->count, &first);
	if (!words)
		return 0;
	for (i = 0; i < set->count; i++)
		words[i] = r->lights[set->list[i]].index;
	set->words = first;
	set->world = r->world;
	return first;
}

/* Normals. RISpec 3.2, "Orientation and Sides": a surface's normal follows the left-hand rule in a
 * left-handed object space and the right-hand rule in a right-handed one; it is turned if the
 * current orientation is not that of the space. By components, dPdu x dPdv in object space is the
 * normal in both cases. The cross product of the transformed derivatives is the transformed normal
 * times the sign of the determinant of the transform to camera space, which is left-handed. So the
 * outward normal in camera space is dPdu x dPdv, times -1 if the transform is mirrored or the
 * orientation is not that of the space, but not if both hold.
 *
 * The current orientation flips whenever a transform flips the space, so that the state only keeps
 * whether the two differ. */
static uint32_t flags_of(
	const reyes_i_state *s, uint32_t turned, int has_opacities, uint32_t detail)
{
	uint32_t flags = 0;

	if (s->two_sides)
		flags |= REYES_I_ATTR_TWO_SIDES;
	if (turned)
		flags |= REYES_I_ATTR_FLIP;
	if (s->matte)
		flags |= REYES_I_ATTR_MATTE;
	if (s->smooth)
		flags |= REYES_I_ATTR_SMOOTH;
	if (!has_opacities && s->opacity[0] >= 1 && s->opacity[1] >= 1 && s->opacity[2] >= 1)
		flags |= REYES_I_ATTR_OPAQUE;
	/* A surface that some samples do not have is stored as fragments, as a transparent one. */
	if (detail)
		flags = (flags & ~(uint32_t)REYES_I_ATTR_OPAQUE) | detail;
	return flags;
}

static void fill(reyes_renderer *r, reyes_i_attr *a, const reyes_i_xform *to_camera,
	uint32_t turned, int has_opacities)
{
	const reyes_i_state *s = r->state;
	const float factor = r->options.shading_rate > 0 ? r->options.shading_rate : 1;

	memset(a, 0, sizeof(*a));
	memcpy(a->color, s->color, sizeof(a->color));
	memcpy(a->opacity, s->opacity, sizeof(a->opacity));
	memcpy(a->tex_coords, s->tex_coords, sizeof(a->tex_coords));
	a->shading_rate = fmaxf(s->shading_rate * factor, 1e-6f);
	a->motion_factor = s->motion_factor;
	a->focus_factor = s->focus_factor;
	a->flags = flags_of(s, turned, has_opacities, reyes_i_detail_flags(s));
	a->surface = shader_index(r, &s->surface);
	a->displacement = shader_index(r, &s->displacement);
	a->atmosphere = shader_index(r, &s->atmosphere);
	if (a->displacement != REYES_I_NONE) {
		double bound = s->displacement_bound;

		if (s->bound_space == REYES_I_BOUND_OBJECT) {
			double m[16];

			reyes_i_xform_at(to_camera, r->settings->shutter_open, m);
			bound *= reyes_i_matrix_stretch(m);
		}
		a->displacement_bound = (float)fmin(bound, 1e30);
	}
	if (s->lights && s->lights->count > 0) {
		a->light_count = s->lights->count;
		a->lights = light_words(r, s->lights);
	} else if (s->surface.is_replaced && s->surface.shader.kind != REYES_I_SURFACE_CONSTANT) {
		/* The scene's shader may need no light; its replacement is black without one. */
		const reyes_i_shader_use fallback = reyes_i_default_surface();

		a->surface = shader_index(r, &fallback);
		reyes_i_info_once(r, "no light",
			"there is no light for shaders that were replaced; defaultsurface is used");
	}
	a->solid = REYES_I_NONE;
	/* A primitive that is a tree of its own is an ordinary object. */
	if (r->solid != REYES_I_NONE && r->frame.solids.list[r->solid].parent != REYES_I_NONE)
		a->solid = r->solid;
	if (a->solid != REYES_I_NONE)
		a->flags &= ~(uint32_t)REYES_I_ATTR_OPAQUE;
}

uint32_t reyes_i_attr_index(reyes_renderer *r, const reyes_i_xform *to_camera, int has_opacities)
{
	reyes_i_state *s = r->state;
	const uint32_t turned = (reyes_i_is_mirrored(r, to_camera) != 0) != (s->inside_out != 0);
	uint32_t *kept = &s->cached[turned + 2 * (has_opacities != 0)], *slot, index;
	reyes_i_attr a, *fresh;
	int i;

	if (s->cached_world != r->world || s->cached_solid != r->solid) {
		s->cached_world = r->world;
		s->cached_solid = r->solid;
		for (i = 0; i < 4; i++)
			s->cached[i] = REYES_I_NONE;
	}
	if (*kept != REYES_I_NONE)
		return *kept;
	fill(r, &a, to_camera, turned, has_opacities);
	if (r->frame.no_memory)
		return REYES_I_NONE;
	slot = &r->attr_cache[hash_of(&a, sizeof(a)) % REYES_I_ATTR_CACHE];
	index = *slot;
	if (index == REYES_I_NONE || memcmp(&r->frame.attrs.list[index], &a, sizeof(a)) != 0) {
		fresh = reyes_i_add(&r->frame, attrs, 1, &index);
		if (!fresh)
			return REYES_I_NONE;
		*fresh = a;
		*slot = index;
	}
	/* A bound in object space is another one for each transform. */
	if (s->bound_space == REYES_I_BOUND_CAMERA || s->displacement_bound == 0)
		*kept = index;
	return index;
}
