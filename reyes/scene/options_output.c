/* Options of samples, filters and displays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/camera.h"
#include "reyes/scene/params.h"

reyes_status reyes_pixel_variance(reyes_renderer *r, float variance)
{
	REYES_I_ENTER(r, "PixelVariance", REYES_I_OPTION, REYES_I_STATIC);
	if (!(variance >= 0))
		return reyes_i_error(r, "%g is negative or not a number", (double)variance);
	reyes_i_info_once(r, "pixel variance", "has no effect; PixelSamples decides");
	return REYES_OK;
}

static uint32_t sample_count(float x)
{
	return x < 1 ? 1 : x > REYES_I_SAMPLES_MAX ? REYES_I_SAMPLES_MAX : (uint32_t)(x + 0.5f);
}

reyes_status reyes_pixel_samples(reyes_renderer *r, float x, float y)
{
	REYES_I_ENTER(r, "PixelSamples", REYES_I_OPTION, REYES_I_STATIC);
	if (!(x > 0) || !(y > 0))
		return reyes_i_error(
			r, "%g x %g samples: both must be positive", (double)x, (double)y);
	if (x > REYES_I_SAMPLES_MAX || y > REYES_I_SAMPLES_MAX)
		reyes_i_warn(
			r, "%g x %g samples are reduced to at most 64 x 64", (double)x, (double)y);
	r->settings->samples_x = sample_count(x);
	r->settings->samples_y = sample_count(y);
	return REYES_OK;
}

reyes_status reyes_pixel_filter(reyes_renderer *r, const char *name, float xwidth, float ywidth)
{
	static const char *const names[] = { "box", "triangle", "catmull-rom", "gaussian", "sinc" };
	uint32_t kind = 0;

	REYES_I_ENTER(r, "PixelFilter", REYES_I_OPTION, REYES_I_STATIC);
	if (!(xwidth > 0 && xwidth <= 64 && ywidth > 0 && ywidth <= 64))
		return reyes_i_error(r, "widths %g and %g are not within 0 .. 64 pixels",
			(double)xwidth, (double)ywidth);
	while (kind < 5 && (!name || strcmp(name, names[kind]) != 0))
		kind++;
	if (kind == 5) {
		reyes_i_warn(r,
			"there is no filter \"%.100s\" (box, triangle, catmull-rom, gaussian, "
			"sinc); gaussian is used",
			name ? name : "");
		kind = REYES_I_FILTER_GAUSSIAN;
	}
	r->settings->filter = kind;
	r->settings->filter_width[0] = xwidth;
	r->settings->filter_width[1] = ywidth;
	return REYES_OK;
}

reyes_status reyes_exposure(reyes_renderer *r, float gain, float gamma)
{
	REYES_I_ENTER(r, "Exposure", REYES_I_OPTION, REYES_I_STATIC);
	if (!(gain >= 0 && gain <= 1e30f && gamma > 0 && gamma <= 1e6f))
		return reyes_i_error(r, "gain %g, gamma %g: gain >= 0 and gamma > 0 are required",
			(double)gain, (double)gamma);
	r->settings->encoding.gain = gain;
	r->settings->encoding.gamma = gamma;
	return REYES_OK;
}

reyes_status reyes_quantize(
	reyes_renderer *r, const char *type, int one, int min, int max, float dither)
{
	reyes_i_quantize q = { (float)one, (float)min, (float)max, dither };

	REYES_I_ENTER(r, "Quantize", REYES_I_OPTION, REYES_I_STATIC);
	if (one < 0 || min > max || !(dither >= 0 && dither <= 1e6f))
		return reyes_i_error(r,
			"one %d, min %d, max %d, dither %g: one >= 0, min <= max and dither >= 0 "
			"are required",
			one, min, max, (double)dither);
	if (type && (strcmp(type, "rgba") == 0 || strcmp(type, "rgb") == 0))
		r->settings->encoding.color = q;
	else if (type && strcmp(type, "z") == 0)
		r->settings->encoding.depth = q;
	else
		return reyes_i_error(
			r, "type \"%.100s\" is none of rgba, rgb and z", type ? type : "");
	return REYES_OK;
}

/* Reads the imager's background color. */
static void read_background(reyes_renderer *r, const reyes_params *p)
{
	size_t i;

	for (i = 0; i < reyes_i_param_count(p); i++) {
		reyes_i_param param;

		if (!reyes_i_param_read(r, p, i, &param))
			continue;
		if (strcmp(param.name, "background") == 0 || strcmp(param.name, "bgcolor") == 0 ||
			strcmp(param.name, "color") == 0)
			reyes_i_param_color(r, &param, r->settings->background);
		else
			reyes_i_param_unused(r, &param);
	}
}

reyes_status reyes_imager(reyes_renderer *r, const char *name, const reyes_params *p)
{
	reyes_i_settings *s;

	/* Renderers accept it in a world block, too: it is that of the frame. */
	REYES_I_ENTER(r, "Imager", REYES_I_NOT_OBJECT, REYES_I_STATIC);
	s = r->settings;
	if (!name || !*name || strcmp(name, "null") == 0) {
		s->has_background = s->clamp_to_alpha = 0;
	} else if (strcmp(name, "background") == 0) {
		s->has_background = 1;
		memset(s->background, 0, sizeof(s->background));
		read_background(r, p);
	} else if (strcmp(name, "clamptoalpha") == 0) {
		s->clamp_to_alpha = 1;
	} else {
		char key[96];

		snprintf(key, sizeof(key), "imager %.80s", name);
		reyes_i_warn_once(r, key,
			"imager \"%.100s\" is not supported (background, clamptoalpha)", name);
	}
	if (r->in_world)
		reyes_i_camera_imager(&r->frame.camera, s);
	return REYES_OK;
}

/* Checks the name of a display that writes a file, also against the `count` displays before it. */
static reyes_status check_name(reyes_renderer *r, const reyes_i_display *d,
	reyes_i_shared_display **list, size_t count, char *message, size_t message_bytes)
{
	if (reyes_i_display_format(d) == REYES_I_FORMAT_WINDOW)
		return REYES_OK;
	if (!*d->name) {
		snprintf(message, message_bytes, "the name of the file is empty");
		return REYES_ERR_ARG;
	}
	for (size_t i = 0; i < count; i++) {
		const reyes_i_display *before = &list[i]->display;

		if (strcmp(before->name, d->name) == 0 &&
			reyes_i_display_format(before) != REYES_I_FORMAT_WINDOW) {
			reyes_i_warn(r,
				"a Display before writes \"%.200s\", too; this one replaces its "
				"file",
				d->name);
			break;
		}
	}
	return REYES_OK;
}

reyes_status reyes_display(reyes_renderer *r, const char *name, const char *type, const char *mode,
	const reyes_params *p)
{
	reyes_i_shared_display *d, **list;
	reyes_i_settings *s;
	char message[256];
	reyes_status status;
	int further;

	REYES_I_ENTER(r, "Display", REYES_I_OPTION, REYES_I_STATIC);
	s = r->settings;
	if (!name || !type || !mode)
		return reyes_i_error(r, "needs a name, a type and a mode");
	further = name[0] == '+';
	d = calloc(1, sizeof(*d));
	if (!d)
		return reyes_i_no_memory(r);
	d->refs = 1;
	status = reyes_i_display_init(
		&d->display, name + further, type, mode, message, sizeof(message));
	if (status == REYES_OK && reyes_i_param_count(p) > 0)
		status = reyes_i_display_set(&d->display, p, message, sizeof(message));
	if (status == REYES_OK)
		status = check_name(r, &d->display, s->displays, further ? s->display_count : 0,
			message, sizeof(message));
	list = malloc((further ? s->display_count + 1 : 1) * sizeof(*list));
	if (status != REYES_OK || !list) {
		reyes_i_display_free(&d->display);
		free(d);
		free(list);
		return status == REYES_OK || status == REYES_ERR_NOMEM
			       ? reyes_i_no_memory(r)
			       : reyes_i_error(r, "%s", message);
	}
	if (further) {
		if (s->display_count)
			memcpy(list, s->displays, s->display_count * sizeof(*list));
		free(s->displays);
	} else {
		reyes_i_displays_free(s->displays, s->display_count);
		s->display_count = 0;
	}
	list[s->display_count++] = d;
	s->displays = list;
	return REYES_OK;
}
