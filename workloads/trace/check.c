/* The picture of `trace`: pixels against the paths one after another, its mean against a tracer in
 * double precision, the furnace's light against 1. Later pictures against the first one. */
#include "workloads/trace/host.h"
#include "workloads/common/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Paths of pixels that are traced again, paths in double precision, and from how many paths on
 * the mean is compared: few paths have no normal error. */
enum { AGAIN = 1 << 15, TRUTH = 1 << 18, MEAN = 1 << 14 };

/* Of weights in single precision and of fixed-point numbers, at most 25 a path in the furnace,
 * whose light is about 1 without any variance. */
#define ROUNDING 1e-5

static uint64_t hash_of(const uint64_t *sum, uint32_t pixels)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < (size_t)pixels * 3; i++)
		hash = wl_hash64(hash ^ sum[i / 3 * 4 + i % 3]);
	return hash;
}

static uint32_t most_paths(const trc_picture *p)
{
	uint32_t most = 0;

	for (size_t i = 0; i < (size_t)p->width * p->height; i++)
		most = p->paths[i] > most ? p->paths[i] : most;
	return most;
}

/* 32 pixels that follow each other, by the text that the programs have, and the lengths of their
 * paths. */
static int check_group(trc_host *h, const wl_device *d, const trc_picture *p, uint32_t first,
	uint32_t *bounces, uint32_t most, char *why, size_t n)
{
	const trc_ctx *c = &h->ctx;
	const uint32_t end = c->width * c->height;
	uint32_t *longest = bounces + most;

	memset(longest, 0, most * sizeof(*longest));
	for (uint32_t pixel = first; pixel < first + 32 && pixel < end; pixel++) {
		uint64_t right[3];

		trc_serial(d, &h->host, pixel, p->paths[pixel], right, bounces);
		if (wl_stopped(d))
			return WL_STOPPED;
		if (memcmp(right, &p->sum[(size_t)pixel * 4], sizeof(right)) != 0)
			return wl_fail(
				why, n, "pixel %" PRIu32 " has another sum than its paths", pixel);
		for (uint32_t k = 0; k < p->paths[pixel]; k++) {
			longest[k] = bounces[k] > longest[k] ? bounces[k] : longest[k];
			h->lengths.bounces += bounces[k];
		}
		h->lengths.paths += p->paths[pixel];
	}
	for (uint32_t k = 0; k < most; k++)
		h->lengths.longest += longest[k];
	return 0;
}

/* Groups spread evenly over the picture. */
static int check_pixels(trc_host *h, const wl_device *d, const trc_picture *p, char *why, size_t n)
{
	const trc_ctx *c = &h->ctx;
	const uint32_t room = most_paths(p);
	const uint32_t groups = (c->width * c->height + 31) / 32;
	const uint32_t most = AGAIN / 32 / c->samples + 1, step = (groups + most - 1) / most;
	uint32_t *bounces = wl_host_alloc(2 * (size_t)room * sizeof(*bounces), why, n);
	int bad = bounces ? 0 : -1;

	memset(&h->lengths, 0, sizeof(h->lengths));
	for (uint32_t g = 0; !bad && g < groups; g += step)
		bad = wl_stopped(d) ? WL_STOPPED
				    : check_group(h, d, p, g * 32, bounces, room, why, n);
	free(bounces);
	return bad;
}

/* A path of the furnace brings 1 less what the cut takes, up to the roundings of its sum. */
static int check_furnace(const trc_picture *p, char *why, size_t n)
{
	for (size_t i = 0; i < (size_t)p->width * p->height * 3; i++) {
		const double light = trc_light(p, i / 3, i % 3);

		if (!(light > 0.999 - ROUNDING && light < 1 + ROUNDING))
			return wl_fail(
				why, n, "pixel %zu of the furnace is %g, not 1", i / 3, light);
	}
	return 0;
}

/* The mean of a part's pixels, and its paths as that mean weighs them: pixels with more paths than
 * others help less. Returns the paths. */
static double mean_of(const trc_ctx *c, const trc_picture *p, uint32_t part, double mean[3])
{
	double pixels = 0, parts = 0;

	memset(mean, 0, 3 * sizeof(*mean));
	for (uint32_t i = 0; i < p->width * p->height; i++) {
		if (part && trc_part(c, i % p->width, i / p->width) != part)
			continue;
		pixels++;
		parts += 1.0 / p->paths[i];
		for (size_t k = 0; k < 3; k++)
			mean[k] += trc_light(p, i, k);
	}
	for (size_t k = 0; k < 3; k++)
		mean[k] /= pixels > 0 ? pixels : 1;
	return pixels > 0 ? pixels * pixels / parts : 0;
}

/* Of all within 4 standard errors, of quarters within 5: there are twelve means of them, of which
 * one is beyond 4 in one of a thousand right pictures. */
static int check_mean(trc_host *h, const wl_device *d, const trc_picture *p, char *why, size_t n)
{
	static const char *const names[TRC_PARTS] = { "picture", "upper left quarter",
		"upper right quarter", "lower left quarter", "lower right quarter" };
	double mean[3], paths = mean_of(&h->ctx, p, 0, mean);

	if (h->truth[0].paths == 0)
		trc_make_truth(d, &h->host, paths < TRUTH / 4 ? (uint64_t)paths * 4 + 256 : TRUTH,
			h->o.seed, h->truth);
	for (uint32_t part = 0; part < TRC_PARTS; part++) {
		const trc_mean *m = &h->truth[part];

		if (wl_stopped(d))
			return WL_STOPPED;
		paths = mean_of(&h->ctx, p, part, mean);
		for (size_t k = 0; k < 3 && paths > 0 && m->paths; k++) {
			const double error =
				sqrt(m->variance[k] * (1 / paths + 1 / (double)m->paths));

			if (!(fabs(mean[k] - m->mean[k]) <= (part ? 5 : 4) * error + ROUNDING))
				return wl_fail(why, n,
					"the mean of channel %zu of the %s is %.6f, not %.6f, the "
					"result in double precision; the standard error is %.6f",
					k, names[part], mean[k], m->mean[k], error);
		}
	}
	return 0;
}

int trc_check(trc_host *h, const wl_device *d, const trc_picture *p, char *why, size_t n)
{
	const trc_ctx *c = &h->ctx;
	const uint64_t hash = hash_of(p->sum, c->width * c->height);
	int bad;

	if (h->checked && h->o.order == TRC_ORDER_PATHS)
		return hash == h->hash
			       ? 0
			       : wl_fail(why, n, "the picture is not that of the first run");
	bad = c->triangles ? trc_check_hits(h, why, n) : 0;
	if (!bad)
		bad = check_pixels(h, d, p, why, n);
	if (!bad && h->o.scene == TRC_SCENE_FURNACE && !c->roulette)
		bad = check_furnace(p, why, n);
	if (!bad && (uint64_t)c->width * c->height * c->samples >= MEAN)
		bad = check_mean(h, d, p, why, n);
	h->hash = hash;
	h->checked = !bad;
	return bad;
}
