/* The image of the last reyes_render. */
#ifndef REYES_RENDER_IMAGE_H
#define REYES_RENDER_IMAGE_H

#include <reyes/reyes.h>

/* REYES_ERR_STATE if the frame has not been rendered; *image is NULL then. */
reyes_status reyes_i_render_image(reyes_renderer *r, const reyes_image **image);

#endif
