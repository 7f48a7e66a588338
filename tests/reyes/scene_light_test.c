/* Light sources: places in camera space, sets of lights, shadow maps. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/reyes/scene_setup.h"

static void sphere(reyes_renderer *r)
{
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, NULL));
}

/* Light k of call i of reyes_i_lower. */
static const reyes_i_light *light_of(const reyes_renderer *r, size_t i, uint32_t k)
{
	static const reyes_i_light none;
	const reyes_i_attr *a = scene_attr(r, i);

	CU_ASSERT_TRUE(k < a->light_count);
	if (k >= a->light_count || a->lights + k >= r->frame.words.count)
		return &none;
	return &r->frame.lights.list[r->frame.words.list[a->lights + k]];
}

static void lights_are_converted_to_camera_space(void)
{
	const float from[] = { 1, 2, 3 }, to[] = { 1, 2, 5 }, cone = 0.5f, delta = 0.1f, five = 5;
	const float color[] = { 1, 0.5f, 0.25f };
	const reyes_param list[] = { { "from", from, NULL, 3 }, { "to", to, NULL, 3 },
		{ "coneangle", &cone, NULL, 1 }, { "conedeltaangle", &delta, NULL, 1 },
		{ "intensity", &five, NULL, 1 }, { "lightcolor", color, NULL, 3 } };
	const reyes_params p = { 6, list };
	reyes_renderer *r = scene_open();
	const reyes_i_light *l;

	reyes_translate(r, 0, 0, 10);
	reyes_world_begin(r);
	reyes_transform_begin(r);
	reyes_rotate(r, 90, 0, 1, 0); /* z to x, x to -z */
	SCENE_OK(reyes_light_source(r, "spotlight", "1", &p));
	SCENE_OK(reyes_light_source(r, "distantlight", "2", NULL));
	SCENE_OK(reyes_light_source(r, "pointlight", "3", NULL));
	reyes_transform_end(r);
	SCENE_OK(reyes_light_source(r, "ambientlight", "4", NULL));
	sphere(r);
	CU_ASSERT_EQUAL_FATAL(scene_attr(r, 0)->light_count, 4);
	l = light_of(r, 0, 0);
	CU_ASSERT_EQUAL(l->kind, REYES_I_LIGHT_SPOT);
	CU_ASSERT_DOUBLE_EQUAL(l->from[0], 3, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(l->from[1], 2, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(l->from[2], 9, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(l->axis[0], 1, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(l->cos_outer, cos(0.5), 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(l->cos_inner, cos(0.4), 1e-6);
	CU_ASSERT_EQUAL(l->beam, 2);
	CU_ASSERT_TRUE(l->color[0] == 5 && l->color[1] == 2.5f && l->color[2] == 1.25f);
	CU_ASSERT_EQUAL(l->shadow, REYES_I_NONE);
	CU_ASSERT_EQUAL(l->shadow_bias, 0.05f);
	l = light_of(r, 0, 1); /* from the origin to z, that is x: light comes from -x */
	CU_ASSERT_EQUAL(l->kind, REYES_I_LIGHT_DISTANT);
	CU_ASSERT_DOUBLE_EQUAL(l->to_light[0], -1, 1e-6);
	l = light_of(r, 0, 2);
	CU_ASSERT_EQUAL(l->kind, REYES_I_LIGHT_POINT);
	CU_ASSERT_DOUBLE_EQUAL(l->from[2], 10, 1e-6);
	CU_ASSERT_EQUAL(light_of(r, 0, 3)->kind, REYES_I_LIGHT_AMBIENT);
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR] + scene.messages[REYES_LEVEL_WARN], 0);
	reyes_close(&r);
}

static void the_bias_of_shadows_is_that_of_the_light_else_that_of_the_option(void)
{
	const float option = 0.5f, own = 0.25f, none = 0;
	const reyes_param bias0 = { "bias0", &option, NULL, 1 };
	const reyes_param bias = { "uniform float bias", &own, NULL, 1 };
	const reyes_param zero = { "uniform float bias", &none, NULL, 1 };
	reyes_renderer *r = scene_open();

	SCENE_OK(reyes_option(r, "shadow", &(reyes_params){ 1, &bias0 }));
	reyes_world_begin(r);
	SCENE_OK(reyes_light_source(r, "spotlight", "1", NULL));
	SCENE_OK(reyes_light_source(r, "spotlight", "2", &(reyes_params){ 1, &bias }));
	SCENE_OK(reyes_light_source(r, "distantlight", "3", &(reyes_params){ 1, &zero }));
	sphere(r);
	CU_ASSERT_EQUAL(light_of(r, 0, 0)->shadow_bias, 0.5f);
	CU_ASSERT_EQUAL(light_of(r, 0, 1)->shadow_bias, 0.25f);
	CU_ASSERT_EQUAL(light_of(r, 0, 2)->shadow_bias, 0);
	reyes_close(&r);
}

static void each_primitive_has_the_lights_that_are_on(void)
{
	reyes_renderer *r = scene_open();

	SCENE_OK(reyes_light_source(r, "ambientlight", "outer", NULL));
	reyes_world_begin(r);
	SCENE_OK(reyes_light_source(r, "pointlight", "a", NULL));
	sphere(r);
	reyes_attribute_begin(r);
	SCENE_OK(reyes_light_source(r, "distantlight", "b", NULL));
	sphere(r);
	SCENE_OK(reyes_illuminate(r, "a", 0));
	sphere(r);
	reyes_attribute_end(r);
	sphere(r);
	/* The light of the block remains defined, but off. */
	SCENE_OK(reyes_illuminate(r, "b", 1));
	SCENE_OK(reyes_illuminate(r, "outer", 0));
	SCENE_OK(reyes_illuminate(r, "outer", 0));
	sphere(r);
	SCENE_ERR(reyes_illuminate(r, "c", 1));
	SCENE_ERR(reyes_illuminate(r, NULL, 1));
	CU_ASSERT_EQUAL(scene_attr(r, 0)->light_count, 2);
	CU_ASSERT_EQUAL(scene_attr(r, 1)->light_count, 3);
	CU_ASSERT_EQUAL(scene_attr(r, 2)->light_count, 2);
	CU_ASSERT_EQUAL(light_of(r, 2, 0)->kind, REYES_I_LIGHT_AMBIENT);
	CU_ASSERT_EQUAL(light_of(r, 2, 1)->kind, REYES_I_LIGHT_DISTANT);
	CU_ASSERT_EQUAL(scene.list[3].attr, scene.list[0].attr);
	CU_ASSERT_EQUAL(scene_attr(r, 4)->light_count, 2);
	CU_ASSERT_EQUAL(light_of(r, 4, 0)->kind, REYES_I_LIGHT_POINT);
	CU_ASSERT_EQUAL(r->frame.lights.count, 3);
	reyes_world_end(r);
	/* The lights of a world end with it. */
	reyes_world_begin(r);
	sphere(r);
	CU_ASSERT_EQUAL(scene_attr(r, 5)->light_count, 1);
	SCENE_ERR(reyes_illuminate(r, "a", 1));
	reyes_close(&r);
}

static void lights_of_a_frame_end_with_it(void)
{
	reyes_renderer *r = scene_open();
	int i;

	for (i = 0; i < 3; i++) {
		reyes_frame_begin(r, i + 1);
		SCENE_OK(reyes_light_source(r, "pointlight", "1", NULL));
		reyes_world_begin(r);
		sphere(r);
		CU_ASSERT_EQUAL(scene_attr(r, (size_t)i)->light_count, 1);
		reyes_world_end(r);
		reyes_frame_end(r);
		CU_ASSERT_EQUAL(r->light_count, 0);
	}
	reyes_close(&r);
}

static void other_light_shaders_are_replaced(void)
{
	const float from[] = { 0, 0, -4 }, cone = 1;
	const char *const omni = "omni";
	const reyes_param place = { "from", from, NULL, 3 };
	const reyes_param angle = { "float coneangle", &cone, NULL, 1 };
	const reyes_param kind = { "string lighttype", NULL, &omni, 1 };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_OK(reyes_light_source(r, "glow", "1", &(reyes_params){ 1, &place }));
	SCENE_OK(reyes_light_source(r, "slide", "2", &(reyes_params){ 1, &angle }));
	SCENE_OK(reyes_light_source(r, "sun", "3", NULL));
	SCENE_OK(reyes_light_source(r, "sun", "4", NULL));
	reyes_translate(r, 0, 7, 0);
	SCENE_OK(reyes_light_source(r, "uberlight", "5", &(reyes_params){ 1, &kind }));
	sphere(r);
	CU_ASSERT_EQUAL(light_of(r, 0, 0)->kind, REYES_I_LIGHT_POINT);
	CU_ASSERT_EQUAL(light_of(r, 0, 1)->kind, REYES_I_LIGHT_SPOT);
	CU_ASSERT_EQUAL(light_of(r, 0, 2)->kind, REYES_I_LIGHT_DISTANT);
	CU_ASSERT_EQUAL(light_of(r, 0, 4)->kind, REYES_I_LIGHT_DISTANT);
	CU_ASSERT_DOUBLE_EQUAL(light_of(r, 0, 4)->to_light[1], 1, 1e-6);
	CU_ASSERT_EQUAL(scene_logged_count("shader \"sun\" is replaced by \"distantlight\""), 1);
	SCENE_ERR(reyes_light_source(r, NULL, "6", NULL));
	SCENE_ERR(reyes_light_source(r, "", "6", NULL));
	reyes_close(&r);
}

static void lights_without_a_direction_are_refused(void)
{
	const float at[] = { 1, 1, 1 };
	const reyes_param list[] = { { "from", at, NULL, 3 }, { "to", at, NULL, 3 } };
	reyes_renderer *r = scene_open();

	reyes_world_begin(r);
	SCENE_ERR(reyes_light_source(r, "distantlight", "1", &(reyes_params){ 2, list }));
	SCENE_ERR(reyes_light_source(r, "spotlight", "1", &(reyes_params){ 2, list }));
	SCENE_OK(reyes_light_source(r, "pointlight", "1", &(reyes_params){ 1, list }));
	reyes_scale(r, 0, 0, 0);
	SCENE_ERR(reyes_light_source(r, "distantlight", "2", NULL));
	reyes_close(&r);
}

static void area_lights_are_at_the_centre_of_their_geometry(void)
{
	const float points[] = { 1, 1, 0, 3, 1, 0, 3, 5, 0, 1, 5, 0 };
	const reyes_param p = { "P", points, NULL, 12 };
	reyes_renderer *r = scene_open();

	reyes_translate(r, 0, 0, 10);
	reyes_world_begin(r);
	reyes_attribute_begin(r);
	SCENE_OK(reyes_area_light_source(r, "arealight", "1", NULL));
	SCENE_OK(reyes_polygon(r, &(reyes_params){ 1, &p }));
	reyes_attribute_end(r);
	reyes_attribute_begin(r);
	reyes_translate(r, 0, 7, 0);
	SCENE_OK(reyes_area_light_source(r, "arealight", "2", NULL));
	reyes_attribute_end(r);
	SCENE_OK(reyes_illuminate(r, "1", 1));
	SCENE_OK(reyes_illuminate(r, "2", 1));
	sphere(r);
	reyes_world_end(r);
	CU_ASSERT_EQUAL(light_of(r, 1, 0)->kind, REYES_I_LIGHT_POINT);
	CU_ASSERT_DOUBLE_EQUAL(light_of(r, 1, 0)->from[0], 2, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(light_of(r, 1, 0)->from[1], 3, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(light_of(r, 1, 0)->from[2], 10, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(light_of(r, 1, 1)->from[1], 7, 1e-6);
	CU_ASSERT_EQUAL(scene_logged_count("area lights are not supported"), 1);
	/* No shader of another name replaces that of an area light. */
	SCENE_OK(reyes_area_light_source(r, "finite", "3", NULL));
	CU_ASSERT_EQUAL(scene_logged_count("is replaced by"), 0);
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_WARN], 1);
	SCENE_OK(reyes_light_source(r, "finite", "4", NULL));
	CU_ASSERT_EQUAL(scene_logged_count("shader \"finite\" is replaced by \"distantlight\""), 1);
	reyes_close(&r);
}

static void shadow_maps_and_textures_are_loaded_once_a_frame(void)
{
	const char *folder, *file = "local.mk", *source = getenv("srcdir");
	const char *broken = "/dev/../dev/null/broken";
	const reyes_param shadow = { "shadowname", NULL, &file, 1 };
	const reyes_param texture = { "texturename", NULL, &file, 1 };
	const reyes_param missing = { "texturename", NULL, &broken, 1 };
	reyes_param path = { "texture", NULL, &folder, 1 };
	reyes_renderer *r = scene_open();
	char text[1024];
	int frame, i;

	snprintf(text, sizeof(text), "%s/tests", source ? source : ".");
	folder = text;
	reyes_option(r, "searchpath", &(reyes_params){ 1, &path });
	reyes_translate(r, 0, 0, 10);
	for (frame = 0; frame < 2; frame++) {
		scene.lowered = scene.loads = scene.shadow_loads = 0;
		reyes_world_begin(r);
		SCENE_OK(reyes_light_source(r, "shadowspot", "1", &(reyes_params){ 1, &shadow }));
		SCENE_OK(
			reyes_light_source(r, "shadowdistant", "2", &(reyes_params){ 1, &shadow }));
		for (i = 0; i < 3; i++) {
			SCENE_OK(
				reyes_surface(r, "paintedplastic", &(reyes_params){ 1, &texture }));
			sphere(r);
		}
		CU_ASSERT_EQUAL(scene.loads, 2);
		CU_ASSERT_EQUAL(scene.shadow_loads, 1);
		CU_ASSERT_EQUAL(r->frame.textures.count, 2);
		CU_ASSERT_EQUAL(light_of(r, 0, 0)->shadow, light_of(r, 0, 1)->shadow);
		/* The stand-in keeps the matrix from camera to world. */
		CU_ASSERT_EQUAL(scene_texture(r, light_of(r, 0, 0)->shadow)->to_screen[14], -10);
		SCENE_OK(reyes_surface(r, "paintedplastic", &(reyes_params){ 1, &missing }));
		sphere(r);
		CU_ASSERT_EQUAL(scene_shader(r, scene_attr(r, 3)->surface)->texture, REYES_I_NONE);
		reyes_world_end(r);
	}
	CU_ASSERT_EQUAL(scene_logged_count("broken"), 1);
	reyes_close(&r);
}

static void the_picture_is_used_where_its_texture_does_not_exist(void)
{
	const char *name = "scene_light_test.tex", *file = "scene_light_test.tif";
	const reyes_param texture = { "texturename", NULL, &name, 1 };
	const reyes_param shadow = { "shadowname", NULL, &name, 1 };
	reyes_renderer *r = scene_open();
	FILE *f = fopen(file, "wb");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fclose(f);
	reyes_world_begin(r);
	SCENE_OK(reyes_surface(r, "paintedplastic", &(reyes_params){ 1, &texture }));
	SCENE_OK(reyes_light_source(r, "shadowspot", "1", &(reyes_params){ 1, &shadow }));
	sphere(r);
	remove(file);
	CU_ASSERT_STRING_EQUAL(scene.loaded, file);
	CU_ASSERT_EQUAL(scene.loads, 1); /* no picture is a shadow map */
	CU_ASSERT_TRUE(
		scene_logged("texture \"scene_light_test.tex\" is not found; \"scene_light"));
	CU_ASSERT_EQUAL(scene_shader(r, scene_attr(r, 0)->surface)->texture, 0);
	CU_ASSERT_EQUAL(light_of(r, 0, 0)->shadow, REYES_I_NONE);
	reyes_close(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "lights are converted to camera space", lights_are_converted_to_camera_space },
		{ "the bias of shadows is that of the light, else that of the option",
			the_bias_of_shadows_is_that_of_the_light_else_that_of_the_option },
		{ "each primitive has the lights that are on",
			each_primitive_has_the_lights_that_are_on },
		{ "lights of a frame end with it", lights_of_a_frame_end_with_it },
		{ "other light shaders are replaced", other_light_shaders_are_replaced },
		{ "lights without a direction are refused",
			lights_without_a_direction_are_refused },
		{ "area lights are at the centre of their geometry",
			area_lights_are_at_the_centre_of_their_geometry },
		{ "shadow maps and textures are loaded once a frame",
			shadow_maps_and_textures_are_loaded_once_a_frame },
		{ "the picture is used where its texture does not exist",
			the_picture_is_used_where_its_texture_does_not_exist },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("lights", tests);
}
