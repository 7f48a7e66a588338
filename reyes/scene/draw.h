/* From shapes of requests to primitives of the frame. */
#ifndef REYES_SCENE_DRAW_H
#define REYES_SCENE_DRAW_H

#include "reyes/image/texture.h"
#include "reyes/scene/renderer.h"

/* Draws a shape in the current state, keeps it in the open object definition, or as a key of the
 * open motion block. read: the status of reading it; an error is returned, and nothing is drawn.
 * Takes over the shape's memory in every case. */
reyes_status reyes_i_draw(reyes_renderer *r, reyes_i_shape *shape, reyes_status read);
/* Draws a shape that remains the caller's, in the current attributes. */
reyes_status reyes_i_draw_at(
	reyes_renderer *r, const reyes_i_shape *shape, const reyes_i_xform *to_camera);

/* Returns the flags REYES_I_ATTR_DETAIL_* of the current detail; 0: drawn in all samples, NONE: in
 * no sample. */
#define REYES_I_DETAIL_NONE REYES_I_NONE
uint32_t reyes_i_detail_flags(const reyes_i_state *s);
/* The index in frame.attrs of the current attributes for a primitive; REYES_I_NONE: no memory. */
uint32_t reyes_i_attr_index(reyes_renderer *r, const reyes_i_xform *to_camera, int has_opacities);
/* Nonzero if a determinant is negative at the opening of the shutter: the space is right-handed. */
int reyes_i_is_mirrored(const reyes_renderer *r, const reyes_i_xform *to_camera);
/* The index in frame.textures of a file; REYES_I_NONE, after a warning, if it cannot be read. */
uint32_t reyes_i_texture_index(reyes_renderer *r, uint32_t texture_name);
/* The number in renderer.texture_names of a file; NONE: empty name, or no memory. */
uint32_t reyes_i_texture_number(
	reyes_renderer *r, const char *name, enum reyes_i_texture_kind kind);

#endif
