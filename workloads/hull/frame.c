/* A frame of `hull`: the order of its tiles, the costs by which they decide, its time, the sums of
 * a row. */
#include "workloads/common/memory.h"
#include "workloads/common/picture.h"
#include "workloads/hull/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels that are compared with the tasks' formulas, and that are checked by the truth, in a row's
 * first frame and in others. Of frames larger than LARGE only each 16th one is compared. */
enum { FIRST = 4096, LATER = 256, LARGE = 1 << 20 };
/* No more is added to the change of a tile from here on. */
#define MOST_CHANGE (1u << 31)

static int descending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Adds the change of the frame, and orders the tiles: the most changed first. */
static void order_tiles(hull_host *h)
{
	const size_t tiles = h->ctx.tiles;
	const uint32_t *change = h->change + h->frames % h->o.frames * tiles;

	for (size_t i = 0; i < tiles; i++) {
		h->pending[i] += h->frames && h->pending[i] < MOST_CHANGE ? change[i] : 0;
		h->keys[i] = (uint64_t)h->pending[i] << 32 | (UINT32_MAX - i);
	}
	qsort(h->keys, tiles, sizeof(*h->keys), descending);
	for (size_t i = 0; i < tiles; i++)
		h->order[i] = UINT32_MAX - (uint32_t)h->keys[i];
}

/* The mean time of a tile in a frame; `without` if there was none. */
static uint32_t mean_ns(uint64_t time, uint32_t without)
{
	const uint64_t count = time >> 40, ns = time & ((UINT64_C(1) << 40) - 1);

	return count == 0 ? without : ns / count < UINT32_MAX ? (uint32_t)(ns / count) : UINT32_MAX;
}

/* Sets what the start and the end of a run leave of the limit, and what tiles took in the last
 * frame. If none was done the full way, that is tried at a lower cost, so that a slow frame has no
 * effect on all others. Until a tile is warped, that costs a quarter of the full way. */
static void set_costs(hull_host *h)
{
	const uint64_t limit = h->o.limit_us * UINT64_C(1000);
	hull_ctx *c = &h->ctx;

	c->full_ns = mean_ns(h->meter.time[1], c->full_ns - c->full_ns / 8);
	c->warp_ns = mean_ns(h->meter.time[0], c->warp_ns ? c->warp_ns : c->full_ns / 4);
	c->limit_ns =
		limit - (h->overhead_ns < (double)limit / 4 ? (uint64_t)h->overhead_ns : limit / 4);
}

/* Of the frame that is shown. */
static size_t first_bin(const hull_host *h)
{
	return (size_t)(h->frames % h->o.frames) * h->o.cameras * (2 * h->ctx.half + 1);
}

static void begin_frame(wl_work *w, hull_host *h)
{
	const hull_frame *f;
	hull_ctx *c = &h->ctx;

	if (w->execution == 0) {
		h->frames = 0;
		h->overhead_ns = 0;
		memset(h->pending, 0, c->tiles * sizeof(*h->pending));
		memset(&h->sums, 0, sizeof(h->sums));
		memset(&h->meter, 0, sizeof(h->meter));
		c->full_ns = c->warp_ns = 0;
	} else {
		h->frames++;
		set_costs(h);
	}
	f = hull_frame_of(h, 0);
	c->method = h->frames ? (uint32_t)h->o.method : HULL_FULL;
	c->view = f->view;
	c->last = hull_frame_of(h, 1)->view;
	memcpy(c->camera, f->camera, sizeof(c->camera));
	c->bin = h->bins_of_tasks + first_bin(h);
	c->now = h->picture[h->frames % 2];
	c->before = h->picture[1 - h->frames % 2];
}

int hull_prepare(wl_work *w, wl_device *d, char *why, size_t n)
{
	hull_host *h = w->host_data;
	const size_t bytes = h->ctx.tiles * sizeof(uint32_t);
	/* arrays that tasks only read */
	uint32_t *order, *change;

	begin_frame(w, h);
	order_tiles(h);
	memcpy(&order, &h->ctx.order, sizeof(order));
	memcpy(&change, &h->ctx.change, sizeof(change));
	if (wl_write(d, order, h->order, bytes, why, n) ||
		wl_write(d, change, h->pending, bytes, why, n) ||
		wl_zero(d, h->ctx.meter, sizeof(hull_meter), why, n))
		return -1;
	h->begin_ns = wl_now_ns();
	return 0;
}

int hull_again(wl_work *w, wl_device *d, char *why, size_t n)
{
	hull_host *h = w->host_data;

	h->frame_ns = wl_now_ns() - h->begin_ns;
	h->run_ns = w->stats->elapsed_ns;
	return wl_read(d, &h->meter, h->ctx.meter, sizeof(h->meter), why, n);
}

static void add_frame(hull_host *h)
{
	const uint64_t latest = h->o.limit_us * UINT64_C(1000) + h->meter.longest;
	hull_sums *s = &h->sums;

	h->overhead_ns +=
		((double)h->frame_ns - (double)h->run_ns - h->overhead_ns) / (h->frames ? 8 : 1);
	for (size_t i = 0; i < h->ctx.tiles && h->frames; i++) {
		s->full += h->done[i];
		s->change += h->pending[i];
		s->full_change += h->done[i] ? h->pending[i] : 0;
	}
	for (size_t i = 0; i < h->ctx.tiles; i++)
		h->pending[i] = h->done[i] ? 0 : h->pending[i];
	if (h->frames == 0)
		return;
	s->tiles += h->ctx.tiles;
	s->frames++;
	s->in_time += h->frame_ns <= latest;
	s->run_in_time += h->run_ns <= latest;
	s->ns += h->frame_ns;
	s->longest_ns = h->frame_ns > s->longest_ns ? h->frame_ns : s->longest_ns;
	if (h->meter.longest > s->longest_tile_ns)
		s->longest_tile_ns = h->meter.longest;
}

/* A share in percent, of nothing 100. */
static double share(double part, double all)
{
	return all > 0 ? 100 * part / all : 100;
}

static void add_facts(wl_work *w, const hull_host *h)
{
	const hull_sums *s = &h->sums;
	const double frames = s->frames ? (double)s->frames : 1;

	wl_add_fact(w, "frames", (double)s->frames);
	wl_add_fact(w, "frames within the limit and a tile, %",
		share((double)s->in_time, (double)s->frames));
	wl_add_fact(w, "runs within the limit and a tile, %",
		share((double)s->run_in_time, (double)s->frames));
	wl_add_fact(w, "mean frame, us", (double)s->ns / frames * 1e-3);
	wl_add_fact(w, "longest frame, us", (double)s->longest_ns * 1e-3);
	wl_add_fact(w, "longest tile, us", (double)s->longest_tile_ns * 1e-3);
	wl_add_fact(w, "start and end of a frame, us", h->overhead_ns * 1e-3);
	wl_add_fact(w, "tiles done the full way, %", share((double)s->full, (double)s->tiles));
	wl_add_fact(w, "change done the full way, %", share(s->full_change, s->change));
	wl_add_fact(
		w, "change of a tile, pixels", s->change / 16 / (s->tiles ? (double)s->tiles : 1));
	wl_add_fact(w, "pixels in or out unlike the full way, %",
		s->pixels ? 100 * (double)s->wrong / (double)s->pixels : 0);
	wl_add_fact(w, "error of depths", s->compared ? s->error / (double)s->compared : 0);
}

/* Near is bright. */
static float picture_value(const void *opaque, size_t i)
{
	const float z = ((const hull_host *)opaque)->now[i];

	return z > 0 ? fmaxf(1.25f - 0.5f * (z - 2), 0.1f) : 0;
}

/* Compares the frame. */
static int check_frame(wl_work *w, wl_device *d, char *why, size_t n)
{
	hull_host *h = w->host_data;
	const uint32_t most = h->frames ? LATER : FIRST;
	const size_t bytes = hull_pixels_of(h) * sizeof(float);

	if (wl_read(d, h->now, h->ctx.now, bytes, why, n) ||
		wl_read(d, h->before, h->ctx.before, bytes, why, n))
		return -1;
	h->host = h->ctx;
	h->host.bin = h->bin + first_bin(h);
	h->host.edge = h->edge;
	h->host.before = h->before;
	if (hull_check_pixels(h, most, why, n) || hull_check_truth(h, most, why, n))
		return -1;
	if (h->frames == 0 || h->ctx.method != HULL_CLOCK) {
		w->value = 0;
		for (size_t i = 0; i < hull_pixels_of(h); i++) {
			uint32_t bits;

			memcpy(&bits, &h->now[i], sizeof(bits));
			w->value = (w->value ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
			w->value ^= w->value >> 29;
		}
	}
	return 0;
}

int hull_write(wl_work *w, wl_device *d, char *why, size_t n)
{
	hull_host *h = w->host_data;

	if (!h->o.image)
		return 0;
	if (wl_read(d, h->now, h->ctx.now, hull_pixels_of(h) * sizeof(float), why, n))
		return -1;
	return wl_write_picture(h->o.image, h->ctx.width, h->ctx.height, "Y", picture_value, h,
		d->overwrite, why, n);
}

int hull_check(wl_work *w, wl_device *d, char *why, size_t n)
{
	hull_host *h = w->host_data;
	const int compared = h->frames % (hull_pixels_of(h) > LARGE ? 16 : 1) == 0;

	if (!w->stats) {
		h->frame_ns = h->run_ns;
		memset(&h->meter, 0, sizeof(h->meter));
	}
	if (wl_read(d, h->done, h->ctx.done, h->ctx.tiles * sizeof(*h->done), why, n) ||
		(compared && check_frame(w, d, why, n)))
		return -1;
	add_frame(h);
	add_facts(w, h);
	w->operations = h->ctx.tiles;
	return 0;
}
