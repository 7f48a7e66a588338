/* The subtree of at most BVH_SWEEP primitives, by a warp: all its nodes of a depth at once. For
 * each axis lane k has the k-th primitive in the order of this axis; the primitives of a node
 * follow each other, at the same lanes for all axes. Unions of the boxes below and above a plane
 * are scans over the lanes of a node, so that all planes of all nodes are judged at once. Compiled
 * for CPU and GPU. */
#ifndef COLLIDE_BVH_SWEEP_H
#define COLLIDE_BVH_SWEEP_H

#include "collide/bvh/binning.h"

#ifndef __CUDACC__
#include "collide/bvh/serial.h"
#endif

/* Gives the box of a node or leaf of the subtree to its parent; the last one becomes the box of the
 * subtree. `top`: the subtree's parent. One thread. The addition orders the boxes of both children;
 * compute-sanitizer's racecheck, which sees barriers only, reports them. */
LSCHED_TASK_FN void bvh_small_climb(
	bvh_small *s, uint32_t first, uint32_t top, uint32_t link, bvh_box box)
{
	while (link != top) {
		const uint32_t node = (link >> 1) - first;

		s->box[node][link & 1] = box;
		if (!(lsched_add(&s->arrived[node], 1u, ar, blk) & 1u))
			return;
		box = s->box[node][0];
		bvh_box_extend(&box, &s->box[node][1]);
		link = s->link[node];
	}
	s->root = box;
}

/* Makes the node of a split at a position of the subtree. One thread. */
LSCHED_TASK_FN void bvh_small_node(
	const bvh_ctx *c, bvh_small *s, uint32_t first, uint32_t position, uint32_t link)
{
	s->link[position] = link;
	bvh_make_node(c, first + position, link);
}

#if LSCHED_LANES == 1

/* One lane: by recursion. */
LSCHED_TASK_FN void bvh_warp_sweep(const bvh_ctx *c, bvh_small *s, bvh_warp_room *w,
	const bvh_part *part, uint32_t first, uint32_t top)
{
	(void)w;
	bvh_small_climb(s, first, top, part->link,
		bvh_serial_small(c, s->record[part->buffer] + part->begin, first + part->begin,
			part->count, part->depth, part->link));
}

#else

/* What a lane has: for each axis the primitive at its position, and its record's box. */
typedef struct bvh_sweep {
	uint32_t primitive[3], word[3][3];
	uint32_t begin, end; /* positions of its node */
	uint32_t link;       /* of its node */
	uint32_t is_final;   /* its node is a leaf */
} bvh_sweep;

/* Sorts the primitives by each axis; all is one node. */
LSCHED_TASK_FN void bvh_sweep_sort(
	bvh_sweep *v, bvh_warp_room *w, const bvh_record *record, uint32_t n)
{
	const uint32_t lane = lsched_lane();
	const bvh_record own = record[lane < n ? lane : 0];
	const bvh_record key = { { bvh_centre(own.word, 0), bvh_centre(own.word, 1),
					 bvh_centre(own.word, 2) },
		own.number };
	uint32_t rank[3] = { 0, 0, 0 };

	w->sweep.key[lane] = key;
	lsched_sync_worker();
	LSCHED_UNROLL_LOADS
	for (uint32_t k = 0; k < n; k++) {
		const bvh_record other = w->sweep.key[k];

		LSCHED_UNROLL
		for (uint32_t axis = 0; axis < 3; axis++)
			rank[axis] +=
				other.word[axis] < key.word[axis] ||
				(other.word[axis] == key.word[axis] && other.number < key.number);
	}
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		w->sweep.order[axis][lane < n ? rank[axis] : lane] = lane;
	lsched_sync_worker();
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		v->primitive[axis] = w->sweep.order[axis][lane];
	lsched_sync_worker();
}

/* Loads the boxes at the lane's position. */
LSCHED_TASK_FN void bvh_sweep_load(bvh_sweep *v, const bvh_record *record, uint32_t n)
{
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const bvh_record r = record[lsched_lane() < n ? v->primitive[axis] : 0];

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			v->word[axis][k] = r.word[k];
	}
}

/* The union over the positions of the node up to this lane, and of those behind it; `longest`: of
 * all nodes. */
LSCHED_TASK_FN void bvh_sweep_scan(const bvh_sweep *v, const uint32_t word[3], uint32_t longest,
	uint32_t before[3], uint32_t behind[3])
{
	const uint32_t lane = lsched_lane();

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		before[k] = behind[k] = word[k];
	LSCHED_NO_UNROLL
	for (uint32_t d = 1; d < longest; d *= 2) {
		const int has_before = lane >= v->begin + d, has_behind = lane + d < v->end;

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t a = lsched_i_shfl_up(before[k], d);
			const uint32_t b = lsched_i_shfl_down(behind[k], d);

			before[k] = bvh_max2(before[k], has_before ? a : 0);
			behind[k] = bvh_max2(behind[k], has_behind ? b : 0);
		}
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		behind[k] = lsched_i_shfl_down(behind[k], 1);
}

/* A plane and its cost in one word: of equal costs the least bvh_sweep_name comes first. Costs have
 * at most 39 bits here. */
LSCHED_FN uint64_t bvh_sweep_key(uint64_t cost, uint32_t axis, uint32_t left, uint32_t right)
{
	return cost << 16 | (left > right ? left - right : right - left) << 8 | axis << 6 | left;
}

/* The best plane of the lane's node, ~0: none. *area: of its box. */
LSCHED_TASK_FN uint64_t bvh_sweep_plane(
	const bvh_sweep *v, uint32_t longest, int even, uint64_t *area)
{
	const uint32_t lane = lsched_lane(), last = v->end - 1;
	const uint32_t left = lane - v->begin + 1, right = last - lane;
	uint64_t best = ~UINT64_C(0);

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		bvh_bin a, b;

		bvh_sweep_scan(v, v->word[axis], longest, a.word, b.word);
		if (axis == 0) {
			const uint32_t all[3] = { lsched_i_shfl(a.word[0], last),
				lsched_i_shfl(a.word[1], last), lsched_i_shfl(a.word[2], last) };

			*area = bvh_area(all);
		}
		if (lane < last) {
			uint64_t key;

			a.count = left;
			b.count = right;
			key = bvh_sweep_key(bvh_cost(&a, &b, even), axis, left, right);
			best = key < best ? key : best;
		}
	}
	LSCHED_NO_UNROLL
	for (uint32_t d = 1; d < longest; d *= 2) {
		const uint64_t other = lsched_i_shfl_down(best, d);

		if (lane + d < v->end)
			best = other < best ? other : best;
	}
	return lsched_i_shfl(best, v->begin);
}

/* Moves the primitives of the nodes to both sides of their planes, in the order of each axis.
 * `key`: the plane of the lane's node. */
LSCHED_TASK_FN void bvh_sweep_split(bvh_sweep *v, bvh_warp_room *w, uint64_t key)
{
	const uint32_t lane = lsched_lane(), by = (uint32_t)key >> 6 & 3u;
	const uint32_t middle = v->begin + ((uint32_t)key & 63u);
	const uint32_t own = by == 0   ? v->primitive[0]
			     : by == 1 ? v->primitive[1]
				       : v->primitive[2];
	const uint32_t node =
		v->end - v->begin == 32 ? ~0u : ((1u << (v->end - v->begin)) - 1u) << v->begin;
	uint32_t lefts = !v->is_final && lane < middle ? 1u << own : 0;

	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2)
		lefts |= lsched_i_shfl_xor(lefts, k);
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++) {
		const uint32_t is_left = lefts >> v->primitive[axis] & 1u;
		const uint32_t all = (uint32_t)lsched_ballot((int)is_left) & node;
		const uint32_t below = (1u << lane) - 1u;
		const uint32_t place = is_left ? v->begin + lsched_popcount(all & below)
					       : middle + lsched_popcount(node & ~all & below);

		w->sweep.order[axis][v->is_final ? lane : place] = v->primitive[axis];
	}
	lsched_sync_worker();
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		v->primitive[axis] = w->sweep.order[axis][lane];
	lsched_sync_worker();
	if (!v->is_final && lane < middle)
		v->end = middle;
	else if (!v->is_final)
		v->begin = middle;
}

/* Makes the leaves. */
LSCHED_TASK_FN void bvh_sweep_leaves(const bvh_ctx *c, bvh_small *s, const bvh_sweep *v,
	bvh_warp_room *w, const bvh_record *record, uint32_t n, uint32_t longest, uint32_t base,
	uint32_t first, uint32_t top)
{
	const uint32_t lane = lsched_lane(), count = v->end - v->begin;
	const uint32_t number = record[lane < n ? v->primitive[0] : 0].number;
	uint32_t rank = 0;
	bvh_box box;

	for (uint32_t k = 0; k < longest; k++) {
		const uint32_t at = v->begin + k < v->end ? v->begin + k : lane;

		rank += lsched_i_shfl(number, at) < number;
	}
	if (lane < n) {
		const uint32_t position = first + base + v->begin + rank;

		w->sweep.box[v->begin + rank] = c->box[number];
		c->order[position] = number;
		c->leaf[position].count = rank ? 0 : count;
		if (rank == 0)
			c->leaf[position].primitive = number;
	}
	lsched_sync_worker();
	if (lane >= n || lane != v->begin)
		return;
	box = w->sweep.box[lane];
	for (uint32_t k = 1; k < count; k++)
		bvh_box_extend(&box, &w->sweep.box[lane + k]);
	c->leaf[first + base + lane].box = box;
	c->leaf_up[first + base + lane] = v->link;
	bvh_link(c, v->link, (first + base + lane) | BVH_LEAF);
	bvh_small_climb(s, first, top, v->link, box);
}

/* Makes the subtree of a part of at most BVH_SWEEP primitives. `top`: the parent of the block's
 * subtree. */
LSCHED_TASK_FN void bvh_warp_sweep(const bvh_ctx *c, bvh_small *s, bvh_warp_room *w,
	const bvh_part *part, uint32_t first, uint32_t top)
{
	const bvh_record *record = s->record[part->buffer] + part->begin;
	const uint32_t lane = lsched_lane(), n = part->count, base = part->begin;
	uint32_t depth = part->depth, longest = n;
	bvh_sweep v;

	/* a lane without a primitive is a leaf of its own */
	v.begin = lane < n ? 0 : lane;
	v.end = lane < n ? n : lane + 1;
	v.link = part->link;
	v.is_final = lane >= n;
	bvh_sweep_sort(&v, w, record, n);
	for (;; depth++) {
		const int even = depth >= BVH_EVEN_DEPTH;
		const uint32_t was = v.begin;
		uint64_t area, key;

		bvh_sweep_load(&v, record, n);
		key = bvh_sweep_plane(&v, longest, even, &area);
		v.is_final |= (uint32_t)bvh_is_leaf(
			c, v.end - v.begin, area, key == ~UINT64_C(0) ? key : key >> 16, even);
		if (lsched_ballot(!v.is_final) == 0)
			break;
		bvh_sweep_split(&v, w, key);
		if (!v.is_final) {
			const uint32_t side = lane >= was + ((uint32_t)key & 63u);
			const uint32_t middle = was + ((uint32_t)key & 63u);

			if (lane == was)
				bvh_small_node(c, s, first, base + middle, v.link);
			v.link = (first + base + middle) << 1 | side;
		}
		longest = bvh_warp_most(v.is_final ? 1 : v.end - v.begin);
	}
	longest = bvh_warp_most(v.end - v.begin);
	bvh_sweep_leaves(c, s, &v, w, record, n, longest, base, first, top);
}

#endif
#endif
