/* Named coordinate systems. */
#ifndef REYES_SCENE_SPACES_H
#define REYES_SCENE_SPACES_H

#include "reyes/scene/matrix.h"
#include "reyes/scene/renderer.h"

/* The transform of a named space to camera space; NULL: there is none, or it is "camera". */
reyes_i_xform *reyes_i_find_space(reyes_renderer *r, const char *name);
/* Nonzero for "screen", "raster" and "NDC". */
int reyes_i_is_projected_space(const char *name);

#endif
