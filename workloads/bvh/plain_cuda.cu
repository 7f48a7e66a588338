/* The tree without libsched: for each pass over large ranges a kernel over their tiles and one over
 * the ranges, which lists those that follow; then for each level of smaller ranges a kernel with a
 * block for each. The host reads how many there are between two levels. Oriented boxes follow when
 * the tree is complete: a thread for each leaf climbs, then a thread fits the box of each small
 * node, a block that of each large one. Blocks run the text of the tree's tasks, so that only the
 * scheduling differs, but that no block makes two subtrees at once; the boxes by kernels are
 * another method than that of obb_part.h and obb_upper.h. */
#include "collide/bvh/body.h"
#include "workloads/bvh/obb_axes.h"
#include "workloads/bvh/host.h"
#include "workloads/common/radix.cuh"

#include <string.h>

enum {
	PLAIN_WARPS = BVH_WARPS,
	PLAIN_THREADS = 32 * PLAIN_WARPS,
	PLAIN_FEW = 32 /* triangles of a node that one thread fits */
};

typedef struct tile_name {
	uint32_t open, tile;
} tile_name;

/* What there is to do in a level, appended by its kernels. */
typedef struct level {
	uint32_t opens, tiles, ranges, pad;
} level;

typedef struct lists {
	uint32_t *open; /* ranges that have tiles */
	tile_name *tile;
	lsched_range *range; /* of at most BVH_BLOCK primitives */
	level *count;
} lists;

/* The block as an item's threads. */
static __device__ void as_item(lsched_range_items *x, lsched_worker *w)
{
	w->pair = 1; /* barrier 1 */
	x->any.w = w;
	x->any.thread = threadIdx.x;
	x->any.threads = PLAIN_THREADS;
}

#define PLAIN_ITEM                                                   \
	extern __shared__ __align__(16) unsigned char plain_local[]; \
	bvh_local *const l = (bvh_local *)plain_local;               \
	lsched_worker worker;                                        \
	lsched_range_items item, *const x = &item;                   \
	as_item(x, &worker)

/* Lists an open range and its tiles. All threads. */
static __device__ void list_tiles(const bvh_ctx *c, lists to, uint32_t open, uint32_t *room)
{
	const uint32_t tiles = bvh_tiles(c->open[open].count, c->open[open].pass);

	if (threadIdx.x == 0) {
		to.open[atomicAdd(&to.count->opens, 1u)] = open;
		*room = atomicAdd(&to.count->tiles, tiles);
	}
	__syncthreads();
	for (uint32_t k = threadIdx.x; k < tiles; k += PLAIN_THREADS) {
		const tile_name name = { open, k };

		to.tile[*room + k] = name;
	}
	__syncthreads();
}

static __global__ void __launch_bounds__(PLAIN_THREADS, 2) begin_kernel(bvh_ctx c, lists to)
{
	__shared__ uint32_t room;
	const lsched_range all = { 0, c.n, bvh_info(0, 0), BVH_NONE };

	if (threadIdx.x == 0) {
		c.top->root = BVH_NONE;
		if (c.n > BVH_BLOCK) {
			bvh_open_framed(&c, all);
		} else if (c.n) {
			to.range[0] = all;
			to.count->ranges = 1;
		}
	}
	__syncthreads();
	if (c.n > BVH_BLOCK)
		list_tiles(&c, to, 0, &room);
}

static __global__ void __launch_bounds__(PLAIN_THREADS, 2) tiles_kernel(bvh_ctx c, lists from)
{
	PLAIN_ITEM;
	const tile_name name = from.tile[blockIdx.x];
	bvh_open *o = &c.open[name.open];
	const uint32_t room = bvh_tile_room(o->count, o->pass), begin = name.tile * room;

	bvh_pass(x, &c, l, o, o->first + begin, o->count - begin < room ? o->count - begin : room);
}

/* Lists the parts of a range whose records have moved, and opens the large ones. All threads. */
static __device__ void list_parts(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const bvh_open *o, lists to, uint32_t *room)
{
	const bvh_cut *cut = &c->cut[bvh_cells_at(o->first)];
	const uint32_t cuts = o->cuts;

	__syncthreads(); /* all have read *o */
	for (uint32_t k = threadIdx.x; k < cuts; k += PLAIN_THREADS) {
		const bvh_cut own = cut[k];

		bvh_open_cut(c, &own);
		if (own.range.count <= BVH_BLOCK)
			to.range[atomicAdd(&to.count->ranges, 1u)] = own.range;
	}
	__syncthreads();
	for (uint32_t k = 0; k < cuts; k++) {
		const lsched_range part = cut[k].range;

		if (part.count <= BVH_BLOCK)
			continue;
		bvh_reopen(x, c, l, part);
		list_tiles(c, to, part.first / BVH_SMALL, room);
	}
}

/* A block for each range whose tiles have made their pass. */
static __global__ void __launch_bounds__(PLAIN_THREADS, 2)
	follow_kernel(bvh_ctx c, lists from, lists to)
{
	__shared__ uint32_t room;
	PLAIN_ITEM;
	const uint32_t open = from.open[blockIdx.x];

	if (bvh_follow(x, &c, l, &c.open[open], 0))
		list_tiles(&c, to, open, &room);
	else
		list_parts(x, &c, l, &c.open[open], to, &room);
}

/* A block for each range of at most BVH_BLOCK primitives. */
static __global__ void __launch_bounds__(PLAIN_THREADS, 2)
	block_kernel(bvh_ctx c, lists from, lists to)
{
	__shared__ uint32_t room;
	PLAIN_ITEM;
	const lsched_range it = from.range[blockIdx.x];

	if (it.count > BVH_SMALL) {
		bvh_divide(x, &c, l, it);
		list_parts(x, &c, l, &c.open[it.first / BVH_SMALL], to, &room);
	} else {
		bvh_small_trees(x, &c, l, &it, 1);
	}
}

static __global__ void refit_kernel(bvh_ctx c)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < c.n;
		i += gridDim.x * blockDim.x)
		bvh_refit_leaf(&c, i);
}

static __global__ void __launch_bounds__(256) bounds_kernel(bvh_ctx c)
{
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < c.n;
		i += gridDim.x * blockDim.x)
		bvh_bounds_add(&b, &c.box[i]);
	for (uint32_t k = 0; k < 6; k++)
		bvh_far_max(&c.top->bounds.key[k], b.key[k]);
}

static __global__ void __launch_bounds__(256) sums_kernel(obb_ctx c)
{
	const obb_frame frame = obb_make_frame(&c);

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < c.tree.n;
		i += gridDim.x * blockDim.x)
		if (obb_is_leaf(&c, i)) {
			obb_leaf_sums(&c, &frame, i);
			obb_climb(&c, c.tree.leaf_up[i]);
		}
}

/* Large nodes are listed: *listed of them, in any order. */
static __global__ void __launch_bounds__(256)
	fit_kernel(obb_ctx c, uint32_t *list, uint32_t *listed)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < c.tree.n;
		i += gridDim.x * blockDim.x) {
		const obb_sums *s = &c.sums[obb_at(i)];

		if (!obb_is_leaf(&c, i))
			continue;
		obb_fit(&c, obb_at(i | BVH_LEAF));
		if (i && s->end - s->first <= PLAIN_FEW)
			obb_fit(&c, obb_at(i));
		else if (i)
			list[atomicAdd(listed, 1u)] = i;
	}
}

/* The extents of a node's triangles by all threads, in each of them. */
static __device__ obb_extent block_extent(lsched_range_items *x, const obb_ctx *c,
	lsched_group_room *room, const obb_sums *s, const int32_t axis[3][3])
{
	obb_extent e = obb_no_extent();

	for (uint32_t i = s->first + threadIdx.x; i < s->end; i += blockDim.x)
		obb_extend(&e, axis, &c->corners[i]);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		obb_set_key(&e, k, lsched_group_max32(x, room, obb_key(&e, k)));
	return e;
}

static __global__ void __launch_bounds__(PLAIN_THREADS)
	large_kernel(obb_ctx c, const uint32_t *list, const uint32_t *listed)
{
	__shared__ lsched_group_room room;
	lsched_worker worker;
	lsched_range_items item;

	as_item(&item, &worker);
	for (uint32_t k = blockIdx.x; k < *listed; k += gridDim.x) {
		const uint32_t at = obb_at(list[k]);
		const obb_sums *s = &c.sums[at];
		int32_t axis[3][3];
		obb_extent e;

		obb_axes(s, axis);
		e = block_extent(&item, &c, &room, s, axis);
		if (threadIdx.x == 0)
			c.box[at] = obb_finish(s->word, axis, e);
	}
}

/* Memory of the lists: two levels, of which one is read while the other is written. */
typedef struct plain {
	void *memory;
	lists list[2];
} plain;

static cudaError_t plain_open(plain *p, uint32_t n)
{
	/* tiles have 1,024 primitives at least, but the last one of each open range */
	const size_t opens = n / BVH_SMALL + 2, tiles = n / 1024 + 1 + opens;
	const size_t bytes = sizeof(level) + tiles * sizeof(tile_name) +
			     ((size_t)n + 2) * sizeof(lsched_range) + opens * sizeof(uint32_t);
	const size_t each = (bytes + 255) / 256 * 256;
	cudaError_t e = cudaMalloc(&p->memory, 2 * each);

	for (int k = 0; k < 2 && e == cudaSuccess; k++) {
		unsigned char *at = (unsigned char *)p->memory + k * each;

		p->list[k].count = (level *)at;
		p->list[k].range = (lsched_range *)(at + sizeof(level));
		p->list[k].tile = (tile_name *)(p->list[k].range + n + 2);
		p->list[k].open = (uint32_t *)(p->list[k].tile + tiles);
	}
	if (e == cudaSuccess)
		e = cudaMemset(p->memory, 0, 2 * each);
	return e;
}

/* Reads what a level has listed, and clears the counts of the level after it. */
static cudaError_t next_level(const plain *p, int now, level *v)
{
	cudaError_t e = cudaGetLastError();

	if (e == cudaSuccess)
		e = cudaMemcpy(v, p->list[now].count, sizeof(*v), cudaMemcpyDeviceToHost);
	if (e == cudaSuccess)
		e = cudaMemsetAsync(p->list[now ^ 1].count, 0, sizeof(level));
	return e;
}

static cudaError_t build(const bvh_ctx *c, const plain *p)
{
	const size_t bytes = sizeof(bvh_local);
	cudaError_t e;
	level v;

	begin_kernel<<<1, PLAIN_THREADS>>>(*c, p->list[0]);
	for (int now = 0;; now ^= 1) {
		const lists from = p->list[now], to = p->list[now ^ 1];

		e = next_level(p, now, &v);
		if (e != cudaSuccess || (v.opens == 0 && v.ranges == 0))
			return e;
		if (v.opens) {
			tiles_kernel<<<v.tiles, PLAIN_THREADS, bytes>>>(*c, from);
			follow_kernel<<<v.opens, PLAIN_THREADS, bytes>>>(*c, from, to);
		}
		if (v.ranges)
			block_kernel<<<v.ranges, PLAIN_THREADS, bytes>>>(*c, from, to);
	}
}

/* Boxes of a tree that is complete. The lists are free again. */
static cudaError_t fit_oriented(const obb_ctx *c, const plain *p)
{
	uint32_t *list = (uint32_t *)p->list[0].range, *listed = &p->list[0].count->ranges;
	cudaError_t e = cudaMemsetAsync(&c->tree.top->bounds, 0, sizeof(c->tree.top->bounds));

	if (e == cudaSuccess)
		e = cudaMemsetAsync(listed, 0, sizeof(*listed));
	if (e != cudaSuccess || c->tree.n == 0)
		return e;
	bounds_kernel<<<264, 256>>>(c->tree);
	sums_kernel<<<1024, 256>>>(*c);
	fit_kernel<<<1024, 256>>>(*c, list, listed);
	large_kernel<<<1024, PLAIN_THREADS>>>(*c, list, listed);
	return cudaGetLastError();
}

/* Kernels with more than 48 KiB of shared memory ask for it. */
static cudaError_t allow_memory(void)
{
	const void *const kernels[] = { (const void *)tiles_kernel, (const void *)follow_kernel,
		(const void *)block_kernel };
	cudaError_t e = cudaSuccess;

	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]) && e == cudaSuccess; k++)
		e = cudaFuncSetAttribute(kernels[k], cudaFuncAttributeMaxDynamicSharedMemorySize,
			(int)sizeof(bvh_local));
	return e;
}

int bvh_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const bvh_host *h = (const bvh_host *)w->host_data;
	const bvh_ctx *c = &h->ctx;
	radix_clock clock;
	plain p;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));

	memset(&p, 0, sizeof(p));
	*ns = 0;
	if (e == cudaSuccess)
		e = allow_memory();
	if (e == cudaSuccess)
		e = plain_open(&p, c->n);
	if (e == cudaSuccess)
		e = cudaEventRecord(clock.begin);
	if (e == cudaSuccess && c->phase == BVH_REFIT_ALL)
		refit_kernel<<<1024, 256>>>(*c);
	else if (e == cudaSuccess)
		e = build(c, &p);
	if (e == cudaSuccess && h->o.boxes == BVH_BOXES_OBB)
		e = fit_oriented(&h->obb, &p);
	e = radix_clock_read(&clock, e, ns);
	cudaFree(p.memory);
	return radix_clock_close(&clock, e, "bvh", why, n);
}
