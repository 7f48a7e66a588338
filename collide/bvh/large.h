/* Ranges of more than BVH_ROOM primitives: their tiles, and what follows when these have returned.
 * Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_LARGE_H
#define COLLIDE_BVH_LARGE_H

#include "collide/bvh/binning.h"

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
	if (lsched_thread(x) == 0) {
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 6; k++)
			bvh_far_max(&c->top->bounds.key[k], b.key[k]);
	}
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

/* Moves a tile in fast memory to both sides, and bins it there. */
LSCHED_TASK_FN void bvh_tile_move(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, bvh_open *o, uint32_t count)
{
	bvh_record *to = c->record[bvh_array(o->info) ^ 1u];
	const bvh_split split = o->split;
	bvh_warp_room *w = &l->warp[bvh_warp(x)];
	const bvh_places p[2] = { o->places[0], o->places[1] };
	const uint32_t bins_left = o->binned[0], bins_right = o->binned[1];
	uint32_t begin, end, own, before, all, factor[2][3];
	bvh_own left, right;
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
	bvh_own_clear(&left);
	bvh_own_clear(&right);
	for (uint32_t base = begin; base < end; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane(), was = at.left;
		const uint32_t n = end - base < LSCHED_LANES ? end - base : LSCHED_LANES;
		const int active = k < end;
		const bvh_record r = l->u.record[active ? k : begin];
		const int is_left = bvh_place(&r, split.axis) < split.at;
		const uint32_t right_was = at.right, place = bvh_cursor_next(&at, active, is_left);
		const uint32_t lefts = at.left - was;

		if (active) {
			to[place] = r;
			if (is_left && bins_left)
				bvh_stage(w->split.stage, place - was, &r, &p[0], factor[0]);
			else if (!is_left && bins_right)
				bvh_stage(w->split.stage, lefts + (place - right_was), &r, &p[1],
					factor[1]);
		}
		lsched_sync_worker();
		if (bins_left)
			bvh_own_add(&left, w->split.stage, 0, lefts);
		if (bins_right)
			bvh_own_add(&right, w->split.stage, lefts, n);
		lsched_sync_worker();
	}
	bvh_own_store(&left, w->split.bin[0]);
	bvh_own_store(&right, w->split.bin[1]);
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
			if (o->binned[side])
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
	const uint32_t room = bvh_tile_room(c), begin = tile * room, rest = o->count - begin;
	const uint32_t count = rest < room ? rest : room;
	uint32_t sides = 2;

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
	bvh_tile_load(x, c, l, o, o->first + begin, count);
	if (o->pass == BVH_PASS_MOVE) {
		bvh_tile_move(x, c, l, o, count);
	} else {
		const bvh_places p = o->places[0];

		bvh_warp_bin(&l->warp[bvh_warp(x)], l->u.record, bvh_warp(x) * LSCHED_LANES, count,
			lsched_threads(x), &p);
		sides = 1;
	}
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < sides * BVH_ALL_BINS; k += lsched_threads(x)) {
		const bvh_bin all = bvh_warps_union(l->warp, bvh_warps(x), k);

		bvh_far_bin(&o->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS], &all);
	}
	lsched_sync_item(x);
}

LSCHED_TASK_CALL_FN void bvh_tile_call(
	lsched_range_crew crew, const bvh_ctx *c, bvh_local *l, uint32_t open, uint32_t tile)
{
	lsched_range_items x;
	lsched_worker room;

	lsched_range_crew_item(crew, &x, &room);
	bvh_tile_pass(&x, c, l, &c->open[open], tile);
}

LSCHED_TASK_FN void bvh_tile(lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_tile_call(lsched_range_crew_of(x), c, l, it.info, it.first);
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

/* Clears the bins of an open range by so many threads. */
LSCHED_TASK_FN void bvh_open_clear(bvh_open *o, uint32_t thread, uint32_t threads)
{
	for (uint32_t k = thread; k < 2 * BVH_ALL_BINS; k += threads) {
		bvh_sum *bin = &o->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS];

		for (uint32_t j = 0; j < 6; j++)
			lsched_st(&bin->half[j], 0u, rlx, dev);
		lsched_st(&bin->count, 0u, rlx, dev);
	}
}

/* Opens a large range whose bins in fast memory and places are given: sets its next pass. All lanes
 * of a warp. */
LSCHED_TASK_FN void bvh_open_range(
	const bvh_ctx *c, lsched_range it, const bvh_bin *bin, const bvh_places *p)
{
	bvh_open *o = &c->open[it.first / BVH_ROOM];
	const uint32_t id = bvh_warp_plane(bin, bvh_depth(it.info) >= BVH_EVEN_DEPTH);

	bvh_open_clear(o, lsched_lane(), LSCHED_LANES);
	if (lsched_lane() == 0) {
		o->first = it.first;
		o->count = it.count;
		o->info = it.info;
		o->link = it.join;
		lsched_st(&o->left, 0u, rlx, dev);
		lsched_st(&o->right, 0u, rlx, dev);
		bvh_next_pass(o, bin, *p, id);
	}
}

/* Opens those sides of a split that are large, each by a warp. All threads of the item. */
LSCHED_TASK_FN void bvh_open_sides(
	lsched_range_items *x, const bvh_ctx *c, const bvh_local *l, const lsched_range side[2])
{
	LSCHED_NO_UNROLL
	for (uint32_t k = bvh_warp(x); k < 2; k += bvh_warps(x)) {
		const lsched_range part = k ? side[1] : side[0];

		if (part.count > BVH_ROOM)
			bvh_open_range(c, part, l->bin[k], &l->places[k]);
	}
	lsched_sync_item(x); /* before tiles of them are made */
}

/* The boxes of all tiles are known: sets the pass that makes records. All threads of the item. */
LSCHED_TASK_FN void bvh_framed(lsched_range_items *x, const bvh_ctx *c, bvh_open *o)
{
	bvh_bounds b;

	bvh_open_clear(o, lsched_thread(x), lsched_threads(x));
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

	for (uint32_t k = lsched_thread(x); k < 2 * BVH_ALL_BINS; k += lsched_threads(x))
		l->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS] =
			bvh_far_load(&o->bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS]);
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
	lsched_range tiles = { 0, bvh_tiles(c, count), open, 0 };

	tiles.join = lsched_fork_then(x, tiles.count, BVH_JOINED, &then, &then.join);
	lsched_range_spread(x, BVH_TILES, tiles, parts);
}

/* The parts of a range's tiles, while those of the other side of its split are emitted, too. */
LSCHED_FN uint32_t bvh_spread_of(uint32_t count, uint32_t other)
{
	const uint32_t all = count + other, most = BVH_SPREAD - 1;

	if (other <= BVH_ROOM)
		return most;
	return 1 + (uint32_t)((uint64_t)(most - 1) * count / all);
}

LSCHED_TASK_CALL_FN void bvh_sides_call(
	lsched_range_crew crew, const bvh_ctx *c, bvh_local *l, uint32_t open, lsched_range side[2])
{
	lsched_range_items x;
	lsched_worker room;

	lsched_range_crew_item(crew, &x, &room);
	bvh_sides(&x, c, l, &c->open[open], side);
	bvh_open_sides(&x, c, l, side);
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
			bvh_start_tiles(x, c, it.info, BVH_SPREAD);
		return;
	}
	bvh_sides_call(lsched_range_crew_of(x), c, l, it.info, side);
	if (lsched_thread(x) != 0)
		return;
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < 2; k++) {
		const lsched_range part = k ? side[1] : side[0];
		const uint32_t other = k ? side[0].count : side[1].count;

		if (part.count > BVH_ROOM)
			bvh_start_tiles(
				x, c, part.first / BVH_ROOM, bvh_spread_of(part.count, other));
		else if (part.count)
			lsched_emit(x, BVH_FRAMES, &part);
	}
}

#endif
