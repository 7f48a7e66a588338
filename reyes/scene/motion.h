/* Motion blocks and changes of the current transform. */
#ifndef REYES_SCENE_MOTION_H
#define REYES_SCENE_MOTION_H

#include "reyes/scene/renderer.h"

/* A change of the current transform: a request, or its value at one time of a motion block. */
typedef struct reyes_i_move {
	double matrix[16];
	int replace;     /* 0: concatenated; 1: replaces the transform relative to base */
	int is_rotation; /* by degrees about axis */
	double degrees;
	float axis[3];
} reyes_i_move;

/* Applies a change, or keeps it as a key of the open motion block. */
reyes_status reyes_i_move_apply(reyes_renderer *r, const reyes_i_move *move);
/* Keeps a shape as a key of the open motion block and takes over its memory. */
reyes_status reyes_i_motion_add_shape(reyes_renderer *r, reyes_i_shape *shape);
/* Time of the current request in the open motion block. */
float reyes_i_motion_time(const reyes_renderer *r);
/* Ends the motion block: applies its transforms, or draws its geometry. */
reyes_status reyes_i_motion_finish(reyes_renderer *r);
/* Frees the keys; the block is then closed. */
void reyes_i_motion_clear(reyes_i_motion_block *m);

#endif
