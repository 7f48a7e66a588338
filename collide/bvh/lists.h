/* The parts of a range, when its records have moved there: in the order of their positions, and
 * emitted by some at a time. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_LISTS_H
#define COLLIDE_BVH_LISTS_H

#include "collide/bvh/follow.h"

/* Makes pairs of the small ones of `count` parts; the second one of a pair then has no primitives.
 * All lanes of a warp, which are more than there are parts. */
LSCHED_TASK_FN void bvh_pair_up(const bvh_ctx *c, lsched_range *part, uint32_t count)
{
	const uint32_t k = lsched_lane();
	const lsched_range own = part[k < count ? k : 0];
	const int is_small = k < count && own.count <= BVH_SMALL;
	const lsched_lane_mask small = lsched_ballot(is_small);
	const lsched_lane_mask above = small & ~bvh_below() & ~((lsched_lane_mask)1 << k);

	if (c->n < BVH_PAIRS_FROM)
		return;
	if (is_small && lsched_popcount(small & bvh_below()) % 2 == 0 && above) {
		lsched_range *second = &part[bvh_lowest(above)];

		*bvh_pair_at(c, &own) = *second;
		part[k].info |= BVH_PAIRED;
		second->count = 0;
	}
	lsched_sync_worker();
}

/* Emits parts, at most BVH_SPREAD, the largest one at last: it is this worker's own next item, so
 * that it waits for no other worker. All threads. */
LSCHED_TASK_FN void bvh_emit_list(
	lsched_range_items *x, const bvh_ctx *c, bvh_list *s, uint32_t count)
{
	uint32_t most = 0, last;

	if (lsched_thread(x) >= LSCHED_LANES)
		return;
	if (BVH_TREES > 1)
		bvh_pair_up(c, s->range, count);
	for (uint32_t k = lsched_thread(x); k < count; k += LSCHED_LANES) {
		const uint32_t pair = bvh_is_pair(&s->range[k]) ? BVH_SMALL : 0;
		const uint32_t size = s->range[k].count + pair, cap = (1u << 26) - 1;
		const uint32_t word = (size < cap ? size : cap) << 5 | k;

		most = word > most ? word : most;
	}
	last = bvh_warp_most(most) & 31u;
	for (uint32_t k = lsched_thread(x); k < count; k += LSCHED_LANES)
		if (k != last && s->range[k].count)
			lsched_emit(x, BVH_RANGE, &s->range[k]);
	lsched_sync_worker();
	if (count && lsched_thread(x) == 0)
		lsched_emit(x, BVH_RANGE, &s->range[last]);
}

/* List k of so many parts. */
LSCHED_FN uint32_t bvh_list_begin(uint32_t k, uint32_t count)
{
	return k * count / BVH_SPREAD;
}

/* Places of a range whose parts have to be opened again. */
LSCHED_FN void bvh_open_cut(const bvh_ctx *c, const bvh_cut *cut)
{
	if (cut->range.count > BVH_SMALL)
		c->open[cut->range.first / BVH_SMALL].places = cut->places;
}

/* Finds the parts of a range that no tile emits, and opens the large ones. Returns their number.
 * All threads. */
LSCHED_TASK_FN uint32_t bvh_find_parts(
	lsched_range_items *x, const bvh_ctx *c, bvh_list *s, const bvh_cut *cut, uint32_t cuts)
{
	if (lsched_thread(x) == 0)
		s->parts = 0;
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < cuts; k += lsched_threads(x)) {
		if (cut[k].moved == BVH_NONE) /* complete: all tiles have returned */
			continue;
		bvh_open_cut(c, &cut[k]);
		s->part[BVH_NEAR_ADD(&s->parts, 1u)] = (uint16_t)k;
	}
	lsched_sync_item(x);
	return s->parts;
}

/* Sorts parts of a range by their positions. All threads. */
LSCHED_TASK_FN void bvh_sort_cuts(
	lsched_range_items *x, const bvh_cut *cut, bvh_list *s, uint32_t count)
{
	for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x))
		s->first[k] = cut[s->part[k]].range.first;
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x)) {
		const uint32_t own = s->first[k];
		uint32_t rank = 0;

		LSCHED_UNROLL_LOADS
		for (uint32_t j = 0; j < count; j++)
			rank += s->first[j] < own;
		s->sorted[rank] = (uint16_t)k;
	}
	lsched_sync_item(x);
}

/* Emits the parts of an open range whose records have moved, or lists of them; tiles have emitted
 * some. Since the parts of a list are in the order of their positions, its entries, one for each,
 * have room from the first one on, in the array of records that is free now. All threads; *o may be
 * opened again then. */
LSCHED_TASK_FN void bvh_emit_parts(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, const bvh_open *o)
{
	const bvh_cut *cut = &c->cut[bvh_cells_at(o->first)];
	const uint32_t cuts = o->cuts, array = bvh_array(o->info) ^ 1u;
	lsched_range *list = (lsched_range *)c->record[array ^ 1u];
	bvh_list *s = &l->u.list;
	uint32_t count;

	lsched_sync_item(x); /* all have read *o */
	count = bvh_find_parts(x, c, s, cut, cuts);
	if (count <= BVH_SPREAD) {
		for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x))
			s->range[k] = cut[s->part[k]].range;
		lsched_sync_item(x);
		bvh_emit_list(x, c, s, count);
		return;
	}
	bvh_sort_cuts(x, cut, s, count);
	for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x)) {
		uint32_t part = k * BVH_SPREAD / count, begin;

		part += part + 1 < BVH_SPREAD && bvh_list_begin(part + 1, count) <= k;
		begin = bvh_list_begin(part, count);
		list[s->first[s->sorted[begin]] + k - begin] = cut[s->part[s->sorted[k]]].range;
	}
	lsched_sync_item(x);
	if (lsched_thread(x) >= LSCHED_LANES)
		return;
	for (uint32_t k = lsched_thread(x); k < BVH_SPREAD; k += LSCHED_LANES) {
		const uint32_t begin = bvh_list_begin(k, count);
		const lsched_range it = { s->first[s->sorted[begin]],
			bvh_list_begin(k + 1, count) - begin, bvh_info(array, 0), 0 };

		if (it.count == 1) /* few more parts than lists */
			lsched_emit(x, BVH_RANGE, &list[it.first]);
		else
			lsched_emit(x, BVH_LIST, &it);
	}
}

/* Emits the parts of a list, or shorter lists. All threads. */
LSCHED_TASK_FN void bvh_listed(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	lsched_range *list = (lsched_range *)c->record[bvh_array(it.info) ^ 1u];
	bvh_list *s = &l->u.list;

	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		s->range[k] = list[it.first + k];
	lsched_sync_item(x);
	if (it.count <= BVH_SPREAD) {
		bvh_emit_list(x, c, s, it.count);
		return;
	}
	if (lsched_thread(x) != 0)
		return;
	for (uint32_t k = 0; k < BVH_SPREAD; k++) {
		const uint32_t begin = bvh_list_begin(k, it.count);
		const lsched_range part = { s->range[begin].first,
			bvh_list_begin(k + 1, it.count) - begin, it.info, 0 };

		for (uint32_t j = 0; j < part.count; j++)
			list[part.first + j] = s->range[begin + j];
		lsched_emit(x, BVH_LIST, &part);
	}
}

#endif
