/* Vectors and colors of three floats, held in registers. Text for both languages. The library is
 * compiled without contraction of a * b + c (-ffp-contract=off, -fmad=false), so that both backends
 * compute the same bits. */
#ifndef REYES_CORE_VEC_H
#define REYES_CORE_VEC_H

#include "reyes/core/numeric.h"

typedef struct reyes_i_vec {
	float x, y, z;
} reyes_i_vec;

LSCHED_FN reyes_i_vec reyes_i_vec_of(float x, float y, float z)
{
	reyes_i_vec v;

	v.x = x;
	v.y = y;
	v.z = z;
	return v;
}

LSCHED_FN reyes_i_vec reyes_i_load3(const float *p)
{
	return reyes_i_vec_of(p[0], p[1], p[2]);
}

LSCHED_FN void reyes_i_store3(float *p, reyes_i_vec a)
{
	p[0] = a.x;
	p[1] = a.y;
	p[2] = a.z;
}

LSCHED_FN reyes_i_vec reyes_i_add3(reyes_i_vec a, reyes_i_vec b)
{
	return reyes_i_vec_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

LSCHED_FN reyes_i_vec reyes_i_sub3(reyes_i_vec a, reyes_i_vec b)
{
	return reyes_i_vec_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* Multiplies component by component. */
LSCHED_FN reyes_i_vec reyes_i_mul3(reyes_i_vec a, reyes_i_vec b)
{
	return reyes_i_vec_of(a.x * b.x, a.y * b.y, a.z * b.z);
}

LSCHED_FN reyes_i_vec reyes_i_scale3(reyes_i_vec a, float s)
{
	return reyes_i_vec_of(a.x * s, a.y * s, a.z * s);
}

/* Returns a + b f. */
LSCHED_FN reyes_i_vec reyes_i_madd3(reyes_i_vec a, reyes_i_vec b, float f)
{
	return reyes_i_vec_of(a.x + b.x * f, a.y + b.y * f, a.z + b.z * f);
}

/* Returns a at f = 0 and b at f = 1, both exactly. */
LSCHED_FN reyes_i_vec reyes_i_mix3(reyes_i_vec a, reyes_i_vec b, float f)
{
	return reyes_i_vec_of(
		reyes_i_mix(a.x, b.x, f), reyes_i_mix(a.y, b.y, f), reyes_i_mix(a.z, b.z, f));
}

/* Returns a s + b t. */
LSCHED_FN reyes_i_vec reyes_i_blend3(reyes_i_vec a, float s, reyes_i_vec b, float t)
{
	return reyes_i_vec_of(a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t);
}

LSCHED_FN float reyes_i_dot3(reyes_i_vec a, reyes_i_vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

LSCHED_FN reyes_i_vec reyes_i_cross3(reyes_i_vec a, reyes_i_vec b)
{
	return reyes_i_vec_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Returns the unit vector of a by the square root and the division of IEEE 754, for geometry; zero
 * for a length of at most 1e-18. */
LSCHED_FN reyes_i_vec reyes_i_exact_unit3(reyes_i_vec a)
{
	const float d = reyes_i_dot3(a, a);

	return d > 1e-36f ? reyes_i_scale3(a, 1.0f / sqrtf(d)) : reyes_i_vec_of(0, 0, 0);
}

/* Returns 1 / |a| by Newton's iteration; 0 if the square of the length is not a normal number:
 * zero, NaN, overflow. */
LSCHED_FN float reyes_i_inverse_length3(reyes_i_vec a)
{
	const float square = reyes_i_dot3(a, a);

	if (!(square >= REYES_I_FLOAT_MIN && square <= REYES_I_FLOAT_MAX))
		return 0.0f;
	return reyes_i_inverse_sqrt(square);
}

/* Returns the unit vector of a by Newton's iteration, for shaders: other bits than
 * reyes_i_exact_unit3, a relative error of about 1e-7, fewer registers in a kernel. Zero where
 * reyes_i_inverse_length3 is 0. */
LSCHED_FN reyes_i_vec reyes_i_newton_unit3(reyes_i_vec a)
{
	return reyes_i_scale3(a, reyes_i_inverse_length3(a));
}

#endif
