/* Atmosphere shaders of RISpec 3.2, appendix A.3: depthcue and fog. Text for both languages. */
#ifndef REYES_SHADE_ATMOSPHERE_H
#define REYES_SHADE_ATMOSPHERE_H

#include "reyes/shade/point.h"

/* Returns depth(P): 0 at the near clipping plane, 1 at the far one. */
LSCHED_FN float reyes_i_depth(const reyes_i_view *view, const reyes_i_point *at)
{
	return (at->p[2] - view->camera.hither) / (view->camera.yon - view->camera.hither);
}

/* Returns the fraction of the background color that an atmosphere shader mixes in. */
LSCHED_FN float reyes_i_haze(
	const reyes_i_view *view, const reyes_i_shader *shader, const reyes_i_point *at)
{
	const float lo = shader->p[0], hi = shader->p[1];
	const reyes_i_vec ray = reyes_i_incident(view, at);

	/* an empty interval is a step, because the clamp turns 0 / 0 into 0 */
	if (shader->kind == REYES_I_ATMOSPHERE_DEPTHCUE)
		return reyes_i_clamp((reyes_i_depth(view, at) - lo) / (hi - lo), 0.0f, 1.0f);
	return 1.0f - reyes_i_exp(-sqrtf(reyes_i_dot3(ray, ray)) / lo);
}

/* Applies the atmosphere of an attribute to Ci and Oi. */
LSCHED_FN void reyes_i_atmosphere(const reyes_i_view *view, const reyes_i_attr *attr,
	const reyes_i_point *at, reyes_i_vec *ci, reyes_i_vec *oi)
{
	const reyes_i_shader *shader;
	const float *background;
	float haze;

	if (attr->atmosphere == REYES_I_NONE)
		return;
	shader = &view->shaders[attr->atmosphere];
	background = shader->kind == REYES_I_ATMOSPHERE_DEPTHCUE ? shader->p + 2 : shader->p + 1;
	haze = reyes_i_haze(view, shader, at);
	*ci = reyes_i_mix3(*ci, reyes_i_load3(background), haze);
	*oi = reyes_i_mix3(*oi, reyes_i_vec_of(1.0f, 1.0f, 1.0f), haze);
}

#endif
