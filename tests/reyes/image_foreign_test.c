/* reyes/image: files in the layouts that other programs write: TIFF files by libtiff, tiled EXR
 * files by OpenEXRCore, PNG files by ffmpeg. */
#include <config.h>
#include "tests/reyes/pictures.h"

#include <math.h>
#ifdef HAVE_TIFF
#include <tiffio.h>
#endif
#ifdef HAVE_OPENEXR
#include <openexr.h>
#endif

static char message[600];

enum { W = 37, H = 29 };

/* The greater one of `most` and |error|. gcc 12.2 for aarch64 cannot compile some loops of fmax. */
static inline double greater(double most, double error)
{
	return fabs(error) > most ? fabs(error) : most;
}

#if defined(HAVE_TIFF) || defined(HAVE_OPENEXR)
/* The value of a sample as a fraction of the largest code. */
static uint32_t code(uint32_t x, uint32_t y, uint32_t c)
{
	return (x * 7 + y * 13 + c * 50) % 256;
}
#endif

#ifdef HAVE_TIFF

typedef struct layout {
	const char *mode; /* "wl" little endian, "wb" big endian */
	uint16_t bits, samples, format, photometric, planar, extra, orientation, compression;
	uint32_t tile; /* side of the tiles; 0: strips of 5 rows */
	const char *names;
} layout;

static const layout layouts[] = {
	{ "wl", 8, 3, 1, PHOTOMETRIC_RGB, 1, 0, 1, 1, 16, "R G B" },
	{ "wb", 16, 4, 1, PHOTOMETRIC_RGB, 1, 1, 1, 5, 16, "R G B A" },
	{ "wl", 8, 4, 1, PHOTOMETRIC_RGB, 2, 1, 1, 1, 0, "R G B A" },
	{ "wb", 16, 3, 1, PHOTOMETRIC_RGB, 2, 0, 1, 8, 32, "R G B" },
	{ "wl", 8, 4, 1, PHOTOMETRIC_RGB, 1, 2, 1, 1, 0, "R G B A" }, /* divided color */
	{ "wl", 8, 4, 1, PHOTOMETRIC_RGB, 1, 0, 1, 1, 0, "R G B A" }, /* kind not stated */
	{ "wb", 32, 1, 3, PHOTOMETRIC_MINISBLACK, 1, 0, 1, 5, 16, "Y" },
	{ "wl", 16, 3, 3, PHOTOMETRIC_RGB, 1, 0, 1, 1, 0, "R G B" }, /* half floats */
	{ "wb", 32, 1, 1, PHOTOMETRIC_MINISBLACK, 1, 0, 1, 1, 0, "Y" },
	{ "wl", 8, 1, 1, PHOTOMETRIC_MINISWHITE, 1, 0, 1, 1, 0, "Y" },
	{ "wl", 8, 3, 1, PHOTOMETRIC_RGB, 1, 0, 2, 1, 0, "R G B" }, /* from the right */
	{ "wl", 8, 3, 1, PHOTOMETRIC_RGB, 1, 0, 3, 1, 0, "R G B" },
	{ "wl", 8, 3, 1, PHOTOMETRIC_RGB, 1, 0, 4, 1, 16, "R G B" }, /* from the bottom */
};

/* Writes the sample with the value code / 255. */
static void put_sample(const layout *l, uint8_t *at, uint32_t value)
{
	const float f = (float)value / 255;
	uint32_t word = value * 0x01010101u;
	uint16_t half = (uint16_t)(value * 0x0101u);

	if (l->format == SAMPLEFORMAT_IEEEFP && l->bits == 16) {
		/* value / 256 as a half float: exact, because value has 8 bits. */
		int exponent = 0;
		const double m = frexp(value / 256.0, &exponent);

		half = value ? (uint16_t)((exponent + 14) << 10 | ((uint32_t)(m * 2048) & 1023))
			     : 0;
	} else if (l->format == SAMPLEFORMAT_IEEEFP) {
		memcpy(&word, &f, sizeof(f));
	}
	if (l->bits == 8)
		*at = (uint8_t)value;
	else if (l->bits == 16)
		memcpy(at, &half, sizeof(half));
	else
		memcpy(at, &word, sizeof(word));
}

/* Fills a strip or tile of nx x ny pixels of the channels first.. from (x0, y0). */
static void fill_chunk(const layout *l, uint8_t *buffer, uint32_t x0, uint32_t y0, uint32_t nx,
	uint32_t ny, uint32_t first, uint32_t count)
{
	for (uint32_t y = 0; y < ny; y++)
		for (uint32_t x = 0; x < nx; x++)
			for (uint32_t c = 0; c < count; c++, buffer += l->bits / 8)
				put_sample(l, buffer, code(x0 + x, y0 + y, first + c));
}

static void write_chunks(TIFF *tiff, const layout *l)
{
	static uint8_t buffer[64 * 64 * 16];
	const uint32_t nx = l->tile ? l->tile : W, ny = l->tile ? l->tile : 5;
	const uint16_t planes = l->planar == 2 ? l->samples : 1;
	const uint32_t count = planes == 1 ? l->samples : 1;

	for (uint16_t p = 0; p < planes; p++)
		for (uint32_t y = 0; y < H; y += ny)
			for (uint32_t x = 0; x < W; x += nx) {
				const uint32_t rows = l->tile || y + ny <= H ? ny : H - y;
				const tmsize_t bytes = (tmsize_t)nx * rows * count * l->bits / 8;
				tmsize_t got;

				fill_chunk(l, buffer, x, y, nx, rows, p, count);
				if (l->tile)
					got = TIFFWriteEncodedTile(tiff,
						TIFFComputeTile(tiff, x, y, 0, p), buffer, bytes);
				else
					got = TIFFWriteEncodedStrip(
						tiff, TIFFComputeStrip(tiff, y, p), buffer, bytes);
				CU_ASSERT_EQUAL(got, bytes);
			}
}

static void write_tiff(const char *path, const layout *l)
{
	TIFF *tiff = TIFFOpen(path, l->mode);
	uint16_t extra = (uint16_t)l->extra;

	CU_ASSERT_PTR_NOT_NULL_FATAL(tiff);
	TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, W);
	TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, H);
	TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, l->bits);
	TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, l->samples);
	TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, l->format);
	TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, l->photometric);
	TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, l->planar);
	TIFFSetField(tiff, TIFFTAG_ORIENTATION, l->orientation);
	TIFFSetField(tiff, TIFFTAG_COMPRESSION, l->compression);
	if (l->samples == 4)
		TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
	if (l->tile) {
		TIFFSetField(tiff, TIFFTAG_TILEWIDTH, l->tile);
		TIFFSetField(tiff, TIFFTAG_TILELENGTH, l->tile);
	} else {
		TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
	}
	write_chunks(tiff, l);
	TIFFClose(tiff);
}

/* The value that the picture should have at the pixel (x, y) from the top left corner. */
static double expected(const layout *l, uint32_t x, uint32_t y, uint32_t c)
{
	const uint32_t sx = l->orientation == 2 || l->orientation == 3 ? W - 1 - x : x;
	const uint32_t sy = l->orientation == 3 || l->orientation == 4 ? H - 1 - y : y;
	double v = code(sx, sy, c) / (l->format == 3 && l->bits == 16 ? 256.0 : 255.0);

	if (l->photometric == PHOTOMETRIC_MINISWHITE)
		v = 1 - v;
	if (l->extra == 2 && c < 3)
		v *= code(sx, sy, 3) / 255.0;
	return v;
}

static void tiff_files_of_other_layouts_are_read(void)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const layout *l = &layouts[i];
		const char *path = in_folder("foreign.tif");
		reyes_i_picture p;
		double most = 0;

		write_tiff(path, l);
		CHECK(reyes_i_picture_read(&p, path, message, sizeof(message)) == REYES_OK,
			"layout %zu: %s", i, message);
		CU_ASSERT_EQUAL_FATAL(p.width_px, W);
		CU_ASSERT_EQUAL_FATAL(p.channels, l->samples);
		CU_ASSERT_EQUAL(reyes_i_picture_channel(&p, l->samples == 1 ? "Y" : "B"),
			l->samples == 1 ? 0 : 2);
		CU_ASSERT_EQUAL(
			reyes_i_picture_channel(&p, "A"), l->samples == 4 ? 3 : REYES_I_NO_CHANNEL);
		for (uint32_t y = 0; y < H; y++)
			for (uint32_t x = 0; x < W; x++)
				for (uint32_t c = 0; c < p.channels; c++)
					most = greater(most,
						(double)p.data[((size_t)y * W + x) * p.channels +
							       c] -
							expected(l, x, y, c));
		CHECK(most < 1e-6, "layout %zu: difference %g", i, most);
		reyes_i_picture_free(&p);
	}
}

/* A height larger than that of the strips: the reader must not return other bytes as pixels. */
static void strips_that_a_tiff_file_lacks_are_an_error(void)
{
	uint8_t row[W];
	TIFF *tiff = TIFFOpen(in_folder("short.tif"), "w");
	reyes_i_picture p;

	CU_ASSERT_PTR_NOT_NULL_FATAL(tiff);
	memset(row, 7, sizeof(row));
	TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, W);
	TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 40);
	TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 10);
	TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
	TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
	TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
	TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, 1);
	for (uint32_t y = 0; y < 10; y++)
		CU_ASSERT_EQUAL(TIFFWriteScanline(tiff, row, y, 0), 1);
	TIFFClose(tiff);
	CU_ASSERT_EQUAL(reyes_i_picture_read(&p, in_folder("short.tif"), message, sizeof(message)),
		REYES_ERR_SCENE);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "short.tif: "));
}

/* One bit a pixel: black and white by libtiff's conversion. */
static void bilevel_tiff_files_are_converted(void)
{
	uint8_t row[(W + 7) / 8];
	TIFF *tiff = TIFFOpen(in_folder("bits.tif"), "w");
	reyes_i_picture p;

	CU_ASSERT_PTR_NOT_NULL_FATAL(tiff);
	memset(row, 0xa5, sizeof(row));
	TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, W);
	TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
	TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 1);
	TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
	TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
	TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, 1);
	CU_ASSERT_EQUAL(TIFFWriteScanline(tiff, row, 0, 0), 1);
	TIFFClose(tiff);
	CHECK(reyes_i_picture_read(&p, in_folder("bits.tif"), message, sizeof(message)) == REYES_OK,
		"%s", message);
	CU_ASSERT_EQUAL_FATAL(p.channels, 3);
	for (int x = 0; x < W; x++)
		CHECK(p.data[3 * x] == (float)(0xa5 >> (7 - x % 8) & 1), "pixel %d", x);
	reyes_i_picture_free(&p);
}
#endif

#ifdef HAVE_OPENEXR
/* A tiled file whose sides are no multiples of the tile. */
static void write_tiles(exr_context_t context)
{
	static float values[16 * 16];
	exr_encode_pipeline_t pipe = EXR_ENCODE_PIPELINE_INITIALIZER;
	exr_chunk_info_t chunk;
	int is_ready = 0;

	for (int ty = 0; ty * 16 < H; ty++)
		for (int tx = 0; tx * 16 < W; tx++) {
			CU_ASSERT_EQUAL_FATAL(
				exr_write_tile_chunk_info(context, 0, tx, ty, 0, 0, &chunk), 0);
			if (is_ready)
				exr_encoding_update(context, 0, &chunk, &pipe);
			else
				exr_encoding_initialize(context, 0, &chunk, &pipe);
			for (int i = 0; i < chunk.width * chunk.height; i++)
				values[i] = (float)code((uint32_t)(tx * 16 + i % chunk.width),
					(uint32_t)(ty * 16 + i / chunk.width), 0);
			pipe.channels[0].user_data_type = EXR_PIXEL_FLOAT;
			pipe.channels[0].user_bytes_per_element = 4;
			pipe.channels[0].user_pixel_stride = 4;
			pipe.channels[0].user_line_stride = 4 * chunk.width;
			pipe.channels[0].encode_from_ptr = (const uint8_t *)values;
			if (!is_ready)
				exr_encoding_choose_default_routines(context, 0, &pipe);
			is_ready = 1;
			CU_ASSERT_EQUAL_FATAL(exr_encoding_run(context, 0, &pipe), 0);
		}
	exr_encoding_destroy(context, &pipe);
}

static void tiled_exr_files_are_read(void)
{
	exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
	const char *path = in_folder("tiles.exr");
	exr_context_t context = NULL;
	reyes_i_picture p;
	int part;

	CU_ASSERT_EQUAL_FATAL(exr_start_write(&context, path, EXR_WRITE_FILE_DIRECTLY, &init), 0);
	CU_ASSERT_EQUAL(exr_add_part(context, "tiles", EXR_STORAGE_TILED, &part), 0);
	CU_ASSERT_EQUAL(
		exr_initialize_required_attr_simple(context, part, W, H, EXR_COMPRESSION_ZIP), 0);
	CU_ASSERT_EQUAL(exr_set_tile_descriptor(
				context, part, 16, 16, EXR_TILE_ONE_LEVEL, EXR_TILE_ROUND_DOWN),
		0);
	CU_ASSERT_EQUAL(
		exr_add_channel(context, part, "Y", EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1),
		0);
	CU_ASSERT_EQUAL_FATAL(exr_write_header(context), 0);
	write_tiles(context);
	CU_ASSERT_EQUAL(exr_finish(&context), 0);
	CHECK(reyes_i_picture_read(&p, path, message, sizeof(message)) == REYES_OK, "%s", message);
	for (uint32_t y = 0; y < H; y++)
		for (uint32_t x = 0; x < W; x++)
			CHECK(p.data[y * W + x] == (float)code(x, y, 0), "(%u, %u): %g", x, y,
				(double)p.data[y * W + x]);
	reyes_i_picture_free(&p);
}
#endif

/* ffmpeg writes the same picture twice: raw, and as a PNG file of each type. */
static void png_files_of_other_types_are_read(void)
{
	static const struct {
		const char *pixel_format, *flags;
		uint32_t channels;
		double tolerance;
	} list[] = { { "rgb24", "", 3, 1e-6 }, { "rgb24", "-flags +ildct", 3, 1e-6 },
		{ "pal8", "", 4, 1e-6 }, { "gray", "", 1, 1e-6 }, { "monob", "", 1, 1e-6 },
		{ "rgb48be", "", 3, 1e-6 }, { "rgba64be", "-flags +ildct", 4, 1e-6 } };
	static uint8_t raw[W * H * 8];
	char command[1200];

	if (!reyes_i_format_exists(REYES_I_FORMAT_PNG) ||
		system("ffmpeg -version >/dev/null 2>&1") != 0) {
		puts("left out: PNG files need libpng and the program ffmpeg");
		return;
	}
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const int wide = strstr(list[i].pixel_format, "be") != NULL;
		const char *out = list[i].channels == 1   ? wide ? "gray16be" : "gray"
				  : list[i].channels == 3 ? wide ? "rgb48be" : "rgb24"
				  : wide                  ? "rgba64be"
							  : "rgba";
		const size_t n = (size_t)W * H * list[i].channels;
		reyes_i_picture p;
		double most = 0;
		FILE *f;

		snprintf(command, sizeof(command),
			"ffmpeg -v error -nostdin -y -f lavfi -i testsrc=size=%dx%d -frames:v 1 "
			"-pix_fmt %s %s %s && ffmpeg -v error -nostdin -y -i %s -f rawvideo "
			"-pix_fmt %s %s",
			W, H, list[i].pixel_format, list[i].flags, in_folder("f.png"),
			in_folder("f.png"), out, in_folder("f.raw"));
		CU_ASSERT_EQUAL_FATAL(system(command), 0);
		f = fopen(in_folder("f.raw"), "rb");
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_EQUAL(fread(raw, wide ? 2 : 1, n, f), n);
		fclose(f);
		CHECK(reyes_i_picture_read(&p, in_folder("f.png"), message, sizeof(message)) ==
				REYES_OK,
			"%s", message);
		/* An opaque palette becomes RGB. */
		CHECK(p.channels == list[i].channels || (p.channels == 3 && list[i].channels == 4),
			"%s: %u channels", list[i].pixel_format, p.channels);
		for (size_t k = 0; k < (size_t)W * H; k++)
			for (uint32_t c = 0; c < p.channels; c++) {
				const size_t at = k * list[i].channels + c;
				const double v =
					wide ? (raw[2 * at] << 8 | raw[2 * at + 1]) / 65535.0
					     : raw[at] / 255.0;

				most = greater(most, v - (double)p.data[k * p.channels + c]);
			}
		CHECK(most <= list[i].tolerance, "%s %s: difference %g", list[i].pixel_format,
			list[i].flags, most);
		reyes_i_picture_free(&p);
	}
}

static CU_TestInfo tests[] = {
#ifdef HAVE_TIFF
	{ "TIFF files with tiles, planes, both byte orders and all orientations are read",
		tiff_files_of_other_layouts_are_read },
	{ "strips that a TIFF file lacks are an error",
		strips_that_a_tiff_file_lacks_are_an_error },
	{ "TIFF files with one bit a pixel are converted", bilevel_tiff_files_are_converted },
#endif
#ifdef HAVE_OPENEXR
	{ "tiled EXR files are read", tiled_exr_files_are_read },
#endif
	{ "PNG files with palettes, single bits and interlacing are read",
		png_files_of_other_types_are_read },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "picture files of other programs", open_folder, close_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
