/* reyes/image: Exposure, Quantize and the files of Display requests. */
#include "reyes/image/display.h"
#include "tests/reyes/pictures.h"

#include <math.h>

enum { W = 33, H = 21, X = 5, Y = 3, FULL_W = 60, FULL_H = 40 };

static char message[600];
static float rgba[FULL_W * FULL_H * 4], depth[FULL_W * FULL_H];

/* Colors multiplied by alpha; the first pixel is empty, the second opaque and white. */
static void fill_image(void)
{
	rng_state = 5;
	for (int i = 0; i < FULL_W * FULL_H; i++) {
		float *at = rgba + 4 * i;

		at[3] = i == 0 ? 0 : i == 1 ? 1 : (float)rng_below(1001) / 1000;
		for (int c = 0; c < 3; c++)
			at[c] = i == 1 ? 1 : at[3] * (float)rng_below(1001) / 1000;
		depth[i] = i % 7 ? (float)rng_below(100000) / 100 : INFINITY;
	}
}

static int set_up(void)
{
	fill_image();
	return open_folder();
}

static reyes_image full_image(void)
{
	const reyes_image image = { .struct_bytes = sizeof(image),
		.width_px = FULL_W,
		.height_px = FULL_H,
		.full_width_px = FULL_W,
		.full_height_px = FULL_H,
		.rgba = rgba,
		.z = depth };

	return image;
}

static reyes_i_display_camera camera(void)
{
	reyes_i_display_camera c = { .pixel_aspect = 1, .hither = 1, .yon = 100 };

	for (int i = 0; i < 16; i++) {
		c.world_to_camera[i] = (float)(i % 5) + 0.5f;
		c.world_to_screen[i] = (float)(i * i % 7) - 0.25f;
	}
	return c;
}

/* Writes a display and reads its file. */
static reyes_status show(const char *name, const char *type, const char *mode,
	const reyes_i_encoding *e, const reyes_image *image, reyes_i_picture *p)
{
	const char *path = in_folder(name);
	const reyes_i_display_camera c = camera();
	reyes_i_display d;
	reyes_status s;

	memset(p, 0, sizeof(*p));
	message[0] = '\0';
	CU_ASSERT_EQUAL_FATAL(
		reyes_i_display_init(&d, path, type, mode, message, sizeof(message)), REYES_OK);
	s = reyes_i_display_write(&d, e, image, &c, NULL, message, sizeof(message));
	reyes_i_display_free(&d);
	return s == REYES_OK ? reyes_i_picture_read(p, path, message, sizeof(message)) : s;
}

static void quantize_rounds_and_limits(void)
{
	static const struct {
		reyes_i_quantize q;
		float value, noise, code;
	} list[] = {
		{ { 255, 0, 255, 0 }, 0.5f, 0, 128 },
		{ { 255, 0, 255, 0 }, 0.1f, 0, 26 }, /* 25.5 */
		{ { 255, 0, 255, 0.5f }, 0, -1, 0 }, /* black stays black */
		{ { 255, 0, 255, 0.5f }, 0, 0.9999f, 0 },
		{ { 255, 0, 255, 0.5f }, 1, -1, 255 }, /* white stays white */
		{ { 255, 0, 255, 0.5f }, 0.5f, -1, 127 },
		{ { 255, 0, 255, 0.5f }, 0.5f, 0.5f, 128 },
		{ { 255, 16, 235, 0 }, 0, 0, 16 },
		{ { 255, 16, 235, 0 }, 2, 0, 235 },
		{ { 65535, 0, 65535, 0 }, 0.25f, 0, 16384 }, /* 16383.75 */
		{ { 15, 0, 15, 2 }, 0.5f, 0.75f, 9 },        /* 7.5 + 1.5 */
		{ { 255, 0, 255, 0 }, -3, 0, 0 },
		{ { 255, 0, 255, 0 }, NAN, 0, 0 },
		{ { 255, 0, 255, 0 }, INFINITY, 0, 255 },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const float code = reyes_i_quantize_value(&list[i].q, list[i].value, list[i].noise);

		CHECK(code == list[i].code, "%zu: %g instead of %g", i, (double)code,
			(double)list[i].code);
	}
}

static void exposure_has_gain_and_gamma(void)
{
	CU_ASSERT_DOUBLE_EQUAL(reyes_i_expose(0.25f, 2, 2), sqrt(0.5), 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(reyes_i_expose(0.5f, 1, 2.2f), pow(0.5, 1 / 2.2), 1e-6);
	CU_ASSERT_EQUAL(reyes_i_expose(0.3f, 1, 1), 0.3f);
	CU_ASSERT_EQUAL(reyes_i_expose(-1, 1, 2.2f), 0);
	CU_ASSERT_EQUAL(reyes_i_expose(NAN, 1, 2.2f), 0);
}

/* Uniform noise has the mean 0 and the variance 1/3; over 300000 values their standard errors are
 * 0.00105 and 0.00054. Neighbours and channels do not correlate. */
static void noise_is_uniform_and_uncorrelated(void)
{
	double sum = 0, squares = 0, across = 0, down = 0, channels = 0;
	const int side = 548;

	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++) {
			const double a = (double)reyes_i_noise(x, y, 0);

			CHECK(a >= -1 && a < 1, "(%d, %d): %g", x, y, a);
			sum += a;
			squares += a * a;
			across += a * (double)reyes_i_noise(x + 1, y, 0);
			down += a * (double)reyes_i_noise(x, y + 1, 0);
			channels += a * (double)reyes_i_noise(x, y, 1);
		}
	CHECK(fabs(sum / side / side) < 0.005, "mean %g", sum / side / side);
	CHECK(fabs(squares / side / side - 1.0 / 3) < 0.003, "variance %g", squares / side / side);
	CHECK(fabs(across / side / side) < 0.003, "across %g", across / side / side);
	CHECK(fabs(down / side / side) < 0.003, "down %g", down / side / side);
	CHECK(fabs(channels / side / side) < 0.003, "channels %g", channels / side / side);
}

/* TIFF has the codes of the formula: 8 bits, color multiplied by alpha. */
static void tiff_files_have_the_codes_of_the_formula(void)
{
	const reyes_image image = full_image();
	reyes_i_encoding e;
	reyes_i_picture p;

	if (!reyes_i_format_exists(REYES_I_FORMAT_TIFF))
		return;
	reyes_i_encoding_init(&e);
	e.gain = 1.5f;
	e.gamma = 2.2f;
	CHECK(show("a.tif", "file", "rgba", &e, &image, &p) == REYES_OK, "%s", message);
	CU_ASSERT_EQUAL(p.type, REYES_I_SAMPLE_8);
	CU_ASSERT_EQUAL_FATAL(p.channels, 4);
	for (int i = 0; i < FULL_W * FULL_H; i++)
		for (uint32_t c = 0; c < 4; c++) {
			const double v = c < 3 ? pow(1.5 * (double)rgba[4 * i + (int)c], 1 / 2.2)
					       : (double)rgba[4 * i + 3];
			const double noise = (double)reyes_i_noise(i % FULL_W, i / FULL_W, c);
			const double exact = 255 * v + 0.5 * noise + 0.5;
			const double code = exact < 0 ? 0 : exact > 255 ? 255 : floor(exact);
			const double got = 255 * (double)p.data[4 * i + (int)c];

			/* Rounding of float and double differs at a half. */
			CHECK(fabs(got - code) < 1e-3 || fabs(exact - rint(exact)) < 1e-3,
				"pixel %d, channel %u: %g instead of %g", i, c, got, code);
		}
	reyes_i_picture_free(&p);
}

static void a_crop_has_the_pixels_of_the_full_picture(void)
{
	static const char *const names[] = { "c.tif", "c.png" };

	for (size_t k = 0; k < 2; k++) {
		static float part[W * H * 4];
		reyes_image image = full_image();
		reyes_i_encoding e;
		reyes_i_picture whole, crop;

		if (!reyes_i_format_exists(reyes_i_format_of_name(names[k])))
			continue;
		reyes_i_encoding_init(&e);
		CU_ASSERT_EQUAL_FATAL(show(names[k], "file", "rgba", &e, &image, &whole), REYES_OK);
		for (int y = 0; y < H; y++)
			memcpy(part + y * W * 4, rgba + ((y + Y) * FULL_W + X) * 4,
				W * 4 * sizeof(float));
		image.rgba = part;
		image.width_px = W;
		image.height_px = H;
		image.x_px = X;
		image.y_px = Y;
		CU_ASSERT_EQUAL_FATAL(show(names[k], "file", "rgba", &e, &image, &crop), REYES_OK);
		CU_ASSERT_EQUAL_FATAL(crop.width_px, W);
		for (int y = 0; y < H; y++)
			CHECK(memcmp(crop.data + y * W * 4, whole.data + ((y + Y) * FULL_W + X) * 4,
				      W * 4 * sizeof(float)) == 0,
				"%s: row %d differs", names[k], y);
		reyes_i_picture_free(&whole);
		reyes_i_picture_free(&crop);
	}
}

/* A viewer computes color times alpha of a PNG file over black. */
static void png_over_black_is_tiff(void)
{
	const reyes_image image = full_image();
	reyes_i_encoding e;
	reyes_i_picture png, tiff;

	if (!reyes_i_format_exists(REYES_I_FORMAT_PNG) ||
		!reyes_i_format_exists(REYES_I_FORMAT_TIFF))
		return;
	reyes_i_encoding_init(&e);
	e.color.dither = 0;
	CU_ASSERT_EQUAL_FATAL(show("b.png", "png", "rgba", &e, &image, &png), REYES_OK);
	CU_ASSERT_EQUAL_FATAL(show("b.tif", "tiff", "rgba", &e, &image, &tiff), REYES_OK);
	/* Half a code of the divided color times alpha, and half a code of TIFF. */
	CHECK(picture_distance(&png, &tiff) <= 1.0001 / 255, "%g codes",
		255 * picture_distance(&png, &tiff));
	CU_ASSERT_EQUAL(png.data[3], 0);
	CU_ASSERT_EQUAL(png.data[7], 1);
	CU_ASSERT_EQUAL(png.data[4], 1);
	reyes_i_picture_free(&png);
	reyes_i_picture_free(&tiff);
}

static void exr_files_are_linear(void)
{
	const reyes_image image = full_image();
	reyes_i_encoding e;
	reyes_i_picture p;

	if (!reyes_i_format_exists(REYES_I_FORMAT_EXR))
		return;
	reyes_i_encoding_init(&e);
	e.gain = 2;
	e.gamma = 2.2f;
	CHECK(show("d.exr", "file", "rgbaz", &e, &image, &p) == REYES_OK, "%s", message);
	CU_ASSERT_EQUAL_FATAL(p.channels, 5);
	for (int i = 0; i < FULL_W * FULL_H; i++) {
		for (int c = 0; c < 4; c++)
			CU_ASSERT_DOUBLE_EQUAL(
				p.data[5 * i + c], rgba[4 * i + c] * (c < 3 ? 2 : 1), 0.001);
		CU_ASSERT_EQUAL(p.data[5 * i + 4], i % 7 ? depth[i] : 1e30f);
	}
	reyes_i_picture_free(&p);
}

static void depth_files_have_floats_and_matrices(void)
{
	static const char *const types[] = { "zfile", "shadow", "z", "tiff", "exr" };
	const reyes_i_display_camera c = camera();
	const reyes_image image = full_image();
	reyes_i_encoding e;

	reyes_i_encoding_init(&e);
	for (size_t k = 0; k < 5; k++) {
		reyes_i_picture p;

		if (!reyes_i_format_exists(k == 4 ? REYES_I_FORMAT_EXR : REYES_I_FORMAT_TIFF))
			continue;
		CHECK(show("map.z", types[k], "z", &e, &image, &p) == REYES_OK, "%s", message);
		CU_ASSERT_EQUAL_FATAL(p.channels, 1);
		CU_ASSERT_STRING_EQUAL(p.names[0], "Z");
		for (int i = 0; i < FULL_W * FULL_H; i++)
			CU_ASSERT_EQUAL(p.data[i], i % 7 ? depth[i] : 1e30f);
		CU_ASSERT_EQUAL_FATAL(p.has_matrices, 1);
		CU_ASSERT_EQUAL(memcmp(p.world_to_camera, c.world_to_camera, 64), 0);
		CU_ASSERT_EQUAL(memcmp(p.world_to_screen, c.world_to_screen, 64), 0);
		reyes_i_picture_free(&p);
	}
}

static void quantize_selects_the_sample_type(void)
{
	const reyes_image image = full_image();
	reyes_i_encoding e;
	reyes_i_picture p;

	if (!reyes_i_format_exists(REYES_I_FORMAT_TIFF) ||
		!reyes_i_format_exists(REYES_I_FORMAT_PNG))
		return;
	reyes_i_encoding_init(&e);
	e.color.one = e.color.max = 65535;
	CU_ASSERT_EQUAL_FATAL(show("t", "tiff", "rgb", &e, &image, &p), REYES_OK);
	CU_ASSERT_EQUAL(p.type, REYES_I_SAMPLE_16);
	CU_ASSERT_EQUAL(p.channels, 3);
	reyes_i_picture_free(&p);
	e.color = (reyes_i_quantize){ 0, 0, 0, 0 };
	CU_ASSERT_EQUAL_FATAL(show("t", "tiff", "rgba", &e, &image, &p), REYES_OK);
	CU_ASSERT_EQUAL(p.type, REYES_I_SAMPLE_FLOAT);
	CU_ASSERT_EQUAL(memcmp(p.data, rgba, sizeof(rgba)), 0);
	reyes_i_picture_free(&p);
	CU_ASSERT_EQUAL_FATAL(show("t", "png", "a", &e, &image, &p), REYES_OK);
	CU_ASSERT_EQUAL(p.type, REYES_I_SAMPLE_16);
	CU_ASSERT_EQUAL_FATAL(p.channels, 1);
	for (int i = 0; i < FULL_W * FULL_H; i++)
		CU_ASSERT_DOUBLE_EQUAL(p.data[i], rgba[4 * i + 3], 0.5001 / 65535);
	reyes_i_picture_free(&p);
	e.depth = (reyes_i_quantize){ 10, 0, 65535, 0 };
	CU_ASSERT_EQUAL_FATAL(show("t", "png", "z", &e, &image, &p), REYES_OK);
	for (int i = 0; i < FULL_W * FULL_H; i++)
		CU_ASSERT_DOUBLE_EQUAL(65535 * (double)p.data[i],
			i % 7 ? fmin(floor(10 * (double)depth[i] + 0.5), 65535) : 65535, 0.01);
	reyes_i_picture_free(&p);
}

static void requests_that_cannot_be_met_have_a_reason(void)
{
	const reyes_image image = full_image();
	reyes_image outside = image;
	reyes_i_encoding e;
	reyes_i_picture p;
	reyes_i_display d;

	reyes_i_encoding_init(&e);
	CU_ASSERT_EQUAL(reyes_i_display_init(&d, "x", "file", "rgbq", message, sizeof(message)),
		REYES_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "\"rgbq\""));
	CU_ASSERT_EQUAL(reyes_i_display_init(&d, NULL, "file", "rgb", NULL, 0), REYES_ERR_ARG);
	CU_ASSERT_PTR_NULL(d.name);
	CU_ASSERT_EQUAL(show("x", "hologram", "rgb", &e, &image, &p), REYES_ERR_UNSUPPORTED);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "x: type \"hologram\""));
	CU_ASSERT_EQUAL(show("x", "png", "rgbaz", &e, &image, &p), REYES_ERR_UNSUPPORTED);
	CU_ASSERT_EQUAL(show("x", "png", "z", &e, &image, &p), REYES_ERR_UNSUPPORTED);
	e.color.max = 100000;
	CU_ASSERT_EQUAL(show("x", "tiff", "rgb", &e, &image, &p), REYES_ERR_SCENE);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "100000"));
	reyes_i_encoding_init(&e);
	outside.x_px = 1;
	CU_ASSERT_EQUAL(show("x", "tiff", "rgb", &e, &outside, &p), REYES_ERR_ARG);
	outside = image;
	outside.z = NULL;
	CU_ASSERT_EQUAL(show("x", "tiff", "z", &e, &outside, &p), REYES_ERR_ARG);
	CU_ASSERT_EQUAL(access(in_folder("x"), F_OK), -1);
	CU_ASSERT_EQUAL(show("missing/x.png", "png", "rgb", &e, &image, &p) == REYES_ERR_FILE,
		reyes_i_format_exists(REYES_I_FORMAT_PNG));
}

static void types_and_suffixes_select_the_format(void)
{
	static const struct {
		const char *name, *type;
		enum reyes_i_file_format format;
	} list[] = {
		{ "a", "file", REYES_I_FORMAT_TIFF },
		{ "a.png", "file", REYES_I_FORMAT_PNG },
		{ "a.EXR", "file", REYES_I_FORMAT_EXR },
		{ "b.png/a", "file", REYES_I_FORMAT_TIFF },
		{ "a.tiff", "png", REYES_I_FORMAT_PNG },
		{ "a.png", "tiff", REYES_I_FORMAT_TIFF },
		{ "a", "openexr", REYES_I_FORMAT_EXR },
		{ "a.tif", "framebuffer", REYES_I_FORMAT_WINDOW },
		{ "a.exr", "it", REYES_I_FORMAT_WINDOW },
		{ "a", "nonsense", REYES_I_FORMAT_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		reyes_i_display d;

		CU_ASSERT_EQUAL_FATAL(reyes_i_display_init(&d, list[i].name, list[i].type, "rgb",
					      message, sizeof(message)),
			REYES_OK);
		CHECK(reyes_i_display_format(&d) == list[i].format, "%s %s", list[i].name,
			list[i].type);
		reyes_i_display_free(&d);
	}
}

static void parameters_replace_the_frames_encoding(void)
{
	static const float quantize[4] = { 0, 65535, 0, 65535 }, exposure[2] = { 0.5f, 1 };
	static const float dither = 0;
	static const char *const lzw = "none";
	const reyes_param list[] = { { "float[4] quantize", quantize, NULL, 4 },
		{ "exposure", exposure, NULL, 2 }, { "uniform float dither", &dither, NULL, 1 },
		{ "string compression", NULL, &lzw, 1 }, { "unknown", &dither, NULL, 1 } };
	const reyes_params params = { 5, list };
	const reyes_image image = full_image();
	reyes_i_encoding e;
	reyes_i_display d;
	reyes_i_picture p;

	if (!reyes_i_format_exists(REYES_I_FORMAT_TIFF))
		return;
	reyes_i_encoding_init(&e);
	CU_ASSERT_EQUAL_FATAL(reyes_i_display_init(&d, in_folder("own.tif"), "file", "rgb", message,
				      sizeof(message)),
		REYES_OK);
	CU_ASSERT_EQUAL(reyes_i_display_set(&d, &params, message, sizeof(message)), REYES_OK);
	CU_ASSERT_STRING_EQUAL(d.compression, "none");
	CU_ASSERT_EQUAL_FATAL(
		reyes_i_display_write(&d, &e, &image, NULL, NULL, message, sizeof(message)),
		REYES_OK);
	CU_ASSERT_EQUAL_FATAL(
		reyes_i_picture_read(&p, in_folder("own.tif"), message, sizeof(message)), REYES_OK);
	for (int i = 0; i < FULL_W * FULL_H * 3; i++)
		CU_ASSERT_DOUBLE_EQUAL(p.data[i], 0.5f * rgba[i / 3 * 4 + i % 3], 0.501 / 65535);
	reyes_i_picture_free(&p);
	reyes_i_display_free(&d);
}

static CU_TestInfo tests[] = {
	{ "Quantize rounds, adds the dither and limits", quantize_rounds_and_limits },
	{ "Exposure multiplies and raises to 1 / gamma", exposure_has_gain_and_gamma },
	{ "the dither's noise is uniform, without correlation", noise_is_uniform_and_uncorrelated },
	{ "TIFF files have the codes of the formula", tiff_files_have_the_codes_of_the_formula },
	{ "a crop window has the pixels of the full picture",
		a_crop_has_the_pixels_of_the_full_picture },
	{ "PNG files over black show what TIFF files have", png_over_black_is_tiff },
	{ "EXR files are linear, without gamma and Quantize", exr_files_are_linear },
	{ "files with z have floats and the camera's matrices",
		depth_files_have_floats_and_matrices },
	{ "Quantize selects 8 bits, 16 bits or floats", quantize_selects_the_sample_type },
	{ "requests that cannot be met give the reason and leave no file",
		requests_that_cannot_be_met_have_a_reason },
	{ "types and suffixes select the format", types_and_suffixes_select_the_format },
	{ "parameters of a display replace the frame's Exposure and Quantize",
		parameters_replace_the_frames_encoding },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "displays", set_up, close_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
