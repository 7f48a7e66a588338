/* Shapes: memory, and their values during the shutter. */
#ifndef REYES_SCENE_SHAPE_KEYS_H
#define REYES_SCENE_SHAPE_KEYS_H

#include "reyes/scene/shape.h"

/* Starts a shape with one key. Returns 0 if there is no memory. */
int reyes_i_shape_init(reyes_i_shape *s, uint32_t kind, const char *request);
/* Appends a variable to the first key and copies its name. Its `count` floats have no values yet.
 * Returns NULL if there is no memory. */
reyes_i_primvar *reyes_i_shape_add_var(reyes_i_shape *s, const char *name, size_t count);
/* The variable "P" of the first key; NULL: none. */
const reyes_i_primvar *reyes_i_shape_points(const reyes_i_shape *s);
/* Two points of a quadric's axis, between which its centre is. */
void reyes_i_quadric_axis(const reyes_i_shape *s, float points[2][3]);

/* Makes a view of a shape with keys from open to close. The view shares memory with the shape;
 * reyes_i_shape_unclip frees its own part. Returns 0 if there is no memory. */
int reyes_i_shape_clip(const reyes_i_shape *s, float open, float close, reyes_i_shape *view);
void reyes_i_shape_unclip(const reyes_i_shape *s, reyes_i_shape *view);

#endif
