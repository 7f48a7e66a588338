/* Writes OpenEXR files by OpenEXRCore: scan lines, half or float, data and display window. */
#include <config.h>
#include "reyes/image/formats.h"

#include <openexr.h>
#include <string.h>
#include <strings.h>

static int64_t write_bytes(exr_const_context_t context, void *user, const void *data,
	uint64_t count, uint64_t offset, exr_stream_error_func_ptr_t error)
{
	if (count <= SIZE_MAX && reyes_i_bytes_write(user, offset, data, (size_t)count))
		return (int64_t)count;
	error(context, EXR_ERR_OUT_OF_MEMORY, "out of memory");
	return -1;
}

/* Keeps OpenEXR from printing. The result has the error: OpenEXR may call this with the context
 * locked, and exr_get_user_data would wait for the lock for ever. */
static void on_error(exr_const_context_t context, exr_result_t code, const char *text)
{
	(void)context;
	(void)code;
	(void)text;
}

static exr_compression_t compression(const char *name)
{
	static const struct {
		const char *name;
		exr_compression_t value;
	} list[] = { { "none", EXR_COMPRESSION_NONE }, { "rle", EXR_COMPRESSION_RLE },
		{ "zips", EXR_COMPRESSION_ZIPS }, { "zip", EXR_COMPRESSION_ZIP },
		{ "piz", EXR_COMPRESSION_PIZ } };

	for (size_t i = 0; name && i < sizeof(list) / sizeof(list[0]); i++)
		if (strcasecmp(name, list[i].name) == 0)
			return list[i].value;
	return EXR_COMPRESSION_ZIP;
}

static exr_pixel_type_t pixel_type(const char *channel, enum reyes_i_sample_type type)
{
	return type == REYES_I_SAMPLE_FLOAT || strcmp(channel, "Z") == 0 ? EXR_PIXEL_FLOAT
									 : EXR_PIXEL_HALF;
}

/* Order of the channels in the file: ascending by name. */
static void sort_channels(const reyes_i_picture *p, uint32_t order[])
{
	for (uint32_t i = 0; i < p->channels; i++) {
		uint32_t at = i;

		for (; at > 0 && strcmp(p->names[order[at - 1]], p->names[i]) > 0; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

static exr_result_t write_metadata(exr_context_t context, int part, const reyes_i_picture *p)
{
	exr_attr_m44f_t m;
	exr_result_t r = EXR_ERR_SUCCESS;

	for (uint32_t i = 0; r == EXR_ERR_SUCCESS && i < p->metadata_count; i++)
		r = exr_attr_set_string(context, part, p->metadata[i].name, p->metadata[i].value);
	if (r != EXR_ERR_SUCCESS || !p->has_matrices)
		return r;
	memcpy(m.m, p->world_to_camera, sizeof(m.m));
	r = exr_attr_set_m44f(context, part, "worldToCamera", &m);
	if (r != EXR_ERR_SUCCESS)
		return r;
	memcpy(m.m, p->world_to_screen, sizeof(m.m));
	return exr_attr_set_m44f(context, part, "worldToNDC", &m);
}

static exr_result_t write_header(exr_context_t context, const reyes_i_picture *p,
	const uint32_t order[], const reyes_i_write_options *o)
{
	exr_attr_box2i_t window, full;
	exr_attr_v2f_t centre;
	int part = 0;
	exr_result_t r = exr_add_part(context, "image", EXR_STORAGE_SCANLINE, &part);

	window.min.x = p->x_px;
	window.min.y = p->y_px;
	window.max.x = p->x_px + (int32_t)p->width_px - 1;
	window.max.y = p->y_px + (int32_t)p->height_px - 1;
	full.min.x = full.min.y = 0;
	full.max.x = (int32_t)p->full_width_px - 1;
	full.max.y = (int32_t)p->full_height_px - 1;
	centre.x = centre.y = 0;
	if (r == EXR_ERR_SUCCESS)
		r = exr_initialize_required_attr(context, part, &full, &window,
			p->pixel_aspect > 0 ? p->pixel_aspect : 1, &centre, 1,
			EXR_LINEORDER_INCREASING_Y, compression(o->compression));
	for (uint32_t i = 0; r == EXR_ERR_SUCCESS && i < p->channels; i++)
		r = exr_add_channel(context, part, p->names[order[i]],
			pixel_type(p->names[order[i]], o->type), EXR_PERCEPTUALLY_LOGARITHMIC, 1,
			1);
	if (r == EXR_ERR_SUCCESS)
		r = write_metadata(context, part, p);
	return r == EXR_ERR_SUCCESS ? exr_write_header(context) : r;
}

/* Points the channels of the pipeline to the row `first` of the picture. */
static void set_sources(exr_encode_pipeline_t *pipe, const reyes_i_picture *p, uint32_t first,
	const uint32_t order[])
{
	const size_t row = (size_t)p->width_px * p->channels;

	for (int16_t i = 0; i < pipe->channel_count; i++) {
		exr_coding_channel_info_t *c = &pipe->channels[i];

		c->user_data_type = EXR_PIXEL_FLOAT;
		c->user_bytes_per_element = sizeof(float);
		c->user_pixel_stride = (int32_t)(p->channels * sizeof(float));
		c->user_line_stride = (int32_t)(row * sizeof(float));
		c->encode_from_ptr = (const uint8_t *)(p->data + first * row + order[i]);
	}
}

static exr_result_t write_chunks(
	exr_context_t context, const reyes_i_picture *p, const uint32_t order[])
{
	exr_encode_pipeline_t pipe = EXR_ENCODE_PIPELINE_INITIALIZER;
	exr_chunk_info_t chunk;
	int32_t lines = 1;
	int is_ready = 0;
	exr_result_t r = exr_get_scanlines_per_chunk(context, 0, &lines);

	for (uint32_t y = 0; r == EXR_ERR_SUCCESS && y < p->height_px; y += (uint32_t)lines) {
		r = exr_write_scanline_chunk_info(context, 0, p->y_px + (int32_t)y, &chunk);
		if (r != EXR_ERR_SUCCESS)
			break;
		r = is_ready ? exr_encoding_update(context, 0, &chunk, &pipe)
			     : exr_encoding_initialize(context, 0, &chunk, &pipe);
		if (r != EXR_ERR_SUCCESS)
			break;
		set_sources(&pipe, p, y, order);
		if (!is_ready)
			r = exr_encoding_choose_default_routines(context, 0, &pipe);
		is_ready = 1;
		if (r == EXR_ERR_SUCCESS)
			r = exr_encoding_run(context, 0, &pipe);
	}
	if (is_ready)
		exr_encoding_destroy(context, &pipe);
	return r;
}

reyes_status reyes_i_exr_encode(const reyes_i_picture *p, const reyes_i_write_options *o,
	reyes_i_bytes *out, reyes_i_note *note)
{
	exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
	uint32_t order[REYES_I_PICTURE_CHANNELS_MAX];
	exr_context_t context = NULL;
	exr_result_t r;

	init.user_data = out;
	init.write_fn = write_bytes;
	init.error_handler_fn = on_error;
	r = exr_start_write(&context, "memory", EXR_WRITE_FILE_DIRECTLY, &init);
	if (r == EXR_ERR_SUCCESS) {
		sort_channels(p, order);
		r = write_header(context, p, order, o);
		if (r == EXR_ERR_SUCCESS)
			r = write_chunks(context, p, order);
		if (exr_finish(&context) != EXR_ERR_SUCCESS && r == EXR_ERR_SUCCESS)
			r = EXR_ERR_WRITE_IO;
	}
	if (r == EXR_ERR_SUCCESS)
		return REYES_OK;
	return reyes_i_note_fail(note,
		r == EXR_ERR_OUT_OF_MEMORY ? REYES_ERR_NOMEM : REYES_ERR_FILE, "OpenEXR: %s",
		exr_get_default_error_message(r));
}
