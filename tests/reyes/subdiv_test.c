/* Conversion of subdivision meshes to quadtrees of patches, against the repeated refinement of the
 * whole mesh. */
#include "tests/reyes/subdiv_setup.h"

#define TIGHT 4e-7 /* rounding to float */

static void closed_meshes_agree_with_the_refinement_of_the_whole_mesh(void)
{
	mesh_case c;
	int n;

	memset(&c, 0, sizeof(c));
	add_cube(&c);
	compare(&c, NULL, TIGHT, NULL);
	for (n = 3; n <= 8; n++) {
		memset(&c, 0, sizeof(c));
		add_pyramid(&c, n);
		compare(&c, NULL, TIGHT, NULL);
	}
}

/* The quadtree ends at level 6, the mesh is refined to level 7: points inside of the last leaves
 * are approximated. They are shifted along the surface by about 1% of a leaf, because the limit
 * surface is not smooth in its parameters there; from the surface their distance is less. */
static void approximated_patches_are_close_to_the_limit_surface(void)
{
	mesh_case c;
	brute_mesh m;

	memset(&c, 0, sizeof(c));
	add_cube(&c);
	brute_init(&m, c.p, c.vertices, c.sizes, c.faces, c.numbers);
	compare_case(&c, &m, NULL, 1e-3, 3e-5, 7);
	brute_free(&m);
	memset(&c, 0, sizeof(c));
	add_pyramid(&c, 6);
	brute_init(&m, c.p, c.vertices, c.sizes, c.faces, c.numbers);
	compare_case(&c, &m, NULL, 1e-3, 3e-5, 7);
	brute_free(&m);
}

static void boundaries_are_dropped_or_interpolated_with_and_without_corners(void)
{
	static const int one = 1, two = 2, zero = 0;
	uint8_t hidden[16];
	mesh_case c;
	int f;

	for (f = 0; f < 16; f++)
		hidden[f] = f / 4 % 3 == 0 || f % 4 % 3 == 0;
	memset(&c, 0, sizeof(c));
	add_net(&c, 4);
	compare(&c, hidden, TIGHT, NULL);
	add_tag(&c, "interpolateboundary", &zero, 1, NULL, 0);
	compare(&c, hidden, TIGHT, NULL);
	c.tags = c.tag_int_count = 0;
	add_tag(&c, "interpolateboundary", NULL, 0, NULL, 0);
	compare(&c, NULL, TIGHT * 4, sharpen_corners);
	c.tags = c.tag_int_count = 0;
	add_tag(&c, "interpolateboundary", &one, 1, NULL, 0);
	compare(&c, NULL, TIGHT * 4, sharpen_corners);
	c.tags = c.tag_int_count = 0;
	add_tag(&c, "interpolateboundary", &two, 1, NULL, 0);
	compare(&c, NULL, TIGHT * 4, NULL);
}

/* An edge that is not sharp to its end: the limit mask at the end is that of a smooth vertex, and
 * its error falls by about 4 with each level. */
#define DART 2e-3

static void creases_and_corners_of_any_sharpness_agree_with_the_refinement(void)
{
	static const int loop[5] = { 2, 3, 5, 4, 2 }, line[3] = { 0, 1, 7 }, vertex = 6;
	static const int inside[2] = { 12, 17 }, round_tip[5] = { 0, 6, 2, 1, 0 };
	static const float sharp[] = { 0.3f, 1, 1.6f, 2, 3.5f, 10, 1000 };
	size_t i;
	mesh_case c;

	for (i = 0; i < sizeof(sharp) / sizeof(sharp[0]); i++) {
		memset(&c, 0, sizeof(c));
		add_cube(&c);
		add_tag(&c, "crease", loop, 5, &sharp[i], 1);
		compare(&c, NULL, TIGHT, sharpen);
		add_tag(&c, "corner", &vertex, 1, &sharp[i], 1);
		compare(&c, NULL, TIGHT, sharpen);
		add_tag(&c, "crease", line, 3, &sharp[(i + 3) % 5], 1);
		compare(&c, NULL, DART, sharpen);
		/* On one side of the crease at the tip are two faces, on the other one four. */
		memset(&c, 0, sizeof(c));
		add_pyramid(&c, 6);
		add_tag(&c, "crease", round_tip, 5, &sharp[i], 1);
		compare(&c, NULL, TIGHT, sharpen);
		memset(&c, 0, sizeof(c));
		add_net(&c, 4);
		add_tag(&c, "corner", inside, 1, &sharp[i], 1);
		add_tag(&c, "interpolateboundary", NULL, 0, NULL, 0);
		compare(&c, NULL, 4 * TIGHT, sharpen_corners);
		memset(&c, 0, sizeof(c));
		add_net(&c, 4);
		add_tag(&c, "crease", inside, 2, &sharp[i], 1);
		add_tag(&c, "interpolateboundary", NULL, 0, NULL, 0);
		compare(&c, NULL, DART, sharpen_corners);
	}
}

static void a_crease_across_a_net_needs_no_refinement(void)
{
	static const int line[5] = { 10, 11, 12, 13, 14 };
	static const float sharp = 10;
	mesh_case c;
	test_shape t;
	lowered r;
	size_t i;

	memset(&c, 0, sizeof(c));
	add_net(&c, 4);
	add_tag(&c, "crease", line, 5, &sharp, 1);
	add_tag(&c, "interpolateboundary", NULL, 0, NULL, 0);
	case_shape(&c, &t);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.f.prims.count == 16, "%zu", r.f.prims.count);
	for (i = 0; i < 16; i++)
		/* Only at the ends, where the crease meets the boundary, corners are refined. */
		if (i % 4 == 1 || i % 4 == 2)
			CHECK(r.f.prims.list[i].stride == 48, "%zu: %u leaves", i,
				r.f.prims.list[i].stride / 48);
	lowered_free(&r);
	compare(&c, NULL, 4 * TIGHT, sharpen_corners);
}

static void holes_shape_their_neighbours_and_are_not_drawn(void)
{
	static const int face = 5;
	static const uint8_t hidden[16] = { 0, 0, 0, 0, 0, 1 };
	mesh_case c;

	memset(&c, 0, sizeof(c));
	add_net(&c, 4);
	add_tag(&c, "hole", &face, 1, NULL, 0);
	add_tag(&c, "interpolateboundary", NULL, 0, NULL, 0);
	compare(&c, hidden, 4 * TIGHT, sharpen_corners);
}

static void edges_of_three_faces_become_creases(void)
{
	static const int faces[3][4] = { { 0, 1, 3, 2 }, { 0, 1, 5, 4 }, { 1, 0, 6, 7 } };
	mesh_case c;
	test_shape t;
	lowered r;
	int f;

	memset(&c, 0, sizeof(c));
	fill_random(c.p, 24);
	c.vertices = 8;
	for (f = 0; f < 3; f++)
		add_face(&c, 4, faces[f]);
	add_tag(&c, "interpolateboundary", NULL, 0, NULL, 0);
	case_shape(&c, &t);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.warnings == 1 && strstr(r.text, "crease"), "%s", r.text);
	lowered_free(&r);
	compare(&c, NULL, 4 * TIGHT, sharpen_corners);
}

/* Both primitives of an edge of a cube, evaluated along it. */
static void neighbouring_faces_meet_in_the_same_points(void)
{
	mesh_case c;
	test_shape t;
	lowered r;
	int f, g, k, i, edges = 0;

	memset(&c, 0, sizeof(c));
	add_cube(&c);
	case_shape(&c, &t);
	lowered_init(&r);
	lower(&r, &t);
	for (f = 0; f < 6; f++)
		for (g = 0; g < 6; g++)
			for (k = 0; k < 16; k++) {
				int a = k % 4, b = k / 4;
				static const double at[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 },
					{ 0, 1 } };

				if (c.numbers[4 * f + a] != c.numbers[4 * g + (b + 1) % 4] ||
					c.numbers[4 * f + (a + 1) % 4] != c.numbers[4 * g + b])
					continue;
				edges++;
				for (i = 0; i <= 100; i++) {
					double s = i / 100.0, p[3], q[3];
					const double *a0 = at[a], *a1 = at[(a + 1) % 4];
					const double *b0 = at[(b + 1) % 4], *b1 = at[b];

					eval_prim(&r.f, &r.f.prims.list[f], 0,
						a0[0] + s * (a1[0] - a0[0]),
						a0[1] + s * (a1[1] - a0[1]), p);
					eval_prim(&r.f, &r.f.prims.list[g], 0,
						b0[0] + s * (b1[0] - b0[0]),
						b0[1] + s * (b1[1] - b0[1]), q);
					CHECK(distance(p, q) < 3e-7, "%g", distance(p, q));
				}
			}
	CHECK(edges == 24, "%d edges", edges);
	lowered_free(&r);
}

static void variables_follow_the_vertices_and_corners_of_faces(void)
{
	float st[2 * 25], t[16 * 4], cs[16 * 3];
	mesh_case c;
	test_shape s;
	lowered r;
	size_t i, k;

	memset(&c, 0, sizeof(c));
	add_net(&c, 4);
	/* A vertex with three sharp edges makes some faces irregular. */
	add_tag(&c, "interpolateboundary", NULL, 0, NULL, 0);
	add_tag(&c, "crease", (const int[3]){ 7, 12, 13 }, 3, (const float[1]){ 2 }, 1);
	for (i = 0; i < 25; i++) {
		st[2 * i] = c.p[3 * i];
		st[2 * i + 1] = c.p[3 * i + 1];
	}
	for (i = 0; i < 64; i++)
		t[i] = (float)i;
	for (i = 0; i < 48; i++)
		cs[i] = (float)i;
	case_shape(&c, &s);
	shape_var(&s, 0, "st", REYES_I_CLASS_VERTEX, 2, st, 50);
	shape_var(&s, 0, "Cs", REYES_I_CLASS_UNIFORM, 3, cs, 48);
	lowered_init(&r);
	lower(&r, &s);
	CHECK(r.status == REYES_OK && !r.errors && r.f.prims.count == 16, "%s", r.text);
	for (i = 0; i < 16; i++)
		for (k = 0; k < 25; k++) {
			static const double at[5] = { 0, 0.25, 0.5, 0.75, 1 };
			double u = at[k % 5], v = at[k / 5], p[3], a, b;

			eval_prim(&r.f, &r.f.prims.list[i], 0, u, v, p);
			CHECK(eval_var(&r.f, &r.f.prims.list[i], REYES_I_VAR_S, u, v, &a) &&
					eval_var(&r.f, &r.f.prims.list[i], REYES_I_VAR_T, u, v, &b),
				"no st");
			/* At 1/2 the bicubic polynomial interpolates. */
			CHECK(fabs(a - p[0]) < (k % 5 == 2 || k / 5 == 2 ? 1e-2 : 2e-6) &&
					fabs(b - p[1]) < (k % 5 == 2 || k / 5 == 2 ? 1e-2 : 2e-6),
				"face %zu at %g %g: %g %g, not %g %g", i, u, v, a, b, p[0], p[1]);
			CHECK(eval_var(&r.f, &r.f.prims.list[i], REYES_I_VAR_CS, u, v, p) &&
					p[0] == (double)(3 * i),
				"uniform");
		}
	lowered_free(&r);
	case_shape(&c, &s);
	shape_var(&s, 0, "t", REYES_I_CLASS_FACEVARYING, 1, t, 64);
	lowered_init(&r);
	lower(&r, &s);
	for (i = 0; i < 16; i++) {
		static const int order[4] = { 0, 1, 3, 2 };

		for (k = 0; k < 4; k++) {
			double a;

			CHECK(eval_var(&r.f, &r.f.prims.list[i], REYES_I_VAR_T, (double)(k & 1),
				      (double)(k >> 1), &a) &&
					a == (double)(4 * i + (size_t)order[k]),
				"corner %zu of face %zu", k, i);
		}
	}
	lowered_free(&r);
}

static void faces_that_are_no_quadrilaterals_have_mean_values_in_their_middle(void)
{
	static const float t[5] = { 0, 3, 6, 9, 12 };
	mesh_case c;
	test_shape s;
	lowered r;
	double a;

	memset(&c, 0, sizeof(c));
	add_pyramid(&c, 4);
	case_shape(&c, &s);
	shape_var(&s, 0, "t", REYES_I_CLASS_VARYING, 1, t, 5);
	lowered_init(&r);
	lower(&r, &s);
	CHECK(r.f.prims.count == 13, "%zu", r.f.prims.count);
	/* The first face is 0 1 4. */
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[1], REYES_I_VAR_T, 0, 0, &a) && a == 3);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[1], REYES_I_VAR_T, 1, 0, &a) && a == 7.5);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[1], REYES_I_VAR_T, 0, 1, &a) && a == 1.5);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[1], REYES_I_VAR_T, 1, 1, &a) && a == 5);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[12], REYES_I_VAR_T, 0, 0, &a) && a == 9);
	lowered_free(&r);
}

static void the_bilinear_scheme_keeps_the_faces(void)
{
	mesh_case c;
	test_shape s;
	lowered r;
	double p[3];

	memset(&c, 0, sizeof(c));
	add_pyramid(&c, 4);
	case_shape(&c, &s);
	s.s.loop_scheme = REYES_I_SCHEME_BILINEAR;
	lowered_init(&r);
	lower(&r, &s);
	CHECK(r.f.prims.count == 13 && r.f.prims.list[0].kind == REYES_I_BILINEAR, "%s", r.text);
	eval_prim(&r.f, &r.f.prims.list[2], 0, 0, 0, p);
	CU_ASSERT(p[0] == 0 && p[1] == 0 && p[2] == 1.5);
	eval_prim(&r.f, &r.f.prims.list[2], 0, 1, 1, p);
	CU_ASSERT_DOUBLE_EQUAL(p[2], 0.5, 1e-6);
	lowered_free(&r);
}

static void a_large_regular_mesh_is_linear_in_its_size(void)
{
	enum { SIDE = 300 };
	int32_t *ints = malloc(SIDE * SIDE * 5 * sizeof(*ints));
	float *p = malloc(SIDE * SIDE * 3 * sizeof(*p));
	size_t i, n = SIDE * SIDE;
	test_shape t;
	lowered r;

	for (i = 0; i < n; i++) {
		size_t x = i % SIDE, y = i / SIDE, right = y * SIDE + (x + 1) % SIDE;
		size_t up = (y + 1) % SIDE;

		ints[i] = 4;
		ints[n + 4 * i] = (int32_t)i;
		ints[n + 4 * i + 1] = (int32_t)right;
		ints[n + 4 * i + 2] = (int32_t)(up * SIDE + (x + 1) % SIDE);
		ints[n + 4 * i + 3] = (int32_t)(up * SIDE + x);
	}
	fill_random(p, 3 * n);
	shape_init(&t, REYES_I_SHAPE_SUBDIVISION, "SubdivisionMesh");
	shape_ints(&t, ints, 5 * n);
	t.s.counts[0] = n;
	t.s.counts[1] = 4 * n;
	shape_points(&t, p, n);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.status == REYES_OK && r.f.prims.count == n, "%s", r.text);
	for (i = 0; i < n; i++)
		CHECK(r.f.prims.list[i].stride == 48, "a torus is regular");
	CHECK(r.f.words.count == 1, "%zu words", r.f.words.count);
	lowered_free(&r);
	free(ints);
	free(p);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "closed meshes agree with the refinement of the whole mesh",
			closed_meshes_agree_with_the_refinement_of_the_whole_mesh },
		{ "approximated patches are close to the limit surface",
			approximated_patches_are_close_to_the_limit_surface },
		{ "boundaries are dropped, or interpolated with and without corners",
			boundaries_are_dropped_or_interpolated_with_and_without_corners },
		{ "creases and corners of any sharpness agree with the refinement",
			creases_and_corners_of_any_sharpness_agree_with_the_refinement },
		{ "a crease across a net needs no refinement",
			a_crease_across_a_net_needs_no_refinement },
		{ "holes shape their neighbours and are not drawn",
			holes_shape_their_neighbours_and_are_not_drawn },
		{ "edges of three faces become creases", edges_of_three_faces_become_creases },
		{ "neighbouring faces meet in the same points",
			neighbouring_faces_meet_in_the_same_points },
		{ "variables follow the vertices and corners of faces",
			variables_follow_the_vertices_and_corners_of_faces },
		{ "faces that are no quadrilaterals have mean values in their middle",
			faces_that_are_no_quadrilaterals_have_mean_values_in_their_middle },
		{ "the bilinear scheme keeps the faces", the_bilinear_scheme_keeps_the_faces },
		{ "a large regular mesh is linear in its size",
			a_large_regular_mesh_is_linear_in_its_size },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("subdivision", tests);
}
