/* The shaders of RISpec 3.2, appendix A, in double precision, without textures and shadows. */
#ifndef TESTS_REYES_SHADE_REFERENCE_H
#define TESTS_REYES_SHADE_REFERENCE_H

#include "reyes/shade/point.h"

/* Computes Ci and Oi of a point: surface, then atmosphere. */
void reference_shade(const reyes_i_frame *f, const reyes_i_attr *attr, const reyes_i_point *at,
	double ci[3], double oi[3]);

#endif
