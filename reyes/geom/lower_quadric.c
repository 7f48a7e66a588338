/* The seven quadrics: arguments of the requests to parameters in radians, within their ranges. */
#include <math.h>
#include <string.h>
#include "reyes/geom/lower.h"

static const double pi = 3.14159265358979323846;

static double clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

/* Angle of a sweep in radians; more than a full turn is a full turn. */
static double sweep(double degrees)
{
	return clamp(degrees, -360, 360) * pi / 180;
}

/* Writes the angles of a sphere's zmin and zmax (RI 3.2, section 5.2). */
static void sphere_parameters(const float *a, double *p)
{
	double r = a[0];

	p[0] = r;
	p[1] = r != 0 ? asin(clamp(a[1] / r, -1, 1)) : 0;
	p[2] = r != 0 ? asin(clamp(a[2] / r, -1, 1)) : 0;
	p[3] = sweep(a[3]);
}

static void torus_parameters(const float *a, double *p)
{
	p[0] = a[0];
	p[1] = a[1];
	p[2] = a[2] * pi / 180;
	p[3] = p[2] + sweep((double)a[3] - a[2]);
	p[4] = sweep(a[4]);
}

/* Copies n arguments, the last of which is the sweep. */
static void plain_parameters(const float *a, int n, double *p)
{
	int i;

	for (i = 0; i < n - 1; i++)
		p[i] = a[i];
	p[n - 1] = sweep(a[n - 1]);
}

static const struct quadric {
	enum reyes_i_prim_kind kind;
	int args, sweep; /* number of arguments; index of the parameter thetamax */
} quadrics[] = {
	[REYES_I_SHAPE_SPHERE] = { REYES_I_SPHERE, 4, 3 },
	[REYES_I_SHAPE_CONE] = { REYES_I_CONE, 3, 2 },
	[REYES_I_SHAPE_CYLINDER] = { REYES_I_CYLINDER, 4, 3 },
	[REYES_I_SHAPE_HYPERBOLOID] = { REYES_I_HYPERBOLOID, 7, 6 },
	[REYES_I_SHAPE_PARABOLOID] = { REYES_I_PARABOLOID, 4, 3 },
	[REYES_I_SHAPE_DISK] = { REYES_I_DISK, 3, 2 },
	[REYES_I_SHAPE_TORUS] = { REYES_I_TORUS, 5, 4 },
};

static void parameters(uint32_t kind, const float *a, double *p)
{
	memset(p, 0, 8 * sizeof(*p));
	if (kind == REYES_I_SHAPE_SPHERE)
		sphere_parameters(a, p);
	else if (kind == REYES_I_SHAPE_TORUS)
		torus_parameters(a, p);
	else
		plain_parameters(a, quadrics[kind].args, p);
}

/* Returns the reason why a surface with these parameters has no area, NULL if it has. */
static const char *degenerate(uint32_t kind, const double *p)
{
	if (p[quadrics[kind].sweep] == 0)
		return "thetamax is 0";
	switch (kind) {
	case REYES_I_SHAPE_SPHERE:
		return p[0] == 0 ? "the radius is 0" : p[1] == p[2] ? "zmin equals zmax" : NULL;
	case REYES_I_SHAPE_CONE:
	case REYES_I_SHAPE_DISK:
		return p[1] == 0 ? "the radius is 0" : NULL;
	case REYES_I_SHAPE_CYLINDER:
		return p[0] == 0 ? "the radius is 0" : p[1] == p[2] ? "zmin equals zmax" : NULL;
	case REYES_I_SHAPE_PARABOLOID:
		if (p[1] == p[2])
			return "zmin equals zmax";
		return p[0] == 0 ? "the radius is 0" : NULL;
	case REYES_I_SHAPE_HYPERBOLOID:
		if (p[0] == p[3] && p[1] == p[4] && p[2] == p[5])
			return "both points are equal";
		return p[0] == 0 && p[1] == 0 && p[3] == 0 && p[4] == 0 ? "the radius is 0" : NULL;
	default:
		if (p[1] == 0)
			return "the minor radius is 0";
		return p[2] == p[3] ? "phimin equals phimax" : NULL;
	}
}

/* Checks values that have no surface at any time. */
static int check(reyes_i_lowering *l, uint32_t kind, const double *p)
{
	if (kind == REYES_I_SHAPE_PARABOLOID && (p[2] == 0 || p[1] * p[2] < 0))
		return reyes_i_drop(l,
			"zmin %g and zmax %g: zmax must not be 0, and zmin has its sign", p[1],
			p[2]);
	return 1;
}

static int write_key(reyes_i_lowering *l, uint32_t k, float *out, const char **reason)
{
	const reyes_i_shape_key *a = &l->s->keys[l->before[k]];
	const reyes_i_shape_key *b = l->blend[k] > 0 ? a + 1 : a;
	double p[8], q[8], full[REYES_I_QUADRIC_FLOATS];
	const double *m = l->matrix[k];
	int i;

	for (i = 0; i < quadrics[l->s->kind].args; i++)
		if (!(fabsf(a->args[i]) <= (float)REYES_I_HUGE) ||
			!(fabsf(b->args[i]) <= (float)REYES_I_HUGE))
			return reyes_i_drop(l, "argument %d is %g, the largest possible is 1e30",
				i + 1, (double)a->args[i]);
	parameters(l->s->kind, a->args, p);
	parameters(l->s->kind, b->args, q);
	if (!check(l, l->s->kind, p) || !check(l, l->s->kind, q))
		return 0;
	*reason = degenerate(l->s->kind, p);
	for (i = 0; i < 8; i++)
		full[i] = p[i] + l->blend[k] * (q[i] - p[i]);
	for (i = 0; i < 12; i++)
		full[8 + i] = m[i / 3 * 4 + i % 3] / m[15];
	for (i = 0; i < REYES_I_QUADRIC_FLOATS; i++)
		out[i] = (float)full[i];
	return 1;
}

int reyes_i_lower_quadric(reyes_i_lowering *l)
{
	static const reyes_i_needs needs = { { 1, 1, 4, 4, 4, 4 } };
	static const reyes_i_corners corners = { 0, { 0, 1, 2, 3 }, { 0, 1, 2, 3 },
		{ 0, 1, 2, 3 } };
	const char *reason = NULL;
	int visible = 0;
	float *out;
	uint32_t k;

	if (!reyes_i_read_vars(l, &needs))
		return 0;
	if (!reyes_i_emit(l, quadrics[l->s->kind].kind, REYES_I_QUADRIC_FLOATS, &out))
		return 0;
	for (k = 0; k < l->key_count; k++) {
		const double *m = l->matrix[k];
		const char *why;

		if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] == 0)
			return reyes_i_drop(l, "its transform is a projection, which is possible "
					       "for primitives with points only");
		if (!write_key(l, k, out + k * REYES_I_QUADRIC_FLOATS, &why))
			return 0;
		visible |= !why;
		reason = why ? why : reason;
	}
	if (!visible) {
		reyes_i_defect(l, REYES_LEVEL_WARN, "%s: it is not drawn", reason);
		return 0;
	}
	return reyes_i_settle(l) && reyes_i_emit_vars(l, &corners, NULL);
}
