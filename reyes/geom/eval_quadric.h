/* Points of the seven quadrics (RI Specification 3.2, "Quadrics"). */
#ifndef REYES_GEOM_EVAL_QUADRIC_H
#define REYES_GEOM_EVAL_QUADRIC_H

#include "reyes/core/sincos.h"
#include "reyes/geom/eval_bezier.h"

/* A surface of revolution: the profile point (r, z) and its derivatives by v, swept by the angle
 * theta = u * sweep. The hyperboloid's profile has a third coordinate: it turns (x, y). */
typedef struct reyes_i_profile {
	float x, y, z, dx, dy, dz, sweep;
} reyes_i_profile;

LSCHED_FN reyes_i_profile reyes_i_profile_of(float r, float z, float dr, float dz, float sweep)
{
	reyes_i_profile p;

	p.x = r;
	p.y = 0;
	p.z = z;
	p.dx = dr;
	p.dy = 0;
	p.dz = dz;
	p.sweep = sweep;
	return p;
}

/* A circle of the given radius about (centre, 0), from angle a to b. */
LSCHED_FN reyes_i_profile reyes_i_profile_arc(
	float centre, float radius, float a, float b, float v, float sweep)
{
	float s, c;

	reyes_i_sincos(a + v * (b - a), &s, &c);
	return reyes_i_profile_of(centre + radius * c, radius * s, -radius * s * (b - a),
		radius * c * (b - a), sweep);
}

LSCHED_FN reyes_i_profile reyes_i_profile_paraboloid(const float *g, float v)
{
	const float z = g[1] + v * (g[2] - g[1]), dz = g[2] - g[1];
	const float root = g[2] != 0 && z / g[2] > 0 ? sqrtf(z / g[2]) : 0;

	/* r = rmax sqrt(z / zmax); at the apex the derivative is infinite: its direction is +r */
	return root > 1e-12f
		       ? reyes_i_profile_of(g[0] * root, z, g[0] * dz / (2 * g[2] * root), dz, g[3])
		       : reyes_i_profile_of(0, z, g[0], 0, g[3]);
}

LSCHED_FN reyes_i_profile reyes_i_profile_at(uint32_t kind, const float *g, float v)
{
	reyes_i_profile p;

	switch (kind) {
	case REYES_I_SPHERE:
		return reyes_i_profile_arc(0, g[0], g[1], g[2], v, g[3]);
	case REYES_I_CYLINDER:
		return reyes_i_profile_of(g[0], g[1] + v * (g[2] - g[1]), 0, g[2] - g[1], g[3]);
	case REYES_I_CONE:
		return reyes_i_profile_of(g[1] * (1 - v), v * g[0], -g[1], g[0], g[2]);
	case REYES_I_HYPERBOLOID:
		p.dx = g[3] - g[0];
		p.dy = g[4] - g[1];
		p.dz = g[5] - g[2];
		p.x = g[0] + v * p.dx;
		p.y = g[1] + v * p.dy;
		p.z = g[2] + v * p.dz;
		p.sweep = g[6];
		return p;
	case REYES_I_PARABOLOID:
		return reyes_i_profile_paraboloid(g, v);
	case REYES_I_DISK:
		return reyes_i_profile_of(g[1] * (1 - v), g[0], -g[1], 0, g[2]);
	default: /* torus */
		return reyes_i_profile_arc(g[0], g[1], g[2], g[3], v, g[4]);
	}
}

LSCHED_FN reyes_i_vec reyes_i_turn_vector(const float *m, float x, float y, float z)
{
	return reyes_i_vec_of(x * m[0] + y * m[3] + z * m[6], x * m[1] + y * m[4] + z * m[7],
		x * m[2] + y * m[5] + z * m[8]);
}

LSCHED_FN void reyes_i_eval_quadric(
	uint32_t kind, const float *g, float u, float v, reyes_i_surf *out)
{
	const reyes_i_profile f = reyes_i_profile_at(kind, g, v);
	const float *m = g + 8;
	float s, c, x, y;

	reyes_i_sincos(u * f.sweep, &s, &c);
	x = f.x * c - f.y * s;
	y = f.x * s + f.y * c;
	out->p = reyes_i_add3(reyes_i_turn_vector(m, x, y, f.z), reyes_i_load3(m + 9));
	out->du = reyes_i_turn_vector(m, -y * f.sweep, x * f.sweep, 0);
	out->dv = reyes_i_turn_vector(m, f.dx * c - f.dy * s, f.dx * s + f.dy * c, f.dz);
}

#endif
