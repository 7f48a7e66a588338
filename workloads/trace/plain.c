/* The paths without libsched, one after another by one CPU thread. */
#include "workloads/trace/host.h"
#include "workloads/trace/step.h"

void trc_serial(const wl_device *d, const trc_ctx *c, uint32_t pixel, uint32_t samples,
	uint64_t sum[3], uint32_t *bounces)
{
	trc_path p = { .pixel = pixel };

	sum[0] = sum[1] = sum[2] = 0;
	for (p.sample = 0; p.sample < samples; p.sample++) {
		if (p.sample % 1024 == 1023 && d && wl_stopped(d))
			return; /* as its caller does */
		const uint32_t hits = trc_whole(c, &p, sum, c->triangles > 0);

		if (bounces)
			bounces[p.sample] = hits;
	}
}

int trc_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const trc_host *h = w->host_data;
	const trc_ctx *c = &h->host;
	const uint64_t begin = wl_now_ns();

	(void)why;
	(void)n;
	for (uint32_t pixel = 0; pixel < c->width * c->height; pixel++) {
		if (wl_stopped(d))
			return WL_STOPPED;
		trc_serial(d, c, pixel, c->samples, &c->sum[(size_t)pixel * 4], NULL);
	}
	if (wl_stopped(d))
		return WL_STOPPED;
	*ns = wl_now_ns() - begin;
	return 0;
}
