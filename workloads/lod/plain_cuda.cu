/* The simplification without libsched, by kernels: for each level one that counts what its nodes
 * make, a scan, and one that lists it; at the end kernels for vertices and for triangles, whose
 * places another scan finds. The host reads the sizes of a level to launch the next one. */
#include "workloads/common/radix.cuh"
#include "workloads/lod/host.h"

enum { THREADS = 128 };

typedef struct lists {
	uint32_t *active;         /* expanded nodes, level by level */
	uint32_t *border;         /* nodes that collapse */
	uint32_t *count;          /* of a level: expanded children, then other ones */
	uint32_t *sum;            /* of the scan */
	volatile uint32_t *sizes; /* of the host: nodes of the next level, of the border */
} lists;

static __global__ void count_kernel(lod_ctx c, lists l, uint32_t begin, uint32_t m)
{
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;

	if (i < m) {
		const lod_node n = c.node[l.active[begin + i]];
		const uint32_t expanded = __popc(lod_expanded_children(&c, &n));

		l.count[i] = expanded + (n.more != 0);
		l.count[m + i] = lod_children(&n) - expanded;
	}
}

/* After the scan of 2 m counters; `border`: nodes that levels before have listed. */
static __global__ void list_kernel(lod_ctx c, lists l, uint32_t begin, uint32_t m, uint32_t border)
{
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;

	if (i < m) {
		const lod_node n = c.node[l.active[begin + i]];
		const uint32_t expanded = lod_expanded_children(&c, &n);
		const uint32_t end = n.child + lod_children(&n);
		uint32_t active = begin + m + l.count[i], child = n.child;

		border += l.count[m + i] - l.count[m];
		for (; child < end; child++)
			if (expanded >> (child - n.child) & 1u)
				l.active[active++] = child;
			else
				l.border[border++] = child;
		if (n.more)
			l.active[active++] = n.more;
		if (i == m - 1) {
			l.sizes[0] = active - begin - m;
			l.sizes[1] = border;
		}
	}
}

static __global__ void vertex_kernel(lod_ctx c, lists l, uint32_t border)
{
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;

	if (i == 0)
		c.vertices.any.state->count = border;
	if (i < border && i < c.vertices.any.capacity)
		lod_vertices_elements(&c.vertices)[i] = c.vertex[l.border[i]];
}

static __global__ void count_triangles_kernel(lod_ctx c, lists l, uint32_t m)
{
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;

	if (i < m)
		l.count[i] = lod_triangles_of(c.node[l.active[i]].info);
}

static __global__ void triangle_kernel(lod_ctx c, lists l, uint32_t m)
{
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;

	if (i < m) {
		const lod_node n = c.node[l.active[i]];
		const uint32_t end = l.count[i] + lod_triangles_of(n.info);

		if (end <= c.triangles.any.capacity)
			lod_write_triangles(&c, &n, lod_expanded_children(&c, &n),
				lod_triangles_elements(&c.triangles) + l.count[i]);
		if (i == m - 1)
			c.triangles.any.state->count = end;
	}
}

static uint32_t blocks(uint32_t threads)
{
	return threads / THREADS + 1;
}

/* Both lists begin with the root. */
static cudaError_t simplify(const lod_ctx *c, const lists *l, uint32_t root_expanded)
{
	uint32_t begin = 0, m = root_expanded, border = !root_expanded;
	cudaError_t e = cudaSuccess;

	while (m && e == cudaSuccess) {
		count_kernel<<<blocks(m), THREADS>>>(*c, *l, begin, m);
		radix_scan(l->count, 2 * (size_t)m, l->sum, 0);
		list_kernel<<<blocks(m), THREADS>>>(*c, *l, begin, m, border);
		e = cudaGetLastError();
		e = e == cudaSuccess ? cudaStreamSynchronize(0) : e;
		begin += m;
		m = l->sizes[0];
		border = l->sizes[1];
	}
	if (e != cudaSuccess)
		return e;
	vertex_kernel<<<blocks(border), THREADS>>>(*c, *l, border);
	if (begin) {
		count_triangles_kernel<<<blocks(begin), THREADS>>>(*c, *l, begin);
		radix_scan(l->count, begin, l->sum, 0);
		triangle_kernel<<<blocks(begin), THREADS>>>(*c, *l, begin);
	}
	return cudaGetLastError();
}

static cudaError_t simplify_once(const lod_host *h, radix_clock *clock, uint64_t *ns)
{
	const size_t nodes = h->nodes, sums = 2 * nodes / RADIX_CHUNK + 1;
	const lod_ctx c = h->ctx;
	uint32_t *memory = NULL, *sizes = NULL;
	cudaError_t e = cudaMalloc(&memory, (4 * nodes + sums) * sizeof(*memory));

	if (e == cudaSuccess)
		e = cudaMallocHost(&sizes, 2 * sizeof(*sizes));
	if (e == cudaSuccess)
		e = cudaMemset(memory, 0, 2 * nodes * sizeof(*memory));
	if (e == cudaSuccess)
		e = cudaMemset(c.triangles.any.state, 0, sizeof(lsched_stream_state));
	if (e == cudaSuccess)
		e = cudaEventRecord(clock->begin);
	if (e == cudaSuccess) {
		const lists l = { memory, memory + nodes, memory + 2 * nodes, memory + 4 * nodes,
			sizes };

		e = simplify(&c, &l, lod_expanded(&c, h->node->at, lod_level(h->node->info)));
	}
	e = radix_clock_read(clock, e, ns);
	cudaFreeHost(sizes);
	cudaFree(memory);
	return e;
}

int lod_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	radix_clock clock;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));
	int more = 1;

	*ns = 0;
	while (e == cudaSuccess && more > 0) {
		e = simplify_once((const lod_host *)w->host_data, &clock, ns);
		more = e == cudaSuccess ? w->again(w, d, why, n) : 0;
	}
	return radix_clock_close(&clock, e, "lod", why, n) ? -1 : more;
}
