/* The attributes of a scene (RISpec 3.2, "Attributes"): what AttributeBegin saves. States are
 * shared by reference counts; a change copies a shared state first. */
#ifndef REYES_SCENE_STATE_H
#define REYES_SCENE_STATE_H

#include <stdint.h>
#include "reyes/scene/frame.h"
#include "reyes/scene/light_set.h"

/* The shader of a state; frame_shaders of the same value are shared. */
typedef struct reyes_i_shader_use {
	uint32_t set;         /* 0: none */
	uint32_t is_replaced; /* the scene has named another shader */
	uint32_t texture;     /* in renderer.texture_names; NONE */
	reyes_i_shader shader;
} reyes_i_shader_use;

enum reyes_i_bound_space {
	REYES_I_BOUND_CAMERA, /* converted already */
	REYES_I_BOUND_OBJECT  /* in the space of each primitive */
};

/* Attributes that a request has set since the beginning of an object definition. */
enum reyes_i_changed {
	REYES_I_SET_COLOR = 1,
	REYES_I_SET_OPACITY = 2,
	REYES_I_SET_TEX_COORDS = 4,
	REYES_I_SET_SHADING_RATE = 8,
	REYES_I_SET_FACTORS = 16, /* of motion and focus */
	REYES_I_SET_BOUND = 32,   /* of displacements */
	REYES_I_SET_SIDES = 64,
	REYES_I_SET_MATTE = 128,
	REYES_I_SET_SMOOTH = 256,
	REYES_I_SET_VISIBLE = 512,
	REYES_I_SET_SURFACE = 1024,
	REYES_I_SET_DISPLACEMENT = 2048,
	REYES_I_SET_ATMOSPHERE = 4096,
	REYES_I_SET_DETAIL_RANGE = 8192,
	REYES_I_SET_LABEL = 16384
};

typedef struct reyes_i_state {
	uint32_t refs;
	uint32_t changed; /* bits of reyes_i_changed */
	/* Indices in frame.attrs, by turned + 2 * has opacities; valid in this world and solid. */
	uint32_t cached_world, cached_solid;
	uint32_t cached[4];

	float color[3], opacity[3];
	float tex_coords[8];
	float shading_rate;
	float motion_factor, focus_factor;
	float displacement_bound;
	uint32_t bound_space; /* enum reyes_i_bound_space */
	uint32_t two_sides, matte, smooth, visible;
	/* Nonzero: the current orientation differs from the handedness of the current space. It
	 * stays when the space changes; see the rule in attr_index.c. */
	uint32_t inside_out;
	reyes_i_shader_use surface, displacement, atmosphere;
	reyes_i_light_set *lights;
	uint32_t area_light; /* in renderer.lights; NONE */
	float u_basis[4][4], v_basis[4][4];
	int u_step, v_step;
	float detail; /* pixels, times RelativeDetail; infinity: no Detail request */
	uint32_t has_detail;
	float detail_range[4];
	uint32_t label; /* in renderer.object_labels; NONE */
} reyes_i_state;

/* The surface of a state without a Surface request: defaultsurface. */
reyes_i_shader_use reyes_i_default_surface(void);
/* The defaults of the specification, one reference; NULL: no memory. */
reyes_i_state *reyes_i_state_new(void);
reyes_i_state *reyes_i_state_ref(reyes_i_state *s);
/* Removes a reference; s may be NULL. */
void reyes_i_state_unref(reyes_i_state *s);
/* Makes *s a state of this owner alone, to be changed, and marks attributes as set (bits of
 * reyes_i_changed). Returns NULL if there is no memory. */
reyes_i_state *reyes_i_state_own(reyes_i_state **s, uint32_t set);
/* A state with the attributes of an instance, and those that the object definition has set
 * instead. Adds a reference; NULL: no memory. */
reyes_i_state *reyes_i_state_merge(reyes_i_state *instance, const reyes_i_state *object);

#endif
