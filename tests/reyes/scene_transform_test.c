/* Transforms, coordinate systems, and the orientation of surfaces. */
#include "tests/reyes/scene_setup.h"

/* Transforms a point by the record of call i. */
static void placed(size_t i, const double p[3], double out[3])
{
	const double *m = scene.list[i].motion.matrix[0];
	int j;

	for (j = 0; j < 3; j++)
		out[j] = p[0] * m[j] + p[1] * m[4 + j] + p[2] * m[8 + j] + m[12 + j];
}

/* The place of a point of the current space in camera space: a sphere is drawn there. */
static void current(reyes_renderer *r, double x, double y, double z, double out[3])
{
	const double p[3] = { x, y, z };

	reyes_sphere(r, 1, -1, 1, 360, NULL);
	placed(scene.lowered - 1, p, out);
}

#define NEAR(p, x, y, z)                                                                           \
	CHECK(fabs((p)[0] - (x)) < 1e-5 && fabs((p)[1] - (y)) < 1e-5 && fabs((p)[2] - (z)) < 1e-5, \
		"%g %g %g instead of %g %g %g", (p)[0], (p)[1], (p)[2], (double)(x), (double)(y),  \
		(double)(z))

static void the_last_request_is_applied_first(void)
{
	reyes_renderer *r = scene_open();
	double p[3];

	reyes_translate(r, 0, 0, 10);
	reyes_world_begin(r);
	reyes_translate(r, 1, 2, 3);
	reyes_scale(r, 2, 2, 2);
	current(r, 1, 1, 1, p);
	NEAR(p, 3, 4, 15);
	/* Transform replaces what is inside the world only. */
	reyes_transform(r,
		(reyes_matrix){ { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 5, 0, 0, 1 } });
	current(r, 0, 0, 0, p);
	NEAR(p, 5, 0, 10);
	reyes_concat_transform(r,
		(reyes_matrix){ { 0, 2, 0, 0 }, { 1, 0, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 7, 2 } });
	current(r, 2, 4, 0, p); /* divided by 2: (4, 4, 7) / 2 */
	NEAR(p, 5 + 2, 2, 10 + 3.5);
	reyes_identity(r);
	current(r, 1, 0, 0, p);
	NEAR(p, 1, 0, 10);
	reyes_close(&r);
}

static void rotations_turn_x_to_y_y_to_z_and_z_to_x(void)
{
	reyes_renderer *r = scene_open();
	double p[3];

	reyes_world_begin(r);
	reyes_transform_begin(r);
	reyes_rotate(r, 90, 0, 0, 3);
	current(r, 1, 0, 0, p);
	NEAR(p, 0, 1, 0);
	reyes_transform_end(r);
	reyes_transform_begin(r);
	reyes_rotate(r, 90, 1, 0, 0);
	current(r, 0, 1, 0, p);
	NEAR(p, 0, 0, 1);
	reyes_transform_end(r);
	reyes_transform_begin(r);
	reyes_rotate(r, 90, 0, 0.5f, 0);
	current(r, 0, 0, 1, p);
	NEAR(p, 1, 0, 0);
	reyes_transform_end(r);
	reyes_rotate(r, 120, 1, 1, 1);
	current(r, 1, 2, 3, p);
	NEAR(p, 3, 1, 2);
	SCENE_ERR(reyes_rotate(r, 90, 0, 0, 0));
	SCENE_OK(reyes_rotate(r, 0, 0, 0, 0));
	current(r, 1, 2, 3, p);
	NEAR(p, 3, 1, 2);
	reyes_close(&r);
}

static void skew_moves_along_the_second_axis_by_the_angle(void)
{
	reyes_renderer *r = scene_open();
	const double tangent = tan(3.14159265358979323846 / 6), half = sqrt(0.5);
	double p[3], angle;

	reyes_world_begin(r);
	reyes_transform_begin(r);
	SCENE_OK(reyes_skew(r, 30, 0, 1, 0, 1, 0, 0));
	current(r, 0, 2, 0, p);
	NEAR(p, 2 * tangent, 2, 0);
	current(r, 5, 0, 1, p);
	NEAR(p, 5, 0, 1);
	reyes_transform_end(r);
	/* Axes that are not perpendicular: the first turns by the angle to the second. */
	SCENE_OK(reyes_skew(r, 20, (float)half, (float)half, 0, 2, 0, 0));
	current(r, half, half, 0, p);
	angle = atan2(p[1], p[0]) * 180 / 3.14159265358979323846;
	CHECK(fabs(angle - 25) < 1e-4, "%g degrees", angle);
	SCENE_ERR(reyes_skew(r, 50, (float)half, (float)half, 0, 2, 0, 0));
	SCENE_ERR(reyes_skew(r, 10, 1, 0, 0, 1, 0, 0));
	reyes_close(&r);
}

static void named_spaces_are_restored_when_they_are_scoped(void)
{
	reyes_renderer *r = scene_open();
	double p[3];

	reyes_translate(r, 0, 0, 10);
	SCENE_OK(reyes_coordinate_system(r, "far"));
	reyes_world_begin(r);
	reyes_translate(r, 1, 0, 0);
	SCENE_OK(reyes_coordinate_system(r, "one"));
	reyes_attribute_begin(r);
	reyes_translate(r, 1, 0, 0);
	SCENE_OK(reyes_scoped_coordinate_system(r, "one"));
	SCENE_OK(reyes_scoped_coordinate_system(r, "inner"));
	SCENE_OK(reyes_coord_sys_transform(r, "camera"));
	current(r, 0, 0, 0, p);
	NEAR(p, 0, 0, 0);
	SCENE_OK(reyes_coord_sys_transform(r, "one"));
	current(r, 0, 0, 0, p);
	NEAR(p, 2, 0, 10);
	reyes_attribute_end(r);
	SCENE_OK(reyes_coord_sys_transform(r, "one"));
	current(r, 0, 0, 0, p);
	NEAR(p, 1, 0, 10);
	SCENE_ERR(reyes_coord_sys_transform(r, "inner"));
	SCENE_ERR(reyes_coord_sys_transform(r, "raster"));
	SCENE_OK(reyes_coord_sys_transform(r, "world"));
	current(r, 0, 0, 0, p);
	NEAR(p, 0, 0, 10);
	SCENE_OK(reyes_coord_sys_transform(r, "far"));
	reyes_close(&r);
}

static void matrices_that_project_or_overflow_are_refused(void)
{
	reyes_renderer *r = scene_open();
	double p[3];
	int i;

	reyes_world_begin(r);
	SCENE_ERR(reyes_concat_transform(r,
		(reyes_matrix){ { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 1 }, { 0, 0, 0, 0 } }));
	SCENE_ERR(reyes_transform(r, (reyes_matrix){ { NAN, 0, 0, 0 }, { 0, 1, 0, 0 },
					     { 0, 0, 1, 0 }, { 0, 0, 0, 1 } }));
	SCENE_OK(reyes_concat_transform(r, (reyes_matrix){ { 1, 0, 0, 1e-7f }, { 0, 1, 0, 0 },
						   { 0, 0, 1, 0 }, { 0, 0, 0, 1 } }));
	current(r, 1, 2, 3, p);
	NEAR(p, 1, 2, 3);
	for (i = 0; i < 8; i++)
		SCENE_OK(reyes_scale(r, 1e38f, 1e38f, 1e38f));
	SCENE_ERR(reyes_scale(r, 1e38f, 1e38f, 1e38f));
	SCENE_ERR(reyes_scale(r, INFINITY, 1, 1));
	SCENE_ERR(reyes_translate(r, 0, NAN, 1));
	CU_ASSERT_TRUE(scene_logged("the transform overflows"));
	reyes_close(&r);
}

/* The rule of RISpec 3.2, "Orientation and Sides", written out: orientations as words, spaces as
 * products of mirrors. */
static int is_turned_by_the_rule(
	int mirrors_before, const char *orientation, int reversed, int mirrors_after)
{
	/* 0: left-handed. The current orientation begins as that of the camera, and flips whenever
	 * the space flips. */
	int space = 0, current_orientation = 0;

	space ^= mirrors_before;
	current_orientation ^= mirrors_before;
	if (strcmp(orientation, "outside") == 0)
		current_orientation = space;
	else if (strcmp(orientation, "inside") == 0)
		current_orientation = !space;
	else if (strcmp(orientation, "lh") == 0)
		current_orientation = 0;
	else if (strcmp(orientation, "rh") == 0)
		current_orientation = 1;
	current_orientation ^= reversed;
	space ^= mirrors_after;
	current_orientation ^= mirrors_after;
	return current_orientation != space;
}

/* Nonzero if the outward normal of a unit sphere at (1, 0, 0), computed as the frame states it,
 * points away from the centre in camera space. */
static int points_outward(const reyes_renderer *r, size_t i)
{
	const double *m = scene.list[i].motion.matrix[0];
	/* dPdu along +y, dPdv along +z, the normal along +x. */
	const double *u = m + 4, *v = m + 8, *n = m;
	const double cross[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
		u[0] * v[1] - u[1] * v[0] };
	const double sign = scene_attr(r, i)->flags & REYES_I_ATTR_FLIP ? -1 : 1;

	return sign * (cross[0] * n[0] + cross[1] * n[1] + cross[2] * n[2]) > 0;
}

static void normals_follow_orientation_and_handedness(void)
{
	static const char *const words[] = { "", "outside", "inside", "lh", "rh" };
	int before, word, reversed, after, sides;

	for (before = 0; before < 2; before++) {
		for (word = 0; word < 5; word++) {
			for (reversed = 0; reversed < 2; reversed++) {
				for (after = 0; after < 2; after++) {
					for (sides = 1; sides <= 2; sides++) {
						reyes_renderer *r = scene_open();
						int turned;

						reyes_world_begin(r);
						reyes_rotate(r, 33, 1, 2, 3);
						if (before)
							reyes_scale(r, 1, 2, -1);
						if (word)
							reyes_orientation(r, words[word]);
						if (reversed)
							reyes_reverse_orientation(r);
						if (after)
							reyes_scale(r, -1, 1, 3);
						reyes_sides(r, sides);
						reyes_sphere(r, 1, -1, 1, 360, NULL);
						turned = is_turned_by_the_rule(
							before, words[word], reversed, after);
						CHECK(points_outward(r, 0) == !turned,
							"mirror %d, %s, reverse %d, mirror %d",
							before, words[word], reversed, after);
						CU_ASSERT_EQUAL(
							(scene_attr(r, 0)->flags &
								REYES_I_ATTR_TWO_SIDES) != 0,
							sides == 2);
						reyes_close(&r);
					}
				}
			}
		}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the last request is applied first", the_last_request_is_applied_first },
		{ "rotations turn x to y, y to z and z to x",
			rotations_turn_x_to_y_y_to_z_and_z_to_x },
		{ "skew moves along the second axis by the angle",
			skew_moves_along_the_second_axis_by_the_angle },
		{ "named spaces are restored when they are scoped",
			named_spaces_are_restored_when_they_are_scoped },
		{ "matrices that project or overflow are refused",
			matrices_that_project_or_overflow_are_refused },
		{ "normals follow orientation and handedness",
			normals_follow_orientation_and_handedness },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("transforms", tests);
}
