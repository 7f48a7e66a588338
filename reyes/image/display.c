/* Display requests: their strings, parameters and format. */
#include <config.h>
#include "reyes/image/display.h"
#include "libsched/core/say.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const modes[] = { "rgb", "rgba", "a", "z", "rgbz", "rgbaz", "az" };

reyes_status reyes_i_display_init(reyes_i_display *d, const char *name, const char *type,
	const char *mode, char *message, size_t bytes)
{
	size_t i = 0;

	memset(d, 0, sizeof(*d));
	if (!name || !type || !mode)
		return lsched_i_say(
			REYES_ERR_ARG, message, bytes, "Display needs a name, a type and a mode");
	while (i < sizeof(modes) / sizeof(modes[0]) && strcmp(modes[i], mode) != 0)
		i++;
	if (i == sizeof(modes) / sizeof(modes[0]))
		return lsched_i_say(REYES_ERR_ARG, message, bytes,
			"mode \"%.40s\" is not supported; use rgb, rgba, a, z, rgbz, rgbaz or az",
			mode);
	d->name = strdup(name + (name[0] == '+'));
	d->type = strdup(type);
	d->mode = strdup(mode);
	if (!d->name || !d->type || !d->mode) {
		reyes_i_display_free(d);
		return lsched_i_say(REYES_ERR_NOMEM, message, bytes, "out of memory");
	}
	reyes_i_encoding_init(&d->encoding);
	return REYES_OK;
}

/* The last word of a token: "string compression" is "compression". */
static const char *last_word(const char *token)
{
	const char *word = token;

	for (; *token; token++)
		if (strchr(" \t\r\n", *token) && token[1])
			word = token + 1;
	return word;
}

static reyes_status set_compression(
	reyes_i_display *d, const char *value, char *message, size_t bytes)
{
	char *copy = strdup(value);

	if (!copy)
		return lsched_i_say(REYES_ERR_NOMEM, message, bytes, "out of memory");
	free(d->compression);
	d->compression = copy;
	return REYES_OK;
}

static void set_floats(reyes_i_display *d, const char *name, const float *v, size_t count)
{
	if (strcmp(name, "exposure") == 0 && count >= 2) {
		d->encoding.gain = v[0];
		d->encoding.gamma = v[1];
		d->own |= REYES_I_OWN_EXPOSURE;
	} else if (strcmp(name, "quantize") == 0 && count >= 4) {
		/* v[0], the code of black, is 0 in RenderMan files. */
		d->encoding.color.one = d->encoding.depth.one = v[1];
		d->encoding.color.min = d->encoding.depth.min = v[2];
		d->encoding.color.max = d->encoding.depth.max = v[3];
		d->own |= REYES_I_OWN_QUANTIZE;
	} else if (strcmp(name, "dither") == 0 && count >= 1) {
		d->encoding.color.dither = d->encoding.depth.dither = v[0];
		d->own |= REYES_I_OWN_DITHER;
	}
}

reyes_status reyes_i_display_set(
	reyes_i_display *d, const reyes_params *p, char *message, size_t bytes)
{
	reyes_status s = REYES_OK;

	for (size_t i = 0; p && s == REYES_OK && i < p->count; i++) {
		const reyes_param *one = &p->list[i];
		const char *name = one->token ? last_word(one->token) : "";
		const char *text = one->strings && one->count ? one->strings[0] : NULL;

		if (text && strcmp(name, "compression") == 0)
			s = set_compression(d, text, message, bytes);
		else if (text && strcmp(name, "exrpixeltype") == 0)
			d->full_float = strcmp(text, "float") == 0;
		else if (one->floats)
			set_floats(d, name, one->floats, one->count);
	}
	return s;
}

void reyes_i_display_free(reyes_i_display *d)
{
	free(d->name);
	free(d->type);
	free(d->mode);
	free(d->compression);
	memset(d, 0, sizeof(*d));
}

enum reyes_i_file_format reyes_i_display_format(const reyes_i_display *d)
{
	static const struct {
		const char *type;
		enum reyes_i_file_format format;
	} types[] = { { "tiff", REYES_I_FORMAT_TIFF }, { "tif", REYES_I_FORMAT_TIFF },
		{ "png", REYES_I_FORMAT_PNG }, { "exr", REYES_I_FORMAT_EXR },
		{ "openexr", REYES_I_FORMAT_EXR }, { "framebuffer", REYES_I_FORMAT_WINDOW },
		{ "it", REYES_I_FORMAT_WINDOW }, { "window", REYES_I_FORMAT_WINDOW },
		{ "x11", REYES_I_FORMAT_WINDOW } };
	enum reyes_i_file_format f;

	if (strcasecmp(d->type, "zfile") == 0 || strcasecmp(d->type, "shadow") == 0 ||
		strcasecmp(d->type, "z") == 0)
		return reyes_i_format_exists(REYES_I_FORMAT_TIFF) ? REYES_I_FORMAT_TIFF
								  : REYES_I_FORMAT_EXR;
	if (strcasecmp(d->type, "file") == 0) {
		f = reyes_i_format_of_name(d->name);
		return f == REYES_I_FORMAT_UNKNOWN ? REYES_I_FORMAT_TIFF : f;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcasecmp(d->type, types[i].type) == 0)
			return types[i].format;
	return REYES_I_FORMAT_UNKNOWN;
}
