/* The construction by one CPU thread: tiles of large ranges, and subtrees of small ones by
 * recursion. This is the specification of the tree; the text for several threads makes the same. */
#ifndef COLLIDE_BVH_SERIAL_H
#define COLLIDE_BVH_SERIAL_H

#include "collide/bvh/serial_small.h"

typedef struct bvh_serial_bins {
	bvh_v8 box[BVH_ALL_BINS];
	uint32_t count[BVH_ALL_BINS];
} bvh_serial_bins;

/* Bins a record by one axis; `axis` is a constant. */
static inline void bvh_serial_bin_axis(bvh_serial_bins *bins, const bvh_record *r, bvh_v8 v,
	const bvh_places *p, const uint32_t factor[3], uint32_t axis)
{
	const uint32_t place = bvh_centre(r->word, axis);
	const uint32_t b = axis * BVH_BINS + bvh_bin_of(place, p->base[axis], factor[axis]);

	bins->box[b] = bvh_serial_max(bins->box[b], v);
	bins->count[b]++;
}

static inline void bvh_serial_bin_one(
	bvh_serial_bins *bins, const bvh_record *r, const bvh_places *p, const uint32_t factor[3])
{
	const bvh_v8 v = bvh_serial_load(r);

	bvh_serial_bin_axis(bins, r, v, p, factor, 0);
	bvh_serial_bin_axis(bins, r, v, p, factor, 1);
	bvh_serial_bin_axis(bins, r, v, p, factor, 2);
}

static inline void bvh_serial_factors(const bvh_places *p, uint32_t factor[3])
{
	for (uint32_t axis = 0; axis < 3; axis++)
		factor[axis] = bvh_factor(p->size[axis]);
}

/* Bins n records. */
static inline void bvh_serial_bin(
	bvh_serial_bins *bins, const bvh_record *r, uint32_t n, const bvh_places *p)
{
	uint32_t factor[3];

	bvh_serial_factors(p, factor);
	for (uint32_t i = 0; i < n; i++)
		bvh_serial_bin_one(bins, &r[i], p, factor);
}

/* Returns the best plane, BVH_NONE if there is none. */
static inline uint32_t bvh_serial_plane(const bvh_serial_bins *bins, int even)
{
	uint64_t best = BVH_NO_COST;
	uint32_t id = BVH_NONE;

	for (uint32_t axis = 0; axis < 3; axis++) {
		const bvh_v8 *box = bins->box + axis * BVH_BINS;
		const uint32_t *count = bins->count + axis * BVH_BINS;
		bvh_v8 right[BVH_BINS], left = box[0];
		uint32_t all = count[0], before = 0;

		right[BVH_BINS - 1] = box[BVH_BINS - 1];
		for (uint32_t b = BVH_BINS - 1; b > 1; b--)
			right[b - 1] = bvh_serial_max(right[b], box[b - 1]);
		for (uint32_t b = 1; b < BVH_BINS; b++)
			all += count[b];
		for (uint32_t b = 0; b + 1 < BVH_BINS; b++) {
			bvh_bin sides[2];
			uint64_t cost;

			left = bvh_serial_max(left, box[b]);
			before += count[b];
			memcpy(&sides[0], &left, sizeof(sides[0]));
			memcpy(&sides[1], &right[b + 1], sizeof(sides[1]));
			sides[0].count = before;
			sides[1].count = all - before;
			cost = bvh_cost(&sides[0], &sides[1], even);
			if (cost < best) {
				best = cost;
				id = axis * BVH_BINS + b;
			}
		}
	}
	return id;
}

/* ---- up to BVH_ROOM primitives ---- */

/* The bounds of the centres, and of the numbers. */
static inline bvh_places bvh_serial_places(const bvh_record *r, uint32_t n)
{
	uint32_t lo[4] = { ~0u, ~0u, ~0u, ~0u }, hi[4] = { 0, 0, 0, 0 };
	bvh_places p;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t axis = 0; axis < 4; axis++) {
			const uint32_t v = bvh_place(&r[i], axis);

			lo[axis] = v < lo[axis] ? v : lo[axis];
			hi[axis] = v > hi[axis] ? v : hi[axis];
		}
	for (uint32_t axis = 0; axis < 4; axis++) {
		p.base[axis] = lo[axis];
		p.size[axis] = hi[axis] - lo[axis] + 1;
	}
	return p;
}

/* Makes the subtree of n records, which it changes. Returns its box. */
static inline bvh_box bvh_serial_range(
	const bvh_ctx *c, bvh_record *r, uint32_t first, uint32_t n, uint32_t depth, uint32_t link)
{
	bvh_serial_bins bins;
	bvh_places p;
	bvh_split split;
	bvh_node *node;
	bvh_box box;
	uint32_t id, left = 0;

	if (n <= BVH_SMALL)
		return bvh_serial_small(c, r, first, n, depth, link);
	p = bvh_serial_places(r, n);
	memset(&bins, 0, sizeof(bins));
	bvh_serial_bin(&bins, r, n, &p);
	id = bvh_serial_plane(&bins, depth >= BVH_EVEN_DEPTH);
	split = id == BVH_NONE ? bvh_number_split(&p) : bvh_plane(&p, id);
	for (uint32_t i = 0; i < n; i++) {
		const bvh_record v = r[i];

		r[i] = r[left];
		r[left] = v;
		left += bvh_place(&v, split.axis) < split.at;
	}
	bvh_make_node(c, first + left, link);
	node = &c->node[first + left];
	link = (first + left) << 1;
	box = bvh_serial_range(c, r, first, left, depth + 1, link);
	node->box[0] = box;
	node->box[1] = bvh_serial_range(c, r + left, first + left, n - left, depth + 1, link | 1);
	bvh_box_extend(&box, &node->box[1]);
	return box;
}

/* Makes the subtree of a range of at most BVH_ROOM primitives of a large one, or of all. */
static inline void bvh_serial_frames(const bvh_ctx *c, bvh_record *r, lsched_range it)
{
	const bvh_record *from = c->record[bvh_array(it.info)] + it.first;
	const int whole = it.count == c->n; /* no records yet */
	bvh_bounds bounds = { { 0, 0, 0, 0, 0, 0 } };
	bvh_frame frame;

	if (it.count == 0)
		return;
	for (uint32_t i = 0; i < it.count; i++)
		bvh_bounds_add(&bounds, &c->box[whole ? i : from[i].number]);
	frame = bvh_make_frame(&bounds);
	for (uint32_t i = 0; i < it.count; i++) {
		const uint32_t number = whole ? i : from[i].number;

		r[i] = bvh_quantise(&c->box[number], &frame, number);
	}
	bvh_climb(c, it.join,
		bvh_serial_range(c, r, it.first, it.count, bvh_depth(it.info), it.join));
}

#endif
