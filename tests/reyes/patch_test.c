/* Conversion of patches, patch meshes and NuPatch to Bezier patches, against the direct evaluation
 * of their definitions. */
#include "tests/reyes/lower_setup.h"

#define MOST 16

static const float catmull_rom[4][4] = { { -0.5f, 1.5f, -1.5f, 0.5f }, { 1, -2.5f, 2, -0.5f },
	{ -0.5f, 0, 0.5f, 0 }, { 0, 1, 0, 0 } };
static const float hermite[4][4] = { { 2, 1, -2, 1 }, { -3, -2, 3, -1 }, { 0, 1, 0, 0 },
	{ 1, 0, 0, 0 } };
static const float power[4][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } };

static const struct basis_case {
	const char *name;
	const float (*m)[4];
	uint32_t step;
	double tolerance;
} bases[] = {
	{ "bezier", bezier, 3, 1e-6 },
	{ "b-spline", b_spline, 1, 1e-6 },
	{ "catmull-rom", catmull_rom, 1, 1e-6 },
	{ "hermite", hermite, 2, 1e-6 },
	{ "power", power, 4, 2e-6 },
};

/* The weights of the four control points: (u3 u2 u 1) B. */
static void direct_weights(const float m[4][4], double u, double w[4])
{
	int a;

	for (a = 0; a < 4; a++)
		w[a] = ((m[0][a] * u + m[1][a]) * u + m[2][a]) * u + m[3][a];
}

/* Writes the point of patch (i, j) of a mesh by the definition of RI 3.2, section 5.1. */
static void direct_point(const struct basis_case *b, const float *net, size_t nu, size_t nv,
	size_t i, size_t j, double u, double v, size_t components, double *out)
{
	double wu[4], wv[4];
	size_t x, y, k;

	direct_weights(b->m, u, wu);
	direct_weights(b->m, v, wv);
	for (k = 0; k < components; k++)
		out[k] = 0;
	for (y = 0; y < 4; y++)
		for (x = 0; x < 4; x++) {
			size_t at = (j * b->step + y) % nv * nu + (i * b->step + x) % nu;

			for (k = 0; k < components; k++)
				out[k] += wu[x] * wv[y] * net[at * components + k];
		}
}

/* To camera space. Vectors among the control points do not move with it. */
static const double translation[3] = { 0.5, -0.75, 1 };

static void check_mesh(const struct basis_case *b, size_t nu, size_t nv, int wrap)
{
	float net[MOST * MOST * 3], cs[MOST * MOST * 3];
	size_t across = wrap ? nu / b->step : (nu - 4) / b->step + 1;
	size_t along = wrap ? nv / b->step : (nv - 4) / b->step + 1, i, j, k, n;
	test_shape t;
	lowered r;

	fill_random(net, nu * nv * 3);
	fill_random(cs, nu * nv * 3);
	shape_init(&t, REYES_I_SHAPE_PATCH_MESH, "PatchMesh");
	shape_basis(&t, b->m, b->step);
	t.s.counts[0] = nu;
	t.s.counts[1] = nv;
	t.s.u_periodic = t.s.v_periodic = wrap != 0;
	shape_points(&t, net, nu * nv);
	shape_var(&t, 0, "Cs", REYES_I_CLASS_VERTEX, 3, cs, nu * nv * 3);
	lowered_init(&r);
	memcpy(&r.motion.matrix[0][12], translation, sizeof(translation));
	lower(&r, &t);
	CHECK(r.status == REYES_OK && !r.errors, "%s: %s", b->name, r.text);
	CHECK(r.f.prims.count == across * along, "%s: %zu patches", b->name, r.f.prims.count);
	for (j = 0; j < along; j++)
		for (i = 0; i < across; i++) {
			const reyes_i_prim *p = &r.f.prims.list[j * across + i];

			CHECK(p->kind == REYES_I_BICUBIC && p->key_count == 1, "%s", b->name);
			CHECK(fabs(p->u_range[0] - (double)i / (double)across) < 1e-6 &&
					fabs(p->v_range[1] - (double)(j + 1) / (double)along) <
						1e-6,
				"ranges");
			for (k = 0; k < 8; k++) {
				double u = random_unit(), v = random_unit(), a[3], c[3];

				eval_prim(&r.f, p, 0, u, v, a);
				direct_point(b, net, nu, nv, i, j, u, v, 3, c);
				for (n = 0; n < 3; n++)
					c[n] += translation[n];
				CHECK(distance(a, c) < b->tolerance, "%s: %g", b->name,
					distance(a, c));
				CHECK(eval_var(&r.f, p, REYES_I_VAR_CS, u, v, a), "no Cs");
				direct_point(b, cs, nu, nv, i, j, u, v, 3, c);
				CHECK(distance(a, c) < b->tolerance, "%s: Cs", b->name);
			}
		}
	lowered_free(&r);
}

static void bicubic_meshes_of_any_basis_and_wrap_are_the_surfaces_of_the_definition(void)
{
	size_t b;

	for (b = 0; b < sizeof(bases) / sizeof(bases[0]); b++) {
		uint32_t step = bases[b].step;

		check_mesh(&bases[b], 4, 4, 0);
		check_mesh(&bases[b], 4 + 2 * step, 4 + step, 0);
		check_mesh(&bases[b], 3 * step, 2 * step < 4 ? 4 * step : 2 * step, 1);
	}
}

/* Returns whether an edge of patch a has the bits of the opposite edge of patch b. */
static int same_edge(const reyes_i_frame *f, const reyes_i_prim *a, const reyes_i_prim *b, int in_u)
{
	const float *p = f->floats.list + a->data, *q = f->floats.list + b->data;
	int i;

	for (i = 0; i < 4; i++) {
		const float *x = p + 3 * (in_u ? 4 * i + 3 : 12 + i);
		const float *y = q + 3 * (in_u ? 4 * i : i);

		if (memcmp(x, y, 3 * sizeof(*x)) != 0)
			return 0;
	}
	return 1;
}

static void neighbouring_patches_have_the_same_bits_on_their_common_edge(void)
{
	static float net[MOST * MOST * 3];
	size_t i, j, b;

	for (b = 0; b < 4; b++) {
		size_t n = bases[b].step * 4, side = 4;
		test_shape t;
		lowered r;

		fill_random(net, n * n * 3);
		shape_init(&t, REYES_I_SHAPE_PATCH_MESH, "PatchMesh");
		shape_basis(&t, bases[b].m, bases[b].step);
		t.s.counts[0] = t.s.counts[1] = n;
		t.s.u_periodic = t.s.v_periodic = 1;
		shape_points(&t, net, n * n);
		lowered_init(&r);
		r.motion.matrix[0][12] = 0.3;
		r.motion.matrix[0][1] = 1.0 / 7;
		lower(&r, &t);
		CHECK(r.f.prims.count == side * side, "%zu", r.f.prims.count);
		for (j = 0; j < side; j++)
			for (i = 0; i < side; i++) {
				const reyes_i_prim *p = r.f.prims.list;

				CHECK(same_edge(&r.f, &p[j * side + i],
					      &p[j * side + (i + 1) % side], 1),
					"%s u %zu %zu", bases[b].name, i, j);
				CHECK(same_edge(&r.f, &p[j * side + i],
					      &p[(j + 1) % side * side + i], 0),
					"%s v %zu %zu", bases[b].name, i, j);
			}
		lowered_free(&r);
	}
}

static void bilinear_meshes_have_the_points_of_their_corners(void)
{
	static const float net[3 * 2 * 3] = { 0, 0, 0, 1, 0, 0, 2, 0, 1, 0, 1, 0, 1, 1, 0, 2, 1,
		2 };
	static const float uniform[2] = { 5, 6 }, varying[6] = { 0, 1, 2, 3, 4, 5 };
	test_shape t;
	lowered r;
	double p[3];

	shape_init(&t, REYES_I_SHAPE_PATCH_MESH, "PatchMesh");
	t.s.counts[0] = 3;
	t.s.counts[1] = 2;
	shape_points(&t, net, 6);
	shape_var(&t, 0, "s", REYES_I_CLASS_UNIFORM, 1, uniform, 2);
	shape_var(&t, 0, "t", REYES_I_CLASS_VARYING, 1, varying, 6);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.f.prims.count == 2 && r.f.prims.list[1].kind == REYES_I_BILINEAR, "%s", r.text);
	CHECK(r.f.prims.list[0].surface == r.f.prims.list[1].surface, "one surface");
	CHECK(r.f.prims.list[0].attr == 7, "attributes");
	eval_prim(&r.f, &r.f.prims.list[1], 0, 1, 1, p);
	CU_ASSERT(p[0] == 2 && p[1] == 1 && p[2] == 2);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[1], REYES_I_VAR_S, 0.3, 0.4, p) && p[0] == 6);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[1], REYES_I_VAR_T, 0, 1, p) && p[0] == 4);
	lowered_free(&r);
}

/* The Cox-de Boor recursion. */
static double basis_function(const float *knots, size_t i, size_t order, double u)
{
	double sum = 0, d;

	if (order == 1)
		return u >= knots[i] && u < knots[i + 1] ? 1 : 0;
	d = (double)knots[i + order - 1] - knots[i];
	if (d > 0)
		sum += (u - knots[i]) / d * basis_function(knots, i, order - 1, u);
	d = (double)knots[i + order] - knots[i + 1];
	if (d > 0)
		sum += (knots[i + order] - u) / d * basis_function(knots, i + 1, order - 1, u);
	return sum;
}

typedef struct spline {
	size_t n, order;
	float knots[2 * MOST + 16], min, max;
} spline;

/* Makes random knots, some of them multiple. */
static void random_spline(spline *s, size_t order, size_t more)
{
	size_t i;

	s->order = order;
	s->n = order + more;
	s->knots[0] = 0;
	for (i = 1; i < s->n + order; i++)
		s->knots[i] = s->knots[i - 1] +
			      (rng_below(3) == 0 && i != order ? 0 : (float)(0.1 + random_unit()));
	s->min = s->knots[order - 1];
	s->max = s->knots[s->n];
	if (rng_below(2)) {
		float length = s->max - s->min;

		s->min += 0.15f * length;
		s->max -= 0.2f * length;
	}
}

static void spline_point(
	const spline *su, const spline *sv, const float *pw, double u, double v, double out[3])
{
	double h[4] = { 0 };
	size_t i, j, k;

	for (j = 0; j < sv->n; j++)
		for (i = 0; i < su->n; i++) {
			double w = basis_function(su->knots, i, su->order, u) *
				   basis_function(sv->knots, j, sv->order, v);

			for (k = 0; k < 4; k++)
				h[k] += w * pw[4 * (j * su->n + i) + k];
		}
	for (k = 0; k < 3; k++)
		out[k] = h[k] / h[3];
}

static void check_spline(const spline *su, const spline *sv, int rational)
{
	static float pw[4 * 32 * 32], floats[4 * 64];
	size_t i, k, n = 0, points = su->n * sv->n;
	test_shape t;
	lowered r;

	fill_random(pw, 4 * points);
	for (i = 0; i < points; i++)
		pw[4 * i + 3] = rational ? 0.5f + (float)random_unit() : 1;
	for (i = 0; i < su->n + su->order; i++)
		floats[n++] = su->knots[i];
	for (i = 0; i < sv->n + sv->order; i++)
		floats[n++] = sv->knots[i];
	floats[n++] = su->min;
	floats[n++] = su->max;
	floats[n++] = sv->min;
	floats[n++] = sv->max;
	shape_init(&t, REYES_I_SHAPE_NU_PATCH, "NuPatch");
	t.s.counts[0] = su->n;
	t.s.counts[1] = su->order;
	t.s.counts[2] = sv->n;
	t.s.counts[3] = sv->order;
	t.s.floats = floats;
	t.s.float_count = n;
	shape_var(&t, 0, "Pw", REYES_I_CLASS_VERTEX, 4, pw, 4 * points);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.status == REYES_OK && !r.errors && r.f.prims.count, "%s", r.text);
	for (i = 0; i < r.f.prims.count; i++) {
		const reyes_i_prim *p = &r.f.prims.list[i];

		CHECK(p->kind == (!rational && su->order <= 4 && sv->order <= 4 ? REYES_I_BICUBIC
										: REYES_I_RATIONAL),
			"kind %d", p->kind);
		for (k = 0; k < 6; k++) {
			double u = random_unit(), v = random_unit(), a[3], b[3];
			double gu = p->u_range[0] + u * ((double)p->u_range[1] - p->u_range[0]);
			double gv = p->v_range[0] + v * ((double)p->v_range[1] - p->v_range[0]);

			eval_prim(&r.f, p, 0, u, v, a);
			spline_point(su, sv, pw, su->min + gu * ((double)su->max - su->min),
				sv->min + gv * ((double)sv->max - sv->min), b);
			CHECK(distance(a, b) < 5e-5, "orders %zu %zu: %g", su->order, sv->order,
				distance(a, b));
		}
	}
	lowered_free(&r);
}

static void nurbs_agree_with_the_cox_de_boor_recursion(void)
{
	size_t order;
	int rational;
	spline u, v;

	for (order = 2; order <= 8; order++)
		for (rational = 0; rational < 2; rational++) {
			random_spline(&u, order, 1 + order % 5);
			random_spline(&v, 2 + (order + 1) % 4, 3);
			check_spline(&u, &v, rational);
		}
	random_spline(&u, 16, 2);
	random_spline(&v, 2, 0);
	check_spline(&u, &v, 1);
}

static void a_nurbs_circle_is_round_and_its_variables_follow_the_trimmed_domain(void)
{
	static const float h = 0.70710678f;
	static const float floats[] = { 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 0, 0, 1, 1, 0.5f, 4, 0,
		1 };
	static const float circle[9][3] = { { 1, 0, 1 }, { 1, 1, 0 }, { 0, 1, 1 }, { -1, 1, 0 },
		{ -1, 0, 1 }, { -1, -1, 0 }, { 0, -1, 1 }, { 1, -1, 0 }, { 1, 0, 1 } };
	float pw[2 * 9 * 4], s[2 * 8];
	double p[3];
	size_t i, k;
	test_shape t;
	lowered r;

	for (i = 0; i < 18; i++) {
		float w = circle[i % 9][2] != 0 ? 1 : h;

		pw[4 * i] = circle[i % 9][0] * w;
		pw[4 * i + 1] = circle[i % 9][1] * w;
		pw[4 * i + 2] = (float)(i / 9) * w;
		pw[4 * i + 3] = w;
	}
	for (i = 0; i < 16; i++)
		s[i] = (float)(i % 8);
	shape_init(&t, REYES_I_SHAPE_NU_PATCH, "NuPatch");
	t.s.counts[0] = 9;
	t.s.counts[1] = 3;
	t.s.counts[2] = t.s.counts[3] = 2;
	t.s.floats = (float *)floats;
	t.s.float_count = sizeof(floats) / sizeof(floats[0]);
	shape_var(&t, 0, "Pw", REYES_I_CLASS_VERTEX, 4, pw, 72);
	/* Seven spans, three of them empty: eight columns of two values. */
	shape_var(&t, 0, "s", REYES_I_CLASS_VARYING, 1, s, 16);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.f.prims.count == 4 && !r.errors, "%zu patches: %s", r.f.prims.count, r.text);
	for (i = 0; i < 4; i++)
		for (k = 0; k < 20; k++) {
			eval_prim(&r.f, &r.f.prims.list[i], 0, random_unit(), random_unit(), p);
			CHECK(fabs(hypot(p[0], p[1]) - 1) < 1e-6, "radius %g", hypot(p[0], p[1]));
		}
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[0], REYES_I_VAR_S, 0, 0, p) && p[0] == 0.5);
	CU_ASSERT(eval_var(&r.f, &r.f.prims.list[1], REYES_I_VAR_S, 0, 1, p) && p[0] == 2);
	lowered_free(&r);
}

static void a_rational_patch_keeps_its_weights(void)
{
	float pw[16 * 4];
	double wu[4], wv[4], h[4], p[3];
	int i, k;
	test_shape t;
	lowered r;

	fill_random(pw, 64);
	for (i = 0; i < 16; i++)
		pw[4 * i + 3] = 1 + (float)i / 8;
	shape_init(&t, REYES_I_SHAPE_PATCH_MESH, "Patch");
	shape_basis(&t, bezier, 3);
	t.s.counts[0] = t.s.counts[1] = 4;
	shape_var(&t, 0, "Pw", REYES_I_CLASS_VERTEX, 4, pw, 64);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.f.prims.count == 1 && r.f.prims.list[0].kind == REYES_I_RATIONAL, "%s", r.text);
	direct_weights(bezier, 0.3, wu);
	direct_weights(bezier, 0.8, wv);
	memset(h, 0, sizeof(h));
	for (i = 0; i < 16; i++)
		for (k = 0; k < 4; k++)
			h[k] += wu[i % 4] * wv[i / 4] * pw[4 * i + k];
	eval_prim(&r.f, &r.f.prims.list[0], 0, 0.3, 0.8, p);
	for (k = 0; k < 3; k++)
		CU_ASSERT_DOUBLE_EQUAL(p[k], h[k] / h[3], 1e-6);
	lowered_free(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "bicubic meshes of any basis and wrap are the surfaces of the definition",
			bicubic_meshes_of_any_basis_and_wrap_are_the_surfaces_of_the_definition },
		{ "neighbouring patches have the same bits on their common edge",
			neighbouring_patches_have_the_same_bits_on_their_common_edge },
		{ "bilinear meshes have the points of their corners",
			bilinear_meshes_have_the_points_of_their_corners },
		{ "NURBS agree with the Cox-de Boor recursion",
			nurbs_agree_with_the_cox_de_boor_recursion },
		{ "a NURBS circle is round, and its variables follow the trimmed domain",
			a_nurbs_circle_is_round_and_its_variables_follow_the_trimmed_domain },
		{ "a rational patch keeps its weights", a_rational_patch_keeps_its_weights },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("patches", tests);
}
