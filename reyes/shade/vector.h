/* Vectors and colors of three floats, held in registers. Text for both languages. */
#ifndef REYES_SHADE_VECTOR_H
#define REYES_SHADE_VECTOR_H

#include "reyes/shade/numeric.h"

typedef struct reyes_i_v3 {
	float x, y, z;
} reyes_i_v3;

LSCHED_FN reyes_i_v3 reyes_i_v3_of(float x, float y, float z)
{
	reyes_i_v3 v;

	v.x = x;
	v.y = y;
	v.z = z;
	return v;
}

LSCHED_FN reyes_i_v3 reyes_i_v3_load(const float *p)
{
	return reyes_i_v3_of(p[0], p[1], p[2]);
}

LSCHED_FN void reyes_i_v3_store(float *p, reyes_i_v3 v)
{
	p[0] = v.x;
	p[1] = v.y;
	p[2] = v.z;
}

LSCHED_FN reyes_i_v3 reyes_i_v3_add(reyes_i_v3 a, reyes_i_v3 b)
{
	return reyes_i_v3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

LSCHED_FN reyes_i_v3 reyes_i_v3_sub(reyes_i_v3 a, reyes_i_v3 b)
{
	return reyes_i_v3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* Multiplies component by component. */
LSCHED_FN reyes_i_v3 reyes_i_v3_mul(reyes_i_v3 a, reyes_i_v3 b)
{
	return reyes_i_v3_of(a.x * b.x, a.y * b.y, a.z * b.z);
}

LSCHED_FN reyes_i_v3 reyes_i_v3_scale(reyes_i_v3 a, float f)
{
	return reyes_i_v3_of(a.x * f, a.y * f, a.z * f);
}

/* Returns a + b f. */
LSCHED_FN reyes_i_v3 reyes_i_v3_madd(reyes_i_v3 a, reyes_i_v3 b, float f)
{
	return reyes_i_v3_of(a.x + b.x * f, a.y + b.y * f, a.z + b.z * f);
}

LSCHED_FN reyes_i_v3 reyes_i_v3_mix(reyes_i_v3 a, reyes_i_v3 b, float f)
{
	return reyes_i_v3_of(
		reyes_i_mix(a.x, b.x, f), reyes_i_mix(a.y, b.y, f), reyes_i_mix(a.z, b.z, f));
}

LSCHED_FN float reyes_i_v3_dot(reyes_i_v3 a, reyes_i_v3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Returns 1 / |v|; 0 if the square of the length is not a normal number: zero, NaN, overflow. */
LSCHED_FN float reyes_i_v3_inverse_length(reyes_i_v3 v)
{
	const float square = reyes_i_v3_dot(v, v);

	if (!(square >= REYES_I_FLOAT_MIN && square <= REYES_I_FLOAT_MAX))
		return 0.0f;
	return reyes_i_inverse_sqrt(square);
}

/* Returns the unit vector of v; zero for the zero vector. */
LSCHED_FN reyes_i_v3 reyes_i_v3_unit(reyes_i_v3 v)
{
	return reyes_i_v3_scale(v, reyes_i_v3_inverse_length(v));
}

#endif
