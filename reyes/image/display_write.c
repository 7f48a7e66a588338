/* Converts a rendered image to the values of a display's file, and writes the file. */
#include <config.h>
#include "reyes/image/display.h"

#include <math.h>
#include <string.h>

static const float far_z = 1e30f; /* depth where nothing is visible */

typedef struct conversion {
	enum reyes_i_file_format format;
	reyes_i_encoding encoding;
	reyes_i_write_options options;
	float largest; /* code of the file's value 1; 0: floating point */
	uint32_t has_color, has_alpha, has_z;
} conversion;

reyes_i_encoding reyes_i_display_encoding(const reyes_i_display *d, const reyes_i_encoding *frame)
{
	reyes_i_encoding e = *frame;

	if (d->own & REYES_I_OWN_EXPOSURE) {
		e.gain = d->encoding.gain;
		e.gamma = d->encoding.gamma;
	}
	if (d->own & REYES_I_OWN_QUANTIZE) {
		const float color_dither = e.color.dither, depth_dither = e.depth.dither;

		e.color = d->encoding.color;
		e.depth = d->encoding.depth;
		e.color.dither = color_dither;
		e.depth.dither = depth_dither;
	}
	if (d->own & REYES_I_OWN_DITHER) {
		e.color.dither = d->encoding.color.dither;
		e.depth.dither = d->encoding.depth.dither;
	}
	return e;
}

/* Checks that the codes fit into 16 bits. */
static reyes_status check_codes(const reyes_i_quantize *q, const char *type, reyes_i_note *note)
{
	if (q->one == 0)
		return REYES_OK;
	if (isfinite(q->one) && isfinite(q->dither) && q->min >= 0 && q->max <= 65535 &&
		q->min <= q->max)
		return REYES_OK;
	return reyes_i_note_fail(note, REYES_ERR_SCENE,
		"Quantize \"%s\" %g %g %g: min and max are 0 to 65535, min is at most max; use "
		"Quantize \"%s\" 0 0 0 0 for floating point",
		type, (double)q->one, (double)q->min, (double)q->max, type);
}

/* Selects sample type and quantization of the file. */
static reyes_status choose_type(conversion *c, const reyes_i_display *d, reyes_i_note *note)
{
	reyes_i_encoding *e = &c->encoding;
	reyes_status s = check_codes(&e->color, "rgba", note);
	float most = 0;

	if (s == REYES_OK)
		s = check_codes(&e->depth, "z", note);
	if (s != REYES_OK)
		return s;
	if (c->format == REYES_I_FORMAT_EXR) {
		e->gamma = 1;
		e->color.one = e->depth.one = 0;
		c->options.type = d->full_float ? REYES_I_SAMPLE_FLOAT : REYES_I_SAMPLE_HALF;
		return REYES_OK;
	}
	if (c->format == REYES_I_FORMAT_PNG && c->has_z && (e->depth.one == 0 || c->has_color))
		return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED,
			"a PNG file has no floating-point z; use the type tiff or exr");
	if (c->format == REYES_I_FORMAT_PNG && e->color.one == 0) {
		e->color.one = e->color.max = 65535;
		e->color.min = e->color.dither = 0;
	}
	if (((c->has_color || c->has_alpha) && e->color.one == 0) ||
		(c->has_z && e->depth.one == 0)) {
		e->color.one = e->depth.one = 0;
		c->options.type = REYES_I_SAMPLE_FLOAT;
		return REYES_OK;
	}
	if (c->has_color || c->has_alpha)
		most = e->color.max;
	if (c->has_z && e->depth.max > most)
		most = e->depth.max;
	c->options.type = most > 255 ? REYES_I_SAMPLE_16 : REYES_I_SAMPLE_8;
	c->largest = most > 255 ? 65535 : 255;
	return REYES_OK;
}

/* The code of a value, or the value itself in floating point. */
static float encode_value(
	const reyes_i_quantize *q, float value, const int32_t at[2], uint32_t channel)
{
	if (q->one == 0)
		return value;
	return reyes_i_quantize_value(q, value, reyes_i_noise(at[0], at[1], channel));
}

/* Writes the channels of one pixel as codes; the picture has code / unit. */
static void convert_pixel(
	const conversion *c, float *out, const float *rgba, float z, const int32_t at[2])
{
	const reyes_i_encoding *e = &c->encoding;
	const float unit = c->largest != 0 ? c->largest : 1;
	const int divides = c->format == REYES_I_FORMAT_PNG && c->has_alpha;
	float alpha = 1;

	if (c->has_alpha) {
		alpha = rgba[3] > 0 ? rgba[3] : 0;
		/* Files of integers have alpha 0..1; a filter with negative lobes exceeds 1. */
		if (e->color.one != 0 && alpha > 1)
			alpha = 1;
		alpha = encode_value(&e->color, alpha, at, 3);
	}
	for (uint32_t i = 0; c->has_color && i < 3; i++) {
		float v = e->color.one == 0 && e->gamma == 1
				  ? rgba[i] * e->gain
				  : reyes_i_expose(rgba[i], e->gain, e->gamma);

		/* The file of a picture, whose color is multiplied by alpha, has the divided color:
		 * the code of that. */
		if (divides && alpha > 0)
			v = encode_value(&e->color, v * e->color.one / alpha, at, i) *
			    (alpha / unit);
		else
			v = divides ? 0 : encode_value(&e->color, v, at, i);
		*out++ = v / unit;
	}
	if (c->has_alpha)
		*out++ = alpha / unit;
	if (c->has_z)
		*out = encode_value(&e->depth, z < far_z ? z : far_z, at, 4) / unit;
}

/* Names of the channels. A PNG file has one grey channel where others have A or Z. */
static const char *channel_names(const conversion *c)
{
	static const char *const names[2][2][2] = {
		{ { "", "Z" }, { "A", "A Z" } },
		{ { "R G B", "R G B Z" }, { "R G B A", "R G B A Z" } },
	};

	if (c->format == REYES_I_FORMAT_PNG && !c->has_color && !(c->has_alpha && c->has_z))
		return "Y";
	return names[c->has_color][c->has_alpha][c->has_z];
}

static reyes_status make_picture(conversion *c, const reyes_i_display_camera *camera,
	const reyes_image *image, reyes_i_picture *p, reyes_i_note *note)
{
	reyes_status s =
		reyes_i_picture_init(p, image->width_px, image->height_px, channel_names(c), note);
	float *out = p->data;

	if (s != REYES_OK)
		return s;
	p->x_px = (int32_t)image->x_px;
	p->y_px = (int32_t)image->y_px;
	p->full_width_px = image->full_width_px;
	p->full_height_px = image->full_height_px;
	if (camera) {
		p->pixel_aspect = camera->pixel_aspect;
		p->has_matrices = c->has_z;
		memcpy(p->world_to_camera, camera->world_to_camera, sizeof(p->world_to_camera));
		memcpy(p->world_to_screen, camera->world_to_screen, sizeof(p->world_to_screen));
	}
	if (c->encoding.depth.one != 0 || !c->has_z)
		p->has_matrices = 0;
	for (uint32_t y = 0; y < image->height_px; y++)
		for (uint32_t x = 0; x < image->width_px; x++, out += p->channels) {
			const size_t i = (size_t)y * image->width_px + x;
			const int32_t at[2] = { p->x_px + (int32_t)x, p->y_px + (int32_t)y };

			convert_pixel(c, out, image->rgba ? image->rgba + 4 * i : NULL,
				c->has_z ? image->z[i] : 0, at);
		}
	s = reyes_i_picture_set(p, REYES_I_META_SOFTWARE, "greyes");
	if (s != REYES_OK)
		reyes_i_picture_free(p);
	return s;
}

/* Checks the image against the mode. */
static reyes_status check_image(const conversion *c, const reyes_image *image,
	const reyes_i_display_camera *camera, reyes_i_note *note)
{
	if (((c->has_color || c->has_alpha) && !image->rgba) || (c->has_z && !image->z))
		return reyes_i_note_fail(note, REYES_ERR_ARG, "the image has no %s",
			image->rgba ? "depth" : "color");
	if (c->has_z && !camera)
		return reyes_i_note_fail(note, REYES_ERR_ARG, "a file with z needs a camera");
	if (image->full_width_px > REYES_I_PICTURE_SIDE_MAX ||
		image->full_height_px > REYES_I_PICTURE_SIDE_MAX ||
		(uint64_t)image->x_px + image->width_px > image->full_width_px ||
		(uint64_t)image->y_px + image->height_px > image->full_height_px)
		return reyes_i_note_fail(note, REYES_ERR_ARG,
			"the crop window %u+%u x %u+%u is outside of the picture, %u x %u pixels; "
			"the limit is %d a side",
			image->x_px, image->width_px, image->y_px, image->height_px,
			image->full_width_px, image->full_height_px, REYES_I_PICTURE_SIDE_MAX);
	return REYES_OK;
}

reyes_status reyes_i_display_write(const reyes_i_display *d, const reyes_i_encoding *encoding,
	const reyes_image *image, const reyes_i_display_camera *camera,
	const reyes_i_file_rules *rules, char *message, size_t bytes)
{
	conversion c = { .format = reyes_i_display_format(d),
		.encoding = reyes_i_display_encoding(d, encoding),
		.options = { .compression = d->compression, .rules = rules },
		.has_color = strncmp(d->mode, "rgb", 3) == 0,
		.has_alpha = strchr(d->mode, 'a') != NULL,
		.has_z = strchr(d->mode, 'z') != NULL };
	reyes_i_note note = { "" };
	reyes_i_picture p;
	reyes_status s;

	if (c.format == REYES_I_FORMAT_WINDOW)
		return REYES_OK;
	if (c.format == REYES_I_FORMAT_UNKNOWN)
		s = reyes_i_note_fail(&note, REYES_ERR_UNSUPPORTED,
			"type \"%.40s\" of Display is not supported; use file, png, tiff, exr, "
			"zfile or framebuffer",
			d->type);
	else
		s = check_image(&c, image, camera, &note);
	if (s == REYES_OK)
		s = choose_type(&c, d, &note);
	if (s == REYES_OK)
		s = make_picture(&c, camera, image, &p, &note);
	if (s != REYES_OK)
		return reyes_i_explain(&note, s, d->name, message, bytes);
	s = reyes_i_picture_write(&p, d->name, c.format, &c.options, message, bytes);
	reyes_i_picture_free(&p);
	return s;
}
