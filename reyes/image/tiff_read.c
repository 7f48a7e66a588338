/* Reads TIFF files by libtiff: strips or tiles, channels interleaved or in planes, integers of 8,
 * 16 and 32 bits, floats of 16 and 32 bits; other files as 8-bit RGBA by libtiff's conversion. */
#include <config.h>
#include "reyes/image/formats.h"
#include "reyes/image/tiff_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES_MAX = 1 << 30 };

/* The tags that determine the layout. */
typedef struct layout {
	uint32_t width, height;
	uint16_t samples, bits, format, photometric, planar, orientation, compression;
	uint16_t extra_count, *extra;
	uint32_t colors;
	uint32_t chunk_width, chunk_height; /* of a tile or a strip */
	uint32_t is_tiled;
	uint8_t *buffer; /* one chunk */
	size_t buffer_bytes;
} layout;

static reyes_status read_layout(TIFF *tiff, layout *l, reyes_i_note *note)
{
	memset(l, 0, sizeof(*l));
	if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &l->width) ||
		!TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &l->height))
		return reyes_i_note_fail(note, REYES_ERR_FILE, "the file has no width or height");
	TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &l->samples);
	TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &l->bits);
	TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &l->format);
	TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &l->planar);
	TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &l->orientation);
	TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &l->extra_count, &l->extra);
	TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &l->compression);
	if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &l->photometric))
		l->photometric = l->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
	l->colors = l->photometric == PHOTOMETRIC_RGB ? 3 : 1;
	l->is_tiled = TIFFIsTiled(tiff) != 0;
	if (l->width == 0 || l->height == 0 || l->width > REYES_I_PICTURE_SIDE_MAX ||
		l->height > REYES_I_PICTURE_SIDE_MAX)
		return reyes_i_note_fail(note, REYES_ERR_FILE,
			"the picture has %u x %u pixels; the limit is 1 to %d a side", l->width,
			l->height, REYES_I_PICTURE_SIDE_MAX);
	return REYES_OK;
}

/* 1: convert_samples reads this layout. */
static int is_direct(const layout *l)
{
	if (l->samples < l->colors || l->samples > REYES_I_PICTURE_CHANNELS_MAX)
		return 0;
	if (l->photometric != PHOTOMETRIC_RGB && l->photometric != PHOTOMETRIC_MINISBLACK &&
		l->photometric != PHOTOMETRIC_MINISWHITE)
		return 0;
	if (l->planar != PLANARCONFIG_CONTIG && l->planar != PLANARCONFIG_SEPARATE)
		return 0;
	if (l->format == SAMPLEFORMAT_IEEEFP)
		return l->bits == 16 || l->bits == 32;
	return (l->format == SAMPLEFORMAT_UINT || l->format == SAMPLEFORMAT_VOID) &&
	       (l->bits == 8 || l->bits == 16 || l->bits == 32);
}

/* A 16-bit float. */
static float half_value(uint16_t h)
{
	const uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31;
	const uint32_t fraction = h & 1023;
	uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
	float f;

	if (exponent == 0) {
		f = (float)fraction / 16777216;
		return sign ? -f : f;
	}
	if (exponent == 31)
		bits = sign | 0x7f800000 | fraction << 13;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static float sample_value(const layout *l, const uint8_t *at)
{
	uint16_t word;
	uint32_t number;
	float f;

	if (l->bits == 8)
		return (float)*at / 255;
	if (l->bits == 16) {
		memcpy(&word, at, sizeof(word));
		return l->format == SAMPLEFORMAT_IEEEFP ? half_value(word) : (float)word / 65535;
	}
	memcpy(&number, at, sizeof(number));
	memcpy(&f, at, sizeof(f));
	return l->format == SAMPLEFORMAT_IEEEFP ? f : (float)(number / 4294967295.0);
}

/* Copies the chunk in the buffer, which begins at pixel (x0, y0), to channels first.. of p. */
static void convert_chunk(const layout *l, reyes_i_picture *p, uint32_t x0, uint32_t y0,
	uint32_t first, uint32_t count)
{
	const size_t step = l->bits / 8, row = (size_t)l->chunk_width * count * step;

	for (uint32_t y = 0; y < l->chunk_height && y0 + y < l->height; y++) {
		const uint8_t *in = l->buffer + y * row;
		float *out = p->data + ((size_t)(y0 + y) * l->width + x0) * p->channels + first;

		for (uint32_t x = 0; x < l->chunk_width && x0 + x < l->width; x++) {
			for (uint32_t c = 0; c < count; c++, in += step)
				out[c] = sample_value(l, in);
			out += p->channels;
		}
	}
}

/* Sets the size of the chunks and allocates the buffer for one. */
static reyes_status make_buffer(TIFF *tiff, layout *l, reyes_i_note *note)
{
	const size_t count = l->planar == PLANARCONFIG_CONTIG ? l->samples : 1;
	tmsize_t bytes;
	uint64_t needed;

	if (l->is_tiled) {
		if (!TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &l->chunk_width) ||
			!TIFFGetField(tiff, TIFFTAG_TILELENGTH, &l->chunk_height))
			return reyes_i_note_fail(
				note, REYES_ERR_FILE, "the size of tiles is missing");
		bytes = TIFFTileSize(tiff);
	} else {
		l->chunk_width = l->width;
		TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &l->chunk_height);
		if (l->chunk_height > l->height)
			l->chunk_height = l->height;
		bytes = TIFFStripSize(tiff);
	}
	if (l->chunk_width == 0 || l->chunk_height == 0 ||
		l->chunk_width > REYES_I_PICTURE_SIDE_MAX ||
		l->chunk_height > REYES_I_PICTURE_SIDE_MAX)
		return reyes_i_note_fail(note, REYES_ERR_FILE, "a tile or strip has %u x %u pixels",
			l->chunk_width, l->chunk_height);
	needed = (uint64_t)l->chunk_width * l->chunk_height * count * (l->bits / 8);
	if (needed > BUFFER_BYTES_MAX || bytes <= 0 || (uint64_t)bytes != needed)
		return reyes_i_note_fail(
			note, REYES_ERR_FILE, "a tile or strip has %lld bytes", (long long)bytes);
	l->buffer_bytes = (size_t)needed;
	l->buffer = calloc(1, l->buffer_bytes);
	return l->buffer ? REYES_OK : reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
}

/* Reads the chunk that has the pixel (x, y). Returns 0 if it is not complete. */
static int read_chunk(TIFF *tiff, layout *l, uint32_t x, uint32_t y, uint16_t plane)
{
	const uint32_t number = l->is_tiled ? TIFFComputeTile(tiff, x, y, 0, plane)
					    : TIFFComputeStrip(tiff, y, plane);
	const uint32_t rows =
		l->is_tiled || l->height - y >= l->chunk_height ? l->chunk_height : l->height - y;
	const size_t needed = l->buffer_bytes / l->chunk_height * rows;
	const uint64_t stored = TIFFGetStrileByteCount(tiff, number);
	tmsize_t got;

	/* libtiff reads uncompressed strips without regard to their byte count; a chunk that the
	 * file does not have has the count 0. */
	if (stored == 0 || (l->compression == COMPRESSION_NONE && stored < needed))
		return 0;
	if (l->is_tiled)
		got = TIFFReadEncodedTile(tiff, number, l->buffer, (tmsize_t)l->buffer_bytes);
	else
		got = TIFFReadEncodedStrip(tiff, number, l->buffer, (tmsize_t)l->buffer_bytes);
	return got >= 0 && (size_t)got >= needed;
}

static reyes_status read_chunks(TIFF *tiff, layout *l, reyes_i_picture *p, reyes_i_note *note)
{
	const int planes = l->planar == PLANARCONFIG_SEPARATE ? l->samples : 1;
	const uint32_t count = planes == 1 ? l->samples : 1;

	for (int plane = 0; plane < planes; plane++)
		for (uint32_t y = 0; y < l->height; y += l->chunk_height)
			for (uint32_t x = 0; x < l->width; x += l->chunk_width) {
				if (!read_chunk(tiff, l, x, y, (uint16_t)plane))
					return reyes_i_note_fail(note, REYES_ERR_FILE,
						"the pixels are truncated or corrupt");
				convert_chunk(l, p, x, y, (uint32_t)plane, count);
			}
	return REYES_OK;
}

static void flip(reyes_i_picture *p, int columns, int rows)
{
	const uint32_t w = p->width_px, h = p->height_px, n = p->channels;

	for (uint32_t y = 0; y < h; y++)
		for (uint32_t x = 0; x < w; x++) {
			float *a = p->data + ((size_t)y * w + x) * n;
			float *b = p->data + ((size_t)(rows ? h - 1 - y : y) * w +
						     (columns ? w - 1 - x : x)) *
						     n;

			for (uint32_t c = 0; b > a && c < n; c++) {
				const float t = a[c];

				a[c] = b[c];
				b[c] = t;
			}
		}
}

/* Applies photometric interpretation, kind of alpha and orientation. */
static reyes_status normalize(const layout *l, reyes_i_picture *p, reyes_i_note *note)
{
	const size_t n = (size_t)p->width_px * p->height_px;
	const int divided = l->extra_count && l->extra && l->extra[0] == EXTRASAMPLE_UNASSALPHA;
	float *at = p->data;

	for (size_t i = 0; i < n; i++, at += p->channels) {
		if (l->photometric == PHOTOMETRIC_MINISWHITE && l->format != SAMPLEFORMAT_IEEEFP)
			at[0] = 1 - at[0];
		for (uint32_t c = 0; divided && p->channels > l->colors && c < l->colors; c++)
			at[c] *= at[l->colors];
	}
	if (l->orientation < ORIENTATION_TOPLEFT || l->orientation > ORIENTATION_BOTLEFT)
		return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED,
			"the orientation is %u when it should be 1 to 4", l->orientation);
	if (l->orientation != ORIENTATION_TOPLEFT)
		flip(p,
			l->orientation == ORIENTATION_TOPRIGHT ||
				l->orientation == ORIENTATION_BOTRIGHT,
			l->orientation == ORIENTATION_BOTLEFT ||
				l->orientation == ORIENTATION_BOTRIGHT);
	return REYES_OK;
}

/* Channel names as the file states them, or by the layout. */
static void list_names(TIFF *tiff, const layout *l, char *names, size_t bytes)
{
	const size_t head = strlen(REYES_I_TIFF_CHANNELS);
	const char *text = NULL;
	float *matrix = NULL;
	int first_is_alpha;
	size_t at;

	if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) && text &&
		strncmp(text, REYES_I_TIFF_CHANNELS, head) == 0) {
		uint32_t count = 0;

		for (const char *c = text + head; *c; c++)
			count += *c != ' ' && (c[1] == ' ' || c[1] == '\0');
		if (count == l->samples) {
			snprintf(names, bytes, "%s", text + head);
			return;
		}
	}
	if (l->colors == 1 && TIFFGetField(tiff, TIFFTAG_PIXAR_MATRIX_WORLDTOSCREEN, &matrix))
		at = (size_t)snprintf(names, bytes, "Z");
	else
		at = (size_t)snprintf(names, bytes, "%s", l->colors == 3 ? "R G B" : "Y");
	/* A single extra sample of no stated kind is alpha, as in libtiff. */
	first_is_alpha = l->samples == l->colors + 1 || !l->extra_count || !l->extra ||
			 l->extra[0] != EXTRASAMPLE_UNSPECIFIED;
	for (uint32_t i = l->colors; i < l->samples; i++)
		at += (size_t)(i == l->colors && first_is_alpha
				       ? snprintf(names + at, bytes - at, " A")
				       : snprintf(names + at, bytes - at, " extra%u", i));
}

static void read_place(TIFF *tiff, reyes_i_picture *p)
{
	uint32_t full_width = 0, full_height = 0;
	float xres = 0, yres = 0, x = 0, y = 0;

	TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &xres);
	TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &yres);
	TIFFGetField(tiff, TIFFTAG_XPOSITION, &x);
	TIFFGetField(tiff, TIFFTAG_YPOSITION, &y);
	if (xres > 0 && yres / xres > 0.01f && yres / xres < 100)
		p->pixel_aspect = yres / xres;
	x = xres > 0 ? x * xres + 0.5f : 0;
	y = yres > 0 ? y * yres + 0.5f : 0;
	if (x >= 0 && x < REYES_I_PICTURE_SIDE_MAX && y >= 0 && y < REYES_I_PICTURE_SIDE_MAX &&
		TIFFGetField(tiff, TIFFTAG_PIXAR_IMAGEFULLWIDTH, &full_width) &&
		TIFFGetField(tiff, TIFFTAG_PIXAR_IMAGEFULLLENGTH, &full_height) &&
		full_width <= REYES_I_PICTURE_SIDE_MAX && full_height <= REYES_I_PICTURE_SIDE_MAX &&
		(uint32_t)x + p->width_px <= full_width &&
		(uint32_t)y + p->height_px <= full_height) {
		p->x_px = (int32_t)x;
		p->y_px = (int32_t)y;
		p->full_width_px = full_width;
		p->full_height_px = full_height;
	}
}

static reyes_status read_metadata(TIFF *tiff, reyes_i_picture *p)
{
	float *camera = NULL, *screen = NULL;

	read_place(tiff, p);
	if (TIFFGetField(tiff, TIFFTAG_PIXAR_MATRIX_WORLDTOCAMERA, &camera) &&
		TIFFGetField(tiff, TIFFTAG_PIXAR_MATRIX_WORLDTOSCREEN, &screen)) {
		memcpy(p->world_to_camera, camera, sizeof(p->world_to_camera));
		memcpy(p->world_to_screen, screen, sizeof(p->world_to_screen));
		p->has_matrices = 1;
	}
	for (size_t i = 0; i < REYES_I_TIFF_TEXTS; i++) {
		const char *text = NULL;

		/* NULL: libtiff 4.5 had no memory for it, and has returned success */
		if (TIFFGetField(tiff, reyes_i_tiff_texts[i].tag, &text) &&
			(!text || reyes_i_picture_set(p, reyes_i_tiff_texts[i].name, text) !=
					  REYES_OK))
			return REYES_ERR_NOMEM;
	}
	return REYES_OK;
}

/* Reads any file that libtiff converts to 8-bit RGBA, whose color is multiplied by alpha. */
static reyes_status read_converted(
	TIFF *tiff, const layout *l, reyes_i_picture *p, reyes_i_note *note)
{
	const int has_alpha = l->extra_count > 0;
	char why[1024] = "";
	reyes_status s;
	uint32_t *raster;

	if (!TIFFRGBAImageOK(tiff, why))
		return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED, "libtiff: %s", why);
	s = reyes_i_picture_init(p, l->width, l->height, has_alpha ? "R G B A" : "R G B", note);
	if (s != REYES_OK)
		return s;
	raster = calloc((size_t)l->width * l->height, sizeof(*raster));
	if (!raster)
		return reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
	if (!TIFFReadRGBAImageOriented(tiff, l->width, l->height, raster, ORIENTATION_TOPLEFT, 1))
		s = reyes_i_note_fail(note, REYES_ERR_FILE, "the pixels are truncated or corrupt");
	for (size_t i = 0; i < (size_t)l->width * l->height; i++)
		for (uint32_t c = 0; c < p->channels; c++)
			p->data[i * p->channels + c] = (float)(raster[i] >> (8 * c) & 255) / 255;
	p->type = REYES_I_SAMPLE_8;
	free(raster);
	return s;
}

static reyes_status read_direct(TIFF *tiff, layout *l, reyes_i_picture *p, reyes_i_note *note)
{
	char names[REYES_I_PICTURE_CHANNELS_MAX * REYES_I_PICTURE_NAME_BYTES];
	reyes_status s;

	list_names(tiff, l, names, sizeof(names));
	s = reyes_i_picture_init(p, l->width, l->height, names, note);
	if (s == REYES_OK && p->channels != l->samples)
		s = reyes_i_note_fail(
			note, REYES_ERR_FILE, "the names of the channels are corrupt");
	if (s == REYES_OK)
		s = make_buffer(tiff, l, note);
	if (s == REYES_OK)
		s = read_chunks(tiff, l, p, note);
	if (s == REYES_OK)
		s = normalize(l, p, note);
	p->type = l->bits == 8                                        ? REYES_I_SAMPLE_8
		  : l->format == SAMPLEFORMAT_IEEEFP || l->bits == 32 ? REYES_I_SAMPLE_FLOAT
								      : REYES_I_SAMPLE_16;
	free(l->buffer);
	return s;
}

reyes_status reyes_i_tiff_decode(
	reyes_i_picture *p, const uint8_t *data, size_t count, reyes_i_note *note)
{
	reyes_i_tiff_memory m = { .data = data, .count = count, .note = note };
	TIFF *tiff;
	layout l;
	reyes_status s;

	memset(p, 0, sizeof(*p));
	tiff = reyes_i_tiff_open(&m);
	if (!tiff)
		return reyes_i_tiff_status(&m, REYES_ERR_FILE);
	s = read_layout(tiff, &l, note);
	if (s == REYES_OK)
		s = is_direct(&l) ? read_direct(tiff, &l, p, note)
				  : read_converted(tiff, &l, p, note);
	if (s == REYES_OK && read_metadata(tiff, p) != REYES_OK)
		s = reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
	TIFFClose(tiff);
	s = reyes_i_tiff_status(&m, s);
	if (s != REYES_OK)
		reyes_i_picture_free(p);
	return s;
}
