/* A frame as its readers access it: plain pointers to the arrays of a frame, in host or in device
 * memory. Text for both languages. */
#ifndef REYES_SCENE_VIEW_H
#define REYES_SCENE_VIEW_H

#include "reyes/scene/frame.h"

typedef struct reyes_i_view {
	const reyes_i_prim *prims;
	const reyes_i_attr *attrs;
	const reyes_i_shader *shaders;
	const reyes_i_light *lights;
	const reyes_i_var *vars;
	const reyes_i_texture *textures;
	const reyes_i_solid *solids;
	const float *floats;
	const uint32_t *words;
	const float *texels;
	uint32_t prim_count;
	uint32_t surface_count;
	reyes_i_camera camera;
} reyes_i_view;

/* Returns a view of a frame in host memory; valid until the frame's next addition. */
static inline reyes_i_view reyes_i_view_of(const reyes_i_frame *f)
{
	reyes_i_view v;

	v.prims = f->prims.list;
	v.attrs = f->attrs.list;
	v.shaders = f->shaders.list;
	v.lights = f->lights.list;
	v.vars = f->vars.list;
	v.textures = f->textures.list;
	v.solids = f->solids.list;
	v.floats = f->floats.list;
	v.words = f->words.list;
	v.texels = f->texels.list;
	v.prim_count = (uint32_t)f->prims.count;
	v.surface_count = f->surface_count;
	v.camera = f->camera;
	return v;
}

#endif
