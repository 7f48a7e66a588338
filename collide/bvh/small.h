/* The subtree of at most BVH_SMALL primitives, by the warps of a block in fast memory. Ranges are
 * split in rounds, a warp each; those of at most BVH_SWEEP primitives follow at the end. A leaf's
 * box climbs to its parents as soon as it is known. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_SMALL_H
#define COLLIDE_BVH_SMALL_H

#include "collide/bvh/group.h"

/* Gives the box of a node or leaf of the subtree to its parent; the last one becomes the box of the
 * subtree. `top`: the subtree's parent. One thread. */
LSCHED_TASK_FN void bvh_small_climb(
	bvh_small *s, uint32_t first, uint32_t top, uint32_t link, bvh_box box)
{
	while (link != top) {
		const uint32_t node = (link >> 1) - first, side = link & 1;

		s->box[node][side] = box;
		if (!(lsched_add(&s->arrived[node], 1u, ar, blk) & 1u))
			return;
		bvh_box_extend(&box, &s->box[node][side ^ 1u]);
		link = s->link[node];
	}
	s->root = box;
}

/* Makes the node of a split at a position of the subtree. One thread. */
LSCHED_TASK_FN void bvh_small_node(
	const bvh_ctx *c, bvh_small *s, uint32_t first, uint32_t position, uint32_t link)
{
	s->link[position] = link;
	bvh_make_node(c, first + position, link);
}

/* Appends a part to those of the next round, or to the small ones. One thread. */
LSCHED_TASK_FN void bvh_small_add(bvh_small *s, uint32_t next, bvh_part part)
{
	if (part.count > BVH_SWEEP)
		s->part[next][BVH_NEAR_ADD(&s->parts[next], 1u)] = part;
	else
		s->end[BVH_NEAR_ADD(&s->ends, 1u)] = part;
}

/* The bounds of the centres and of the numbers of n records. All lanes of a warp. */
LSCHED_TASK_FN bvh_places bvh_warp_places(const bvh_record *record, uint32_t n)
{
	uint32_t w[3] = { 0, 0, 0 }, least = ~0u, most = 0;
	bvh_places p;

	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		uint32_t point[3];

		bvh_point(point, record[k].word);
		bvh_extend(w, point);
		least = record[k].number < least ? record[k].number : least;
		most = record[k].number > most ? record[k].number : most;
	}
	bvh_warp_union(w);
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2) {
		const uint32_t lo = lsched_i_shfl_xor(least, k), hi = lsched_i_shfl_xor(most, k);

		least = lo < least ? lo : least;
		most = hi > most ? hi : most;
	}
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		p.base[axis] = bvh_lo(w, axis);
		p.size[axis] = bvh_hi(w, axis) - p.base[axis] + 1;
	}
	p.base[BVH_NUMBER] = least;
	p.size[BVH_NUMBER] = most - least + 1;
	return p;
}

/* Splits a part by a warp. */
LSCHED_TASK_FN void bvh_warp_split(
	const bvh_ctx *c, bvh_small *s, bvh_bin *bin, bvh_part part, uint32_t first, uint32_t next)
{
	const bvh_record *from = s->record[part.buffer] + part.begin;
	bvh_record *to = s->record[part.buffer ^ 1u] + part.begin;
	const bvh_places p = bvh_warp_places(from, part.count);
	const bvh_bin none = { { 0, 0, 0 }, 0 };
	uint32_t factor[2][3], left = 0, right = part.count, id;
	bvh_split split;

	for (uint32_t k = lsched_lane(); k < BVH_ALL_BINS; k += LSCHED_LANES)
		bin[k] = none;
	lsched_sync_worker();
	bvh_factors(&p, 1, factor);
	for (uint32_t at = 0; at < part.count; at += LSCHED_LANES) {
		const uint32_t k = at + lsched_lane();
		const int active = k < part.count;

		bvh_bins_add_axes(bin, 1, 0, &p, factor, &from[active ? k : 0], active);
	}
	lsched_sync_worker();
	id = bvh_warp_plane(bin, part.depth >= BVH_EVEN_DEPTH);
	split = id == BVH_NONE ? bvh_number_split(&p) : bvh_plane(&p, id);
	for (uint32_t at = 0; at < part.count; at += LSCHED_LANES) {
		const uint32_t k = at + lsched_lane();
		const int active = k < part.count;
		const bvh_record r = from[active ? k : 0];
		const int is_left = bvh_place(&r, split.axis) < split.at;
		const lsched_lane_mask lefts = lsched_ballot(active && is_left);
		const lsched_lane_mask rights = lsched_ballot(active && !is_left);

		right -= lsched_popcount(rights);
		if (active)
			to[is_left ? left + lsched_popcount(lefts & bvh_below())
				   : right + lsched_popcount(rights & bvh_below())] = r;
		left += lsched_popcount(lefts);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		const uint32_t middle = part.begin + left, link = (first + middle) << 1;
		const uint16_t depth = (uint16_t)(part.depth + 1);
		const uint16_t buffer = part.buffer ^ 1u;
		const bvh_part low = { link, part.begin, (uint16_t)left, depth, buffer };
		const bvh_part high = { link | 1u, (uint16_t)middle, (uint16_t)(part.count - left),
			depth, buffer };

		bvh_small_node(c, s, first, middle, part.link);
		bvh_small_add(s, next, low);
		bvh_small_add(s, next, high);
	}
}

/* The order of primitives along an axis. */
LSCHED_FN int bvh_before(const bvh_record *a, const bvh_record *b, uint32_t axis)
{
	const uint32_t p = bvh_centre(a->word, axis), q = bvh_centre(b->word, axis);

	return p < q || (p == q && a->number <= b->number);
}

/* Finds the best plane behind primitive k of begin .. end - 1. *area: of all. */
LSCHED_TASK_FN void bvh_sweep_plane(const bvh_record *record, uint32_t k, uint32_t begin,
	uint32_t end, int even, bvh_sweep *w, uint64_t *area)
{
	const bvh_record own = record[k];
	bvh_bin left[3], right[3];
	uint64_t best = BVH_NO_COST;
	uint32_t plane = BVH_NONE;

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		left[axis] = right[axis] = bvh_bins_union(NULL, 0, 0);
	for (uint32_t j = begin; j < end; j++) {
		const bvh_record r = record[j];

		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++) {
			const int is_left = bvh_before(&r, &own, axis);

			for (uint32_t i = 0; i < 3; i++) {
				left[axis].word[i] =
					bvh_max2(left[axis].word[i], is_left ? r.word[i] : 0);
				right[axis].word[i] =
					bvh_max2(right[axis].word[i], is_left ? 0 : r.word[i]);
			}
			left[axis].count += (uint32_t)is_left;
			right[axis].count += (uint32_t)!is_left;
		}
	}
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const uint64_t cost = bvh_cost(&left[axis], &right[axis], even);
		const uint32_t name = bvh_sweep_name(axis, left[axis].count, right[axis].count);

		if (cost < best) {
			best = cost;
			plane = name;
		}
	}
	bvh_extend(left[0].word, right[0].word);
	*area = bvh_area(left[0].word);
	w->cost[k] = best;
	w->plane[k] = plane;
}

/* Makes the leaf of begin .. end - 1 of a part, and lets its box climb. One thread. */
LSCHED_TASK_FN void bvh_sweep_leaf(const bvh_ctx *c, bvh_small *s, const bvh_record *record,
	uint32_t position, uint32_t count, uint32_t first, uint32_t top, uint32_t link)
{
	uint32_t number[BVH_MAX_LEAF] = { 0 };
	bvh_box box;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t rank = 0;

		for (uint32_t j = 0; j < count; j++)
			rank += record[j].number < record[i].number;
		number[rank] = record[i].number;
	}
	bvh_make_leaf(c, first + position, count, link, number, &box);
	bvh_small_climb(s, first, top, link, box);
}

/* Splits the node of primitive k, or makes it a leaf: moves the primitive to its new place in `to`
 * and writes what is known of its new node. Returns 1 unless it is final. */
LSCHED_TASK_FN int bvh_sweep_move(const bvh_ctx *c, bvh_small *s, bvh_sweep *w,
	const bvh_record *from, bvh_record *to, uint32_t now, uint32_t k, uint32_t base,
	uint32_t first, uint32_t top, uint64_t area)
{
	const bvh_spot spot = w->spot[now][k];
	const uint32_t begin = spot.begin, end = spot.end, link = w->spot[now][begin].link;
	const int even = spot.depth >= BVH_EVEN_DEPTH;
	uint32_t best = begin, axis, left = 0, rank = 0, middle, is_left;
	bvh_spot next = spot;

	next.link = link;
	if (!spot.is_final) {
		for (uint32_t j = begin + 1; j < end; j++)
			if (w->cost[j] < w->cost[best] ||
				(w->cost[j] == w->cost[best] && w->plane[j] < w->plane[best]))
				best = j;
		next.is_final = (uint8_t)bvh_is_leaf(c, end - begin, area, w->cost[best], even);
		if (next.is_final && k == begin)
			bvh_sweep_leaf(
				c, s, from + begin, base + begin, end - begin, first, top, link);
	}
	if (next.is_final) {
		to[k] = from[k];
		w->spot[now ^ 1u][k] = next;
		return 0;
	}
	axis = w->plane[best] >> 8 & 255u;
	left = w->plane[best] & 255u;
	middle = begin + left;
	is_left = (uint32_t)bvh_before(&from[k], &from[best], axis);
	for (uint32_t j = begin; j < k; j++)
		rank += (uint32_t)bvh_before(&from[j], &from[best], axis) == is_left;
	next.begin = (uint8_t)(is_left ? begin : middle);
	next.end = (uint8_t)(is_left ? middle : end);
	next.depth++;
	next.link = (first + base + middle) << 1 | !is_left;
	to[next.begin + rank] = from[k];
	w->spot[now ^ 1u][next.begin + rank] = next;
	if (k == begin)
		bvh_small_node(c, s, first, base + middle, link);
	return 1;
}

/* Makes the subtree of a part of at most BVH_SWEEP primitives by a warp: all its nodes of a depth
 * at once, a lane for each primitive. `top`: the parent of the block's subtree. */
LSCHED_TASK_FN void bvh_warp_sweep(
	const bvh_ctx *c, bvh_small *s, bvh_sweep *w, bvh_part part, uint32_t first, uint32_t top)
{
	uint64_t area[BVH_SWEEP / LSCHED_LANES];
	uint32_t now = 0, more = 1;

	for (uint32_t k = lsched_lane(); k < part.count; k += LSCHED_LANES) {
		const bvh_spot spot = { part.link, 0, (uint8_t)part.count, (uint8_t)part.depth, 0 };

		w->spot[0][k] = spot;
	}
	lsched_sync_worker();
	for (; more; now ^= 1u) {
		const bvh_record *from = s->record[part.buffer ^ now] + part.begin;
		bvh_record *to = s->record[part.buffer ^ now ^ 1u] + part.begin;

		for (uint32_t k = lsched_lane(); k < part.count; k += LSCHED_LANES) {
			const bvh_spot spot = w->spot[now][k];

			if (!spot.is_final)
				bvh_sweep_plane(from, k, spot.begin, spot.end,
					spot.depth >= BVH_EVEN_DEPTH, w, &area[k / LSCHED_LANES]);
		}
		lsched_sync_worker();
		more = 0;
		for (uint32_t k = lsched_lane(); k < part.count; k += LSCHED_LANES)
			more |= (uint32_t)bvh_sweep_move(c, s, w, from, to, now, k, part.begin,
				first, top, area[k / LSCHED_LANES]);
		more = lsched_ballot((int)more) != 0;
		lsched_sync_worker();
	}
}

/* Makes the subtree of the records in s->record[0]. All threads of a block. */
LSCHED_TASK_FN void bvh_small_block(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_small *s = &l->u.small;
	const uint32_t warp = bvh_warp(x), warps = bvh_warps(x);
	const bvh_part all = { it.join, 0, (uint16_t)it.count, (uint16_t)bvh_depth(it.info), 0 };

	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		s->arrived[k] = 0;
	if (lsched_thread(x) == 0) {
		s->parts[0] = s->parts[1] = s->ends = 0;
		bvh_small_add(s, 0, all);
	}
	lsched_sync_item(x);
	for (uint32_t now = 0;; now ^= 1u) {
		const uint32_t parts = s->parts[now];

		lsched_sync_item(x);
		if (parts == 0)
			break;
		for (uint32_t k = warp; k < parts; k += warps)
			bvh_warp_split(
				c, s, s->warp[warp].bin, s->part[now][k], it.first, now ^ 1u);
		lsched_sync_item(x);
		if (lsched_thread(x) == 0)
			s->parts[now] = 0;
	}
	for (uint32_t k = warp; k < s->ends; k += warps)
		bvh_warp_sweep(c, s, &s->warp[warp].sweep, s->end[k], it.first, it.join);
	lsched_sync_item(x);
	for (uint32_t k = 1 + lsched_thread(x); k < it.count; k += lsched_threads(x))
		if (s->arrived[k]) {
			c->node[it.first + k].box[0] = s->box[k][0];
			c->node[it.first + k].box[1] = s->box[k][1];
		}
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		bvh_climb(c, it.join, s->root);
}

#endif
