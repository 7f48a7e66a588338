/* The pictures of `trace` as files: PNG and TIFF for the eye, EXR with its light. */
#include "workloads/common/picture.h"
#include "workloads/trace/host.h"

#include <math.h>

/* The curve of sRGB, of light from 0 to 1. */
static float encoded(float light)
{
	const float v = light < 1 ? light : 1;

	return v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

static float linear_value(const void *picture, size_t i)
{
	return (float)trc_light(picture, i / 3, i % 3);
}

static float encoded_value(const void *picture, size_t i)
{
	return encoded(linear_value(picture, i));
}

int trc_write_image(const trc_picture *p, const char *path, int overwrite, char *msg, size_t n)
{
	return wl_write_picture(path, p->width, p->height, "R G B",
		wl_picture_is_linear(path) ? linear_value : encoded_value, p, overwrite, msg, n);
}

typedef struct density {
	const uint32_t *paths;
	uint32_t most;
} density;

static float density_value(const void *opaque, size_t i)
{
	const density *d = opaque;

	return (float)d->paths[i] / (float)d->most;
}

int trc_write_density(const trc_picture *p, const char *path, int overwrite, char *msg, size_t n)
{
	density d = { p->paths, 1 };

	for (size_t i = 0; i < (size_t)p->width * p->height; i++)
		d.most = p->paths[i] > d.most ? p->paths[i] : d.most;
	return wl_write_picture(
		path, p->width, p->height, "Y", density_value, &d, overwrite, msg, n);
}
