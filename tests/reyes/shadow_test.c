/* Shadow maps: a map with an occluder of known edges. */
#include <string.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/reyes/shade_scene.h"

/* A map of 64 x 64 over [-1, 1] x [-1, 1], y upwards, seen along z from the origin: an occluder at
 * distance 2 covers x < 0, and the quarter y > 0 of x > 0. */
static void add_occluder(reyes_i_frame *f, reyes_i_light *light)
{
	enum { N = 64 };
	static float texels[N * N];
	reyes_i_texture *t;

	for (uint32_t i = 0; i < N * N; i++)
		texels[i] = i % N < N / 2 || i / N < N / 2 ? 2.0f : 1e30f;
	memset(f, 0, sizeof(*f));
	memset(light, 0, sizeof(*light));
	light->shadow = shade_add_texture(f, N, N, 1, REYES_I_WRAP_BLACK, texels);
	t = &f->textures.list[0];
	t->is_shadow = 1;
	t->to_screen[0] = 0.5f;
	t->to_screen[5] = -0.5f;
	t->to_screen[12] = t->to_screen[13] = 0.5f;
	t->to_screen[15] = 1.0f;
	t->to_depth[2] = 1.0f;
}

static float occlusion_at(
	const reyes_i_frame *f, const reyes_i_light *light, float x, float y, float z)
{
	const reyes_i_view view = reyes_i_view_of(f);

	return reyes_i_occlusion(&view, light, reyes_i_vec_of(x, y, z));
}

static void an_occluder_shadows_what_is_behind_it(void)
{
	reyes_i_frame f;
	reyes_i_light light;

	add_occluder(&f, &light);
	light.shadow_bias = 0.25f;
	for (uint32_t samples = 0; samples < 40; samples += 13) {
		light.shadow_samples = samples;
		light.shadow_blur = samples > 13 ? 0.05f : 0.0f;
		CU_ASSERT_DOUBLE_EQUAL(occlusion_at(&f, &light, -0.5f, -0.5f, 5.0f), 1.0, 1e-6);
		CU_ASSERT_DOUBLE_EQUAL(occlusion_at(&f, &light, 0.5f, 0.5f, 5.0f), 1.0, 1e-6);
		CU_ASSERT_EQUAL(occlusion_at(&f, &light, 0.5f, -0.5f, 5.0f), 0.0f);
		/* the bias: from 2.25 on */
		CU_ASSERT_EQUAL(occlusion_at(&f, &light, -0.5f, -0.5f, 2.24f), 0.0f);
		CU_ASSERT_DOUBLE_EQUAL(occlusion_at(&f, &light, -0.5f, -0.5f, 2.26f), 1.0, 1e-6);
		/* outside of the map */
		CU_ASSERT_EQUAL(occlusion_at(&f, &light, -1.2f, -0.5f, 5.0f), 0.0f);
		CU_ASSERT_EQUAL(occlusion_at(&f, &light, -1e30f, 1e30f, 5.0f), 0.0f);
		CU_ASSERT_EQUAL(occlusion_at(&f, &light, NAN, 0.0f, 5.0f), 0.0f);
	}
	/* no number of samples, and too many */
	light.shadow_blur = 0.1f;
	light.shadow_samples = 0;
	CU_ASSERT_EQUAL(occlusion_at(&f, &light, -0.5f, -0.5f, 5.0f), 1.0f);
	light.shadow_samples = 0xffffffffu;
	CU_ASSERT_DOUBLE_EQUAL(occlusion_at(&f, &light, -0.5f, -0.5f, 5.0f), 1.0, 1e-5);
	/* without texels, all is lit */
	f.textures.list[0].width = 0;
	CU_ASSERT_EQUAL(occlusion_at(&f, &light, -0.5f, -0.5f, 5.0f), 0.0f);
	reyes_i_frame_free(&f);
}

static void a_blurred_shadow_has_a_monotone_penumbra(void)
{
	static const uint32_t samples[] = { 1, 2, 7, 16, 64, 5000 };
	reyes_i_frame f;
	reyes_i_light light;

	add_occluder(&f, &light);
	light.shadow_blur = 0.2f; /* 0.4 in x */
	for (size_t n = 0; n < sizeof(samples) / sizeof(*samples); n++) {
		float before = 1.0f, middle = -1.0f;

		light.shadow_samples = samples[n];
		for (int i = -40; i <= 40; i++) {
			const float x = (float)i / 80.0f;
			const float now = occlusion_at(&f, &light, x, -0.5f, 5.0f);

			CHECK(now <= before + 1e-6f, "%u samples: darker at %g",
				(unsigned)samples[n], (double)x);
			if (i == 0)
				middle = now;
			before = now;
			/* half the blur and half a texel on each side of the edge */
			CHECK(fabsf(x) < 0.217f || fabsf(now - (x < 0.0f)) < 1e-6f,
				"%u samples: %g at %g", (unsigned)samples[n], (double)now,
				(double)x);
			if (samples[n] > 15)
				CHECK(fabsf(x) > 0.15f || fabsf(now - (0.5f - x / 0.4f)) < 0.07f,
					"%u samples: %g at %g", (unsigned)samples[n], (double)now,
					(double)x);
		}
		CU_ASSERT_DOUBLE_EQUAL(middle, 0.5, 0.07);
		CU_ASSERT_EQUAL(before, 0.0f);
	}
	reyes_i_frame_free(&f);
}

static void a_perspective_map_is_projected_with_its_w(void)
{
	reyes_i_frame f;
	reyes_i_light light;
	float *m;

	add_occluder(&f, &light);
	/* s = x / (2 z) + 1/2, t = -y / (2 z) + 1/2 */
	m = f.textures.list[0].to_screen;
	memset(m, 0, 16 * sizeof(*m));
	m[0] = 0.5f;
	m[5] = -0.5f;
	m[8] = m[9] = 0.5f;
	m[11] = 1.0f;
	CU_ASSERT_EQUAL(occlusion_at(&f, &light, -5.0f, -5.0f, 10.0f), 1.0f);
	CU_ASSERT_EQUAL(occlusion_at(&f, &light, 5.0f, -5.0f, 10.0f), 0.0f);
	CU_ASSERT_EQUAL(occlusion_at(&f, &light, -11.0f, -5.0f, 10.0f), 0.0f);
	/* behind the light, and at it, whatever the depth */
	f.textures.list[0].to_depth[3] = 100.0f;
	CU_ASSERT_EQUAL(occlusion_at(&f, &light, -5.0f, -5.0f, 10.0f), 1.0f);
	CU_ASSERT_EQUAL(occlusion_at(&f, &light, 5.0f, 5.0f, -10.0f), 0.0f);
	CU_ASSERT_EQUAL(occlusion_at(&f, &light, 0.0f, 0.0f, 0.0f), 0.0f);
	reyes_i_frame_free(&f);
}

static void a_shadow_removes_the_light_of_its_source_only(void)
{
	reyes_i_frame f;
	reyes_i_light light;
	reyes_i_point at;
	uint32_t lights[2];
	float lit[6], shadowed[6];
	reyes_i_view view;

	add_occluder(&f, &light);
	at = shade_random_point();
	lights[0] = shade_add_light(&f, REYES_I_LIGHT_AMBIENT);
	lights[1] = shade_add_light(&f, REYES_I_LIGHT_DISTANT);
	f.lights.list[1].shadow = 0;
	f.lights.list[1].to_light[0] = f.lights.list[1].to_light[1] = 0.0f;
	f.lights.list[1].to_light[2] = -1.0f;
	shade_add_attr(&f, shade_add_shader(&f, REYES_I_SURFACE_PLASTIC), lights, 2);
	at.p[0] = at.p[1] = -0.5f;
	at.p[2] = 5.0f;
	at.n[0] = at.n[1] = at.ng[0] = at.ng[1] = 0.0f;
	at.n[2] = at.ng[2] = -1.0f;
	view = reyes_i_view_of(&f);
	reyes_i_shade(&view, f.attrs.list, &at, shadowed, shadowed + 3);
	f.attrs.list[0].light_count = 1;
	reyes_i_shade(&view, f.attrs.list, &at, lit, lit + 3);
	CU_ASSERT_TRUE(lit[0] > 0.0f);
	CU_ASSERT_EQUAL(memcmp(lit, shadowed, sizeof(lit)), 0);
	f.attrs.list[0].light_count = 2;
	at.p[0] = 0.5f;
	reyes_i_shade(&view, f.attrs.list, &at, shadowed, shadowed + 3);
	CU_ASSERT_TRUE(shadowed[0] > lit[0]);
	reyes_i_frame_free(&f);
}

static CU_TestInfo tests[] = { { "an occluder shadows what is behind it",
				       an_occluder_shadows_what_is_behind_it },
	{ "a blurred shadow has a monotone penumbra", a_blurred_shadow_has_a_monotone_penumbra },
	{ "a perspective map is projected with its w", a_perspective_map_is_projected_with_its_w },
	{ "a shadow removes the light of its source only",
		a_shadow_removes_the_light_of_its_source_only },
	CU_TEST_INFO_NULL };

int main(void)
{

	return test_run_one("shadow maps", tests);
}
