/* Projection of camera space to raster space. */
#ifndef REYES_SPLIT_RASTER_H
#define REYES_SPLIT_RASTER_H

#include "reyes/core/vec.h"
#include "reyes/scene/frame.h"

typedef struct reyes_i_xy {
	float x, y;
} reyes_i_xy;

LSCHED_FN float reyes_i_abs(float x)
{
	return x < 0 ? -x : x;
}

LSCHED_FN float reyes_i_most(float a, float b)
{
	return a > b ? a : b;
}

LSCHED_FN float reyes_i_least(float a, float b)
{
	return a < b ? a : b;
}

/* Raster coordinates are limited to this, in pixels from the origin: 2^21, so that differences of
 * two have 31 bits in the hider's unit of 1/256 pixel. */
#define REYES_I_RASTER_MAX 2097152.0f

LSCHED_FN float reyes_i_limited(float x)
{
	/* NaN becomes a limit, too */
	const float positive = x < REYES_I_RASTER_MAX ? x : REYES_I_RASTER_MAX;

	return positive > -REYES_I_RASTER_MAX ? positive : -REYES_I_RASTER_MAX;
}

/* Projects a point with z > 0 (any z if orthographic). */
LSCHED_FN reyes_i_xy reyes_i_project(const reyes_i_camera *c, reyes_i_vec p)
{
	const float w = c->perspective ? 1 / p.z : 1;
	reyes_i_xy r;

	r.x = p.x * w * c->scale[0] + c->offset[0];
	r.y = p.y * w * c->scale[1] + c->offset[1];
	return r;
}

LSCHED_FN float reyes_i_distance(reyes_i_xy a, reyes_i_xy b)
{
	const float x = a.x - b.x, y = a.y - b.y;

	return sqrtf(x * x + y * y);
}

/* The radius of the circle of confusion at depth z, in the unit of the lens: multiply by |scale|
 * for pixels. Signed: positive behind the focal plane. */
LSCHED_FN float reyes_i_confusion(const reyes_i_camera *c, float z)
{
	return c->lens > 0 ? c->lens * (1 / c->focus - 1 / z) : 0;
}

/* Half the filter's width, rounded up: pixels around the crop window whose samples count. */
LSCHED_FN uint32_t reyes_i_filter_margin(const reyes_i_camera *c, int axis)
{
	const float half = c->filter_width[axis] * 0.5f - 0.5f;

	return half <= 0 ? 0 : (uint32_t)ceilf(half);
}

#endif
