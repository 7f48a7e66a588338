/* Motion blocks of transforms, cameras and geometry, against the positions in double precision. */
#include "tests/reyes/scene_setup.h"

static const double pi = 3.14159265358979323846;

/* The place of a point at a time by the record of call i: between keys as the frame states it. */
static void place_at(size_t i, double time, const double p[3], double out[3])
{
	const reyes_i_motion *m = &scene.list[i].motion;
	size_t k = 0;
	double part = 0;
	int j;

	while (k + 2 < m->count && (double)m->times[k + 1] <= time)
		k++;
	if (m->count > 1)
		part = (time - (double)m->times[k]) /
		       ((double)m->times[k + 1] - (double)m->times[k]);
	for (j = 0; j < 3; j++) {
		const double *a = m->matrix[k];
		const double *b = m->matrix[m->count > 1 ? k + 1 : k];
		const double at_a = p[0] * a[j] + p[1] * a[4 + j] + p[2] * a[8 + j] + a[12 + j];
		const double at_b = p[0] * b[j] + p[1] * b[4 + j] + p[2] * b[8 + j] + b[12 + j];

		out[j] = (1 - part) * at_a + part * at_b;
	}
}

static void sphere(reyes_renderer *r)
{
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, NULL));
}

static void a_translation_is_linear_and_clipped_to_the_shutter(void)
{
	const float times[] = { 0, 1 };
	const double origin[3] = { 0, 0, 0 };
	reyes_renderer *r = scene_open();
	double p[3], t;

	reyes_shutter(r, 0.25f, 0.5f);
	reyes_world_begin(r);
	SCENE_OK(reyes_motion_begin(r, 2, times));
	SCENE_OK(reyes_translate(r, 0, 0, 0));
	SCENE_OK(reyes_translate(r, 8, 0, 0));
	SCENE_OK(reyes_motion_end(r));
	reyes_translate(r, 0, 1, 0);
	sphere(r);
	CU_ASSERT_EQUAL(scene.list[0].motion.count, 2);
	CU_ASSERT_EQUAL(scene.list[0].motion.times[0], 0.25f);
	CU_ASSERT_EQUAL(scene.list[0].motion.times[1], 0.5f);
	for (t = 0.25; t <= 0.5; t += 0.05) {
		place_at(0, t, origin, p);
		CHECK(fabs(p[0] - 8 * t) < 1e-6 && fabs(p[1] - 1) < 1e-6, "at %g: %g", t, p[0]);
	}
	reyes_close(&r);
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR], 0);
}

static void without_an_open_shutter_there_is_one_key(void)
{
	const float times[] = { 0, 1 };
	const double origin[3] = { 0, 0, 0 };
	reyes_renderer *r = scene_open();
	double p[3];

	reyes_shutter(r, 0.5f, 0.5f);
	reyes_world_begin(r);
	reyes_motion_begin(r, 2, times);
	reyes_translate(r, 0, 0, 0);
	reyes_translate(r, 8, 0, 0);
	reyes_motion_end(r);
	reyes_motion_begin(r, 2, times);
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, NULL));
	SCENE_OK(reyes_sphere(r, 3, -3, 3, 360, NULL));
	SCENE_OK(reyes_motion_end(r));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 1);
	CU_ASSERT_EQUAL(scene.list[0].motion.count, 1);
	place_at(0, 0, origin, p);
	CU_ASSERT_DOUBLE_EQUAL(p[0], 4, 1e-6);
	CU_ASSERT_EQUAL(scene.list[0].key_count, 1);
	CU_ASSERT_DOUBLE_EQUAL(scene.list[0].args[0], 2, 1e-6);
	reyes_close(&r);
}

static void a_rotation_stays_close_to_its_arc(void)
{
	static const double turns[] = { 5, 30, 90, 180, 360, -270 };
	const float times[] = { 0, 1 };
	const double start[3] = { 1, 0, 0 };
	size_t i;

	for (i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		/* 15 intervals at most; the chord of a step is 1 - cos(step / 2) inside the arc. */
		const double step = fmax(10, fabs(turns[i]) / 15 * 1.11);
		reyes_renderer *r = scene_open();
		double p[3], t;

		reyes_shutter(r, 0, 1);
		reyes_world_begin(r);
		reyes_motion_begin(r, 2, times);
		reyes_rotate(r, 20, 0, 0, 1);
		reyes_rotate(r, (float)(20 + turns[i]), 0, 0, 2);
		reyes_motion_end(r);
		sphere(r);
		for (t = 0; t <= 1; t += 1.0 / 64) {
			const double angle = (20 + turns[i] * t) * pi / 180;
			const double most = 1.2 * (1 - cos(step / 2 * pi / 180)) + 1e-6;

			place_at(0, t, start, p);
			CHECK(hypot(p[0] - cos(angle), p[1] - sin(angle)) < most,
				"turn %g at %g: %g %g, bound %g", turns[i], t, p[0], p[1], most);
		}
		reyes_close(&r);
	}
}

static void moving_transforms_are_concatenated(void)
{
	const float outer[] = { 0, 0.5f, 1 }, inner[] = { 0, 0.25f, 1 };
	const double start[3] = { 1, 0, 0 };
	reyes_renderer *r = scene_open();
	double p[3];
	size_t k;

	reyes_shutter(r, 0, 1);
	reyes_motion_begin(r, 3, outer); /* the camera */
	reyes_translate(r, 0, 0, 5);
	reyes_translate(r, 0, 1, 5);
	reyes_translate(r, 0, 1, 7);
	reyes_motion_end(r);
	reyes_world_begin(r);
	reyes_motion_begin(r, 3, inner);
	reyes_scale(r, 1, 1, 1);
	reyes_scale(r, 3, 1, 1);
	reyes_scale(r, 3, 1, 1);
	reyes_motion_end(r);
	sphere(r);
	CU_ASSERT_EQUAL_FATAL(scene.list[0].motion.count, 4);
	for (k = 0; k < 4; k++) {
		const double t = (double)scene.list[0].motion.times[k];
		const double sx = t < 0.25 ? 1 + 8 * t : 3, y = t < 0.5 ? 2 * t : 1;
		const double z = t < 0.5 ? 5 : 5 + 4 * (t - 0.5);

		place_at(0, t, start, p);
		CHECK(fabs(p[0] - sx) < 1e-6 && fabs(p[1] - y) < 1e-6 && fabs(p[2] - z) < 1e-6,
			"at %g: %g %g %g", t, p[0], p[1], p[2]);
	}
	/* Transform in a motion block replaces the motion of objects, not that of the camera. */
	reyes_motion_begin(r, 2, outer);
	reyes_identity(r);
	reyes_identity(r);
	reyes_motion_end(r);
	sphere(r);
	place_at(1, 1, start, p);
	CU_ASSERT_DOUBLE_EQUAL(p[0], 1, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(p[2], 7, 1e-6);
	reyes_close(&r);
}

static void more_keys_than_a_transform_has_are_sampled_again(void)
{
	enum { TIMES = 60 };
	const double start[3] = { 0, 0, 0 };
	float times[TIMES];
	reyes_renderer *r = scene_open();
	double p[3], t;
	int i, turn;

	for (i = 0; i < TIMES; i++)
		times[i] = (float)i / (TIMES - 1);
	reyes_shutter(r, 0, 1);
	reyes_world_begin(r);
	for (turn = 0; turn < 2; turn++) {
		SCENE_OK(reyes_motion_begin(r, TIMES, times));
		for (i = 0; i < TIMES; i++)
			SCENE_OK(reyes_translate(r, times[i], 0, 0));
		SCENE_OK(reyes_motion_end(r));
	}
	sphere(r);
	CU_ASSERT_TRUE(scene.list[0].motion.count <= REYES_I_KEYS_MAX);
	for (t = 0; t <= 1; t += 0.1) {
		place_at(0, t, start, p);
		CU_ASSERT_DOUBLE_EQUAL(p[0], 2 * t, 1e-5);
	}
	SCENE_OK(reyes_motion_begin(r, TIMES, times));
	for (i = 0; i < TIMES; i++)
		SCENE_OK(reyes_sphere(r, 1 + times[i], -1, 1, 360, NULL));
	SCENE_OK(reyes_motion_end(r));
	CU_ASSERT_EQUAL(scene.list[1].key_count, REYES_I_KEYS_MAX);
	for (i = 0; i < REYES_I_KEYS_MAX; i++)
		CU_ASSERT_DOUBLE_EQUAL(
			scene.list[1].key_args[i], 1 + scene.list[1].key_times[i], 1e-5);
	reyes_close(&r);
}

static void geometry_has_keys_from_open_to_close(void)
{
	const float times[] = { -1, 0.25f, 3 };
	const float p0[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, p1[] = { 0, 0, 4, 1, 0, 4, 0, 1, 4 };
	const float p2[] = { 0, 0, 8, 1, 0, 8, 0, 1, 8 };
	const float *const all[] = { p0, p1, p2 };
	reyes_renderer *r = scene_open();
	int i;

	reyes_shutter(r, 0, 1);
	reyes_world_begin(r);
	SCENE_OK(reyes_motion_begin(r, 3, times));
	for (i = 0; i < 3; i++)
		SCENE_OK(reyes_polygon(
			r, &(reyes_params){ 1, &(reyes_param){ "P", all[i], NULL, 9 } }));
	CU_ASSERT_EQUAL(scene.lowered, 0);
	SCENE_OK(reyes_motion_end(r));
	CU_ASSERT_EQUAL_FATAL(scene.lowered, 1);
	CU_ASSERT_EQUAL_FATAL(scene.list[0].key_count, 3);
	CU_ASSERT_EQUAL(scene.list[0].key_times[0], 0);
	CU_ASSERT_EQUAL(scene.list[0].key_times[1], 0.25f);
	CU_ASSERT_EQUAL(scene.list[0].key_times[2], 1);
	CU_ASSERT_DOUBLE_EQUAL(scene.list[0].points[2], 4 * 1 / 1.25, 1e-5);
	/* All keys before the shutter: the last value holds. */
	reyes_motion_begin(r, 2, (const float[]){ -2, -1 });
	reyes_sphere(r, 1, -1, 1, 360, NULL);
	reyes_sphere(r, 5, -1, 1, 360, NULL);
	reyes_motion_end(r);
	CU_ASSERT_EQUAL(scene.list[1].key_args[0], 5);
	CU_ASSERT_EQUAL(scene.list[1].key_args[scene.list[1].key_count - 1], 5);
	reyes_close(&r);
}

static void attributes_in_motion_blocks_have_their_first_value(void)
{
	const float times[] = { 0, 1 }, red[] = { 1, 0, 0 }, blue[] = { 0, 0, 1 };
	reyes_renderer *r = scene_open();
	int i;

	reyes_world_begin(r);
	for (i = 0; i < 2; i++) {
		reyes_motion_begin(r, 2, times);
		SCENE_OK(reyes_color(r, red, 3));
		SCENE_OK(reyes_color(r, blue, 3));
		SCENE_OK(reyes_motion_end(r));
	}
	sphere(r);
	CU_ASSERT_EQUAL(scene_attr(r, 0)->color[0], 1);
	CU_ASSERT_EQUAL(scene_attr(r, 0)->color[2], 0);
	CU_ASSERT_EQUAL(scene_logged_count("Color: changes over time"), 1);
	reyes_close(&r);
}

static void wrong_motion_blocks_are_reported_and_the_scene_goes_on(void)
{
	const float times[] = { 0, 1 }, wrong[] = { 1, 1 }, endless[] = { 0, NAN };
	reyes_renderer *r = scene_open();

	reyes_shutter(r, 0, 1);
	reyes_world_begin(r);
	SCENE_ERR(reyes_motion_end(r));
	for (int i = 0; i < 4; i++) {
		/* The first request of a block with wrong times counts. */
		SCENE_ERR(reyes_motion_begin(r, i ? 2 : 0,
			i < 2    ? NULL
			: i == 2 ? wrong
				 : endless));
		SCENE_OK(reyes_translate(r, (float)i, 0, 0));
		SCENE_OK(reyes_translate(r, 50, 0, 0));
		SCENE_OK(reyes_motion_end(r));
	}
	SCENE_OK(reyes_motion_begin(r, 2, times));
	SCENE_OK(reyes_translate(r, 0, 0, 1));
	SCENE_ERR(reyes_scale(r, 1, 1, 1)); /* another request */
	SCENE_ERR(reyes_motion_begin(r, 2, times));
	SCENE_ERR(reyes_coord_sys_transform(r, "world"));
	SCENE_OK(reyes_translate(r, 0, 0, 2));
	SCENE_ERR(reyes_translate(r, 0, 0, 3));
	SCENE_OK(reyes_motion_end(r));
	sphere(r);
	CU_ASSERT_EQUAL(scene.list[0].motion.matrix[1][14], 2);
	CU_ASSERT_EQUAL(scene.list[0].motion.matrix[0][12], 6);
	/* A block without its last request. */
	reyes_motion_begin(r, 2, times);
	reyes_sphere(r, 1, -1, 1, 360, NULL);
	SCENE_ERR(reyes_motion_end(r));
	CU_ASSERT_EQUAL(scene.lowered, 2);
	/* Shapes that differ. */
	reyes_motion_begin(r, 2, times);
	reyes_sphere(r, 1, -1, 1, 360, NULL);
	SCENE_ERR(reyes_sphere(r, 1, -1, 1, 360,
		&(reyes_params){ 1, &(reyes_param){ "constant float s", times, NULL, 1 } }));
	reyes_motion_end(r);
	/* A block inside the motion block ends it. */
	reyes_motion_begin(r, 2, times);
	SCENE_OK(reyes_attribute_begin(r));
	SCENE_OK(reyes_attribute_end(r));
	CU_ASSERT_TRUE(scene_logged("AttributeBegin: a motion block is open; it ends here"));
	reyes_motion_begin(r, 2, times);
	SCENE_ERR(reyes_world_end(r));
	CU_ASSERT_EQUAL(r->frame_ready, 1);
	reyes_close(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a translation is linear and clipped to the shutter",
			a_translation_is_linear_and_clipped_to_the_shutter },
		{ "without an open shutter there is one key",
			without_an_open_shutter_there_is_one_key },
		{ "a rotation stays close to its arc", a_rotation_stays_close_to_its_arc },
		{ "moving transforms are concatenated", moving_transforms_are_concatenated },
		{ "more keys than a transform has are sampled again",
			more_keys_than_a_transform_has_are_sampled_again },
		{ "geometry has keys from open to close", geometry_has_keys_from_open_to_close },
		{ "attributes in motion blocks have their first value",
			attributes_in_motion_blocks_have_their_first_value },
		{ "wrong motion blocks are reported and the scene goes on",
			wrong_motion_blocks_are_reported_and_the_scene_goes_on },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("motion", tests);
}
