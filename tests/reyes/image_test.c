/* reyes/image: pictures as files and back. */
#include "tests/reyes/pictures.h"

#include <math.h>
#include <sys/stat.h>

static char message[600];

typedef struct form {
	enum reyes_i_file_format format;
	enum reyes_i_sample_type type;
	const char *channels, *compression;
} form;

/* Every format, type, set of channels and compression. */
static const form forms[] = {
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "Y", NULL },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "Y A", NULL },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "R G B", NULL },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "R G B A", NULL },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_16, "Y", NULL },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_16, "Y A", NULL },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_16, "R G B", NULL },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_16, "R G B A", NULL },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "Y", "none" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "A", "lzw" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "R G B", NULL },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "R G B A", "deflate" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_16, "Y A", "lzw" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_16, "R G B A", "none" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_16, "R G B", "deflate" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_FLOAT, "Z", "none" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_FLOAT, "Y", "lzw" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_FLOAT, "R G B A", "deflate" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_FLOAT, "R G B A Z", NULL },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_FLOAT, "A Z", NULL },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "Y", "none" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "R G B", "rle" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "R G B A", "zips" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "R G B A Z", NULL },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "R G B A Z id normal.x normal.y", "piz" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_FLOAT, "R G B A", "zip" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_FLOAT, "Z", "none" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_FLOAT, "A Z", "piz" },
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static const char *const suffixes[] = { "", "", "png", "tif", "exr" };

static void make_picture(reyes_i_picture *p, const form *f, uint32_t w, uint32_t h)
{
	reyes_i_note note = { "" };

	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(p, w, h, f->channels, &note), REYES_OK);
	fill_picture(p, f->type, w * 1000 + h, f->format == REYES_I_FORMAT_PNG);
}

/* Sizes around the strips and chunks of the formats. */
static void each_form_returns_its_values(void)
{
	static const uint32_t sizes[][2] = { { 1, 1 }, { 7, 33 }, { 64, 16 }, { 3000, 3 } };

	for (size_t i = 0; i < FORMS; i++)
		for (size_t k = 0; k < 4; k++) {
			const form *f = &forms[i];
			const reyes_i_write_options o = { .type = f->type,
				.compression = f->compression };
			const char *path = in_folder(suffixes[f->format]);
			reyes_i_picture p, q;
			double error;

			if (!reyes_i_format_exists(f->format))
				continue;
			make_picture(&p, f, sizes[k][0], sizes[k][1]);
			CHECK(reyes_i_picture_write(&p, path, f->format, &o, message,
				      sizeof(message)) == REYES_OK,
				"%zu: %s", i, message);
			CHECK(reyes_i_picture_read(&q, path, message, sizeof(message)) == REYES_OK,
				"%zu: %s", i, message);
			error = picture_distance(&p, &q);
			/* Integers with alpha are divided and multiplied in floats. */
			CHECK(error <= (f->type <= REYES_I_SAMPLE_16 ? 1e-6 : 0),
				"form %zu, %u x %u: difference %g", i, sizes[k][0], sizes[k][1],
				error);
			CHECK(q.type == f->type || strcmp(f->channels, "R G B A Z") == 0 ||
					f->type == REYES_I_SAMPLE_HALF,
				"form %zu: type %d", i, (int)q.type);
			reyes_i_picture_free(&p);
			reyes_i_picture_free(&q);
		}
}

static void crops_keep_their_place_and_matrices_in_tiff_and_exr(void)
{
	static const form both[] = { { REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_FLOAT, "Z", NULL },
		{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_FLOAT, "Z", NULL } };

	for (size_t i = 0; i < 2; i++) {
		const reyes_i_write_options o = { .type = both[i].type };
		const char *path = in_folder("crop");
		reyes_i_picture p, q;

		if (!reyes_i_format_exists(both[i].format))
			continue;
		make_picture(&p, &both[i], 10, 7);
		p.x_px = 20;
		p.y_px = 5;
		p.full_width_px = 40;
		p.full_height_px = 30;
		p.pixel_aspect = 1.25f;
		p.has_matrices = 1;
		for (int k = 0; k < 16; k++) {
			p.world_to_camera[k] = (float)k * 0.3f - 1;
			p.world_to_screen[k] = 7 - (float)k * 0.7f;
		}
		CU_ASSERT_EQUAL(
			reyes_i_picture_set(&p, REYES_I_META_WRAP, "periodic,clamp"), REYES_OK);
		CHECK(reyes_i_picture_write(
			      &p, path, both[i].format, &o, message, sizeof(message)) == REYES_OK,
			"%s", message);
		CHECK(reyes_i_picture_read(&q, path, message, sizeof(message)) == REYES_OK, "%s",
			message);
		CU_ASSERT_EQUAL(q.x_px, 20);
		CU_ASSERT_EQUAL(q.y_px, 5);
		CU_ASSERT_EQUAL(q.full_width_px, 40);
		CU_ASSERT_EQUAL(q.full_height_px, 30);
		CU_ASSERT_DOUBLE_EQUAL(q.pixel_aspect, 1.25, 1e-6);
		CU_ASSERT_EQUAL_FATAL(q.has_matrices, 1);
		CU_ASSERT_EQUAL(memcmp(p.world_to_camera, q.world_to_camera, 64), 0);
		CU_ASSERT_EQUAL(memcmp(p.world_to_screen, q.world_to_screen, 64), 0);
		CU_ASSERT_STRING_EQUAL(
			reyes_i_picture_get(&q, REYES_I_META_WRAP), "periodic,clamp");
		CU_ASSERT_EQUAL(picture_distance(&p, &q), 0);
		reyes_i_picture_free(&p);
		reyes_i_picture_free(&q);
	}
}

static void half_floats_are_the_nearest(void)
{
	/* 1 + 2^-11 lies between 1 and 1 + 2^-10, and goes to the even one. */
	static const float in[6] = { 1.00048828125f, 1.0005f, 65504, 5.9604645e-8f, -0.1f, 3e-9f };
	static const float out[6] = { 1, 1.0009765625f, 65504, 5.9604645e-8f, -0.0999755859375f,
		0 };
	const form f = { REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "Y", NULL };
	const reyes_i_write_options o = { .type = f.type };
	reyes_i_picture p, q;

	if (!reyes_i_format_exists(f.format))
		return;
	make_picture(&p, &f, 6, 1);
	memcpy(p.data, in, sizeof(in));
	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_write(&p, in_folder("half"), f.format, &o, message,
				      sizeof(message)),
		REYES_OK);
	CU_ASSERT_EQUAL_FATAL(
		reyes_i_picture_read(&q, in_folder("half"), message, sizeof(message)), REYES_OK);
	for (int i = 0; i < 6; i++)
		CHECK(q.data[i] == out[i], "%d: %.9g instead of %.9g", i, (double)q.data[i],
			(double)out[i]);
	reyes_i_picture_free(&p);
	reyes_i_picture_free(&q);
}

/* Any bytes but 0 and '/' make a name; the new file replaces the old one and has its mode, 0666,
 * which the usual umask does not give; no NAME.part remains. */
static void names_have_any_bytes_and_files_are_replaced(void)
{
	static const form f = { REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "Y", NULL };
	const reyes_i_write_options o = { .type = f.type };
	char path[300], part[320];
	reyes_i_picture p, q;
	struct stat st;

	if (!reyes_i_format_exists(f.format))
		return;
	snprintf(path, sizeof(path), "%s", in_folder("a\x01\n\xff\xfe %s%n \\'\"$*.tif"));
	snprintf(part, sizeof(part), "%s.part", path);
	for (uint32_t i = 1; i <= 2; i++) {
		make_picture(&p, &f, i, i);
		CU_ASSERT_EQUAL(
			reyes_i_picture_write(&p, path, f.format, &o, message, sizeof(message)),
			REYES_OK);
		CU_ASSERT_EQUAL_FATAL(
			reyes_i_picture_read(&q, path, message, sizeof(message)), REYES_OK);
		CU_ASSERT_EQUAL(q.width_px, i);
		CU_ASSERT_NOT_EQUAL(stat(part, &st), 0);
		CU_ASSERT_EQUAL(chmod(path, 0666), 0);
		reyes_i_picture_free(&p);
		reyes_i_picture_free(&q);
	}
	make_picture(&p, &f, 1, 1);
	CU_ASSERT_EQUAL(
		reyes_i_picture_write(&p, path, f.format, &o, message, sizeof(message)), REYES_OK);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0666);
	reyes_i_picture_free(&p);
}

static void a_link_stays_a_link(void)
{
	static const form f = { REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "Y", NULL };
	const reyes_i_write_options o = { .type = f.type };
	const char *link_path = in_folder("link.tif");
	reyes_i_picture p;
	struct stat st;

	if (!reyes_i_format_exists(f.format))
		return;
	CU_ASSERT_EQUAL_FATAL(symlink("target.tif", link_path), 0);
	make_picture(&p, &f, 2, 2);
	CU_ASSERT_EQUAL(
		reyes_i_picture_write(&p, link_path, f.format, &o, message, sizeof(message)),
		REYES_OK);
	CU_ASSERT_EQUAL(lstat(link_path, &st), 0);
	CU_ASSERT_TRUE(S_ISLNK(st.st_mode));
	CU_ASSERT_EQUAL(lstat(in_folder("target.tif"), &st), 0);
	CU_ASSERT_TRUE(S_ISREG(st.st_mode));
	reyes_i_picture_free(&p);
}

/* Values outside of 0..1, and values that are no number. */
static void integers_limit_their_values(void)
{
	static const form f = { REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "Y", NULL };
	static const float out[5] = { 1, 0, 0, 1, 1 };
	const reyes_i_write_options o = { .type = f.type };
	reyes_i_picture p, q;

	if (!reyes_i_format_exists(f.format))
		return;
	make_picture(&p, &f, 5, 1);
	p.data[0] = 7;
	p.data[1] = -1;
	p.data[2] = NAN;
	p.data[3] = INFINITY;
	p.data[4] = 0.9981f; /* 254.52 */
	CU_ASSERT_EQUAL(reyes_i_picture_write(
				&p, in_folder("limits"), f.format, &o, message, sizeof(message)),
		REYES_OK);
	CU_ASSERT_EQUAL_FATAL(
		reyes_i_picture_read(&q, in_folder("limits"), message, sizeof(message)), REYES_OK);
	for (int i = 0; i < 5; i++)
		CHECK(q.data[i] == out[i], "%d: %g", i, (double)q.data[i]);
	reyes_i_picture_free(&p);
	reyes_i_picture_free(&q);
}

static CU_TestInfo tests[] = {
	{ "each format, type, channel set and compression returns the values it was given",
		each_form_returns_its_values },
	{ "TIFF and EXR files keep crop window, pixel aspect, matrices and wrap modes",
		crops_keep_their_place_and_matrices_in_tiff_and_exr },
	{ "EXR files with half floats have the nearest values", half_floats_are_the_nearest },
	{ "names have any bytes, files are replaced with their mode, no part file remains",
		names_have_any_bytes_and_files_are_replaced },
	{ "a symbolic link is followed and remains", a_link_stays_a_link },
	{ "integer samples limit values to 0..1, and NaN becomes 0", integers_limit_their_values },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "pictures as files", open_folder, close_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
