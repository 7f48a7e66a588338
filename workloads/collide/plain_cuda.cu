/* The pairs without libsched, as kernels: a thread for each leaf of one tree, in the order of the
 * curve, walks the other tree with a stack. A warp whose lanes find pairs at the same time appends
 * them by one addition. */
#include "workloads/common/radix.cuh"
#include "workloads/collide/host.h"

/* A walk leaves at most one node for each level. */
enum { THREADS = 128, STACK = 128 };

/* A pair's place in the output, for all lanes that come here together. */
static __device__ unsigned long long place_of(unsigned long long *count)
{
	const unsigned lanes = __activemask(), lane = threadIdx.x % 32;
	const int leader = __ffs(lanes) - 1;
	unsigned long long first = 0;

	if (lane == (unsigned)leader)
		first = atomicAdd(count, (unsigned long long)__popc(lanes));
	return __shfl_sync(lanes, first, leader) + __popc(lanes & ((1u << lane) - 1));
}

static __device__ void append(const col_pairs *out, uint32_t a, uint32_t b)
{
	const col_pair p = { a, b };
	const unsigned long long at = place_of((unsigned long long *)&out->any.state->count);

	if (at < out->any.capacity)
		col_pairs_elements(out)[at] = p;
}

/* With self collision a leaf is paired with those behind it only. The number of an inner node is
 * the last leaf on the left of its split, except for the root, which is 0, and the node that has
 * the root's number instead (tree.c). */
static __device__ int skips_left(uint32_t leaf, uint32_t node, uint32_t exchanged)
{
	return node != 0 && node != exchanged && leaf >= node;
}

static __global__ void __launch_bounds__(THREADS)
	query_kernel(col_tree s, col_tree t, col_pairs out, uint32_t self, uint32_t exchanged)
{
	const uint32_t leaf = blockIdx.x * THREADS + threadIdx.x;
	uint32_t stack[STACK], depth = 0;
	col_corners corners;
	col_box box;

	if (leaf >= s.leaves)
		return;
	box = s.leaf_node[leaf].box[0];
	corners = s.corners[leaf];
	stack[depth++] = col_root_name(&t);
	while (depth) {
		const uint32_t name = stack[--depth];
		const col_node node = *col_node_of(&t, name);

#pragma unroll
		for (int k = 1; k >= 0; k--) {
			const uint32_t child = node.child[k];
			col_corners other;

			if (!col_overlap(&box, &node.box[k], 0))
				continue;
			if (!(child & COL_LEAF)) {
				if (k == 1 || !self || !skips_left(leaf, name, exchanged))
					stack[depth++] = child;
				continue;
			}
			if (self && (child & ~COL_LEAF) <= leaf)
				continue;
			other = t.corners[child & ~COL_LEAF];
			if (!col_adjacent(&corners, &other, 0)) {
				const uint32_t a = corners.primitive, b = other.primitive;

				append(&out, self && a > b ? b : a, self && a > b ? a : b);
			}
		}
	}
}

/* The last leaf on the left of the root's split. */
static uint32_t exchanged_number(const col_host_tree *t, uint32_t leaves)
{
	uint32_t name = COL_LEAF;

	if (leaves > 1)
		name = t->node[0].child[0];
	while (!(name & COL_LEAF))
		name = t->node[name].child[1];
	return name & ~COL_LEAF;
}

static cudaError_t query_once(const collide *c, radix_clock *clock, uint64_t *ns)
{
	cudaError_t e = cudaSuccess;

	for (int i = 0; e == cudaSuccess && i < c->kinds; i++)
		e = cudaMemset(c->ctx.out[c->kind[i]].any.state, 0, sizeof(lsched_stream_state));
	if (e == cudaSuccess)
		e = cudaEventRecord(clock->begin);
	for (int i = 0; e == cudaSuccess && i < c->kinds; i++) {
		const int kind = c->kind[i];
		const col_tree s = c->ctx.tree[kind][0], t = c->ctx.tree[kind][1];

		if (s.leaves && t.leaves)
			query_kernel<<<(s.leaves + THREADS - 1) / THREADS, THREADS>>>(s, t,
				c->ctx.out[kind], c->ctx.self >> kind & 1u,
				exchanged_number(&c->tree[collide_i_prims_of[kind][1]], t.leaves));
	}
	return radix_clock_read(clock, e, ns);
}

int col_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const collide *c = (const collide *)w->host_data;
	radix_clock clock;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));
	int more = 1;

	*ns = 0;
	while (e == cudaSuccess && more > 0) {
		e = query_once(c, &clock, ns);
		more = e == cudaSuccess ? w->again(w, d, why, n) : 0;
	}
	return radix_clock_close(&clock, e, "pairs", why, n) ? -1 : more;
}
