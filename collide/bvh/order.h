/* The order of a subtree's records by the centres of each axis: sorted once by a warp, then divided
 * with the nodes. A lane has several entries in registers. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_ORDER_H
#define COLLIDE_BVH_ORDER_H

#include "collide/bvh/group.h"

/* A record in the order of an axis: its centre, then its place in the array. */
LSCHED_FN uint32_t bvh_order_entry(uint32_t centre, uint32_t at)
{
	return centre << 16 | at;
}

LSCHED_FN uint32_t bvh_entry_at(uint32_t entry)
{
	return entry & (BVH_ROOM - 1);
}

LSCHED_FN uint32_t bvh_entry_centre(uint32_t entry)
{
	return entry >> 16;
}

#if LSCHED_LANES > 1

enum { BVH_OWN_ENTRIES = BVH_SMALL / LSCHED_LANES, BVH_DIVIDED = 4 /* entries at once */ };

/* Four entries that are written at once. */
typedef struct bvh_entries4 {
	uint32_t entry[4];
} BVH_ALIGN16 bvh_entries4;

/* The lesser or the greater one of two. */
LSCHED_FN uint32_t bvh_lesser_if(int lesser, uint32_t a, uint32_t b)
{
	return lesser ? (a < b ? a : b) : (a > b ? a : b);
}

LSCHED_FN void bvh_exchange(uint32_t *a, uint32_t *b)
{
	const uint32_t lesser = *a < *b ? *a : *b, greater = *a < *b ? *b : *a;

	*a = lesser;
	*b = greater;
}

/* Exchanges entries of a lane at distances 2 * half - 1 - 2 * i (mirrored) or half; half divides
 * BVH_OWN_ENTRIES. */
LSCHED_FN void bvh_exchange_own(uint32_t e[BVH_OWN_ENTRIES], uint32_t half, int mirrored)
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < BVH_OWN_ENTRIES; k++) {
		/* Below BVH_OWN_ENTRIES anyway, which not every compiler finds out. */
		const uint32_t other =
			(k ^ (mirrored ? 2 * half - 1 : half)) & (BVH_OWN_ENTRIES - 1);

		if (k < other)
			bvh_exchange(&e[k], &e[other]);
	}
}

/* Merges of a lane's own entries, from those at distance `half` on. */
LSCHED_FN void bvh_merge_own(uint32_t e[BVH_OWN_ENTRIES])
{
	LSCHED_UNROLL
	for (uint32_t half = BVH_OWN_ENTRIES / 2; half; half /= 2)
		bvh_exchange_own(e, half, 0);
}

/* Sorts the entries of all lanes, lane after lane: a bitonic network whose merges begin with
 * mirrored distances, so that the lesser entry always comes first. */
LSCHED_TASK_FN void bvh_sort_entries(uint32_t e[BVH_OWN_ENTRIES])
{
	const uint32_t lane = lsched_lane();

	LSCHED_UNROLL
	for (uint32_t half = 1; half < BVH_OWN_ENTRIES; half *= 2) {
		bvh_exchange_own(e, half, 1);
		LSCHED_UNROLL
		for (uint32_t d = half / 2; d; d /= 2)
			bvh_exchange_own(e, d, 0);
	}
	LSCHED_NO_UNROLL
	for (uint32_t lanes = 2; lanes <= LSCHED_LANES; lanes *= 2) {
		int is_low = (lane & lanes / 2) == 0;

		LSCHED_UNROLL
		for (uint32_t k = 0; k < BVH_OWN_ENTRIES / 2; k++) {
			const uint32_t mirror = BVH_OWN_ENTRIES - 1 - k;
			const uint32_t a = lsched_i_shfl_xor(e[mirror], lanes - 1);
			const uint32_t b = lsched_i_shfl_xor(e[k], lanes - 1);

			e[k] = bvh_lesser_if(is_low, e[k], a);
			e[mirror] = bvh_lesser_if(is_low, e[mirror], b);
		}
		LSCHED_NO_UNROLL
		for (uint32_t d = lanes / 4; d; d /= 2) {
			is_low = (lane & d) == 0;
			LSCHED_UNROLL
			for (uint32_t k = 0; k < BVH_OWN_ENTRIES; k++)
				e[k] = bvh_lesser_if(is_low, e[k], lsched_i_shfl_xor(e[k], d));
		}
		bvh_merge_own(e);
	}
}

/* Sorts n records of the subtree at `begin` by an axis. All lanes of a warp. */
LSCHED_TASK_FN void bvh_order_axis(bvh_small *s, uint32_t begin, uint32_t n, uint32_t axis)
{
	uint32_t *to = &s->order[0][axis][begin + lsched_lane() * BVH_OWN_ENTRIES];
	uint32_t e[BVH_OWN_ENTRIES];

	LSCHED_UNROLL
	for (uint32_t i = 0; i < BVH_OWN_ENTRIES; i++) {
		const uint32_t k = i * LSCHED_LANES + lsched_lane();

		e[i] = k < n ? bvh_order_entry(s->centre[axis][begin + k], begin + k) : ~0u;
	}
	bvh_sort_entries(e);
	LSCHED_UNROLL
	for (uint32_t i = 0; i < BVH_OWN_ENTRIES; i += 4) {
		const bvh_entries4 four = { { e[i], e[i + 1], e[i + 2], e[i + 3] } };

		*(bvh_entries4 *)&to[i] = four;
	}
}

/* Sorts a word of each lane, for three axes at once. */
LSCHED_TASK_FN void bvh_sort_lanes(uint32_t word[3])
{
	const uint32_t lane = lsched_lane();

	LSCHED_NO_UNROLL
	for (uint32_t lanes = 2; lanes <= LSCHED_LANES; lanes *= 2) {
		uint32_t across = lanes - 1;

		LSCHED_NO_UNROLL
		for (uint32_t d = lanes / 2; d; d /= 2) {
			LSCHED_UNROLL
			for (uint32_t axis = 0; axis < 3; axis++)
				word[axis] = bvh_lesser_if((lane & d) == 0, word[axis],
					lsched_i_shfl_xor(word[axis], across));
			across = d / 2;
		}
	}
}

/* What decides on which side of a plane an entry is. */
LSCHED_TASK_FN uint32_t bvh_order_place(const bvh_small *s, uint32_t entry, bvh_split split)
{
	return s->centre[split.axis][bvh_entry_at(entry)];
}

/* The same as bvh_order_divide() for one axis. All lanes of a warp. */
LSCHED_TASK_FN void bvh_order_divide_axis(
	bvh_small *s, const bvh_part *part, bvh_split split, uint32_t left, uint32_t axis)
{
	const uint32_t n = part->count;
	const uint32_t *from = s->order[part->buffer][axis] + part->begin;
	uint32_t *to = s->order[part->buffer ^ 1u][axis] + part->begin, lefts = 0;

	for (uint32_t base = lsched_lane(); base < n + lsched_lane();
		base += BVH_DIVIDED * LSCHED_LANES) {
		uint32_t e[BVH_DIVIDED];
		int is_left[BVH_DIVIDED];

		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_DIVIDED; j++) {
			const uint32_t k = base + j * LSCHED_LANES;

			e[j] = from[k < n ? k : 0];
			is_left[j] = (bvh_order_place(s, e[j], split) < split.at) & (k < n);
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_DIVIDED; j++) {
			const uint32_t k = base + j * LSCHED_LANES;
			const lsched_lane_mask all = lsched_ballot(is_left[j]);
			const uint32_t before = lefts + lsched_popcount(all & bvh_below());

			if (k < n)
				to[is_left[j] ? before : left + k - before] = e[j];
			lefts += lsched_popcount(all);
		}
	}
}

/* Moves a part to both sides, from its buffer to the other one, in the order of each axis: those
 * before the plane go left, `left` of them. All lanes of a warp. */
LSCHED_TASK_FN void bvh_order_divide(
	bvh_small *s, const bvh_part *part, bvh_split split, uint32_t left)
{
	const uint32_t n = part->count;
	uint32_t lefts[3] = { 0, 0, 0 };

	for (uint32_t base = 0; base < n; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane();
		uint32_t e[3];
		int is_left[3];

		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++)
			e[axis] = s->order[part->buffer][axis][part->begin + (k < n ? k : 0)];
		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++)
			is_left[axis] = (bvh_order_place(s, e[axis], split) < split.at) & (k < n);
		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++) {
			uint32_t *to = s->order[part->buffer ^ 1u][axis] + part->begin;
			const lsched_lane_mask all = lsched_ballot(is_left[axis]);
			const uint32_t before = lefts[axis] + lsched_popcount(all & bvh_below());

			if (k < n)
				to[is_left[axis] ? before : left + k - before] = e[axis];
			lefts[axis] += lsched_popcount(all);
		}
	}
}

#endif
#endif
