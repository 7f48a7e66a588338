/* Passes over the records of a range by tiles. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_PASSES_H
#define COLLIDE_BVH_PASSES_H

#include "collide/bvh/cells.h"
#include "collide/bvh/slabs.h"

/* Records that a thread has at once: their loads do not wait for each other. */
enum { BVH_LOADS = 4, BVH_STEP = BVH_LOADS * LSCHED_LANES };

/* The bounds of some records' boxes. */
LSCHED_TASK_FN void bvh_frame_pass(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	bvh_open *o, uint32_t first, uint32_t count)
{
	const bvh_record *record = c->record[bvh_array(o->info)];
	const int is_whole = bvh_is_whole(c, o);
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };

	for (uint32_t base = lsched_thread(x); base < count;
		base += BVH_LOADS * lsched_threads(x)) {
		bvh_box box[BVH_LOADS];

		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_LOADS; j++) { /* some have a primitive twice */
			const uint32_t k = base + j * lsched_threads(x);
			const uint32_t at = first + (k < count ? k : count - 1);

			box[j] = c->box[is_whole ? at : record[at].number];
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_LOADS; j++)
			bvh_bounds_add(&b, &box[j]);
	}
	bvh_block_bounds(x, l, &b);
	if (lsched_thread(x) == 0) {
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 6; k++)
			bvh_far_max(&o->bounds.key[k], b.key[k]);
	}
	lsched_sync_item(x);
}

/* Makes or loads some records of a range, and counts them in its cells. */
LSCHED_TASK_FN void bvh_count_pass(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const bvh_open *o, uint32_t first, uint32_t count)
{
	bvh_record *record = c->record[bvh_array(o->info)] + first;
	const int is_whole = bvh_is_whole(c, o), is_first = o->pass == BVH_PASS_FIRST;
	const bvh_frame frame = o->frame;
	const bvh_grid g = o->grid;
	bvh_cell *cell = &c->cell[bvh_cells_at(o->first)];
	bvh_near *near = bvh_near_of(l, o);

	for (uint32_t base = bvh_warp(x) * BVH_STEP; base < count;
		base += bvh_warps(x) * BVH_STEP) {
		bvh_record r[BVH_LOADS];

		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_LOADS; j++) {
			const uint32_t k = base + j * LSCHED_LANES + lsched_lane();
			const uint32_t at = k < count ? k : count - 1;

			if (is_first) {
				const uint32_t number = is_whole ? first + at : record[at].number;

				r[j] = bvh_quantise(&c->box[number], &frame, number);
			} else {
				r[j] = record[at];
			}
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_LOADS; j++) {
			const uint32_t k = base + j * LSCHED_LANES + lsched_lane();

			if (is_first && k < count)
				record[k] = r[j];
			if (!near)
				bvh_count_lanes(cell, k < count, bvh_cell_of(&g, &r[j]), &r[j]);
			else if (k < count)
				bvh_near_add_cell(near, bvh_cell_of(&g, &r[j]), r[j].word);
		}
	}
	lsched_sync_item(x);
}

/* The ranks of a lane's records among those of their parts in the tile: the lanes with the same
 * part, whose numbers have so many bits, count theirs at once. Record j is one if base + j *
 * LSCHED_LANES is below `count`. All lanes of a warp. */
LSCHED_TASK_FN void bvh_rank_lanes(uint32_t *counts, uint32_t bits, uint32_t base, uint32_t count,
	const uint32_t part[BVH_LOADS], uint32_t rank[BVH_LOADS])
{
	lsched_lane_mask same[BVH_LOADS];

	LSCHED_UNROLL
	for (uint32_t j = 0; j < BVH_LOADS; j++)
		same[j] = lsched_ballot(base + j * LSCHED_LANES < count);
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < bits; k++) {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_LOADS; j++) {
			const uint32_t is_set = part[j] >> k & 1u;
			const lsched_lane_mask set = lsched_ballot((int)is_set);

			same[j] &= is_set ? set : ~set;
		}
	}
	LSCHED_UNROLL
	for (uint32_t j = 0; j < BVH_LOADS; j++) {
		const uint32_t below = lsched_popcount(same[j] & bvh_below());

		rank[j] = 0;
		if (base + j * LSCHED_LANES < count && below == 0)
			rank[j] = BVH_NEAR_ADD(&counts[part[j]], lsched_popcount(same[j]));
		rank[j] = lsched_i_shfl(rank[j], same[j] ? bvh_lowest(same[j]) : 0) + below;
	}
}

/* The records of a tile have moved: finds the small parts that are complete now. These need none of
 * the memory in which other tiles look for their parts, so that they are not to wait for them. */
LSCHED_TASK_FN void bvh_find_ready(lsched_range_items *x, bvh_local *l, bvh_cut *cut, uint32_t cuts)
{
	const bvh_moves *m = &l->u.moves;

	for (uint32_t k = lsched_thread(x); k < cuts; k += lsched_threads(x)) {
		const uint32_t count = m->count[k], all = cut[k].range.count;

		if (count == 0 || all > BVH_SMALL ||
			lsched_add(&cut[k].moved, count, ar, dev) + count != all)
			continue;
		const uint32_t own = BVH_NEAR_ADD(&l->readies, 1u);

		if (own < BVH_READY) { /* others wait until all tiles have returned */
			l->ready[own] = cut[k].range;
			lsched_st(&cut[k].moved, BVH_NONE, rlx, dev);
		}
	}
	lsched_sync_item(x);
}

/* Moves at most BVH_TILE records to their parts. */
LSCHED_TASK_FN void bvh_move_pass(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const bvh_open *o, uint32_t first, uint32_t count)
{
	const bvh_record *from = c->record[bvh_array(o->info)] + first;
	bvh_record *to = c->record[bvh_array(o->info) ^ 1u];
	const bvh_cell *cell = &c->cell[bvh_cells_at(o->first)];
	bvh_cut *cut = &c->cut[bvh_cells_at(o->first)];
	const bvh_grid g = o->grid;
	const uint32_t cuts = o->cuts, bits = bvh_bits_for(cuts);
	const bvh_near *near = bvh_near_of(l, o);
	bvh_moves *m = &l->u.moves;

	for (uint32_t k = lsched_thread(x); k < cuts; k += lsched_threads(x))
		m->begin[k] = 0;
	if (lsched_thread(x) == 0)
		l->readies = 0;
	lsched_sync_item(x);
	for (uint32_t base = bvh_warp(x) * BVH_STEP; base < count;
		base += bvh_warps(x) * BVH_STEP) {
		uint32_t part[BVH_LOADS], rank[BVH_LOADS];

		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_LOADS; j++) {
			const uint32_t k = base + j * LSCHED_LANES + lsched_lane();
			const bvh_record r = from[k < count ? k : count - 1];
			const uint32_t at = bvh_cell_of(&g, &r);

			part[j] = near ? near->count[at] : cell[at].part;
		}
		bvh_rank_lanes(m->begin, bits, base + lsched_lane(), count, part, rank);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < BVH_LOADS; j++) {
			const uint32_t k = base + j * LSCHED_LANES + lsched_lane();

			if (k < count)
				m->tag[k] = part[j] | rank[j] << BVH_CELL_BITS;
		}
	}
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < cuts; k += lsched_threads(x)) {
		const uint32_t own = m->begin[k];

		if (!near)
			m->count[k] = (uint16_t)own;
		if (own)
			m->begin[k] = cut[k].range.first + lsched_add(&cut[k].taken, own, rlx, dev);
	}
	lsched_sync_item(x);
	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x)) {
		const uint32_t tag = m->tag[k];

		to[m->begin[tag & (BVH_CELLS - 1)] + (tag >> BVH_CELL_BITS)] = from[k];
	}
	lsched_sync_item(x);
	if (!near)
		bvh_find_ready(x, l, cut, cuts);
}

/* The pass of an open range over at most BVH_TILE of its records. Returns how many parts are in
 * l->ready, which no other item emits. All threads. */
LSCHED_TASK_FN uint32_t bvh_pass(lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o,
	uint32_t first, uint32_t count)
{
	const uint32_t pass = o->pass;
	/* read now: another worker may open the range again once thread 0 has returned */
	const int may_emit = pass == BVH_PASS_MOVE && !bvh_near_of(l, o);

	if (pass == BVH_PASS_FRAME)
		bvh_frame_pass(x, c, l, o, first, count);
	else if (pass == BVH_PASS_MOVE)
		bvh_move_pass(x, c, l, o, first, count);
	else
		bvh_count_pass(x, c, l, o, first, count);
	if (!may_emit)
		return 0;
	return l->readies < BVH_READY ? l->readies : BVH_READY;
}

#endif
