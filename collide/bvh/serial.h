/* The construction by one CPU thread: ranges by recursion. This is the specification of the tree;
 * the text for several threads makes the same. */
#ifndef COLLIDE_BVH_SERIAL_H
#define COLLIDE_BVH_SERIAL_H

#include "collide/bvh/grid.h"
#include "collide/bvh/group.h"
#include "collide/bvh/serial_small.h"

#if LSCHED_LANES == 1

/* ---- the tree over cells ---- */

/* The slabs of a brick. */
typedef struct bvh_serial_slabs {
	bvh_v8 box[3][BVH_SLABS];
	uint32_t count[3][BVH_SLABS];
} bvh_serial_slabs;

static inline void bvh_serial_slab(
	bvh_serial_slabs *s, uint32_t axis, uint32_t slab, bvh_v8 v, uint32_t count)
{
	s->box[axis][slab] = bvh_serial_max(s->box[axis][slab], v);
	s->count[axis][slab] += count;
}

/* Adds the cells of a brick to its slabs. */
static inline void bvh_serial_add_cells(bvh_serial_slabs *s, const bvh_bin *cell, const bvh_grid *g,
	const bvh_brick *b, bvh_brick_sum *sum)
{
	uint32_t lo[3], hi[3];

	for (uint32_t axis = 0; axis < 3; axis++) {
		lo[axis] = bvh_brick_slab(b->low, axis);
		hi[axis] = bvh_brick_slab(b->high, axis);
		memset(s->box[axis], 0, (hi[axis] - lo[axis]) * sizeof(bvh_v8));
		memset(s->count[axis], 0, (hi[axis] - lo[axis]) * sizeof(uint32_t));
	}
	for (uint32_t z = lo[2]; z < hi[2]; z++)
		for (uint32_t y = lo[1]; y < hi[1]; y++)
			for (uint32_t x = lo[0]; x < hi[0]; x++) {
				const uint32_t id = x | (y | z << g->bits[1]) << g->bits[0];
				const bvh_bin *at = &cell[bvh_cell_place(id)];
				bvh_v8 v;

				if (at->count == 0)
					continue;
				memcpy(&v, at, sizeof(v));
				bvh_serial_slab(s, 0, x - lo[0], v, at->count);
				bvh_serial_slab(s, 1, y - lo[1], v, at->count);
				bvh_serial_slab(s, 2, z - lo[2], v, at->count);
				sum->occupied++;
				sum->cell = id;
				bvh_extend(sum->box, at->word);
			}
}

/* Compares the planes of an axis of n slabs. */
static inline void bvh_serial_slab_planes(const bvh_serial_slabs *s, uint32_t axis, uint32_t n,
	uint32_t count, int even, bvh_brick_best *best)
{
	bvh_v8 all = { 0 };
	uint64_t right[BVH_SLABS];
	uint32_t left = 0;

	for (uint32_t k = n; k-- > 0;) {
		all = bvh_serial_max(all, s->box[axis][k]);
		right[k] = bvh_serial_area(all);
	}
	all = s->box[axis][0];
	for (uint32_t k = 1; k < n; k++) {
		uint32_t rest;
		uint64_t cost;

		left += s->count[axis][k - 1];
		rest = count - left;
		if (left && rest) {
			cost = even ? left > rest ? left : rest
				    : bvh_serial_area(all) * left + right[k] * rest;
			if (cost < best->cost) {
				best->cost = cost;
				best->id = axis << 8 | k;
				best->left = left;
			}
		}
		all = bvh_serial_max(all, s->box[axis][k]);
	}
}

/* Finds the best plane of a brick; of equal costs the first one. *sum: of its cells. */
static inline bvh_brick_best bvh_serial_brick_plane(
	const bvh_bin *cell, const bvh_grid *g, const bvh_brick *b, bvh_brick_sum *sum)
{
	const int even = g->by_number || bvh_brick_depth(b) >= BVH_EVEN_DEPTH;
	const bvh_brick_sum none = { 0, 0, { 0, 0, 0 } };
	bvh_brick_best best = { BVH_NO_COST, 0, 0, 0 };
	bvh_serial_slabs s;

	*sum = none;
	bvh_serial_add_cells(&s, cell, g, b, sum);
	for (uint32_t axis = 0; axis < 3; axis++)
		bvh_serial_slab_planes(&s, axis,
			bvh_brick_slab(b->high, axis) - bvh_brick_slab(b->low, axis), b->count,
			even, &best);
	best.id += bvh_brick_slab(b->low, best.id >> 8);
	return best;
}

/* A brick becomes a part. */
static inline void bvh_serial_cut(
	const bvh_ctx *c, bvh_open *o, const bvh_bin *cell, const bvh_brick *b)
{
	const uint32_t begin = bvh_cells_at(o->first), part = o->cuts++;
	const uint32_t info = bvh_info(bvh_array(o->info) ^ 1u, bvh_brick_depth(b));
	const lsched_range range = { b->first, b->count, info, b->link };
	bvh_cut *cut = &c->cut[begin + part];
	bvh_brick_sum all;

	(void)bvh_serial_brick_plane(cell, &o->grid, b, &all);
	cut->range = range;
	cut->places = bvh_brick_places(o, b->low, b->high, all.box);
	cut->taken = cut->moved = 0;
	for (uint32_t z = bvh_brick_slab(b->low, 2); z < bvh_brick_slab(b->high, 2); z++)
		for (uint32_t y = bvh_brick_slab(b->low, 1); y < bvh_brick_slab(b->high, 1); y++)
			for (uint32_t x = bvh_brick_slab(b->low, 0); x < bvh_brick_slab(b->high, 0);
				x++)
				c->cell[begin + (x | (y | z << o->grid.bits[1]) << o->grid.bits[0])]
					.part = part;
}

/* Makes the tree over the cells of a brick. */
static inline void bvh_serial_brick(
	const bvh_ctx *c, bvh_open *o, const bvh_bin *cell, const bvh_brick *b)
{
	const int is_all = b->count == o->count;
	bvh_brick_best best;
	bvh_brick_sum all;
	bvh_brick side[2];

	if (b->count <= bvh_brick_stop(o->count)) {
		bvh_serial_cut(c, o, cell, b);
		return;
	}
	best = bvh_serial_brick_plane(cell, &o->grid, b, &all);
	if (is_all && best.cost == BVH_NO_COST) {
		bvh_open_closer(o, all.cell, all.box);
	} else if (!is_all && all.occupied <= BVH_FEW) {
		bvh_serial_cut(c, o, cell, b);
	} else {
		bvh_make_node(c, b->first + best.left, b->link);
		bvh_brick_split(b, &best, side);
		bvh_serial_brick(c, o, cell, &side[0]);
		bvh_serial_brick(c, o, cell, &side[1]);
	}
}

/* ---- passes over records ---- */

/* Adds primitives of a cell. */
static inline void bvh_serial_add_cell(bvh_cell *to, const uint32_t word[3], uint32_t count)
{
	for (uint32_t k = 0; k < 3; k++) {
		bvh_far_max(&to->half[2 * k], word[k] & 0xffffu);
		bvh_far_max(&to->half[2 * k + 1], word[k] >> 16);
	}
	(void)lsched_add(&to->count, count, rlx, dev);
}

/* Counts records in cells; neighbours are often in the same one. */
static inline void bvh_serial_count(
	const bvh_ctx *c, const bvh_open *o, uint32_t first, uint32_t count)
{
	bvh_record *record = c->record[bvh_array(o->info)] + first;
	const int is_whole = bvh_is_whole(c, o), is_first = o->pass == BVH_PASS_FIRST;
	const bvh_frame frame = o->frame;
	const bvh_grid g = o->grid;
	bvh_cell *cell = &c->cell[bvh_cells_at(o->first)];
	uint32_t was = 0, found = 0, word[3] = { 0, 0, 0 };

	for (uint32_t k = 0; k < count; k++) {
		bvh_record r;
		uint32_t at;

		if (is_first) {
			const uint32_t number = is_whole ? first + k : record[k].number;

			record[k] = bvh_quantise(&c->box[number], &frame, number);
		}
		r = record[k];
		at = bvh_cell_of(&g, &r);
		if (at != was && found) {
			bvh_serial_add_cell(&cell[was], word, found);
			found = word[0] = word[1] = word[2] = 0;
		}
		was = at;
		found++;
		bvh_extend(word, r.word);
	}
	if (found)
		bvh_serial_add_cell(&cell[was], word, found);
}

/* Moves records to their parts. */
static inline void bvh_serial_move(
	const bvh_ctx *c, const bvh_open *o, uint32_t first, uint32_t count)
{
	const bvh_record *from = c->record[bvh_array(o->info)] + first;
	bvh_record *to = c->record[bvh_array(o->info) ^ 1u];
	const uint32_t begin = bvh_cells_at(o->first);
	const bvh_grid g = o->grid;

	for (uint32_t k = 0; k < count; k++) {
		bvh_cut *cut = &c->cut[begin + c->cell[begin + bvh_cell_of(&g, &from[k])].part];

		to[cut->range.first + lsched_add(&cut->taken, 1u, rlx, dev)] = from[k];
	}
}

/* The pass of an open range over some of its records. */
static inline void bvh_serial_pass(const bvh_ctx *c, bvh_open *o, uint32_t first, uint32_t count)
{
	const bvh_record *record = c->record[bvh_array(o->info)];
	const int is_whole = bvh_is_whole(c, o);
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };

	if (o->pass == BVH_PASS_MOVE) {
		bvh_serial_move(c, o, first, count);
	} else if (o->pass != BVH_PASS_FRAME) {
		bvh_serial_count(c, o, first, count);
	} else {
		for (uint32_t k = first; k < first + count; k++)
			bvh_bounds_add(&b, &c->box[is_whole ? k : record[k].number]);
		for (uint32_t k = 0; k < 6; k++)
			bvh_far_max(&o->bounds.key[k], b.key[k]);
	}
}

/* Follows a pass over all records: sets the next one. Returns 1 if they have moved. */
static inline int bvh_serial_follow(const bvh_ctx *c, bvh_local *l, bvh_open *o)
{
	bvh_cell *cell = &c->cell[bvh_cells_at(o->first)];
	bvh_brick all;

	if (o->pass == BVH_PASS_MOVE)
		return 1;
	if (o->pass == BVH_PASS_FRAME) {
		bvh_open_grid(c, o);
	} else {
		for (uint32_t k = 0; k < bvh_cells(&o->grid); k++) {
			bvh_bin *b = &l->u.bricks.cell[bvh_cell_place(k)];

			for (uint32_t j = 0; j < 3; j++)
				b->word[j] = lsched_ld(&cell[k].half[2 * j], rlx, dev) |
					     lsched_ld(&cell[k].half[2 * j + 1], rlx, dev) << 16;
			b->count = lsched_ld(&cell[k].count, rlx, dev);
		}
		o->cuts = 0;
		all = bvh_brick_whole(o);
		bvh_serial_brick(c, o, l->u.bricks.cell, &all);
		if (o->cuts)
			o->pass = BVH_PASS_MOVE;
	}
	if (o->pass != BVH_PASS_MOVE)
		memset(cell, 0, bvh_cells(&o->grid) * sizeof(*cell));
	return 0;
}

/* ---- ranges ---- */

/* Makes the subtree of at most BVH_SMALL primitives in a frame of their own. */
static inline void bvh_serial_subtree(const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	const bvh_record *from = c->record[bvh_array(it.info)] + it.first;
	const int is_whole = it.count == c->n; /* no records yet */
	bvh_record *r = l->u.small.record;
	bvh_bounds bounds = { { 0, 0, 0, 0, 0, 0 } };
	bvh_frame frame;

	if (it.count == 0)
		return;
	for (uint32_t i = 0; i < it.count; i++)
		bvh_bounds_add(&bounds, &c->box[is_whole ? i : from[i].number]);
	frame = bvh_make_frame(&bounds);
	for (uint32_t i = 0; i < it.count; i++) {
		const uint32_t number = is_whole ? i : from[i].number;

		r[i] = bvh_quantise(&c->box[number], &frame, number);
	}
	bvh_climb(c, it.join,
		bvh_serial_small(c, r, it.first, it.count, bvh_depth(it.info), it.join));
}

/* Makes the subtree of a range. */
static inline void bvh_serial_range(const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_open *o = &c->open[it.first / BVH_SMALL];
	const uint32_t array = bvh_array(it.info);
	lsched_range *list = (lsched_range *)c->record[array]; /* free after the move */

	if (it.count <= BVH_SMALL) {
		bvh_serial_subtree(c, l, it);
		return;
	}
	bvh_open_range(c, it);
	if (o->pass == BVH_PASS_COUNT)
		memset(&c->cell[bvh_cells_at(it.first)], 0, bvh_cells(&o->grid) * sizeof(*c->cell));
	do
		bvh_serial_pass(c, o, it.first, it.count);
	while (!bvh_serial_follow(c, l, o));
	for (uint32_t k = o->cuts; k-- > 0;) {
		const bvh_cut cut = c->cut[bvh_cells_at(it.first) + k];

		list[cut.range.first] = cut.range;
		if (cut.range.count > BVH_SMALL)
			c->open[cut.range.first / BVH_SMALL].places = cut.places;
	}
	for (uint32_t at = it.first; at < it.first + it.count;) {
		const lsched_range part = list[at];

		bvh_serial_range(c, l, part);
		at += part.count;
	}
}

#endif
#endif
