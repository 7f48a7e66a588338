/* Keys of planes, and nodes and leaves. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_BINS_H
#define COLLIDE_BVH_BINS_H

#include "collide/bvh/bvh.h"

/* No plane. */
#define BVH_NO_COST (~UINT64_C(0))

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

/* The first number right of the middle of base .. base + size - 1. */
LSCHED_FN uint32_t bvh_number_middle(uint32_t base, uint32_t size)
{
	return base + size / 2;
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
