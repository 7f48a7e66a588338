/* Surfaces, lights and atmospheres where their values are known, and for degenerate input. */
#include <string.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/reyes/shade_scene.h"

static float shaded[6]; /* Ci, Oi of the last shade() */

static void shade(const reyes_i_frame *f, uint32_t attr, const reyes_i_point *at)
{
	const reyes_i_view view = reyes_i_view_of(f);

	reyes_i_shade(&view, &f->attrs.list[attr], at, shaded, shaded + 3);
}

/* matte, Ka 0, Kd 1, white, lit by a spot at the origin along z; the point at an angle to z. */
static float spot_at(reyes_i_frame *f, reyes_i_point *at, double angle)
{
	at->p[0] = (float)(2.0 * sin(angle));
	at->p[1] = 0.0f;
	at->p[2] = (float)(2.0 * cos(angle));
	for (int k = 0; k < 3; k++)
		at->n[k] = at->ng[k] = -at->p[k] / 2.0f;
	shade(f, 0, at);
	return shaded[0];
}

static void a_spot_light_fades_between_its_cones(void)
{
	reyes_i_point at;
	reyes_i_frame f = shade_one_light(REYES_I_SURFACE_MATTE, REYES_I_LIGHT_SPOT, &at);
	reyes_i_light *l = &f.lights.list[0];
	const double outer = 0.6, inner = 0.4, middle = acos((cos(outer) + cos(inner)) / 2.0);
	float before = 1.0f;

	l->axis[0] = l->axis[1] = 0.0f;
	l->axis[2] = 1.0f;
	l->cos_outer = (float)cos(outer);
	l->cos_inner = (float)cos(inner);
	l->beam = 0.0f;
	CU_ASSERT_DOUBLE_EQUAL(spot_at(&f, &at, 0.0), 0.25, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(spot_at(&f, &at, inner - 0.001), 0.25, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(spot_at(&f, &at, middle), 0.125, 1e-6);
	CU_ASSERT_TRUE(spot_at(&f, &at, outer - 0.02) > 0.0f);
	CU_ASSERT_EQUAL(spot_at(&f, &at, outer + 0.001), 0.0f);
	CU_ASSERT_EQUAL(spot_at(&f, &at, 3.0), 0.0f);
	for (int i = 0; i <= 70; i++) {
		const float now = spot_at(&f, &at, 0.01 * i);

		CHECK(now <= before + 1e-7f, "brighter at %g", 0.01 * i);
		before = now;
	}
	/* without a penumbra the edge is a step; the beam distribution is a power of the cosine */
	l->cos_inner = l->cos_outer;
	l->beam = 3.0f;
	CU_ASSERT_DOUBLE_EQUAL(spot_at(&f, &at, 0.599), 0.25 * pow(cos(0.599), 3.0), 1e-6);
	CU_ASSERT_EQUAL(spot_at(&f, &at, 0.601), 0.0f);
	/* a cone beyond the half space: no negative base of the power */
	l->cos_inner = l->cos_outer = -0.9f;
	l->beam = 0.5f;
	CU_ASSERT_EQUAL(spot_at(&f, &at, 2.0), 0.0f);
	reyes_i_frame_free(&f);
}

static void a_point_light_falls_off_with_the_square_of_the_distance(void)
{
	reyes_i_point at;
	reyes_i_frame f = shade_one_light(REYES_I_SURFACE_MATTE, REYES_I_LIGHT_POINT, &at);

	for (int i = -10; i <= 10; i++) {
		const double d = pow(2.0, i);

		at.p[2] = (float)d;
		shade(&f, 0, &at);
		CHECK(fabs(shaded[0] * d * d - 1.0) < 1e-6, "at distance %g: %g", d,
			(double)shaded[0]);
	}
	reyes_i_frame_free(&f);
}

static void a_light_behind_the_surface_gives_nothing(void)
{
	static const uint32_t kinds[] = { REYES_I_LIGHT_DISTANT, REYES_I_LIGHT_POINT,
		REYES_I_LIGHT_SPOT };

	for (uint32_t i = 0; i < 3; i++) {
		reyes_i_point at;
		reyes_i_frame f = shade_one_light(REYES_I_SURFACE_PLASTIC, kinds[i], &at);
		reyes_i_light *l = &f.lights.list[0];

		l->from[2] = 9.0f;
		l->axis[0] = l->axis[1] = l->to_light[0] = l->to_light[1] = 0.0f;
		l->axis[2] = -1.0f;
		l->to_light[2] = 1.0f;
		shade(&f, 0, &at);
		CU_ASSERT_EQUAL(shaded[0], 0.0f);
		/* in the tangent plane */
		l->to_light[0] = 1.0f;
		l->to_light[2] = 0.0f;
		l->from[0] = 4.0f;
		l->from[2] = 5.0f;
		l->axis[0] = -1.0f;
		l->axis[2] = 0.0f;
		shade(&f, 0, &at);
		CU_ASSERT_EQUAL(shaded[0], 0.0f);
		/* and in front of it, it does */
		l->to_light[0] = l->axis[0] = l->from[0] = 0.0f;
		l->to_light[2] = -1.0f;
		l->from[2] = 1.0f;
		l->axis[2] = 1.0f;
		shade(&f, 0, &at);
		CU_ASSERT_TRUE(shaded[0] > 0.01f);
		reyes_i_frame_free(&f);
	}
}

static void atmospheres_have_exact_end_points(void)
{
	reyes_i_point at;
	reyes_i_frame f = shade_one_light(REYES_I_SURFACE_CONSTANT, REYES_I_LIGHT_AMBIENT, &at);
	const uint32_t number = shade_add_shader(&f, REYES_I_ATMOSPHERE_DEPTHCUE);
	reyes_i_shader *s = &f.shaders.list[number];

	f.attrs.list[0].atmosphere = number;
	at.os[0] = 0.5f;
	s->p[0] = 0.25f; /* z = 3.5 */
	s->p[1] = 0.75f; /* z = 8.5 */
	s->p[2] = 0.125f;
	at.p[2] = 3.5f;
	shade(&f, 0, &at);
	CU_ASSERT_EQUAL(shaded[0], 0.5f);
	CU_ASSERT_EQUAL(shaded[3], 0.5f);
	at.p[2] = 8.5f;
	shade(&f, 0, &at);
	CU_ASSERT_EQUAL(shaded[0], 0.125f);
	CU_ASSERT_EQUAL(shaded[3], 1.0f);
	at.p[2] = 6.0f;
	shade(&f, 0, &at);
	CU_ASSERT_DOUBLE_EQUAL(shaded[0], 0.3125, 1e-6);
	at.p[2] = 1e30f;
	shade(&f, 0, &at);
	CU_ASSERT_EQUAL(shaded[0], 0.125f);
	/* an empty interval is a step */
	s->p[0] = s->p[1] = 0.5f;
	at.p[2] = 6.1f;
	shade(&f, 0, &at);
	CU_ASSERT_EQUAL(shaded[0], 0.125f);
	at.p[2] = 5.9f;
	shade(&f, 0, &at);
	CU_ASSERT_EQUAL(shaded[0], 0.5f);
	s->p[1] = 0.75f;
	/* yon without limit: all is at depth 0 */
	f.camera.yon = 1e38f;
	at.p[2] = 100.0f;
	s->p[0] = 0.0f;
	shade(&f, 0, &at);
	CU_ASSERT_DOUBLE_EQUAL(shaded[0], 0.5, 1e-6);
	f.camera.yon = (float)INFINITY;
	shade(&f, 0, &at);
	CU_ASSERT_EQUAL(shaded[0], 0.5f);
	s->kind = REYES_I_ATMOSPHERE_FOG;
	s->p[0] = 2.0f;
	s->p[1] = 0.125f;
	at.p[2] = 0.0f;
	shade(&f, 0, &at);
	CU_ASSERT_EQUAL(shaded[0], 0.5f);
	at.p[2] = 2.0f;
	shade(&f, 0, &at);
	CU_ASSERT_DOUBLE_EQUAL(shaded[0], 0.5 / 2.718281828459 + 0.125 * 0.632120558829, 1e-6);
	for (at.p[2] = 1e6f; at.p[2] < 1e37f; at.p[2] *= 1e8f) {
		shade(&f, 0, &at);
		CU_ASSERT_EQUAL(shaded[0], 0.125f);
		CU_ASSERT_EQUAL(shaded[3], 1.0f);
	}
	reyes_i_frame_free(&f);
}

/* N H is the cosine of half the angle between the light and the eye, in the direction of N. */
static void the_highlight_falls_off_with_eight_over_the_roughness(void)
{
	reyes_i_point at;
	reyes_i_frame f = shade_one_light(REYES_I_SURFACE_METAL, REYES_I_LIGHT_DISTANT, &at);
	float *to_light = f.lights.list[0].to_light;

	for (int i = 0; i < 30; i++) {
		const double angle = 0.05 * i, cosine = cos(angle / 2.0);

		to_light[0] = (float)sin(angle);
		to_light[1] = 0.0f;
		to_light[2] = (float)-cos(angle);
		f.shaders.list[0].p[2] = 0.5f;
		shade(&f, 0, &at);
		CHECK(fabs(shaded[0] - pow(cosine, 16.0)) < 5e-6, "angle %g: %g", angle,
			(double)shaded[0]);
	}
	reyes_i_frame_free(&f);
}

/* In the mirror direction the value of specular() is the light's color for each roughness. */
static void roughness_without_a_meaning_is_a_small_one(void)
{
	static const float roughness[] = { 0.5f, 0.1f, 1e-7f, 0.0f, -1.0f };
	reyes_i_point at;
	reyes_i_frame f = shade_one_light(REYES_I_SURFACE_METAL, REYES_I_LIGHT_DISTANT, &at);
	float *to_light = f.lights.list[0].to_light;

	to_light[1] = 0.0f;
	for (uint32_t i = 0; i < 5; i++) {
		to_light[0] = 0.0f;
		to_light[2] = -1.0f;
		f.shaders.list[0].p[2] = roughness[i];
		shade(&f, 0, &at);
		CHECK(shaded[0] == 1.0f, "roughness %g: %g", (double)roughness[i],
			(double)shaded[0]);
		to_light[0] = 0.6f;
		to_light[2] = -0.8f;
		shade(&f, 0, &at);
		CHECK(shaded[0] < (i < 2 ? 1.0f : 1e-9f), "roughness %g: %g", (double)roughness[i],
			(double)shaded[0]);
	}
	reyes_i_frame_free(&f);
}

static int all_finite(void)
{
	for (int k = 0; k < 6; k++)
		if (!isfinite(shaded[k]))
			return 0;
	return 1;
}

/* Degenerate members of a point, a light, a surface and an atmosphere, by the bits of a number. */
static void degenerate(reyes_i_frame *f, reyes_i_point *at, uint32_t bits)
{
	for (int k = 0; k < 3; k++) {
		if (bits & 1)
			at->p[k] = 0.0f;
		if (bits & 2)
			at->n[k] = 0.0f;
		if (bits & 4)
			at->ng[k] = bits & 8 ? 0.0f : (float)NAN;
		if (bits & 16)
			f->lights.list[0].from[k] = at->p[k];
		if (bits & 32)
			f->lights.list[0].axis[k] = f->lights.list[0].to_light[k] = 0.0f;
	}
	if (bits & 64) {
		f->lights.list[0].cos_inner = f->lights.list[0].cos_outer;
		f->lights.list[0].beam = 0.0f;
	}
	if (bits & 128) {
		f->shaders.list[0].p[2] = f->shaders.list[0].p[3] = bits & 1 ? 0.0f : -1.0f;
		f->shaders.list[1].p[0] = f->shaders.list[1].p[1] = 0.0f;
	}
}

static void degenerate_input_makes_no_nan(void)
{
	for (uint32_t surface = 0; surface <= REYES_I_SURFACE_DEFAULT; surface++)
		for (uint32_t light = 0; light < REYES_I_LIGHT_KINDS; light++)
			for (uint32_t bits = 0; bits < 1024; bits++) {
				reyes_i_point at;
				reyes_i_frame f = shade_one_light(surface, light, &at);

				shade_add_shader(&f, bits & 256 ? REYES_I_ATMOSPHERE_FOG
								: REYES_I_ATMOSPHERE_DEPTHCUE);
				f.attrs.list[0].atmosphere = 1;
				f.camera.perspective = bits >> 9;
				degenerate(&f, &at, bits);
				shade(&f, 0, &at);
				CHECK(all_finite(), "surface %u, light %u, bits %u",
					(unsigned)surface, (unsigned)light, (unsigned)bits);
				reyes_i_frame_free(&f);
			}
}

static CU_TestInfo tests[] = { { "a spot light fades between its cones",
				       a_spot_light_fades_between_its_cones },
	{ "a point light falls off with the square of the distance",
		a_point_light_falls_off_with_the_square_of_the_distance },
	{ "a light behind the surface gives nothing", a_light_behind_the_surface_gives_nothing },
	{ "atmospheres have exact end points", atmospheres_have_exact_end_points },
	{ "the highlight falls off with eight over the roughness",
		the_highlight_falls_off_with_eight_over_the_roughness },
	{ "roughness without a meaning is a small one",
		roughness_without_a_meaning_is_a_small_one },
	{ "degenerate input makes no NaN", degenerate_input_makes_no_nan }, CU_TEST_INFO_NULL };

int main(void)
{

	return test_run_one("limits of shaders", tests);
}
