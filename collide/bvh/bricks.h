/* Bricks of the cells of a range are split in rounds, by a block. The first ones have all lanes of
 * the block, later ones a warp each, and those of few slabs half a warp. Compiled for CPU and
 * GPU. */
#ifndef COLLIDE_BVH_BRICKS_H
#define COLLIDE_BVH_BRICKS_H

#include "collide/bvh/cells.h"
#include "collide/bvh/slabs.h"

/* A brick becomes a part of the range, whose cells get the part's number later. One thread. */
LSCHED_TASK_FN void bvh_brick_end(const bvh_ctx *c, bvh_bricks *t, bvh_open *o, const bvh_brick *b)
{
	const uint32_t info = bvh_info(bvh_array(o->info) ^ 1u, bvh_brick_depth(b));
	const lsched_range range = { b->first, b->count, info, b->link };
	const uint32_t own = BVH_NEAR_ADD(&t->cuts, 1u);
	const uint32_t number = t->is_shared ? lsched_add(&o->cuts, 1u, rlx, dev) : own;
	bvh_cut *cut = &c->cut[bvh_cells_at(o->first) + number];

	t->part[own] = (uint16_t)number;

	cut->range = range;
	cut->low = b->low;
	cut->high = b->high;
	lsched_st(&cut->taken, 0u, rlx, dev);
	lsched_st(&cut->moved, 0u, rlx, dev);
}

/* A brick is to be split in a round. One thread. */
LSCHED_TASK_FN void bvh_brick_add(bvh_bricks *t, uint32_t round, const bvh_brick *b)
{
#if LSCHED_LANES > 1
	const uint32_t slabs = bvh_brick_slabs(b);

	if (slabs <= BVH_FEW_LANES) {
		const uint32_t k = BVH_NEAR_ADD(&t->narrow[round % 3], 1u);

		t->brick[round & 1u][BVH_AT_ONCE - 1 - k] = *b;
		return;
	}
	(void)BVH_NEAR_MAX(&t->widest[round % 3], slabs);
#endif
	t->brick[round & 1u][BVH_NEAR_ADD(&t->bricks[round % 3], 1u)] = *b;
}

/* Splits a brick of round next - 1: a side of few primitives or cells becomes a part. Two threads:
 * one makes side 0, the other one side 1. */
LSCHED_TASK_FN void bvh_brick_follow(const bvh_ctx *c, bvh_bricks *t, bvh_open *o,
	const bvh_brick *b, const bvh_brick_best *best, uint32_t next, uint32_t k)
{
	bvh_brick side[2], own;

	bvh_brick_split(b, best, side);
	if (k == 0)
		bvh_make_node(c, b->first + best->left, b->link);
	own = k ? side[1] : side[0];
	if (own.count <= bvh_brick_stop(o->count) || own.occupied <= BVH_FEW)
		bvh_brick_end(c, t, o, &own);
	else
		bvh_brick_add(t, next, &own);
}

/* All primitives are in one cell. All lanes of a warp. */
LSCHED_TASK_FN void bvh_brick_closer(const bvh_bricks *t, bvh_open *o)
{
	const uint32_t all = bvh_cells(&o->grid);
	uint32_t id = 0, box[3] = { 0, 0, 0 };

	for (uint32_t k = lsched_lane(); k < all; k += LSCHED_LANES) {
		const bvh_bin at = t->cell[bvh_cell_place(k)];

		bvh_extend(box, at.word);
		id = at.count ? k : id;
	}
	bvh_warp_union(box);
	id = bvh_warp_most(id);
	if (lsched_lane() == 0)
		bvh_open_closer(o, id, box);
}

#if LSCHED_LANES == 1

/* The cells with primitives before the plane of a brick. */
static inline uint32_t bvh_serial_occupied(
	const bvh_bricks *t, const bvh_open *o, const bvh_brick *b, const bvh_brick_best *best)
{
	bvh_brick_sum before;
	bvh_brick side[2];

	bvh_brick_split(b, best, side);
	(void)bvh_serial_brick_plane(t->cell, &o->grid, &side[0], &before);
	return before.occupied;
}

/* The bricks of a round, by warps of one lane. */
LSCHED_TASK_FN void bvh_brick_round(
	lsched_range_items *x, const bvh_ctx *c, bvh_bricks *t, bvh_open *o, uint32_t round)
{
	const uint32_t bricks = t->bricks[round % 3];

	for (uint32_t k = bvh_warp(x); k < bricks; k += bvh_warps(x)) {
		const bvh_brick b = t->brick[round & 1u][k];
		bvh_brick_sum all;
		bvh_brick_best best = bvh_serial_brick_plane(t->cell, &o->grid, &b, &all);

		if (b.count == o->count && best.cost == BVH_NO_COST) {
			bvh_brick_closer(t, o);
			continue;
		}
		best.occupied = bvh_serial_occupied(t, o, &b, &best);
		for (uint32_t side = 0; side < 2; side++)
			bvh_brick_follow(c, t, o, &b, &best, round + 1, side);
	}
}

#else

LSCHED_TASK_FN int bvh_brick_is_even(const bvh_open *o, const bvh_brick *b)
{
	return o->grid.by_number || bvh_brick_depth(b) >= BVH_EVEN_DEPTH;
}

/* Adds to the sums of a lane those of its axis in the other warps of its brick. `own`: the warp,
 * from `first` to `end` - 1 are those of the brick. */
LSCHED_TASK_FN void bvh_brick_carry(const bvh_bricks *t, uint32_t first, uint32_t own, uint32_t end,
	uint32_t axis, bvh_slab_sums *sums)
{
	LSCHED_UNROLL_LOADS
	for (uint32_t j = first; j < end; j++) {
		const bvh_slab_total other = t->sum[j][axis];

		if (j < own) {
			bvh_extend(sums->before, other.bin.word);
			sums->left += other.bin.count;
			sums->occupied += other.occupied;
		} else if (j > own) {
			bvh_extend(sums->behind, other.bin.word);
		}
	}
}

/* The sums of each axis in a warp are at its last lane. All lanes of a warp. */
LSCHED_TASK_FN void bvh_brick_keep(bvh_bricks *t, uint32_t own, const bvh_slab_lane *s,
	const bvh_slab_room *room, const bvh_slab_sums *sums)
{
	const bvh_slab_total none = { { { 0, 0, 0 }, 0 }, 0 };
	const bvh_slab_total all = { { { sums->before[0], sums->before[1], sums->before[2] },
					     sums->left },
		sums->occupied };

	if (lsched_lane() < 3)
		t->sum[own][lsched_lane()] = none;
	lsched_sync_worker();
	if (s->axis < 3 && bvh_slab_span_of(s, room).last == lsched_lane())
		t->sum[own][s->axis] = all;
}

/* The best plane of all `warps` warps of a brick, in all lanes; axes ascend with the warps. All
 * lanes of a warp. */
LSCHED_TASK_FN bvh_brick_best bvh_brick_best_of(const bvh_bricks *t, uint32_t first, uint32_t warps)
{
	const uint32_t lane = lsched_lane();
	const bvh_brick_best own = t->best[first + (lane < warps ? lane : warps - 1)];
	bvh_brick_best best = own;
	uint32_t from;

	best.cost = bvh_warp_least(own.cost);
	from = bvh_lowest(lsched_ballot(own.cost == best.cost));
	best.id = lsched_i_shfl(own.id, from);
	best.left = lsched_i_shfl(own.left, from);
	best.occupied = lsched_i_shfl(own.occupied, from);
	return best;
}

/* Bricks of a round by 1 << bits lanes each, bits > BVH_WARP_BITS, as many at a time as eight warps
 * have lanes for. In the first pass lanes add up, in the second one they take the sums of the
 * brick's other warps. Where there are fewer warps, they add up in both. All threads. */
LSCHED_TASK_FN void bvh_brick_wide(lsched_range_items *x, const bvh_ctx *c, bvh_bricks *t,
	bvh_open *o, uint32_t round, uint32_t bits)
{
	const uint32_t bricks = t->bricks[round % 3], shift = bits - BVH_WARP_BITS,
		       warps = 1u << shift;
	const uint32_t at_once = BVH_BRICK_WARPS >> shift;
	const bvh_brick *brick = t->brick[round & 1u];
	bvh_slab_sums sums = { { 0, 0, 0 }, { 0, 0, 0 }, 0, 0 };
	bvh_slab_lane s = { 3, 0, 0, 0, 0, 0, 0 };

	for (uint32_t from = 0; from < bricks; from += at_once) {
		const uint32_t n = bricks - from < at_once ? bricks - from : at_once;

		LSCHED_NO_UNROLL
		for (uint32_t pass = 0; pass < 2; pass++) {
			LSCHED_NO_UNROLL
			for (uint32_t j = bvh_warp(x); j < n * warps; j += bvh_warps(x)) {
				const bvh_slab_room room = { bits, (j & (warps - 1)) * LSCHED_LANES,
					0 };
				const bvh_brick b = brick[from + (j >> shift)];
				const uint32_t first = j & ~(warps - 1);

				if (pass == 0 || bvh_warps(x) < BVH_BRICK_WARPS) {
					s = bvh_slab_share(&b, &room);
					sums = bvh_slab_sum(t->cell, &o->grid, &b, &room, &s);
				}
				if (pass == 0) {
					bvh_brick_keep(t, j, &s, &room, &sums);
				} else {
					bvh_brick_best best;

					bvh_brick_carry(t, first, j, first + warps,
						s.axis < 3 ? s.axis : 0, &sums);
					best = bvh_slab_best(
						&b, &room, &s, &sums, bvh_brick_is_even(o, &b));
					if (lsched_lane() == 0)
						t->best[j] = best;
				}
			}
			lsched_sync_item(x);
		}
		for (uint32_t k = bvh_warp(x); k < n; k += bvh_warps(x)) {
			const bvh_brick b = brick[from + k];
			const bvh_brick_best best = bvh_brick_best_of(t, k * warps, warps);

			if (b.count == o->count && best.cost == BVH_NO_COST)
				bvh_brick_closer(t, o);
			else if (lsched_lane() < 2)
				bvh_brick_follow(c, t, o, &b, &best, round + 1, lsched_lane());
		}
	}
}

/* Bricks of a round by a warp each, from number `from` on, and narrow ones by half a warp. All
 * threads. */
LSCHED_TASK_FN void bvh_brick_warps(lsched_range_items *x, const bvh_ctx *c, bvh_bricks *t,
	bvh_open *o, uint32_t round, uint32_t from)
{
	const uint32_t bricks = t->bricks[round % 3] - from, narrow = t->narrow[round % 3];
	const uint32_t units = bricks + (narrow + 1) / 2, half = lsched_lane() & BVH_FEW_LANES;
	const bvh_brick *brick = t->brick[round & 1u];

	LSCHED_NO_UNROLL
	for (uint32_t unit = bvh_warp(x); unit < units; unit += bvh_warps(x)) {
		const uint32_t is_narrow = unit >= bricks;
		const uint32_t k =
			is_narrow ? 2 * (unit - bricks) + half / BVH_FEW_LANES : from + unit;
		const int is = !is_narrow || k < narrow;
		const bvh_slab_room room = { BVH_WARP_BITS - is_narrow, 0, is_narrow ? half : 0 };
		const bvh_brick b = brick[is_narrow ? BVH_AT_ONCE - 1 - (is ? k : 0) : k];
		const bvh_slab_lane s = bvh_slab_share(&b, &room);
		const bvh_slab_sums sums = bvh_slab_sum(t->cell, &o->grid, &b, &room, &s);
		const bvh_brick_best best =
			bvh_slab_best(&b, &room, &s, &sums, bvh_brick_is_even(o, &b));

		if (is && lsched_lane() - room.first < 2)
			bvh_brick_follow(c, t, o, &b, &best, round + 1, lsched_lane() - room.first);
	}
}

/* The bricks of a round. The first round has one, which may have all primitives in one cell. */
LSCHED_TASK_FN void bvh_brick_round(
	lsched_range_items *x, const bvh_ctx *c, bvh_bricks *t, bvh_open *o, uint32_t round)
{
	const uint32_t bricks = t->bricks[round % 3], shared = bvh_bits_for(bricks);
	const uint32_t least = bvh_bits_for(t->widest[round % 3]);
	const uint32_t bits = shared < 3 && 8 - shared > least ? 8 - shared : least;

	if (bricks && bits > BVH_WARP_BITS)
		bvh_brick_wide(x, c, t, o, round, bits);
	bvh_brick_warps(x, c, t, o, round, bits > BVH_WARP_BITS ? bricks : 0);
}

#endif

/* Makes rounds of bricks until there are none, or `most` of them at least. Returns the number of
 * the round that was not made. All threads. */
LSCHED_TASK_FN uint32_t bvh_brick_rounds(
	lsched_range_items *x, const bvh_ctx *c, bvh_bricks *t, bvh_open *o, uint32_t most)
{
	uint32_t round = 0;

	for (;;) {
		const uint32_t left = t->bricks[round % 3] + t->narrow[round % 3];
		const uint32_t was = (round + 2) % 3; /* of the round before */

		if (left == 0 || left >= most)
			return round;
		if (lsched_thread(x) == 0)
			t->bricks[was] = t->narrow[was] = t->widest[was] = 0;
		bvh_brick_round(x, c, t, o, round);
		lsched_sync_item(x);
		round++;
	}
}

/* Prepares rounds, of which the first one has a brick. One thread. */
LSCHED_TASK_FN void bvh_brick_begin(bvh_bricks *t, const bvh_brick *b, int is_shared)
{
	for (uint32_t k = 0; k < 3; k++)
		t->bricks[k] = t->narrow[k] = t->widest[k] = 0;
	t->brick[0][0] = *b;
	t->bricks[0] = 1;
	t->cuts = 0;
	t->is_shared = (uint32_t)is_shared;
}

#endif
