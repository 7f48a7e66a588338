/* Declarations of parameters: Declare, inline declarations, the standard's predeclared names. */
#ifndef REYES_SCENE_DECLARE_H
#define REYES_SCENE_DECLARE_H

#include <stddef.h>
#include <stdint.h>
#include "reyes/scene/shape.h"

typedef struct reyes_i_declaration {
	uint8_t storage; /* enum reyes_i_class */
	uint8_t type;    /* enum reyes_i_type */
	uint32_t length; /* of the array; 1: none */
} reyes_i_declaration;

/* Reads "class type[n]", or "class type[n] name": name is then the rest of the text, in an inline
 * declaration not empty. A missing class is uniform. Returns NULL, or what is wrong: a static
 * text. */
const char *reyes_i_declaration_parse(
	const char *text, reyes_i_declaration *d, char *name, size_t name_bytes);
/* Finds a predeclared name (RISpec 3.2, "Standard parameters"). Returns 0 if there is none. */
int reyes_i_predeclared(const char *name, reyes_i_declaration *d);
/* Values (floats or strings) of one element; colors have color_samples floats. */
uint32_t reyes_i_type_components(uint8_t type, uint32_t color_samples);
const char *reyes_i_type_name(uint8_t type);

#endif
