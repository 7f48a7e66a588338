/* A frame as its readers access it: plain pointers to the arrays of a frame, in host or in device
 * memory. Text for both languages. */
#ifndef REYES_SCENE_VIEW_H
#define REYES_SCENE_VIEW_H

#include "reyes/scene/frame.h"

typedef struct reyes_i_view {
#define REYES_I_POINTER(type, name, moves) const type *name;
	REYES_I_FRAME_ARRAYS(REYES_I_POINTER)
#undef REYES_I_POINTER
	uint32_t prim_count;
	uint32_t surface_count;
	reyes_i_camera camera;
} reyes_i_view;

/* Returns a view of a frame in host memory; valid until the frame's next addition. */
static inline reyes_i_view reyes_i_view_of(const reyes_i_frame *f)
{
	reyes_i_view v;

#define REYES_I_SET_ARRAY(type, name, moves) v.name = f->name.list;
	REYES_I_FRAME_ARRAYS(REYES_I_SET_ARRAY)
#undef REYES_I_SET_ARRAY
	v.prim_count = (uint32_t)f->prims.count;
	v.surface_count = f->surface_count;
	v.camera = f->camera;
	return v;
}

#endif
