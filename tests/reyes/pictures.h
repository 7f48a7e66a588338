/* Pictures and files of the suites of reyes/image. */
#ifndef TESTS_REYES_PICTURES_H
#define TESTS_REYES_PICTURES_H

#include "reyes/image/formats.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char test_folder[] = "/tmp/reyes_image.XXXXXX";

static inline int open_folder(void)
{
	return mkdtemp(test_folder) ? 0 : 1;
}

/* Removes the folder and what is in it; the suites make no folders there. */
static inline int close_folder(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", test_folder);
	return system(command) == 0 ? 0 : 1;
}

static inline const char *in_folder(const char *name)
{
	static char paths[4][400];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", test_folder, name);
	return path;
}

/* Fills a picture with values that the sample type holds exactly: multiples of 1 / 255 or
 * 1 / 65535, multiples of 1 / 64, any float. The seed is not 0. `multiply`:
 * color is then multiplied by alpha, for files that hold divided color. */
static inline void fill_picture(
	reyes_i_picture *p, enum reyes_i_sample_type type, uint64_t seed, int multiply)
{
	const uint32_t alpha = reyes_i_picture_channel(p, "A");
	const size_t n = (size_t)p->width_px * p->height_px;

	rng_state = seed;
	for (size_t i = 0; i < n; i++) {
		float *at = p->data + i * p->channels;

		for (uint32_t c = 0; c < p->channels; c++) {
			const uint32_t r = rng();

			at[c] = type == REYES_I_SAMPLE_8      ? (float)(r & 255) / 255
				: type == REYES_I_SAMPLE_16   ? (float)(r & 65535) / 65535
				: type == REYES_I_SAMPLE_HALF ? (float)(r % 1024) / 64 - 4
							      : ((float)r - 2e9f) * 1e-7f;
		}
		for (uint32_t c = 0; multiply && alpha < p->channels && c < alpha; c++)
			at[c] *= at[alpha];
	}
}

/* Largest difference of two pictures with the same layout; 1e30 if the layouts differ. */
static inline double picture_distance(const reyes_i_picture *a, const reyes_i_picture *b)
{
	double most = 0;

	if (a->width_px != b->width_px || a->height_px != b->height_px ||
		a->channels != b->channels || memcmp(a->names, b->names, sizeof(a->names)) != 0)
		return 1e30;
	for (size_t i = 0; i < (size_t)a->width_px * a->height_px * a->channels; i++) {
		const double d = (double)a->data[i] - (double)b->data[i];

		if (!(d <= most && -d <= most))
			most = d < 0 ? -d : d;
	}
	return most;
}

#endif
