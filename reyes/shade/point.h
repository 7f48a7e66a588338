/* The input of the shaders at one vertex of a grid. Text for both languages. */
#ifndef REYES_SHADE_POINT_H
#define REYES_SHADE_POINT_H

#include "reyes/scene/view.h"
#include "reyes/core/vec.h"

/* Camera space. n and ng have the orientation of the primitive; the shaders turn them to the
 * camera. */
typedef struct reyes_i_point {
	float p[3];
	float n[3];  /* unit: the shading normal N */
	float ng[3]; /* the geometric normal; any length */
	float s, t;
	float ds, dt; /* widths of the texture filter in s and t */
	float cs[3], os[3];
	float u, v;   /* of the primitive, 0 to 1 */
	float spread; /* angle between the reflections at neighbouring points, radians; only for
		       * surfaces with an environment map */
} reyes_i_point;

/* Returns the incident ray I, from the eye to the point. In an orthographic projection the eye is
 * the point's foot on the plane z = 0. */
LSCHED_FN reyes_i_vec reyes_i_incident(const reyes_i_view *view, const reyes_i_point *at)
{
	if (view->camera.perspective)
		return reyes_i_load3(at->p);
	return reyes_i_vec_of(0.0f, 0.0f, at->p[2]);
}

/* Returns the unit vector V to the eye; zero if the point is the eye. */
LSCHED_FN reyes_i_vec reyes_i_to_eye(const reyes_i_view *view, const reyes_i_point *at)
{
	if (!view->camera.perspective)
		return reyes_i_vec_of(0.0f, 0.0f, -1.0f);
	return reyes_i_newton_unit3(reyes_i_vec_of(-at->p[0], -at->p[1], -at->p[2]));
}

/* Returns faceforward(N, I) of RISpec 15.2: N, negated if Ng and I have an angle below 90
 * degrees. */
LSCHED_FN reyes_i_vec reyes_i_faceforward(const reyes_i_point *at, reyes_i_vec to_eye)
{
	const float sign = reyes_i_dot3(reyes_i_load3(at->ng), to_eye) < 0.0f ? -1.0f : 1.0f;

	return reyes_i_scale3(reyes_i_load3(at->n), sign);
}

#endif
