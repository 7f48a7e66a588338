/* Sample positions: jittered in strata of each pixel, in time and on the lens. They are a function
 * of pixel and sample number, so they do not depend on the schedule. */
#ifndef REYES_HIDE_PATTERN_H
#define REYES_HIDE_PATTERN_H

#include <stdint.h>
#include <libsched/fn.h>
#include "reyes/core/disk.h"
#include "reyes/scene/frame.h"

#define REYES_I_SUBPIXEL 256 /* units of raster coordinates in a pixel */
#define REYES_I_PERIOD   32  /* pixels after which sample positions repeat */
#define REYES_I_ORDERS   64  /* different assignments of times and lens cells to samples */

typedef struct reyes_i_pattern {
	uint32_t nx, ny, count; /* strata of a pixel; count = nx ny */
	float inv_count;        /* 1 / count */
	uint32_t jitter;
	/* [REYES_I_PERIOD][REYES_I_PERIOD][count]: positions of the samples of a pixel, repeated */
	const uint16_t *places;
	/* [REYES_I_ORDERS][count]: the group of a sample, and the sample of a group. A group is an
	 * interval of the shutter time and a cell of the lens; each pixel has one sample in
	 * each. */
	const uint16_t *group_of, *sample_of;
	const uint16_t *lens_cell; /* [count]: the cell of the lens of a group */
	const float *lens_box;     /* [count][4]: x and y range of the group's lens positions */
} reyes_i_pattern;

/* a / n; the usual count, 4, needs no division. */
LSCHED_FN uint32_t reyes_i_over(uint32_t a, uint32_t n)
{
	return n == 4 ? a >> 2 : a / n;
}

/* a / n, rounded down. */
LSCHED_FN int32_t reyes_i_floor_over(int32_t a, int32_t n)
{
	return n == 4 ? a >> 2 : a >= 0 ? a / n : -((n - 1 - a) / n);
}

LSCHED_FN uint32_t reyes_i_hash32(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x7feb352du;
	h ^= h >> 15;
	h *= 0x846ca68bu;
	h ^= h >> 16;
	return h;
}

LSCHED_FN uint32_t reyes_i_pixel_hash(uint32_t x, uint32_t y)
{
	return reyes_i_hash32(x * 0x9e3779b1u + y * 0x85ebca77u + 0x165667b1u);
}

LSCHED_FN uint32_t reyes_i_sample_hash(uint32_t pixel_hash, uint32_t sample)
{
	const uint32_t h = (pixel_hash ^ (sample * 0x9e3779b1u)) * 0xc2b2ae35u;

	return h ^ (h >> 15);
}

/* The position of a sample in its pixel, x | y << 8, each 0 .. 255. */
LSCHED_FN uint32_t reyes_i_sample_place(
	const reyes_i_pattern *p, int32_t px, int32_t py, uint32_t sample)
{
	const uint32_t period = REYES_I_PERIOD - 1;

	return p->places[(((uint32_t)py & period) * REYES_I_PERIOD + ((uint32_t)px & period)) *
				 p->count +
			 sample];
}

LSCHED_FN const uint16_t *reyes_i_order_of(
	const uint16_t *table, const reyes_i_pattern *p, uint32_t pixel_hash)
{
	return table + (pixel_hash >> 8 & (REYES_I_ORDERS - 1)) * p->count;
}

/* Shutter time 0..1 of a sample of a group. */
LSCHED_FN float reyes_i_sample_time(const reyes_i_pattern *p, uint32_t hash, uint32_t group)
{
	const float jitter = p->jitter ? (float)(hash >> 16 & 255u) * (1.0f / 256) : 0.5f;

	return ((float)group + jitter) * p->inv_count;
}

/* The lens position of a sample of a group, in the unit disk. */
LSCHED_FN void reyes_i_sample_lens(
	const reyes_i_pattern *p, uint32_t hash, uint32_t group, float *x, float *y)
{
	const uint32_t cell = p->lens_cell[group], h = reyes_i_hash32(hash);
	const float jx = p->jitter ? (float)(h & 255u) * (1.0f / 256) : 0.5f;
	const float jy = p->jitter ? (float)(h >> 8 & 255u) * (1.0f / 256) : 0.5f;

	reyes_i_disk_place(((float)(cell % p->nx) + jx) / (float)p->nx,
		((float)(cell / p->nx) + jy) / (float)p->ny, x, y);
}

#endif
