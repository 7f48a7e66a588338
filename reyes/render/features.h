/* What a frame has that some stages handle by code of its own. */
#ifndef REYES_RENDER_FEATURES_H
#define REYES_RENDER_FEATURES_H

#include "reyes/shade/surface.h"

/* Surfaces that are stored as fragments. */
static inline uint32_t reyes_i_has_lists(const reyes_i_frame *f)
{
	for (size_t k = 0; k < f->attrs.count; k++)
		if (!(f->attrs.list[k].flags & REYES_I_ATTR_OPAQUE))
			return 1;
	return f->camera.depth_filter == REYES_I_DEPTH_MIDPOINT;
}

/* Opaque surfaces. */
static inline uint32_t reyes_i_has_opaque(const reyes_i_frame *f)
{
	for (size_t k = 0; k < f->attrs.count; k++)
		if (f->attrs.list[k].flags & REYES_I_ATTR_OPAQUE)
			return 1;
	return 0;
}

/* Surfaces in a transition of DetailRange. */
static inline uint32_t reyes_i_has_details(const reyes_i_frame *f)
{
	const uint32_t flags = REYES_I_ATTR_DETAIL_BELOW | REYES_I_ATTR_DETAIL_ABOVE;

	for (size_t k = 0; k < f->attrs.count; k++)
		if (f->attrs.list[k].flags & flags)
			return 1;
	return 0;
}

/* Surfaces with environment maps. */
static inline uint32_t reyes_i_has_mirrors(const reyes_i_frame *f)
{
	for (size_t k = 0; k < f->shaders.count; k++)
		if (reyes_i_has_environment(&f->shaders.list[k]))
			return 1;
	return 0;
}

/* Samples with their own times or lens positions. */
static inline uint32_t reyes_i_has_motion(const reyes_i_frame *f)
{
	for (size_t k = 0; k < f->prims.count; k++)
		if (f->prims.list[k].key_count > 1)
			return 1;
	return f->camera.lens > 0;
}

#endif
