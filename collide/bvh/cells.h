/* Cells of a range: additions of primitives while its records are counted, and the cells of the
 * tree over cells. Those of a range that has tiles are in memory of the device, those of a range
 * that a block divides alone in its fast memory. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_CELLS_H
#define COLLIDE_BVH_CELLS_H

#include "collide/bvh/grid.h"
#include "collide/bvh/group.h"

/* Rounds in which lanes of the same cell or part join; the others go alone. */
enum { BVH_JOIN_ROUNDS = 4, BVH_JOIN_LEAST = 3 };

/* Adds primitives to a cell by the lanes of a warp: all lanes have the same values. */
LSCHED_TASK_FN void bvh_warp_add_cell(bvh_cell *to, const uint32_t word[3], uint32_t count)
{
	for (uint32_t k = lsched_lane(); k < 7; k += LSCHED_LANES) {
		const uint32_t w = k / 2 == 0 ? word[0] : k / 2 == 1 ? word[1] : word[2];

		if (k < 6)
			bvh_far_max(&to->half[k], w >> 16 * (k & 1u) & 0xffffu);
		else
			(void)lsched_add(&to->count, count, rlx, dev);
	}
}

/* Adds a primitive to a cell. */
LSCHED_TASK_FN void bvh_far_add_cell(bvh_cell *to, const uint32_t word[3])
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		bvh_far_max(&to->half[2 * k], word[k] & 0xffffu);
		bvh_far_max(&to->half[2 * k + 1], word[k] >> 16);
	}
	(void)lsched_add(&to->count, 1u, rlx, dev);
}

/* Adds a primitive to a cell in fast memory. */
LSCHED_TASK_FN void bvh_near_add_cell(bvh_near *to, uint32_t at, const uint32_t word[3])
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		(void)BVH_NEAR_MAX(&to->half[2 * k][at], word[k] & 0xffffu);
		(void)BVH_NEAR_MAX(&to->half[2 * k + 1][at], word[k] >> 16);
	}
	(void)BVH_NEAR_ADD(&to->count[at], 1u);
}

/* Counts a record of each active lane in its cell. Neighbours are often in the same cell, and
 * atomic operations there would wait for each other. All lanes of a warp. */
LSCHED_TASK_FN void bvh_count_lanes(bvh_cell *cell, int active, uint32_t at, const bvh_record *r)
{
	lsched_lane_mask rest = lsched_ballot(active), alone = 0;

	for (uint32_t round = 0; round < BVH_JOIN_ROUNDS && rest; round++) {
		const uint32_t common = lsched_i_shfl(at, bvh_lowest(rest));
		const lsched_lane_mask same = lsched_ballot(active && at == common);
		const int is_in = active && at == common;

		rest &= ~same;
		if (lsched_popcount(same) < BVH_JOIN_LEAST) {
			alone |= same;
		} else {
			uint32_t word[3] = { is_in ? r->word[0] : 0, is_in ? r->word[1] : 0,
				is_in ? r->word[2] : 0 };

			bvh_warp_union(word);
			bvh_warp_add_cell(&cell[common], word, lsched_popcount(same));
		}
	}
	alone |= rest;
	if (alone >> lsched_lane() & 1u)
		bvh_far_add_cell(&cell[at], r->word);
}

/* Clears `cells` cells of an open range by the threads from `from` on. */
LSCHED_TASK_FN void bvh_clear_most(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const bvh_open *o, uint32_t cells, uint32_t from)
{
	bvh_cell *cell = &c->cell[bvh_cells_at(o->first)];
	bvh_near *near = bvh_near_of(l, o);
	const bvh_cell none = { { 0, 0, 0, 0, 0, 0 }, 0, 0 };

	if (lsched_thread(x) < from)
		return;
	for (uint32_t k = lsched_thread(x) - from; k < cells; k += lsched_threads(x) - from) {
		if (!near) {
			cell[k] = none;
			continue;
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 6; j++)
			near->half[j][k] = 0;
		near->count[k] = 0;
	}
}

/* Clears the cells of an open range. All threads. */
LSCHED_TASK_FN void bvh_clear_cells(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, const bvh_open *o)
{
	bvh_clear_most(x, c, l, o, bvh_cells(&o->grid), 0);
	lsched_sync_item(x);
}

LSCHED_FN bvh_bin bvh_make_bin(const uint32_t half[6], uint32_t count)
{
	const bvh_bin b = {
		{ half[0] | half[1] << 16, half[2] | half[3] << 16, half[4] | half[5] << 16 }, count
	};

	return b;
}

/* Sets the cells of the tree over cells from those in fast memory. Returns how many of this
 * thread's cells have primitives. */
LSCHED_TASK_FN uint32_t bvh_load_near(
	lsched_range_items *x, bvh_bricks *t, const bvh_near *near, uint32_t cells)
{
	uint32_t occupied = 0;

	for (uint32_t k = lsched_thread(x); k < cells; k += lsched_threads(x)) {
		uint32_t half[6];

		LSCHED_UNROLL
		for (uint32_t j = 0; j < 6; j++)
			half[j] = near->half[j][k];
		t->cell[bvh_cell_place(k)] = bvh_make_bin(half, near->count[k]);
		occupied += near->count[k] != 0;
	}
	return occupied;
}

/* The same from those in memory of the device. */
LSCHED_TASK_FN uint32_t bvh_load_far(
	lsched_range_items *x, bvh_bricks *t, const bvh_cell *cell, uint32_t cells)
{
	uint32_t occupied = 0;

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < cells; k += lsched_threads(x)) {
		const bvh_cell at = cell[k]; /* complete: all tiles have returned */

		t->cell[bvh_cell_place(k)] = bvh_make_bin(at.half, at.count);
		occupied += at.count != 0;
	}
	return occupied;
}

#endif
