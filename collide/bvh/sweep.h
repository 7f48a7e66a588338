/* The subtree of at most BVH_SWEEP primitives, by a warp: all its nodes of a depth at once. For
 * each axis lane k has the k-th primitive in the order of this axis; the primitives of a node
 * follow each other, at the same lanes for all axes. Unions of the boxes below and above a plane
 * are scans over the lanes of a node, so that all planes of all nodes are judged at once. Unions
 * and minima may have a lane twice: scans stop at the ends of the node by taking the last lane
 * again. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_SWEEP_H
#define COLLIDE_BVH_SWEEP_H

#include "collide/bvh/order.h"

/* Gives the box of a node or leaf of a subtree to its parent; the last one becomes the box of the
 * subtree. The first child of a node leaves its box at the position next to the plane on its side,
 * where no other box can be at this time: the subtree that ends or begins there is a part of it.
 * One thread. The addition orders the boxes of both children; compute-sanitizer's racecheck, which
 * sees barriers only, reports them. */
LSCHED_TASK_FN void bvh_small_climb(
	const bvh_ctx *c, bvh_small *s, bvh_small_tree *tree, uint32_t link, bvh_box box)
{
	const uint32_t top = tree->top & ~BVH_ARRIVED;

	link &= ~BVH_ARRIVED;
	while (link != top) {
		const uint32_t at = (link >> 1) - tree->first, side = link & 1;
		bvh_node *node = &c->node[link >> 1];
		bvh_box other;
		uint32_t was;

		s->place[at - 1 + side].box = box;
		was = lsched_add(&s->link[at], BVH_ARRIVED, ar, blk);
		if (!(was & BVH_ARRIVED))
			return;
		other = s->place[at - side].box;
		node->box[side] = box;
		node->box[side ^ 1u] = other;
		if (side) {
			bvh_box_extend(&other, &box);
			box = other;
		} else {
			bvh_box_extend(&box, &other);
		}
		link = was & ~BVH_ARRIVED;
	}
	tree->box = box;
}

/* Makes the node of a split at a position of fast memory. One thread. */
LSCHED_TASK_FN void bvh_small_node(
	const bvh_ctx *c, bvh_small *s, uint32_t first, uint32_t position, uint32_t link)
{
	s->link[position] = link & ~BVH_ARRIVED;
	bvh_make_node(c, first + position, link);
}

#if LSCHED_LANES > 1

/* What a lane has: for each axis the record at its position, by its place in the warp's array. */
typedef struct bvh_sweep {
	uint32_t at[3];
	uint32_t begin, end; /* positions of its node */
	uint32_t link;       /* of its node */
	uint32_t is_final;   /* its node is a leaf */
} bvh_sweep;

/* Sorts records with equal centres by their numbers. */
LSCHED_TASK_FN void bvh_sweep_order_equal(
	bvh_sweep *v, const uint32_t entry[3], uint32_t number, uint32_t n)
{
	const uint32_t lane = lsched_lane();
	uint32_t rank = 0, word[3];

	for (uint32_t k = 0; k < n; k++)
		rank += lsched_i_shfl(number, k) < number;
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const uint32_t own = lsched_i_shfl(rank, v->at[axis]);

		word[axis] = lane < n ? bvh_entry_centre(entry[axis]) << 10 | own << 5 | v->at[axis]
				      : ~0u;
	}
	bvh_sort_lanes(word);
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		v->at[axis] = lane < n ? word[axis] & 31u : lane;
}

enum { BVH_EXCHANGES = 4 }; /* of neighbours; then sorting is faster */

/* Makes the numbers of records with equal centres ascend, by exchanges of neighbours: two triangles
 * of a mesh often have equal centres, more of them rarely. `equal`: for each axis, whether the next
 * lane has the same centre. Returns whether the numbers ascend. */
LSCHED_TASK_FN int bvh_sweep_exchange(bvh_sweep *v, const bvh_warp_room *w, const int equal[3])
{
	const uint32_t lane = lsched_lane();
	uint32_t number[3];

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		number[axis] = w->record[v->at[axis]].number;
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k <= BVH_EXCHANGES; k++) {
		lsched_lane_mask wrong[3];

		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++) {
			const uint32_t next = lsched_i_shfl_down(number[axis], 1);

			wrong[axis] = lsched_ballot(equal[axis] & (number[axis] > next));
		}
		if ((wrong[0] | wrong[1] | wrong[2]) == 0)
			return 1;
		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++) { /* a lane with the next one */
			const lsched_lane_mask first = wrong[axis] & ~(wrong[axis] << 1);
			const uint32_t from =
				lane + (first >> lane & 1u) - (first << 1 >> lane & 1u);

			v->at[axis] = lsched_i_shfl(v->at[axis], from);
			number[axis] = lsched_i_shfl(number[axis], from);
		}
	}
	return 0;
}

/* Loads the records of a part, which is one node. */
LSCHED_TASK_FN void bvh_sweep_load(
	bvh_sweep *v, bvh_small *s, bvh_warp_room *w, const bvh_part *part)
{
	const uint32_t lane = lsched_lane(), n = part->count;
	uint32_t entry[3];
	bvh_record own;
	int equal[3];

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		uint32_t next;

		entry[axis] = s->order[part->buffer][axis][part->begin + (lane < n ? lane : 0)];
		next = lsched_i_shfl_down(entry[axis], 1);
		equal[axis] =
			(lane + 1 < n) & (bvh_entry_centre(next) == bvh_entry_centre(entry[axis]));
	}
	own = s->record[bvh_entry_at(entry[0])];
	w->record[lane] = own;
	if (lane < n) /* where the record is now; its centre is in the entries */
		s->centre[0][bvh_entry_at(entry[0])] = (uint16_t)lane;
	lsched_sync_worker();
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) { /* loads without branches */
		const uint32_t at = s->centre[0][bvh_entry_at(entry[axis])];

		v->at[axis] = lane < n ? at : lane;
	}
	if (!bvh_sweep_exchange(v, w, equal))
		bvh_sweep_order_equal(v, entry, own.number, n);
	/* a lane without a primitive is a leaf of its own */
	v->begin = lane < n ? 0 : lane;
	v->end = lane < n ? n : lane + 1;
	v->link = part->link;
	v->is_final = lane >= n;
}

/* For each axis the unions over the positions of the node up to this lane and from it on;
 * `longest`: of all nodes. */
LSCHED_TASK_FN void bvh_sweep_scan(const bvh_sweep *v, const bvh_warp_room *w, uint32_t longest,
	uint32_t before[3][3], uint32_t behind[3][3])
{
	const int32_t lane = (int32_t)lsched_lane();
	const int32_t begin = (int32_t)v->begin, last = (int32_t)v->end - 1;

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const bvh_record r = w->record[v->at[axis]];

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			before[axis][k] = behind[axis][k] = r.word[k];
	}
	LSCHED_NO_UNROLL
	for (uint32_t d = 1; d < longest; d *= 2) {
		const int32_t down = lane - (int32_t)d, up = lane + (int32_t)d;
		const int32_t low = down > begin ? down : begin, high = up < last ? up : last;

		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++) {
			LSCHED_UNROLL
			for (uint32_t k = 0; k < 3; k++) {
				const uint32_t a = lsched_i_shfl(before[axis][k], low);
				const uint32_t b = lsched_i_shfl(behind[axis][k], high);

				before[axis][k] = bvh_max2(before[axis][k], a);
				behind[axis][k] = bvh_max2(behind[axis][k], b);
			}
		}
	}
}

/* The best plane of the lane's node. *area: of its box. */
LSCHED_TASK_FN uint64_t bvh_sweep_plane(
	const bvh_sweep *v, const bvh_warp_room *w, uint32_t longest, int even, uint64_t *area)
{
	const uint32_t lane = lsched_lane(), last = v->end - 1;
	const uint32_t left = lane - v->begin + 1, right = last - lane;
	uint32_t before[3][3], behind[3][3];
	uint64_t least = 0, best;
	uint32_t by = 0;

	bvh_sweep_scan(v, w, longest, before, behind);
	/* The planes of a lane are as uneven, so that their costs decide. */
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const uint64_t own = bvh_area(before[axis]);
		const uint64_t from_here = bvh_area(behind[axis]) * (right + 1);
		const uint64_t rest = lsched_i_shfl_down(from_here, 1);
		const uint64_t cost = even ? (left > right ? left : right) : own * left + rest;

		*area = axis ? *area : lsched_i_shfl(own, last);
		by = axis && cost < least ? axis : by;
		least = axis && least <= cost ? least : cost;
	}
	best = lane < last ? bvh_plane_key(least, left, right, by, left) : BVH_NO_COST;
	LSCHED_NO_UNROLL
	for (uint32_t d = 1; d < longest; d *= 2) {
		const uint64_t other = lsched_i_shfl(best, lane + d < v->end ? lane + d : last);

		best = other < best ? other : best;
	}
	return lsched_i_shfl(best, v->begin);
}

/* Moves the records of the nodes to both sides of their planes, in the order of each axis. `key`:
 * the plane of the lane's node. */
LSCHED_TASK_FN void bvh_sweep_split(bvh_sweep *v, bvh_warp_room *w, uint64_t key)
{
	const uint32_t lane = lsched_lane(), by = bvh_key_axis(key), below = (1u << lane) - 1u;
	const uint32_t middle = v->begin + bvh_key_part(key), count = v->end - v->begin;
	const uint32_t node = (count == 32 ? ~0u : (1u << count) - 1u) << v->begin;

	w->left[by == 0 ? v->at[0] : by == 1 ? v->at[1] : v->at[2]] = !v->is_final && lane < middle;
	lsched_sync_worker();
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const uint32_t is_left = w->left[v->at[axis]];
		const uint32_t all = (uint32_t)lsched_ballot((int)is_left) & node;
		const uint32_t place = is_left ? v->begin + lsched_popcount(all & below)
					       : middle + lsched_popcount(node & ~all & below);

		w->order[axis][v->is_final ? lane : place] = v->at[axis];
	}
	lsched_sync_worker();
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		v->at[axis] = w->order[axis][lane];
	if (!v->is_final && lane < middle)
		v->end = middle;
	else if (!v->is_final)
		v->begin = middle;
}

/* Splits the nodes, which have one or two primitives, unless they become leaves. Every axis has the
 * same plane. */
LSCHED_TASK_FN void bvh_sweep_twos(const bvh_ctx *c, bvh_small *s, bvh_sweep *v,
	const bvh_warp_room *w, uint32_t first, uint32_t base, int even)
{
	const uint32_t lane = lsched_lane(), was = v->begin;
	const int is_two = !v->is_final && v->end - was == 2;
	const uint32_t other = is_two ? was + v->end - 1 - lane : lane;
	const bvh_record r = w->record[v->at[0]];
	const uint64_t own = bvh_area(r.word), cost = own + lsched_i_shfl(own, other);
	uint32_t all[3];

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		all[k] = bvh_max2(r.word[k], lsched_i_shfl(r.word[k], other));
	if (!is_two || bvh_is_leaf(c, 2, bvh_area(all), cost, even))
		return;
	if (lane == was)
		bvh_small_node(c, s, first, base + was + 1, v->link);
	v->link = (first + base + was + 1) << 1 | (lane != was);
	v->begin = lane;
	v->end = lane + 1;
}

/* Makes the leaves. */
LSCHED_TASK_FN void bvh_sweep_leaves(
	const bvh_ctx *c, bvh_small *s, const bvh_sweep *v, bvh_warp_room *w, const bvh_part *part)
{
	const uint32_t lane = lsched_lane(), n = part->count, count = v->end - v->begin;
	bvh_small_tree *tree = &s->tree[part->tree];
	const uint32_t number = w->record[v->at[0]].number, base = tree->first + part->begin;
	const uint32_t longest = bvh_warp_most(count);
	bvh_box box = c->box[number]; /* has been read for the frame a short time ago */
	uint32_t rank = 0;

	for (uint32_t k = 0; k < longest; k++) {
		const uint32_t at = v->begin + k < v->end ? v->begin + k : lane;

		rank += lsched_i_shfl(number, at) < number;
	}
	lsched_sync_worker(); /* all lanes have read their records */
	if (lane < n) {
		const uint32_t position = base + v->begin + rank;

		w->box[v->begin + rank] = box;
		c->order[position] = number;
		c->leaf[position].count = rank ? 0 : count;
		if (rank == 0)
			c->leaf[position].primitive = number;
	}
	lsched_sync_worker();
	if (lane >= n || lane != v->begin)
		return;
	box = w->box[lane];
	for (uint32_t k = 1; k < count; k++)
		bvh_box_extend(&box, &w->box[lane + k]);
	c->leaf[base + lane].box = box;
	c->leaf_up[base + lane] = v->link;
	bvh_link(c, v->link, (base + lane) | BVH_LEAF);
	bvh_small_climb(c, s, tree, v->link, box);
}

/* Makes the subtree of a part of at most BVH_SWEEP primitives. */
LSCHED_TASK_FN void bvh_warp_sweep(
	const bvh_ctx *c, bvh_small *s, bvh_warp_room *w, const bvh_part *part)
{
	const uint32_t lane = lsched_lane(), base = part->begin;
	const uint32_t first = s->tree[part->tree].first;
	uint32_t longest = part->count;
	bvh_sweep v;

	bvh_sweep_load(&v, s, w, part);
	for (uint32_t depth = part->depth;; depth++) {
		const int even = depth >= BVH_EVEN_DEPTH;
		const uint32_t was = v.begin;
		uint64_t area, key;
		uint32_t middle;

		if (longest <= 2) {
			bvh_sweep_twos(c, s, &v, w, first, base, even);
			break;
		}
		key = bvh_sweep_plane(&v, w, longest, even, &area);
		middle = was + bvh_key_part(key);
		v.is_final |=
			(uint32_t)bvh_is_leaf(c, v.end - v.begin, area, bvh_key_cost(key), even);
		if (lsched_ballot(!v.is_final) == 0)
			break;
		bvh_sweep_split(&v, w, key);
		if (!v.is_final) {
			if (lane == was)
				bvh_small_node(c, s, first, base + middle, v.link);
			v.link = (first + base + middle) << 1 | (lane >= middle);
		}
		longest = bvh_warp_most(v.is_final ? 1 : v.end - v.begin);
	}
	bvh_sweep_leaves(c, s, &v, w, part);
	lsched_sync_worker(); /* the warp's memory is free again */
}

#endif
#endif
