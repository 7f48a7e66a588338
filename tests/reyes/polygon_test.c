/* Conversion of polygons: areas against the shoelace formula, variables, triangulation. */
#include "tests/reyes/lower_setup.h"

/* A polygon in the plane z = 0: loops one after the other. */
typedef struct flat_polygon {
	int32_t loops, counts[64];
	size_t n;
	float *p; /* x y z of each vertex */
	int32_t *numbers;
} flat_polygon;

static void flat_init(flat_polygon *f, size_t room)
{
	memset(f, 0, sizeof(*f));
	f->p = calloc(room, 3 * sizeof(*f->p));
	f->numbers = calloc(room + 66, sizeof(*f->numbers));
}

static void flat_free(flat_polygon *f)
{
	free(f->p);
	free(f->numbers);
}

/* Adds a loop around a centre with n vertices at random distances. */
static void add_star(
	flat_polygon *f, size_t n, double cx, double cy, double least, double most, int turned)
{
	size_t i;

	for (i = 0; i < n; i++) {
		double a = 6.283185307179586 * (double)i / (double)n * (turned ? -1 : 1);
		double r = least + (most - least) * random_unit();

		f->p[3 * f->n] = (float)(cx + r * cos(a));
		f->p[3 * f->n + 1] = (float)(cy + r * sin(a));
		f->n++;
	}
	f->counts[f->loops++] = (int32_t)n;
}

/* Makes the shape: one polygon of all loops. */
static void flat_shape(flat_polygon *f, test_shape *t)
{
	size_t i;

	f->numbers[0] = f->loops;
	for (i = 0; i < (size_t)f->loops; i++)
		f->numbers[1 + i] = f->counts[i];
	for (i = 0; i < f->n; i++)
		f->numbers[1 + (size_t)f->loops + i] = (int32_t)i;
	shape_init(t, REYES_I_SHAPE_POLYGONS, "GeneralPolygon");
	shape_ints(t, f->numbers, 1 + (size_t)f->loops + f->n);
	t->s.counts[0] = 1;
	t->s.counts[1] = (size_t)f->loops;
	t->s.counts[2] = f->n;
	shape_points(t, f->p, f->n);
}

/* Area by the shoelace formula; the sign is that of the outer loop. */
static double shoelace(const flat_polygon *f)
{
	double total = 0, sign = 1;
	size_t first = 0, i;
	int32_t k;

	for (k = 0; k < f->loops; k++) {
		size_t n = (size_t)f->counts[k];
		double area = 0;

		for (i = 0; i < n; i++) {
			const float *a = f->p + 3 * (first + i),
				    *b = f->p + 3 * (first + (i + 1) % n);

			area += (double)a[0] * b[1] - (double)a[1] * b[0];
		}
		sign = k == 0 && area < 0 ? -1 : sign;
		total += k ? -fabs(area) : fabs(area);
		first += n;
	}
	return sign * total / 2;
}

/* Signed area of a primitive's corners in the loop's order. */
static double prim_area(const reyes_i_frame *f, const reyes_i_prim *p)
{
	static const int loop[4] = { 0, 1, 3, 2 };
	const float *v = f->floats.list + p->data;
	double area = 0;
	int i;

	for (i = 0; i < 4; i++) {
		const float *a = v + 3 * loop[i], *b = v + 3 * loop[(i + 1) % 4];

		area += (double)a[0] * b[1] - (double)a[1] * b[0];
	}
	return area / 2;
}

/* Every triangle has the polygon's direction and their areas have its sum: then they do not
 * overlap, as all of them are inside. */
static void check_area(flat_polygon *f, double tolerance)
{
	double sum = 0, absolute = 0, expected = shoelace(f);
	test_shape t;
	lowered r;
	size_t i;

	flat_shape(f, &t);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.status == REYES_OK && !r.errors && !r.warnings, "%s", r.text);
	CHECK(r.f.prims.count <= f->n + 2 * (size_t)f->loops, "%zu primitives", r.f.prims.count);
	for (i = 0; i < r.f.prims.count; i++) {
		double a = prim_area(&r.f, &r.f.prims.list[i]);

		CHECK(r.f.prims.list[i].flags & REYES_I_FLAT, "not flat");
		sum += a;
		absolute += fabs(a);
	}
	CHECK(fabs(sum - expected) <= tolerance * fabs(expected), "%g, not %g", sum, expected);
	CHECK(absolute <= fabs(sum) * (1 + tolerance), "turned triangles: %g",
		absolute - fabs(sum));
	lowered_free(&r);
}

static void random_polygons_with_holes_keep_their_area(void)
{
	int round, k;

	for (round = 0; round < 400; round++) {
		flat_polygon f;
		size_t n = 5 + rng_below(60);

		flat_init(&f, 2000);
		add_star(&f, n, 0, 0, 4, 4 + 4 * random_unit(), 0);
		for (k = 0; k < round % 8; k++) {
			double a = 0.785398163397448 * k;

			add_star(&f, 3 + rng_below(20), 2 * cos(a), 2 * sin(a), 0.1, 0.7,
				(int)rng_below(2));
		}
		if (n > 20)
			check_area(&f, 1e-9);
		flat_free(&f);
	}
}

static void a_hundred_thousand_vertices_take_seconds_at_most(void)
{
	flat_polygon f;
	int k;

	flat_init(&f, 150000);
	add_star(&f, 100000, 0, 0, 4, 9, 0);
	for (k = 0; k < 40; k++)
		add_star(&f, 500, 2.5 * cos(0.157 * k), 2.5 * sin(0.157 * k), 0.05, 0.19, 0);
	check_area(&f, 1e-9);
	flat_free(&f);
	/* A comb: all teeth are long. */
	flat_init(&f, 100002);
	for (k = 0; k < 50000; k++) {
		f.p[6 * k] = (float)(2 * k);
		f.p[6 * k + 1] = (float)(k % 7);
		f.p[6 * k + 3] = (float)(2 * k + 1);
		f.p[6 * k + 4] = 1000;
	}
	f.n = 100000;
	f.p[300000] = 99999;
	f.p[300001] = -5;
	f.p[300004] = -5;
	f.n += 2;
	f.counts[0] = (int32_t)f.n;
	f.loops = 1;
	check_area(&f, 1e-9);
	flat_free(&f);
}

static void collinear_touching_and_repeated_vertices_are_no_obstacle(void)
{
	/* A rectangle with many vertices on its sides and two holes that touch each other. */
	static const float p[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 4, 0, 0, 4, 2, 0, 4,
		4, 0, 2, 4, 0, 0, 4, 0, 0, 2, 0, 1, 1, 0, 2, 1, 0, 2, 2, 0, 1, 2, 0, 2, 2, 0, 3, 2,
		0, 3, 3, 0, 2, 3, 0 };
	flat_polygon f;

	flat_init(&f, 64);
	memcpy(f.p, p, sizeof(p));
	f.n = sizeof(p) / sizeof(p[0]) / 3;
	f.loops = 3;
	f.counts[0] = 11;
	f.counts[1] = f.counts[2] = 4;
	CHECK(f.n == 19, "%zu", f.n);
	check_area(&f, 1e-12);
	flat_free(&f);
}

static void polygons_that_intersect_themselves_end_quickly(void)
{
	flat_polygon f;
	test_shape t;
	lowered r;

	flat_init(&f, 20000);
	f.n = 20000;
	fill_random(f.p, 3 * f.n);
	f.loops = 1;
	f.counts[0] = (int32_t)f.n;
	flat_shape(&f, &t);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.status == REYES_OK && !r.errors, "%s", r.text);
	CHECK(r.f.prims.count <= f.n, "%zu triangles", r.f.prims.count);
	lowered_free(&r);
	flat_free(&f);
}

static void normals_follow_the_winding_of_triangles_and_quadrilaterals(void)
{
	static const float p[] = { 0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0, 0.5f, 0.5f, 0 };
	static const int32_t numbers[] = { 1, 1, 1, 4, 3, 4, 0, 1, 2, 3, 0, 1, 2, 0, 1, 4, 3 };
	static const float uniform[] = { 1, 2, 3 },
			   corners[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	double area[3] = { 0 }, v;
	test_shape t;
	lowered r;
	size_t i;

	shape_init(&t, REYES_I_SHAPE_POLYGONS, "PointsPolygons");
	shape_ints(&t, numbers, 17);
	t.s.counts[0] = t.s.counts[1] = 3;
	t.s.counts[2] = 11;
	shape_points(&t, p, 5);
	shape_var(&t, 0, "s", REYES_I_CLASS_UNIFORM, 1, uniform, 3);
	shape_var(&t, 0, "t", REYES_I_CLASS_FACEVARYING, 1, corners, 11);
	lowered_init(&r);
	lower(&r, &t);
	/* The third polygon is concave: two triangles. */
	CHECK(r.f.prims.count == 4 && !r.errors, "%zu: %s", r.f.prims.count, r.text);
	for (i = 0; i < 4; i++) {
		CHECK(eval_var(&r.f, &r.f.prims.list[i], REYES_I_VAR_S, 0, 0, &v), "no s");
		CHECK(prim_area(&r.f, &r.f.prims.list[i]) > 0, "turned");
		area[(int)v - 1] += prim_area(&r.f, &r.f.prims.list[i]);
		CHECK(r.f.prims.list[i].flags == REYES_I_FLAT, "flags");
	}
	CU_ASSERT_DOUBLE_EQUAL(area[0], 2, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(area[1], 1, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(area[2], 0.75, 1e-6);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[0], REYES_I_VAR_T, 1, 1, &v) && v == 2);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[1], REYES_I_VAR_T, 0, 1, &v) && v == 6);
	lowered_free(&r);
}

static void polygons_have_the_objects_x_and_y_as_s_and_t(void)
{
	flat_polygon f;
	test_shape t;
	lowered r;
	size_t i, k;

	flat_init(&f, 100);
	add_star(&f, 40, 0, 0, 1, 4, 0);
	flat_shape(&f, &t);
	lowered_init(&r);
	r.motion.matrix[0][12] = 10;
	lower(&r, &t);
	for (i = 0; i < r.f.prims.count; i++)
		for (k = 0; k < 5; k++) {
			double u = random_unit(), v = random_unit(), p[3], s, q;

			eval_prim(&r.f, &r.f.prims.list[i], 0, u, v, p);
			CHECK(eval_var(&r.f, &r.f.prims.list[i], REYES_I_VAR_S, u, v, &s) &&
					eval_var(&r.f, &r.f.prims.list[i], REYES_I_VAR_T, u, v, &q),
				"no st");
			CHECK(fabs(p[0] - 10 - s) < 1e-5 && fabs(p[1] - q) < 1e-5, "%g %g", s, q);
		}
	lowered_free(&r);
	flat_free(&f);
}

static void a_twisted_quadrilateral_is_not_flat(void)
{
	static const float p[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0.5f, 0, 1, 0 };
	static const int32_t numbers[] = { 1, 4, 0, 1, 2, 3 };
	test_shape t;
	lowered r;

	shape_init(&t, REYES_I_SHAPE_POLYGONS, "Polygon");
	shape_ints(&t, numbers, 6);
	t.s.counts[0] = t.s.counts[1] = 1;
	t.s.counts[2] = 4;
	shape_points(&t, p, 4);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.f.prims.count == 1 && r.f.prims.list[0].flags == 0, "%zu", r.f.prims.count);
	lowered_free(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "random polygons with holes keep their area",
			random_polygons_with_holes_keep_their_area },
		{ "a hundred thousand vertices take seconds at most",
			a_hundred_thousand_vertices_take_seconds_at_most },
		{ "collinear, touching and repeated vertices are no obstacle",
			collinear_touching_and_repeated_vertices_are_no_obstacle },
		{ "polygons that intersect themselves end quickly",
			polygons_that_intersect_themselves_end_quickly },
		{ "normals follow the winding of triangles and quadrilaterals",
			normals_follow_the_winding_of_triangles_and_quadrilaterals },
		{ "polygons have the object's x and y as s and t",
			polygons_have_the_objects_x_and_y_as_s_and_t },
		{ "a twisted quadrilateral is not flat", a_twisted_quadrilateral_is_not_flat },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("polygons", tests);
}
