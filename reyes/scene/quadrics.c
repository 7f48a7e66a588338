/* Requests of the quadrics, and Points. */
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/params.h"
#include "reyes/scene/primvars.h"

/* Draws a quadric with n arguments, angles in degrees as the request has them. */
static reyes_status quadric(reyes_renderer *r, uint32_t kind, const char *request,
	const float *args, size_t n, const reyes_params *p)
{
	reyes_i_shape s;
	reyes_status status;

	if (!reyes_i_all_finite(args, n))
		return reyes_i_error(r, "an argument is not finite");
	if (!reyes_i_shape_init(&s, kind, request))
		return reyes_i_no_memory(r);
	memcpy(s.keys[0].args, args, n * sizeof(*args));
	status = reyes_i_primvars_read(r, &s, p, 0, 0);
	return reyes_i_draw(r, &s, status);
}

reyes_status reyes_sphere(reyes_renderer *r, float radius, float zmin, float zmax, float thetamax,
	const reyes_params *p)
{
	const float args[] = { radius, zmin, zmax, thetamax };

	REYES_I_ENTER(r, "Sphere", REYES_I_GEOMETRY, REYES_I_KEYS);
	return quadric(r, REYES_I_SHAPE_SPHERE, "Sphere", args, 4, p);
}

reyes_status reyes_cone(
	reyes_renderer *r, float height, float radius, float thetamax, const reyes_params *p)
{
	const float args[] = { height, radius, thetamax };

	REYES_I_ENTER(r, "Cone", REYES_I_GEOMETRY, REYES_I_KEYS);
	return quadric(r, REYES_I_SHAPE_CONE, "Cone", args, 3, p);
}

reyes_status reyes_cylinder(reyes_renderer *r, float radius, float zmin, float zmax, float thetamax,
	const reyes_params *p)
{
	const float args[] = { radius, zmin, zmax, thetamax };

	REYES_I_ENTER(r, "Cylinder", REYES_I_GEOMETRY, REYES_I_KEYS);
	return quadric(r, REYES_I_SHAPE_CYLINDER, "Cylinder", args, 4, p);
}

reyes_status reyes_hyperboloid(reyes_renderer *r, const float point1[3], const float point2[3],
	float thetamax, const reyes_params *p)
{
	float args[7];

	REYES_I_ENTER(r, "Hyperboloid", REYES_I_GEOMETRY, REYES_I_KEYS);
	if (!point1 || !point2)
		return reyes_i_error(r, "needs two points");
	memcpy(args, point1, 3 * sizeof(float));
	memcpy(args + 3, point2, 3 * sizeof(float));
	args[6] = thetamax;
	return quadric(r, REYES_I_SHAPE_HYPERBOLOID, "Hyperboloid", args, 7, p);
}

reyes_status reyes_paraboloid(reyes_renderer *r, float rmax, float zmin, float zmax, float thetamax,
	const reyes_params *p)
{
	const float args[] = { rmax, zmin, zmax, thetamax };

	REYES_I_ENTER(r, "Paraboloid", REYES_I_GEOMETRY, REYES_I_KEYS);
	return quadric(r, REYES_I_SHAPE_PARABOLOID, "Paraboloid", args, 4, p);
}

reyes_status reyes_disk(
	reyes_renderer *r, float height, float radius, float thetamax, const reyes_params *p)
{
	const float args[] = { height, radius, thetamax };

	REYES_I_ENTER(r, "Disk", REYES_I_GEOMETRY, REYES_I_KEYS);
	return quadric(r, REYES_I_SHAPE_DISK, "Disk", args, 3, p);
}

reyes_status reyes_torus(reyes_renderer *r, float major_radius, float minor_radius, float phimin,
	float phimax, float thetamax, const reyes_params *p)
{
	const float args[] = { major_radius, minor_radius, phimin, phimax, thetamax };

	REYES_I_ENTER(r, "Torus", REYES_I_GEOMETRY, REYES_I_KEYS);
	return quadric(r, REYES_I_SHAPE_TORUS, "Torus", args, 5, p);
}

reyes_status reyes_points(reyes_renderer *r, size_t count, const reyes_params *p)
{
	reyes_i_shape s;
	reyes_status status;

	REYES_I_ENTER(r, "Points", REYES_I_GEOMETRY, REYES_I_KEYS);
	if (count == 0)
		return REYES_OK; /* exporters write empty objects */
	if (!reyes_i_shape_init(&s, REYES_I_SHAPE_POINTS, "Points"))
		return reyes_i_no_memory(r);
	s.counts[0] = count;
	status = reyes_i_primvars_read(r, &s, p, 0, 0);
	if (status == REYES_OK && reyes_i_vertex_count(&s) < count)
		status = reyes_i_error(
			r, "has %zu points, but \"P\" has %zu", count, reyes_i_vertex_count(&s));
	return reyes_i_draw(r, &s, status);
}
