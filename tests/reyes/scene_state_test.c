/* Attributes: sharing, values, surface shaders, level of detail. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/reyes/scene_setup.h"

static void sphere(reyes_renderer *r)
{
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, NULL));
}

static void equal_attributes_share_one_entry(void)
{
	enum { MANY = 100000 };
	const float red[] = { 1, 0, 0 }, half[] = { 0.5f, 0.5f, 0.5f };
	reyes_renderer *r = scene_open();
	int i;

	reyes_world_begin(r);
	for (i = 0; i < MANY; i++) {
		/* The same state by other ways, and two colors in turn. */
		reyes_attribute_begin(r);
		reyes_color(r, i % 2 ? red : half, 3);
		reyes_surface(r, "plastic", NULL);
		reyes_translate(r, (float)i, 0, 0);
		reyes_sphere(r, 1, -1, 1, 360, NULL);
		reyes_attribute_end(r);
	}
	CU_ASSERT_EQUAL(scene.lowered, MANY);
	CU_ASSERT_EQUAL(r->frame.attrs.count, 2);
	CU_ASSERT_EQUAL(r->frame.shaders.count, 1);
	reyes_close(&r);
}

static void attributes_are_restored_and_survive_worlds(void)
{
	const float red[] = { 1, 0, 0 }, half[] = { 0.5f, 2, -1 };
	reyes_renderer *r = scene_open();

	reyes_shading_rate(r, 4);
	reyes_color(r, red, 3);
	reyes_world_begin(r);
	reyes_attribute_begin(r);
	SCENE_OK(reyes_opacity(r, half, 3));
	SCENE_OK(reyes_shading_rate(r, 0.25f));
	SCENE_OK(reyes_shading_interpolation(r, "smooth"));
	SCENE_OK(reyes_matte(r, 1));
	SCENE_OK(reyes_texture_coordinates(r, (const float[]){ 1, 2, 3, 4, 5, 6, 7, 8 }));
	SCENE_OK(reyes_geometric_approximation(r, "motionfactor", 2));
	sphere(r);
	reyes_attribute_end(r);
	sphere(r);
	reyes_world_end(r);
	reyes_world_begin(r);
	sphere(r);
	CU_ASSERT_EQUAL(scene_attr(r, 2)->shading_rate, 4);
	CU_ASSERT_EQUAL(scene_attr(r, 2)->color[1], 0);
	CU_ASSERT_EQUAL(r->frame.attrs.count, 1);
	reyes_world_end(r);
	reyes_close(&r);
	CU_ASSERT_EQUAL(scene.list[0].attr, 0);
	CU_ASSERT_EQUAL(scene.list[1].attr, 1);
}

static void every_attribute_reaches_the_frame(void)
{
	const float half[] = { 0.5f, 2, -1 };
	reyes_renderer *r = scene_open();
	const reyes_i_attr *a;

	reyes_world_begin(r);
	sphere(r);
	a = scene_attr(r, 0);
	CU_ASSERT_EQUAL(a->flags, REYES_I_ATTR_TWO_SIDES | REYES_I_ATTR_OPAQUE);
	CU_ASSERT_TRUE(a->color[0] == 1 && a->opacity[2] == 1 && a->shading_rate == 1);
	CU_ASSERT_TRUE(a->tex_coords[2] == 1 && a->tex_coords[5] == 1 && a->tex_coords[6] == 1);
	CU_ASSERT_EQUAL_FATAL(a->surface, 0);
	CU_ASSERT_EQUAL(scene_shader(r, 0)->kind, REYES_I_SURFACE_DEFAULT);
	CU_ASSERT_TRUE(a->displacement == REYES_I_NONE && a->atmosphere == REYES_I_NONE);
	CU_ASSERT_EQUAL(a->light_count, 0);
	SCENE_OK(reyes_opacity(r, half, 3));
	SCENE_OK(reyes_shading_rate(r, 0.25f));
	SCENE_OK(reyes_shading_interpolation(r, "smooth"));
	SCENE_OK(reyes_matte(r, 1));
	SCENE_OK(reyes_sides(r, 1));
	SCENE_OK(reyes_texture_coordinates(r, (const float[]){ 1, 2, 3, 4, 5, 6, 7, 8 }));
	SCENE_OK(reyes_geometric_approximation(r, "motionfactor", 2));
	SCENE_OK(reyes_geometric_approximation(r, "focusfactor", 3));
	sphere(r);
	a = scene_attr(r, 1);
	CU_ASSERT_EQUAL(a->flags, REYES_I_ATTR_SMOOTH | REYES_I_ATTR_MATTE);
	CU_ASSERT_TRUE(a->opacity[0] == 0.5f && a->opacity[1] == 1 && a->opacity[2] == 0);
	CU_ASSERT_TRUE(a->shading_rate == 0.25f && a->tex_coords[7] == 8);
	CU_ASSERT_TRUE(a->motion_factor == 2 && a->focus_factor == 3);
	reyes_close(&r);
}

static void opacities_of_a_primitive_make_it_transparent(void)
{
	const float values[12] = { 0 };
	const reyes_param os = { "Os", values, NULL, 12 };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, &(reyes_params){ 1, &os }));
	sphere(r);
	CU_ASSERT_FALSE(scene_attr(r, 0)->flags & REYES_I_ATTR_OPAQUE);
	CU_ASSERT_TRUE(scene_attr(r, 1)->flags & REYES_I_ATTR_OPAQUE);
	reyes_close(&r);
}

static void colors_of_n_samples_become_rgb(void)
{
	/* One sample: luminance. */
	const float to_rgb[] = { 0.25f, 0.5f, 1 }, from_rgb[] = { 1, 1, 1 }, two[] = { 2 };
	const float lights[] = { 1, 3 };
	const reyes_param cs = { "varying color Cs", lights, NULL, 2 };
	reyes_renderer *r = scene_open();

	SCENE_OK(reyes_color_samples(r, 1, to_rgb, from_rgb));
	reyes_world_begin(r);
	SCENE_ERR(reyes_color(r, to_rgb, 3));
	SCENE_OK(reyes_color(r, two, 1));
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, &(reyes_params){ 1, &cs }));
	CU_ASSERT_TRUE(scene_attr(r, 0)->color[0] == 0.5f && scene_attr(r, 0)->color[2] == 2);
	CU_ASSERT_EQUAL(scene.list[0].color_floats, 6);
	CU_ASSERT_TRUE(scene.list[0].colors[0] == 0.25f && scene.list[0].colors[5] == 3);
	SCENE_ERR(reyes_color_samples(r, 3, to_rgb, from_rgb));
	reyes_close(&r);
	r = scene_open();
	SCENE_ERR(reyes_color_samples(r, 0, to_rgb, from_rgb));
	SCENE_ERR(reyes_color_samples(r, 1000, to_rgb, from_rgb));
	reyes_close(&r);
}

/* ---- shaders ---- */

static const reyes_i_shader *surface_of(reyes_renderer *r)
{
	reyes_sphere(r, 1, -1, 1, 360, NULL);
	return scene_shader(r, scene_attr(r, scene.lowered - 1)->surface);
}

static void standard_shaders_have_their_parameters_and_defaults(void)
{
	const float ks = 0.75f, tint[] = { 0.1f, 0.2f, 0.3f };
	const reyes_param list[] = { { "Ks", &ks, NULL, 1 },
		{ "uniform color specularcolor", tint, NULL, 3 } };
	reyes_renderer *r = scene_open();
	const reyes_i_shader *s;

	reyes_world_begin(r);
	SCENE_OK(reyes_surface(r, "plastic", &(reyes_params){ 2, list }));
	s = surface_of(r);
	CU_ASSERT_EQUAL(s->kind, REYES_I_SURFACE_PLASTIC);
	CU_ASSERT_TRUE(s->p[0] == 1 && s->p[1] == 0.5f && s->p[2] == 0.75f && s->p[3] == 0.1f);
	CU_ASSERT_TRUE(s->p[4] == 0.1f && s->p[5] == 0.2f && s->p[6] == 0.3f);
	CU_ASSERT_EQUAL(s->texture, REYES_I_NONE);
	reyes_surface(r, "matte", NULL);
	s = surface_of(r);
	CU_ASSERT_TRUE(s->kind == REYES_I_SURFACE_MATTE && s->p[0] == 1 && s->p[1] == 1);
	reyes_surface(r, "metal", NULL);
	CU_ASSERT_EQUAL(surface_of(r)->p[2], 0.1f);
	reyes_surface(r, "constant", NULL);
	CU_ASSERT_EQUAL(surface_of(r)->kind, REYES_I_SURFACE_CONSTANT);
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_WARN], 0);
	reyes_close(&r);
}

static void other_shaders_are_replaced_once_by_name(void)
{
	const float x = 0.5f;
	const char *const file = "no_such_file.tif";
	const reyes_param ks = { "float Ks", &x, NULL, 1 };
	const reyes_param texture = { "string texturename", NULL, &file, 1 };
	static const struct {
		const char *name;
		int parameter; /* 1: Ks, 2: texturename */
		uint32_t kind;
	} cases[] = { { "wool", 0, REYES_I_SURFACE_MATTE },
		{ "LGBrick", 1, REYES_I_SURFACE_PLASTIC },
		{ "sticky_texture", 2, REYES_I_SURFACE_PAINTEDPLASTIC },
		{ "brushedMetal", 0, REYES_I_SURFACE_METAL },
		{ "glass", 0, REYES_I_SURFACE_PLASTIC } };
	reyes_renderer *r = scene_open();
	size_t i;
	int turn;

	reyes_world_begin(r);
	/* Without a light each of them is defaultsurface. */
	SCENE_OK(reyes_surface(r, "wool", NULL));
	CU_ASSERT_EQUAL(surface_of(r)->kind, REYES_I_SURFACE_DEFAULT);
	SCENE_OK(reyes_surface(r, "my_constant", NULL));
	CU_ASSERT_EQUAL(surface_of(r)->kind, REYES_I_SURFACE_CONSTANT);
	SCENE_OK(reyes_surface(r, "matte", NULL));
	CU_ASSERT_EQUAL(surface_of(r)->kind, REYES_I_SURFACE_MATTE);
	SCENE_OK(reyes_light_source(r, "ambientlight", "lamp", NULL));
	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const reyes_params p = { cases[i].parameter != 0,
				cases[i].parameter == 2 ? &texture : &ks };

			SCENE_OK(reyes_surface(r, cases[i].name, &p));
			CU_ASSERT_EQUAL(surface_of(r)->kind, cases[i].kind);
		}
		SCENE_OK(reyes_displacement(r, "dented", NULL));
		SCENE_OK(reyes_atmosphere(r, "smoke", NULL));
		SCENE_OK(reyes_interior(r, "glass", NULL));
	}
	SCENE_OK(reyes_surface(r, "brushedMetal",
		&(reyes_params){ 1, &(reyes_param){ "float uroughness", &x, NULL, 1 } }));
	CU_ASSERT_EQUAL(surface_of(r)->p[2], 0.5f);
	CU_ASSERT_EQUAL(scene_logged_count("shader \"LGBrick\" is replaced by \"plastic\""), 1);
	CU_ASSERT_EQUAL(scene_logged_count("\"dented\" is not supported"), 1);
	CU_ASSERT_EQUAL(scene_logged_count("is replaced by"), 6);
	CU_ASSERT_EQUAL(scene_logged_count("\"no_such_file.tif\" is not found"), 1);
	reyes_close(&r);
}

static void atmospheres_and_displacements_reach_the_frame(void)
{
	const float far = 20, km = 0.5f;
	const float sphere_bound = 0.5f;
	const char *const shader = "shader";
	const reyes_param distance = { "distance", &far, NULL, 1 };
	const reyes_param amplitude = { "amplitude", &km, NULL, 1 };
	const reyes_param bound[] = { { "sphere", &sphere_bound, NULL, 1 },
		{ "coordinatesystem", NULL, &shader, 1 } };
	reyes_renderer *r = scene_open();
	const reyes_i_attr *a;

	reyes_world_begin(r);
	SCENE_OK(reyes_atmosphere(r, "fog", &(reyes_params){ 1, &distance }));
	SCENE_OK(reyes_displacement(r, "bumpy", &(reyes_params){ 1, &amplitude }));
	reyes_rotate(r, 30, 1, 1, 0);
	reyes_scale(r, 2, 3, 1);
	SCENE_OK(reyes_attribute(r, "displacementbound", &(reyes_params){ 2, bound }));
	reyes_scale(r, 10, 10, 10); /* does not change the bound of another space */
	sphere(r);
	a = scene_attr(r, 0);
	CU_ASSERT_EQUAL(scene_shader(r, a->atmosphere)->kind, REYES_I_ATMOSPHERE_FOG);
	CU_ASSERT_EQUAL(scene_shader(r, a->atmosphere)->p[0], 20);
	CU_ASSERT_EQUAL(scene_shader(r, a->displacement)->p[0], 0.5f);
	CU_ASSERT_DOUBLE_EQUAL(a->displacement_bound, 1.5, 1e-5);
	/* In the space of each object. */
	SCENE_OK(reyes_attribute(r, "displacementbound", &(reyes_params){ 1, bound }));
	sphere(r);
	CU_ASSERT_DOUBLE_EQUAL(scene_attr(r, 1)->displacement_bound, 15, 1e-4);
	reyes_scale(r, 2, 2, 2);
	sphere(r);
	CU_ASSERT_DOUBLE_EQUAL(scene_attr(r, 2)->displacement_bound, 30, 1e-4);
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR], 0);
	reyes_close(&r);
}

/* ---- parameters ---- */

static void wrong_parameters_are_reported_by_their_token(void)
{
	const float x[3] = { 1, NAN, 3 };
	const char *const text = "a";
	const struct {
		reyes_param p;
		const char *message;
	} cases[] = {
		{ { "Kd", NULL, &text, 1 }, "\"Kd\" needs 1 number, not 1 strings" },
		{ { "Kd", x, NULL, 0 }, "\"Kd\" needs 1 number, not 0 numbers" },
		{ { "Kd", x + 1, NULL, 1 }, "\"Kd\" has a value that is not finite" },
		{ { "frob", x, NULL, 1 }, "\"frob\" is not declared" },
		{ { "uniform thing Kd", x, NULL, 1 }, "\"uniform thing Kd\" has no type" },
		{ { "float[0] Kd", x, NULL, 1 }, "has a wrong array length" },
		{ { "uniform float", x, NULL, 1 }, "has no name after the type" },
		{ { NULL, x, NULL, 1 }, "parameter 0 has no name" },
		{ { "Kd", NULL, NULL, 1 }, "\"Kd\" needs either numbers or strings" },
		{ { "Kd", x, &text, 1 }, "\"Kd\" needs either numbers or strings" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reyes_renderer *r = scene_open();

		SCENE_OK(reyes_surface(r, "matte", &(reyes_params){ 1, &cases[i].p }));
		CHECK(scene_logged(cases[i].message), "case %zu: %s", i, scene.log);
		CU_ASSERT_EQUAL(r->state->surface.shader.p[1], 1);
		reyes_close(&r);
	}
}

static void declarations_are_parsed(void)
{
	static const struct {
		const char *text;
		int ok;
	} cases[] = { { "float", 1 }, { "uniform float", 1 }, { "  constant   string ", 1 },
		{ "varying point[3]", 1 }, { "vertex hpoint [ 2 ]", 1 }, { "int", 1 },
		{ "facevertex integer[1000000]", 1 }, { "", 0 }, { "varying", 0 },
		{ "float float", 0 }, { "float[", 0 }, { "float[]", 0 }, { "float[-1]", 0 },
		{ "float[2", 0 }, { "float[99999999999999999999]", 0 }, { "Float", 0 },
		{ "float[2]]", 0 } };
	const float st[] = { 0.5f };
	const reyes_param list[] = { { "mystery", st, NULL, 1 } };
	reyes_renderer *r = scene_open();
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK((reyes_declare(r, "x", cases[i].text) == REYES_OK) == cases[i].ok,
			"declaration '%s'", cases[i].text);
	SCENE_ERR(reyes_declare(r, "", "float"));
	SCENE_ERR(reyes_declare(r, NULL, "float"));
	SCENE_OK(reyes_declare(r, "mystery", "uniform float"));
	SCENE_OK(reyes_surface(r, "matte", &(reyes_params){ 1, list }));
	CU_ASSERT_FALSE(scene_logged("is not declared"));
	CU_ASSERT_TRUE(scene_logged("parameter \"mystery\" has no effect"));
	reyes_close(&r);
}

static void search_paths_are_extended_and_files_found(void)
{
	const char *path = "/nowhere:&", *folder, *source = getenv("srcdir");
	const reyes_param add = { "texture", NULL, &path, 1 };
	reyes_param set = { "string texture", NULL, &folder, 1 };
	reyes_renderer *r = scene_open();
	char text[1024];

	snprintf(text, sizeof(text), "%s/tests", source ? source : ".");
	folder = text;
	SCENE_OK(reyes_option(r, "searchpath", &(reyes_params){ 1, &set }));
	SCENE_OK(reyes_option(r, "searchpath", &(reyes_params){ 1, &add }));
	CU_ASSERT_TRUE(
		strncmp(r->settings->search_paths[REYES_I_PATH_TEXTURE], "/nowhere:", 9) == 0);
	CU_ASSERT_STRING_EQUAL(r->settings->search_paths[REYES_I_PATH_TEXTURE] + 9, text);
	SCENE_OK(reyes_make_texture(r, "local.mk", "out.tx", "black", "clamp", "box", 1, 1, NULL));
	CU_ASSERT_TRUE(strstr(scene.made, "/tests/local.mk > out.tx black clamp") != NULL);
	SCENE_ERR(reyes_make_texture(r, "none.tif", "out.tx", "black", "clamp", "box", 1, 1, NULL));
	SCENE_ERR(reyes_make_texture(r, "local.mk", "o.tx", "black", "mirror", "box", 1, 1, NULL));
	SCENE_OK(reyes_make_shadow(r, "local.mk", "out.shad", NULL));
	CU_ASSERT_EQUAL(reyes_make_shadow(r, "local.mk", "forbidden.shad", NULL), REYES_ERR_FILE);
	CU_ASSERT_TRUE(scene_logged("MakeShadow: cannot be written"));
	CU_ASSERT_TRUE(scene.textures_made == 1 && scene.shadows_made == 2);
	reyes_close(&r);
}

/* ---- level of detail ---- */

#define ALL_DETAIL (REYES_I_ATTR_DETAIL_BELOW | REYES_I_ATTR_DETAIL_ABOVE)

static void details_are_drawn_by_the_area_in_pixels(void)
{
	const float box[] = { -1, 1, -1, 1, 5, 5 };
	/* 200 x 100 pixels, window -2..2, orthographic: 50 pixels a unit: 100 x 100 pixels. */
	static const struct {
		float range[4];
		double part; /* 1: all samples, 0: none; else the number that divides them */
		uint32_t flag;
	} cases[] = { { { 0, 0, 20000, 20000 }, 1, 0 }, { { 0, 0, 9999, 9999 }, 0, 0 },
		{ { 0, 0, 10001, 10001 }, 1, 0 }, { { 10001, 10001, 1e38f, 1e38f }, 0, 0 },
		{ { 10000, 10000, 1e38f, 1e38f }, 1, 0 }, { { 0, 0, 10001, 1e38f }, 1, 0 },
		{ { 0, 0, 9000, 1e38f }, 1, 0 }, { { 0, 10000, 1e38f, 1e38f }, 1, 0 },
		{ { 10000, 12000, 1e38f, 1e38f }, 0, 0 }, { { 0, 0, 8000, 10000 }, 0, 0 },
		{ { 9000, 11000, 1e38f, 1e38f }, 0.5, REYES_I_ATTR_DETAIL_BELOW },
		{ { 9000, 13000, 1e38f, 1e38f }, 0.25, REYES_I_ATTR_DETAIL_BELOW },
		{ { 0, 0, 9000, 13000 }, 0.25, REYES_I_ATTR_DETAIL_ABOVE },
		{ { 0, 9000, 9500, 10500 }, 0.5, REYES_I_ATTR_DETAIL_ABOVE } };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const float *d = cases[i].range;
		reyes_renderer *r = scene_open();

		reyes_format(r, 200, 100, 1);
		reyes_world_begin(r);
		SCENE_OK(reyes_detail(r, box));
		SCENE_OK(reyes_detail_range(r, d[0], d[1], d[2], d[3]));
		sphere(r);
		CHECK((scene.lowered == 1) == (cases[i].part > 0), "case %zu", i);
		if (cases[i].part > 0) {
			const uint32_t flags = r->frame.attrs.list[0].flags;

			CHECK((flags & ALL_DETAIL) == cases[i].flag, "case %zu: 0x%x", i, flags);
			CHECK(!cases[i].flag != !(flags & REYES_I_ATTR_OPAQUE),
				"case %zu: an opaque surface in some of the samples", i);
			CHECK(!cases[i].flag ||
					(flags >> REYES_I_DETAIL_SHIFT) / 65536.0 == cases[i].part,
				"case %zu: the part is %g", i,
				(flags >> REYES_I_DETAIL_SHIFT) / 65536.0);
		}
		reyes_close(&r);
	}
}

static void details_without_a_box_or_behind_the_camera_are_large(void)
{
	const float box[] = { -1, 1, -1, 1, -1, 1 };
	reyes_renderer *r = scene_open();

	SCENE_ERR(reyes_detail(r, box)); /* no camera yet */
	reyes_projection(r, "perspective", NULL);
	reyes_world_begin(r);
	sphere(r);
	SCENE_OK(reyes_detail(r, box));
	SCENE_OK(reyes_detail_range(r, 100, 100, 1e38f, 1e38f));
	sphere(r);
	SCENE_OK(reyes_detail_range(r, 0, 0, 100, 100));
	sphere(r);
	CU_ASSERT_EQUAL(scene.lowered, 2);
	SCENE_ERR(reyes_detail_range(r, 5, 0, 100, 100));
	reyes_close(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "equal attributes share one entry", equal_attributes_share_one_entry },
		{ "attributes are restored and survive worlds",
			attributes_are_restored_and_survive_worlds },
		{ "every attribute reaches the frame", every_attribute_reaches_the_frame },
		{ "opacities of a primitive make it transparent",
			opacities_of_a_primitive_make_it_transparent },
		{ "colors of n samples become RGB", colors_of_n_samples_become_rgb },
		{ "standard shaders have their parameters and defaults",
			standard_shaders_have_their_parameters_and_defaults },
		{ "other shaders are replaced once by name",
			other_shaders_are_replaced_once_by_name },
		{ "atmospheres and displacements reach the frame",
			atmospheres_and_displacements_reach_the_frame },
		{ "wrong parameters are reported by their token",
			wrong_parameters_are_reported_by_their_token },
		{ "declarations are parsed", declarations_are_parsed },
		{ "search paths are extended and files found",
			search_paths_are_extended_and_files_found },
		{ "details are drawn by the area in pixels",
			details_are_drawn_by_the_area_in_pixels },
		{ "details without a box or behind the camera are large",
			details_without_a_box_or_behind_the_camera_are_large },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("attributes", tests);
}
