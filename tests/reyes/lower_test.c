/* Conversion to primitives: quadrics, curves, points, motion, variables. */
#include "tests/reyes/lower_setup.h"

static void set_args(test_shape *t, size_t key, const float *args, int n)
{
	memcpy(t->keys[key].args, args, (size_t)n * sizeof(*args));
}

static void quadrics_have_the_corner_points_of_the_specification(void)
{
	/* Kind, arguments, then the points at (u,v) = (0,0), (1,1), (1/2,0). */
	static const struct {
		uint32_t kind;
		float args[8];
		double p[3][3];
	} cases[] = {
		{ REYES_I_SHAPE_SPHERE, { 2, -9, 9, 180 },
			{ { 0, 0, -2 }, { 0, 0, 2 }, { 0, 0, -2 } } },
		{ REYES_I_SHAPE_SPHERE, { 1, 0, 0.5f, 360 },
			{ { 1, 0, 0 }, { 0.8660254037844386, 0, 0.5 }, { -1, 0, 0 } } },
		{ REYES_I_SHAPE_SPHERE, { -1, -1, 0, 90 },
			{ { 0, 0, -1 }, { 0, -1, 0 }, { 0, 0, -1 } } },
		{ REYES_I_SHAPE_CONE, { 3, 2, 180 }, { { 2, 0, 0 }, { 0, 0, 3 }, { 0, 2, 0 } } },
		{ REYES_I_SHAPE_CYLINDER, { 2, -1, 4, 90 },
			{ { 2, 0, -1 }, { 0, 2, 4 },
				{ 1.4142135623730951, 1.4142135623730951, -1 } } },
		{ REYES_I_SHAPE_HYPERBOLOID, { 1, 0, 0, 0, 2, 3, 90 },
			{ { 1, 0, 0 }, { -2, 0, 3 },
				{ 0.7071067811865476, 0.7071067811865476, 0 } } },
		{ REYES_I_SHAPE_PARABOLOID, { 2, 1, 4, 180 },
			{ { 1, 0, 1 }, { -2, 0, 4 }, { 0, 1, 1 } } },
		{ REYES_I_SHAPE_DISK, { 5, 2, 180 }, { { 2, 0, 5 }, { 0, 0, 5 }, { 0, 2, 5 } } },
		{ REYES_I_SHAPE_TORUS, { 3, 1, 0, 90, 180 },
			{ { 4, 0, 0 }, { -3, 0, 1 }, { 0, 4, 0 } } },
		{ REYES_I_SHAPE_TORUS, { 3, 1, 90, 900, 720 },
			{ { 3, 0, 1 }, { 3, 0, 1 }, { -3, 0, 1 } } },
	};
	static const double at[3][2] = { { 0, 0 }, { 1, 1 }, { 0.5, 0 } };
	size_t i, k;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_shape t;
		lowered r;

		shape_init(&t, cases[i].kind, "quadric");
		set_args(&t, 0, cases[i].args, 8);
		lowered_init(&r);
		r.motion.matrix[0][14] = 10;
		lower(&r, &t);
		CHECK(r.f.prims.count == 1 && r.f.prims.list[0].key_count == 1, "%zu: %s", i,
			r.text);
		for (k = 0; k < 3; k++) {
			double p[3];

			eval_prim(&r.f, &r.f.prims.list[0], 0, at[k][0], at[k][1], p);
			p[2] -= 10;
			CHECK(distance(p, cases[i].p[k]) < 2e-6, "%zu: %g %g %g", i, p[0], p[1],
				p[2]);
		}
		lowered_free(&r);
	}
}

static void degenerate_quadrics_are_reported_and_dropped(void)
{
	static const struct {
		uint32_t kind;
		float args[8];
		const char *text;
		int is_error;
	} cases[] = {
		{ REYES_I_SHAPE_SPHERE, { 0, -1, 1, 360 }, "radius is 0", 0 },
		{ REYES_I_SHAPE_SPHERE, { 1, 0.5f, 0.5f, 360 }, "zmin equals zmax", 0 },
		{ REYES_I_SHAPE_SPHERE, { 1, -1, 1, 0 }, "thetamax is 0", 0 },
		{ REYES_I_SHAPE_SPHERE, { NAN, -1, 1, 360 }, "argument 1", 1 },
		{ REYES_I_SHAPE_CONE, { 1, 0, 360 }, "radius is 0", 0 },
		{ REYES_I_SHAPE_CYLINDER, { 1, 2, 2, 360 }, "zmin equals zmax", 0 },
		{ REYES_I_SHAPE_CYLINDER, { 1, 2, INFINITY, 360 }, "argument 3", 1 },
		{ REYES_I_SHAPE_HYPERBOLOID, { 1, 2, 3, 1, 2, 3, 360 }, "equal", 0 },
		{ REYES_I_SHAPE_HYPERBOLOID, { 0, 0, 3, 0, 0, 4, 360 }, "radius is 0", 0 },
		{ REYES_I_SHAPE_PARABOLOID, { 1, 0, 0, 360 }, "zmax", 1 },
		{ REYES_I_SHAPE_PARABOLOID, { 1, -1, 2, 360 }, "zmax", 1 },
		{ REYES_I_SHAPE_DISK, { 1, 0, 360 }, "radius is 0", 0 },
		{ REYES_I_SHAPE_TORUS, { 1, 0, 0, 360, 360 }, "minor radius is 0", 0 },
		{ REYES_I_SHAPE_TORUS, { 1, 1, 20, 20, 360 }, "phimin equals phimax", 0 },
		{ REYES_I_SHAPE_TORUS, { 1, 1e31f, 0, 20, 360 }, "argument 2", 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_shape t;
		lowered r;

		shape_init(&t, cases[i].kind, "Quadric");
		set_args(&t, 0, cases[i].args, 8);
		lowered_init(&r);
		lower(&r, &t);
		CHECK(r.status == REYES_OK && !r.f.prims.count && !r.f.floats.count, "%zu", i);
		CHECK(strncmp(r.text, "Quadric: ", 9) == 0 && strstr(r.text, cases[i].text),
			"%zu: %s", i, r.text);
		CHECK((int)r.errors == cases[i].is_error, "%zu: %s", i, r.text);
		lowered_free(&r);
	}
}

static void times_of_shape_and_transform_are_merged(void)
{
	static const float small[] = { 1, -1, 1, 360 }, large[] = { 3, -3, 3, 360 };
	test_shape t;
	lowered r;
	const reyes_i_prim *p;
	const float *d;
	size_t k;

	shape_init(&t, REYES_I_SHAPE_SPHERE, "Sphere");
	t.s.key_count = 2;
	set_args(&t, 0, small, 4);
	set_args(&t, 1, large, 4);
	t.keys[1].time = 1;
	lowered_init(&r);
	r.motion.count = 3;
	for (k = 0; k < 3; k++) {
		identity(r.motion.matrix[k]);
		r.motion.matrix[k][12] = (double)k * 10;
		r.motion.times[k] = (float)k * 0.75f;
	}
	lower(&r, &t);
	CHECK(r.f.prims.count == 1 && r.f.prims.list[0].key_count == 4, "%s", r.text);
	p = &r.f.prims.list[0];
	for (k = 0; k < 4; k++) {
		static const double times[] = { 0, 0.75, 1, 1.5 };

		d = r.f.floats.list + p->data + k * p->stride;
		CHECK(r.f.floats.list[p->times + k] == (float)times[k], "time %zu", k);
		CHECK(fabs(d[0] - (1 + 2 * fmin(times[k], 1))) < 1e-6, "radius %g", (double)d[0]);
		CHECK(fabs(d[17] - times[k] / 0.075) < 1e-5, "x %g", (double)d[17]);
	}
	lowered_free(&r);
}

static void what_does_not_move_has_one_key(void)
{
	static const float p[18] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5, 6, 5, 5, 5, 6, 5 };
	static const int32_t numbers[] = { 1, 1, 3, 3, 0, 1, 2, 3, 4, 5 };
	float moved[18];
	test_shape t;
	lowered r;

	memcpy(moved, p, sizeof(p));
	moved[17] = 9;
	shape_init(&t, REYES_I_SHAPE_POLYGONS, "PointsPolygons");
	shape_ints(&t, numbers, 10);
	t.s.counts[0] = t.s.counts[1] = 2;
	t.s.counts[2] = 6;
	t.s.key_count = 2;
	t.keys[1].time = 1;
	shape_points(&t, p, 6);
	shape_var(&t, 1, "P", REYES_I_CLASS_VERTEX, 3, moved, 18);
	lowered_init(&r);
	r.motion.count = 2;
	r.motion.times[1] = 1;
	identity(r.motion.matrix[1]);
	lower(&r, &t);
	CHECK(r.f.prims.count == 2, "%s", r.text);
	CU_ASSERT_EQUAL(r.f.prims.list[0].key_count, 1);
	CU_ASSERT_EQUAL(r.f.prims.list[1].key_count, 2);
	CU_ASSERT_EQUAL(r.f.prims.list[0].surface, r.f.prims.list[1].surface);
	lowered_free(&r);
}

static void too_many_times_are_reduced_to_the_first_the_last_and_some_between(void)
{
	static const float args[] = { 1, -1, 1, 360 };
	test_shape t;
	lowered r;
	size_t k;

	shape_init(&t, REYES_I_SHAPE_SPHERE, "Sphere");
	t.s.key_count = 4;
	for (k = 0; k < 4; k++) {
		set_args(&t, k, args, 4);
		t.keys[k].args[0] = (float)(k + 1);
		t.keys[k].time = (float)k / 3 + 0.001f;
	}
	lowered_init(&r);
	r.motion.count = REYES_I_KEYS_MAX;
	for (k = 0; k < REYES_I_KEYS_MAX; k++) {
		identity(r.motion.matrix[k]);
		r.motion.times[k] = (float)k / 15;
	}
	lower(&r, &t);
	CHECK(r.f.prims.count == 1 && r.f.prims.list[0].key_count == REYES_I_KEYS_MAX, "%s",
		r.text);
	CU_ASSERT_EQUAL(r.f.floats.list[r.f.prims.list[0].times], 0);
	CU_ASSERT(r.f.floats.list[r.f.prims.list[0].times + 15] >= 1);
	lowered_free(&r);
}

static void normals_are_perpendicular_to_the_transformed_surface(void)
{
	static const float p[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, n[3] = { 1, 1, 1 };
	static const int32_t numbers[] = { 1, 3, 0, 1, 2 };
	int round, i, k;

	for (round = 0; round < 20; round++) {
		double a[3], b[3], c[3], normal[3], d0 = 0, d1 = 0, outside = 0;
		test_shape t;
		lowered r;

		shape_init(&t, REYES_I_SHAPE_POLYGONS, "Polygon");
		shape_ints(&t, numbers, 5);
		t.s.counts[0] = t.s.counts[1] = 1;
		t.s.counts[2] = 3;
		shape_points(&t, p, 3);
		shape_var(&t, 0, "N", REYES_I_CLASS_CONSTANT, 3, n, 3);
		lowered_init(&r);
		for (i = 0; i < 3; i++)
			for (k = 0; k < 3; k++)
				r.motion.matrix[0][4 * i + k] = 2 * random_unit() - 1;
		lower(&r, &t);
		CHECK(eval_var(&r.f, &r.f.prims.list[0], REYES_I_VAR_N, 0, 0, normal), "no N");
		eval_prim(&r.f, &r.f.prims.list[0], 0, 0, 0, a);
		eval_prim(&r.f, &r.f.prims.list[0], 0, 1, 0, b);
		eval_prim(&r.f, &r.f.prims.list[0], 0, 0, 1, c);
		for (k = 0; k < 3; k++) {
			d0 += normal[k] * (b[k] - a[k]);
			d1 += normal[k] * (c[k] - a[k]);
			/* The object's origin is behind the surface. */
			outside += normal[k] * a[k];
		}
		CHECK(fabs(d0) < 1e-5 && fabs(d1) < 1e-5 && outside > 0, "%g %g %g", d0, d1,
			outside);
		lowered_free(&r);
	}
}

static void curves_become_ribbons_of_the_basis_with_transformed_widths(void)
{
	static const float width[4] = { 1, 2, 3, 5 }, wide = 4;
	float p[24];
	double q[3], s;
	size_t i, k;
	static const int32_t counts[2] = { 5, 3 };
	test_shape t;
	lowered r;

	fill_random(p, 24);
	shape_init(&t, REYES_I_SHAPE_CURVES, "Curves");
	shape_basis(&t, b_spline, 1);
	t.s.counts[0] = 1;
	shape_ints(&t, counts, 1);
	shape_points(&t, p, 5);
	shape_var(&t, 0, "width", REYES_I_CLASS_VARYING, 1, width, 3);
	shape_var(&t, 0, "t", REYES_I_CLASS_VERTEX, 1, p, 5);
	lowered_init(&r);
	for (k = 0; k < 3; k++)
		r.motion.matrix[0][5 * k] = 2;
	lower(&r, &t);
	CHECK(r.f.prims.count == 2 && !r.errors, "%s", r.text);
	for (i = 0; i < 2; i++) {
		const reyes_i_prim *c = &r.f.prims.list[i];
		const float *w = r.f.floats.list + c->data + 12;

		CHECK(c->kind == REYES_I_CURVE && c->stride == 16 && !c->flags, "kind");
		CHECK(w[0] == 2 * width[i] && w[3] == 2 * width[i + 1], "widths");
		CHECK(c->v_range[0] == (float)i / 2, "range");
		for (k = 0; k < 3; k++) {
			/* The B-spline at its knot, doubled by the transform. */
			s = (p[3 * i + k] + 4.0 * p[3 * i + 3 + k] + p[3 * i + 6 + k]) / 3;
			eval_prim(&r.f, c, 0, 0, 0, q);
			CHECK(fabs(q[k] - s) < 1e-6, "point %g, not %g", q[k], s);
		}
		CHECK(eval_var(&r.f, c, REYES_I_VAR_T, 0.7, 0, &s), "no t");
		CHECK(fabs(s - (p[i] + 4.0 * p[i + 1] + p[i + 2]) / 6) < 1e-6, "t %g", s);
	}
	lowered_free(&r);
	/* Two linear curves with normals; one width. */
	shape_init(&t, REYES_I_SHAPE_CURVES, "Curves");
	t.s.counts[0] = 2;
	t.s.v_periodic = 1;
	shape_ints(&t, counts, 2);
	shape_points(&t, p, 8);
	shape_var(&t, 0, "N", REYES_I_CLASS_VERTEX, 3, p, 24);
	shape_var(&t, 0, "constantwidth", REYES_I_CLASS_CONSTANT, 1, &wide, 1);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.f.prims.count == 8 && !r.errors, "%s", r.text);
	CU_ASSERT_EQUAL(r.f.prims.list[7].flags, REYES_I_HAS_NORMALS);
	CU_ASSERT_NOT_EQUAL(r.f.prims.list[4].surface, r.f.prims.list[5].surface);
	CU_ASSERT_EQUAL(r.f.floats.list[r.f.prims.list[7].data + 13], wide);
	CU_ASSERT_EQUAL(r.f.prims.list[7].var_count, 0);
	for (k = 0; k < 3; k++) {
		const float *last = r.f.floats.list + r.f.prims.list[7].data;

		CU_ASSERT_EQUAL(last[k], p[21 + k]);
		CU_ASSERT_EQUAL(last[9 + k], p[15 + k]);
		CU_ASSERT_DOUBLE_EQUAL(last[19 + k] * p[15], p[15 + k] * last[19], 1e-6);
	}
	lowered_free(&r);
}

static void points_have_radius_and_values_of_their_own(void)
{
	static const float p[9] = { 0, 0, 1, 0, 1, 2, 1, 1, 3 }, width[3] = { 2, 4, 6 };
	static const float cs[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	test_shape t;
	lowered r;
	double c[3];
	int i;

	shape_init(&t, REYES_I_SHAPE_POINTS, "Points");
	t.s.counts[0] = 3;
	shape_points(&t, p, 3);
	shape_var(&t, 0, "width", REYES_I_CLASS_VERTEX, 1, width, 3);
	shape_var(&t, 0, "Cs", REYES_I_CLASS_VARYING, 3, cs, 9);
	lowered_init(&r);
	for (i = 0; i < 3; i++)
		r.motion.matrix[0][5 * i] = i == 1 ? 9 : 3; /* the mean factor is 81^(1/3) */
	lower(&r, &t);
	CHECK(r.f.prims.count == 3 && !r.errors, "%s", r.text);
	CU_ASSERT_EQUAL(r.f.prims.list[2].kind, REYES_I_POINT);
	CU_ASSERT_DOUBLE_EQUAL(r.f.floats.list[r.f.prims.list[2].data + 3], 3 * cbrt(81), 1e-5);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[2], REYES_I_VAR_CS, 0, 0, c) && c[2] == 1);
	CU_ASSERT_NOT_EQUAL(r.f.prims.list[1].surface, r.f.prims.list[2].surface);
	lowered_free(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "quadrics have the corner points of the specification",
			quadrics_have_the_corner_points_of_the_specification },
		{ "degenerate quadrics are reported and dropped",
			degenerate_quadrics_are_reported_and_dropped },
		{ "times of shape and transform are merged",
			times_of_shape_and_transform_are_merged },
		{ "what does not move has one key", what_does_not_move_has_one_key },
		{ "too many times are reduced to the first, the last and some between",
			too_many_times_are_reduced_to_the_first_the_last_and_some_between },
		{ "normals are perpendicular to the transformed surface",
			normals_are_perpendicular_to_the_transformed_surface },
		{ "curves become ribbons of the basis with transformed widths",
			curves_become_ribbons_of_the_basis_with_transformed_widths },
		{ "points have radius and values of their own",
			points_have_radius_and_values_of_their_own },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("primitives", tests);
}
