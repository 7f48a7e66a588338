/* What the threads of a block do together: bins in fast memory, bounds, the choice of a plane, and
 * places for a split. A warp here is the lanes of lsched_lane(), so that a test can run the text
 * with threads of one lane. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_GROUP_H
#define COLLIDE_BVH_GROUP_H

#include "collide/bvh/bins.h"
#include "collide/bvh/local.h"

/* Atomic operations on fast memory; none of them orders other accesses. */
#if LSCHED_I_GPU
#define BVH_NEAR_LD(p)     (*(const volatile uint32_t *)(p))
#define BVH_NEAR_ADD(p, v) atomicAdd((p), (v))
/* Returns the old value. */
#define BVH_NEAR_CAS(p, old, v) atomicCAS((p), (old), (v))
#else
#define BVH_NEAR_LD(p)          lsched_ld((p), rlx, blk)
#define BVH_NEAR_ADD(p, v)      lsched_add((p), (v), rlx, blk)
static inline uint32_t bvh_near_cas(uint32_t *p, uint32_t old, uint32_t v)
{
	(void)lsched_cas(p, &old, v, rlx, blk);
	return old;
}
#define BVH_NEAR_CAS(p, old, v) bvh_near_cas((p), (old), (v))
#endif

/* Replace a word by the maximum, of both halves: in fast memory, in memory of the device. Most
 * values change nothing, so that they are read first. */
LSCHED_TASK_FN void bvh_near_max2(uint32_t *p, uint32_t v)
{
	uint32_t old = BVH_NEAR_LD(p);

	for (;;) {
		const uint32_t most = bvh_max2(old, v), seen = old;

		if (most == old)
			return;
		old = BVH_NEAR_CAS(p, seen, most);
		if (old == seen)
			return;
	}
}

LSCHED_TASK_FN void bvh_far_max2(uint32_t *p, uint32_t v)
{
	uint32_t old = lsched_ld(p, rlx, dev);

	for (;;) {
		const uint32_t most = bvh_max2(old, v);

		if (most == old || lsched_cas(p, &old, most, rlx, dev))
			return;
	}
}

LSCHED_TASK_FN void bvh_far_max(uint32_t *p, uint32_t v)
{
	uint32_t old = lsched_ld(p, rlx, dev);

	while (old < v && !lsched_cas(p, &old, v, rlx, dev))
		;
}

/* Adds bins of a tile to those of the range. */
LSCHED_TASK_FN void bvh_far_bin(bvh_bin *to, const bvh_bin *bin)
{
	if (bin->count == 0)
		return;
	(void)lsched_add(&to->count, bin->count, rlx, dev);
	for (uint32_t k = 0; k < 3; k++)
		bvh_far_max2(&to->word[k], bin->word[k]);
}

LSCHED_TASK_FN uint32_t bvh_warp(lsched_range_items *x)
{
	return lsched_thread(x) / LSCHED_LANES;
}

LSCHED_TASK_FN uint32_t bvh_warps(lsched_range_items *x)
{
	return lsched_threads(x) / LSCHED_LANES;
}

/* The union over the lanes of a warp, in all of them. */
LSCHED_TASK_FN void bvh_warp_union(uint32_t w[3])
{
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2) {
		const uint32_t other[3] = { lsched_i_shfl_xor(w[0], k), lsched_i_shfl_xor(w[1], k),
			lsched_i_shfl_xor(w[2], k) };

		bvh_extend(w, other);
	}
}

/* The lanes below this one. */
LSCHED_TASK_FN lsched_lane_mask bvh_below(void)
{
	return ((lsched_lane_mask)1 << lsched_lane()) - 1u;
}

/* Adds a record of each active lane to a bin of one axis, number key % 16; key / 16: 1 for the
 * second side, whose bins follow. All lanes call it. Neighbouring records are often in the same
 * bin: then the warp adds their union once. Otherwise the first lane of each bin adds the number of
 * lanes. */
LSCHED_TASK_FN void bvh_bins_add(
	bvh_bin *bin, uint32_t key, uint32_t bits, const bvh_record *r, int active)
{
	const uint32_t slot = key / BVH_BINS * BVH_ALL_BINS + key % BVH_BINS;
	const lsched_lane_mask all = lsched_ballot(active);
	lsched_lane_mask same = all;
	uint32_t first;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < bits; k++) {
		const lsched_lane_mask ones = lsched_ballot((int)(key >> k & 1u));

		same &= key >> k & 1u ? ones : ~ones;
	}
	first = same ? lsched_i_lowest_bit(same) : 0;
	if (lsched_ballot(active && same != all) == 0) {
		uint32_t w[3] = { active ? r->word[0] : 0, active ? r->word[1] : 0,
			active ? r->word[2] : 0 };

		bvh_warp_union(w);
		if (active && first == lsched_lane()) {
			(void)BVH_NEAR_ADD(&bin[slot].count, lsched_popcount(all));
			for (uint32_t k = 0; k < 3; k++)
				bvh_near_max2(&bin[slot].word[k], w[k]);
		}
	} else if (active) {
		if (first == lsched_lane())
			(void)BVH_NEAR_ADD(&bin[slot].count, lsched_popcount(same));
		for (uint32_t k = 0; k < 3; k++)
			bvh_near_max2(&bin[slot].word[k], r->word[k]);
	}
}

/* Adds a record of each active lane to the bins of three axes. `sides`: 2: of two splits, with
 * places p[side]. All lanes of a warp. */
LSCHED_TASK_FN void bvh_bins_add_axes(bvh_bin *bin, uint32_t sides, uint32_t side,
	const bvh_places *p, const uint32_t factor[2][3], const bvh_record *r, int active)
{
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const int second = sides > 1 && side;
		const uint32_t base = second ? p[1].base[axis] : p[0].base[axis];
		const uint32_t mul = second ? factor[1][axis] : factor[0][axis];
		const uint32_t place = active ? bvh_centre(r->word, axis) : base;
		const uint32_t b = bvh_bin_of(place, base, mul);

		bvh_bins_add(bin + axis * BVH_BINS, second ? BVH_BINS + b : b, sides > 1 ? 5 : 4, r,
			active);
	}
}

LSCHED_TASK_FN void bvh_factors(const bvh_places *p, uint32_t sides, uint32_t factor[2][3])
{
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		factor[0][axis] = bvh_factor(p[0].size[axis]);
		factor[1][axis] = sides > 1 ? bvh_factor(p[1].size[axis]) : factor[0][axis];
	}
}

LSCHED_TASK_FN void bvh_bins_clear(lsched_range_items *x, bvh_bin *bin, uint32_t n)
{
	const bvh_bin none = { { 0, 0, 0 }, 0 };

	for (uint32_t k = lsched_thread(x); k < n; k += lsched_threads(x))
		bin[k] = none;
}

/* The best plane of 48 bins, BVH_NONE: none. All threads of the item. */
LSCHED_TASK_FN uint32_t bvh_block_plane(
	lsched_range_items *x, lsched_group_room *room, const bvh_bin *bin, int even)
{
	uint64_t best = BVH_NO_COST, least;
	uint32_t id = BVH_NONE;

	for (uint32_t k = lsched_thread(x); k < BVH_ALL_BINS; k += lsched_threads(x)) {
		const uint64_t cost =
			k % BVH_BINS + 1 < BVH_BINS ? bvh_plane_cost(bin, k, even) : BVH_NO_COST;

		if (cost < best) {
			best = cost;
			id = k;
		}
	}
	least = lsched_group_min64(x, room, best);
	return lsched_group_min32(x, room, best == least ? id : BVH_NONE);
}

/* The same by the lanes of a warp. */
LSCHED_TASK_FN uint32_t bvh_warp_plane(const bvh_bin *bin, int even)
{
	uint64_t best = BVH_NO_COST;
	uint32_t id = BVH_NONE;

	for (uint32_t k = lsched_lane(); k < BVH_ALL_BINS; k += LSCHED_LANES) {
		const uint64_t cost =
			k % BVH_BINS + 1 < BVH_BINS ? bvh_plane_cost(bin, k, even) : BVH_NO_COST;

		if (cost < best) {
			best = cost;
			id = k;
		}
	}
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2) {
		const uint64_t cost = lsched_i_shfl_xor(best, k);
		const uint32_t other = lsched_i_shfl_xor(id, k);

		if (cost < best || (cost == best && other < id)) {
			best = cost;
			id = other;
		}
	}
	return id;
}

/* The bounds over all threads of the item, in each of them and in l->key. */
LSCHED_TASK_FN void bvh_block_bounds(lsched_range_items *x, bvh_local *l, bvh_bounds *b)
{
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < 6; k++) {
		const uint32_t most = lsched_group_max32(x, &l->group, b->key[k]);

		if (lsched_thread(x) == 0)
			l->key[k] = most;
	}
	lsched_sync_item(x);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		b->key[k] = l->key[k];
}

/* Part of a warp in n elements: its begin and end. */
LSCHED_TASK_FN void bvh_share(lsched_range_items *x, uint32_t n, uint32_t *begin, uint32_t *end)
{
	const uint32_t step = bvh_warps(x) * LSCHED_LANES;
	const uint32_t each = (n + step - 1) / step * LSCHED_LANES;

	*begin = bvh_warp(x) * each < n ? bvh_warp(x) * each : n;
	*end = n - *begin < each ? n : *begin + each;
}

/* Counts those of the warp's records that go left; record[begin] .. in fast memory. */
LSCHED_TASK_FN uint32_t bvh_count_left(
	const bvh_record *record, uint32_t begin, uint32_t end, bvh_split s)
{
	uint32_t left = 0;

	for (uint32_t at = begin; at < end; at += LSCHED_LANES) {
		const uint32_t k = at + lsched_lane();
		const int is_left = k < end && bvh_place(&record[k], s.axis) < s.at;

		left += lsched_popcount(lsched_ballot(is_left));
	}
	return left;
}

/* The places of the next left and right record of a warp. */
typedef struct bvh_cursor {
	uint32_t left, right;
} bvh_cursor;

/* Returns the place of this lane's record, and advances the cursor by those of all lanes. */
LSCHED_TASK_FN uint32_t bvh_cursor_next(bvh_cursor *at, int active, int is_left)
{
	const lsched_lane_mask all = lsched_ballot(active);
	const lsched_lane_mask left = lsched_ballot(active && is_left);
	const uint32_t place = is_left ? at->left + lsched_popcount(left & bvh_below())
				       : at->right + lsched_popcount(all & ~left & bvh_below());

	at->left += lsched_popcount(left);
	at->right += lsched_popcount(all & ~left);
	return place;
}

#endif
