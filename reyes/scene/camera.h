/* The camera of a frame, computed from the options and the transform at WorldBegin. */
#ifndef REYES_SCENE_CAMERA_H
#define REYES_SCENE_CAMERA_H

#include "reyes/scene/renderer.h"

/* Computes r->frame.camera and the matrices of r from the options. */
void reyes_i_camera_compute(reyes_renderer *r);
/* Copies what Imager has set. */
void reyes_i_camera_imager(reyes_i_camera *c, const reyes_i_settings *s);
/* Computes r->world_to_camera, world_to_ndc and world_to_screen for the frame's camera and a
 * transform from world to camera. */
void reyes_i_camera_matrices(reyes_renderer *r, const double world[16]);
/* The area of a box in pixels; infinite if a part of it is not in front of the camera. The box
 * (xmin xmax ymin ymax zmin zmax) is in the space of to_camera. */
float reyes_i_camera_box_area(
	const reyes_i_camera *c, const double to_camera[16], const float box[6]);

#endif
