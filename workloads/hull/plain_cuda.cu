/* Frames without libsched: a kernel with a block a tile, a thread a pixel. */
#include "workloads/common/radix.cuh"
#include "workloads/hull/host.h"

static __global__ void __launch_bounds__(HULL_PIXELS, 5)
	hull_kernel(const __grid_constant__ hull_ctx c, uint32_t threshold)
{
	const uint32_t tile = blockIdx.x, pixel = hull_pixel_of(&c, tile, threadIdx.x);
	const uint32_t full = c.change[tile] >= threshold;

	if (pixel != LSCHED_NONE)
		c.now[pixel] = hull_pixel(&c, pixel, full);
	if (threadIdx.x == 0)
		c.done[tile] = full;
}

static int all_tiles(
	wl_work *w, const wl_device *d, uint32_t threshold, uint64_t *ns, char *why, size_t n)
{
	hull_host *h = (hull_host *)w->host_data;
	radix_clock clock;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));

	if (e == cudaSuccess)
		e = cudaEventRecord(clock.begin);
	if (e == cudaSuccess)
		hull_kernel<<<h->ctx.tiles, HULL_PIXELS>>>(h->ctx, threshold);
	e = radix_clock_read(&clock, e, ns);
	h->run_ns = *ns;
	return radix_clock_close(&clock, e, "tiles", why, n);
}

int hull_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	return all_tiles(w, d, 0, ns, why, n);
}

int hull_plain2_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const hull_host *h = (const hull_host *)w->host_data;

	return all_tiles(w, d, h->frames ? h->ctx.threshold : 0, ns, why, n);
}
