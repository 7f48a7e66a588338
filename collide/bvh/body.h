/* The procedures of the bounding volume hierarchy. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_BODY_H
#define COLLIDE_BVH_BODY_H

#include "collide/bvh/lists.h"
#include "collide/bvh/passes.h"
#include "collide/bvh/small.h"

/* ---- ranges of more than BVH_BLOCK primitives: tiles ---- */

LSCHED_TASK_CALL_FN uint32_t bvh_pass_call(lsched_range_crew crew, const bvh_ctx *c, bvh_local *l,
	bvh_open *o, uint32_t first, uint32_t count)
{
	lsched_range_items x;
	lsched_worker own;

	lsched_range_crew_item(crew, &x, &own);
#if LSCHED_LANES == 1
	if (lsched_threads(&x) == 1) {
		bvh_serial_pass(c, o, first, count);
		return 0;
	}
#endif
	return bvh_pass(&x, c, l, o, first, count);
}

LSCHED_TASK_CALL_FN uint32_t bvh_follow_call(
	lsched_range_crew crew, const bvh_ctx *c, bvh_local *l, bvh_open *o, int may_hand)
{
	lsched_range_items x;
	lsched_worker own;

	lsched_range_crew_item(crew, &x, &own);
	return bvh_follow(&x, c, l, o, may_hand);
}

LSCHED_TASK_CALL_FN void bvh_handed_call(
	lsched_range_crew crew, const bvh_ctx *c, bvh_local *l, bvh_open *o, uint32_t k)
{
	lsched_range_items x;
	lsched_worker own;

	lsched_range_crew_item(crew, &x, &own);
	bvh_handed(&x, c, l, o, k);
}

LSCHED_TASK_FN void bvh_tile(lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_open *o = &c->open[it.info];
	const uint32_t room = bvh_tile_room(o->count, o->pass), begin = it.first * room;
	const uint32_t rest = o->count - begin;
	uint32_t ready = 0;

	if (o->pass == BVH_PASS_BRICKS)
		bvh_handed_call(lsched_range_crew_of(x), c, l, o, it.first);
	else
		ready = bvh_pass_call(lsched_range_crew_of(x), c, l, o, o->first + begin,
			rest < room ? rest : room);
	if (BVH_TREES > 1 && ready && lsched_thread(x) < LSCHED_LANES)
		bvh_pair_up(c, l->ready, ready);
	if (lsched_thread(x) < LSCHED_LANES)
		for (uint32_t k = lsched_thread(x); k < ready; k += LSCHED_LANES)
			if (l->ready[k].count)
				lsched_emit(x, BVH_RANGE, &l->ready[k]);
	if (lsched_thread(x) == 0)
		lsched_return(x, it.join, 0);
}

/* Divides tiles into BVH_SPREAD parts. All threads. */
LSCHED_TASK_FN void bvh_spread_tiles(lsched_range_items *x, lsched_range it)
{
	const uint32_t parts = it.count < BVH_SPREAD ? it.count : BVH_SPREAD;

	if (lsched_thread(x) >= LSCHED_LANES)
		return;
	for (uint32_t k = lsched_thread(x); k < parts; k += LSCHED_LANES) {
		const uint32_t begin = it.count * k / parts, end = it.count * (k + 1) / parts;
		const lsched_range part = { it.first + begin, end - begin, it.info, it.join };

		lsched_emit(x, BVH_TILES, &part);
	}
}

/* Makes so many tiles of an open range, whose pass is set. All threads. */
LSCHED_TASK_FN void bvh_start_tiles(lsched_range_items *x, uint32_t open, uint32_t count)
{
	lsched_range then = { 0, 0, open, 0 };
	lsched_range tiles = { 0, count, open, 0 };

	if (lsched_thread(x) == 0)
		tiles.join = lsched_fork_then(x, tiles.count, BVH_JOINED, &then, &then.join);
	tiles.join = lsched_bcast(tiles.join); /* in the warp that emits them */
	bvh_spread_tiles(x, tiles);
}

/* The tiles of a range have returned: makes those of the next pass, or emits the parts. All
 * threads. */
LSCHED_TASK_FN void bvh_joined(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_open *o = &c->open[it.info];
	/* one CPU thread makes the tree over cells alone: other blocks are no smaller */
	const uint32_t tiles =
		bvh_follow_call(lsched_range_crew_of(x), c, l, o, lsched_threads(x) > 1);

	if (tiles)
		bvh_start_tiles(x, it.info, tiles);
	else
		bvh_emit_parts(x, c, l, o);
}

/* ---- others: a block ---- */

enum { BVH_HELD = 2 * BVH_TREES }; /* boxes that a thread keeps between both uses */

LSCHED_TASK_FN void bvh_small_set(bvh_small *s, uint32_t at, bvh_record r)
{
	s->record[at] = r;
	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		s->centre[axis][at] = (uint16_t)bvh_centre(r.word, axis);
}

/* Makes the records of ranges of at most BVH_SMALL primitives, each in a frame of its own. All
 * threads: a squad for each range. */
LSCHED_TASK_FN void bvh_load_framed(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const lsched_range part[BVH_TREES], uint32_t trees)
{
	const bvh_squad squad = bvh_squad_of(x, trees);
	const lsched_range it = squad.tree ? part[BVH_TREES - 1] : part[0];
	const uint32_t count = squad.tree < trees ? it.count : 0;
	const bvh_record *from = c->record[bvh_array(it.info)] + it.first;
	const int whole = it.count == c->n; /* no records yet */
	const uint32_t threads = squad.warps * LSCHED_LANES;
	const uint32_t thread = lsched_thread(x) - squad.warp * LSCHED_LANES;
	const uint32_t rest = thread + BVH_HELD * threads;
	const uint32_t at = squad.tree < trees ? squad.tree * BVH_SMALL : 0;
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };
	uint32_t held[BVH_HELD];
	bvh_box box[BVH_HELD];
	bvh_frame frame;

	LSCHED_UNROLL
	for (uint32_t j = 0; j < BVH_HELD; j++) { /* some have a primitive twice */
		const uint32_t k = thread + j * threads;
		const uint32_t own = k < count ? k : it.count - 1;

		held[j] = whole ? own : from[own].number;
	}
	LSCHED_UNROLL
	for (uint32_t j = 0; j < BVH_HELD; j++)
		box[j] = c->box[held[j]];
	LSCHED_UNROLL
	for (uint32_t j = 0; j < BVH_HELD; j++)
		bvh_bounds_add(&b, &box[j]);
	for (uint32_t k = rest; k < count; k += threads)
		bvh_bounds_add(&b, &c->box[whole ? k : from[k].number]);
	bvh_squad_bounds(x, l, &squad, &b);
	frame = bvh_make_frame(&b);
	LSCHED_UNROLL
	for (uint32_t j = 0; j < BVH_HELD; j++)
		if (thread + j * threads < count)
			bvh_small_set(&l->u.small, at + thread + j * threads,
				bvh_quantise(&box[j], &frame, held[j]));
	for (uint32_t k = rest; k < count; k += threads) {
		const uint32_t number = whole ? k : from[k].number;

		bvh_small_set(&l->u.small, at + k, bvh_quantise(&c->box[number], &frame, number));
	}
	lsched_sync_item(x);
}

/* Makes the subtrees of ranges of at most BVH_SMALL primitives. All threads. */
LSCHED_TASK_FN void bvh_small_trees(lsched_range_items *x, const bvh_ctx *c, bvh_local *l,
	const lsched_range it[BVH_TREES], uint32_t trees)
{
	bvh_small_clear(x, &l->u.small, it, trees);
	bvh_load_framed(x, c, l, it, trees);
	bvh_small_block(x, c, l, it, trees);
}

/* Opens a range of more than BVH_SMALL primitives. All threads. */
LSCHED_TASK_FN void bvh_reopen(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_open *o = &c->open[it.first / BVH_SMALL];

	if (lsched_thread(x) == 0)
		bvh_open_range(c, it);
	lsched_sync_item(x);
	if (o->pass == BVH_PASS_COUNT)
		bvh_clear_cells(x, c, l, o);
}

/* Moves the records of a range of at most BVH_BLOCK primitives to its parts. */
LSCHED_TASK_FN void bvh_divide(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_open *o = &c->open[it.first / BVH_SMALL];

	bvh_reopen(x, c, l, it);
	do
		for (uint32_t at = 0; at < it.count; at += BVH_TILE)
			(void)bvh_pass_call(lsched_range_crew_of(x), c, l, o, it.first + at,
				it.count - at < BVH_TILE ? it.count - at : BVH_TILE);
	while (bvh_follow_call(lsched_range_crew_of(x), c, l, o, 0));
}

LSCHED_TASK_CALL_FN void bvh_small_call(
	lsched_range_crew crew, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	lsched_range_items x;
	lsched_worker own;

	const int is_pair = bvh_is_pair(&it);
	lsched_range part[BVH_TREES];
	uint32_t rest = is_pair ? BVH_TREES : 1;

	lsched_range_crew_item(crew, &x, &own);
	part[BVH_TREES - 1] = is_pair ? *bvh_pair_at(c, &it) : it;
	part[0] = it;
	while (rest) { /* a single warp makes one after the other */
		const uint32_t trees = bvh_warps(&x) < rest ? 1 : rest;

		bvh_small_trees(&x, c, l, part, trees);
		part[0] = part[BVH_TREES - 1];
		rest -= trees;
		if (rest)
			lsched_sync_item(&x);
	}
}

/* Primitives of the largest range that has no tiles. */
LSCHED_TASK_FN uint32_t bvh_most_alone(const lsched_range_items *x)
{
	return LSCHED_LANES == 1 && lsched_threads(x) == 1 ? BVH_ALONE : BVH_BLOCK;
}

LSCHED_TASK_FN void bvh_range(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	uint32_t pass;

	if (it.count > bvh_most_alone(x)) {
		bvh_reopen(x, c, l, it);
		pass = c->open[it.first / BVH_SMALL].pass;
		lsched_sync_item(x); /* all have read it */
		bvh_start_tiles(x, it.first / BVH_SMALL, bvh_tiles(it.count, pass));
		return;
	}
#if LSCHED_LANES == 1
	if (lsched_threads(x) == 1) { /* makes the subtree, so that no part is left */
		bvh_serial_range(c, l, it);
		return;
	}
#endif
	if (it.count > BVH_SMALL) {
		bvh_divide(x, c, l, it);
		bvh_emit_parts(x, c, l, &c->open[it.first / BVH_SMALL]);
	} else {
		bvh_small_call(lsched_range_crew_of(x), c, l, it);
	}
}

/* All primitives: tiles of many, a block for few. All threads. */
LSCHED_TASK_FN void bvh_begin(lsched_range_items *x, const bvh_ctx *c, lsched_range it)
{
	const int first = lsched_thread(x) == 0, is_tiled = it.count > bvh_most_alone(x);

	if (first) {
		c->top->root = BVH_NONE;
		if (is_tiled)
			bvh_open_framed(c, it);
		else if (it.count)
			lsched_emit(x, BVH_RANGE, &it);
	}
	lsched_sync_item(x);
	if (is_tiled)
		bvh_start_tiles(x, 0, bvh_tiles(it.count, BVH_PASS_FRAME));
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
		else
			bvh_spread_tiles(x, it);
		break;
	case BVH_JOINED:
		if (first)
			(void)lsched_join_take(x, it.join);
		bvh_joined(x, c, l, it);
		break;
	case BVH_LIST:
		bvh_listed(x, c, l, it);
		break;
	case BVH_RANGE:
		bvh_range(x, c, l, it);
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
#define LSCHED_GROUP_WARPS BVH_BLOCK_WARPS
#define LSCHED_PROCS       6  /* BVH_PROCS */
#define LSCHED_MAX_SPAWN   31 /* as many as the stacks for 16 have room for */
#define LSCHED_MIN_BLOCKS  2
#define LSCHED_AHEAD       BVH_AHEAD
#define LSCHED_CHOOSE_DOWNSTREAM
#define LSCHED_JOINS
#define LSCHED_PROC_NAMES(X)  X(top) X(tiles) X(list) X(range) X(refit) X(joined)
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
