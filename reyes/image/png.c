/* PNG files by libpng.
 *
 * PNG stores color that is not multiplied by alpha (PNG specification, section 4.3.2), so that the
 * color is divided by alpha here: a viewer that shows the file over black shows the picture's
 * values. Color that is larger than alpha is limited to 1 in the file.
 *
 * The values of a picture with 8 or 16 bits are codes for the display, because Exposure comes
 * before Quantize. The chunk sRGB declares this; a viewer then shows the codes unchanged. gAMA and
 * cHRM repeat it for readers without sRGB. */
#include <config.h>
#include "reyes/image/formats.h"
#include "reyes/image/samples.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES_MAX = 8 << 20, CHUNKS_MAX = 1000 };

typedef struct reader {
	const uint8_t *data;
	size_t count, at;
	reyes_i_note *note;
	reyes_i_picture *p;
	uint8_t *pixels; /* rows of 8 bits, or of 16 bits with the high byte first */
	uint8_t **rows;
} reader;

typedef struct writer {
	const reyes_i_picture *p;
	reyes_i_bytes *out;
	reyes_i_note *note;
	uint8_t *row;
	uint32_t bits;
	png_text *texts;
} writer;

static void on_error(png_structp png, png_const_charp text)
{
	reyes_i_note_fail(png_get_error_ptr(png), REYES_ERR_FILE, "libpng: %s", text);
	png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
	/* A chunk is lost for want of memory, which libpng does not treat as an error. */
	if (strstr(text, "memory"))
		reyes_i_note_fail(png_get_error_ptr(png), REYES_ERR_NOMEM, "out of memory");
}

static void give_bytes(png_structp png, png_bytep out, size_t n)
{
	reader *r = png_get_io_ptr(png);

	if (n > r->count - r->at)
		png_error(png, "the file is truncated");
	memcpy(out, r->data + r->at, n);
	r->at += n;
}

static void take_bytes(png_structp png, png_bytep data, size_t n)
{
	writer *w = png_get_io_ptr(png);

	if (!reyes_i_bytes_write(w->out, w->out->count, data, n))
		png_error(png, "out of memory");
}

static void flush_bytes(png_structp png)
{
	(void)png;
}

static void read_texts(png_structp png, png_infop info, reader *r)
{
	png_textp texts = NULL;
	const int n = png_get_text(png, info, &texts, NULL);

	for (int i = 0; i < n; i++)
		if (texts[i].key && texts[i].text &&
			reyes_i_picture_set(r->p, texts[i].key, texts[i].text) == REYES_ERR_NOMEM)
			png_error(png, "out of memory");
}

/* The offset of a crop (oFFs) is not read, because the file has no size of the full picture. */
static void read_aspect(png_structp png, png_infop info, reader *r)
{
	const float aspect = png_get_pixel_aspect_ratio(png, info);

	/* libpng returns y/x of pixels per unit, the inverse of height by width. */
	if (aspect > 0)
		r->p->pixel_aspect = aspect;
}

/* libpng leaves this function by longjmp after an error; what has to be freed is in *r. */
static void read_pixels(png_structp png, png_infop info, reader *r)
{
	static const char *const names[] = { "", "Y", "Y A", "R G B", "R G B A" };
	uint32_t width, height, channels;
	size_t row_bytes;

	png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
	png_set_user_limits(png, REYES_I_PICTURE_SIDE_MAX, REYES_I_PICTURE_SIDE_MAX);
	png_set_chunk_cache_max(png, CHUNKS_MAX);
	png_set_chunk_malloc_max(png, CHUNK_BYTES_MAX);
	png_set_read_fn(png, r, give_bytes);
	png_read_info(png, info);
	png_set_expand(png); /* palette, fewer than 8 bits, transparent color */
	png_set_interlace_handling(png);
	png_read_update_info(png, info);
	width = png_get_image_width(png, info);
	height = png_get_image_height(png, info);
	channels = png_get_channels(png, info);
	if (channels < 1 || channels > 4)
		png_error(png, "the number of channels is not 1 to 4");
	if (reyes_i_picture_init(r->p, width, height, names[channels], r->note) != REYES_OK)
		png_error(png, "the picture is too large");
	r->p->type = png_get_bit_depth(png, info) == 16 ? REYES_I_SAMPLE_16 : REYES_I_SAMPLE_8;
	row_bytes = png_get_rowbytes(png, info);
	if (row_bytes != (size_t)width * channels * (r->p->type == REYES_I_SAMPLE_16 ? 2 : 1))
		png_error(png, "the rows have an unexpected length");
	r->pixels = malloc(row_bytes * height);
	r->rows = malloc(height * sizeof(*r->rows));
	if (!r->pixels || !r->rows)
		png_error(png, "out of memory");
	for (uint32_t y = 0; y < height; y++)
		r->rows[y] = r->pixels + y * row_bytes;
	png_read_image(png, r->rows);
	png_read_end(png, info);
	read_texts(png, info, r);
	read_aspect(png, info, r);
}

/* Returns 0 after libpng reported an error. No local variable changes after setjmp. */
static int run_reader(png_structp png, png_infop info, reader *r)
{
	if (setjmp(png_jmpbuf(png)))
		return 0;
	read_pixels(png, info, r);
	return 1;
}

static void convert_pixels(reader *r)
{
	const uint32_t channels = r->p->channels, is_16 = r->p->type == REYES_I_SAMPLE_16;
	const uint32_t has_alpha = channels == 2 || channels == 4;
	const size_t n = (size_t)r->p->width_px * r->p->height_px;
	const uint8_t *in = r->pixels;
	float *out = r->p->data;

	for (size_t i = 0; i < n; i++, out += channels) {
		for (uint32_t c = 0; c < channels; c++, in += is_16 ? 2 : 1)
			out[c] = is_16 ? (float)(in[0] << 8 | in[1]) / 65535 : (float)in[0] / 255;
		for (uint32_t c = 0; has_alpha && c < channels - 1; c++)
			out[c] *= out[channels - 1];
	}
}

reyes_status reyes_i_png_decode(
	reyes_i_picture *p, const uint8_t *data, size_t count, reyes_i_note *note)
{
	reader r = { .data = data, .count = count, .note = note, .p = p };
	png_structp png;
	png_infop info;
	int failed;

	memset(p, 0, sizeof(*p));
	png = png_create_read_struct(PNG_LIBPNG_VER_STRING, note, on_error, on_warning);
	info = png ? png_create_info_struct(png) : NULL;
	if (!info) {
		png_destroy_read_struct(&png, NULL, NULL);
		return reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
	}
	failed = !run_reader(png, info, &r) || note->text[0];
	png_destroy_read_struct(&png, &info, NULL);
	if (failed)
		reyes_i_picture_free(p);
	else
		convert_pixels(&r);
	free(r.pixels);
	free(r.rows);
	/* libpng has no status for it. */
	if (strstr(note->text, "memory"))
		return REYES_ERR_NOMEM;
	return failed ? REYES_ERR_FILE : REYES_OK;
}

static void put_sample(uint8_t **out, float value, uint32_t bits)
{
	const uint32_t code = reyes_i_to_integer(value, bits == 16 ? 65535 : 255);

	if (bits == 16)
		*(*out)++ = (uint8_t)(code >> 8);
	*(*out)++ = (uint8_t)code;
}

static void write_rows(png_structp png, writer *w)
{
	const uint32_t channels = w->p->channels, has_alpha = channels == 2 || channels == 4;
	const float *in = w->p->data;

	for (uint32_t y = 0; y < w->p->height_px; y++) {
		uint8_t *out = w->row;

		for (uint32_t x = 0; x < w->p->width_px; x++, in += channels) {
			const float alpha = has_alpha ? in[channels - 1] : 1;

			for (uint32_t c = 0; c < channels - has_alpha; c++)
				put_sample(&out, alpha > 0 ? in[c] / alpha : 0, w->bits);
			if (has_alpha)
				put_sample(&out, alpha, w->bits);
		}
		png_write_row(png, w->row);
	}
}

static void write_header(png_structp png, png_infop info, writer *w)
{
	static const int types[] = { 0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
		PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
	const reyes_i_picture *p = w->p;

	png_set_IHDR(png, info, p->width_px, p->height_px, (int)w->bits, types[p->channels],
		PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
	if (p->x_px || p->y_px)
		png_set_oFFs(png, info, p->x_px, p->y_px, PNG_OFFSET_PIXEL);
	if (p->pixel_aspect > 0.01f && p->pixel_aspect < 100 && p->pixel_aspect != 1)
		png_set_pHYs(png, info, 10000, (png_uint_32)(10000 * p->pixel_aspect + 0.5f),
			PNG_RESOLUTION_UNKNOWN);
	for (uint32_t i = 0; i < p->metadata_count; i++) {
		w->texts[i].compression = PNG_TEXT_COMPRESSION_NONE;
		w->texts[i].key = p->metadata[i].name;
		w->texts[i].text = p->metadata[i].value;
	}
	png_set_text(png, info, w->texts, (int)p->metadata_count);
	png_write_info(png, info);
}

/* Returns 0 after libpng reported an error. */
static int run_writer(png_structp png, png_infop info, writer *w)
{
	if (setjmp(png_jmpbuf(png)))
		return 0;
	png_set_user_limits(png, REYES_I_PICTURE_SIDE_MAX, REYES_I_PICTURE_SIDE_MAX);
	png_set_write_fn(png, w, take_bytes, flush_bytes);
	write_header(png, info, w);
	write_rows(png, w);
	png_write_end(png, info);
	return 1;
}

static reyes_status write_file(writer *w)
{
	png_structp png;
	png_infop info;
	int failed;

	png = png_create_write_struct(PNG_LIBPNG_VER_STRING, w->note, on_error, on_warning);
	info = png ? png_create_info_struct(png) : NULL;
	if (!info) {
		png_destroy_write_struct(&png, NULL);
		return reyes_i_note_fail(w->note, REYES_ERR_NOMEM, "out of memory");
	}
	failed = !run_writer(png, info, w);
	png_destroy_write_struct(&png, &info);
	return failed ? REYES_ERR_FILE : REYES_OK;
}

static int has_layout(const reyes_i_picture *p)
{
	static const char *const layouts[4][4] = { { "Y" }, { "Y", "A" }, { "R", "G", "B" },
		{ "R", "G", "B", "A" } };

	for (uint32_t c = 0; p->channels <= 4 && c < p->channels; c++)
		if (strcmp(p->names[c], layouts[p->channels - 1][c]) != 0)
			return 0;
	return p->channels <= 4;
}

reyes_status reyes_i_png_encode(const reyes_i_picture *p, const reyes_i_write_options *o,
	reyes_i_bytes *out, reyes_i_note *note)
{
	writer w = { .p = p, .out = out, .note = note };
	reyes_status s;

	if (!has_layout(p))
		return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED,
			"a PNG file has the channels Y, YA, RGB or RGBA; use tiff or exr");
	if (o->type != REYES_I_SAMPLE_8 && o->type != REYES_I_SAMPLE_16)
		return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED,
			"a PNG file has 8 or 16 bits; use tiff or exr for floating point");
	w.bits = o->type == REYES_I_SAMPLE_16 ? 16 : 8;
	w.row = malloc((size_t)p->width_px * p->channels * 2);
	w.texts = calloc(REYES_I_PICTURE_METADATA_MAX, sizeof(*w.texts));
	s = w.row && w.texts ? write_file(&w)
			     : reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
	free(w.row);
	free(w.texts);
	return s;
}
