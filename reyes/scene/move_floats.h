/* Geometry of a frame, moved in camera space. */
#ifndef REYES_SCENE_MOVE_FLOATS_H
#define REYES_SCENE_MOVE_FLOATS_H

#include "reyes/scene/frame.h"

/* Writes to `out`, as long as f->floats, the positions and directions of all primitives that move
 * with the camera, multiplied by a rigid matrix (row vectors). Other floats of `out` remain. The
 * arithmetic is in double precision and the same for each point, so that primitives that share
 * points continue to do so. */
void reyes_i_move_floats(const reyes_i_frame *f, const double m[16], float *out);

/* Enlarges *coordinate to the largest absolute coordinate of these positions and directions, and
 * *weight to the largest weight of a homogeneous point. */
void reyes_i_measure_floats(const reyes_i_frame *f, double *coordinate, double *weight);

#endif
