/* The moved camera: reyes_move_frame against the scene that is read again with reyes_move_camera.
 * The scene read again is transformed in double precision from object space, the moved frame from
 * floats of camera space. So the pictures are equal to the bit where products are exact, as for
 * quarter turns; else an edge within half a unit in the last place of a sample may cover another
 * one, and a rate of dicing may round to another number: PSNR >= 60 dB. */
#include "tests/reyes/fly_setup.h"
#include "tests/common/effort.h"

/* Pixels that differ in depth by more than 1e-4 of it. */
static size_t depths_apart(const still *a, const still *b)
{
	size_t count = 0;

	for (size_t k = 0; k < (size_t)a->width * a->height; k++)
		count += isinf(a->z[k]) != isinf(b->z[k]) ||
			 (!isinf(a->z[k]) && fabsf(a->z[k] - b->z[k]) > 1e-4f * a->z[k]);
	return count;
}

/* Writes light.shd, a shadow map of the scene "a shadow map", image.tex and image.env. */
static void make_files(void)
{
	static const char map[] =
		"Format 256 256 1\nPixelSamples 1 1\nDisplay \"light.z\" \"zfile\" \"z\"\n"
		"Projection \"perspective\" \"fov\" 90\nRotate -90 1 0 0\nTranslate 0 -3 0\n"
		"WorldBegin\nPolygon \"P\" [-2 -.6 -2 2 -.6 -2 2 -.6 2 -2 -.6 2]\n"
		"Sphere .5 -.5 .5 360\nWorldEnd\nMakeShadow \"light.z\" \"light.shd\"\n"
		"MakeTexture \"image.png\" \"image.tex\" \"periodic\" \"periodic\" \"box\" 1 1\n"
		"MakeCubeFaceEnvironment \"image.png\" \"image.png\" \"image.png\" \"image.png\" "
		"\"image.png\" \"image.png\" \"image.env\" 100 \"box\" 1 1\n"
		"WorldBegin\nWorldEnd\n";
	reyes_renderer *r = opened();
	still s;

	write_waves("image.png", 64);
	read_text(r, map);
	take(r, &s);
	still_free(&s);
	MUST(reyes_write_displays(r) == REYES_OK, "%s", reyes_last_error(r));
	MUST(reyes_rib_next_frame(r) == REYES_OK && !messages.message[0], "%s", messages.message);
	reyes_close(&r);
}

/* ---- reyes_move_frame ---- */

/* Pictures of a scene: as it is, moved, and read again with the movement. */
static void take_three(
	const char *text, const float m[16], still *still_0, still *moved, still *again)
{
	reyes_renderer *r = opened();

	read_text(r, text);
	take(r, still_0);
	MUST(reyes_move_frame(r, m) == REYES_OK, "%s", reyes_last_error(r));
	take(r, moved);
	reyes_close(&r);
	take_read(text, m, again);
}

static void quarter_turns_equal_the_scene_read_again_to_the_bit(void)
{
	static char text[1 << 16];

	make_files();
	for (int k = 0; k < FLY_SCENES; k++) {
		const fly_scene *s = &fly_scenes[k];
		still a, b, c;

		scene_text(text, sizeof(text), s, "");
		take_three(text, quarter, &a, &b, &c);
		CHECK(!messages.message[0] || strstr(messages.message, "LightSource"), "%s: %s",
			s->name, messages.message);
		CHECK(same_bits(&b, &c), "%s: PSNR %g dB, %zu depths", s->name, psnr(&b, &c),
			depths_apart(&b, &c));
		CHECK(psnr(&a, &b) < 30, "%s: the movement is visible, PSNR %g dB", s->name,
			psnr(&a, &b));
		still_free(&a);
		still_free(&b);
		still_free(&c);
	}
}

static void movements_equal_the_scene_read_again(void)
{
	static char text[1 << 16];
	float m[3][16];

	orbit(m[0], 0.3, -0.2, 0.05);
	orbit(m[1], -0.7, 0.4, -0.1);
	orbit(m[2], 0, 0, 0.2);
	/* 4: each scene moves once */
	for (int k = 0; k < 3 * FLY_SCENES; k += test_effort(1, 4, 4)) {
		const fly_scene *s = &fly_scenes[k / 3];
		still a, b, c;

		scene_text(text, sizeof(text), s, "");
		take_three(text, m[k % 3], &a, &b, &c);
		CHECK(psnr(&b, &c) >= 60, "%s, movement %d: PSNR %g dB", s->name, k % 3,
			psnr(&b, &c));
		CHECK(psnr(&a, &b) < 35, "%s, movement %d is visible: PSNR %g dB", s->name, k % 3,
			psnr(&a, &b));
		CHECK(depths_apart(&b, &c) <= SIDE * SIDE / 1000, "%s, movement %d: %zu depths",
			s->name, k % 3, depths_apart(&b, &c));
		CHECK(matrix_error(b.world_to_camera, c.world_to_camera) < 1e-6 &&
				matrix_error(b.world_to_screen, c.world_to_screen) < 1e-5,
			"%s, movement %d: matrices of the picture's file", s->name, k % 3);
		still_free(&a);
		still_free(&b);
		still_free(&c);
	}
}

static void movements_do_not_accumulate(void)
{
	static char text[1 << 16];
	reyes_renderer *r = opened();
	still first, once, again, last;
	float m[16], other[16];

	orbit(m, 0.3, -0.2, 0.05);
	scene_text(text, sizeof(text), &fly_scenes[0], "");
	read_text(r, text);
	MUST(reyes_move_frame(r, m) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &once);
	for (int k = 0; k < 100; k++) {
		orbit(other, 0.1 * k, 0.05 * k, 0.01 * k);
		MUST(reyes_move_frame(r, other) == REYES_OK, "%s", reyes_last_error(r));
		if (k % 25 == 0) {
			take(r, &again);
			CHECK(!same_bits(&once, &again), "movement %d is visible", k);
			still_free(&again);
		}
	}
	MUST(reyes_move_frame(r, m) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &again);
	CHECK(same_bits(&once, &again), "PSNR %g dB", psnr(&once, &again));
	MUST(reyes_move_frame(r, NULL) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &last);
	take_read(text, NULL, &first);
	CHECK(same_bits(&first, &last), "NULL is the scene's camera: PSNR %g dB",
		psnr(&first, &last));
	CHECK(matrix_error(first.world_to_camera, last.world_to_camera) == 0 &&
			matrix_error(first.world_to_screen, last.world_to_screen) == 0,
		"NULL restores the matrices");
	still_free(&first);
	still_free(&once);
	still_free(&again);
	still_free(&last);
	reyes_close(&r);
}

static void the_next_frame_has_its_own_camera(void)
{
	static char text[2][1 << 16], both[1 << 18];
	reyes_renderer *r = opened();
	still frame, alone;
	float m[16];

	orbit(m, 0.3, -0.2, 0.05);
	scene_text(text[0], sizeof(text[0]), &fly_scenes[0], "");
	scene_text(text[1], sizeof(text[1]), &fly_scenes[4], "");
	snprintf(both, sizeof(both), "FrameBegin 1\n%sFrameEnd\nFrameBegin 2\n%sFrameEnd\n",
		text[0], text[1]);
	read_text(r, both);
	MUST(reyes_move_frame(r, m) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &frame);
	still_free(&frame);
	MUST(reyes_rib_next_frame(r) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &frame);
	take_read(text[1], NULL, &alone);
	CHECK(same_bits(&frame, &alone), "PSNR %g dB", psnr(&frame, &alone));
	still_free(&frame);
	still_free(&alone);
	MUST(reyes_move_frame(r, m) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &frame);
	take_read(text[1], m, &alone);
	CHECK(psnr(&frame, &alone) >= 60, "the second frame moves: PSNR %g dB",
		psnr(&frame, &alone));
	still_free(&frame);
	still_free(&alone);
	reyes_close(&r);
}

static void a_picture_belongs_to_its_camera(void)
{
	reyes_renderer *r = opened();
	reyes_stats stats;
	still s;

	read_text(r, "Display \"none.png\" \"framebuffer\" \"rgb\"\nFormat 20 20 1\n"
		     "WorldBegin\nSphere .5 -.5 .5 360\nWorldEnd\n");
	CHECK(reyes_write_displays(r) == REYES_OK || reyes_write_displays(r) == REYES_ERR_STATE,
		"framebuffer has no file");
	take(r, &s);
	still_free(&s);
	reyes_stats_init(&stats);
	CHECK(reyes_get_stats(r, &stats) == REYES_OK, "rendered");
	CHECK(reyes_move_frame(r, quarter) == REYES_OK, "%s", reyes_last_error(r));
	CHECK(reyes_get_stats(r, &stats) == REYES_ERR_STATE, "the moved frame is not rendered");
	CHECK(reyes_write_display(r, 0, "moved.png") == REYES_ERR_STATE, "nor written");
	CHECK(access("moved.png", F_OK) != 0, "there is no file");
	take(r, &s);
	still_free(&s);
	CHECK(reyes_get_stats(r, &stats) == REYES_OK, "rendered");
	reyes_close(&r);
}

/* ---- frames that cannot be moved ---- */

static void refused_movements_leave_the_frame_as_it_is(void)
{
	static char text[1 << 16];
	static const struct refused {
		const char *name;
		float m[16];
		reyes_status status;
	} refused[] = {
		{ "scale", { 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1 }, REYES_ERR_ARG },
		{ "mirror", { -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }, REYES_ERR_ARG },
		{ "skew", { 1, .01f, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }, REYES_ERR_ARG },
		{ "projection", { 1, 0, 0, .1f, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 },
			REYES_ERR_ARG },
		{ "weight", { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2 }, REYES_ERR_ARG },
		{ "NaN", { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, NAN, 0, 0, 1 }, REYES_ERR_ARG },
		{ "infinity", { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, INFINITY, 0, 0, 1 },
			REYES_ERR_ARG },
		{ "zero", { 0 }, REYES_ERR_ARG },
		{ "distance", { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 2e30f, 0, 0, 1 },
			REYES_ERR_STATE },
	};
	reyes_renderer *r = opened();
	still before, after;
	float m[16];

	CHECK(reyes_move_frame(NULL, NULL) == REYES_ERR_ARG, "no renderer");
	CHECK(reyes_move_frame(r, NULL) == REYES_ERR_STATE, "no frame");
	CHECK(strstr(reyes_last_error(r), "WorldEnd") != NULL, "%s", reyes_last_error(r));
	scene_text(text, sizeof(text), &fly_scenes[0], "");
	read_text(r, text);
	orbit(m, 0.3, -0.2, 0.05);
	MUST(reyes_move_frame(r, m) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &before);
	for (size_t k = 0; k < sizeof(refused) / sizeof(refused[0]); k++) {
		CHECK(reyes_move_frame(r, refused[k].m) == refused[k].status, "%s: %s",
			refused[k].name, reyes_last_error(r));
		take(r, &after);
		CHECK(same_bits(&before, &after), "%s changes nothing", refused[k].name);
		still_free(&after);
	}
	still_free(&before);
	reyes_close(&r);
}

/* Scenes whose frame depends on the camera in another way, and similar ones that do not. */
static void frames_that_depend_on_their_camera_are_refused(void)
{
	static const struct world {
		const char *name, *camera, *text;
		int movable;
	} worlds[] = {
		{ "levels of detail", "",
			"Detail [-1 1 -1 1 -1 1]\nDetailRange 0 0 100 100\nSphere 1 -1 1 360\n",
			0 },
		{ "Detail without a range", "", "Detail [-1 1 -1 1 -1 1]\nSphere 1 -1 1 360\n", 1 },
		{ "a range without Detail", "", "DetailRange 0 0 100 100\nSphere 1 -1 1 360\n", 1 },
		{ "a world's space within an object", "",
			"TransformBegin\nTranslate 0 0 1\nCoordinateSystem \"s\"\nTransformEnd\n"
			"ObjectBegin \"o\"\nCoordSysTransform \"s\"\nSphere 1 -1 1 360\nObjectEnd\n"
			"ObjectInstance \"o\"\n",
			0 },
		{ "the world within an object", "",
			"ObjectBegin \"o\"\nCoordSysTransform \"world\"\nSphere 1 -1 1 360\n"
			"ObjectEnd\nObjectInstance \"o\"\n",
			1 },
		{ "an uberlight that is fixed and points to the world", "",
			"TransformBegin CoordSysTransform \"camera\"\nLightSource \"uberlight\" 1 "
			"\"string lighttype\" [\"omni\"] \"point from\" [1 2 3]\nTransformEnd\n"
			"Sphere 1 -1 1 360\n",
			0 },
		{ "an area light of fixed geometry", "",
			"AttributeBegin\nAreaLightSource \"arealight\" 1\nCoordSysTransform "
			"\"camera\"\nSphere 1 -1 1 360\nAttributeEnd\nIlluminate 1 1\n"
			"Sphere 1 -1 1 360\n",
			0 },
		{ "no inverse", "Scale 1 1 0\n", "Sphere 1 -1 1 360\n", 0 },
		{ "the space of an earlier world as the camera",
			"WorldBegin\nTranslate 0 0 1\nCoordinateSystem \"old\"\nWorldEnd\n"
			"CoordSysTransform \"old\"\n",
			"Sphere 1 -1 1 360\n", 0 },
		{ "the space of an earlier world",
			"WorldBegin\nTranslate 0 0 1\nCoordinateSystem \"old\"\nWorldEnd\n",
			"CoordSysTransform \"old\"\nSphere 1 -1 1 360\n", 1 },
	};

	for (size_t k = 0; k < sizeof(worlds) / sizeof(worlds[0]); k++) {
		reyes_renderer *r = opened();
		char text[2000];

		snprintf(text, sizeof(text),
			"Format 20 20 1\nTranslate 0 0 5\n%sWorldBegin\n%sWorldEnd\n",
			worlds[k].camera, worlds[k].text);
		read_text(r, text);
		while (reyes_rib_next_frame(r) == REYES_OK)
			;
		CHECK(reyes_move_frame(r, quarter) ==
				(worlds[k].movable ? REYES_OK : REYES_ERR_STATE),
			"%s: %s", worlds[k].name, reyes_last_error(r));
		CHECK(worlds[k].movable || strstr(reyes_last_error(r), "cannot be moved"), "%s",
			reyes_last_error(r));
		CHECK(reyes_move_frame(r, NULL) == REYES_OK, "%s: %s", worlds[k].name,
			reyes_last_error(r));
		reyes_close(&r);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "quarter turns equal the scene read again to the bit",
			quarter_turns_equal_the_scene_read_again_to_the_bit },
		{ "movements equal the scene read again", movements_equal_the_scene_read_again },
		{ "movements do not accumulate", movements_do_not_accumulate },
		{ "the next frame has its own camera", the_next_frame_has_its_own_camera },
		{ "a picture belongs to its camera", a_picture_belongs_to_its_camera },
		{ "refused movements leave the frame as it is",
			refused_movements_leave_the_frame_as_it_is },
		{ "frames that depend on their camera are refused",
			frames_that_depend_on_their_camera_are_refused },
		CU_TEST_INFO_NULL,
	};
	static char folder[] = "/tmp/reyes-fly-XXXXXX";
	static const char *const names[] = { "light.z", "light.shd", "image.png", "image.tex",
		"image.env" };
	int rc;

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	rc = test_run_one("fly", tests);
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		(void)remove(names[k]);
	return rmdir(folder) ? 1 : rc;
}
