/* Imager shaders on a filtered pixel, before exposure and quantisation: background (RISpec 3.2,
 * appendix A.5) and clamptoalpha. Text for both languages. */
#ifndef REYES_SHADE_IMAGER_H
#define REYES_SHADE_IMAGER_H

#include "reyes/scene/frame.h"
#include "reyes/core/vec.h"

/* Applies the camera's imager to a pixel's color (3 floats, multiplied by alpha) and alpha. */
LSCHED_FN void reyes_i_imager(const reyes_i_camera *camera, float *color, float *alpha)
{
	if (camera->clamp_to_alpha) {
		color[0] = reyes_i_clamp(color[0], 0.0f, *alpha);
		color[1] = reyes_i_clamp(color[1], 0.0f, *alpha);
		color[2] = reyes_i_clamp(color[2], 0.0f, *alpha);
	}
	if (camera->has_background) {
		reyes_i_store3(color, reyes_i_madd3(reyes_i_load3(color),
					      reyes_i_load3(camera->background), 1.0f - *alpha));
		*alpha = 1.0f;
	}
}

#endif
