/* Ranges of more than BVH_ROOM primitives: their tiles, and what follows when these have returned.
 * Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_LARGE_H
#define COLLIDE_BVH_LARGE_H

#include "collide/bvh/group.h"

#ifndef __CUDACC__
#include "collide/bvh/serial.h"
#endif

/* The bounds of a tile's boxes. */
LSCHED_TASK_FN void bvh_tile_frame(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, uint32_t first, uint32_t count)
{
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x))
		bvh_bounds_add(&b, &c->box[first + k]);
	bvh_block_bounds(x, l, &b);
	for (uint32_t k = lsched_thread(x); k < 6; k += lsched_threads(x))
		bvh_far_max(&c->top->bounds.key[k], l->key[k]);
	lsched_sync_item(x);
}

/* Loads a tile's records to fast memory; in the first pass it makes them. */
LSCHED_TASK_FN void bvh_tile_load(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const bvh_open *o, uint32_t first, uint32_t count)
{
	bvh_record *record = c->record[bvh_array(o->info)] + first;

	if (o->pass == BVH_PASS_FIRST) {
		const bvh_frame frame = c->top->frame;

		for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x)) {
			const bvh_record r = bvh_quantise(&c->box[first + k], &frame, first + k);

			record[k] = r;
			l->u.record[k] = r;
		}
	} else {
		LSCHED_UNROLL_LOADS
		for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x))
			l->u.record[k] = record[k];
	}
	lsched_sync_item(x);
}

/* Bins a tile in fast memory. */
LSCHED_TASK_FN void bvh_tile_bin(
	lsched_range_items *x, bvh_local *l, const bvh_places *p, uint32_t count)
{
	uint32_t factor[2][3];

	bvh_factors(p, 1, factor);
	for (uint32_t at = 0; at < count; at += lsched_threads(x)) {
		const uint32_t k = at + lsched_thread(x);
		const int active = k < count;

		bvh_bins_add_axes(
			&l->bin[0][0], 1, 0, p, factor, &l->u.record[active ? k : 0], active);
	}
}

/* Moves a tile in fast memory to both sides, and bins it there. */
LSCHED_TASK_FN void bvh_tile_move(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o, uint32_t count)
{
	bvh_record *to = c->record[bvh_array(o->info) ^ 1u];
	const bvh_split split = o->split;
	const bvh_places p[2] = { o->places[0], o->places[1] };
	uint32_t begin, end, own, before, all, factor[2][3];
	bvh_cursor at;

	bvh_share(x, count, &begin, &end);
	own = bvh_count_left(l->u.record, begin, end, split);
	before =
		lsched_bcast(lsched_group_scan32(x, &l->group, lsched_lane() == 0 ? own : 0, &all));
	if (lsched_thread(x) == 0) {
		l->left = o->first + lsched_add(&o->left, all, rlx, dev);
		l->right = o->first + o->count - (count - all) -
			   lsched_add(&o->right, count - all, rlx, dev);
	}
	lsched_sync_item(x);
	at.left = l->left + before;
	at.right = l->right + (begin - before);
	bvh_factors(p, 2, factor);
	for (uint32_t base = begin; base < end; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane();
		const int active = k < end;
		const bvh_record r = l->u.record[active ? k : begin];
		const int is_left = bvh_place(&r, split.axis) < split.at;
		const uint32_t place = bvh_cursor_next(&at, active, is_left);

		if (active)
			to[place] = r;
		bvh_bins_add_axes(&l->bin[0][0], 2, !is_left, p, factor, &r, active);
	}
}

#ifndef __CUDACC__
/* One thread: the same. */
static inline void bvh_tile_serial(const bvh_ctx *c, bvh_open *o, uint32_t first, uint32_t count)
{
	const bvh_record *from = c->record[bvh_array(o->info)] + first;
	bvh_record *to = c->record[bvh_array(o->info) ^ 1u];
	const bvh_split s = o->split;
	uint32_t factor[2][3], left = 0, right;
	bvh_serial_bins bins[2];

	memset(bins, 0, sizeof(bins));
	bvh_factors(o->places, o->pass == BVH_PASS_MOVE ? 2 : 1, factor);
	if (o->pass == BVH_PASS_MOVE) {
		for (uint32_t k = 0; k < count; k++)
			left += bvh_place(&from[k], s.axis) < s.at;
		right = o->first + o->count - (count - left) -
			lsched_add(&o->right, count - left, rlx, dev);
		left = o->first + lsched_add(&o->left, left, rlx, dev);
		for (uint32_t k = 0; k < count; k++) {
			const bvh_record r = from[k];
			const uint32_t side = bvh_place(&r, s.axis) >= s.at;

			to[side ? right : left] = r;
			left += !side;
			right += side;
			bvh_serial_bin_one(&bins[side], &r, &o->places[side], factor[side]);
		}
	} else if (o->pass == BVH_PASS_FIRST) {
		const bvh_frame frame = c->top->frame;

		for (uint32_t k = 0; k < count; k++) {
			const bvh_record r = bvh_quantise(&c->box[first + k], &frame, first + k);

			c->record[bvh_array(o->info)][first + k] = r;
			bvh_serial_bin_one(&bins[0], &r, &o->places[0], factor[0]);
		}
	} else {
		bvh_serial_bin(&bins[0], from, count, &o->places[0]);
	}
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < BVH_ALL_BINS; k++) {
			bvh_bin b;

			memcpy(&b, &bins[side].box[k], sizeof(b));
			b.count = bins[side].count[k];
			bvh_far_bin(&o->bin[side][k], &b);
		}
}
#endif

/* The pass of an open range over one of its tiles. All threads of the item. */
LSCHED_TASK_FN void bvh_tile_pass(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o, uint32_t tile)
{
	const uint32_t begin = tile * BVH_ROOM, rest = o->count - begin;
	const uint32_t count = rest < BVH_ROOM ? rest : (uint32_t)BVH_ROOM;

	if (o->pass == BVH_PASS_FRAME) {
		bvh_tile_frame(x, c, l, o->first + begin, count);
		return;
	}
#ifndef __CUDACC__
	if (lsched_threads(x) == 1) {
		bvh_tile_serial(c, o, o->first + begin, count);
		return;
	}
#endif
	bvh_bins_clear(x, &l->bin[0][0], 2 * BVH_ALL_BINS);
	bvh_tile_load(x, c, l, o, o->first + begin, count);
	if (o->pass == BVH_PASS_MOVE) {
		bvh_tile_move(x, c, l, o, count);
	} else {
		const bvh_places p = o->places[0];

		bvh_tile_bin(x, l, &p, count);
	}
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < 2 * BVH_ALL_BINS; k += lsched_threads(x))
		bvh_far_bin(&o->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS],
			&l->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS]);
	lsched_sync_item(x);
}

LSCHED_TASK_FN void bvh_tile(lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_tile_pass(x, c, l, &c->open[it.info], it.first);
	if (lsched_thread(x) == 0)
		lsched_return(x, it.join, 0);
}

/* Opens a range for its first pass. One thread; its bins are not cleared. */
LSCHED_TASK_FN void bvh_open_first(const bvh_ctx *c)
{
	bvh_open *o = &c->open[0];

	for (uint32_t k = 0; k < 6; k++)
		lsched_st(&c->top->bounds.key[k], 0u, rlx, dev);
	o->first = 0;
	o->count = c->n;
	o->info = bvh_info(0, 0);
	o->link = BVH_NONE;
	o->pass = BVH_PASS_FRAME;
}

/* Clears the bins of an open range. All threads of the item. */
LSCHED_TASK_FN void bvh_open_clear(lsched_range_items *x, bvh_open *o)
{
	for (uint32_t k = lsched_thread(x); k < 2 * BVH_ALL_BINS; k += lsched_threads(x)) {
		bvh_bin *bin = &o->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS];

		for (uint32_t j = 0; j < 3; j++)
			lsched_st(&bin->word[j], 0u, rlx, dev);
		lsched_st(&bin->count, 0u, rlx, dev);
	}
}

/* Opens a large range whose bins in fast memory and places are given: sets its next pass. All
 * threads of the item. */
LSCHED_TASK_FN void bvh_open_range(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	lsched_range it, const bvh_bin *bin, const bvh_places *p)
{
	bvh_open *o = &c->open[it.first / BVH_ROOM];
	uint32_t id;

	bvh_open_clear(x, o);
	id = bvh_block_plane(x, &l->group, bin, bvh_depth(it.info) >= BVH_EVEN_DEPTH);
	if (lsched_thread(x) == 0) {
		o->first = it.first;
		o->count = it.count;
		o->info = it.info;
		o->link = it.join;
		lsched_st(&o->left, 0u, rlx, dev);
		lsched_st(&o->right, 0u, rlx, dev);
		bvh_next_pass(o, bin, *p, id);
	}
}

/* The boxes of all tiles are known: sets the pass that makes records. All threads of the item. */
LSCHED_TASK_FN void bvh_framed(lsched_range_items *x, const bvh_ctx *c, bvh_open *o)
{
	bvh_bounds b;

	bvh_open_clear(x, o);
	lsched_sync_item(x);
	if (lsched_thread(x) != 0)
		return;
	for (uint32_t k = 0; k < 6; k++)
		b.key[k] = lsched_ld(&c->top->bounds.key[k], rlx, dev);
	c->top->frame = bvh_make_frame(&b);
	o->pass = BVH_PASS_FIRST;
	for (uint32_t axis = 0; axis < 4; axis++) {
		o->places[0].base[axis] = 0;
		o->places[0].size[axis] = axis == BVH_NUMBER ? c->n : 65536;
	}
}

/* All tiles of an open range have made their pass: loads the bins and places of both sides to fast
 * memory, makes the node, and sets the ranges of both sides; a side without primitives has a count
 * of 0. After it *o may be opened again. All threads of the item. */
LSCHED_TASK_FN void bvh_sides(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o, lsched_range side[2])
{
	const uint32_t first = o->first, count = o->count, moved = o->pass == BVH_PASS_MOVE;
	const uint32_t array = bvh_array(o->info) ^ moved, depth = bvh_depth(o->info);
	const uint32_t left = moved ? lsched_ld(&o->left, rlx, dev) : count;
	const uint32_t is_split = left != 0 && left != count, link = o->link;
	const uint32_t name = (first + left) << 1, info = bvh_info(array, depth + is_split);
	const lsched_range low = { first, left, info, is_split ? name : link };
	const lsched_range high = { first + left, count - left, info, is_split ? name | 1u : link };

	for (uint32_t k = lsched_thread(x); k < 2 * BVH_ALL_BINS; k += lsched_threads(x)) {
		bvh_bin *from = &o->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS];
		bvh_bin *to = &l->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS];

		for (uint32_t j = 0; j < 3; j++)
			to->word[j] = lsched_ld(&from->word[j], rlx, dev);
		to->count = lsched_ld(&from->count, rlx, dev);
	}
	if (lsched_thread(x) == 0) {
		l->places[0] = o->places[0];
		l->places[1] = o->places[1];
		if (is_split)
			bvh_make_node(c, first + left, link);
	}
	side[0] = low;
	side[1] = high;
	lsched_sync_item(x);
}

/* Makes tiles of an open range, whose pass is set. One thread. */
LSCHED_TASK_FN void bvh_start_tiles(
	lsched_range_items *x, const bvh_ctx *c, uint32_t open, uint32_t parts)
{
	const uint32_t count = c->open[open].count;
	lsched_range then = { 0, 0, open, 0 };
	lsched_range tiles = { 0, count / BVH_ROOM + (count % BVH_ROOM != 0), open, 0 };

	tiles.join = lsched_fork_then(x, tiles.count, BVH_JOINED, &then, &then.join);
	lsched_range_spread(x, BVH_TILES, tiles, parts);
}

/* The tiles of a range have returned: goes on with the range, or with both sides of its split. All
 * threads of the item. */
LSCHED_TASK_FN void bvh_joined(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_open *o = &c->open[it.info];
	const uint32_t is_frame = o->pass == BVH_PASS_FRAME;
	lsched_range side[2];

	lsched_sync_item(x); /* all have read the pass */
	if (is_frame) {
		bvh_framed(x, c, o);
		if (lsched_thread(x) == 0)
			bvh_start_tiles(x, c, it.info, LSCHED_RANGE_PARTS);
		return;
	}
	bvh_sides(x, c, l, o, side);
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < 2; k++) {
		const lsched_range part = k ? side[1] : side[0];

		if (part.count > BVH_ROOM)
			bvh_open_range(x, c, l, part, l->bin[k], &l->places[k]);
		if (lsched_thread(x) != 0 || part.count == 0)
			continue;
		if (part.count > BVH_ROOM)
			bvh_start_tiles(x, c, part.first / BVH_ROOM, LSCHED_RANGE_PARTS / 2);
		else
			lsched_emit(x, BVH_FRAMES, &part);
	}
}

#endif
