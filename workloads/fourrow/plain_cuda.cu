/* The tree of N moves without libsched: a kernel for each of the first plies makes the positions,
 * a lane values the subtree of each of them, and a kernel for each ply passes values up. */
#include "workloads/common/radix.cuh"
#include "workloads/fourrow/host.h"
#include "workloads/fourrow/subtree.h"

enum { SPLIT = 6, THREADS = 128 }; /* up to 9^6 subtrees */

/* Positions of one ply: child k of position i is i x width + k. 0: there is none. */
typedef struct level {
	uint64_t *position;
	int32_t *value;
	uint32_t count;
} level;

static __global__ void expand_kernel(fr_board b, level from, level to)
{
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x, parent = i / b.width;
	fr_position p;
	uint64_t cell;

	if (i >= to.count)
		return;
	to.position[i] = 0;
	if (!from.position[parent])
		return;
	p = fr_unpack(&b, from.position[parent]);
	cell = fr_playable(&b, p.both) & fr_column(&b, i % b.width);
	if (cell && !fr_ends(&b, p))
		to.position[i] = fr_pack(&b, fr_play(p, cell));
}

static __global__ void subtree_kernel(
	fr_board b, level at, uint32_t plies, unsigned long long *visited)
{
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
	uint64_t mine = 0;

	if (i < at.count && at.position[i])
		at.value[i] = fr_subtree_of(&b, fr_unpack(&b, at.position[i]), plies, &mine);
	for (uint32_t k = 16; k; k /= 2)
		mine += __shfl_down_sync(0xffffffffu, mine, k);
	if (threadIdx.x % 32 == 0 && mine)
		atomicAdd(visited, (unsigned long long)mine);
}

static __global__ void reduce_kernel(fr_board b, level at, level below, unsigned long long *visited)
{
	const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
	fr_position p;
	int32_t best = -FR_WIN - 1;

	if (i >= at.count || !at.position[i])
		return;
	atomicAdd(visited, 1ull);
	p = fr_unpack(&b, at.position[i]);
	if (fr_ends(&b, p))
		best = fr_leaf(&b, p);
	for (uint32_t k = 0; k < b.width; k++) {
		const uint32_t child = i * b.width + k;

		if (below.position[child] && -below.value[child] > best)
			best = -below.value[child];
	}
	at.value[i] = best;
}

static uint32_t blocks(uint32_t n)
{
	return (n + THREADS - 1) / THREADS;
}

/* Enqueues everything. */
static void run(const fr_ctx *c, const level *l, uint32_t split, unsigned long long *visited)
{
	for (uint32_t k = 1; k <= split; k++)
		expand_kernel<<<blocks(l[k].count), THREADS>>>(c->board, l[k - 1], l[k]);
	subtree_kernel<<<blocks(l[split].count), THREADS>>>(
		c->board, l[split], c->plies - split, visited);
	for (uint32_t k = split; k--;)
		reduce_kernel<<<blocks(l[k].count), THREADS>>>(c->board, l[k], l[k + 1], visited);
}

int fr_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	fr_host *h = (fr_host *)w->host_data;
	const uint32_t split = h->ctx.plies < SPLIT ? h->ctx.plies : (uint32_t)SPLIT;
	unsigned long long *memory = NULL;
	level l[SPLIT + 1];
	radix_clock clock;
	size_t words = 1, at = 1;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));

	for (uint32_t k = 0; k <= split; k++) {
		l[k].count = k ? l[k - 1].count * h->ctx.board.width : 1;
		words += 2 * (size_t)l[k].count;
	}
	if (e == cudaSuccess)
		e = cudaMalloc(&memory, words * sizeof(*memory));
	for (uint32_t k = 0; k <= split; k++) {
		l[k].position = (uint64_t *)memory + at;
		l[k].value = (int32_t *)(memory + at + l[k].count);
		at += 2 * (size_t)l[k].count;
	}
	if (e == cudaSuccess)
		e = cudaMemset(memory, 0, sizeof(*memory));
	if (e == cudaSuccess)
		e = cudaMemcpy(
			l[0].position, &h->ctx.root, sizeof(uint64_t), cudaMemcpyHostToDevice);
	if (e == cudaSuccess)
		e = cudaEventRecord(clock.begin);
	if (e == cudaSuccess)
		run(&h->ctx, l, split, memory);
	e = radix_clock_read(&clock, e, ns);
	if (e == cudaSuccess)
		e = cudaMemcpy(&h->plain_sum, memory, sizeof(uint64_t), cudaMemcpyDeviceToHost);
	if (e == cudaSuccess)
		e = cudaMemcpy(
			&h->plain_value, l[0].value, sizeof(int32_t), cudaMemcpyDeviceToHost);
	cudaFree(memory);
	return radix_clock_close(&clock, e, "the tree", why, n);
}
