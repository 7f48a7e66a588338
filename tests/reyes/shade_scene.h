/* Frames and points for the suites of the shaders, from the generator of tests/common/rng.h. */
#ifndef TESTS_REYES_SHADE_SCENE_H
#define TESTS_REYES_SHADE_SCENE_H

#include "reyes/scene/frame_arrays.h"
#include "reyes/shade/shade.h"

/* Uniform in [lo, hi). */
float shade_random(float lo, float hi);

/* Each function appends an element with random members and returns its index. */
uint32_t shade_add_shader(reyes_i_frame *f, uint32_t kind);
uint32_t shade_add_light(reyes_i_frame *f, uint32_t kind);
/* Attributes with a surface and lights, without displacement and atmosphere. */
uint32_t shade_add_attr(
	reyes_i_frame *f, uint32_t surface, const uint32_t *lights, uint32_t light_count);

/* Appends a texture with a pyramid of 2 x 2 means; texels: width * height * channels floats. */
uint32_t shade_add_texture(reyes_i_frame *f, uint32_t width, uint32_t height, uint32_t channels,
	uint32_t wrap, const float *texels);

/* Appends attributes of all surfaces under a few lights each; with `rare`, also atmospheres,
 * textures, displacement and shadow maps. Returns the number of attributes. Aborts without memory.
 */
uint32_t shade_fill(reyes_i_frame *f, uint32_t rare);

/* Returns a frame with one surface (all parameters 1), one white light of their kinds and
 * attributes that use them. Sets the white point on the axis of view at z = 5 that faces the
 * camera. */
reyes_i_frame shade_one_light(uint32_t surface, uint32_t light, reyes_i_point *at);

/* A point in front of the camera with random members. */
reyes_i_point shade_random_point(void);

#endif
