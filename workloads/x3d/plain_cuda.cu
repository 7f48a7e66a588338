/* The parser without libsched: a kernel for each pass, and one of a block between them, after a
 * copy of the text if uploads are counted; the host waits for each, or all are a CUDA graph. */
#include "workloads/common/radix.cuh"
#include "workloads/x3d/body.h"
#include "workloads/x3d/host.h"

enum { THREADS = X3D_SEGMENTS };

/* The threads of the block. */
static __device__ void make_item(lsched_range_items *x, lsched_worker *room)
{
	const lsched_range_crew crew = { threadIdx.x, blockDim.x, 0 };

	lsched_range_crew_item(crew, x, room);
}

static __global__ void __launch_bounds__(THREADS) pass_kernel(x3d_ctx c, uint32_t pass)
{
	__shared__ x3d_local local;
	lsched_worker room;
	lsched_range_items x;
	uint32_t count = pass == X3D_LINK ? x3d_parts(&c) : c.tiles;

	if (pass >= X3D_EMIT && c.state->full)
		return;
	make_item(&x, &room);
	for (uint32_t k = blockIdx.x; k < count; k += gridDim.x)
		x3d_do(&x, &c, &local, pass, k);
}

static __global__ void __launch_bounds__(THREADS) next_kernel(x3d_ctx c, uint32_t pass)
{
	__shared__ x3d_local local;
	lsched_worker room;
	lsched_range_items x;

	make_item(&x, &room);
	(void)x3d_before(&x, &c, &local, pass);
}

/* Starts a kernel; between: the one of a block before a pass. The host waits for it. */
static cudaError_t start(const x3d_ctx *c, uint32_t pass, int between, int wait, cudaStream_t s)
{
	const uint32_t most = 4096, blocks = c->tiles < most ? c->tiles : most;
	cudaError_t e;

	if (between)
		next_kernel<<<1, THREADS, 0, s>>>(*c, pass);
	else
		pass_kernel<<<blocks, THREADS, 0, s>>>(*c, pass);
	e = cudaGetLastError();
	return e == cudaSuccess && wait ? cudaStreamSynchronize(s) : e;
}

static cudaError_t enqueue(const x3d_host *h, int wait, cudaStream_t s)
{
	x3d_ctx c = h->ctx;
	cudaError_t e = cudaSuccess;

	if (c.from)
		e = cudaMemcpyAsync(c.text, c.from, c.bytes + X3D_PAD, cudaMemcpyDefault, s);
	c.from = NULL;
	for (uint32_t pass = X3D_MAP; e == cudaSuccess && pass <= X3D_LINK; pass++) {
		if (pass == X3D_COUNT || pass == X3D_EMIT)
			e = start(&c, pass, 1, wait, s);
		if (e == cudaSuccess)
			e = start(&c, pass, 0, wait, s);
	}
	return e;
}

static cudaError_t make_graph(const x3d_host *h, cudaStream_t s, cudaGraphExec_t *made)
{
	cudaGraph_t graph = NULL;
	cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), end;

	if (e == cudaSuccess) {
		e = enqueue(h, 0, s);
		end = cudaStreamEndCapture(s, &graph);
		e = e == cudaSuccess ? end : e;
	}
	if (e == cudaSuccess)
		e = cudaGraphInstantiate(made, graph, 0);
	if (e == cudaSuccess)
		e = cudaGraphUpload(*made, s);
	if (graph)
		cudaGraphDestroy(graph);
	return e;
}

/* Neither the making of a graph nor its upload is measured: a program does it once. */
static cudaError_t parse_once(
	const x3d_host *h, int graph, cudaStream_t s, radix_clock *clock, uint64_t *ns)
{
	cudaGraphExec_t made = NULL;
	cudaError_t e = graph ? make_graph(h, s, &made) : cudaSuccess;

	if (e == cudaSuccess)
		e = cudaStreamSynchronize(s);
	if (e == cudaSuccess)
		e = cudaEventRecord(clock->begin, s);
	if (e == cudaSuccess)
		e = graph ? cudaGraphLaunch(made, s) : enqueue(h, 1, s);
	if (e == cudaSuccess)
		e = cudaStreamSynchronize(s);
	e = radix_clock_read(clock, e, ns);
	if (made)
		cudaGraphExecDestroy(made);
	return e;
}

static int parse(wl_work *w, wl_device *d, int graph, uint64_t *ns, char *why, size_t n)
{
	const x3d_host *h = (const x3d_host *)w->host_data;
	radix_clock clock;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));
	cudaStream_t s = NULL;
	int more = 1;

	*ns = 0;
	if (e == cudaSuccess)
		e = cudaStreamCreate(&s);
	while (e == cudaSuccess && more > 0) {
		e = parse_once(h, graph, s, &clock, ns);
		more = e == cudaSuccess ? w->again(w, d, why, n) : 0;
	}
	if (s)
		cudaStreamDestroy(s);
	return radix_clock_close(&clock, e, "x3d", why, n) ? -1 : more;
}

int x3d_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	return parse(w, d, 0, ns, why, n);
}

int x3d_graph_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	return parse(w, d, 1, ns, why, n);
}

void *x3d_pin_cuda(const void *from, size_t bytes)
{
	void *memory = NULL;

	if (cudaHostAlloc(&memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable) !=
		cudaSuccess)
		return NULL;
	memcpy(memory, from, bytes);
	return memory;
}

void x3d_unpin_cuda(void *memory)
{
	(void)cudaFreeHost(memory);
}
