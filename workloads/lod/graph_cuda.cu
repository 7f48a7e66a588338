/* The simplification without libsched, by a CUDA graph that the host launches once: a conditional
 * node repeats a kernel, which expands the nodes of a level, while there are any; another kernel
 * writes the triangles. */
#include "workloads/common/radix.cuh"
#include "workloads/lod/host.h"

enum { THREADS = 128 };

typedef struct front_state {
	uint32_t begin, end; /* the level in the list */
	uint32_t finished;   /* blocks */
} front_state;

typedef struct front {
	lsched_stream list; /* expanded nodes, level by level; with room for all nodes */
	front_state *state;
	cudaGraphConditionalHandle again;
} front;

static __global__ void clear_kernel(lod_ctx c, front f)
{
	f.state->begin = f.state->end = f.state->finished = 0;
	f.list.state->count = c.vertices.any.state->count = c.triangles.any.state->count = 0;
}

/* The last block of a kernel makes what all of them have listed the next level, after `end`. */
static __device__ void next_level(const front *f, uint32_t end)
{
	__syncthreads();
	if (threadIdx.x)
		return;
	__threadfence(); /* what the block has listed is counted */
	if (atomicAdd(&f->state->finished, 1u) == gridDim.x - 1) {
		const uint32_t count =
			(uint32_t)__ldcg((const unsigned long long *)&f->list.state->count);

		f->state->begin = end;
		f->state->end = count;
		f->state->finished = 0;
		cudaGraphSetConditional(f->again, count > end);
	}
}

/* The nodes that tasks begin with, too. */
static __global__ void __launch_bounds__(THREADS) front_kernel(lod_ctx c, front f)
{
	for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < c.front; i += gridDim.x * THREADS)
		if (lod_node_expanded(&c, i))
			((uint32_t *)f.list.elements)[lsched_append(&f.list, 1)] = i;
		else if (i == 0)
			(void)lod_vertices_append(&c.vertices, c.vertex, 1);
	next_level(&f, 0);
}

static __device__ void expand(const lod_ctx *c, const front *f, uint32_t number)
{
	const lod_node n = c->node[number];
	const uint32_t all = lod_expanded_children(c, &n);
	const uint32_t roots = c->front > n.child ? min(c->front - n.child, LOD_WAYS) : 0;
	const uint32_t down = all >> roots << roots;
	uint32_t *next =
		(uint32_t *)f->list.elements + lsched_append(&f->list, __popc(down) + !!n.more);

	for (uint32_t k = 0; down >> k; k++)
		if (down >> k & 1u)
			*next++ = n.child + k;
	if (n.more)
		*next = n.more;
	lod_show_vertices(c, &n, all);
}

static __global__ void __launch_bounds__(THREADS) level_kernel(lod_ctx c, front f)
{
	const uint32_t *list = (const uint32_t *)f.list.elements;
	const uint32_t begin = f.state->begin, end = f.state->end;

	for (uint32_t i = begin + blockIdx.x * THREADS + threadIdx.x; i < end;
		i += gridDim.x * THREADS)
		expand(&c, &f, list[i]);
	next_level(&f, end);
}

static __global__ void __launch_bounds__(THREADS) triangle_kernel(lod_ctx c, front f)
{
	const uint32_t *list = (const uint32_t *)f.list.elements;

	for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < f.list.state->count;
		i += gridDim.x * THREADS) {
		const lod_node n = c.node[list[i]];

		lod_show_triangles(&c, &n, lod_expanded_children(&c, &n));
	}
}

/* Adds a kernel with the arguments (lod_ctx, front), behind *before unless this is NULL. */
static cudaError_t add_kernel(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, void (*kernel)(lod_ctx, front), uint32_t blocks,
	const lod_ctx *c, const front *f)
{
	void *arguments[] = { (void *)c, (void *)f };
	cudaKernelNodeParams p = {};

	p.func = (void *)kernel;
	p.gridDim = dim3(blocks);
	p.blockDim = dim3(blocks > 1 ? THREADS : 1);
	p.kernelParams = arguments;
	return cudaGraphAddKernelNode(node, graph, before, before != NULL, &p);
}

static cudaError_t add_loop(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
	cudaGraphNodeParams *p)
{
#if CUDART_VERSION >= 13000
	return cudaGraphAddNode(node, graph, before, NULL, 1, p);
#else
	return cudaGraphAddNode(node, graph, before, 1, p);
#endif
}

/* Returns how many blocks of level_kernel the current device runs at once, at least 2. */
static uint32_t all_blocks(void)
{
	int device = 0, sms = 1, blocks = 1;

	(void)cudaGetDevice(&device);
	(void)cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
	(void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, level_kernel, THREADS, 0);
	return (uint32_t)(sms * blocks > 2 ? sms * blocks : 2);
}

static cudaError_t make_graph(cudaGraph_t graph, const lod_ctx *c, front *f)
{
	const uint32_t all = all_blocks();
	cudaGraphNodeParams loop = {};
	cudaGraphNode_t clear, first, levels, level, triangles;
	cudaError_t e = cudaGraphConditionalHandleCreate(&f->again, graph, 0, 0);

	if (e == cudaSuccess)
		e = add_kernel(&clear, graph, NULL, clear_kernel, 1, c, f);
	if (e == cudaSuccess)
		e = add_kernel(&first, graph, &clear, front_kernel, all, c, f);
	loop.type = cudaGraphNodeTypeConditional;
	loop.conditional.handle = f->again;
	loop.conditional.type = cudaGraphCondTypeWhile;
	loop.conditional.size = 1;
	if (e == cudaSuccess)
		e = add_loop(&levels, graph, &first, &loop);
	if (e == cudaSuccess)
		e = add_kernel(
			&level, loop.conditional.phGraph_out[0], NULL, level_kernel, all, c, f);
	if (e == cudaSuccess)
		e = add_kernel(&triangles, graph, &levels, triangle_kernel, all, c, f);
	return e;
}

/* Neither the making of the graph nor its upload is measured: a program does it once. */
static cudaError_t simplify_once(const lod_ctx *c, front *f, radix_clock *clock, uint64_t *ns)
{
	cudaGraph_t graph = NULL;
	cudaGraphExec_t made = NULL;
	cudaError_t e = cudaGraphCreate(&graph, 0);

	if (e == cudaSuccess)
		e = make_graph(graph, c, f);
	if (e == cudaSuccess)
		e = cudaGraphInstantiate(&made, graph, 0);
	if (e == cudaSuccess)
		e = cudaGraphUpload(made, 0);
	if (e == cudaSuccess)
		e = cudaStreamSynchronize(0);
	if (e == cudaSuccess)
		e = cudaEventRecord(clock->begin);
	if (e == cudaSuccess)
		e = cudaGraphLaunch(made, 0);
	e = radix_clock_read(clock, e, ns);
	if (made)
		cudaGraphExecDestroy(made);
	if (graph)
		cudaGraphDestroy(graph);
	return e;
}

int lod_graph_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const lod_host *h = (const lod_host *)w->host_data;
	radix_clock clock;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));
	front f = {};
	int more = 1;

	*ns = 0;
	if (e == cudaSuccess &&
		lsched_stream_open(d->ctx, &f.list, sizeof(uint32_t), h->nodes) != LSCHED_OK) {
		(void)radix_clock_close(&clock, e, "lod by a graph", why, n);
		snprintf(why, n, "lod by a graph: %s", lsched_last_error(d->ctx));
		return -1;
	}
	if (e == cudaSuccess)
		e = cudaMalloc(&f.state, sizeof(*f.state));
	while (e == cudaSuccess && more > 0) {
		e = simplify_once(&h->ctx, &f, &clock, ns);
		more = e == cudaSuccess ? w->again(w, d, why, n) : 0;
	}
	cudaFree(f.state);
	lsched_stream_close(d->ctx, &f.list);
	return radix_clock_close(&clock, e, "lod by a graph", why, n) ? -1 : more;
}
