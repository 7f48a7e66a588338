/* Subtrees of at most BVH_SMALL primitives, by the warps of a block in fast memory. Records are
 * sorted by the centres of each axis. Then ranges are split: a lane has two parts of the order of
 * each axis, and the unions of what is left and right of their planes are scans over the lanes.
 * Ranges of at most BVH_SWEEP primitives are made by a warp (collide/bvh/sweep.h). All warps split
 * the first ranges together, in rounds with barriers; later each warp goes on with one half of what
 * it splits, and any warp takes the other one. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_SMALL_H
#define COLLIDE_BVH_SMALL_H

#include "collide/bvh/scan.h"
#include "collide/bvh/sweep.h"

#ifndef __CUDACC__
#include "collide/bvh/serial.h"
#endif

#if LSCHED_LANES == 1

#define bvh_small_clear(x, s, it, trees) ((void)0)

/* Warps of one lane: by one of them. */
LSCHED_TASK_FN void bvh_small_block(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const lsched_range *it, uint32_t trees)
{
	(void)trees;
	if (lsched_thread(x) == 0)
		bvh_climb(c, it->join,
			bvh_serial_small(c, l->u.small.record, it->first, it->count,
				bvh_depth(it->info), it->join));
}

#else

LSCHED_TASK_FN void bvh_part_put(bvh_part_words *to, const bvh_part *part)
{
	to->link = part->link;
	to->span = part->begin | part->count << 16;
	to->kind = part->depth | part->buffer << 8 | part->tree << 16;
}

LSCHED_TASK_FN bvh_part bvh_part_get(const bvh_part_words *from)
{
	const uint32_t span = from->span, kind = from->kind;
	const bvh_part part = { from->link, span & 0xffffu, span >> 16, kind & 255u,
		kind >> 8 & 255u, kind >> 16 };

	return part;
}

/* Leaves a part to any warp. One thread, after lsched_sync_worker(): the store and the load of
 * bvh_small_take() order the warp's writes before the reads of the warp that takes the part, which
 * compute-sanitizer's racecheck does not see. */
LSCHED_TASK_FN void bvh_small_leave(bvh_small *s, const bvh_part *part)
{
	bvh_part_put(&s->place[part->begin].part, part);
	lsched_st(&s->todo[BVH_NEAR_ADD(&s->todos, 1u)], part->begin + 1, rel, blk);
}

/* Appends a part to those of a round, or a small one to the others. One thread. */
LSCHED_TASK_FN void bvh_small_add(bvh_small *s, uint32_t round, const bvh_part *part)
{
	if (part->count > BVH_SWEEP)
		bvh_part_put(&s->part[round & 1u][BVH_NEAR_ADD(&s->parts[round % 3], 1u)], part);
	else
		bvh_small_leave(s, part);
}

/* A lane's parts of the order of an axis: low and high are left and right of their planes. */
typedef struct bvh_lane_parts {
	uint32_t low[2][3], high[2][3];
	uint32_t left[2]; /* of all left of the planes; 0: no plane */
} bvh_lane_parts;

LSCHED_TASK_FN void bvh_small_parts(
	const bvh_small *s, const uint32_t *order, uint32_t n, uint32_t size, bvh_lane_parts *p)
{
	uint32_t from[2], end[2], was[2], lows[2] = { 0, 0 };

	LSCHED_UNROLL
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t part = (2 * lsched_lane() + half) * size;

		from[half] = part < n ? part : n;
		end[half] = n - from[half] < size ? n : from[half] + size;
		was[half] = bvh_entry_centre(order[from[half] ? from[half] - 1 : 0]);
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			p->low[half][k] = p->high[half][k] = 0;
	}
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < size; k += 2) { /* four loads at once */
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 4; j++) {
			const uint32_t half = j & 1u, i = from[half] + k + j / 2;
			const int is = i < end[half];
			const uint32_t entry = order[is ? i : 0];
			const bvh_record r = s->record[bvh_entry_at(entry)];

			/* without branches, which the loads would follow */
			const int is_low = is && bvh_entry_centre(entry) == was[half];
			const uint32_t low = is_low ? ~0u : 0, high = is && !is_low ? ~0u : 0;

			LSCHED_UNROLL
			for (uint32_t m = 0; m < 3; m++) {
				p->low[half][m] = bvh_max2(p->low[half][m], r.word[m] & low);
				p->high[half][m] = bvh_max2(p->high[half][m], r.word[m] & high);
			}
			lows[half] += (uint32_t)is_low;
		}
	}
	LSCHED_UNROLL
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t left = from[half] + lows[half];

		p->left[half] = left < end[half] ? left : 0;
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

/* All centres of a part are equal: the plane between its numbers, whose sides become the centres of
 * the first axis, since those are not used any more. *left: how many go left. */
LSCHED_TASK_FN bvh_split bvh_small_number_split(bvh_small *s, const bvh_part *part, uint32_t *left)
{
	const uint32_t *order = s->order[part->buffer][0] + part->begin, n = part->count;
	const bvh_split split = { 0, 1 };
	uint32_t least = ~0u, most = 0, middle;

	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		const uint32_t number = s->record[bvh_entry_at(order[k])].number;

		least = number < least ? number : least;
		most = number > most ? number : most;
	}
	least = ~bvh_warp_most(~least);
	most = bvh_warp_most(most);
	middle = bvh_number_middle(least, most - least + 1);
	*left = 0;
	for (uint32_t base = 0; base < n; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane();
		const uint32_t at = bvh_entry_at(order[k < n ? k : 0]);
		const int is_left = s->record[at].number < middle;

		s->centre[0][at] = (uint16_t)!is_left; /* other warps may write it, too */
		*left += lsched_popcount(lsched_ballot(k < n && is_left));
	}
	lsched_sync_worker();
	return split;
}

/* What goes left of the best plane of a part; *left: how many. All lanes of a warp. */
LSCHED_TASK_FN bvh_split bvh_small_split_at(
	bvh_small *s, const bvh_part *part, bvh_small_best best, uint32_t *left)
{
	bvh_split split = { bvh_key_axis(best.key), 0 };

	*left = best.left;
	if (best.key == BVH_NO_COST)
		return bvh_small_number_split(s, part, left);
	split.at = bvh_entry_centre(s->order[part->buffer][split.axis][part->begin + best.left]);
	return split;
}

/* A side of a part, 0 or 1; `left` go left. */
LSCHED_TASK_FN bvh_part bvh_small_side(
	const bvh_small *s, const bvh_part *part, uint32_t left, uint32_t which)
{
	const uint32_t middle = part->begin + left;
	const bvh_part side = { (s->tree[part->tree].first + middle) << 1 | which,
		which ? middle : part->begin, which ? part->count - left : left, part->depth + 1,
		part->buffer ^ 1u, part->tree };

	return side;
}

/* Both sides of a part belong to the next round. One thread. */
LSCHED_TASK_FN void bvh_small_follow(
	const bvh_ctx *c, bvh_small *s, const bvh_part *part, uint32_t left, uint32_t next)
{
	bvh_small_node(c, s, s->tree[part->tree].first, part->begin + left, part->link);
	for (uint32_t which = 0; which < 2; which++) {
		const bvh_part side = bvh_small_side(s, part, left, which);

		bvh_small_add(s, next, &side);
	}
}

/* Splits a part: one side is left to any warp, the larger one becomes the part. All lanes of a
 * warp. */
LSCHED_TASK_FN void bvh_small_split(const bvh_ctx *c, bvh_small *s, bvh_part *part)
{
	const bvh_small_best best = bvh_small_plane(s, part, 0, 3);
	uint32_t left;
	const bvh_split split = bvh_small_split_at(s, part, best, &left);
	const uint32_t larger = 2 * left < part->count;
	const bvh_part other = bvh_small_side(s, part, left, larger ^ 1u);

	bvh_order_divide(s, part, split, left);
	lsched_sync_worker(); /* all lanes have written the order */
	if (lsched_lane() == 0) {
		bvh_small_node(c, s, s->tree[part->tree].first, part->begin + left, part->link);
		bvh_small_leave(s, &other);
	}
	*part = bvh_small_side(s, part, left, larger);
}

/* Splits the few parts of a round, an axis of each by a warp. All threads. */
LSCHED_TASK_FN void bvh_small_share(
	lsched_range_items *x, const bvh_ctx *c, bvh_small *s, uint32_t round)
{
	const uint32_t units = 3 * s->parts[round % 3];
	const bvh_part_words *parts = s->part[round & 1u];

	LSCHED_NO_UNROLL
	for (uint32_t k = bvh_warp(x); k < units; k += bvh_warps(x)) {
		const uint32_t axis = k % 3;
		const bvh_part part = bvh_part_get(&parts[k / 3]);
		const bvh_small_best best = bvh_small_plane(s, &part, axis, axis + 1);

		if (lsched_lane() == 0)
			s->best[k / 3][axis] = best;
	}
	lsched_sync_item(x);
	LSCHED_NO_UNROLL
	for (uint32_t k = bvh_warp(x); k < units; k += bvh_warps(x)) {
		const uint32_t axis = k % 3;
		const bvh_part part = bvh_part_get(&parts[k / 3]);
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
			bvh_small_follow(c, s, &part, left, round + 1);
	}
}

/* Takes a part of those of a round, `given` of them, or of those that warps leave; waits for one as
 * long as there may be some. All lanes of a warp. Returns 0 if the subtrees are complete. */
LSCHED_TASK_FN uint32_t bvh_small_take(
	bvh_small *s, const bvh_part_words *parts, uint32_t given, bvh_part *part)
{
	bvh_part_words words = { 0, 0, 0 };

	if (lsched_lane() == 0) {
		const uint32_t k = BVH_NEAR_ADD(&s->taken, 1u);
		uint32_t at = 0;

		while (k >= given && !(at = lsched_ld(&s->todo[k - given], acq, blk)) &&
			lsched_ld(&s->rest, rlx, blk))
			lsched_i_relax(0, 1);
		if (k < given)
			words = parts[k];
		else if (at)
			words = s->place[at - 1].part;
	}
	lsched_sync_worker(); /* the order of the part is visible to all lanes */
	words.link = lsched_bcast(words.link);
	words.span = lsched_bcast(words.span);
	words.kind = lsched_bcast(words.kind);
	*part = bvh_part_get(&words);
	return part->count;
}

/* Makes what is left of the subtrees. A warp. */
LSCHED_TASK_FN void bvh_small_rest(const bvh_ctx *c, bvh_small *s, bvh_warp_room *w,
	const bvh_part_words *parts, uint32_t given)
{
	bvh_part part;

	while (bvh_small_take(s, parts, given, &part)) {
		while (part.count > BVH_SWEEP)
			bvh_small_split(c, s, &part);
		bvh_warp_sweep(c, s, w, &part);
		if (lsched_lane() == 0)
			(void)BVH_NEAR_ADD(&s->rest, 0u - part.count);
	}
}

/* Sets the counters and lists. All threads of a block, which then meet. */
LSCHED_TASK_FN void bvh_small_clear(
	lsched_range_items *x, bvh_small *s, const lsched_range it[BVH_TREES], uint32_t trees)
{
	for (uint32_t k = lsched_thread(x); k < BVH_ROOM + BVH_WARPS; k += lsched_threads(x))
		s->todo[k] = 0;
	if (lsched_thread(x) != 0)
		return;
	s->parts[0] = s->parts[1] = s->parts[2] = s->todos = s->taken = s->rest = 0;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < BVH_TREES; k++) {
		s->tree[k].first = it[k].first - k * BVH_SMALL;
		s->tree[k].top = it[k].join;
		s->rest += k < trees ? it[k].count : 0;
	}
}

/* Sorts the records of the subtrees, which are the first parts. All threads of a block. */
LSCHED_TASK_FN void bvh_small_sort(
	lsched_range_items *x, bvh_small *s, const lsched_range it[BVH_TREES], uint32_t trees)
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < BVH_TREES; k++) {
		const bvh_part all = { it[k].join, k * BVH_SMALL, it[k].count,
			bvh_depth(it[k].info), 0, k };

		if (lsched_thread(x) == 0 && k < trees)
			bvh_small_add(s, 0, &all);
	}
	for (uint32_t k = bvh_warp(x); k < 3 * trees; k += bvh_warps(x))
		bvh_order_axis(
			s, k / 3 * BVH_SMALL, k < 3 ? it[0].count : it[BVH_TREES - 1].count, k % 3);
	lsched_sync_item(x);
}

/* Makes the subtrees of the records in l->u.small.record, after bvh_small_clear(). All threads of a
 * block. */
LSCHED_TASK_FN void bvh_small_block(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const lsched_range it[BVH_TREES], uint32_t trees)
{
	bvh_small *s = &l->u.small;
	uint32_t round = 0, parts;

	bvh_small_sort(x, s, it, trees);
	for (;; round++) {
		parts = s->parts[round % 3];
		if (parts == 0 || parts > BVH_FEW_PARTS || bvh_warps(x) == 1)
			break;
		if (lsched_thread(x) == 0)
			s->parts[(round + 2) % 3] = 0; /* of the round before */
		bvh_small_share(x, c, s, round);
		lsched_sync_item(x);
	}
	bvh_small_rest(c, s, &s->warp[bvh_warp(x)], s->part[round & 1u], parts);
	lsched_sync_item(x);
	if (lsched_thread(x) < trees)
		bvh_climb(c, s->tree[lsched_thread(x)].top, s->tree[lsched_thread(x)].box);
}

#endif
#endif
