/* The subtree of at most BVH_SMALL primitives, by the warps of a block in fast memory. Its records
 * are sorted by the centres of each axis. Then ranges are split in rounds, each by a warp: a lane
 * has two parts of the order of each axis, and the unions of what is left and right of their planes
 * are scans over the lanes. Ranges of at most BVH_SWEEP primitives follow at the end
 * (collide/bvh/sweep.h). Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_SMALL_H
#define COLLIDE_BVH_SMALL_H

#include "collide/bvh/scan.h"
#include "collide/bvh/sweep.h"

#ifndef __CUDACC__
#include "collide/bvh/serial.h"
#endif

#if LSCHED_LANES == 1

/* Warps of one lane: by one of them. */
LSCHED_TASK_FN void bvh_small_block(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	if (lsched_thread(x) == 0)
		bvh_climb(c, it.join,
			bvh_serial_small(c, l->u.small.record, it.first, it.count,
				bvh_depth(it.info), it.join));
}

#else

/* Appends a part to those of a round, or to the small ones. One thread. */
LSCHED_TASK_FN void bvh_small_add(bvh_small *s, uint32_t round, bvh_part part)
{
	if (part.count > BVH_SWEEP)
		s->part[round & 1u][BVH_NEAR_ADD(&s->parts[round % 3], 1u)] = part;
	else
		s->end[BVH_NEAR_ADD(&s->ends, 1u)] = part;
}

/* A lane's parts of the order of an axis: low and high are left and right of their planes. */
typedef struct bvh_lane_parts {
	uint32_t low[2][3], high[2][3];
	uint32_t left[2]; /* of all left of the planes; 0: no plane */
} bvh_lane_parts;

LSCHED_TASK_FN void bvh_small_parts(
	const bvh_small *s, const uint32_t *order, uint32_t n, uint32_t size, bvh_lane_parts *p)
{
	LSCHED_UNROLL
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t part = (2 * lsched_lane() + half) * size;
		const uint32_t from = part < n ? part : n, end = n - from < size ? n : from + size;
		const uint32_t was = bvh_entry_centre(order[from ? from - 1 : 0]);
		uint32_t lows = 0;

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			p->low[half][k] = p->high[half][k] = 0;
		for (uint32_t i = from; i < end; i++) {
			const uint32_t entry = order[i];
			const bvh_record r = s->record[bvh_entry_at(entry)];

			if (bvh_entry_centre(entry) == was) {
				bvh_extend(p->low[half], r.word);
				lows++;
			} else {
				bvh_extend(p->high[half], r.word);
			}
		}
		p->left[half] = from + lows < end ? from + lows : 0;
	}
}

/* Compares the planes of the lane's parts of an axis. */
LSCHED_TASK_FN void bvh_small_planes(
	const bvh_lane_parts *p, uint32_t axis, uint32_t n, int even, bvh_small_best *best)
{
	uint32_t before[3], behind[3], right[2][3];

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		before[k] = bvh_max2(bvh_max2(p->low[0][k], p->high[0][k]),
			bvh_max2(p->low[1][k], p->high[1][k]));
	bvh_lane_scan(before, behind);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		right[1][k] = bvh_max2(p->high[1][k], behind[k]);
		right[0][k] = bvh_max2(p->high[0][k], bvh_max2(p->low[1][k], right[1][k]));
	}
	LSCHED_UNROLL
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t left = p->left[half], rest = n - left;
		uint64_t key;

		bvh_extend(before, p->low[half]);
		key = bvh_plane_key(even ? (left > rest ? left : rest)
					 : bvh_area(before) * left + bvh_area(right[half]) * rest,
			left, rest, axis, 2 * lsched_lane() + half);
		if (left && key < best->key) {
			best->key = key;
			best->left = left;
		}
		bvh_extend(before, p->high[half]);
	}
}

/* The best plane of a part in the axes from .. end - 1, in all lanes of the warp. */
LSCHED_TASK_FN bvh_small_best bvh_small_plane(
	const bvh_small *s, const bvh_part *part, uint32_t from, uint32_t end)
{
	const uint32_t n = part->count, size = bvh_part_size(n);
	bvh_small_best best = { BVH_NO_COST, 0 };
	uint64_t all;

	LSCHED_NO_UNROLL
	for (uint32_t axis = from; axis < end; axis++) {
		bvh_lane_parts p;

		bvh_small_parts(s, s->order[part->buffer][axis] + part->begin, n, size, &p);
		bvh_small_planes(&p, axis, n, part->depth >= BVH_EVEN_DEPTH, &best);
	}
	all = bvh_warp_least(best.key);
	best.left = lsched_i_shfl(best.left, bvh_lowest(lsched_ballot(best.key == all)));
	best.key = all;
	return best;
}

/* All centres of a part are equal: the plane between its numbers. *left: how many go left. */
LSCHED_TASK_FN bvh_split bvh_small_number_split(
	const bvh_small *s, const bvh_part *part, uint32_t *left)
{
	const uint32_t *order = s->order[part->buffer][0] + part->begin, n = part->count;
	uint32_t least = ~0u, most = 0;
	bvh_split split = { BVH_NUMBER, 0 };

	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		const uint32_t number = s->record[bvh_entry_at(order[k])].number;

		least = number < least ? number : least;
		most = number > most ? number : most;
	}
	least = ~bvh_warp_most(~least);
	most = bvh_warp_most(most);
	split.at = bvh_number_middle(least, most - least + 1);
	*left = 0;
	for (uint32_t base = 0; base < n; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane();
		const uint32_t at = bvh_entry_at(order[k < n ? k : 0]);

		*left += lsched_popcount(lsched_ballot(k < n && s->record[at].number < split.at));
	}
	return split;
}

/* What goes left of the best plane of a part; *left: how many. All lanes of a warp. */
LSCHED_TASK_FN bvh_split bvh_small_split_at(
	const bvh_small *s, const bvh_part *part, bvh_small_best best, uint32_t *left)
{
	bvh_split split = { bvh_key_axis(best.key), 0 };

	*left = best.left;
	if (best.key == BVH_NO_COST)
		return bvh_small_number_split(s, part, left);
	split.at = bvh_entry_centre(s->order[part->buffer][split.axis][part->begin + best.left]);
	return split;
}

/* Both sides of a part belong to the next round. One thread. */
LSCHED_TASK_FN void bvh_small_follow(const bvh_ctx *c, bvh_small *s, const bvh_part *part,
	uint32_t left, uint32_t first, uint32_t next)
{
	const uint32_t middle = part->begin + left, link = (first + middle) << 1;
	const uint16_t depth = (uint16_t)(part->depth + 1), buffer = part->buffer ^ 1u;
	const bvh_part low = { link, part->begin, (uint16_t)left, depth, buffer };
	const bvh_part high = { link | 1u, (uint16_t)middle, (uint16_t)(part->count - left), depth,
		buffer };

	bvh_small_node(c, s, first, middle, part->link);
	bvh_small_add(s, next, low);
	bvh_small_add(s, next, high);
}

/* Splits a part into two of the next round. All lanes of a warp. */
LSCHED_TASK_FN void bvh_small_split(
	const bvh_ctx *c, bvh_small *s, bvh_part part, uint32_t first, uint32_t next)
{
	const bvh_small_best best = bvh_small_plane(s, &part, 0, 3);
	uint32_t left;
	const bvh_split split = bvh_small_split_at(s, &part, best, &left);

	bvh_order_divide(s, &part, split, left);
	if (lsched_lane() == 0)
		bvh_small_follow(c, s, &part, left, first, next);
}

/* Splits the few parts of a round, an axis of each by a warp. All threads. */
LSCHED_TASK_FN void bvh_small_share(
	lsched_range_items *x, const bvh_ctx *c, bvh_small *s, uint32_t first, uint32_t round)
{
	const uint32_t units = 3 * s->parts[round % 3];
	const bvh_part *parts = s->part[round & 1u];

	LSCHED_NO_UNROLL
	for (uint32_t k = bvh_warp(x); k < units; k += bvh_warps(x)) {
		const uint32_t axis = k % 3;
		const bvh_part part = parts[k / 3];
		const bvh_small_best best = bvh_small_plane(s, &part, axis, axis + 1);

		if (lsched_lane() == 0)
			s->best[k / 3][axis] = best;
	}
	lsched_sync_item(x);
	LSCHED_NO_UNROLL
	for (uint32_t k = bvh_warp(x); k < units; k += bvh_warps(x)) {
		const uint32_t axis = k % 3;
		const bvh_part part = parts[k / 3];
		bvh_small_best best = s->best[k / 3][0];
		bvh_split split;
		uint32_t left;

		LSCHED_UNROLL
		for (uint32_t j = 1; j < 3; j++) {
			const bvh_small_best other = s->best[k / 3][j];

			best = other.key < best.key ? other : best;
		}
		split = bvh_small_split_at(s, &part, best, &left);
		bvh_order_divide_axis(s, &part, split, left, axis);
		if (axis == 0 && lsched_lane() == 0)
			bvh_small_follow(c, s, &part, left, first, round + 1);
	}
}

/* Prepares the subtree of the records in s->record. All threads of a block. */
LSCHED_TASK_FN void bvh_small_begin(lsched_range_items *x, bvh_small *s, lsched_range it)
{
	const bvh_part all = { it.join, 0, (uint16_t)it.count, (uint16_t)bvh_depth(it.info), 0 };

	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		s->arrived[k] = 0;
		for (uint32_t axis = 0; axis < 3; axis++)
			s->centre[axis][k] = (uint16_t)bvh_centre(s->record[k].word, axis);
	}
	if (lsched_thread(x) == 0) {
		s->parts[0] = s->parts[1] = s->parts[2] = s->ends = s->taken = 0;
		bvh_small_add(s, 0, all);
	}
	lsched_sync_item(x);
	for (uint32_t axis = bvh_warp(x); axis < 3; axis += bvh_warps(x))
		bvh_order_axis(s, axis, it.count);
	lsched_sync_item(x);
}

/* Makes the subtree of the records in l->u.small.record. All threads of a block. */
LSCHED_TASK_FN void bvh_small_block(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_small *s = &l->u.small;
	const uint32_t warp = bvh_warp(x), warps = bvh_warps(x);

	bvh_small_begin(x, s, it);
	for (uint32_t round = 0; s->parts[round % 3]; round++) {
		const uint32_t parts = s->parts[round % 3];

		if (lsched_thread(x) == 0)
			s->parts[(round + 2) % 3] = 0; /* of the round before */
		if (warps > 1 && parts <= BVH_FEW_PARTS)
			bvh_small_share(x, c, s, it.first, round);
		else
			for (uint32_t k = warp; k < parts; k += warps)
				bvh_small_split(c, s, s->part[round & 1u][k], it.first, round + 1);
		lsched_sync_item(x);
	}
	for (;;) {
		const uint32_t k =
			lsched_bcast(lsched_lane() == 0 ? BVH_NEAR_ADD(&s->taken, 1u) : 0);

		if (k >= s->ends)
			break;
		bvh_warp_sweep(c, s, &s->warp[warp], &s->end[k], it.first, it.join);
	}
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		bvh_climb(c, it.join, s->root);
}

#endif
#endif
