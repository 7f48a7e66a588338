/* What the threads of a block do together: atomic operations, unions and bounds. A warp here is the
 * lanes of lsched_lane(), so that a test can run the text with threads of one lane. Compiled for
 * CPU and GPU. */
#ifndef COLLIDE_BVH_GROUP_H
#define COLLIDE_BVH_GROUP_H

#include "collide/bvh/bins.h"
#include "collide/bvh/local.h"

/* Atomic operations on fast memory; none of them orders other accesses. */
#if LSCHED_I_GPU
#define BVH_NEAR_ADD(p, v) atomicAdd((p), (v))
#define BVH_NEAR_MAX(p, v) atomicMax((p), (v))
#else
#define BVH_NEAR_ADD(p, v) lsched_add((p), (v), rlx, blk)
#define BVH_NEAR_MAX(p, v) bvh_far_max((p), (v))
#endif

/* Instructions that combine the words of a warp's lanes. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define BVH_HAS_REDUCE 1
#else
#define BVH_HAS_REDUCE 0
#endif

/* Replaces a word in memory of the device by the maximum. */
LSCHED_TASK_FN void bvh_far_max(uint32_t *p, uint32_t v)
{
#if LSCHED_I_GPU
	(void)atomicMax(p, v);
#else
	uint32_t old = lsched_ld(p, rlx, dev);

	while (old < v && !lsched_cas(p, &old, v, rlx, dev))
		;
#endif
}

LSCHED_TASK_FN uint32_t bvh_warp(lsched_range_items *x)
{
	return lsched_thread(x) / LSCHED_LANES;
}

LSCHED_TASK_FN uint32_t bvh_warps(lsched_range_items *x)
{
	return lsched_threads(x) / LSCHED_LANES;
}

/* The union over each `lanes` neighbouring lanes, in all of them. All lanes of a warp. */
LSCHED_TASK_FN void bvh_lanes_union(uint32_t w[3], uint32_t lanes)
{
	for (uint32_t k = lanes / 2; k; k /= 2) {
		const uint32_t other[3] = { lsched_i_shfl_xor(w[0], k), lsched_i_shfl_xor(w[1], k),
			lsched_i_shfl_xor(w[2], k) };

		bvh_extend(w, other);
	}
}

/* The largest of the lanes' values, in all of them. */
LSCHED_TASK_FN uint32_t bvh_warp_most(uint32_t v)
{
#if BVH_HAS_REDUCE
	v = __reduce_max_sync(~0u, v);
#else
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2) {
		const uint32_t other = lsched_i_shfl_xor(v, k);

		v = other > v ? other : v;
	}
#endif
	return v;
}

/* The union over the lanes of a warp, in all of them. The maximum of whole words has the upper
 * half. */
LSCHED_TASK_FN void bvh_warp_union(uint32_t w[3])
{
#if BVH_HAS_REDUCE
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		w[k] = (bvh_warp_most(w[k]) & 0xffff0000u) | bvh_warp_most(w[k] & 0xffffu);
#else
	bvh_lanes_union(w, LSCHED_LANES);
#endif
}

/* The sum of the lanes' values, in all of them. */
LSCHED_TASK_FN uint32_t bvh_warp_sum(uint32_t v)
{
#if BVH_HAS_REDUCE
	v = __reduce_add_sync(~0u, v);
#else
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2)
		v += lsched_i_shfl_xor(v, k);
#endif
	return v;
}

/* The least of the lanes' values, in all of them. */
LSCHED_TASK_FN uint64_t bvh_warp_least(uint64_t v)
{
	const uint32_t high = ~bvh_warp_most(~(uint32_t)(v >> 32));
	const uint32_t low = v >> 32 == high ? (uint32_t)v : ~0u;

	return (uint64_t)high << 32 | ~bvh_warp_most(~low);
}

/* The lanes below this one. */
LSCHED_TASK_FN lsched_lane_mask bvh_below(void)
{
	return ((lsched_lane_mask)1 << lsched_lane()) - 1u;
}

/* The lowest lane of a mask that is not empty. */
LSCHED_TASK_FN uint32_t bvh_lowest(lsched_lane_mask mask)
{
	return lsched_popcount((mask & (0 - mask)) - 1u);
}

/* Warps of a block that prepare one of its subtrees. */
typedef struct bvh_squad {
	uint32_t tree; /* `trees`: none */
	uint32_t warp, warps;
} bvh_squad;

/* A block has a warp at least for each subtree. */
LSCHED_TASK_FN bvh_squad bvh_squad_of(lsched_range_items *x, uint32_t trees)
{
	const uint32_t warps = bvh_warps(x) / trees, at = bvh_warp(x) / warps;
	const uint32_t tree = at < trees ? at : trees;
	const bvh_squad squad = { tree, tree * warps, warps };

	return squad;
}

/* The bounds over all threads of a squad, in each of them. All threads of the item. */
LSCHED_TASK_FN void bvh_squad_bounds(
	lsched_range_items *x, bvh_local *l, const bvh_squad *squad, bvh_bounds *b)
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		b->key[k] = bvh_warp_most(b->key[k]);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		if (lsched_lane() == 0)
			l->bounds[bvh_warp(x)].key[k] = b->key[k];
	lsched_sync_item(x);
	for (uint32_t j = 0; j < squad->warps; j++) {
		const uint32_t warp = squad->warp + j < bvh_warps(x) ? squad->warp + j : 0;

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 6; k++) {
			const uint32_t other = l->bounds[warp].key[k];

			b->key[k] = other > b->key[k] ? other : b->key[k];
		}
	}
}

/* The same of all threads of the item. */
LSCHED_TASK_FN void bvh_block_bounds(lsched_range_items *x, bvh_local *l, bvh_bounds *b)
{
	const bvh_squad all = { 0, 0, bvh_warps(x) };

	bvh_squad_bounds(x, l, &all, b);
}

#endif
