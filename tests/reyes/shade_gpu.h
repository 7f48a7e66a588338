/* What the suite of the shaders computes on the host and on the device: the same text. */
#ifndef TESTS_REYES_SHADE_GPU_H
#define TESTS_REYES_SHADE_GPU_H

#include "reyes/scene/frame.h"
#include "reyes/shade/imager.h"
#include "reyes/shade/shade.h"
#include "reyes/shade/vars.h"

typedef struct shade_job {
	reyes_i_point at;
	uint32_t prim;     /* its variables replace those of the point */
	uint32_t use_vars; /* 0: the point as it is */
	float base, exponent;
} shade_job;

typedef struct shade_result {
	float full[6];   /* Ci, Oi */
	float simple[6]; /* as full where the attributes are not simple */
	float vars[11];  /* s, t, cs, os, n */
	float offset;    /* displacement */
	float pixel[4];  /* imager */
	float power;     /* base to the exponent */
} shade_result;

LSCHED_FN void shade_run_job(const reyes_i_view *view, const shade_job *job, shade_result *r)
{
	const reyes_i_prim *prim = &view->prims[job->prim];
	const reyes_i_attr *attr = &view->attrs[prim->attr];
	reyes_i_point at = job->at;

	if (job->use_vars)
		reyes_i_vars_eval(view, prim, at.u, at.v, &at);
	r->vars[0] = at.s;
	r->vars[1] = at.t;
	reyes_i_store3(r->vars + 2, reyes_i_load3(at.cs));
	reyes_i_store3(r->vars + 5, reyes_i_load3(at.os));
	reyes_i_store3(r->vars + 8, reyes_i_load3(at.n));
	reyes_i_shade(view, attr, &at, r->full, r->full + 3);
	if (reyes_i_is_simple(view, attr))
		reyes_i_shade_simple(view, attr, &at, r->simple, r->simple + 3);
	else
		reyes_i_shade(view, attr, &at, r->simple, r->simple + 3);
	r->offset = reyes_i_displace(view, attr, &at);
	reyes_i_store3(r->pixel, reyes_i_load3(r->full));
	r->pixel[3] = at.os[0];
	reyes_i_imager(&view->camera, r->pixel, r->pixel + 3);
	r->power = reyes_i_pow(job->base, job->exponent);
}

#endif
