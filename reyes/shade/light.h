/* Light sources of RISpec 3.2, appendix A.2. Text for both languages. */
#ifndef REYES_SHADE_LIGHT_H
#define REYES_SHADE_LIGHT_H

#include "reyes/shade/shadow.h"

/* Light that arrives at a point: the unit vector to the source, and the factor of its color. */
typedef struct reyes_i_arrival {
	reyes_i_vec to_light;
	float factor; /* 0: not lit */
} reyes_i_arrival;

/* Returns the arrival from a distant, point or spot light at p, without shadows. */
LSCHED_FN reyes_i_arrival reyes_i_light_at(const reyes_i_light *light, reyes_i_vec p)
{
	reyes_i_arrival a;
	reyes_i_vec l;
	float inverse, cosine;

	if (light->kind == REYES_I_LIGHT_DISTANT) {
		a.to_light = reyes_i_load3(light->to_light);
		a.factor = 1.0f;
		return a;
	}
	l = reyes_i_sub3(reyes_i_load3(light->from), p);
	inverse = reyes_i_inverse_length3(l);
	a.to_light = reyes_i_scale3(l, inverse);
	a.factor = inverse * inverse;
	if (light->kind == REYES_I_LIGHT_SPOT) {
		cosine = -reyes_i_dot3(a.to_light, reyes_i_load3(light->axis));
		if (cosine < light->cos_outer)
			a.factor = 0.0f;
		else
			a.factor *= reyes_i_pow(reyes_i_max(cosine, 0.0f), light->beam) *
				    reyes_i_smoothstep(light->cos_outer, light->cos_inner, cosine);
	}
	return a;
}

#endif
