/* reyes/image against another program: ffmpeg decodes the files. */
#include "tests/reyes/pictures.h"

#include <math.h>

static char message[600];

/* One file: our channels and type, ffmpeg's pixel format, and our channel of each of its planes or
 * components in order. */
typedef struct form {
	enum reyes_i_file_format format;
	enum reyes_i_sample_type type;
	const char *channels, *compression, *pixel_format;
	uint32_t components, order[4];
	int planar;
} form;

static const form forms[] = {
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "Y", NULL, "gray", 1, { 0 }, 0 },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "Y A", NULL, "ya8", 2, { 0, 1 }, 0 },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "R G B", NULL, "rgb24", 3, { 0, 1, 2 }, 0 },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "R G B A", NULL, "rgba", 4, { 0, 1, 2, 3 }, 0 },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_16, "R G B", NULL, "rgb48le", 3, { 0, 1, 2 }, 0 },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_16, "R G B A", NULL, "rgba64le", 4, { 0, 1, 2, 3 },
		0 },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "Y", "none", "gray", 1, { 0 }, 0 },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "R G B", NULL, "rgb24", 3, { 0, 1, 2 }, 0 },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "R G B A", NULL, "rgba", 4, { 0, 1, 2, 3 }, 0 },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "R G B A", "deflate", "rgba", 4, { 0, 1, 2, 3 },
		0 },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_16, "R G B", "none", "rgb48le", 3, { 0, 1, 2 }, 0 },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "R G B", NULL, "gbrpf32le", 3, { 1, 2, 0 }, 1 },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "R G B A", "piz", "gbrapf32le", 4,
		{ 1, 2, 0, 3 }, 1 },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_FLOAT, "R G B A", "none", "gbrapf32le", 4,
		{ 1, 2, 0, 3 }, 1 },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_FLOAT, "R G B A Z", "zips", "gbrapf32le", 4,
		{ 1, 2, 0, 3 }, 1 },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_FLOAT, "Y", "rle", "grayf32le", 1, { 0 }, 1 },
};

/* Decodes the file to raw bytes. Returns their number. */
static size_t decode(const char *path, const char *pixel_format, uint8_t *out, size_t room)
{
	char command[800];
	size_t n;
	FILE *pipe;

	snprintf(command, sizeof(command),
		"ffmpeg -v error -nostdin -i %s -f rawvideo -pix_fmt %s -", path, pixel_format);
	pipe = popen(command, "r");
	if (!pipe)
		return 0;
	n = fread(out, 1, room, pipe);
	return pclose(pipe) == 0 ? n : 0;
}

/* Value of one component of the decoded picture. */
static double component(const form *f, const uint8_t *raw, size_t i, uint32_t c, size_t pixels)
{
	const size_t at = f->planar ? c * pixels + i : i * f->components + c;
	uint16_t word;
	float v;

	if (f->type == REYES_I_SAMPLE_8)
		return raw[at] / 255.0;
	memcpy(&word, raw + 2 * at, 2);
	if (f->type == REYES_I_SAMPLE_16)
		return word / 65535.0;
	memcpy(&v, raw + 4 * at, 4);
	return (double)v;
}

/* The value that a file has: PNG divides by alpha. */
static double file_value(const form *f, const reyes_i_picture *p, size_t i, uint32_t c)
{
	const float *at = p->data + i * p->channels;
	const uint32_t alpha = reyes_i_picture_channel(p, "A");
	double v = (double)at[c];

	if (f->format == REYES_I_FORMAT_PNG && alpha < p->channels && c != alpha)
		v = at[alpha] > 0 ? v / (double)at[alpha] : 0;
	return v;
}

static void compare(const form *f, size_t number)
{
	enum { W = 61, H = 37 };
	const reyes_i_write_options o = { .type = f->type, .compression = f->compression };
	char path[100];
	static uint8_t raw[W * H * 16 + 1];
	reyes_i_picture p;
	reyes_i_note note = { "" };
	size_t got, bytes;
	double most = 0;

	snprintf(path, sizeof(path), "%s/f%zu.%s", test_folder, number,
		f->format == REYES_I_FORMAT_PNG   ? "png"
		: f->format == REYES_I_FORMAT_EXR ? "exr"
						  : "tif");
	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, W, H, f->channels, &note), REYES_OK);
	fill_picture(&p, f->type, number + 1, f->format == REYES_I_FORMAT_PNG);
	CHECK(reyes_i_picture_write(&p, path, f->format, &o, message, sizeof(message)) == REYES_OK,
		"%s", message);
	got = decode(path, f->pixel_format, raw, sizeof(raw));
	bytes = (size_t)W * H * f->components *
		(f->type == REYES_I_SAMPLE_8           ? 1
			: f->type == REYES_I_SAMPLE_16 ? 2
						       : 4);
	CHECK(got == bytes, "form %zu: %zu bytes, not %zu", number, got, bytes);
	for (size_t i = 0; i < (size_t)W * H; i++)
		for (uint32_t c = 0; c < f->components; c++) {
			const double d = fabs(component(f, raw, i, c, (size_t)W * H) -
					      file_value(f, &p, i, f->order[c]));

			most = d > most ? d : most;
		}
	CHECK(most < 1e-6, "form %zu: difference %g", number, most);
	reyes_i_picture_free(&p);
}

static void ffmpeg_decodes_the_same_values(void)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (reyes_i_format_exists(forms[i].format))
			compare(&forms[i], i);
}

/* ffmpeg shows the display window, black around the data window. */
static void the_windows_of_exr_files_are_where_ffmpeg_finds_them(void)
{
	enum { W = 9, H = 8 };
	const reyes_i_write_options o = { .type = REYES_I_SAMPLE_FLOAT };
	float raw[W * H * 3 + 1];
	reyes_i_picture p;
	reyes_i_note note = { "" };

	if (!reyes_i_format_exists(REYES_I_FORMAT_EXR))
		return;
	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, 3, 2, "R G B", &note), REYES_OK);
	for (int i = 0; i < 18; i++)
		p.data[i] = (float)(i + 1);
	p.x_px = 4;
	p.y_px = 5;
	p.full_width_px = W;
	p.full_height_px = H;
	CU_ASSERT_EQUAL(reyes_i_picture_write(&p, in_folder("window.exr"), REYES_I_FORMAT_EXR, &o,
				message, sizeof(message)),
		REYES_OK);
	CU_ASSERT_EQUAL_FATAL(
		decode(in_folder("window.exr"), "gbrpf32le", (uint8_t *)raw, sizeof(raw)),
		W * H * 12);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			const int in = x >= 4 && x < 7 && y >= 5 && y < 7;
			const float g = in ? (float)(((y - 5) * 3 + x - 4) * 3 + 2) : 0;

			CHECK(raw[y * W + x] == g, "(%d, %d): %g instead of %g", x, y,
				(double)raw[y * W + x], (double)g);
		}
	reyes_i_picture_free(&p);
}

static CU_TestInfo tests[] = {
	{ "ffmpeg decodes the values that were written", ffmpeg_decodes_the_same_values },
	{ "ffmpeg finds the data window of an EXR file in its display window",
		the_windows_of_exr_files_are_where_ffmpeg_finds_them },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "pictures in another program", open_folder, close_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	if (system("ffmpeg -version >/dev/null 2>&1") != 0) {
		puts("skipped: the program ffmpeg is not installed");
		return TEST_EXIT_SKIP;
	}
	return test_run(suites);
}
