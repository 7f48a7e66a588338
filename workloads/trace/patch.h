/* Patches as tasks, the most uncertain first (Softshell, figure 8). A visit traces so many paths of
 * each pixel of a patch; then the patch waits with a new urgency, until the paths of the picture
 * are used up. Compiled for CPU and GPU. */
#ifndef WORKLOADS_TRACE_PATCH_H
#define WORKLOADS_TRACE_PATCH_H

#include <string.h>
#include "workloads/trace/step.h"

enum { TRC_SIDE = 4, TRC_PIXELS = TRC_SIDE * TRC_SIDE };

LSCHED_FN uint32_t trc_patches_across(const trc_ctx *c)
{
	return (c->width + TRC_SIDE - 1) / TRC_SIDE;
}

/* Pixel k of a patch, LSCHED_NONE outside of the picture. */
LSCHED_FN uint32_t trc_patch_pixel(const trc_ctx *c, uint32_t patch, uint32_t k)
{
	const uint32_t x = patch % trc_patches_across(c) * TRC_SIDE + k % TRC_SIDE;
	const uint32_t y = patch / trc_patches_across(c) * TRC_SIDE + k / TRC_SIDE;

	return x < c->width && y < c->height ? y * c->width + x : LSCHED_NONE;
}

/* A path's light by the sum of its channels, squared, from fixed-point numbers. */
LSCHED_FN uint64_t trc_square(const uint64_t light[3])
{
	const uint64_t all = (light[0] + light[1] + light[2]) >> 12;

	return all * all;
}

LSCHED_FN uint32_t trc_urgency(const trc_ctx *c, uint32_t patch)
{
	return ~lsched_ld(&c->calm[patch], rlx, dev);
}

/* What another visit is expected to take from the squared error: the variance by the square of the
 * paths. A path of light 1 is added, so that a patch that has seen no light yet is not given up.
 * The order of positive floats is that of their bits. */
LSCHED_TASK_FN uint32_t trc_new_urgency(const trc_ctx *c, uint32_t patch, uint32_t visits)
{
	const float paths = (float)(visits * c->visit);
	float variance = 0, urgency;
	uint32_t bits;

	for (uint32_t k = 0; k < TRC_PIXELS; k++) {
		const uint32_t pixel = trc_patch_pixel(c, patch, k);
		uint64_t *sum;
		float mean, square;

		if (pixel == LSCHED_NONE)
			continue;
		sum = &c->sum[(size_t)pixel * 4];
		mean = (float)(lsched_ld(&sum[0], rlx, dev) + lsched_ld(&sum[1], rlx, dev) +
			       lsched_ld(&sum[2], rlx, dev)) /
		       (TRC_ONE * paths);
		square = (float)lsched_ld(&sum[3], rlx, dev) / (TRC_ONE * paths);
		variance += fmaxf(fmaf(-mean, mean, square), 0);
	}
	urgency = (variance + (float)TRC_PIXELS / paths) / (paths * paths);
	memcpy(&bits, &urgency, sizeof(bits));
	return bits;
}

LSCHED_TASK_FN lsched_result trc_patch_body(
	lsched_worker *w, const trc_ctx *c, lsched_no_local *l, uint32_t patch)
{
	const uint32_t visits = c->visits[patch];
	uint32_t more = 0;

	(void)l;
	for (uint32_t i = lsched_lane(); i < TRC_PIXELS * c->visit; i += LSCHED_LANES) {
		trc_path p;
		uint64_t light[3] = { 0, 0, 0 };

		p.pixel = trc_patch_pixel(c, patch, i % TRC_PIXELS);
		p.sample = visits * c->visit + i / TRC_PIXELS;
		p.count = 0;
		if (p.pixel == LSCHED_NONE)
			continue;
		(void)trc_whole(c, &p, light, 0);
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 4; k++)
			(void)lsched_add(&c->sum[(size_t)p.pixel * 4 + k],
				k < 3 ? light[k] : trc_square(light), rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		c->visits[patch] = visits + 1;
		lsched_st(&c->calm[patch],
			c->even ? visits + 1 : ~trc_new_urgency(c, patch, visits + 1), rlx, dev);
		more = lsched_add(c->taken, 1u, rlx, dev) < c->takes;
	}
	if (lsched_bcast(more))
		lsched_spawn(w, patch);
	return LSCHED_DONE;
}

#endif

#ifdef WL_TRACE_PROGRAM
#undef WL_TRACE_PROGRAM
#define LSCHED_NAME           trace_patch
#define LSCHED_CTX            trc_ctx
#define LSCHED_BODY           trc_patch_body
#define LSCHED_PRIORITY       trc_urgency
#define LSCHED_MIN_BLOCKS     6
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
