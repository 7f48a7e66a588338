/* Set-up of the suites that render: pictures of scenes in RIB text, on the CPU unless the
 * options name another backend. */
#ifndef TESTS_REYES_RENDER_SETUP_H
#define TESTS_REYES_RENDER_SETUP_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <reyes/reyes.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"

#define PI 3.14159265358979323846

typedef struct shot {
	uint32_t width, height;
	float *rgba, *z;
	reyes_stats stats;
	char message[600]; /* the first error or warning */
} shot;

static inline void keep_message(void *user, reyes_level level, const char *message)
{
	shot *s = user;

	if (level <= REYES_LEVEL_WARN && !s->message[0])
		snprintf(s->message, sizeof(s->message), "%s", message);
}

static inline void shot_free(shot *s)
{
	free(s->rgba);
	free(s->z);
	memset(s, 0, sizeof(*s));
}

/* Renders the last frame of a scene. Returns 0; -1 with s->message. Free with shot_free(). */
static inline int shot_with(shot *s, const reyes_options *options, const char *rib)
{
	reyes_options o = *options;
	reyes_renderer *r = NULL;
	reyes_image image;
	reyes_status st;
	int ok = 0;

	memset(s, 0, sizeof(*s));
	if (o.backend == REYES_BACKEND_AUTO)
		o.backend = REYES_BACKEND_CPU;
	o.log = keep_message;
	o.log_user = s;
	if (reyes_open(&r, &o, s->message, sizeof(s->message)) != REYES_OK)
		return -1;
	st = reyes_rib_open_memory(r, "test", rib, strlen(rib));
	while (st == REYES_OK && (st = reyes_rib_next_frame(r)) == REYES_OK) {
		size_t pixels;

		reyes_image_init(&image);
		reyes_stats_init(&s->stats);
		ok = reyes_render(r, &image) == REYES_OK &&
		     reyes_get_stats(r, &s->stats) == REYES_OK;
		if (!ok) {
			keep_message(s, REYES_LEVEL_ERROR, reyes_last_error(r));
			break;
		}
		free(s->rgba);
		free(s->z);
		s->width = image.width_px;
		s->height = image.height_px;
		pixels = (size_t)s->width * s->height;
		s->rgba = malloc(pixels * 16);
		s->z = malloc(pixels * 4);
		if (!s->rgba || !s->z) {
			ok = 0;
			break;
		}
		memcpy(s->rgba, image.rgba, pixels * 16);
		memcpy(s->z, image.z, pixels * 4);
		reyes_write_displays(r);
	}
	reyes_close(&r);
	return ok && !s->message[0] ? 0 : -1;
}

/* The same with the options' defaults; the scene is a format. */
__attribute__((format(printf, 2, 3))) static inline int shot_of(shot *s, const char *rib, ...)
{
	static char text[1 << 20];
	reyes_options o;
	va_list args;
	int n;

	va_start(args, rib);
	n = vsnprintf(text, sizeof(text), rib, args);
	va_end(args);
	memset(s, 0, sizeof(*s));
	if (n < 0 || (size_t)n >= sizeof(text))
		return -1;
	reyes_options_init(&o);
	return shot_with(s, &o, text);
}

static inline const float *pixel(const shot *s, uint32_t x, uint32_t y)
{
	return s->rgba + 4 * ((size_t)y * s->width + x);
}

static inline float depth_at(const shot *s, uint32_t x, uint32_t y)
{
	return s->z[(size_t)y * s->width + x];
}

/* Sum of a channel over the picture. */
static inline double shot_sum(const shot *s, int channel)
{
	double sum = 0;

	for (size_t k = 0; k < (size_t)s->width * s->height; k++)
		sum += (double)s->rgba[4 * k + (size_t)channel];
	return sum;
}

/* A square picture of `size` pixels with a box filter of one pixel, so that a pixel is the mean of
 * its samples; orthographic: the window is -1 .. 1. */
#define SHOT_FORMAT \
	"Format %d %d 1\nPixelFilter \"box\" 1 1\nDisplay \"x\" \"framebuffer\" \"rgbaz\"\n"

#endif
