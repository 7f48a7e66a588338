/* Bins and the choice of a plane. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_BINS_H
#define COLLIDE_BVH_BINS_H

#include "collide/bvh/bvh.h"

/* The bin of a place is (place - base) * factor >> 27: an interval of `size` places, at most 65536,
 * has 16 bins. */
LSCHED_FN uint32_t bvh_factor(uint32_t size)
{
	return 0x80000000u / size;
}

LSCHED_FN uint32_t bvh_bin_of(uint32_t place, uint32_t base, uint32_t factor)
{
	return (place - base) * factor >> 27;
}

/* The first place of bin b = 0 .. 16. */
LSCHED_FN uint32_t bvh_edge(uint32_t b, uint32_t base, uint32_t factor)
{
	return base + ((b << 27) + (factor - 1)) / factor;
}

/* The union of bins from .. to - 1. */
LSCHED_FN bvh_bin bvh_bins_union(const bvh_bin *bin, uint32_t from, uint32_t to)
{
	bvh_bin all = { { 0, 0, 0 }, 0 };

	for (uint32_t k = from; k < to; k++) {
		bvh_extend(all.word, bin[k].word);
		all.count += bin[k].count;
	}
	return all;
}

/* No plane. */
#define BVH_NO_COST (~UINT64_C(0))

/* The cost of two sides. `even`: only their numbers count. */
LSCHED_FN uint64_t bvh_cost(const bvh_bin *left, const bvh_bin *right, int even)
{
	if (left->count == 0 || right->count == 0)
		return BVH_NO_COST;
	if (even)
		return left->count > right->count ? left->count : right->count;
	return bvh_area(left->word) * left->count + bvh_area(right->word) * right->count;
}

/* Planes of n primitives, BVH_SWEEP < n <= BVH_SMALL, in the order of their centres: one in each
 * part of so many, before the first centre that differs from the one before. */
LSCHED_FN uint32_t bvh_part_size(uint32_t n)
{
	return (n + BVH_PARTS - 1) / BVH_PARTS;
}

/* A plane and its cost in one word; the least one is taken: of equal costs the most even one, then
 * the first axis, then the first part. With all planes the part is what is left of the plane. Costs
 * have at most 43 bits here. BVH_NO_COST: no plane. */
LSCHED_FN uint64_t bvh_plane_key(
	uint64_t cost, uint32_t left, uint32_t right, uint32_t axis, uint32_t part)
{
	const uint32_t uneven = left > right ? left - right : right - left;

	return cost << 18 | uneven << 8 | axis << 6 | part;
}

LSCHED_FN uint64_t bvh_key_cost(uint64_t key)
{
	return key == BVH_NO_COST ? key : key >> 18;
}

LSCHED_FN uint32_t bvh_key_axis(uint64_t key)
{
	return (uint32_t)key >> 6 & 3u;
}

LSCHED_FN uint32_t bvh_key_part(uint64_t key)
{
	return (uint32_t)key & 63u;
}

/* The cost of plane `id`, behind bin id % 16 of axis id / 16. */
LSCHED_FN uint64_t bvh_plane_cost(const bvh_bin *bin, uint32_t id, int even)
{
	const bvh_bin *axis = bin + id / BVH_BINS * BVH_BINS;
	const bvh_bin left = bvh_bins_union(axis, 0, id % BVH_BINS + 1);
	const bvh_bin right = bvh_bins_union(axis, id % BVH_BINS + 1, BVH_BINS);

	return bvh_cost(&left, &right, even);
}

LSCHED_FN bvh_split bvh_plane(const bvh_places *p, uint32_t id)
{
	const uint32_t axis = id / BVH_BINS;
	const bvh_split s = { axis,
		bvh_edge(id % BVH_BINS + 1, p->base[axis], bvh_factor(p->size[axis])) };

	return s;
}

LSCHED_FN uint32_t bvh_place(const bvh_record *r, uint32_t axis)
{
	return axis == BVH_NUMBER ? r->number : bvh_centre(r->word, axis);
}

/* Limits the places of an axis to lo .. hi. */
LSCHED_FN void bvh_limit(bvh_places *p, uint32_t axis, uint32_t lo, uint32_t hi)
{
	const uint32_t end = p->base[axis] + p->size[axis] - 1;

	p->base[axis] = lo > p->base[axis] ? lo : p->base[axis];
	p->size[axis] = (hi < end ? hi : end) + 1 - p->base[axis];
}

/* The places of one side of a split: within its box and on that side. An empty side, which only a
 * split by numbers has, keeps those of both. */
LSCHED_FN bvh_places bvh_side(const bvh_places *p, bvh_split s, uint32_t right, const bvh_bin *side)
{
	bvh_places q = *p;

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		if (side->count)
			bvh_limit(&q, axis, bvh_lo(side->word, axis), bvh_hi(side->word, axis));
	if (right)
		bvh_limit(&q, s.axis, s.at, ~0u);
	else
		bvh_limit(&q, s.axis, 0, s.at - 1);
	return q;
}

/* The first number right of the middle of base .. base + size - 1. */
LSCHED_FN uint32_t bvh_number_middle(uint32_t base, uint32_t size)
{
	return base + size / 2;
}

/* The plane in the middle of the numbers. */
LSCHED_FN bvh_split bvh_number_split(const bvh_places *p)
{
	const bvh_split s = { BVH_NUMBER,
		bvh_number_middle(p->base[BVH_NUMBER], p->size[BVH_NUMBER]) };

	return s;
}

/* Sets the next pass over a large range whose bins and places are given; `id`: the best plane,
 * BVH_NONE: none, since all primitives are in one bin of each axis. */
LSCHED_FN void bvh_next_pass(bvh_open *o, const bvh_bin *bin, bvh_places p, uint32_t id)
{
	o->pass = BVH_PASS_MOVE;
	o->binned[0] = o->binned[1] = 1;
	if (id != BVH_NONE) {
		const bvh_bin *axis = bin + id / BVH_BINS * BVH_BINS;
		const uint32_t from = id % BVH_BINS + 1;
		const bvh_bin left = bvh_bins_union(axis, 0, from);
		const bvh_bin right = bvh_bins_union(axis, from, BVH_BINS);

		o->split = bvh_plane(&p, id);
		o->places[0] = bvh_side(&p, o->split, 0, &left);
		o->places[1] = bvh_side(&p, o->split, 1, &right);
		o->binned[0] = left.count > BVH_ROOM;
		o->binned[1] = right.count > BVH_ROOM;
	} else if (p.size[0] > 1 || p.size[1] > 1 || p.size[2] > 1) {
		for (uint32_t axis = 0; axis < 3; axis++) {
			const uint32_t base = p.base[axis], factor = bvh_factor(p.size[axis]);
			uint32_t b = 0;

			while (bin[axis * BVH_BINS + b].count == 0)
				b++;
			bvh_limit(&p, axis, bvh_edge(b, base, factor),
				bvh_edge(b + 1, base, factor) - 1);
		}
		o->pass = BVH_PASS_BIN;
		o->places[0] = p;
	} else {
		const bvh_bin none = { { 0, 0, 0 }, 0 };

		o->split = bvh_number_split(&p);
		o->places[0] = bvh_side(&p, o->split, 0, &none);
		o->places[1] = bvh_side(&p, o->split, 1, &none);
	}
}

/* Names the parent's child. */
LSCHED_FN void bvh_link(const bvh_ctx *c, uint32_t link, uint32_t child)
{
	if (link == BVH_NONE)
		c->top->root = child;
	else
		c->node[link >> 1].child[link & 1] = child;
}

/* Makes the node of a split at `position` and names it in its parent. */
LSCHED_FN void bvh_make_node(const bvh_ctx *c, uint32_t position, uint32_t link)
{
	c->up[position] = link;
	bvh_link(c, link, position);
}

/* The positions that the leaf at `first` has, and its primitives, in ascending order. */
LSCHED_FN void bvh_make_leaf(const bvh_ctx *c, uint32_t first, uint32_t count, uint32_t link,
	const uint32_t *number, bvh_box *box)
{
	*box = c->box[number[0]];
	for (uint32_t k = 0; k < count; k++) {
		c->order[first + k] = number[k];
		c->leaf[first + k].count = k ? 0 : count;
		if (k)
			bvh_box_extend(box, &c->box[number[k]]);
	}
	c->leaf[first].box = *box;
	c->leaf[first].primitive = number[0];
	c->leaf_up[first] = link;
	bvh_link(c, link, first | BVH_LEAF);
}

/* Whether n primitives become a leaf; area: of their box, cost: of the best plane. */
LSCHED_FN int bvh_is_leaf(const bvh_ctx *c, uint32_t n, uint64_t area, uint64_t cost, int even)
{
	if (n > c->leaf_most)
		return 0;
	return n == 1 || even || n * area <= area + cost;
}

/* Gives the box of a node or leaf to its parent; the second child of a parent goes on with the
 * parent's box, up to the root. */
LSCHED_FN void bvh_climb(const bvh_ctx *c, uint32_t link, bvh_box box)
{
	while (link != BVH_NONE) {
		const uint32_t node = link >> 1, side = link & 1;

		bvh_box other;

		c->node[node].box[side] = box;
		if (!(lsched_add(&c->arrived[node], 1u, ar, dev) & 1u))
			return;
		/* the left one first: of zeros of both signs its own stays */
		other = c->node[node].box[side ^ 1u];
		if (side) {
			bvh_box_extend(&other, &box);
			box = other;
		} else {
			bvh_box_extend(&box, &other);
		}
		link = c->up[node];
	}
	if (!(c->top->root & BVH_LEAF))
		c->node[0] = c->node[c->top->root];
}

#endif
