/* Values at the corners of the primitives of a mesh's faces. A quadrilateral is one primitive
 * ("root"); another face has one for each of its vertices, between that vertex, the middles of two
 * edges and the face's centre. */
#ifndef REYES_GEOM_SUBDIV_CORNERS_H
#define REYES_GEOM_SUBDIV_CORNERS_H

#include "reyes/geom/subdiv_mesh.h"

/* Replaces the values of the classes varying and facevarying by four for each root, of class
 * facevarying, if a face is no quadrilateral; *spread is then 1. all: in any case, and those of
 * class vertex, too. Returns 0: no memory. */
int reyes_i_spread_corners(reyes_i_mesh *m, int all, int *spread);

/* Appends the faces as bilinear patches: the scheme "bilinear". */
int reyes_i_emit_bilinear_mesh(reyes_i_mesh *m);

#endif
