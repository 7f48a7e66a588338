/* Geometric requests: what they record, and which are refused. */
#include "tests/reyes/scene_setup.h"

static const float points16[48] = { 0, 1, 2, 3 };

#define P(n)                                                 \
	&(reyes_params)                                      \
	{                                                    \
		1, &(reyes_param)                            \
		{                                            \
			"P", points16, NULL, 3 * (size_t)(n) \
		}                                            \
	}

static void quadrics_keep_their_arguments(void)
{
	const float p1[] = { 1, 2, 3 }, p2[] = { 4, 5, 6 };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_torus(r, 1, 2, 3, 4, 5, NULL));
	SCENE_OK(reyes_hyperboloid(r, p1, p2, 7, NULL));
	SCENE_OK(reyes_paraboloid(r, 1, 2, 3, 4, NULL));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 3);
	CU_ASSERT_TRUE(scene.list[0].kind == REYES_I_SHAPE_TORUS && scene.list[0].args[4] == 5);
	CU_ASSERT_TRUE(scene.list[1].args[2] == 3 && scene.list[1].args[3] == 4);
	CU_ASSERT_TRUE(scene.list[1].args[6] == 7 && scene.list[2].args[3] == 4);
	SCENE_ERR(reyes_sphere(r, NAN, -1, 1, 360, NULL));
	SCENE_ERR(reyes_hyperboloid(r, NULL, p2, 7, NULL));
	CU_ASSERT_EQUAL(scene.lowered, 3);
	SCENE_OK(reyes_sphere(r, 0, 0, 0, 360, NULL));
	CU_ASSERT_TRUE(scene_logged("Sphere: radius 0"));
	reyes_close(&r);
}

static void all_polygons_become_one_layout(void)
{
	static const int32_t loops[] = { 2, 1 }, counts[] = { 4, 3, 3 };
	static const int32_t vertices[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const int32_t expected[] = { 2, 1, 4, 3, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const int32_t one[] = { 1, 5, 0, 1, 2, 3, 4 };
	static const int32_t holes[] = { 2, 4, 3, 0, 1, 2, 3, 4, 5, 6 };
	static const int32_t flat[] = { 1, 1, 4, 3, 0, 1, 2, 3, 4, 5, 6 };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_points_general_polygons(r, 2, loops, 3, counts, 10, vertices, P(10)));
	SCENE_OK(reyes_polygon(r, P(5)));
	SCENE_OK(reyes_general_polygon(r, 2, counts, P(7)));
	SCENE_OK(reyes_points_polygons(r, 2, counts, 7, vertices, P(16)));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 4);
	CU_ASSERT_EQUAL(scene.list[0].int_count, 15);
	CU_ASSERT_EQUAL(memcmp(scene.list[0].ints, expected, sizeof(expected)), 0);
	CU_ASSERT_TRUE(scene.list[0].counts[0] == 2 && scene.list[0].counts[1] == 3 &&
		       scene.list[0].counts[2] == 10);
	CU_ASSERT_EQUAL(memcmp(scene.list[1].ints, one, sizeof(one)), 0);
	CU_ASSERT_EQUAL(memcmp(scene.list[2].ints, holes, sizeof(holes)), 0);
	CU_ASSERT_EQUAL(memcmp(scene.list[3].ints, flat, sizeof(flat)), 0);
	CU_ASSERT_STRING_EQUAL(scene.list[3].request, "PointsPolygons");
	reyes_close(&r);
}

static void wrong_polygons_are_refused(void)
{
	static const int32_t counts[] = { 4, 3 }, negative[] = { 4, -3 };
	static const int32_t vertices[] = { 0, 1, 2, 3, 4, 5, 6 }, loops[] = { 1, 2 };
	static const int32_t huge[] = { INT32_MAX, INT32_MAX };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_ERR(reyes_polygon(r, NULL));
	SCENE_ERR(reyes_points_polygons(r, 2, counts, 6, vertices, P(16)));
	SCENE_ERR(reyes_points_polygons(r, 2, negative, 1, vertices, P(16)));
	SCENE_ERR(reyes_points_polygons(r, 2, huge, 7, vertices, P(16)));
	SCENE_ERR(reyes_points_polygons(r, 0, counts, 7, vertices, P(16)));
	SCENE_ERR(reyes_points_polygons(r, 2, NULL, 7, vertices, P(16)));
	SCENE_ERR(reyes_general_polygon(r, 2, counts, P(6)));
	SCENE_ERR(reyes_general_polygon(r, 2, huge, P(6)));
	SCENE_ERR(reyes_general_polygon(r, 0, counts, P(6)));
	SCENE_ERR(reyes_points_general_polygons(r, 2, loops, 2, counts, 7, vertices, P(16)));
	CU_ASSERT_EQUAL(scene.lowered, 0);
	reyes_close(&r);
}

/* Faces that are wrong in themselves keep their place, which selects values of variables: a vertex
 * that does not exist leaves a face without area. */
static void wrong_faces_are_marked(void)
{
	static const int32_t counts[] = { 4, 3 }, small[] = { 4, 2 };
	static const int32_t vertices[] = { 0, 1, 2, 3, 4, 5, 6 };
	static const int32_t far[] = { 0, 1, 2, 3, 4, 5, 16 }, before[] = { 0, -1, 2, 3, 4, 5, 6 };
	static const int32_t marked[2][7] = { { 0, 1, 2, 3, 0, 0, 0 }, { 0, 0, 0, 0, 4, 5, 6 } };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_points_polygons(r, 2, counts, 7, far, P(16)));
	SCENE_OK(reyes_points_polygons(r, 2, counts, 7, before, P(16)));
	SCENE_OK(reyes_subdivision_mesh(
		r, "catmull-clark", 2, counts, 7, far, 0, NULL, NULL, 0, NULL, 0, NULL, P(16)));
	SCENE_OK(reyes_points_polygons(r, 2, small, 6, vertices, P(16)));
	SCENE_OK(reyes_polygon(r, P(2)));
	SCENE_OK(reyes_curves(r, "cubic", 2, counts, "nonperiodic", P(7)));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 6);
	/* The counts of loops and of vertices come before. */
	for (size_t i = 0; i < 2; i++)
		CU_ASSERT_EQUAL(memcmp(scene.list[i].ints + 4, marked[i], sizeof(marked[i])), 0);
	CU_ASSERT_EQUAL(memcmp(scene.list[2].ints + 2, marked[0], sizeof(marked[0])), 0);
	reyes_close(&r);
}

static void empty_shapes_are_no_errors(void)
{
	static const int32_t none[] = { 0 };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_points_polygons(r, 0, NULL, 0, NULL, NULL));
	SCENE_OK(reyes_points_polygons(r, 0, none, 0, none, P(16)));
	SCENE_OK(reyes_points_general_polygons(r, 0, NULL, 0, NULL, 0, NULL, NULL));
	SCENE_OK(reyes_subdivision_mesh(
		r, "catmull-clark", 0, NULL, 0, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, NULL));
	SCENE_OK(reyes_curves(r, "linear", 0, NULL, "nonperiodic", NULL));
	SCENE_OK(reyes_points(r, 0, NULL));
	CU_ASSERT_EQUAL(scene.lowered, 0);
	reyes_close(&r);
}

static void patches_have_the_points_that_their_basis_needs(void)
{
	float many[3 * 70] = { 0 };
	const reyes_param p70 = { "P", many, NULL, 3 * 70 }, p49 = { "P", many, NULL, 3 * 49 };
	const reyes_param p36 = { "P", many, NULL, 3 * 36 };
	const float pz[] = { 7, 8, 9, 10 };
	const reyes_param heights = { "Pz", pz, NULL, 4 };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_patch(r, "bicubic", P(16)));
	SCENE_OK(reyes_patch(r, "bilinear", P(4)));
	SCENE_ERR(reyes_patch(r, "bilinear", P(5)));
	SCENE_ERR(reyes_patch(r, "linear", P(4)));
	SCENE_OK(reyes_patch(r, "bilinear", &(reyes_params){ 1, &heights }));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 3);
	CU_ASSERT_TRUE(scene.list[2].point_floats == 12 && scene.list[2].points[3] == 1 &&
		       scene.list[2].points[5] == 8 && scene.list[2].points[7] == 1);
	/* Bezier: step 3. */
	SCENE_OK(reyes_patch_mesh(
		r, "bicubic", 7, "nonperiodic", 10, "nonperiodic", &(reyes_params){ 1, &p70 }));
	SCENE_ERR(reyes_patch_mesh(r, "bicubic", 8, "nonperiodic", 7, "nonperiodic", P(56)));
	SCENE_OK(reyes_patch_mesh(
		r, "bicubic", 6, "periodic", 6, "periodic", &(reyes_params){ 1, &p36 }));
	SCENE_ERR(reyes_patch_mesh(
		r, "bicubic", 7, "periodic", 7, "nonperiodic", &(reyes_params){ 1, &p49 }));
	SCENE_ERR(reyes_patch_mesh(r, "bilinear", 1, "nonperiodic", 2, "nonperiodic", P(2)));
	SCENE_OK(reyes_patch_mesh(r, "bilinear", 2, "nowrap", 2, "nonperiodic", P(4)));
	CU_ASSERT_TRUE(scene_logged("wrap mode \"nowrap\" is neither periodic nor nonperiodic"));
	reyes_close(&r);
}

static void bases_by_name_are_those_of_the_standard(void)
{
	/* At u = 0 and 1 each basis has known weights. */
	static const struct {
		const char *name;
		int step;
		double start[4], end[4];
	} cases[] = {
		{ "bezier", 3, { 1, 0, 0, 0 }, { 0, 0, 0, 1 } },
		{ "b-spline", 1, { 1 / 6., 4 / 6., 1 / 6., 0 }, { 0, 1 / 6., 4 / 6., 1 / 6. } },
		{ "catmull-rom", 1, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } },
		{ "hermite", 2, { 1, 0, 0, 0 }, { 0, 0, 1, 0 } },
		{ "power", 4, { 0, 0, 0, 1 }, { 1, 1, 1, 1 } },
	};
	reyes_matrix m;
	size_t i;
	int step, k;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CU_ASSERT_EQUAL(reyes_basis_by_name(cases[i].name, m, &step), REYES_OK);
		CU_ASSERT_EQUAL(step, cases[i].step);
		for (k = 0; k < 4; k++) {
			const double end = (double)m[0][k] + (double)m[1][k] + (double)m[2][k] +
					   (double)m[3][k];

			CHECK(fabs((double)m[3][k] - cases[i].start[k]) < 1e-6 &&
					fabs(end - cases[i].end[k]) < 1e-6,
				"%s, weight %d", cases[i].name, k);
		}
	}
	CU_ASSERT_EQUAL(reyes_basis_by_name("beta", m, &step), REYES_ERR_ARG);
	CU_ASSERT_EQUAL(reyes_basis_by_name(NULL, m, &step), REYES_ERR_ARG);
}

static void nurbs_are_checked(void)
{
	static const float knots[] = { 0, 0, 0, 1, 1, 1 }, falling[] = { 0, 0, 0, 1, 1, 0.5f };
	const float pw[36] = { 0 };
	const reyes_params p = { 1, &(reyes_param){ "Pw", pw, NULL, 36 } };
	const reyes_params few = { 1, &(reyes_param){ "Pw", pw, NULL, 32 } };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_nu_patch(r, 3, 3, knots, 0, 1, 3, 3, knots, 0, 1, &p));
	CU_ASSERT_EQUAL(scene.list[0].float_count, 16);
	CU_ASSERT_EQUAL(scene.list[0].counts[3], 3);
	SCENE_ERR(reyes_nu_patch(r, 3, 3, knots, 0, 1, 3, 3, knots, 0, 1, &few));
	SCENE_ERR(reyes_nu_patch(r, 3, 3, falling, 0, 1, 3, 3, knots, 0, 1, &p));
	SCENE_ERR(reyes_nu_patch(r, 3, 3, knots, 0, 2, 3, 3, knots, 0, 1, &p));
	SCENE_ERR(reyes_nu_patch(r, 3, 3, knots, 1, 1, 3, 3, knots, 0, 1, &p));
	SCENE_ERR(reyes_nu_patch(r, 3, 4, knots, 0, 1, 3, 3, knots, 0, 1, &p));
	SCENE_ERR(reyes_nu_patch(r, 3, 3, NULL, 0, 1, 3, 3, knots, 0, 1, &p));
	SCENE_ERR(reyes_nu_patch(r, -3, 3, knots, 0, 1, 3, 3, knots, 0, 1, &p));
	SCENE_ERR(reyes_nu_patch(r, 3, 3, knots, NAN, 1, 3, 3, knots, 0, 1, &p));
	CU_ASSERT_EQUAL(scene.lowered, 1);
	reyes_close(&r);
}

static void subdivision_meshes_keep_their_tags(void)
{
	static const int32_t counts[] = { 4, 3 }, vertices[] = { 0, 1, 2, 3, 3, 2, 4 };
	static const char *const tags[] = { "crease", "interpolateboundary" };
	static const int32_t args[] = { 2, 1, 0, 0 }, ints[] = { 1, 2 }, wrong[] = { 2, 2, 0, 0 };
	static const float floats[] = { 2.5f };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_subdivision_mesh(r, "catmull-clark", 2, counts, 7, vertices, 2, tags, args,
		2, ints, 1, floats, P(5)));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 1);
	CU_ASSERT_EQUAL(scene.list[0].interpolate_boundary, 1);
	CU_ASSERT_EQUAL(scene.list[0].int_count, 2 + 7 + 4 + 2);
	CU_ASSERT_EQUAL(scene.list[0].ints[14], 2);
	SCENE_ERR(reyes_subdivision_mesh(r, "catmull-clark", 2, counts, 7, vertices, 2, tags, wrong,
		2, ints, 1, floats, P(5)));
	SCENE_ERR(reyes_subdivision_mesh(
		r, "catmull-clark", 2, counts, 6, vertices, 0, NULL, NULL, 0, NULL, 0, NULL, P(5)));
	SCENE_ERR(reyes_subdivision_mesh(
		r, "butterfly", 2, counts, 7, vertices, 0, NULL, NULL, 0, NULL, 0, NULL, P(5)));
	SCENE_OK(reyes_subdivision_mesh(
		r, "catmull-clark", 2, counts, 7, vertices, 0, NULL, NULL, 0, NULL, 0, NULL, P(5)));
	CU_ASSERT_EQUAL(scene.list[1].interpolate_boundary, 0);
	reyes_close(&r);
}

static void curves_and_points_need_their_vertices(void)
{
	static const int32_t counts[] = { 4, 7 }, small[] = { 4, 3 };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_curves(r, "cubic", 2, counts, "nonperiodic", P(11)));
	SCENE_OK(reyes_curves(r, "linear", 2, small, "periodic", P(7)));
	SCENE_ERR(reyes_curves(r, "cubic", 2, counts, "nonperiodic", P(10)));
	SCENE_ERR(reyes_curves(r, "quartic", 2, counts, "nonperiodic", P(11)));
	SCENE_OK(reyes_points(r, 16, P(16)));
	SCENE_ERR(reyes_points(r, 17, P(16)));
	SCENE_OK(reyes_blobby(r, 0, 0, NULL, 0, NULL, 0, NULL, NULL));
	SCENE_OK(reyes_geometry(r, "teapot", NULL));
	SCENE_OK(
		reyes_trim_curve(r, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL));
	CU_ASSERT_EQUAL(scene.lowered, 3);
	CU_ASSERT_TRUE(scene_logged("Blobby: implicit surfaces are not supported"));
	CU_ASSERT_TRUE(scene_logged("there is no geometry \"teapot\""));
	reyes_close(&r);
}

static void variables_are_kept_or_reported(void)
{
	static const float values[24] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1 };
	const reyes_param list[] = { { "P", values, NULL, 12 }, { "Cs", values, NULL, 12 },
		{ "st", values, NULL, 8 }, { "varying float heat", values, NULL, 4 },
		{ "fire", values, NULL, 4 }, { "P", values, NULL, 9 }, { "s", values, NULL, 4 },
		{ "vertex color N", values, NULL, 12 }, { "vertex float[2] t", values, NULL, 8 },
		{ "Os", values, NULL, 7 }, { "constant string Np", values, NULL, 4 } };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_patch(r, "bilinear", &(reyes_params){ 11, list }));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 1);
	CU_ASSERT_EQUAL(scene.list[0].var_count, 5); /* P Cs st s N */
	CU_ASSERT_EQUAL(scene.list[0].colors[4], 1);
	CU_ASSERT_TRUE(scene_logged("variable \"P\" is given twice"));
	CU_ASSERT_TRUE(scene_logged("parameter \"heat\" has no effect"));
	CU_ASSERT_TRUE(scene_logged("parameter \"fire\" is not declared"));
	CU_ASSERT_TRUE(scene_logged("variable \"t\" has the type float[2], which does not fit"));
	CU_ASSERT_TRUE(
		scene_logged("variable \"Os\" needs a multiple of 3 numbers, not 7 numbers"));
	CU_ASSERT_TRUE(scene_logged("variable \"Np\" has the type string[1]"));
	reyes_close(&r);
}

static void names_of_objects_are_in_messages(void)
{
	const char *name = "left wheel";
	const reyes_param p = { "name", NULL, &name, 1 };
	const float off = 0;
	const reyes_param camera = { "integer camera", &off, NULL, 1 };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_attribute(r, "identifier", &(reyes_params){ 1, &p }));
	SCENE_OK(reyes_sphere(r, 0, 0, 0, 360, NULL));
	CU_ASSERT_TRUE(scene_logged("Sphere: radius 0 (object \"left wheel\")"));
	SCENE_OK(reyes_attribute(r, "visibility", &(reyes_params){ 1, &camera }));
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, NULL));
	CU_ASSERT_EQUAL(scene.lowered, 1);
	reyes_close(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "quadrics keep their arguments", quadrics_keep_their_arguments },
		{ "all polygons become one layout", all_polygons_become_one_layout },
		{ "wrong polygons are refused", wrong_polygons_are_refused },
		{ "wrong faces are marked", wrong_faces_are_marked },
		{ "empty shapes are no errors", empty_shapes_are_no_errors },
		{ "patches have the points that their basis needs",
			patches_have_the_points_that_their_basis_needs },
		{ "bases by name are those of the standard",
			bases_by_name_are_those_of_the_standard },
		{ "nurbs are checked", nurbs_are_checked },
		{ "subdivision meshes keep their tags", subdivision_meshes_keep_their_tags },
		{ "curves and points need their vertices", curves_and_points_need_their_vertices },
		{ "variables are kept or reported", variables_are_kept_or_reported },
		{ "names of objects are in messages", names_of_objects_are_in_messages },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("shapes", tests);
}
