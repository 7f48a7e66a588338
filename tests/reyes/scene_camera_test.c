/* The camera of a frame against the formulas of RISpec 3.2 in double precision. */
#include "tests/reyes/scene_setup.h"

static const double pi = 3.14159265358979323846;

/* What a case sets; 0 or NULL: not. */
typedef struct camera_case {
	int width, height;
	double pixel_aspect, frame_aspect;
	const float *window;
	double fov; /* 0: orthographic */
} camera_case;

/* The raster position of a point in camera space by the steps of the specification: projection,
 * screen window, picture. */
static void raster_of(const camera_case *c, const double p[3], double out[2], double size[2])
{
	const double format_aspect = c->width * c->pixel_aspect / c->height;
	const double aspect = c->frame_aspect > 0 ? c->frame_aspect : format_aspect;
	double window[4], x = p[0], y = p[1];
	int i;

	size[0] = c->width;
	size[1] = c->height;
	if (aspect > format_aspect)
		size[1] = floor(c->width * c->pixel_aspect / aspect + 0.5);
	else if (aspect < format_aspect)
		size[0] = floor(c->height * aspect / c->pixel_aspect + 0.5);
	for (i = 0; i < 4; i++) {
		const double half =
			i < 2 ? (aspect >= 1 ? aspect : 1) : (aspect >= 1 ? 1 : 1 / aspect);

		window[i] = c->window ? (double)c->window[i] : i % 2 ? half : -half;
	}
	if (c->fov > 0) {
		x /= p[2] * tan(c->fov * pi / 360);
		y /= p[2] * tan(c->fov * pi / 360);
	}
	out[0] = (x - window[0]) / (window[1] - window[0]) * size[0];
	out[1] = (window[3] - y) / (window[3] - window[2]) * size[1];
}

static reyes_renderer *open_camera(const camera_case *c)
{
	const float fov = (float)c->fov;
	const reyes_param list[] = { { "fov", &fov, NULL, 1 } };
	const reyes_params p = { 1, list };
	reyes_renderer *r = scene_open();

	SCENE_OK(reyes_format(r, c->width, c->height, (float)c->pixel_aspect));
	if (c->frame_aspect > 0)
		SCENE_OK(reyes_frame_aspect_ratio(r, (float)c->frame_aspect));
	if (c->window)
		SCENE_OK(reyes_screen_window(
			r, c->window[0], c->window[1], c->window[2], c->window[3]));
	SCENE_OK(reyes_projection(
		r, c->fov > 0 ? "perspective" : "orthographic", c->fov > 0 ? &p : NULL));
	SCENE_OK(reyes_world_begin(r));
	SCENE_OK(reyes_world_end(r));
	return r;
}

static void the_raster_of_every_combination_is_that_of_the_specification(void)
{
	static const float shifted[] = { -0.5f, 1.5f, -1, 0.25f };
	static const camera_case cases[] = {
		{ 640, 480, 1, 0, NULL, 40 },
		{ 480, 640, 1, 0, NULL, 40 },
		{ 512, 512, 1, 0, NULL, 90 },
		{ 640, 480, 2, 0, NULL, 25 },
		{ 640, 480, 0.5, 0, NULL, 25 },
		{ 640, 480, 1, 2.5, NULL, 60 },
		{ 640, 480, 1, 0.5, NULL, 60 },
		{ 640, 480, 1.25, 1, NULL, 120 },
		{ 640, 480, 1, 0, shifted, 45 },
		{ 640, 480, 1, 2, shifted, 45 },
		{ 320, 200, 1, 0, NULL, 0 },
		{ 320, 200, 1, 0, shifted, 0 },
	};
	static const double points[][3] = { { 0, 0, 1 }, { 1, 2, 5 }, { -3, 0.5, 2 },
		{ 7, -9, 30 } };
	size_t i, k;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reyes_renderer *r = open_camera(&cases[i]);
		const reyes_i_camera *c = &r->frame.camera;

		for (k = 0; k < 4; k++) {
			const double w = c->perspective ? points[k][2] : 1;
			const float *m = r->world_to_ndc;
			double expected[2], size[2], x, y, q[4];
			int j;

			raster_of(&cases[i], points[k], expected, size);
			x = points[k][0] / w * c->scale[0] + c->offset[0];
			y = points[k][1] / w * c->scale[1] + c->offset[1];
			CHECK(fabs(x - expected[0]) < 1e-3 && fabs(y - expected[1]) < 1e-3,
				"case %zu point %zu: %g %g instead of %g %g", i, k, x, y,
				expected[0], expected[1]);
			for (j = 0; j < 4; j++)
				q[j] = points[k][0] * m[j] + points[k][1] * m[4 + j] +
				       points[k][2] * m[8 + j] + m[12 + j];
			CHECK(fabs(q[0] / q[3] - expected[0] / size[0]) < 1e-5 &&
					fabs(q[1] / q[3] - expected[1] / size[1]) < 1e-5,
				"case %zu point %zu: NDC %g %g", i, k, q[0] / q[3], q[1] / q[3]);
			CU_ASSERT_EQUAL(c->width_px, (uint32_t)size[0]);
			CU_ASSERT_EQUAL(c->height_px, (uint32_t)size[1]);
			m = r->world_to_screen;
			for (j = 0; j < 4; j++)
				q[j] = points[k][0] * m[j] + points[k][1] * m[4 + j] +
				       points[k][2] * m[8 + j] + m[12 + j];
			CU_ASSERT_DOUBLE_EQUAL(q[0] / q[3], 2 * expected[0] / size[0] - 1, 1e-5);
			CU_ASSERT_DOUBLE_EQUAL(q[1] / q[3], 1 - 2 * expected[1] / size[1], 1e-5);
		}
		CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR], 0);
		reyes_close(&r);
	}
}

static void the_crop_window_is_rounded_up_at_both_ends(void)
{
	/* RISpec 3.2, "RiCropWindow": first ceil(min size), last ceil(max size - 1). */
	static const float windows[][2] = { { 0, 1 }, { 0.25f, 0.75f }, { 0.101f, 0.102f },
		{ 0.333f, 0.667f }, { 0.99999f, 1 }, { 0, 0.00001f } };
	size_t i;

	for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		reyes_renderer *r = scene_open();
		const double first = ceil((double)windows[i][0] * 100);
		const double last = ceil((double)windows[i][1] * 100 - 1);

		reyes_format(r, 100, 40, 1);
		SCENE_OK(reyes_crop_window(r, windows[i][0], windows[i][1], 0, 0.5f));
		reyes_world_begin(r);
		CHECK(r->frame.camera.crop_x0 == (uint32_t)fmin(first, 99), "window %zu: %u", i,
			r->frame.camera.crop_x0);
		CHECK(r->frame.camera.crop_x1 == (uint32_t)fmin(fmax(last, first), 99) + 1,
			"window %zu: %u", i, r->frame.camera.crop_x1);
		CU_ASSERT_EQUAL(r->frame.camera.crop_y0, 0);
		CU_ASSERT_EQUAL(r->frame.camera.crop_y1, 20);
		reyes_close(&r);
	}
}

/* Tenths are not exact in float: the windows k / 10 .. (k + 1) / 10 divide 640 pixels evenly. */
static void decimal_crop_windows_begin_at_whole_pixels(void)
{
	for (unsigned k = 0; k < 10; k++) {
		reyes_renderer *r = scene_open();

		reyes_format(r, 640, 480, 1);
		SCENE_OK(reyes_crop_window(r, (float)k / 10, (float)(k + 1) / 10, 0, 1));
		reyes_world_begin(r);
		CHECK(r->frame.camera.crop_x0 == 64 * k && r->frame.camera.crop_x1 == 64 * (k + 1),
			"window %u: %u .. %u", k, r->frame.camera.crop_x0, r->frame.camera.crop_x1);
		reyes_close(&r);
	}
}

static void the_lens_makes_the_circle_of_confusion_of_the_specification(void)
{
	const float fov = 30;
	const reyes_param list[] = { { "fov", &fov, NULL, 1 } };
	const reyes_params p = { 1, list };
	const double f = 0.5, n = 2.8, d = 10, v = d * f / (d - f);
	reyes_renderer *r = scene_open();
	double z;

	reyes_projection(r, "perspective", &p);
	SCENE_OK(reyes_depth_of_field(r, (float)n, (float)f, (float)d));
	reyes_world_begin(r);
	for (z = 1; z < 100; z *= 1.7) {
		const double diameter = f / n * v * fabs(1 / z - 1 / d); /* on the image plane */
		const double radius = (double)r->frame.camera.lens *
				      fabs(1 / z - 1 / (double)r->frame.camera.focus);

		CU_ASSERT_DOUBLE_EQUAL(2 * radius, diameter / v, 1e-6);
	}
	reyes_close(&r);
	r = scene_open();
	reyes_world_begin(r);
	CU_ASSERT_EQUAL(r->frame.camera.lens, 0);
	reyes_close(&r);
}

static void the_options_of_the_renderer_replace_those_of_the_scene(void)
{
	reyes_options o;
	reyes_renderer *r;
	const float third[4] = { 0.5f, 1, 0, 0.5f };

	reyes_options_init(&o);
	o.width_px = 320;
	o.samples_x = 7;
	o.shading_rate = 4;
	memcpy(o.crop, third, sizeof(third));
	r = scene_open_with(&o);
	reyes_format(r, 640, 480, 1);
	reyes_pixel_samples(r, 2, 3);
	reyes_shading_rate(r, 0.5f);
	reyes_world_begin(r);
	reyes_sphere(r, 1, -1, 1, 360, NULL);
	CU_ASSERT_EQUAL(r->frame.camera.width_px, 320);
	CU_ASSERT_EQUAL(r->frame.camera.height_px, 240);
	CU_ASSERT_EQUAL(r->frame.camera.samples_x, 7);
	CU_ASSERT_EQUAL(r->frame.camera.samples_y, 3);
	CU_ASSERT_EQUAL(r->frame.camera.crop_x0, 160);
	CU_ASSERT_EQUAL(r->frame.camera.crop_y1, 120);
	CU_ASSERT_EQUAL(scene_attr(r, 0)->shading_rate, 2);
	reyes_close(&r);
}

static void wrong_options_do_not_open_a_renderer(void)
{
	reyes_renderer *r;
	reyes_options o;
	char message[200];

	CU_ASSERT_EQUAL(reyes_open(NULL, NULL, NULL, 0), REYES_ERR_ARG);
	CU_ASSERT_EQUAL(reyes_open(&r, NULL, message, sizeof(message)), REYES_ERR_ARG);
	reyes_options_init(&o);
	o.width_px = 1000000;
	CU_ASSERT_EQUAL(reyes_open(&r, &o, message, sizeof(message)), REYES_ERR_ARG);
	CU_ASSERT_PTR_NULL(r);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "65536"));
	reyes_options_init(&o);
	o.crop[1] = NAN;
	CU_ASSERT_EQUAL(reyes_open(&r, &o, message, sizeof(message)), REYES_ERR_ARG);
	reyes_options_init(&o);
	o.struct_bytes = 0;
	CU_ASSERT_EQUAL(reyes_open(&r, &o, message, sizeof(message)), REYES_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "struct_bytes"));
	reyes_options_init(&o);
	o.shading_rate = -1;
	CU_ASSERT_EQUAL(reyes_open(&r, &o, message, sizeof(message)), REYES_ERR_ARG);
}

static void options_are_saved_by_frames_and_refused_in_worlds(void)
{
	reyes_renderer *r = scene_open();

	reyes_format(r, 100, 100, 1);
	SCENE_OK(reyes_display(r, "a.tif", "file", "rgba", NULL));
	SCENE_OK(reyes_frame_begin(r, 1));
	reyes_format(r, 50, 60, 1);
	SCENE_OK(reyes_display(r, "+b.png", "png", "rgb", NULL));
	SCENE_OK(reyes_exposure(r, 2, 2.2f));
	SCENE_OK(reyes_quantize(r, "rgba", 65535, 0, 65535, 1));
	SCENE_OK(reyes_quantize(r, "z", 10, 0, 20, 0));
	SCENE_OK(reyes_world_begin(r));
	SCENE_ERR(reyes_format(r, 10, 10, 1));
	SCENE_ERR(reyes_shutter(r, 0, 1));
	CU_ASSERT_TRUE(scene_logged("Shutter: not allowed in a world block"));
	CU_ASSERT_EQUAL(r->frame.camera.width_px, 50);
	SCENE_OK(reyes_world_end(r));
	CU_ASSERT_EQUAL_FATAL(r->display_count, 2);
	CU_ASSERT_STRING_EQUAL(r->displays[0]->display.name, "a.tif");
	CU_ASSERT_STRING_EQUAL(r->displays[1]->display.name, "b.png");
	CU_ASSERT_EQUAL(r->encoding.gain, 2);
	CU_ASSERT_EQUAL(r->encoding.color.one, 65535);
	CU_ASSERT_EQUAL(r->encoding.depth.max, 20);
	SCENE_OK(reyes_frame_end(r));
	SCENE_OK(reyes_world_begin(r));
	CU_ASSERT_EQUAL(r->frame.camera.width_px, 100);
	CU_ASSERT_EQUAL(r->display_count, 1);
	CU_ASSERT_EQUAL(r->encoding.gain, 1);
	SCENE_OK(reyes_world_end(r));
	SCENE_OK(reyes_display(r, "c.exr", "exr", "rgba", NULL));
	SCENE_ERR(reyes_display(r, "c.exr", "exr", "nothing", NULL));
	reyes_world_begin(r);
	CU_ASSERT_EQUAL_FATAL(r->display_count, 1);
	CU_ASSERT_STRING_EQUAL(r->displays[0]->display.name, "c.exr");
	reyes_close(&r);
}

static void samples_filters_hiders_and_limits_reach_the_frame(void)
{
	const float jitter = 0, grid = 64, eye = 7, z = 0.5f, color[3] = { 0.1f, 0.2f, 0.3f };
	const char *const filter = "midpoint";
	const reyes_param hider[] = { { "depthfilter", NULL, &filter, 1 },
		{ "jitter", &jitter, NULL, 1 } };
	const reyes_param limits[] = { { "gridsize", &grid, NULL, 1 },
		{ "integer eyesplits", &eye, NULL, 1 }, { "float zthreshold", &z, NULL, 1 } };
	const reyes_param imager[] = { { "color background", color, NULL, 3 } };
	reyes_renderer *r = scene_open();
	const reyes_i_camera *c = &r->frame.camera;

	SCENE_OK(reyes_hider(r, "hidden", &(reyes_params){ 2, hider }));
	SCENE_OK(reyes_option(r, "limits", &(reyes_params){ 3, limits }));
	SCENE_OK(reyes_imager(r, "background", &(reyes_params){ 1, imager }));
	SCENE_OK(reyes_pixel_filter(r, "sinc", 4, 6));
	SCENE_OK(reyes_clipping(r, 0.5f, 1e38f));
	SCENE_OK(reyes_shutter(r, 0.25f, 0.75f));
	reyes_world_begin(r);
	CU_ASSERT_EQUAL(c->depth_filter, REYES_I_DEPTH_MIDPOINT);
	CU_ASSERT_EQUAL(c->jitter, 0);
	CU_ASSERT_EQUAL(c->max_grid, 64);
	CU_ASSERT_EQUAL(c->eye_splits, 7);
	CU_ASSERT_EQUAL(c->z_threshold[2], 0.5f);
	CU_ASSERT_TRUE(c->has_background && c->background[1] == 0.2f);
	CU_ASSERT_EQUAL(c->filter, REYES_I_FILTER_SINC);
	CU_ASSERT_EQUAL(c->filter_width[1], 6);
	CU_ASSERT_TRUE(c->hither == 0.5f && isinf(c->yon));
	CU_ASSERT_TRUE(c->shutter_open == 0.25f && c->shutter_close == 0.75f);
	CU_ASSERT_EQUAL(scene.messages[REYES_LEVEL_ERROR] + scene.messages[REYES_LEVEL_WARN], 0);
	reyes_world_end(r);
	SCENE_OK(reyes_pixel_filter(r, "mitchell", 4, 4));
	CU_ASSERT_TRUE(scene_logged("gaussian is used"));
	reyes_world_begin(r);
	CU_ASSERT_EQUAL(c->filter, REYES_I_FILTER_GAUSSIAN);
	reyes_close(&r);
}

static void transforms_before_the_projection_move_the_picture(void)
{
	reyes_renderer *r = scene_open();
	const reyes_i_camera *c = &r->frame.camera;

	reyes_format(r, 200, 100, 1);
	reyes_translate(r, 0.5f, 0.25f, 0);
	reyes_scale(r, 2, 3, 1);
	SCENE_OK(reyes_projection(r, "orthographic", NULL));
	reyes_world_begin(r);
	/* Screen = (2 x + 0.5, 3 y + 0.25); the window is -2..2 by -1..1. */
	CU_ASSERT_DOUBLE_EQUAL(c->scale[0] * 1 + c->offset[0], (2.5 + 2) / 4 * 200, 1e-3);
	CU_ASSERT_DOUBLE_EQUAL(c->scale[1] * 0.1 + c->offset[1], (1 - 0.55) / 2 * 100, 1e-3);
	CU_ASSERT_EQUAL(r->world_to_camera[12], 0);
	reyes_close(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the raster of every combination is that of the specification",
			the_raster_of_every_combination_is_that_of_the_specification },
		{ "the crop window is rounded up at both ends",
			the_crop_window_is_rounded_up_at_both_ends },
		{ "decimal crop windows begin at whole pixels",
			decimal_crop_windows_begin_at_whole_pixels },
		{ "the lens makes the circle of confusion of the specification",
			the_lens_makes_the_circle_of_confusion_of_the_specification },
		{ "the options of the renderer replace those of the scene",
			the_options_of_the_renderer_replace_those_of_the_scene },
		{ "wrong options do not open a renderer", wrong_options_do_not_open_a_renderer },
		{ "options are saved by frames and refused in worlds",
			options_are_saved_by_frames_and_refused_in_worlds },
		{ "samples, filters, hiders and limits reach the frame",
			samples_filters_hiders_and_limits_reach_the_frame },
		{ "transforms before the projection move the picture",
			transforms_before_the_projection_move_the_picture },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("camera", tests);
}
