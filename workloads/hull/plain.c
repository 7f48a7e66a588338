/* Frames without libsched, tile by tile by one CPU thread. */
#include "workloads/hull/host.h"

static int all_tiles(const wl_work *w, const wl_device *d, uint32_t threshold, uint64_t *ns)
{
	hull_host *h = w->host_data;
	const hull_ctx *c = &h->ctx;
	const uint64_t begin = wl_now_ns();

	for (uint32_t tile = 0; tile < c->tiles; tile++) {
		const uint32_t full = c->change[tile] >= threshold;

		if (wl_stopped(d))
			return WL_STOPPED;
		for (uint32_t i = 0; i < HULL_PIXELS; i++) {
			const uint32_t pixel = hull_pixel_of(c, tile, i);

			if (pixel != LSCHED_NONE)
				c->now[pixel] = hull_pixel(c, pixel, full);
		}
		c->done[tile] = full;
	}
	h->run_ns = *ns = wl_now_ns() - begin;
	return 0;
}

int hull_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	(void)why;
	(void)n;
	return all_tiles(w, d, 0, ns);
}

int hull_plain2_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const hull_host *h = w->host_data;

	(void)why;
	(void)n;
	return all_tiles(w, d, h->frames ? h->ctx.threshold : 0, ns);
}
