/* Shading of one point of a grid: displacement, surface and atmosphere. One thread shades one
 * point; nothing is shared between points. Text for both languages. */
#ifndef REYES_SHADE_SHADE_H
#define REYES_SHADE_SHADE_H

#include "reyes/shade/atmosphere.h"
#include "reyes/shade/surface.h"

/* Whether an attribute has an environment map: of the standard surfaces shinymetal may have one. */
LSCHED_FN uint32_t reyes_i_is_mirror(const reyes_i_view *view, const reyes_i_attr *attr)
{
	return attr->surface != REYES_I_NONE &&
	       reyes_i_has_environment(&view->shaders[attr->surface]);
}

/* Returns 1 if reyes_i_shade_simple() computes the same as reyes_i_shade() for an attribute: no
 * texture, no shadow, no atmosphere. Callers handle environment maps before:
 * reyes_i_is_mirror(). */
LSCHED_FN uint32_t reyes_i_is_simple(const reyes_i_view *view, const reyes_i_attr *attr)
{
	uint32_t i;

	if (attr->atmosphere != REYES_I_NONE)
		return 0;
	if (attr->surface != REYES_I_NONE &&
		view->shaders[attr->surface].kind == REYES_I_SURFACE_PAINTEDPLASTIC &&
		view->shaders[attr->surface].texture != REYES_I_NONE)
		return 0;
	for (i = 0; i < attr->light_count; i++)
		if (view->lights[view->words[attr->lights + i]].shadow != REYES_I_NONE)
			return 0;
	return 1;
}

/* Computes ci (multiplied by opacity) and oi, each 3 floats, of a point: surface, then atmosphere.
 * Linear values, not clamped. */
LSCHED_FN void reyes_i_shade(const reyes_i_view *view, const reyes_i_attr *attr,
	const reyes_i_point *at, float *ci, float *oi)
{
	reyes_i_vec color, opacity;

	reyes_i_surface(view, attr, at, 1, &color, &opacity);
	reyes_i_atmosphere(view, attr, at, &color, &opacity);
	reyes_i_store3(ci, color);
	reyes_i_store3(oi, opacity);
}

/* As reyes_i_shade() for an attribute with an environment map, which the others leave out. */
LSCHED_FN void reyes_i_shade_mirror(const reyes_i_view *view, const reyes_i_attr *attr,
	const reyes_i_point *at, float *ci, float *oi)
{
	reyes_i_vec color, opacity;

	reyes_i_surface(view, attr, at, 2, &color, &opacity);
	reyes_i_atmosphere(view, attr, at, &color, &opacity);
	reyes_i_store3(ci, color);
	reyes_i_store3(oi, opacity);
}

/* As reyes_i_shade() for an attribute that is simple. A function of its own, because textures and
 * shadows need more registers. */
LSCHED_FN void reyes_i_shade_simple(const reyes_i_view *view, const reyes_i_attr *attr,
	const reyes_i_point *at, float *ci, float *oi)
{
	reyes_i_vec color, opacity;

	reyes_i_surface(view, attr, at, 0, &color, &opacity);
	reyes_i_store3(ci, color);
	reyes_i_store3(oi, opacity);
}

/* Returns the offset along the unit normal that the displacement shader adds to P: Km times the
 * first channel of the texture (bumpy, appendix A.4). 0 without a displacement shader or without
 * its texture. The caller computes the new normal from the neighbours of the displaced point. */
LSCHED_FN float reyes_i_displace(
	const reyes_i_view *view, const reyes_i_attr *attr, const reyes_i_point *at)
{
	const reyes_i_shader *shader;

	if (attr->displacement == REYES_I_NONE)
		return 0.0f;
	shader = &view->shaders[attr->displacement];
	if (shader->texture == REYES_I_NONE)
		return 0.0f;
	return shader->p[0] * reyes_i_texture_at(view, shader->texture, at).x;
}

#endif
