/* Texture lookup and displacement, on textures whose values are known. */
#include <string.h>
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/reyes/shade_scene.h"

enum { SIDE = 16 };

static reyes_i_vec look_up(
	const reyes_i_frame *f, uint32_t map, float s, float t, float ds, float dt)
{
	const reyes_i_view view = reyes_i_view_of(f);
	reyes_i_point at;

	memset(&at, 0, sizeof(at));
	at.s = s;
	at.t = t;
	at.ds = ds;
	at.dt = dt;
	return reyes_i_texture_at(&view, map, &at);
}

static void a_constant_texture_gives_the_constant_at_any_width(void)
{
	static const float color[4] = { 0.25f, 0.5f, 0.75f, 0.125f };

	for (uint32_t n = 0; n < 300; n++) {
		const uint32_t w = 1 + rng_below(20), h = 1 + rng_below(20);
		const uint32_t channels = 1 + n % 4;
		float texels[20 * 20 * 4];
		reyes_i_frame f;

		memset(&f, 0, sizeof(f));
		for (uint32_t i = 0; i < w * h * channels; i++)
			texels[i] = color[i % channels];
		shade_add_texture(&f, w, h, channels,
			n & 4 ? REYES_I_WRAP_CLAMP : REYES_I_WRAP_PERIODIC, texels);
		for (uint32_t k = 0; k < 50; k++) {
			const float width = ldexpf(shade_random(0.5f, 1.0f), (int)(k % 16) - 9);
			const reyes_i_vec c = look_up(&f, 0, shade_random(-3.0f, 3.0f),
				shade_random(-3.0f, 3.0f), width, k & 1 ? width : 0.0f);
			const float *right = color;

			CHECK(fabsf(c.x - right[0]) < 1e-6f, "width %g: %g", (double)width,
				(double)c.x);
			/* one and two channels are grey */
			CHECK(fabsf(c.y - right[channels < 3 ? 0 : 1]) < 1e-6f, "%u channels: %g",
				(unsigned)channels, (double)c.y);
			CHECK(fabsf(c.z - right[channels < 3 ? 0 : 2]) < 1e-6f, "%u channels: %g",
				(unsigned)channels, (double)c.z);
		}
		reyes_i_frame_free(&f);
	}
}

/* Texel (x, y) of 16 x 8: x + 100 y, so that the origin and the axes are distinguished. */
static uint32_t add_ramp(reyes_i_frame *f, uint32_t wrap)
{
	float texels[16 * 8];

	for (uint32_t i = 0; i < 16 * 8; i++)
		texels[i] = (float)(i % 16 + 100 * (i / 16));
	return shade_add_texture(f, 16, 8, 1, wrap, texels);
}

static void a_linear_ramp_is_reproduced(void)
{
	reyes_i_frame f;

	memset(&f, 0, sizeof(f));
	add_ramp(&f, REYES_I_WRAP_CLAMP);
	for (uint32_t k = 0; k < 10000; k++) {
		/* inside of the centres of the outer texels */
		const float s = shade_random(0.5f / 16.0f, 15.5f / 16.0f);
		const float t = shade_random(0.5f / 8.0f, 7.5f / 8.0f);
		const double right = 16.0 * s - 0.5 + 100.0 * (8.0 * t - 0.5);
		const reyes_i_vec c = look_up(&f, 0, s, t, 1.0f / 16.0f, 1.0f / 8.0f);

		CHECK(fabs(c.x - right) < 2e-4, "(%g, %g): %g instead of %g", (double)s, (double)t,
			(double)c.x, right);
	}
	/* s = t = 0 is the corner of the first texel of the first row: the top left one */
	CU_ASSERT_EQUAL(look_up(&f, 0, 0.0f, 0.0f, 0.0f, 0.0f).x, 0.0f);
	CU_ASSERT_EQUAL(look_up(&f, 0, 1.0f, 0.0f, 0.0f, 0.0f).x, 15.0f);
	CU_ASSERT_EQUAL(look_up(&f, 0, 0.0f, 1.0f, 0.0f, 0.0f).x, 700.0f);
	reyes_i_frame_free(&f);
}

static void levels_are_mixed_by_the_logarithm_of_the_width(void)
{
	reyes_i_frame f;
	float texels[SIDE * SIDE];

	memset(&f, 0, sizeof(f));
	memset(texels, 0, sizeof(texels));
	shade_add_texture(&f, SIDE, SIDE, 1, REYES_I_WRAP_PERIODIC, texels);
	/* the value of each level is its square; no picture has such a pyramid */
	for (uint32_t l = 0, at = 0; l < f.textures.list[0].levels; l++)
		for (uint32_t i = 0; i < (uint32_t)(SIDE * SIDE) >> 2 * l; i++)
			f.texels.list[at++] = (float)(l * l);
	for (uint32_t k = 0; k < 1000; k++) {
		const float width = ldexpf(shade_random(0.5f, 1.0f), (int)(k % 10) - 6);
		const double level = fmin(fmax(log2((double)width * SIDE), 0.0), 4.0);
		const double lo = floor(level), mixed = level - lo;
		const double right = lo * lo * (1.0 - mixed) + (lo + 1.0) * (lo + 1.0) * mixed;

		CHECK(fabs(look_up(&f, 0, 0.3f, 0.6f, width, 0.0f).x - right) < 1e-4, "width %g",
			(double)width);
		CHECK(fabs(look_up(&f, 0, 0.3f, 0.6f, 0.01f, width).x -
			      (width > 0.0625f ? right : 0.0)) < 1e-4,
			"width %g", (double)width);
	}
	reyes_i_frame_free(&f);
}

/* The mean of lookups over one period is the mean of the picture, at every width. */
static void the_mean_is_preserved_at_every_width(void)
{
	reyes_i_frame f;
	float texels[SIDE * SIDE];
	double mean = 0.0;

	memset(&f, 0, sizeof(f));
	for (uint32_t i = 0; i < SIDE * SIDE; i++) {
		texels[i] = shade_random(0.0f, 1.0f);
		mean += texels[i] / (double)(SIDE * SIDE);
	}
	shade_add_texture(&f, SIDE, SIDE, 1, REYES_I_WRAP_PERIODIC, texels);
	for (float width = 0.02f; width < 4.0f; width *= 1.3f) {
		double sum = 0.0;

		/* four lookups a texel: the bilinear weights add up to the same for each texel */
		for (uint32_t y = 0; y < 4 * SIDE; y++)
			for (uint32_t x = 0; x < 4 * SIDE; x++)
				sum += look_up(&f, 0, ((float)x + 0.5f) / (4 * SIDE) - 1.0f,
					((float)y + 0.5f) / (4 * SIDE), width, width)
					       .x;
		sum /= 16.0 * SIDE * SIDE;
		CHECK(fabs(sum - mean) < 1e-5, "width %g: %g instead of %g", (double)width, sum,
			mean);
	}
	reyes_i_frame_free(&f);
}

static void borders_wrap_as_the_mode_says(void)
{
	reyes_i_frame f;

	memset(&f, 0, sizeof(f));
	add_ramp(&f, REYES_I_WRAP_BLACK);
	add_ramp(&f, REYES_I_WRAP_PERIODIC);
	add_ramp(&f, REYES_I_WRAP_CLAMP);
	add_ramp(&f, REYES_I_WRAP_PERIODIC);
	f.textures.list[3].t_wrap = REYES_I_WRAP_BLACK;
	for (uint32_t y = 0; y < 8; y++) {
		const float t = ((float)y + 0.5f) / 8.0f;
		const float first = 100.0f * (float)y, last = first + 15.0f;

		/* on the border: half of both sides */
		CU_ASSERT_DOUBLE_EQUAL(look_up(&f, 0, 0.0f, t, 0, 0).x, first / 2.0f, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(look_up(&f, 0, 1.0f, t, 0, 0).x, last / 2.0f, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(
			look_up(&f, 1, 0.0f, t, 0, 0).x, (first + last) / 2.0f, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(look_up(&f, 2, 0.0f, t, 0, 0).x, first, 1e-3);
		/* one texel and many periods outside */
		CU_ASSERT_EQUAL(look_up(&f, 0, -0.5f / 16.0f, t, 0, 0).x, 0.0f);
		CU_ASSERT_EQUAL(look_up(&f, 0, -1e30f, t, 0, 0).x, 0.0f);
		CU_ASSERT_EQUAL(look_up(&f, 0, 1e30f, t, 0, 0).x, 0.0f);
		CU_ASSERT_DOUBLE_EQUAL(
			look_up(&f, 1, -5.0f + 3.5f / 16.0f, t, 0, 0).x, first + 3.0f, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(
			look_up(&f, 1, 7.0f + 3.5f / 16.0f, t, 0, 0).x, first + 3.0f, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(look_up(&f, 2, -1e30f, t, 0, 0).x, first, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(
			look_up(&f, 3, -5.0f + 3.5f / 16.0f, t, 0, 0).x, first + 3.0f, 1e-3);
		CU_ASSERT_EQUAL(look_up(&f, 3, 0.5f, 1.0f + t, 0, 0).x, 0.0f);
		CU_ASSERT_DOUBLE_EQUAL(look_up(&f, 2, 1e30f, t, 0, 0).x, last, 1e-3);
	}
	reyes_i_frame_free(&f);
}

static void coordinates_that_are_no_numbers_read_inside_of_the_texture(void)
{
	static const float odd[] = { NAN, INFINITY, -INFINITY, 3.4e38f, -3.4e38f };
	reyes_i_frame f;

	memset(&f, 0, sizeof(f));
	for (uint32_t mode = 0; mode < 3; mode++)
		add_ramp(&f, mode);
	for (uint32_t n = 0; n < 3 * 5 * 5 * 5; n++) {
		const float width = odd[n / 25 % 5];
		const reyes_i_vec c = look_up(&f, n / 125, odd[n % 5], odd[n / 5 % 5], width, 0.1f);

		CHECK(c.x >= 0.0f && c.x <= 715.0f, "case %u: %g", (unsigned)n, (double)c.x);
	}
	/* NaN is the border */
	for (uint32_t mode = REYES_I_WRAP_PERIODIC; mode <= REYES_I_WRAP_CLAMP; mode++) {
		const float right = look_up(&f, mode, 0.0f, 0.3f, 0, 0).x;

		CU_ASSERT_EQUAL(look_up(&f, mode, NAN, 0.3f, 0, 0).x, right);
		CU_ASSERT_EQUAL(look_up(&f, mode, NAN, 0.3f, NAN, NAN).x, right);
	}
	/* a texture that could not be loaded is black */
	f.textures.list[0].width = 0;
	CU_ASSERT_EQUAL(look_up(&f, 0, 0.5f, 0.5f, 0.1f, 0.1f).x, 0.0f);
	reyes_i_frame_free(&f);
}

static void bumpy_displaces_by_km_times_the_texture(void)
{
	static const float texel[3] = { 0.75f, 0.25f, 0.5f };
	reyes_i_frame f;
	reyes_i_point at;
	reyes_i_view view;
	uint32_t shader;

	memset(&f, 0, sizeof(f));
	memset(&at, 0, sizeof(at));
	shade_add_texture(&f, 1, 1, 3, REYES_I_WRAP_PERIODIC, texel);
	shader = shade_add_shader(&f, REYES_I_DISPLACEMENT_BUMPY);
	f.shaders.list[shader].p[0] = -2.0f;
	shade_add_attr(&f, REYES_I_NONE, NULL, 0);
	view = reyes_i_view_of(&f);
	CU_ASSERT_EQUAL(reyes_i_displace(&view, f.attrs.list, &at), 0.0f);
	f.attrs.list[0].displacement = shader;
	CU_ASSERT_EQUAL(reyes_i_displace(&view, f.attrs.list, &at), 0.0f);
	f.shaders.list[shader].texture = 0;
	CU_ASSERT_EQUAL(reyes_i_displace(&view, f.attrs.list, &at), -1.5f);
	reyes_i_frame_free(&f);
}

static void painted_plastic_multiplies_the_color_by_the_texture(void)
{
	static const float texel[3] = { 0.5f, 0.25f, 1.0f };
	reyes_i_frame f;

	memset(&f, 0, sizeof(f));
	shade_fill(&f, 0);
	shade_add_texture(&f, 1, 1, 3, REYES_I_WRAP_PERIODIC, texel);
	for (uint32_t i = 0; i < 1000; i++) {
		const reyes_i_view view = reyes_i_view_of(&f);
		reyes_i_point at = shade_random_point();
		const reyes_i_attr *attr = &f.attrs.list[i % 100];
		reyes_i_shader *s = &f.shaders.list[attr->surface];
		float with[6], without[6];

		if (s->kind != REYES_I_SURFACE_PAINTEDPLASTIC)
			continue;
		at.s = at.t = 0.5f; /* the centre of the texel: no rounding of weights */
		s->texture = 0;
		reyes_i_shade(&view, attr, &at, with, with + 3);
		s->texture = REYES_I_NONE;
		for (int k = 0; k < 3; k++)
			at.cs[k] *= texel[k];
		reyes_i_shade(&view, attr, &at, without, without + 3);
		CHECK(memcmp(with, without, sizeof(with)) == 0, "attribute %u",
			(unsigned)(i % 100));
	}
	reyes_i_frame_free(&f);
}

static CU_TestInfo tests[] = { { "a constant texture gives the constant at any width",
				       a_constant_texture_gives_the_constant_at_any_width },
	{ "a linear ramp is reproduced", a_linear_ramp_is_reproduced },
	{ "levels are mixed by the logarithm of the width",
		levels_are_mixed_by_the_logarithm_of_the_width },
	{ "the mean is preserved at every width", the_mean_is_preserved_at_every_width },
	{ "borders wrap as the mode says", borders_wrap_as_the_mode_says },
	{ "coordinates that are no numbers read inside of the texture",
		coordinates_that_are_no_numbers_read_inside_of_the_texture },
	{ "bumpy displaces by Km times the texture", bumpy_displaces_by_km_times_the_texture },
	{ "painted plastic multiplies the color by the texture",
		painted_plastic_multiplies_the_color_by_the_texture },
	CU_TEST_INFO_NULL };

int main(void)
{

	return test_run_one("textures", tests);
}
