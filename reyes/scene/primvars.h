/* Primitive variables of geometric requests. */
#ifndef REYES_SCENE_PRIMVARS_H
#define REYES_SCENE_PRIMVARS_H

#include <reyes/ri.h>
#include "reyes/scene/shape_keys.h"
#include "reyes/scene/renderer.h"

/* Copies the variables of a parameter list that surfaces use into a shape. Malformed ones are
 * logged and skipped. "Pz" becomes P over a grid of nu x nv points; with nu 0 it is an error.
 * Returns REYES_OK or REYES_ERR_NOMEM. */
reyes_status reyes_i_primvars_read(
	reyes_renderer *r, reyes_i_shape *s, const reyes_params *p, size_t nu, size_t nv);
/* Reads a wrap mode; one that is neither periodic nor nonperiodic is nonperiodic, after a
 * warning. */
int reyes_i_is_periodic(reyes_renderer *r, const char *wrap);
/* The number of vertices that "P" or "Pw" has; 0: neither. */
size_t reyes_i_vertex_count(const reyes_i_shape *s);

#endif
