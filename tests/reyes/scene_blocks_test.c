/* Blocks, objects and solids: nesting, saving, errors. */
#include "tests/reyes/scene_setup.h"

static void sphere(reyes_renderer *r)
{
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, NULL));
}

static void unbalanced_ends_are_errors_without_effect(void)
{
	reyes_renderer *r = scene_open();

	SCENE_ERR(reyes_world_end(r));
	SCENE_ERR(reyes_frame_end(r));
	SCENE_ERR(reyes_attribute_end(r));
	SCENE_ERR(reyes_object_end(r));
	SCENE_ERR(reyes_solid_end(r));
	CU_ASSERT_TRUE(scene_logged("WorldEnd: there is no WorldBegin that it ends"));
	CU_ASSERT_STRING_EQUAL(
		reyes_last_error(r), "SolidEnd: there is no SolidBegin that it ends");
	reyes_world_begin(r);
	reyes_attribute_begin(r);
	/* The end of an attribute block does not end the world around it. */
	SCENE_OK(reyes_attribute_end(r));
	SCENE_ERR(reyes_attribute_end(r));
	SCENE_ERR(reyes_frame_end(r));
	sphere(r);
	SCENE_OK(reyes_world_end(r));
	CU_ASSERT_EQUAL(r->frame_ready, 1);
	CU_ASSERT_EQUAL(scene.lowered, 1);
	reyes_close(&r);
}

static void open_blocks_are_closed_by_the_end_around_them(void)
{
	const float red[] = { 1, 0, 0 };
	reyes_renderer *r = scene_open();

	reyes_frame_begin(r, 3);
	reyes_world_begin(r);
	reyes_attribute_begin(r);
	reyes_color(r, red, 3);
	reyes_transform_begin(r);
	reyes_translate(r, 1, 0, 0);
	SCENE_ERR(reyes_attribute_end(r)); /* TransformBegin is open */
	CU_ASSERT_TRUE(scene_logged("AttributeEnd: a block of TransformBegin is open"));
	sphere(r);
	CU_ASSERT_EQUAL(scene.list[0].motion.matrix[0][12], 0);
	CU_ASSERT_EQUAL(scene_attr(r, 0)->color[1], 1);
	reyes_transform_begin(r);
	reyes_solid_begin(r, "union");
	SCENE_ERR(reyes_world_end(r));
	CU_ASSERT_EQUAL(r->frame_ready, 1);
	CU_ASSERT_EQUAL(r->in_world, 0);
	SCENE_OK(reyes_frame_end(r));
	CU_ASSERT_EQUAL(r->block_count, 0);
	reyes_close(&r);
}

static void errors_of_a_kind_are_counted(void)
{
	const float one = 1;
	const reyes_param bad = { "P", &one, NULL, 1 };
	reyes_renderer *r = scene_open();
	size_t errors;
	int i;

	reyes_world_begin(r);
	for (i = 0; i < 200000; i++)
		SCENE_OK(reyes_attribute_begin(r));
	SCENE_ERR(reyes_world_end(r));
	CU_ASSERT_EQUAL(r->block_count, 0);
	CU_ASSERT_EQUAL(scene_logged_count("WorldEnd: a block of AttributeBegin is open"), 5 + 1);
	CU_ASSERT_TRUE(
		scene_logged("and 199995 more like \"WorldEnd: a block of AttributeBegin is"));
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR], 6);
	/* Each world counts from the beginning, and each kind by itself. */
	reyes_world_begin(r);
	for (i = 0; i < 7; i++) {
		SCENE_ERR(reyes_illuminate(r, "none", 1));
		SCENE_ERR(reyes_polygon(r, &(reyes_params){ 1, &bad }));
	}
	SCENE_OK(reyes_world_end(r));
	CU_ASSERT_TRUE(scene_logged("and 2 more like \"Illuminate: there is no light"));
	CU_ASSERT_TRUE(scene_logged("and 2 more like \"Polygon: "));
	errors = scene.messages[REYES_LEVEL_ERROR];
	CU_ASSERT_EQUAL(errors, 6 + 3 * 6); /* a polygon has two errors */
	/* The end of the input ends the counts, too. */
	for (i = 0; i < 9; i++)
		SCENE_OK(reyes_transform_begin(r));
	reyes_i_scene_end_of_input(r);
	CU_ASSERT_TRUE(
		scene_logged("and 4 more like \"a block of TransformBegin is open at the end"));
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR], errors + 6);
	reyes_close(&r);
}

static void the_end_of_the_input_closes_and_reports_everything(void)
{
	reyes_renderer *r = scene_open();

	reyes_frame_begin(r, 1);
	reyes_world_begin(r);
	reyes_attribute_begin(r);
	reyes_motion_begin(r, 1, (const float[]){ 0 });
	reyes_i_scene_end_of_input(r);
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR], 5); /* one for the missing request */
	CU_ASSERT_TRUE(scene_logged("FrameBegin is open at the end of the input"));
	CU_ASSERT_EQUAL(r->block_count, 0);
	CU_ASSERT_EQUAL(r->frame_ready, 1);
	reyes_i_scene_end_of_input(r);
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR], 5);
	reyes_close(&r);
}

static void illegal_beginnings_have_an_end_without_effect(void)
{
	reyes_renderer *r = scene_open();

	reyes_frame_begin(r, 1);
	SCENE_ERR(reyes_frame_begin(r, 2));
	SCENE_ERR(reyes_sphere(r, 1, -1, 1, 360, NULL)); /* outside the world */
	SCENE_ERR(reyes_solid_begin(r, "union"));
	SCENE_OK(reyes_solid_end(r));
	SCENE_OK(reyes_frame_end(r));
	SCENE_OK(reyes_world_begin(r));
	SCENE_ERR(reyes_world_begin(r));
	SCENE_ERR(reyes_frame_begin(r, 3));
	SCENE_OK(reyes_frame_end(r));
	SCENE_OK(reyes_world_end(r));
	CU_ASSERT_EQUAL(r->frame_ready, 0);
	sphere(r);
	SCENE_OK(reyes_world_end(r));
	CU_ASSERT_EQUAL(r->frame_ready, 1);
	CU_ASSERT_EQUAL(r->world, 1);
	SCENE_OK(reyes_frame_end(r));
	SCENE_ERR(reyes_frame_end(r));
	reyes_close(&r);
}

static void deep_nesting_is_bounded_by_memory_only(void)
{
	enum { DEPTH = 200000 };
	const float red[] = { 1, 0, 0 };
	reyes_renderer *r = scene_open();
	int i;

	reyes_world_begin(r);
	reyes_color(r, red, 3);
	for (i = 0; i < DEPTH; i++) {
		if (reyes_attribute_begin(r) != REYES_OK || reyes_transform_begin(r) != REYES_OK)
			break;
		reyes_translate(r, 1, 0, 0);
	}
	CU_ASSERT_EQUAL(i, DEPTH);
	sphere(r);
	CU_ASSERT_EQUAL(scene.list[0].motion.matrix[0][12], DEPTH);
	for (i = 0; i < DEPTH; i++) {
		reyes_transform_end(r);
		reyes_attribute_end(r);
	}
	sphere(r);
	CU_ASSERT_EQUAL(scene.list[1].motion.matrix[0][12], 0);
	CU_ASSERT_EQUAL(scene.list[1].attr, scene.list[0].attr);
	SCENE_OK(reyes_world_end(r));
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR], 0);
	reyes_close(&r);
}

static void positions_in_the_file_precede_messages(void)
{
	reyes_renderer *r = scene_open();

	r->rib = (struct reyes_i_rib *)r;
	SCENE_ERR(reyes_sides(r, 3));
	CU_ASSERT_TRUE(scene_logged("a.rib:1:2: Sides: 3 is neither 1 nor 2"));
	CU_ASSERT_STRING_EQUAL(reyes_last_error(r), "Sides: 3 is neither 1 nor 2");
	SCENE_OK(reyes_error_handler(r, "ignore"));
	SCENE_ERR(reyes_sides(r, 4));
	CU_ASSERT_FALSE(scene_logged("Sides: 4"));
	SCENE_OK(reyes_error_handler(r, "abort"));
	CU_ASSERT_EQUAL(r->options.strict, 1);
	SCENE_OK(reyes_error_handler(r, "print"));
	CU_ASSERT_EQUAL(r->options.strict, 0);
	SCENE_ERR(reyes_error_handler(r, "shout"));
	reyes_close(&r);
	CU_ASSERT_EQUAL(scene.rib_destroyed, 1);
	CU_ASSERT_PTR_NULL(r);
}

/* ---- objects ---- */

static void instances_have_the_attributes_and_the_space_of_their_request(void)
{
	const float red[] = { 1, 0, 0 };
	reyes_renderer *r = scene_open();

	SCENE_OK(reyes_object_begin(r, "two"));
	reyes_translate(r, 1, 0, 0);
	sphere(r);
	reyes_translate(r, 1, 0, 0);
	SCENE_OK(reyes_cone(r, 1, 1, 360, NULL));
	SCENE_OK(reyes_object_end(r));
	CU_ASSERT_EQUAL(scene.lowered, 0);
	reyes_translate(r, 0, 0, 10);
	reyes_world_begin(r);
	SCENE_OK(reyes_object_instance(r, "two"));
	reyes_attribute_begin(r);
	reyes_color(r, red, 3);
	reyes_scale(r, -2, 1, 1);
	SCENE_OK(reyes_object_instance(r, "two"));
	reyes_attribute_end(r);
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 4);
	CU_ASSERT_STRING_EQUAL(scene.list[1].request, "Cone");
	CU_ASSERT_EQUAL(scene.list[1].motion.matrix[0][12], 2);
	CU_ASSERT_EQUAL(scene.list[1].motion.matrix[0][14], 10);
	CU_ASSERT_EQUAL(scene.list[3].motion.matrix[0][12], -4);
	CU_ASSERT_EQUAL(scene_attr(r, 0)->color[1], 1);
	CU_ASSERT_EQUAL(scene_attr(r, 2)->color[1], 0);
	CU_ASSERT_FALSE(scene_attr(r, 0)->flags & REYES_I_ATTR_FLIP);
	CU_ASSERT_TRUE(scene_attr(r, 2)->flags & REYES_I_ATTR_FLIP);
	SCENE_ERR(reyes_object_instance(r, "three"));
	SCENE_ERR(reyes_object_instance(r, NULL));
	reyes_close(&r);
}

static void attributes_that_an_object_sets_count_for_its_instances(void)
{
	const float red[] = { 1, 0, 0 }, blue[] = { 0, 0, 1 }, half[] = { 0.5f, 0.5f, 0.5f };
	reyes_renderer *r = scene_open();

	reyes_reverse_orientation(r);
	SCENE_OK(reyes_object_begin(r, "o"));
	reyes_attribute_begin(r);
	reyes_color(r, blue, 3);
	sphere(r);
	reyes_attribute_end(r);
	reyes_surface(r, "matte", NULL);
	reyes_sides(r, 1);
	reyes_reverse_orientation(r);
	sphere(r);
	SCENE_ERR(reyes_light_source(r, "pointlight", "1", NULL));
	SCENE_OK(reyes_object_end(r));
	reyes_reverse_orientation(r);
	reyes_world_begin(r);
	reyes_color(r, red, 3);
	reyes_opacity(r, half, 3);
	reyes_surface(r, "plastic", NULL);
	SCENE_OK(reyes_object_instance(r, "o"));
	sphere(r);
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 3);
	CU_ASSERT_TRUE(scene_attr(r, 0)->color[2] == 1 && scene_attr(r, 0)->color[0] == 0);
	CU_ASSERT_TRUE(scene_attr(r, 0)->opacity[0] == 0.5f);
	CU_ASSERT_EQUAL(scene_shader(r, scene_attr(r, 0)->surface)->kind, REYES_I_SURFACE_PLASTIC);
	CU_ASSERT_FALSE(scene_attr(r, 0)->flags & REYES_I_ATTR_FLIP);
	CU_ASSERT_TRUE(scene_attr(r, 1)->color[0] == 1);
	CU_ASSERT_EQUAL(scene_shader(r, scene_attr(r, 1)->surface)->kind, REYES_I_SURFACE_MATTE);
	CU_ASSERT_EQUAL(scene_attr(r, 1)->flags, REYES_I_ATTR_FLIP);
	/* What follows the instance has its own attributes. */
	CU_ASSERT_EQUAL(scene_attr(r, 2)->flags, REYES_I_ATTR_TWO_SIDES);
	CU_ASSERT_TRUE(scene_attr(r, 2)->color[0] == 1);
	reyes_close(&r);
}

static void moving_objects_and_redefinitions_are_drawn(void)
{
	const float times[] = { 0, 1 };
	reyes_renderer *r = scene_open();

	reyes_shutter(r, 0, 1);
	reyes_world_begin(r);
	SCENE_OK(reyes_object_begin(r, "a"));
	reyes_motion_begin(r, 2, times);
	reyes_sphere(r, 1, -1, 1, 360, NULL);
	reyes_sphere(r, 2, -1, 1, 360, NULL);
	SCENE_OK(reyes_motion_end(r));
	SCENE_ERR(reyes_object_begin(r, "b"));
	SCENE_OK(reyes_object_end(r));
	SCENE_ERR(reyes_object_instance(r, "a"));
	SCENE_OK(reyes_object_end(r));
	reyes_motion_begin(r, 2, times);
	reyes_translate(r, 0, 0, 0);
	reyes_translate(r, 1, 0, 0);
	reyes_motion_end(r);
	SCENE_OK(reyes_object_instance(r, "a"));
	SCENE_OK(reyes_object_instance(r, "a"));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 2);
	CU_ASSERT_EQUAL(scene.list[1].key_count, 2);
	CU_ASSERT_EQUAL(scene.list[1].key_args[1], 2);
	CU_ASSERT_EQUAL(scene.list[1].motion.count, 2);
	SCENE_OK(reyes_object_begin(r, "a"));
	reyes_disk(r, 1, 1, 360, NULL);
	SCENE_OK(reyes_object_end(r));
	SCENE_OK(reyes_object_instance(r, "a"));
	CU_ASSERT_EQUAL(scene.lowered, 3);
	CU_ASSERT_EQUAL(scene.list[2].kind, REYES_I_SHAPE_DISK);
	reyes_close(&r);
}

/* ---- solids ---- */

static void solids_make_a_tree(void)
{
	reyes_renderer *r = scene_open();
	const reyes_i_solid *s;

	reyes_world_begin(r);
	SCENE_OK(reyes_solid_begin(r, "difference"));
	SCENE_ERR(reyes_sphere(r, 1, -1, 1, 360, NULL));
	SCENE_OK(reyes_solid_begin(r, "primitive"));
	reyes_translate(r, 1, 0, 0);
	sphere(r);
	SCENE_ERR(reyes_solid_begin(r, "union"));
	sphere(r);
	SCENE_OK(reyes_solid_end(r));
	SCENE_OK(reyes_solid_end(r));
	SCENE_OK(reyes_solid_begin(r, "union"));
	SCENE_OK(reyes_solid_begin(r, "primitive"));
	sphere(r);
	SCENE_OK(reyes_solid_end(r));
	SCENE_OK(reyes_solid_end(r));
	SCENE_OK(reyes_solid_end(r));
	SCENE_OK(reyes_solid_begin(r, "primitive"));
	sphere(r);
	SCENE_OK(reyes_solid_end(r));
	sphere(r);
	SCENE_OK(reyes_world_end(r));
	s = r->frame.solids.list;
	CU_ASSERT_EQUAL_FATAL(r->frame.solids.count, 5);
	CU_ASSERT_TRUE(s[0].kind == REYES_I_SOLID_DIFFERENCE && s[0].parent == REYES_I_NONE);
	CU_ASSERT_TRUE(s[1].kind == REYES_I_SOLID_PRIMITIVE && s[1].parent == 0 && s[1].place == 0);
	CU_ASSERT_TRUE(s[2].kind == REYES_I_SOLID_UNION && s[2].parent == 0 && s[2].place == 1);
	CU_ASSERT_TRUE(s[3].parent == 2 && s[3].place == 0 && s[3].root == 0);
	CU_ASSERT_TRUE(s[4].parent == REYES_I_NONE && s[4].root == 4);
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 5);
	CU_ASSERT_EQUAL(scene_attr(r, 0)->solid, 1);
	CU_ASSERT_EQUAL(scene_attr(r, 1)->solid, 1);
	CU_ASSERT_EQUAL(scene_attr(r, 2)->solid, 3);
	CU_ASSERT_EQUAL(scene.list[2].motion.matrix[0][12], 0); /* solids save transforms */
	CU_ASSERT_EQUAL(scene_attr(r, 3)->solid, REYES_I_NONE); /* a tree of one primitive */
	CU_ASSERT_EQUAL(scene_attr(r, 4)->solid, REYES_I_NONE);
	SCENE_ERR(reyes_solid_begin(r, "xor"));
	reyes_close(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "unbalanced ends are errors without effect",
			unbalanced_ends_are_errors_without_effect },
		{ "open blocks are closed by the end around them",
			open_blocks_are_closed_by_the_end_around_them },
		{ "errors of a kind are counted", errors_of_a_kind_are_counted },
		{ "the end of the input closes and reports everything",
			the_end_of_the_input_closes_and_reports_everything },
		{ "illegal beginnings have an end without effect",
			illegal_beginnings_have_an_end_without_effect },
		{ "deep nesting is bounded by memory only",
			deep_nesting_is_bounded_by_memory_only },
		{ "positions in the file precede messages",
			positions_in_the_file_precede_messages },
		{ "instances have the attributes and the space of their request",
			instances_have_the_attributes_and_the_space_of_their_request },
		{ "attributes that an object sets count for its instances",
			attributes_that_an_object_sets_count_for_its_instances },
		{ "moving objects and redefinitions are drawn",
			moving_objects_and_redefinitions_are_drawn },
		{ "solids make a tree", solids_make_a_tree },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("blocks", tests);
}
