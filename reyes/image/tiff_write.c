/* Writes TIFF files by libtiff: 8 and 16 bits and floating point, color multiplied by alpha, which
 * the tag ExtraSamples states (TIFF 6.0, section 18), and the tags of RenderMan textures. */
#include <config.h>
#include "reyes/image/formats.h"
#include "reyes/image/samples.h"
#include "reyes/image/tiff_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STRIP_BYTES = 65536 };

/* Number of channels before the extra samples: 3 for RGB, else 1. */
static uint32_t count_colors(const reyes_i_picture *p)
{
	return p->channels >= 3 && !strcmp(p->names[0], "R") && !strcmp(p->names[1], "G") &&
			       !strcmp(p->names[2], "B")
		       ? 3
		       : 1;
}

static uint16_t compression(const char *name)
{
	const uint16_t lzw =
		TIFFIsCODECConfigured(COMPRESSION_LZW) ? COMPRESSION_LZW : COMPRESSION_NONE;

	if (name && strcasecmp(name, "none") == 0)
		return COMPRESSION_NONE;
	if (name && (strcasecmp(name, "deflate") == 0 || strcasecmp(name, "zip") == 0) &&
		TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE))
		return COMPRESSION_ADOBE_DEFLATE;
	return lzw;
}

/* Extra channels: the first one with the name A is associated alpha. */
static int set_extra(TIFF *tiff, const reyes_i_picture *p, uint32_t colors)
{
	uint16_t kinds[REYES_I_PICTURE_CHANNELS_MAX];
	const uint16_t n = (uint16_t)(p->channels - colors);

	for (uint16_t i = 0; i < n; i++)
		kinds[i] = strcmp(p->names[colors + i], "A") == 0 ? EXTRASAMPLE_ASSOCALPHA
								  : EXTRASAMPLE_UNSPECIFIED;
	return n == 0 || TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, n, kinds);
}

/* libtiff 4.5 returns success where it has no memory for a text. */
static int set_text(TIFF *tiff, uint32_t tag, const char *text)
{
	const char *stored = NULL;

	return TIFFSetField(tiff, tag, text) && TIFFGetField(tiff, tag, &stored) && stored;
}

/* Names the channels, unless they are Y, RGB or RGBA. */
static int set_names(TIFF *tiff, const reyes_i_picture *p, uint32_t colors)
{
	char text[sizeof(REYES_I_TIFF_CHANNELS) +
		  REYES_I_PICTURE_CHANNELS_MAX * REYES_I_PICTURE_NAME_BYTES];
	size_t at = strlen(REYES_I_TIFF_CHANNELS);
	const uint32_t rest = p->channels - colors;

	if ((colors == 3 || strcmp(p->names[0], "Y") == 0) &&
		(rest == 0 || (rest == 1 && strcmp(p->names[colors], "A") == 0)))
		return 1;
	memcpy(text, REYES_I_TIFF_CHANNELS, at + 1);
	for (uint32_t c = 0; c < p->channels; c++)
		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "%s%s", c ? " " : "", p->names[c]);
	return set_text(tiff, TIFFTAG_IMAGEDESCRIPTION, text);
}

static int set_place(TIFF *tiff, const reyes_i_picture *p)
{
	const float aspect = p->pixel_aspect > 0 ? p->pixel_aspect : 1;

	return TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE) &&
	       TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 1.0) &&
	       TIFFSetField(tiff, TIFFTAG_YRESOLUTION, (double)aspect) &&
	       (p->x_px <= 0 || TIFFSetField(tiff, TIFFTAG_XPOSITION, (double)p->x_px)) &&
	       (p->y_px <= 0 ||
		       TIFFSetField(tiff, TIFFTAG_YPOSITION, (double)p->y_px / (double)aspect)) &&
	       TIFFSetField(tiff, TIFFTAG_PIXAR_IMAGEFULLWIDTH, p->full_width_px) &&
	       TIFFSetField(tiff, TIFFTAG_PIXAR_IMAGEFULLLENGTH, p->full_height_px);
}

static int set_metadata(TIFF *tiff, const reyes_i_picture *p)
{
	if (p->has_matrices &&
		(!TIFFSetField(tiff, TIFFTAG_PIXAR_MATRIX_WORLDTOCAMERA, p->world_to_camera) ||
			!TIFFSetField(
				tiff, TIFFTAG_PIXAR_MATRIX_WORLDTOSCREEN, p->world_to_screen)))
		return 0;
	for (size_t i = 0; i < REYES_I_TIFF_TEXTS; i++) {
		const char *text = reyes_i_picture_get(p, reyes_i_tiff_texts[i].name);

		if (text && !set_text(tiff, reyes_i_tiff_texts[i].tag, text))
			return 0;
	}
	return 1;
}

static int set_tags(TIFF *tiff, const reyes_i_picture *p, const reyes_i_write_options *o)
{
	const int is_float = o->type == REYES_I_SAMPLE_FLOAT;
	const uint32_t bits = is_float ? 32 : o->type == REYES_I_SAMPLE_16 ? 16 : 8;
	const uint32_t colors = count_colors(p), row_bytes = p->width_px * p->channels * bits / 8;
	const uint16_t codec = compression(o->compression);

	return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, p->width_px) &&
	       TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, p->height_px) &&
	       TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, p->channels) &&
	       TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits) &&
	       TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
		       is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT) &&
	       TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
		       colors == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK) &&
	       TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
	       TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT) &&
	       TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP,
		       row_bytes < STRIP_BYTES ? STRIP_BYTES / row_bytes : 1) &&
	       TIFFSetField(tiff, TIFFTAG_COMPRESSION, codec) &&
	       /* The predictor of floating-point values is unknown to some readers. */
	       (codec == COMPRESSION_NONE || is_float ||
		       TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL)) &&
	       set_extra(tiff, p, colors) && set_names(tiff, p, colors) && set_place(tiff, p) &&
	       set_metadata(tiff, p);
}

static int write_rows(TIFF *tiff, const reyes_i_picture *p, enum reyes_i_sample_type type)
{
	const size_t n = (size_t)p->width_px * p->channels;
	float *row = malloc(n * sizeof(*row)); /* large enough for each type; libtiff modifies it */
	int ok = row != NULL;

	for (uint32_t y = 0; ok && y < p->height_px; y++) {
		const float *in = p->data + y * n;
		uint16_t *words = (uint16_t *)row;
		uint8_t *bytes = (uint8_t *)row;

		if (type == REYES_I_SAMPLE_FLOAT)
			memcpy(row, in, n * sizeof(*row));
		for (size_t i = 0; type == REYES_I_SAMPLE_16 && i < n; i++)
			words[i] = (uint16_t)reyes_i_to_integer(in[i], 65535);
		for (size_t i = 0; type == REYES_I_SAMPLE_8 && i < n; i++)
			bytes[i] = (uint8_t)reyes_i_to_integer(in[i], 255);
		ok = TIFFWriteScanline(tiff, row, y, 0) == 1;
	}
	free(row);
	return ok;
}

reyes_status reyes_i_tiff_encode(const reyes_i_picture *p, const reyes_i_write_options *o,
	reyes_i_bytes *out, reyes_i_note *note)
{
	reyes_i_tiff_memory m = { .out = out, .note = note };
	TIFF *tiff;
	int ok;

	if (o->type == REYES_I_SAMPLE_HALF)
		return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED,
			"a TIFF file has 8 or 16 bits or 32-bit floats; use exr for half floats");
	tiff = reyes_i_tiff_open(&m);
	if (!tiff)
		return reyes_i_tiff_status(&m, REYES_ERR_FILE);
	ok = set_tags(tiff, p, o) && write_rows(tiff, p, o->type) && TIFFFlush(tiff);
	/* TIFFClose would write the rest, and libtiff 4.5 reads NULL where memory has ended. */
	if (!ok)
		TIFFSetMode(tiff, O_RDONLY);
	TIFFClose(tiff);
	if (ok && !note->text[0])
		return reyes_i_tiff_status(&m, REYES_OK);
	reyes_i_note_fail(note, REYES_ERR_FILE, "libtiff cannot encode the picture");
	return reyes_i_tiff_status(&m, REYES_ERR_FILE);
}
