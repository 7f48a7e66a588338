/* The paths without libsched: a kernel with a thread a pixel, which adds up in registers. */
#include "workloads/common/radix.cuh"
#include "workloads/trace/host.h"
#include "workloads/trace/step.h"

enum { THREADS = 128 };

template <int MESH> static __global__ void __launch_bounds__(THREADS) trace_kernel(const trc_ctx c)
{
	const uint32_t pixel = blockIdx.x * THREADS + threadIdx.x;
	uint64_t sum[3] = { 0, 0, 0 };
	trc_path p;

	if (pixel >= c.width * c.height)
		return;
	p.pixel = pixel;
	p.count = 0;
	for (p.sample = 0; p.sample < c.samples; p.sample++)
		(void)trc_whole(&c, &p, sum, MESH);
#pragma unroll
	for (int k = 0; k < 3; k++)
		c.sum[(size_t)pixel * 4 + k] = sum[k];
}

int trc_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const trc_host *h = (const trc_host *)w->host_data;
	const uint32_t blocks = (h->ctx.width * h->ctx.height + THREADS - 1) / THREADS;
	radix_clock clock;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));

	if (e == cudaSuccess)
		e = cudaEventRecord(clock.begin);
	if (e == cudaSuccess && h->ctx.triangles)
		trace_kernel<1><<<blocks, THREADS>>>(h->ctx);
	else if (e == cudaSuccess)
		trace_kernel<0><<<blocks, THREADS>>>(h->ctx);
	e = radix_clock_read(&clock, e, ns);
	return radix_clock_close(&clock, e, "paths", why, n);
}
