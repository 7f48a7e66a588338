/* What follows a pass over all records of a range. The tree over its cells is made by a block, or,
 * as soon as it has BVH_HANDED bricks that are to be split, by a block for each of them: the first
 * rounds have little to do at once, the later ones much. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_FOLLOW_H
#define COLLIDE_BVH_FOLLOW_H

#include "collide/bvh/bricks.h"

/* Gives the cells of this block's parts their numbers, and large parts their places. All
 * threads. */
LSCHED_TASK_FN void bvh_number_cells(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, const bvh_open *o)
{
	const bvh_bricks *t = &l->u.bricks;
	bvh_near *near = bvh_near_of(l, o);
	const uint32_t begin = bvh_cells_at(o->first), cuts = t->cuts;
	const uint32_t y = o->grid.bits[0], z = y + o->grid.bits[1];

	LSCHED_NO_UNROLL
	for (uint32_t k = bvh_warp(x); k < cuts; k += bvh_warps(x)) {
		const uint32_t part = t->part[k];
		bvh_cut *cut = &c->cut[begin + part];
		const uint32_t low = cut->low, high = cut->high;
		const int is_large = cut->range.count > BVH_SMALL;
		const uint32_t nx = bvh_brick_slab(high, 0) - bvh_brick_slab(low, 0);
		const uint32_t ny = bvh_brick_slab(high, 1) - bvh_brick_slab(low, 1);
		const uint32_t rows = ny * (bvh_brick_slab(high, 2) - bvh_brick_slab(low, 2));
		/* lanes share rows of cells along the first axis, some at once if they are short */
		const uint32_t size = bvh_bits_for(nx);
		const uint32_t bits = size > BVH_WARP_BITS ? BVH_WARP_BITS : size;
		const uint32_t from = lsched_lane() & ((1u << bits) - 1);
		uint32_t box[3] = { 0, 0, 0 };

		for (uint32_t row = lsched_lane() >> bits; row < rows; row += LSCHED_LANES >> bits)
			for (uint32_t i = from; i < nx; i += 1u << bits) {
				const uint32_t id = (bvh_brick_slab(low, 0) + i) |
						    (bvh_brick_slab(low, 1) + row % ny) << y |
						    (bvh_brick_slab(low, 2) + row / ny) << z;

				if (near)
					near->count[id] = part;
				else
					c->cell[begin + id].part = part;
				if (is_large)
					bvh_extend(box, t->cell[bvh_cell_place(id)].word);
			}
		if (!is_large)
			continue;
		bvh_warp_union(box);
		if (lsched_lane() == 0)
			cut->places = bvh_brick_places(o, low, high, box);
	}
}

/* Begins the tree over the cells of an open range. All threads. */
LSCHED_TASK_FN void bvh_begin_bricks(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o, int is_shared)
{
	const bvh_near *near = bvh_near_of(l, o);
	const uint32_t cells = bvh_cells(&o->grid);
	bvh_bricks *t = &l->u.bricks;
	uint32_t occupied = near ? bvh_load_near(x, t, near, cells)
				 : bvh_load_far(x, t, &c->cell[bvh_cells_at(o->first)], cells);

	occupied = bvh_warp_sum(occupied);
	if (lsched_lane() == 0)
		t->occupied[bvh_warp(x)] = occupied;
	lsched_sync_item(x);
	if (lsched_thread(x) == 0) {
		bvh_brick all = bvh_brick_whole(o);

		for (uint32_t k = 0; k < bvh_warps(x); k++)
			all.occupied += t->occupied[k];
		bvh_brick_begin(t, &all, is_shared);
		o->cuts = 0;
	}
	lsched_sync_item(x);
}

/* The bricks that other blocks split: in the array to which the records move later. */
LSCHED_FN bvh_brick *bvh_handed_bricks(const bvh_ctx *c, const bvh_open *o)
{
	return (bvh_brick *)(c->record[bvh_array(o->info) ^ 1u] + o->first);
}

/* Hands the bricks of a round to other blocks; returns how many. All threads. */
LSCHED_TASK_FN uint32_t bvh_hand_bricks(lsched_range_items *x, const bvh_ctx *c,
	const bvh_bricks *t, const bvh_open *o, uint32_t round)
{
	const uint32_t bricks = t->bricks[round % 3], count = bricks + t->narrow[round % 3];
	bvh_brick *to = bvh_handed_bricks(c, o);

	for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x))
		to[k] = t->brick[round & 1u][k < bricks ? k : BVH_AT_ONCE - 1 - (k - bricks)];
	return count;
}

/* Makes the tree over the cells of an open range, whose records are counted, and sets the next
 * pass. `may_hand`: other blocks may make a part of it. All threads. */
LSCHED_TASK_FN void bvh_make_bricks(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o, int may_hand)
{
	const int is_shared = may_hand && !bvh_near_of(l, o);
	bvh_bricks *t = &l->u.bricks;
	uint32_t round, handed;

	bvh_begin_bricks(x, c, l, o, is_shared);
	round = bvh_brick_rounds(x, c, t, o, is_shared ? BVH_HANDED : ~0u);
	bvh_number_cells(x, c, l, o);
	handed = bvh_hand_bricks(x, c, t, o, round);
	if (lsched_thread(x) != 0)
		return;
	if (!is_shared)
		o->cuts = t->cuts;
	o->handed = handed;
	if (handed)
		o->pass = BVH_PASS_BRICKS;
	else if (t->cuts)
		o->pass = BVH_PASS_MOVE;
}

/* Loads the cells of a brick. All threads. */
LSCHED_TASK_FN void bvh_load_brick(lsched_range_items *x, const bvh_ctx *c, bvh_bricks *t,
	const bvh_open *o, const bvh_brick *b)
{
	const bvh_cell *cell = &c->cell[bvh_cells_at(o->first)];
	const uint32_t y = o->grid.bits[0], z = y + o->grid.bits[1];
	const uint32_t nx = bvh_brick_slab(b->high, 0) - bvh_brick_slab(b->low, 0);
	const uint32_t ny = bvh_brick_slab(b->high, 1) - bvh_brick_slab(b->low, 1);
	const uint32_t nz = bvh_brick_slab(b->high, 2) - bvh_brick_slab(b->low, 2);

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < nx * ny * nz; k += lsched_threads(x)) {
		const uint32_t id = (bvh_brick_slab(b->low, 0) + k % nx) |
				    (bvh_brick_slab(b->low, 1) + k / nx % ny) << y |
				    (bvh_brick_slab(b->low, 2) + k / nx / ny) << z;
		const bvh_cell at = cell[id]; /* complete, as in bvh_load_far() */

		t->cell[bvh_cell_place(id)] = bvh_make_bin(at.half, at.count);
	}
}

/* Splits brick number k of those that were handed to other blocks. All threads. */
LSCHED_TASK_FN void bvh_handed(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o, uint32_t k)
{
	const bvh_brick b = bvh_handed_bricks(c, o)[k];
	bvh_bricks *t = &l->u.bricks;

	bvh_load_brick(x, c, t, o, &b);
	if (lsched_thread(x) == 0)
		bvh_brick_begin(t, &b, 1);
	lsched_sync_item(x);
	(void)bvh_brick_rounds(x, c, t, o, ~0u);
	bvh_number_cells(x, c, l, o);
	lsched_sync_item(x); /* all have, before the brick returns */
}

/* The bounds of an open range are known: the first warp sets its grid, while the others clear as
 * many cells as it may have. All threads. */
LSCHED_TASK_FN void bvh_follow_bounds(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o)
{
	const uint32_t from = lsched_threads(x) > LSCHED_LANES ? LSCHED_LANES : 0;

	if (lsched_thread(x) == 0)
		bvh_open_grid(c, o);
	bvh_clear_most(x, c, l, o, 1u << bvh_grid_bits(o->count), from);
}

/* A pass over all records of an open range has been made, or its bricks are split: sets the next
 * pass. Returns the number of its tiles or bricks; 0: the records have moved to their parts. All
 * threads. */
LSCHED_TASK_FN uint32_t bvh_follow(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o, int may_hand)
{
	const uint32_t pass = o->pass;
	uint32_t next, handed, count;

	lsched_sync_item(x); /* all have read the pass */
	if (pass == BVH_PASS_MOVE)
		return 0;
	if (pass == BVH_PASS_FIRST || pass == BVH_PASS_COUNT)
		bvh_make_bricks(x, c, l, o, may_hand);
	else if (pass == BVH_PASS_FRAME)
		bvh_follow_bounds(x, c, l, o);
	else if (lsched_thread(x) == 0)
		o->pass = BVH_PASS_MOVE;
	lsched_sync_item(x);
	next = o->pass;
	handed = o->handed;
	count = o->count;
	if (next == BVH_PASS_COUNT) /* all primitives are in one cell */
		bvh_clear_cells(x, c, l, o);
	else
		lsched_sync_item(x); /* all have read them, before the next items are made */
	return next == BVH_PASS_BRICKS ? handed : bvh_tiles(count, next);
}

#endif
