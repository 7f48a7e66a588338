/* Set-up of the suites of the moved camera: pictures with their matrices, movements. */
#ifndef TESTS_REYES_FLY_SETUP_H
#define TESTS_REYES_FLY_SETUP_H

#include <unistd.h>
#include "reyes/scene/renderer.h"
#include "tests/reyes/fly_scenes.h"
#include "tests/reyes/render_setup.h"

enum { SIDE = 120 };

/* ---- pictures ---- */

typedef struct still {
	uint32_t width, height;
	float *rgba, *z;
	float world_to_camera[16], world_to_screen[16];
} still;

static inline void still_free(still *s)
{
	free(s->rgba);
	free(s->z);
	memset(s, 0, sizeof(*s));
}

/* Ends the program if the set-up of a test fails. */
#define MUST(cond, ...)                                                               \
	do {                                                                          \
		if (!test_check((cond) != 0, #cond, __FILE__, __LINE__, __VA_ARGS__)) \
			exit(1);                                                      \
	} while (0)

static shot messages; /* of the renderers */

static inline reyes_renderer *opened_on(reyes_backend backend)
{
	reyes_renderer *r = NULL;
	reyes_options o;
	char why[300];

	reyes_options_init(&o);
	o.backend = backend;
	o.threads = 2;
	o.log = keep_message;
	o.log_user = &messages;
	messages.message[0] = '\0';
	MUST(reyes_open(&r, &o, why, sizeof(why)) == REYES_OK, "%s", why);
	return r;
}

static inline reyes_renderer *opened(void)
{
	return opened_on(REYES_BACKEND_CPU);
}

/* Writes a PNG of side x side pixels, at most 64, with waves of color. */
static inline void write_waves(const char *path, uint32_t side)
{
	static uint8_t rgb[64 * 64 * 3];
	char why[300];

	for (uint32_t k = 0; k < side * side; k++) {
		rgb[3 * k] = (uint8_t)(127 + 120 * sin(k % side * 0.4));
		rgb[3 * k + 1] = (uint8_t)(127 + 120 * cos(k / side * 0.5));
		rgb[3 * k + 2] = (uint8_t)(k % side * 4);
	}
	MUST(reyes_write_png(path, side, side, rgb, why, sizeof(why)) == REYES_OK, "%s", why);
}

static inline void scene_text(char *text, size_t bytes, const fly_scene *s, const char *first)
{
	snprintf(text, bytes,
		"Format %d %d 1\nPixelSamples 3 3\nProjection \"perspective\" \"fov\" 40\n%s"
		"TransformBegin\nTranslate .3 .3 2\nCoordinateSystem \"hand\"\nTransformEnd\n"
		"LightSource \"distantlight\" \"lamp\" \"from\" [-1 1 -1] \"to\" [0 0 0] "
		"\"intensity\" [.3]\n%s%sWorldBegin\n%sWorldEnd\n",
		SIDE, SIDE, s->options, first, s->camera, s->world);
}

static inline void read_text(reyes_renderer *r, const char *text)
{
	MUST(reyes_rib_open_memory(r, "scene", text, strlen(text)) == REYES_OK &&
			reyes_rib_next_frame(r) == REYES_OK,
		"%s", reyes_last_error(r));
}

static inline void take(reyes_renderer *r, still *s)
{
	reyes_image image;
	size_t pixels;

	reyes_image_init(&image);
	MUST(reyes_render(r, &image) == REYES_OK, "%s", reyes_last_error(r));
	pixels = (size_t)image.width_px * image.height_px;
	s->width = image.width_px;
	s->height = image.height_px;
	s->rgba = malloc(pixels * 16);
	s->z = malloc(pixels * 4);
	MUST(s->rgba && s->z, "memory");
	memcpy(s->rgba, image.rgba, pixels * 16);
	memcpy(s->z, image.z, pixels * 4);
	memcpy(s->world_to_camera, r->world_to_camera, sizeof(s->world_to_camera));
	memcpy(s->world_to_screen, r->world_to_screen, sizeof(s->world_to_screen));
}

/* The picture of a scene that is read with a moved camera. */
static inline void take_read(const char *text, const float camera[16], still *s)
{
	reyes_renderer *r = opened();

	reyes_move_camera(r, camera);
	read_text(r, text);
	take(r, s);
	reyes_close(&r);
}

static inline int same_bits(const still *a, const still *b)
{
	const size_t pixels = (size_t)a->width * a->height;

	return a->width == b->width && a->height == b->height &&
	       memcmp(a->rgba, b->rgba, pixels * 16) == 0 && memcmp(a->z, b->z, pixels * 4) == 0;
}

/* Peak signal-to-noise ratio in dB over colour and alpha, of a range of 1. */
static inline double psnr(const still *a, const still *b)
{
	const size_t n = (size_t)a->width * a->height * 4;
	double sum = 0;

	for (size_t k = 0; k < n; k++) {
		const double d = (double)a->rgba[k] - (double)b->rgba[k];

		sum += d * d;
	}
	return sum > 0 ? 10 * log10((double)n / sum) : 999;
}

static inline double matrix_error(const float a[16], const float b[16])
{
	double worst = 0;

	for (int k = 0; k < 16; k++) {
		const double error = fabs((double)a[k] - (double)b[k]);

		/* not fmax: gcc 12.2 for aarch64 cannot compile such a loop */
		worst = error > worst ? error : worst;
	}
	return worst;
}

/* ---- movements ---- */

/* A quarter turn about the camera's axis: products with it are exact. */
static const float quarter[16] = { 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };

/* Turns about the point (0, 0, 4), then a step. */
static inline void orbit(float m[16], double yaw, double pitch, double step)
{
	const double c = cos(yaw), s = sin(yaw), d = cos(pitch), e = sin(pitch);
	const double turn[3][3] = { { c, -s * e, s * d }, { 0, d, e }, { -s, -c * e, c * d } };

	memset(m, 0, 16 * sizeof(*m));
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			m[4 * i + k] = (float)turn[i][k];
	for (int k = 0; k < 3; k++)
		m[12 + k] = (float)(-4 * turn[2][k] + (k == 2 ? 4 : 0) + step * (k + 1));
	m[15] = 1;
}

#endif
