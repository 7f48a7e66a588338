/* What the threads of a block do together: bins of ranges, bounds, the choice of a plane, and
 * places for a split. A warp here is the lanes of lsched_lane(), so that a test can run the text
 * with threads of one lane. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_GROUP_H
#define COLLIDE_BVH_GROUP_H

#include "collide/bvh/bins.h"
#include "collide/bvh/local.h"

/* Atomic operations on fast memory; none of them orders other accesses. */
#if LSCHED_I_GPU
#define BVH_NEAR_ADD(p, v) atomicAdd((p), (v))
#else
#define BVH_NEAR_ADD(p, v) lsched_add((p), (v), rlx, blk)
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

/* Adds a bin of a tile to that of the range. */
LSCHED_TASK_FN void bvh_far_bin(bvh_sum *to, const bvh_bin *bin)
{
	if (bin->count == 0)
		return;
	(void)lsched_add(&to->count, bin->count, rlx, dev);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		bvh_far_max(&to->half[2 * k], bin->word[k] & 0xffffu);
		bvh_far_max(&to->half[2 * k + 1], bin->word[k] >> 16);
	}
}

LSCHED_TASK_FN bvh_bin bvh_far_load(bvh_sum *from)
{
	bvh_bin b;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		b.word[k] = lsched_ld(&from->half[2 * k], rlx, dev) |
			    lsched_ld(&from->half[2 * k + 1], rlx, dev) << 16;
	b.count = lsched_ld(&from->count, rlx, dev);
	return b;
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

/* The largest of the lanes' values, in all of them. */
LSCHED_TASK_FN uint32_t bvh_warp_most(uint32_t v)
{
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2) {
		const uint32_t other = lsched_i_shfl_xor(v, k);

		v = other > v ? other : v;
	}
	return v;
}

/* The lanes below this one. */
LSCHED_TASK_FN lsched_lane_mask bvh_below(void)
{
	return ((lsched_lane_mask)1 << lsched_lane()) - 1u;
}

LSCHED_TASK_FN void bvh_factors(const bvh_places *p, uint32_t sides, uint32_t factor[2][3])
{
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		factor[0][axis] = bvh_factor(p[0].size[axis]);
		factor[1][axis] = sides > 1 ? bvh_factor(p[1].size[axis]) : factor[0][axis];
	}
}

/* The best plane of 48 bins, BVH_NONE: none. All lanes of a warp. */
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

/* Adds the centre of a record to bounds. */
LSCHED_FN void bvh_add_point(uint32_t w[3], const bvh_record *r)
{
	uint32_t point[3];

	bvh_point(point, r->word);
	bvh_extend(w, point);
}

/* The bounds of the centres of n records in fast memory; w: of all, in each thread of the item. */
LSCHED_TASK_FN void bvh_block_points(
	lsched_range_items *x, bvh_local *l, const bvh_record *record, uint32_t n, uint32_t w[3])
{
	w[0] = w[1] = w[2] = 0;
	for (uint32_t k = lsched_thread(x); k < n; k += lsched_threads(x))
		bvh_add_point(w, &record[k]);
	bvh_warp_union(w);
	if (lsched_lane() == 0)
		for (uint32_t k = 0; k < 3; k++)
			l->warp[bvh_warp(x)].split.point[k] = w[k];
	lsched_sync_item(x);
	for (uint32_t j = 0; j < bvh_warps(x); j++)
		bvh_extend(w, l->warp[j].split.point);
}

/* The places in bounds of centres; those of the numbers are not known. */
LSCHED_FN bvh_places bvh_places_of(const uint32_t w[3])
{
	bvh_places p;

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		p.base[axis] = bvh_lo(w, axis);
		p.size[axis] = bvh_hi(w, axis) - p.base[axis] + 1;
	}
	p.base[BVH_NUMBER] = p.size[BVH_NUMBER] = 0;
	return p;
}

/* The plane of n records between the least and the largest number: all centres are equal. All
 * lanes of a warp. */
LSCHED_TASK_FN bvh_split bvh_warp_number_split(const bvh_record *record, uint32_t n)
{
	uint32_t least = ~0u, most = 0;
	bvh_places p;

	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		least = record[k].number < least ? record[k].number : least;
		most = record[k].number > most ? record[k].number : most;
	}
	least = ~bvh_warp_most(~least);
	most = bvh_warp_most(most);
	p.base[BVH_NUMBER] = least;
	p.size[BVH_NUMBER] = most - least + 1;
	return bvh_number_split(&p);
}

/* The bounds over all threads of the item, in each of them. */
LSCHED_TASK_FN void bvh_block_bounds(lsched_range_items *x, bvh_local *l, bvh_bounds *b)
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		b->key[k] = bvh_warp_most(b->key[k]);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		if (lsched_lane() == 0)
			l->warp[bvh_warp(x)].key[k] = b->key[k];
	lsched_sync_item(x);
	for (uint32_t j = 0; j < bvh_warps(x); j++) {
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 6; k++) {
			const uint32_t other = l->warp[j].key[k];

			b->key[k] = other > b->key[k] ? other : b->key[k];
		}
	}
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
