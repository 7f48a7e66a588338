/* Lights of a scene, and the sets of lights that are on. Sets are shared by attribute states. */
#ifndef REYES_SCENE_LIGHT_SET_H
#define REYES_SCENE_LIGHT_SET_H

#include <stdint.h>
#include "reyes/scene/frame.h"

/* A LightSource request. */
typedef struct reyes_i_scene_light {
	uint32_t handle;     /* in renderer.light_names */
	uint32_t shadow;     /* in renderer.texture_names; NONE */
	reyes_i_light light; /* camera space; its member shadow is not set */
	uint32_t world;      /* renderer.world in which index is valid */
	uint32_t index;      /* in frame.lights */
	uint32_t is_area;    /* AreaLightSource: box bounds the geometry so far */
	uint32_t has_box;
	double box[6];   /* world space: xmin xmax ymin ymax zmin zmax */
	uint32_t anchor; /* of the light's place and direction: enum reyes_i_anchor */
} reyes_i_scene_light;

typedef struct reyes_i_light_set {
	uint32_t refs;
	uint32_t world; /* renderer.world in which words is valid */
	uint32_t words; /* index in frame.words of the numbers in frame.lights */
	uint32_t count, room;
	uint32_t list[]; /* numbers in renderer.lights, in order of LightSource and Illuminate */
} reyes_i_light_set;

/* Removes a reference; s may be NULL. */
void reyes_i_light_set_unref(reyes_i_light_set *s);
/* Adds or removes a light in *s (NULL: the empty set); copies a set that is shared. Returns 0 if
 * there is no memory; *s is then unchanged. */
int reyes_i_light_set_change(reyes_i_light_set **s, uint32_t light, int on);

#endif
