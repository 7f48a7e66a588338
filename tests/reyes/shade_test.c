/* Surfaces, lights and atmospheres against formulas in double precision. */
#include <string.h>
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/reyes/shade_reference.h"
#include "tests/reyes/shade_scene.h"

static float shaded[6]; /* Ci, Oi of the last shade() */

static void shade(const reyes_i_frame *f, uint32_t attr, const reyes_i_point *at)
{
	const reyes_i_view view = reyes_i_view_of(f);

	reyes_i_shade(&view, &f->attrs.list[attr], at, shaded, shaded + 3);
}

/* Largest difference of the last shade() from the formulas, relative to values above 1. */
static double difference(const reyes_i_frame *f, uint32_t attr, const reyes_i_point *at)
{
	double right[6], most = 0.0;

	reference_shade(f, &f->attrs.list[attr], at, right, right + 3);
	for (int k = 0; k < 6; k++) {
		const double d = fabs((double)shaded[k] - right[k]) / fmax(1.0, fabs(right[k]));

		if (!(d <= most))
			most = d;
	}
	return most;
}

static void surfaces_follow_the_formulas_of_the_specification(void)
{
	reyes_i_frame f;
	double most = 0.0;
	float brightest = 0.0f;

	memset(&f, 0, sizeof(f));
	shade_fill(&f, 0);
	for (uint32_t perspective = 0; perspective < 2; perspective++) {
		f.camera.perspective = perspective;
		for (uint32_t i = 0; i < 100000; i++) {
			const reyes_i_point at = shade_random_point();
			double d;

			shade(&f, i % 100, &at);
			d = difference(&f, i % 100, &at);
			if (!(d <= most))
				most = d;
			brightest = fmaxf(brightest, shaded[0]);
		}
	}
	CHECK(most < 2e-5, "largest difference %g", most);
	CHECK(brightest > 1.0f, "the brightest value is only %g", (double)brightest);
	reyes_i_frame_free(&f);
}

static void atmospheres_follow_the_formulas_of_the_specification(void)
{
	static const uint32_t kinds[] = { REYES_I_ATMOSPHERE_DEPTHCUE, REYES_I_ATMOSPHERE_FOG };
	reyes_i_frame f;
	double most = 0.0;

	memset(&f, 0, sizeof(f));
	shade_fill(&f, 0);
	for (uint32_t i = 0; i < 100; i++)
		f.attrs.list[i].atmosphere = shade_add_shader(&f, kinds[i / 7 % 2]);
	for (uint32_t i = 0; i < 100000; i++) {
		const reyes_i_point at = shade_random_point();
		double d;

		f.camera.perspective = i % 3 != 0;
		shade(&f, i % 100, &at);
		d = difference(&f, i % 100, &at);
		if (!(d <= most))
			most = d;
	}
	CHECK(most < 2e-5, "largest difference %g", most);
	reyes_i_frame_free(&f);
}

static void the_simple_function_returns_the_same_bits(void)
{
	reyes_i_frame f;

	memset(&f, 0, sizeof(f));
	shade_fill(&f, 0);
	for (uint32_t i = 0; i < 2000; i++) {
		const reyes_i_point at = shade_random_point();
		const reyes_i_view view = reyes_i_view_of(&f);
		float simple[6];

		CHECK(reyes_i_is_simple(&view, &f.attrs.list[i % 100]), "attribute %u",
			(unsigned)(i % 100));
		shade(&f, i % 100, &at);
		reyes_i_shade_simple(&view, &f.attrs.list[i % 100], &at, simple, simple + 3);
		CHECK(memcmp(simple, shaded, sizeof(simple)) == 0, "attribute %u",
			(unsigned)(i % 100));
	}
	reyes_i_frame_free(&f);
}

static void textures_shadows_and_atmospheres_are_not_simple(void)
{
	reyes_i_point at;
	reyes_i_frame f = shade_one_light(REYES_I_SURFACE_PAINTEDPLASTIC, REYES_I_LIGHT_POINT, &at);
	const reyes_i_view view = reyes_i_view_of(&f);
	reyes_i_attr *a = &f.attrs.list[0];

	CU_ASSERT_EQUAL(reyes_i_is_simple(&view, a), 1);
	f.lights.list[0].shadow = 0;
	CU_ASSERT_EQUAL(reyes_i_is_simple(&view, a), 0);
	f.lights.list[0].shadow = REYES_I_NONE;
	f.shaders.list[0].texture = 0;
	CU_ASSERT_EQUAL(reyes_i_is_simple(&view, a), 0);
	f.shaders.list[0].texture = REYES_I_NONE;
	a->atmosphere = 0;
	CU_ASSERT_EQUAL(reyes_i_is_simple(&view, a), 0);
	a->atmosphere = a->surface = REYES_I_NONE;
	CU_ASSERT_EQUAL(reyes_i_is_simple(&view, a), 1);
	/* without a surface shader the color is constant */
	at.cs[1] = 0.25f;
	at.os[1] = 0.5f;
	shade(&f, 0, &at);
	CU_ASSERT_EQUAL(shaded[1], 0.125f);
	CU_ASSERT_EQUAL(shaded[4], 0.5f);
	reyes_i_frame_free(&f);
}

static void normals_are_turned_to_the_eye_by_the_geometric_normal(void)
{
	reyes_i_frame f;

	memset(&f, 0, sizeof(f));
	shade_fill(&f, 0);
	for (uint32_t i = 0; i < 1000; i++) {
		reyes_i_point at = shade_random_point();
		float before[6];

		shade(&f, i % 100, &at);
		memcpy(before, shaded, sizeof(before));
		for (int k = 0; k < 3; k++) {
			at.n[k] = -at.n[k];
			at.ng[k] = -at.ng[k];
		}
		shade(&f, i % 100, &at);
		CHECK(memcmp(before, shaded, sizeof(before)) == 0, "attribute %u",
			(unsigned)(i % 100));
	}
	reyes_i_frame_free(&f);
}

static CU_TestInfo tests[] = { { "surfaces follow the formulas of the specification",
				       surfaces_follow_the_formulas_of_the_specification },
	{ "atmospheres follow the formulas of the specification",
		atmospheres_follow_the_formulas_of_the_specification },
	{ "the simple function returns the same bits", the_simple_function_returns_the_same_bits },
	{ "textures, shadows and atmospheres are not simple",
		textures_shadows_and_atmospheres_are_not_simple },
	{ "normals are turned to the eye by the geometric normal",
		normals_are_turned_to_the_eye_by_the_geometric_normal },
	CU_TEST_INFO_NULL };

int main(void)
{

	return test_run_one("standard shaders", tests);
}
