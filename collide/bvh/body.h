/* The procedures of the bounding volume hierarchy. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_BODY_H
#define COLLIDE_BVH_BODY_H

#include "collide/bvh/large.h"
#include "collide/bvh/small.h"

/* Splits a range of more than BVH_SMALL records in fast memory, moves both sides to the other array
 * and sets their ranges. All threads. */
LSCHED_TASK_FN void bvh_halve(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	lsched_range it, lsched_range side[2])
{
	const uint32_t depth = bvh_depth(it.info), array = bvh_array(it.info) ^ 1u;
	uint32_t begin, end, own, before, all, id, w[3];
	bvh_record *to = c->record[array] + it.first;
	bvh_places p;
	bvh_split split;
	bvh_cursor at;

	bvh_block_points(x, l, l->u.record, it.count, w);
	p = bvh_places_of(w);
	bvh_warp_bin(&l->warp[bvh_warp(x)], l->u.record, bvh_warp(x) * LSCHED_LANES, it.count,
		lsched_threads(x), &p);
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < BVH_ALL_BINS; k += lsched_threads(x))
		l->bin[0][k] = bvh_warps_union(l->warp, bvh_warps(x), k);
	lsched_sync_item(x);
	id = bvh_warp_plane(l->bin[0], depth >= BVH_EVEN_DEPTH);
	split = id == BVH_NONE ? bvh_warp_number_split(l->u.record, it.count) : bvh_plane(&p, id);
	bvh_share(x, it.count, &begin, &end);
	own = bvh_count_left(l->u.record, begin, end, split);
	before =
		lsched_bcast(lsched_group_scan32(x, &l->group, lsched_lane() == 0 ? own : 0, &all));
	at.left = before;
	at.right = all + (begin - before);
	for (uint32_t base = begin; base < end; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane();
		const int active = k < end;
		const bvh_record r = l->u.record[active ? k : begin];
		const int is_left = bvh_place(&r, split.axis) < split.at;
		const uint32_t place = bvh_cursor_next(&at, active, is_left);

		if (active)
			to[place] = r;
	}
	{
		const uint32_t info = bvh_info(array, depth + 1), link = (it.first + all) << 1;
		const lsched_range low = { it.first, all, info, link };
		const lsched_range high = { it.first + all, it.count - all, info, link | 1u };

		side[0] = low;
		side[1] = high;
		if (lsched_thread(x) == 0)
			bvh_make_node(c, it.first + all, it.join);
	}
	lsched_sync_item(x); /* all have moved theirs */
}

/* Loads the records of a range that has its grid. */
LSCHED_TASK_FN void bvh_load(lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	const bvh_record *from = c->record[bvh_array(it.info)] + it.first;

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		l->u.record[k] = from[k];
}

/* Makes the records of a range that has none. */
LSCHED_TASK_FN void bvh_load_frames(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	const bvh_record *from = c->record[bvh_array(it.info)] + it.first;
	const int whole = it.count == c->n; /* no records yet */
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };
	bvh_frame frame;

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		bvh_bounds_add(&b, &c->box[whole ? k : from[k].number]);
	bvh_block_bounds(x, l, &b);
	frame = bvh_make_frame(&b);
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t number = whole ? k : from[k].number;

		l->u.record[k] = bvh_quantise(&c->box[number], &frame, number);
	}
}

/* Splits a range of at most BVH_ROOM primitives and returns 1 with both sides, or makes its subtree
 * and returns 0. All threads. */
LSCHED_TASK_FN int bvh_divide(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	lsched_range it, int has_records, lsched_range side[2])
{
	if (has_records)
		bvh_load(x, c, l, it);
	else
		bvh_load_frames(x, c, l, it);
	lsched_sync_item(x);
	if (it.count > BVH_SMALL) {
		bvh_halve(x, c, l, it, side);
		return 1;
	}
	bvh_small_block(x, c, l, it);
	return 0;
}

LSCHED_TASK_CALL_FN int bvh_divide_call(lsched_range_crew crew, const bvh_ctx *c, bvh_local *l,
	lsched_range it, int has_records, lsched_range side[2])
{
	lsched_range_items x;
	lsched_worker room;

	lsched_range_crew_item(crew, &x, &room);
	return bvh_divide(&x, c, l, it, has_records, side);
}

LSCHED_TASK_FN void bvh_range(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it, int has_records)
{
	lsched_range side[2];

#ifndef __CUDACC__
	if (lsched_threads(x) == 1) { /* makes the subtree, so that no part is left */
		bvh_serial_frames(c, l->u.record, it);
		return;
	}
#endif
	if (bvh_divide_call(lsched_range_crew_of(x), c, l, it, has_records, side) &&
		lsched_thread(x) == 0) {
		lsched_emit(x, BVH_RANGE, &side[0]);
		lsched_emit(x, BVH_RANGE, &side[1]);
	}
}

/* All primitives: tiles of many, a block for few. */
LSCHED_TASK_FN void bvh_begin(lsched_range_items *x, const bvh_ctx *c, lsched_range it)
{
	if (lsched_thread(x) != 0)
		return;
	c->top->root = BVH_NONE;
	if (it.count > BVH_ROOM) {
		bvh_open_first(c);
		bvh_start_tiles(x, c, 0, BVH_SPREAD);
	} else if (it.count) {
		lsched_emit(x, BVH_FRAMES, &it);
	}
}

/* The boxes of a leaf's primitives have changed. */
LSCHED_TASK_FN void bvh_refit_leaf(const bvh_ctx *c, uint32_t position)
{
	const uint32_t count = c->leaf[position].count;
	bvh_box box;

	if (count == 0)
		return;
	box = c->box[c->order[position]];
	for (uint32_t k = 1; k < count; k++)
		bvh_box_extend(&box, &c->box[c->order[position + k]]);
	c->leaf[position].box = box;
	bvh_climb(c, c->leaf_up[position], box);
}

LSCHED_TASK_FN void bvh_refit(lsched_range_items *x, const bvh_ctx *c, lsched_range it)
{
	const uint32_t most = 4 * lsched_threads(x) < 1024 ? 1024 : 4 * lsched_threads(x);

	if (it.count > most) {
		if (lsched_thread(x) == 0)
			lsched_range_spread(x, BVH_REFIT, it, BVH_SPREAD);
		return;
	}
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		bvh_refit_leaf(c, it.first + k);
}

LSCHED_TASK_FN lsched_result bvh_body(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, uint32_t proc, lsched_range it)
{
	const int first = lsched_thread(x) == 0;

	switch (proc) {
	case BVH_TOP:
		bvh_begin(x, c, it);
		break;
	case BVH_TILES:
		if (it.count == 1)
			bvh_tile(x, c, l, it);
		else if (first)
			lsched_range_spread(x, BVH_TILES, it, BVH_SPREAD);
		break;
	case BVH_JOINED:
		if (first)
			(void)lsched_join_take(x, it.join);
		bvh_joined(x, c, l, it);
		break;
	case BVH_FRAMES:
	case BVH_RANGE:
		bvh_range(x, c, l, it, proc == BVH_RANGE);
		break;
	default:
		bvh_refit(x, c, it);
	}
	return LSCHED_DONE;
}

#endif

#ifdef COLLIDE_I_BVH_PROGRAM
#undef COLLIDE_I_BVH_PROGRAM
#define LSCHED_NAME        collide_i_bvh
#define LSCHED_CTX         bvh_ctx
#define LSCHED_ITEMS       lsched_range_items
#define LSCHED_ROOT        bvh_root
#define LSCHED_BODY        bvh_body
#define LSCHED_LOCAL       bvh_local
#define LSCHED_GRAIN       block
#define LSCHED_GROUP_WARPS 8
#define LSCHED_PROCS       6  /* BVH_PROCS */
#define LSCHED_MAX_SPAWN   31 /* as many as the stacks for 16 have room for */
#define LSCHED_MIN_BLOCKS  3
#define LSCHED_JOINS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
