/* The tree over the cells of a range, by a block: a warp finds the best plane of a brick of cells
 * and splits it. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_BRICKS_H
#define COLLIDE_BVH_BRICKS_H

#include "collide/bvh/passes.h"

#ifndef __CUDACC__
#include "collide/bvh/serial.h"
#endif

#if LSCHED_LANES == 1

LSCHED_TASK_FN bvh_brick_best bvh_brick_plane(
	const bvh_bin *cell, const bvh_grid *g, const bvh_brick *b)
{
	return bvh_serial_brick_plane(cell, g, b);
}

#else

/* Slabs 2 x lane and 2 x lane + 1 of each axis. All three axes take each step together, since lanes
 * wait for each other in each. */
typedef struct bvh_slabs {
	uint32_t box[3][2][3], count[3][2];
} bvh_slabs;

/* Two axes of a slab, for loops over its cells. */
typedef struct bvh_slab_walk {
	uint32_t base, size[2], stride[2];
} bvh_slab_walk;

/* Adds those cells of a slab to it that have the numbers from, from + step .. of the first axis.
 * *occupied: cells with primitives. */
LSCHED_TASK_FN void bvh_slab_add(const bvh_bin *cell, const bvh_slab_walk *w, uint32_t from,
	uint32_t step, bvh_bin *sum, uint32_t *occupied)
{
	LSCHED_NO_UNROLL
	for (uint32_t v = 0; v < w->size[1]; v++) {
		const uint32_t row = w->base + v * w->stride[1];

		LSCHED_UNROLL_LOADS
		for (uint32_t u = from; u < w->size[0]; u += step) {
			const bvh_bin at = cell[bvh_cell_place(row + u * w->stride[0])];

			bvh_extend(sum->word, at.word);
			sum->count += at.count;
			*occupied += at.count != 0;
		}
	}
}

/* Lanes that share a slab of n. */
LSCHED_FN uint32_t bvh_slab_lanes(uint32_t n)
{
	return n > 16 ? 1 : n > 8 ? 2 : n > 4 ? 4 : n > 2 ? 8 : 16;
}

/* Sums of this lane over an axis: up to 32 slabs some lanes each, of more two slabs a lane. */
LSCHED_TASK_FN void bvh_lane_slabs(const bvh_bin *cell, const bvh_grid *g, const bvh_brick *b,
	uint32_t axis, bvh_slabs *s, uint32_t *occupied)
{
	const uint32_t lane = lsched_lane(), low = bvh_brick_slab(b->low, axis);
	const uint32_t n = bvh_brick_slab(b->high, axis) - low, lanes = bvh_slab_lanes(n);
	const uint32_t y = 1u << g->bits[0], z = y << g->bits[1];
	const uint32_t first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
	const uint32_t from[2] = { bvh_brick_slab(b->low, first), bvh_brick_slab(b->low, second) };
	const uint32_t stride[2] = { axis == 0 ? y : 1, axis == 2 ? y : z };
	const uint32_t own = axis == 0 ? 1 : axis == 1 ? y : z;

	LSCHED_UNROLL
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t slab = n > LSCHED_LANES ? 2 * lane + half : lane / lanes;
		const bvh_slab_walk w = { (low + slab) * own + from[0] * stride[0] +
						  from[1] * stride[1],
			{ bvh_brick_slab(b->high, first) - from[0],
				bvh_brick_slab(b->high, second) - from[1] },
			{ stride[0], stride[1] } };
		bvh_bin sum = { { 0, 0, 0 }, 0 };

		if (slab < n && (half == 0 || n > LSCHED_LANES))
			bvh_slab_add(cell, &w, lane & (lanes - 1), lanes, &sum, occupied);
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			s->box[axis][half][k] = sum.word[k];
		s->count[axis][half] = sum.count;
	}
}

/* Adds up what lanes have of the same slab, and gives each lane its two slabs. */
LSCHED_TASK_FN void bvh_share_slabs(const bvh_brick *b, bvh_slabs *s)
{
	const uint32_t lane = lsched_lane();
	uint32_t n[3], lanes[3];

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		n[axis] = bvh_brick_slab(b->high, axis) - bvh_brick_slab(b->low, axis);
		lanes[axis] = bvh_slab_lanes(n[axis]);
	}
	LSCHED_NO_UNROLL
	for (uint32_t d = 1; d < LSCHED_LANES / 2; d *= 2) {
		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++) {
			const int is_same = d < lanes[axis];
			const uint32_t count = lsched_i_shfl_xor(s->count[axis][0], d);

			s->count[axis][0] += is_same ? count : 0;
			LSCHED_UNROLL
			for (uint32_t k = 0; k < 3; k++) {
				const uint32_t word = lsched_i_shfl_xor(s->box[axis][0][k], d);

				s->box[axis][0][k] =
					bvh_max2(s->box[axis][0][k], is_same ? word : 0);
			}
		}
	}
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const int is_shared = n[axis] <= LSCHED_LANES;
		bvh_bin own = { { s->box[axis][0][0], s->box[axis][0][1], s->box[axis][0][2] },
			s->count[axis][0] };

		LSCHED_UNROLL
		for (uint32_t half = 0; half < 2; half++) {
			const int has = 2 * lane + half < n[axis];
			const uint32_t from = has ? (2 * lane + half) * lanes[axis] : lane;
			const uint32_t count = lsched_i_shfl(own.count, from);

			s->count[axis][half] = is_shared ? has ? count : 0 : s->count[axis][half];
			LSCHED_UNROLL
			for (uint32_t k = 0; k < 3; k++) {
				const uint32_t word = lsched_i_shfl(own.word[k], from);

				s->box[axis][half][k] =
					is_shared ? has ? word : 0 : s->box[axis][half][k];
			}
		}
	}
}

/* The unions of the slabs of the lanes below and above this one, and the numbers below. */
LSCHED_TASK_FN void bvh_scan_slabs(
	const bvh_slabs *s, uint32_t before[3][3], uint32_t behind[3][3], uint32_t left[3])
{
	const uint32_t lane = lsched_lane();

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		left[axis] = s->count[axis][0] + s->count[axis][1];
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			before[axis][k] = behind[axis][k] =
				bvh_max2(s->box[axis][0][k], s->box[axis][1][k]);
	}
	LSCHED_NO_UNROLL
	for (uint32_t d = 1; d < LSCHED_LANES; d *= 2) {
		const uint32_t low = lane >= d ? lane - d : 0;
		const uint32_t high = lane + d < LSCHED_LANES ? lane + d : LSCHED_LANES - 1;

		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++) {
			const uint32_t count = lsched_i_shfl(left[axis], low);

			left[axis] += lane >= d ? count : 0;
			LSCHED_UNROLL
			for (uint32_t k = 0; k < 3; k++) {
				const uint32_t a = lsched_i_shfl(before[axis][k], low);
				const uint32_t b = lsched_i_shfl(behind[axis][k], high);

				before[axis][k] = bvh_max2(before[axis][k], a);
				behind[axis][k] = bvh_max2(behind[axis][k], b);
			}
		}
	}
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		left[axis] -= s->count[axis][0] + s->count[axis][1];
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t a = lsched_i_shfl_up(before[axis][k], 1);
			const uint32_t b = lsched_i_shfl_down(behind[axis][k], 1);

			before[axis][k] = lane ? a : 0;
			behind[axis][k] = lane + 1 < LSCHED_LANES ? b : 0;
		}
	}
}

/* Compares the planes in front of the lane's slabs. */
LSCHED_TASK_FN void bvh_slab_planes(const bvh_slabs *s, uint32_t n, int even, bvh_brick_best *best)
{
	uint32_t before[3][3], behind[3][3], left[3];

	bvh_scan_slabs(s, before, behind, left);
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		LSCHED_UNROLL
		for (uint32_t half = 0; half < 2; half++) {
			const uint32_t below = half ? left[axis] + s->count[axis][0] : left[axis];
			const uint32_t rest = n - below;
			uint32_t low[3], high[3];
			uint64_t cost;

			LSCHED_UNROLL
			for (uint32_t k = 0; k < 3; k++) {
				const uint32_t own = s->box[axis][0][k];

				low[k] = bvh_max2(before[axis][k], half ? own : 0);
				high[k] = bvh_max2(behind[axis][k], s->box[axis][1][k]);
				high[k] = bvh_max2(high[k], half ? 0 : own);
			}
			cost = even ? (below > rest ? below : rest)
				    : bvh_area(low) * below + bvh_area(high) * rest;
			if (below && rest && cost < best->cost) {
				best->cost = cost;
				best->id = axis << 8 | (2 * lsched_lane() + half);
				best->left = below;
			}
		}
	}
}

/* Finds the best plane of a brick; of equal costs the first one. All lanes of a warp. */
LSCHED_TASK_FN bvh_brick_best bvh_brick_plane(
	const bvh_bin *cell, const bvh_grid *g, const bvh_brick *b)
{
	const int even = g->by_number || bvh_brick_depth(b) >= BVH_EVEN_DEPTH;
	bvh_brick_best best = { BVH_NO_COST, 0, 0, 0, 0, { 0, 0, 0 } };
	uint32_t seen[3] = { 0, 0, 0 };
	bvh_slabs s;

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		bvh_lane_slabs(cell, g, b, axis, &s, &seen[axis]);
	bvh_share_slabs(b, &s);
	bvh_slab_planes(&s, b->count, even, &best);
	best.occupied = seen[0];
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2) {
		const uint64_t cost = lsched_i_shfl_xor(best.cost, k);
		const uint32_t id = lsched_i_shfl_xor(best.id, k);
		const uint32_t left = lsched_i_shfl_xor(best.left, k);
		const int is_less = cost < best.cost || (cost == best.cost && id < best.id);

		best.occupied += lsched_i_shfl_xor(best.occupied, k);
		best.cost = is_less ? cost : best.cost;
		best.id = is_less ? id : best.id;
		best.left = is_less ? left : best.left;
	}
	best.id += bvh_brick_slab(b->low, best.id >> 8);
	return best;
}

#endif

/* A brick becomes a part of the range: its cells get the part's number. All lanes of a warp. */
LSCHED_TASK_FN void bvh_brick_end(
	const bvh_ctx *c, bvh_bricks *t, const bvh_open *o, const bvh_brick *b)
{
	const uint32_t begin = bvh_cells_at(o->first), x0 = bvh_brick_slab(b->low, 0);
	const uint32_t y0 = bvh_brick_slab(b->low, 1), z0 = bvh_brick_slab(b->low, 2);
	const uint32_t nx = bvh_brick_slab(b->high, 0) - x0, ny = bvh_brick_slab(b->high, 1) - y0;
	const uint32_t all = nx * ny * (bvh_brick_slab(b->high, 2) - z0);
	uint32_t part = 0, box[3] = { 0, 0, 0 };

	if (lsched_lane() == 0)
		part = BVH_NEAR_ADD(&t->cuts, 1u);
	part = lsched_bcast(part);
	for (uint32_t k = lsched_lane(); k < all; k += LSCHED_LANES) {
		const uint32_t rest = k / nx, x = x0 + k % nx, y = y0 + rest % ny;
		const uint32_t z = z0 + rest / ny;
		const uint32_t id = x | (y | z << o->grid.bits[1]) << o->grid.bits[0];
		const bvh_bin at = t->cell[bvh_cell_place(id)];

		bvh_extend(box, at.word);
		c->cell[begin + id].part = part;
	}
	bvh_warp_union(box);
	if (lsched_lane() == 0) {
		const uint32_t info = bvh_info(bvh_array(o->info) ^ 1u, bvh_brick_depth(b));
		const lsched_range range = { b->first, b->count, info, b->link };
		bvh_cut *cut = &c->cut[begin + part];

		cut->range = range;
		lsched_st(&cut->taken, 0u, rlx, dev);
		if (b->count > BVH_BLOCK)
			cut->places = bvh_brick_places(o, b->low, b->high, box);
	}
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

/* Splits a brick, or makes it a part. All lanes of a warp. */
LSCHED_TASK_FN void bvh_brick_step(
	const bvh_ctx *c, bvh_bricks *t, bvh_open *o, const bvh_brick *from, uint32_t next)
{
	const bvh_brick b = *from;
	const int is_all = b.count == o->count;
	const bvh_brick_best best = bvh_brick_plane(t->cell, &o->grid, &b);
	const uint32_t stop = bvh_brick_stop(o->count);
	bvh_brick side[2];

	if (is_all && best.cost == BVH_NO_COST) {
		bvh_brick_closer(t, o);
		return;
	}
	if (!is_all && best.occupied <= BVH_FEW) {
		bvh_brick_end(c, t, o, &b);
		return;
	}
	bvh_brick_split(&b, best.id >> 8, best.id & 255u, best.left, side);
	if (lsched_lane() == 0)
		bvh_make_node(c, b.first + best.left, b.link);
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < 2; k++) {
		const bvh_brick part = k ? side[1] : side[0];

		if (part.count <= stop)
			bvh_brick_end(c, t, o, &part);
		else if (lsched_lane() == 0)
			t->brick[next & 1u][BVH_NEAR_ADD(&t->bricks[next % 3], 1u)] = part;
	}
}

/* Loads the cells of an open range to fast memory. */
LSCHED_TASK_FN void bvh_load_cells(
	lsched_range_items *x, const bvh_ctx *c, bvh_bricks *t, const bvh_open *o)
{
	const bvh_cell *cell = &c->cell[bvh_cells_at(o->first)];
	const uint32_t cells = bvh_cells(&o->grid);

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < cells; k += lsched_threads(x)) {
		const bvh_cell at = cell[k]; /* complete: all tiles have returned */
		const bvh_bin b = { { at.half[0] | at.half[1] << 16, at.half[2] | at.half[3] << 16,
					    at.half[4] | at.half[5] << 16 },
			at.count };

		t->cell[bvh_cell_place(k)] = b;
	}
}

/* Makes the tree over the cells of an open range, whose records are counted: sets the next pass.
 * All threads. */
LSCHED_TASK_FN void bvh_make_bricks(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o)
{
	bvh_bricks *t = &l->u.bricks;

	bvh_load_cells(x, c, t, o);
	if (lsched_thread(x) == 0) {
		t->brick[0][0] = bvh_brick_whole(o);
		t->bricks[0] = 1;
		t->bricks[1] = t->bricks[2] = t->cuts = 0;
	}
	lsched_sync_item(x);
	for (uint32_t round = 0; t->bricks[round % 3]; round++) {
		const uint32_t bricks = t->bricks[round % 3];

		if (lsched_thread(x) == 0)
			t->bricks[(round + 2) % 3] = 0; /* of the round before */
		for (uint32_t k = bvh_warp(x); k < bricks; k += bvh_warps(x))
			bvh_brick_step(c, t, o, &t->brick[round & 1u][k], round + 1);
		lsched_sync_item(x);
	}
	if (lsched_thread(x) == 0 && t->cuts) {
		o->cuts = t->cuts;
		o->pass = BVH_PASS_MOVE;
	}
}

/* Clears the cells of an open range. */
LSCHED_TASK_FN void bvh_clear_cells(lsched_range_items *x, const bvh_ctx *c, const bvh_open *o)
{
	bvh_cell *cell = &c->cell[bvh_cells_at(o->first)];
	const uint32_t cells = bvh_cells(&o->grid);
	const bvh_cell none = { { 0, 0, 0, 0, 0, 0 }, 0, 0 };

	for (uint32_t k = lsched_thread(x); k < cells; k += lsched_threads(x))
		cell[k] = none;
	lsched_sync_item(x);
}

/* A pass over all records of an open range has been made: sets the next one. Returns 1 if they have
 * moved to their parts. All threads. */
LSCHED_TASK_FN int bvh_follow(lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o)
{
	const uint32_t pass = o->pass;

	lsched_sync_item(x); /* all have read the pass */
	if (pass == BVH_PASS_MOVE)
		return 1;
	if (pass != BVH_PASS_FRAME)
		bvh_make_bricks(x, c, l, o);
	else if (lsched_thread(x) == 0)
		bvh_open_grid(c, o);
	lsched_sync_item(x);
	if (o->pass == BVH_PASS_MOVE)
		lsched_sync_item(x); /* all have read it, before tiles are made */
	else
		bvh_clear_cells(x, c, o);
	return 0;
}

#endif
