/* Reads OpenEXR files by OpenEXRCore: the first part of a file, scan lines or the full size of
 * tiles, channels without subsampling. */
#include <config.h>
#include "reyes/image/formats.h"

#include <openexr.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
	const uint8_t *data;
	size_t count;
	reyes_i_note *note;
} reader;

static int64_t read_bytes(exr_const_context_t context, void *user, void *out, uint64_t count,
	uint64_t offset, exr_stream_error_func_ptr_t error)
{
	const reader *r = user;
	uint64_t got = offset < r->count ? r->count - offset : 0;

	(void)context;
	(void)error;
	if (got > count)
		got = count;
	if (got)
		memcpy(out, r->data + offset, (size_t)got);
	return (int64_t)got;
}

static int64_t count_bytes(exr_const_context_t context, void *user)
{
	(void)context;
	return (int64_t)((const reader *)user)->count;
}

static void on_error(exr_const_context_t context, exr_result_t code, const char *text)
{
	void *user = NULL;

	(void)code;
	if (exr_get_user_data(context, &user) == EXR_ERR_SUCCESS && user)
		reyes_i_note_fail(((reader *)user)->note, REYES_ERR_FILE, "OpenEXR: %s", text);
}

/* Adds the name to the list if it fits. */
static void add_name(char *names, size_t bytes, uint32_t *count, const char *name)
{
	const size_t at = strlen(names), n = strlen(name);

	if (*count == REYES_I_PICTURE_CHANNELS_MAX || n == 0 || n >= REYES_I_PICTURE_NAME_BYTES ||
		at + n + 2 > bytes || strchr(name, ' '))
		return;
	if (at)
		names[at] = ' ';
	memcpy(names + at + (at != 0), name, n + 1);
	(*count)++;
}

/* Lists the channels that become a picture: R G B Y A Z first, then others. */
static reyes_status list_channels(
	const exr_attr_chlist_t *list, char *names, size_t bytes, reyes_i_note *note)
{
	static const char *const first[] = { "R", "G", "B", "Y", "A", "Z" };
	const size_t first_count = sizeof(first) / sizeof(first[0]);
	uint32_t count = 0;

	names[0] = '\0';
	for (size_t f = 0; f <= first_count; f++)
		for (int i = 0; i < list->num_channels; i++) {
			const exr_attr_chlist_entry_t *c = &list->entries[i];
			size_t known = 0;

			if (c->x_sampling != 1 || c->y_sampling != 1)
				return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED,
					"channel %.40s is subsampled", c->name.str);
			while (known < first_count && strcmp(first[known], c->name.str) != 0)
				known++;
			if (known == f)
				add_name(names, bytes, &count, c->name.str);
		}
	return count ? REYES_OK
		     : reyes_i_note_fail(note, REYES_ERR_FILE, "the file has no channel to read");
}

/* The state of reading one part. */
typedef struct decoder {
	exr_context_t context;
	exr_decode_pipeline_t pipe;
	int is_ready;   /* the pipeline is initialized */
	float *scratch; /* a chunk, one channel after the other */
	size_t scratch_values;
	reyes_i_picture *p;
} decoder;

/* Points the channels of the pipeline to the scratch; channels that the picture does not have are
 * skipped. The channels are not interleaved here, because OpenEXRCore 3.1.5 reverses four
 * interleaved half channels. */
static void set_targets(decoder *d, size_t width, size_t height)
{
	for (int16_t i = 0; i < d->pipe.channel_count; i++) {
		exr_coding_channel_info_t *c = &d->pipe.channels[i];
		const uint32_t n = reyes_i_picture_channel(d->p, c->channel_name);

		c->decode_to_ptr = n == REYES_I_NO_CHANNEL
					   ? NULL
					   : (uint8_t *)(d->scratch + n * width * height);
		c->user_data_type = EXR_PIXEL_FLOAT;
		c->user_bytes_per_element = sizeof(float);
		c->user_pixel_stride = sizeof(float);
		c->user_line_stride = (int32_t)(width * sizeof(float));
	}
}

/* Copies the scratch to the pixel (x, y) of the picture. */
static void interleave(const decoder *d, size_t width, size_t height, uint32_t x, uint32_t y)
{
	const reyes_i_picture *p = d->p;

	for (size_t j = 0; j < height; j++) {
		float *out = p->data + ((y + j) * p->width_px + x) * p->channels;

		for (size_t i = 0; i < width; i++)
			for (uint32_t c = 0; c < p->channels; c++)
				*out++ = d->scratch[(c * height + j) * width + i];
	}
}

static int make_scratch(decoder *d, size_t values)
{
	if (values > d->scratch_values) {
		free(d->scratch);
		d->scratch = calloc(values, sizeof(float));
		d->scratch_values = d->scratch ? values : 0;
	}
	return d->scratch != NULL;
}

/* Decodes one chunk to the pixel (x, y) of the picture. */
static exr_result_t decode_chunk(decoder *d, const exr_chunk_info_t *chunk, uint32_t x, uint32_t y)
{
	const size_t width = (size_t)chunk->width, height = (size_t)chunk->height;
	exr_result_t r;

	/* The library's sizes must lie inside of the picture. */
	if (chunk->width <= 0 || chunk->height <= 0 || width > d->p->width_px - x ||
		height > d->p->height_px - y)
		return EXR_ERR_CORRUPT_CHUNK;
	if (!make_scratch(d, width * height * d->p->channels))
		return EXR_ERR_OUT_OF_MEMORY;
	r = d->is_ready ? exr_decoding_update(d->context, 0, chunk, &d->pipe)
			: exr_decoding_initialize(d->context, 0, chunk, &d->pipe);
	if (r != EXR_ERR_SUCCESS)
		return r;
	set_targets(d, width, height);
	if (!d->is_ready)
		r = exr_decoding_choose_default_routines(d->context, 0, &d->pipe);
	d->is_ready = 1;
	if (r == EXR_ERR_SUCCESS)
		r = exr_decoding_run(d->context, 0, &d->pipe);
	if (r == EXR_ERR_SUCCESS)
		interleave(d, width, height, x, y);
	return r;
}

static exr_result_t read_lines(decoder *d, int32_t y_min)
{
	exr_chunk_info_t chunk;
	int32_t lines = 0;
	exr_result_t r = exr_get_scanlines_per_chunk(d->context, 0, &lines);

	if (r == EXR_ERR_SUCCESS && lines <= 0)
		r = EXR_ERR_CORRUPT_CHUNK;
	for (uint32_t y = 0; r == EXR_ERR_SUCCESS && y < d->p->height_px; y += (uint32_t)lines) {
		r = exr_read_scanline_chunk_info(d->context, 0, y_min + (int32_t)y, &chunk);
		if (r == EXR_ERR_SUCCESS)
			r = decode_chunk(d, &chunk, 0, y);
	}
	return r;
}

static exr_result_t read_tiles(decoder *d)
{
	int32_t w = 0, h = 0;
	exr_chunk_info_t chunk;
	exr_result_t r = exr_get_tile_sizes(d->context, 0, 0, 0, &w, &h);

	if (r == EXR_ERR_SUCCESS && (w <= 0 || h <= 0))
		r = EXR_ERR_CORRUPT_CHUNK;
	for (uint32_t y = 0; r == EXR_ERR_SUCCESS && y < d->p->height_px; y += (uint32_t)h)
		for (uint32_t x = 0; r == EXR_ERR_SUCCESS && x < d->p->width_px; x += (uint32_t)w) {
			r = exr_read_tile_chunk_info(d->context, 0, (int)(x / (uint32_t)w),
				(int)(y / (uint32_t)h), 0, 0, &chunk);
			if (r == EXR_ERR_SUCCESS)
				r = decode_chunk(d, &chunk, x, y);
		}
	return r;
}

/* Strings and the two matrices. */
static reyes_status read_metadata(exr_context_t context, reyes_i_picture *p)
{
	exr_attr_m44f_t camera, screen;
	int32_t count = 0;

	if (exr_get_attribute_count(context, 0, &count) != EXR_ERR_SUCCESS)
		count = 0;
	for (int32_t i = 0; i < count; i++) {
		const exr_attribute_t *a = NULL;

		if (exr_get_attribute_by_index(context, 0, EXR_ATTR_LIST_FILE_ORDER, i, &a) ==
				EXR_ERR_SUCCESS &&
			a->type == EXR_ATTR_STRING && a->string && a->string->str &&
			strcmp(a->name, "name") != 0 && strcmp(a->name, "type") != 0 &&
			reyes_i_picture_set(p, a->name, a->string->str) == REYES_ERR_NOMEM)
			return REYES_ERR_NOMEM;
	}
	if (exr_attr_get_m44f(context, 0, "worldToCamera", &camera) == EXR_ERR_SUCCESS &&
		exr_attr_get_m44f(context, 0, "worldToNDC", &screen) == EXR_ERR_SUCCESS) {
		memcpy(p->world_to_camera, camera.m, sizeof(camera.m));
		memcpy(p->world_to_screen, screen.m, sizeof(screen.m));
		p->has_matrices = 1;
	}
	return REYES_OK;
}

/* Width and height of a window, or 0 if it is empty or too large. */
static uint32_t side(int32_t low, int32_t high)
{
	const int64_t n = (int64_t)high - low + 1;

	return n > 0 && n <= REYES_I_PICTURE_SIDE_MAX ? (uint32_t)n : 0;
}

/* Allocates the picture for the data window of the file. */
static reyes_status read_windows(
	exr_context_t context, reyes_i_picture *p, exr_attr_box2i_t *window, reyes_i_note *note)
{
	char names[REYES_I_PICTURE_CHANNELS_MAX * REYES_I_PICTURE_NAME_BYTES];
	const exr_attr_chlist_t *list = NULL;
	exr_attr_box2i_t full;
	uint32_t width, height;
	float aspect = 1;
	reyes_status s;

	if (exr_get_channels(context, 0, &list) != EXR_ERR_SUCCESS || !list ||
		exr_get_data_window(context, 0, window) != EXR_ERR_SUCCESS ||
		exr_get_display_window(context, 0, &full) != EXR_ERR_SUCCESS)
		return reyes_i_note_fail(note, REYES_ERR_FILE, "the header is corrupt");
	s = list_channels(list, names, sizeof(names), note);
	if (s != REYES_OK)
		return s;
	s = reyes_i_picture_init(p, side(window->min.x, window->max.x),
		side(window->min.y, window->max.y), names, note);
	if (s != REYES_OK)
		return s;
	width = side(full.min.x, full.max.x);
	height = side(full.min.y, full.max.y);
	if (width && height) {
		const int64_t x = (int64_t)window->min.x - full.min.x;
		const int64_t y = (int64_t)window->min.y - full.min.y;

		if (x >= INT32_MIN / 2 && x <= INT32_MAX / 2 && y >= INT32_MIN / 2 &&
			y <= INT32_MAX / 2) {
			p->x_px = (int32_t)x;
			p->y_px = (int32_t)y;
			p->full_width_px = width;
			p->full_height_px = height;
		}
	}
	if (exr_get_pixel_aspect_ratio(context, 0, &aspect) == EXR_ERR_SUCCESS && aspect > 0.01f &&
		aspect < 100)
		p->pixel_aspect = aspect;
	p->type = list->entries[0].pixel_type == EXR_PIXEL_HALF ? REYES_I_SAMPLE_HALF
								: REYES_I_SAMPLE_FLOAT;
	return REYES_OK;
}

static reyes_status read_part(exr_context_t context, reyes_i_picture *p, reyes_i_note *note)
{
	decoder d = { .context = context, .pipe = EXR_DECODE_PIPELINE_INITIALIZER, .p = p };
	exr_storage_t storage = EXR_STORAGE_SCANLINE;
	exr_attr_box2i_t window;
	exr_result_t r;
	reyes_status s = read_windows(context, p, &window, note);

	if (s != REYES_OK)
		return s;
	r = exr_get_storage(context, 0, &storage);
	if (r == EXR_ERR_SUCCESS && storage == EXR_STORAGE_SCANLINE)
		r = read_lines(&d, window.min.y);
	else if (r == EXR_ERR_SUCCESS && storage == EXR_STORAGE_TILED)
		r = read_tiles(&d);
	else
		return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED, "deep pixels are not read");
	exr_decoding_destroy(context, &d.pipe);
	free(d.scratch);
	if (r != EXR_ERR_SUCCESS)
		return reyes_i_note_fail(note,
			r == EXR_ERR_OUT_OF_MEMORY ? REYES_ERR_NOMEM : REYES_ERR_FILE,
			"OpenEXR: %s", exr_get_default_error_message(r));
	if (read_metadata(context, p) != REYES_OK)
		return reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
	return REYES_OK;
}

reyes_status reyes_i_exr_decode(
	reyes_i_picture *p, const uint8_t *data, size_t count, reyes_i_note *note)
{
	reader in = { .data = data, .count = count, .note = note };
	exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
	exr_context_t context = NULL;
	exr_result_t r;
	reyes_status s;

	memset(p, 0, sizeof(*p));
	init.user_data = &in;
	init.read_fn = read_bytes;
	init.size_fn = count_bytes;
	init.error_handler_fn = on_error;
	init.max_image_width = init.max_image_height = REYES_I_PICTURE_SIDE_MAX;
	init.max_tile_width = init.max_tile_height = REYES_I_PICTURE_SIDE_MAX;
	init.flags = EXR_CONTEXT_FLAG_STRICT_HEADER | EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
	r = exr_start_read(&context, "memory", &init);
	if (r != EXR_ERR_SUCCESS)
		return reyes_i_note_fail(
			note, REYES_ERR_FILE, "OpenEXR: %s", exr_get_default_error_message(r));
	s = read_part(context, p, note);
	exr_finish(&context);
	if (s != REYES_OK)
		reyes_i_picture_free(p);
	return s;
}
