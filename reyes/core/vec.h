/* Vectors of three floats, for both languages. The library is compiled without contraction of
 * a * b + c (-ffp-contract=off, -fmad=false), so that both backends compute the same bits. */
#ifndef REYES_CORE_VEC_H
#define REYES_CORE_VEC_H

#include <math.h>
#include <libsched/fn.h>

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

LSCHED_FN reyes_i_vec reyes_i_add3(reyes_i_vec a, reyes_i_vec b)
{
	return reyes_i_vec_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

LSCHED_FN reyes_i_vec reyes_i_sub3(reyes_i_vec a, reyes_i_vec b)
{
	return reyes_i_vec_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

LSCHED_FN reyes_i_vec reyes_i_scale3(reyes_i_vec a, float s)
{
	return reyes_i_vec_of(a.x * s, a.y * s, a.z * s);
}

/* a s + b t */
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

LSCHED_FN float reyes_i_length3(reyes_i_vec a)
{
	return sqrtf(reyes_i_dot3(a, a));
}

/* Returns a unit vector, or zero for a vector that is too short. */
LSCHED_FN reyes_i_vec reyes_i_unit3(reyes_i_vec a)
{
	const float d = reyes_i_dot3(a, a);

	return d > 1e-36f ? reyes_i_scale3(a, 1.0f / sqrtf(d)) : reyes_i_vec_of(0, 0, 0);
}

#endif
