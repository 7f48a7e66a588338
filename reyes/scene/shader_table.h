/* The standard shaders of RISpec 3.2 that the renderer has: names, parameters, defaults. */
#ifndef REYES_SCENE_SHADER_TABLE_H
#define REYES_SCENE_SHADER_TABLE_H

#include <stdint.h>
#include <reyes/ri.h>
#include "reyes/scene/declare.h"
#include "reyes/scene/frame.h"
#include "reyes/scene/renderer.h"

enum reyes_i_shader_class {
	REYES_I_SURFACES,
	REYES_I_DISPLACEMENTS,
	REYES_I_ATMOSPHERES,
	REYES_I_LIGHTS
};

enum { REYES_I_SHADER_PARAMS = 14, REYES_I_SHADER_VALUES = 20 };

/* Places of the values of a light. */
enum reyes_i_light_value {
	REYES_I_LIGHT_INTENSITY = 0,
	REYES_I_LIGHT_COLOR = 1,
	REYES_I_LIGHT_FROM = 4,
	REYES_I_LIGHT_TO = 7,
	REYES_I_LIGHT_CONE = 10,
	REYES_I_LIGHT_CONE_DELTA = 11,
	REYES_I_LIGHT_BEAM = 12,
	REYES_I_LIGHT_BIAS = 13,
	REYES_I_LIGHT_BLUR = 14,
	REYES_I_LIGHT_SAMPLES = 15
};

typedef struct reyes_i_shader_param {
	const char *name; /* NULL: end of the list */
	uint8_t type;     /* float, color, point; string: the texture */
	uint8_t place;    /* of its first value */
	float value;      /* default of each component */
} reyes_i_shader_param;

typedef struct reyes_i_standard_shader {
	const char *name;
	uint8_t shader_class;
	uint32_t kind; /* enum reyes_i_shader_kind or reyes_i_light_kind; NONE: no shader */
	const reyes_i_shader_param *params;
} reyes_i_standard_shader;

/* The values of a shader's parameters. */
typedef struct reyes_i_shader_values {
	const reyes_i_standard_shader *standard;
	float p[REYES_I_SHADER_VALUES];
	const char *texture; /* the caller's string; NULL: none */
	uint32_t given;      /* bit i: parameter i of the standard shader is in the list */
} reyes_i_shader_values;

/* NULL: there is no such shader. */
const reyes_i_standard_shader *reyes_i_shader_find(enum reyes_i_shader_class c, const char *name);
/* Finds a shader, or chooses the most similar one by name and parameters and logs this once for
 * each name. NULL, after a warning, if there is none that is similar. */
const reyes_i_standard_shader *reyes_i_shader_choose(
	reyes_renderer *r, enum reyes_i_shader_class c, const char *name, const reyes_params *p);
/* Reads the parameters of the shader `name`, for which `standard` is used. */
void reyes_i_shader_read(reyes_renderer *r, const reyes_i_standard_shader *standard,
	const char *name, const reyes_params *p, reyes_i_shader_values *out);

#endif
