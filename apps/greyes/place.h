/* The frame that the window shows, and the user's camera in it. */
#ifndef APPS_GREYES_PLACE_H
#define APPS_GREYES_PLACE_H

#include "apps/greyes/passes.h"

/* Loads the frame that the window shows, if the scene was read beyond it: to its end, after
 * --frames, or to frames without a picture. Returns REYES_END if the frame has disappeared from the
 * scene. j->r may be another renderer afterwards. */
reyes_status gr_load_shown(gr_job *j);

/* Gives the loaded frame the camera that the user has moved: reyes_move_frame, or, where that is
 * impossible, the scene read again up to the frame. No effect if the camera was never moved.
 * Returns REYES_END if the frame has disappeared from the scene. j->r may be another renderer
 * afterwards. */
reyes_status gr_place_camera(gr_job *j);

#endif
