/* reyes_move_camera against the same transform in the scene; reyes_restart against a new renderer.
 */
#include <reyes/ri.h>
#include "tests/reyes/fly_setup.h"

/* ---- reyes_move_camera ---- */

static void a_moved_camera_equals_the_first_transform_of_the_scene(void)
{
	static char text[1 << 16], first[600];
	float m[16];
	size_t n = 0;

	orbit(m, 0.3, -0.2, 0.05);
	n += (size_t)snprintf(first, sizeof(first), "ConcatTransform [");
	for (int k = 0; k < 16; k++)
		n += (size_t)snprintf(first + n, sizeof(first) - n, " %.9g", (double)m[k]);
	snprintf(first + n, sizeof(first) - n, "]\n");
	for (int k = 0; k < FLY_SCENES; k++) {
		const fly_scene *s = &fly_scenes[k];
		still moved, written;

		/* What is fixed to the camera is not in the space of the transform. */
		if (s->files || strstr(s->world, "\"camera\"") || strstr(s->world, "uberlight"))
			continue;
		scene_text(text, sizeof(text), s, "");
		take_read(text, m, &moved);
		scene_text(text, sizeof(text), s, first);
		take_read(text, NULL, &written);
		CHECK(same_bits(&moved, &written), "%s: PSNR %g dB", s->name,
			psnr(&moved, &written));
		still_free(&moved);
		still_free(&written);
	}
}

/* A light or a space that is defined before WorldBegin remains where it is in camera space. */
static void what_precedes_the_world_moves_with_the_camera(void)
{
	static const char text[] =
		"Format 40 40 1\nProjection \"perspective\" \"fov\" 40\n"
		"TransformBegin\nTranslate 0 0 3\nCoordinateSystem \"hand\"\nTransformEnd\n"
		"LightSource \"distantlight\" 1 \"from\" [-1 1 -1] \"to\" [0 0 0]\n"
		"Translate 0 0 6\nWorldBegin\nSurface \"matte\"\nCoordSysTransform \"hand\"\n"
		"Sphere .7 -.7 .7 360\nWorldEnd\n";
	still still_0, moved;
	float m[16];

	orbit(m, 0.9, -0.5, 0.1);
	take_read(text, NULL, &still_0);
	take_read(text, m, &moved);
	CHECK(same_bits(&still_0, &moved), "PSNR %g dB", psnr(&still_0, &moved));
	CHECK(still_0.rgba[4 * (20 * 40 + 20)] > 0.1f, "the sphere is lit");
	still_free(&still_0);
	still_free(&moved);
}

static void a_camera_holds_for_the_world_blocks_that_begin_after_it(void)
{
	static const char text[] =
		"Format 40 40 1\nProjection \"perspective\" \"fov\" 40\nTranslate 0 0 4\n"
		"WorldBegin\nSphere .7 0 .7 360\nWorldEnd\n"
		"WorldBegin\nSphere .7 0 .7 360\nWorldEnd\n"
		"WorldBegin\nSphere .7 0 .7 360\nWorldEnd\n";
	reyes_renderer *r = opened();
	still s[3];
	float m[16];

	orbit(m, 0.3, -0.2, 0.05);
	read_text(r, text);
	reyes_move_camera(r, m);
	take(r, &s[0]);
	MUST(reyes_rib_next_frame(r) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &s[1]);
	reyes_move_camera(r, NULL);
	MUST(reyes_rib_next_frame(r) == REYES_OK, "%s", reyes_last_error(r));
	take(r, &s[2]);
	CHECK(!same_bits(&s[0], &s[1]), "the second frame is moved");
	CHECK(same_bits(&s[0], &s[2]), "NULL ends the movement");
	CHECK(matrix_error(s[0].world_to_camera, s[2].world_to_camera) == 0, "the same matrix");
	for (int k = 0; k < 3; k++)
		still_free(&s[k]);
	reyes_close(&r);
	reyes_move_camera(NULL, m); /* no effect */
}

static void a_camera_without_finite_values_is_an_error(void)
{
	static const char text[] = "Format 40 40 1\nProjection \"perspective\" \"fov\" 40\n"
				   "Translate 0 0 4\nWorldBegin\nSphere .7 0 .7 360\nWorldEnd\n";
	reyes_renderer *r = opened();
	float m[16] = { 0 };
	still moved, own;

	m[0] = m[5] = m[10] = m[15] = 1;
	m[12] = NAN;
	reyes_move_camera(r, m);
	read_text(r, text);
	CHECK(strstr(messages.message, "finite") != NULL, "%s", messages.message);
	take(r, &moved);
	take_read(text, NULL, &own);
	CHECK(same_bits(&moved, &own), "the scene's camera is used");
	still_free(&moved);
	still_free(&own);
	reyes_close(&r);
}

/* ---- reyes_restart ---- */

static const char spheres[] =
	"Format 60 60 1\nProjection \"perspective\" \"fov\" 40\nTranslate 0 0 4\n"
	"WorldBegin\n" FLY_LIGHTS "Surface \"plastic\"\nSphere .7 0 .7 360\nWorldEnd\n";

static void a_restarted_renderer_renders_as_a_new_one(void)
{
	reyes_renderer *r = opened(), *before = r;
	still first, s;

	take_read(spheres, NULL, &first);
	for (int k = 0; k < 5; k++) {
		read_text(r, k % 2 ? "Format 30 20 1\nWorldBegin\nSphere .5 -.5 .5 360\nWorldEnd\n"
				   : spheres);
		take(r, &s);
		CHECK(k % 2 ? s.width == 30 && s.height == 20 : same_bits(&first, &s), "frame %d",
			k);
		still_free(&s);
		before = r;
		CHECK(reyes_restart(&r) == REYES_OK, "%s", reyes_last_error(r));
		CHECK(r && r != before, "another renderer");
	}
	still_free(&first);
	reyes_close(&r);
	CHECK(reyes_restart(NULL) == REYES_ERR_ARG && reyes_restart(&r) == REYES_ERR_ARG,
		"no renderer");
}

static void a_restart_leaves_no_scene_and_no_picture(void)
{
	reyes_renderer *r = opened();
	reyes_image image;
	reyes_stats stats;
	still s;

	reyes_move_camera(r, quarter);
	read_text(r, spheres);
	take(r, &s);
	still_free(&s);
	CHECK(reyes_move_frame(r, quarter) == REYES_OK, "%s", reyes_last_error(r));
	CHECK(reyes_restart(&r) == REYES_OK, "%s", reyes_last_error(r));
	reyes_image_init(&image);
	reyes_stats_init(&stats);
	CHECK(reyes_render(r, &image) == REYES_ERR_STATE, "no frame");
	CHECK(reyes_move_frame(r, NULL) == REYES_ERR_STATE, "no frame to move");
	CHECK(reyes_get_stats(r, &stats) == REYES_ERR_STATE, "no statistics");
	CHECK(reyes_write_display(r, REYES_NO_DISPLAY, "restart.png") == REYES_ERR_STATE,
		"no picture");
	CHECK(reyes_display_count(r) == 0 && reyes_frame_number(r) == 0, "no displays");
	CHECK(reyes_rib_next_frame(r) != REYES_OK, "no file");
	CHECK(reyes_format(r, 40, 40, 1) == REYES_OK && reyes_world_begin(r) == REYES_OK &&
			reyes_attribute_begin(r) == REYES_OK,
		"%s", reyes_last_error(r));
	CHECK(reyes_restart(&r) == REYES_OK, "%s", reyes_last_error(r));
	messages.message[0] = '\0';
	read_text(r, "WorldBegin\nWorldEnd\n");
	CHECK(!messages.message[0], "no open blocks: %s", messages.message);
	take(r, &s);
	CHECK(s.width == 640 && s.height == 480, "the default format, not %u x %u", s.width,
		s.height);
	still_free(&s);
	reyes_close(&r);
}

static void options_and_cancellation_after_a_restart(void)
{
	reyes_renderer *r = NULL;
	reyes_options o;
	reyes_image image;
	still s;

	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CPU;
	o.threads = 1;
	o.width_px = 24;
	o.queue = "ring";
	MUST(reyes_open(&r, &o, NULL, 0) == REYES_OK, "open");
	read_text(r, spheres);
	reyes_cancel(r);
	reyes_image_init(&image);
	CHECK(reyes_render(r, &image) == REYES_CANCELLED, "cancelled");
	CHECK(reyes_restart(&r) == REYES_OK, "%s", reyes_last_error(r));
	read_text(r, spheres);
	take(r, &s);
	CHECK(s.width == 24 && s.height == 24, "the options remain: %u x %u", s.width, s.height);
	still_free(&s);
	reyes_close(&r);
}

int main(void)
{
	CU_TestInfo camera[] = {
		{ "a moved camera equals the first transform of the scene",
			a_moved_camera_equals_the_first_transform_of_the_scene },
		{ "what precedes the world moves with the camera",
			what_precedes_the_world_moves_with_the_camera },
		{ "a camera holds for the world blocks that begin after it",
			a_camera_holds_for_the_world_blocks_that_begin_after_it },
		{ "a camera without finite values is an error",
			a_camera_without_finite_values_is_an_error },
		CU_TEST_INFO_NULL,
	};
	CU_TestInfo restart[] = {
		{ "a restarted renderer renders as a new one",
			a_restarted_renderer_renders_as_a_new_one },
		{ "a restart leaves no scene and no picture",
			a_restart_leaves_no_scene_and_no_picture },
		{ "options and cancellation after a restart",
			options_and_cancellation_after_a_restart },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { TEST_SUITE("reyes_move_camera", camera),
		TEST_SUITE("reyes_restart", restart), CU_SUITE_INFO_NULL };

	return test_run(suites);
}
