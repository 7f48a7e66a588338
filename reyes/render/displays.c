/* The public calls on the Display requests of a frame: queries, files, conversion to 8 bits. */
#include <string.h>
#include "libsched/core/sized.h"
#include "reyes/render/image.h"
#include "reyes/scene/renderer.h"

#define DISPLAY_LEAST_BYTES  LSCHED_I_SIZE_TO(reyes_display_info, has_picture)
#define IMAGE_LEAST_BYTES    LSCHED_I_SIZE_TO(reyes_image, on_device)
#define ENCODING_LEAST_BYTES LSCHED_I_SIZE_TO(reyes_encoding, dither)

uint32_t reyes_frame_number(const reyes_renderer *r)
{
	return r ? r->frame_number : 0;
}

size_t reyes_display_count(const reyes_renderer *r)
{
	return r ? r->display_count : 0;
}

static const char *format_name(const reyes_i_display *d)
{
	switch (reyes_i_display_format(d)) {
	case REYES_I_FORMAT_WINDOW:
		return "window";
	case REYES_I_FORMAT_PNG:
		return "png";
	case REYES_I_FORMAT_TIFF:
		return "tiff";
	case REYES_I_FORMAT_EXR:
		return "exr";
	default:
		return "";
	}
}

reyes_status reyes_get_display(const reyes_renderer *r, size_t index, reyes_display_info *info)
{
	const reyes_i_display *d;
	reyes_display_info known;

	if (!r || !info || index >= r->display_count)
		return REYES_ERR_ARG;
	d = &r->displays[index]->display;
	reyes_display_info_init(&known);
	known.name = d->name;
	known.type = d->type;
	known.mode = d->mode;
	known.format = format_name(d);
	known.has_picture = strcmp(d->mode, "z") != 0;
	return lsched_i_sized_out(info, sizeof(known), DISPLAY_LEAST_BYTES, &known) ? REYES_ERR_ARG
										    : REYES_OK;
}

reyes_status reyes_check_picture_name(const char *path)
{
	const enum reyes_i_file_format f =
		path ? reyes_i_format_of_name(path) : REYES_I_FORMAT_UNKNOWN;

	if (f == REYES_I_FORMAT_UNKNOWN)
		return REYES_ERR_ARG;
	return reyes_i_format_exists(f) ? REYES_OK : REYES_ERR_UNSUPPORTED;
}

/* Writes one display's image; the camera of the frame goes with it. is_callers: the caller, not the
 * scene, has named the file. */
static reyes_status write_file(reyes_renderer *r, const reyes_i_display *d, int is_callers)
{
	reyes_i_file_rules rules = reyes_i_rules_of(r);
	reyes_i_display_camera camera;
	const reyes_image *image;
	char message[600];
	reyes_status s = reyes_i_render_image(r, &image);

	if (s != REYES_OK)
		return s;
	camera.pixel_aspect = r->pixel_aspect;
	camera.hither = r->frame.camera.hither;
	camera.yon = r->frame.camera.yon;
	memcpy(camera.world_to_camera, r->world_to_camera, sizeof(camera.world_to_camera));
	memcpy(camera.world_to_screen, r->world_to_screen, sizeof(camera.world_to_screen));
	if (is_callers) {
		rules.keeps_others = 0;
		rules.waits = 1;
	}
	s = reyes_i_display_write(
		d, &r->encoding, image, &camera, &rules, message, sizeof(message));
	return s == REYES_OK ? s : reyes_i_fail(r, s, "%s", message);
}

reyes_status reyes_write_displays(reyes_renderer *r)
{
	reyes_status worst = REYES_OK;

	if (!r)
		return REYES_ERR_ARG;
	for (size_t k = 0; k < r->display_count; k++) {
		const reyes_status s = reyes_write_display(r, k, NULL);

		if (s != REYES_OK)
			worst = s;
	}
	return worst;
}

reyes_status reyes_write_display(reyes_renderer *r, size_t index, const char *path)
{
	static char type[] = "file", mode[] = "rgba";
	reyes_i_display d;
	reyes_status s;

	if (!r)
		return REYES_ERR_ARG;
	if (index == REYES_NO_DISPLAY && path) {
		memset(&d, 0, sizeof(d));
		d.mode = mode;
	} else if (index < r->display_count) {
		d = r->displays[index]->display;
	} else {
		return reyes_i_fail(r, REYES_ERR_ARG, "display %zu does not exist; there are %zu",
			index, r->display_count);
	}
	/* The members are borrowed: nothing is freed. */
	if (path) {
		d.name = (char *)(uintptr_t)path;
		d.type = type;
	}
	s = write_file(r, &d, path != NULL);
	if (s == REYES_OK && !path)
		r->displays[index]->is_written = 1;
	return s;
}

reyes_status reyes_get_encoding(const reyes_renderer *r, size_t index, reyes_encoding *e)
{
	reyes_i_encoding from;
	reyes_encoding known;

	if (!r || !e || (index >= r->display_count && index != REYES_NO_DISPLAY))
		return REYES_ERR_ARG;
	from = index == REYES_NO_DISPLAY
		       ? r->encoding
		       : reyes_i_display_encoding(&r->displays[index]->display, &r->encoding);
	reyes_encoding_init(&known);
	known.gain = from.gain;
	known.gamma = from.gamma;
	known.one = from.color.one;
	known.min = from.color.min;
	known.max = from.color.max;
	known.dither = from.color.dither;
	return lsched_i_sized_out(e, sizeof(known), ENCODING_LEAST_BYTES, &known) ? REYES_ERR_ARG
										  : REYES_OK;
}

reyes_status reyes_encode_rgb(const reyes_encoding *e, const reyes_image *image, uint8_t *rgb)
{
	reyes_i_quantize q;
	float scale = 1;

	/* All members that are read belong to the first version of the structs. */
	if (!e || !image || !rgb || e->struct_bytes < ENCODING_LEAST_BYTES ||
		image->struct_bytes < IMAGE_LEAST_BYTES || !image->rgba)
		return REYES_ERR_ARG;
	q = (reyes_i_quantize){ e->one, e->min, e->max, e->dither };
	/* A PNG file has no floating point: reyes/image/display_write.c. */
	if (q.one == 0)
		q = (reyes_i_quantize){ 65535, 0, 65535, 0 };
	if (q.max > 255)
		scale = 1.0f / 257;
	for (uint32_t y = 0; y < image->height_px; y++)
		for (uint32_t x = 0; x < image->width_px; x++)
			for (uint32_t i = 0; i < 3; i++) {
				const size_t at = (size_t)y * image->width_px + x;
				const float noise = reyes_i_noise(
					(int32_t)(image->x_px + x), (int32_t)(image->y_px + y), i);
				const float v = reyes_i_quantize_value(&q,
					reyes_i_expose(image->rgba[4 * at + i], e->gain, e->gamma),
					noise);
				const float code = v * scale + 0.5f;

				rgb[3 * at + i] =
					(uint8_t)(code > 0 ? (code < 255 ? code : 255) : 0);
			}
	return REYES_OK;
}

reyes_status reyes_write_png(const char *path, uint32_t width_px, uint32_t height_px,
	const uint8_t *rgb, char *message, size_t message_bytes)
{
	const reyes_i_write_options o = { .type = REYES_I_SAMPLE_8 };
	const size_t values = (size_t)width_px * height_px * 3;
	reyes_i_note note = { "" };
	reyes_i_picture p;
	reyes_status s;

	if (!path || !rgb)
		return REYES_ERR_ARG;
	s = reyes_i_picture_init(&p, width_px, height_px, "R G B", &note);
	if (s != REYES_OK)
		return reyes_i_explain(&note, s, path, message, message_bytes);
	for (size_t i = 0; i < values; i++)
		p.data[i] = (float)rgb[i] / 255;
	s = reyes_i_picture_write(&p, path, REYES_I_FORMAT_PNG, &o, message, message_bytes);
	reyes_i_picture_free(&p);
	return s;
}
