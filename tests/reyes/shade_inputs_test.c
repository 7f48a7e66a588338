/* What surrounds the shaders: primitive variables, imagers, and scalar functions. */
#include <string.h>
#include "reyes/shade/imager.h"
#include "reyes/shade/vars.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/reyes/shade_scene.h"

/* One primitive over the whole (u, v) of its request, without variables. */
static reyes_i_frame one_prim(void)
{
	reyes_i_frame f;
	reyes_i_prim *p;

	memset(&f, 0, sizeof(f));
	shade_add_attr(&f, REYES_I_NONE, NULL, 0);
	p = reyes_i_add(&f, prims, 1, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	p->u_range[1] = p->v_range[1] = 1.0f;
	return f;
}

/* Adds a variable with random values to the primitive; returns its values. */
static const float *add_var(reyes_i_frame *f, uint8_t name, uint8_t form)
{
	static const uint32_t counts[] = { 1, 4, 16 };
	uint32_t first;
	const uint8_t components = name == REYES_I_VAR_S || name == REYES_I_VAR_T ? 1 : 3;
	float *values = reyes_i_add(f, floats, components * counts[form], &first);
	reyes_i_var *var = reyes_i_add(f, vars, 1, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(values);
	CU_ASSERT_PTR_NOT_NULL_FATAL(var);
	for (uint32_t i = 0; i < components * counts[form]; i++)
		values[i] = shade_random(-1.0f, 1.0f);
	var->name = name;
	var->form = form;
	var->components = components;
	var->data = first;
	f->prims.list[0].var_count++;
	return values;
}

static reyes_i_point eval(const reyes_i_frame *f, float u, float v)
{
	const reyes_i_view view = reyes_i_view_of(f);
	reyes_i_point at;

	memset(&at, 0, sizeof(at));
	at.n[2] = -1.0f;
	reyes_i_vars_eval(&view, &f->prims.list[0], u, v, &at);
	return at;
}

/* A member of the point by the name of its variable. */
static const float *member(const reyes_i_point *at, uint32_t name)
{
	switch (name) {
	case REYES_I_VAR_CS:
		return at->cs;
	case REYES_I_VAR_OS:
		return at->os;
	case REYES_I_VAR_S:
		return &at->s;
	case REYES_I_VAR_T:
		return &at->t;
	default:
		return at->n;
	}
}

static void missing_variables_come_from_the_attributes(void)
{
	reyes_i_frame f = one_prim();
	const reyes_i_attr *a = f.attrs.list;
	reyes_i_point at = eval(&f, 0.25f, 0.75f);
	double s, t;

	for (int k = 0; k < 3; k++) {
		CU_ASSERT_EQUAL(at.cs[k], a->color[k]);
		CU_ASSERT_EQUAL(at.os[k], a->opacity[k]);
	}
	CU_ASSERT_EQUAL(at.n[2], -1.0f);
	CU_ASSERT_EQUAL(at.u, 0.25f);
	CU_ASSERT_EQUAL(at.v, 0.75f);
	/* TextureCoordinates s1 t1 .. s4 t4 at u v = 00, 10, 01, 11 */
	for (uint32_t corner = 0; corner < 4; corner++) {
		at = eval(&f, (float)(corner & 1), (float)(corner >> 1));
		CU_ASSERT_EQUAL(at.s, a->tex_coords[2 * corner]);
		CU_ASSERT_EQUAL(at.t, a->tex_coords[2 * corner + 1]);
	}
	/* a primitive that is a part of its request: u 0.25 .. 0.5, v 1 .. 0.5 */
	f.prims.list[0].u_range[0] = 0.25f;
	f.prims.list[0].u_range[1] = 0.5f;
	f.prims.list[0].v_range[0] = 1.0f;
	f.prims.list[0].v_range[1] = 0.5f;
	at = eval(&f, 0.2f, 0.6f); /* u 0.3, v 0.7 */
	s = a->tex_coords[0] * 0.7 * 0.3 + a->tex_coords[2] * 0.3 * 0.3 +
	    a->tex_coords[4] * 0.7 * 0.7 + a->tex_coords[6] * 0.3 * 0.7;
	t = a->tex_coords[1] * 0.7 * 0.3 + a->tex_coords[3] * 0.3 * 0.3 +
	    a->tex_coords[5] * 0.7 * 0.7 + a->tex_coords[7] * 0.3 * 0.7;
	CU_ASSERT_DOUBLE_EQUAL(at.s, s, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(at.t, t, 1e-6);
	CU_ASSERT_EQUAL(at.u, 0.2f);
	reyes_i_frame_free(&f);
}

/* De Casteljau's construction in double precision. */
static double casteljau(const double *p, double f)
{
	double q[4];

	memcpy(q, p, sizeof(q));
	for (int n = 3; n; n--)
		for (int i = 0; i < n; i++)
			q[i] += (q[i + 1] - q[i]) * f;
	return q[0];
}

static double value_of(
	const float *values, uint32_t form, uint32_t components, uint32_t k, double u, double v)
{
	double rows[4], row[4];

	if (form == REYES_I_FORM_CONSTANT)
		return values[k];
	if (form == REYES_I_FORM_BILINEAR)
		return values[k] * (1 - u) * (1 - v) + values[components + k] * u * (1 - v) +
		       values[2 * components + k] * (1 - u) * v +
		       values[3 * components + k] * u * v;
	for (uint32_t j = 0; j < 4; j++) {
		for (uint32_t i = 0; i < 4; i++)
			row[i] = values[(4 * j + i) * components + k];
		rows[j] = casteljau(row, u);
	}
	return casteljau(rows, v);
}

static void variables_are_evaluated_by_their_form(void)
{
	for (uint32_t n = 0; n < 15 * 40; n++) {
		const uint32_t name = n % 5, form = n / 5 % 3;
		const uint32_t components = name == REYES_I_VAR_S || name == REYES_I_VAR_T ? 1 : 3;
		reyes_i_frame f = one_prim();
		const float u = shade_random(0.0f, 1.0f), v = shade_random(0.0f, 1.0f);
		const float *values = add_var(&f, (uint8_t)name, (uint8_t)form);
		reyes_i_point at = eval(&f, u, v);
		double right[3], square = 0.0;

		for (uint32_t k = 0; k < components; k++) {
			right[k] = value_of(values, form, components, k, u, v);
			square += right[k] * right[k];
		}
		for (uint32_t k = 0; k < components; k++) {
			/* a normal has the length 1 */
			if (name == REYES_I_VAR_N)
				right[k] /= sqrt(square);
			CHECK(fabs(member(&at, name)[k] - right[k]) <
					(name == REYES_I_VAR_N ? 1e-6 / sqrt(square) : 1e-6),
				"name %u, form %u: %g instead of %g", (unsigned)name,
				(unsigned)form, (double)member(&at, name)[k], right[k]);
		}
		reyes_i_frame_free(&f);
	}
}

static void several_variables_are_independent(void)
{
	reyes_i_frame f = one_prim();
	reyes_i_point at;

	for (uint32_t name = 0; name < REYES_I_VAR_NAMES; name++)
		add_var(&f, (uint8_t)name, REYES_I_FORM_CONSTANT);
	at = eval(&f, 0.5f, 0.5f);
	for (uint32_t name = 0; name < REYES_I_VAR_N; name++)
		CU_ASSERT_EQUAL(*member(&at, name), f.floats.list[f.vars.list[name].data]);
	reyes_i_frame_free(&f);
}

static void a_normal_of_length_zero_leaves_the_normal_of_the_surface(void)
{
	reyes_i_frame f = one_prim();
	reyes_i_point at;

	add_var(&f, REYES_I_VAR_N, REYES_I_FORM_CONSTANT);
	memset(f.floats.list, 0, 3 * sizeof(float));
	at = eval(&f, 0.5f, 0.5f);
	CU_ASSERT_EQUAL(at.n[0], 0.0f);
	CU_ASSERT_EQUAL(at.n[2], -1.0f);
	f.floats.list[1] = NAN;
	at = eval(&f, 0.5f, 0.5f);
	CU_ASSERT_EQUAL(at.n[2], -1.0f);
	reyes_i_frame_free(&f);
}

static void imagers_composite_and_clamp(void)
{
	reyes_i_camera c;
	float pixel[4] = { 0.5f, -0.25f, 1.5f, 0.25f };

	memset(&c, 0, sizeof(c));
	reyes_i_imager(&c, pixel, pixel + 3);
	CU_ASSERT_EQUAL(pixel[0], 0.5f);
	CU_ASSERT_EQUAL(pixel[1], -0.25f);
	CU_ASSERT_EQUAL(pixel[3], 0.25f);
	c.has_background = 1;
	c.background[0] = 1.0f;
	c.background[2] = 0.5f;
	reyes_i_imager(&c, pixel, pixel + 3);
	CU_ASSERT_EQUAL(pixel[0], 1.25f);
	CU_ASSERT_EQUAL(pixel[1], -0.25f);
	CU_ASSERT_EQUAL(pixel[2], 1.875f);
	CU_ASSERT_EQUAL(pixel[3], 1.0f);
	/* an opaque pixel stays */
	reyes_i_imager(&c, pixel, pixel + 3);
	CU_ASSERT_EQUAL(pixel[0], 1.25f);
	c.has_background = 0;
	c.clamp_to_alpha = 1;
	pixel[3] = 0.75f;
	reyes_i_imager(&c, pixel, pixel + 3);
	CU_ASSERT_EQUAL(pixel[0], 0.75f);
	CU_ASSERT_EQUAL(pixel[1], 0.0f);
	CU_ASSERT_EQUAL(pixel[2], 0.75f);
	CU_ASSERT_EQUAL(pixel[3], 0.75f);
}

static void powers_and_logarithms_are_accurate(void)
{
	double worst_log = 0.0, worst_exp = 0.0, worst_pow = 0.0;

	for (uint32_t n = 0; n < 1000000; n++) {
		const float x = ldexpf(shade_random(0.5f, 1.0f), (int)(n % 250) - 124);
		const float near = shade_random(0.99f, 1.01f), e = shade_random(-120.0f, 120.0f);
		const float y = shade_random(0.0f, 100.0f), cosine = shade_random(0.5f, 1.0f);
		const double product = fabs(y * log2(cosine));

		if (near != 1.0f)
			worst_log = fmax(worst_log,
				fabs((double)reyes_i_log2(near) / log2((double)near) - 1.0));
		worst_log = fmax(worst_log, fabs((double)reyes_i_log2(x) - log2((double)x)) /
						    fmax(1.0, fabs(log2((double)x))));
		worst_exp = fmax(worst_exp, fabs((double)reyes_i_exp2(e) / exp2((double)e) - 1.0));
		/* the rounding of the product is a relative error of the result */
		worst_pow = fmax(
			worst_pow, fabs((double)reyes_i_pow(cosine, y) / pow(cosine, y) - 1.0) /
					   (1.0 + product));
	}
	CHECK(worst_log < 3e-7, "logarithm: %g", worst_log);
	CHECK(worst_exp < 2e-7, "exponential: %g", worst_exp);
	CHECK(worst_pow < 3e-7, "power: %g", worst_pow);
}

static void powers_have_exact_limits(void)
{
	CU_ASSERT_EQUAL(reyes_i_log2(1.0f), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_log2(0.25f), -2.0f);
	CU_ASSERT_EQUAL(reyes_i_log2(1024.0f), 10.0f);
	for (int i = -126; i < 128; i++)
		CU_ASSERT_EQUAL(reyes_i_exp2((float)i), ldexpf(1.0f, i));
	CU_ASSERT_EQUAL(reyes_i_exp2(-127.0f), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_exp2(-INFINITY), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_exp2(NAN), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_exp2(INFINITY), INFINITY);
	CU_ASSERT_EQUAL(reyes_i_exp2(128.0f), INFINITY);
	CU_ASSERT_TRUE(isfinite(reyes_i_exp2(127.99f)));
	CU_ASSERT_EQUAL(reyes_i_exp(0.0f), 1.0f);
	CU_ASSERT_DOUBLE_EQUAL(reyes_i_exp(1.0f), 2.718281828, 1e-6);
	CU_ASSERT_EQUAL(reyes_i_pow(1.0f, 1e5f), 1.0f);
	CU_ASSERT_EQUAL(reyes_i_pow(0.0f, 0.0f), 1.0f);
	CU_ASSERT_EQUAL(reyes_i_pow(0.0f, 2.0f), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_pow(0.0f, -2.0f), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_pow(0.5f, 1e30f), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_pow(NAN, 2.0f), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_smoothstep(1.0f, 2.0f, 1.0f), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_smoothstep(1.0f, 2.0f, 1.5f), 0.5f);
	CU_ASSERT_EQUAL(reyes_i_smoothstep(1.0f, 2.0f, 2.0f), 1.0f);
	CU_ASSERT_EQUAL(reyes_i_smoothstep(1.0f, 2.0f, -9.0f), 0.0f);
	CU_ASSERT_EQUAL(reyes_i_smoothstep(1.0f, 1.0f, 1.0f), 1.0f);
	CU_ASSERT_EQUAL(reyes_i_smoothstep(1.0f, 1.0f, 0.9f), 0.0f);
}

static void unit_vectors_have_length_one_or_zero(void)
{
	static const float odd[] = { 0.0f, 1e-30f, -1e-30f };

	for (uint32_t n = 0; n < 100000; n++) {
		const float size = ldexpf(1.0f, (int)(n % 120) - 60);
		const reyes_i_vec v =
			reyes_i_newton_unit3(reyes_i_vec_of(size * shade_random(-1.0f, 1.0f),
				size * shade_random(-1.0f, 1.0f), size * shade_random(0.1f, 1.0f)));

		CHECK(fabsf(reyes_i_dot3(v, v) - 1.0f) < 4e-7f, "size %g", (double)size);
	}
	for (uint32_t n = 0; n < 27; n++) {
		const reyes_i_vec v = reyes_i_newton_unit3(
			reyes_i_vec_of(odd[n % 3], odd[n / 3 % 3], odd[n / 9]));

		CU_ASSERT_EQUAL(reyes_i_dot3(v, v), 0.0f);
	}
}

static CU_TestInfo tests[] = { { "missing variables come from the attributes",
				       missing_variables_come_from_the_attributes },
	{ "variables are evaluated by their form", variables_are_evaluated_by_their_form },
	{ "several variables are independent", several_variables_are_independent },
	{ "a normal of length zero leaves the normal of the surface",
		a_normal_of_length_zero_leaves_the_normal_of_the_surface },
	{ "imagers composite and clamp", imagers_composite_and_clamp },
	{ "powers and logarithms are accurate", powers_and_logarithms_are_accurate },
	{ "powers have exact limits", powers_have_exact_limits },
	{ "unit vectors have length one or zero", unit_vectors_have_length_one_or_zero },
	CU_TEST_INFO_NULL };

int main(void)
{

	return test_run_one("input of shaders", tests);
}
