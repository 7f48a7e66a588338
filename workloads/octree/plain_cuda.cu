/* The octree without libsched: radix sort of the codes, then a kernel for each level, with a thread
 * for each inner cell. */
#include "workloads/common/radix.cuh"
#include "workloads/octree/host.h"

/* Inner cells of a level. */
typedef struct front {
	uint32_t *cell, *count;
} front;

static __global__ void name_kernel(uint32_t *name, uint32_t n)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		name[i] = i;
}

static __global__ void root_kernel(oct_ctx c, front to)
{
	const oct_cell root = { 0, 0, c.n, OCT_NONE, OCT_NONE, 0, 0 };

	c.cell[0] = root;
	*c.cells = 1;
	to.cell[0] = 0;
	*to.count = !oct_is_leaf(&c, c.n, 0);
}

/* The first particle of begin .. end - 1 in an octant of at least `octant`. */
static __device__ uint32_t search(
	const uint64_t *code, uint32_t begin, uint32_t end, uint32_t level, uint32_t octant)
{
	while (begin < end) {
		const uint32_t middle = begin + (end - begin) / 2;

		if (oct_octant(code[middle], level) < octant)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static __device__ void split(const oct_ctx *c, uint32_t cell, const front *to)
{
	const uint64_t *code = c->code[OCT_OUTPUT];
	const oct_cell p = c->cell[cell];
	const uint32_t end = p.first + p.count;
	uint32_t bounds[9], octants = 0, child;

	bounds[0] = p.first;
	bounds[8] = end;
#pragma unroll
	for (uint32_t k = 1; k < 8; k++)
		bounds[k] = search(code, bounds[k - 1], end, p.level, k);
#pragma unroll
	for (uint32_t k = 0; k < 8; k++)
		octants |= (uint32_t)(bounds[k] != bounds[k + 1]) << k;
	child = atomicAdd(c->cells, __popc(octants));
	c->cell[cell].child = child;
	c->cell[cell].octants = octants;
#pragma unroll
	for (uint32_t k = 0; k < 8; k++) {
		const uint32_t count = bounds[k + 1] - bounds[k];

		if (count == 0)
			continue;
		if (child < c->room) {
			const oct_cell v = { code[bounds[k]] & ~oct_below(p.level + 1), bounds[k],
				count, OCT_NONE, cell, p.level + 1, 0 };

			c->cell[child] = v;
			if (!oct_is_leaf(c, count, p.level + 1))
				to->cell[atomicAdd(to->count, 1u)] = child;
		}
		child++;
	}
}

static __global__ void level_kernel(oct_ctx c, front from, front to)
{
	const uint32_t count = *from.count;

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x)
		split(&c, from.cell[i], &to);
}

/* Enqueues everything; `memory`: of the sort, then two fronts, then a count for each level. Cells
 * without room have no children, but `again` of the workload sees that there are more. */
static void build(const oct_ctx *c, uint32_t *memory, size_t words)
{
	enum { BLOCKS = 1024, THREADS = 128 };
	uint64_t *const code[2] = { c->code[OCT_OUTPUT], c->code[OCT_SECOND] };
	uint32_t *const name[2] = { c->name[OCT_OUTPUT], c->name[OCT_SECOND] };
	uint32_t *counts = memory + words + 2 * (size_t)c->room;
	front f[2];

	for (int k = 0; k < 2; k++) {
		f[k].cell = memory + words + (size_t)k * c->room;
		f[k].count = counts + k;
	}
	name_kernel<<<BLOCKS, THREADS>>>(c->name[OCT_OUTPUT], c->n);
	radix_sort<uint64_t>(code, name, c->n, 64, memory, 0);
	root_kernel<<<1, 1>>>(*c, f[0]);
	for (uint32_t level = 0; level < OCT_LEVELS; level++) {
		front from = f[level % 2], to = f[(level + 1) % 2];

		from.count = counts + level;
		to.count = counts + level + 1;
		level_kernel<<<BLOCKS, THREADS>>>(*c, from, to);
	}
}

static cudaError_t build_once(const oct_ctx *c, radix_clock *clock, uint64_t *ns)
{
	const size_t words = radix_scratch_words<uint64_t>(c->n);
	const size_t bytes = (words + 2 * (size_t)c->room + OCT_LEVELS + 1) * sizeof(uint32_t);
	uint32_t *memory = NULL;
	cudaError_t e = cudaMalloc(&memory, bytes);

	if (e == cudaSuccess)
		e = cudaMemset(memory, 0, bytes);
	if (e == cudaSuccess)
		e = cudaEventRecord(clock->begin);
	if (e == cudaSuccess)
		e = cudaMemcpyAsync(c->code[OCT_OUTPUT], c->code[OCT_INPUT],
			c->n * sizeof(uint64_t), cudaMemcpyDeviceToDevice);
	if (e == cudaSuccess)
		build(c, memory, words);
	e = radix_clock_read(clock, e, ns);
	cudaFree(memory);
	return e;
}

int oct_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const oct_host *h = (const oct_host *)w->host_data;
	radix_clock clock;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));
	int more = 0;

	*ns = 0;
	while (e == cudaSuccess && h->ctx.n) {
		e = build_once(&h->ctx, &clock, ns);
		more = e == cudaSuccess ? w->again(w, d, why, n) : 0;
		if (more <= 0)
			break;
	}
	return radix_clock_close(&clock, e, "octree", why, n) ? -1 : more;
}
