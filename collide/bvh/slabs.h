/* Planes between the slabs of bricks of cells, by lanes of warps: 16 lanes, a warp or all warps of
 * a block take one brick. The lanes of a brick are divided among its axes, so that each axis has
 * about as many; a slab has one lane or some of them, which share its cells. Unions and numbers up
 * to a lane are then scans over the lanes of an axis: those at the last lane of a slab are what is
 * before the plane behind it. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_SLABS_H
#define COLLIDE_BVH_SLABS_H

#include "collide/bvh/grid.h"
#include "collide/bvh/group.h"

#ifndef __CUDACC__
#include "collide/bvh/serial.h"
#endif

/* Slabs of the axes of a brick that have planes. */
LSCHED_FN uint32_t bvh_brick_slabs(const bvh_brick *b)
{
	uint32_t sum = 0;

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const uint32_t n = bvh_brick_slab(b->high, axis) - bvh_brick_slab(b->low, axis);

		sum += n > 1 ? n : 0;
	}
	return sum;
}

/* The number of bits of n - 1, n > 0. */
LSCHED_FN uint32_t bvh_bits_for(uint32_t n)
{
#ifdef __CUDA_ARCH__
	return n > 1 ? 32u - (uint32_t)__clz((int)(n - 1)) : 0;
#else
	uint32_t bits = 0;

	while (1u << bits < n)
		bits++;
	return bits;
#endif
}

enum { BVH_WARP_BITS = LSCHED_LANES > 1 ? 5 : 0 }; /* a warp has 1 << 5 lanes */

#if LSCHED_LANES > 1

/* Lanes that a lane belongs to: those of its brick are 1 << bits, of which this warp has those from
 * `base` on, beginning at its lane `first`. */
typedef struct bvh_slab_room {
	uint32_t bits, base, first;
} bvh_slab_room;

/* What a lane sums: part `part` of 1 << bits of a slab, and the lanes begin .. end - 1 of its axis,
 * numbers among those of the brick. */
typedef struct bvh_slab_lane {
	uint32_t axis;        /* 3: none */
	uint32_t slab, slabs; /* of the axis, from the brick's first one on */
	uint32_t part, bits;
	uint32_t begin, end;
} bvh_slab_lane;

/* Sums up to a lane, within its axis: unions of slabs up to it and from it on (later: from the next
 * one on), primitives and cells with primitives up to it. */
typedef struct bvh_slab_sums {
	uint32_t before[3], behind[3], left, occupied;
} bvh_slab_sums;

/* Divides lanes among the slabs of a brick, of which there are at most as many. */
LSCHED_TASK_FN bvh_slab_lane bvh_slab_share(const bvh_brick *b, const bvh_slab_room *room)
{
	const uint32_t k = room->base + lsched_lane() - room->first;
	uint32_t n[3], size[3], bits[3], lanes[3], share = room->bits, total;
	bvh_slab_lane s;

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		n[axis] = bvh_brick_slab(b->high, axis) - bvh_brick_slab(b->low, axis);
		size[axis] = bvh_bits_for(n[axis]);
	}
	do {
		share--;
		total = 0;
		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++) {
			bits[axis] = share > size[axis] ? share - size[axis] : 0;
			lanes[axis] = n[axis] > 1 ? n[axis] << bits[axis] : 0;
			total += lanes[axis];
		}
	} while (share && total > 1u << room->bits);
	s.axis = k < lanes[0] ? 0 : k < lanes[0] + lanes[1] ? 1 : k < total ? 2 : 3;
	s.begin = s.axis == 0 ? 0 : s.axis == 1 ? lanes[0] : lanes[0] + lanes[1];
	s.end = s.axis == 0 ? lanes[0] : s.axis == 1 ? lanes[0] + lanes[1] : total;
	s.slabs = s.axis == 0 ? n[0] : s.axis == 1 ? n[1] : n[2];
	s.bits = s.axis == 0 ? bits[0] : s.axis == 1 ? bits[1] : bits[2];
	s.slab = (k - s.begin) >> s.bits;
	s.part = (k - s.begin) & ((1u << s.bits) - 1);
	return s;
}

/* Cells of a slab that a lane adds up: rows of `row` cells, `step` apart, from cell `at` on; `wrap`
 * leads from the end of a row to the next one. */
typedef struct bvh_slab_walk {
	uint32_t at, row, step, wrap, cells;
} bvh_slab_walk;

LSCHED_TASK_FN bvh_slab_walk bvh_slab_cells(
	const bvh_grid *g, const bvh_brick *b, const bvh_slab_lane *s)
{
	const uint32_t y = g->bits[0], z = y + g->bits[1], parts = 1u << s->bits;
	const uint32_t first = s->axis == 0 ? 1 : 0, second = s->axis == 2 ? 1 : 2;
	const uint32_t low = bvh_brick_slab(b->low, first), low2 = bvh_brick_slab(b->low, second);
	const uint32_t n = bvh_brick_slab(b->high, first) - low;
	const uint32_t n2 = bvh_brick_slab(b->high, second) - low2;
	const uint32_t shift = s->axis == 0 ? y : 0, shift2 = s->axis == 2 ? y : z;
	/* lanes share the longer ones */
	const int swap = n2 > n;
	const uint32_t longer = swap ? n2 : n, across = swap ? shift2 : shift;
	const uint32_t along = swap ? shift : shift2;
	const uint32_t own = s->axis == 0 ? 0 : s->axis == 1 ? y : z;
	bvh_slab_walk w;

	w.at = (bvh_brick_slab(b->low, s->axis) + s->slab) << own | low << shift | low2 << shift2;
	w.at += s->part << across;
	w.row = s->part < longer ? (longer - s->part + parts - 1) >> s->bits : 0;
	w.step = parts << across;
	w.wrap = (1u << along) - w.row * w.step;
	w.cells = s->axis < 3 ? w.row * (swap ? n : n2) : 0;
	return w;
}

/* The sums of a lane alone. */
LSCHED_TASK_FN bvh_slab_sums bvh_slab_add(
	const bvh_bin *cell, const bvh_grid *g, const bvh_brick *b, const bvh_slab_lane *s)
{
	const bvh_slab_walk w = bvh_slab_cells(g, b, s);
	uint32_t at = w.at, left = w.row;
	bvh_slab_sums sums = { { 0, 0, 0 }, { 0, 0, 0 }, 0, 0 };

	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < w.cells; k += 4) {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 4; j++) {
			const uint32_t is = k + j < w.cells;
			const bvh_bin bin = cell[bvh_cell_place(is ? at : w.at)];

			bvh_extend(sums.before, bin.word); /* a cell may come twice */
			sums.left += is ? bin.count : 0;
			sums.occupied += is && bin.count;
			at += w.step;
			if (--left == 0) {
				at += w.wrap;
				left = w.row;
			}
		}
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		sums.behind[k] = sums.before[k];
	return sums;
}

/* The first and the last lane of the warp that the lane's axis has. */
typedef struct bvh_slab_span {
	uint32_t first, last;
} bvh_slab_span;

LSCHED_TASK_FN bvh_slab_span bvh_slab_span_of(const bvh_slab_lane *s, const bvh_slab_room *room)
{
	const uint32_t lanes = room->bits < BVH_WARP_BITS ? 1u << room->bits : LSCHED_LANES;
	const uint32_t begin = s->begin > room->base ? s->begin - room->base : 0;
	const uint32_t end = s->end - room->base < lanes ? s->end - room->base : lanes;
	bvh_slab_span v = { lsched_lane(), lsched_lane() };

	if (s->axis < 3) {
		v.first = room->first + begin;
		v.last = room->first + end - 1;
	}
	return v;
}

/* Adds the sums of the other lanes of the axis in this warp. All lanes of a warp. */
LSCHED_TASK_FN void bvh_slab_scan(const bvh_slab_span *v, uint32_t bits, bvh_slab_sums *sums)
{
	const uint32_t lane = lsched_lane(),
		       lanes = bits < BVH_WARP_BITS ? 1u << bits : LSCHED_LANES;

	LSCHED_NO_UNROLL
	for (uint32_t d = 1; d < lanes; d *= 2) {
		const uint32_t low = lane >= v->first + d ? lane - d : v->first;
		const uint32_t high = lane + d <= v->last ? lane + d : v->last;
		const uint32_t count = lsched_i_shfl(sums->left, low);
		const uint32_t occupied = lsched_i_shfl(sums->occupied, low);

		sums->left += lane >= v->first + d ? count : 0;
		sums->occupied += lane >= v->first + d ? occupied : 0;
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t a = lsched_i_shfl(sums->before[k], low);
			const uint32_t b = lsched_i_shfl(sums->behind[k], high);

			sums->before[k] = bvh_max2(sums->before[k], a);
			sums->behind[k] = bvh_max2(sums->behind[k], b);
		}
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const uint32_t next = lsched_i_shfl_down(sums->behind[k], 1);

		sums->behind[k] = lane < v->last ? next : 0;
	}
}

/* The plane behind the lane's slab; BVH_NO_COST: none. */
LSCHED_TASK_FN uint64_t bvh_slab_cost(
	const bvh_slab_lane *s, const bvh_slab_sums *sums, uint32_t count, int even)
{
	const uint32_t left = sums->left, rest = count - left;

	if (s->axis == 3 || s->part + 1 != 1u << s->bits || s->slab + 1 == s->slabs || !left ||
		!rest)
		return BVH_NO_COST;
	return even ? (left > rest ? left : rest)
		    : bvh_area(sums->before) * left + bvh_area(sums->behind) * rest;
}

/* The best plane of the lanes of a brick in this warp, in all of them; of equal costs the first
 * one. All lanes of a warp. */
LSCHED_TASK_FN bvh_brick_best bvh_slab_best(const bvh_brick *b, const bvh_slab_room *room,
	const bvh_slab_lane *s, const bvh_slab_sums *sums, int even)
{
	const uint32_t lanes = room->bits < BVH_WARP_BITS ? 1u << room->bits : LSCHED_LANES;
	const lsched_lane_mask all =
		room->bits < BVH_WARP_BITS ? ((1u << lanes) - 1u) << room->first : ~0u;
	const uint64_t own = bvh_slab_cost(s, sums, b->count, even);
	const uint32_t id = s->axis << 8 | (bvh_brick_slab(b->low, s->axis) + s->slab + 1);
	bvh_brick_best best = { own, 0, 0, 0 };
	uint32_t from;

	if (lanes == LSCHED_LANES)
		best.cost = bvh_warp_least(own);
	else
		for (uint32_t d = lanes / 2; d; d /= 2) {
			const uint64_t other = lsched_i_shfl_xor(best.cost, d);

			best.cost = other < best.cost ? other : best.cost;
		}
	from = bvh_lowest(lsched_ballot(own == best.cost) & all);
	best.id = lsched_i_shfl(id, from);
	best.left = lsched_i_shfl(sums->left, from);
	best.occupied = lsched_i_shfl(sums->occupied, from);
	return best;
}

/* The sums of the lanes of a brick in this warp. All lanes of a warp. */
LSCHED_TASK_FN bvh_slab_sums bvh_slab_sum(const bvh_bin *cell, const bvh_grid *g,
	const bvh_brick *b, const bvh_slab_room *room, const bvh_slab_lane *s)
{
	const bvh_slab_span v = bvh_slab_span_of(s, room);
	bvh_slab_sums sums = bvh_slab_add(cell, g, b, s);

	bvh_slab_scan(&v, room->bits, &sums);
	return sums;
}

#endif
#endif
