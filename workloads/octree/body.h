/* The procedures of the octree. Compiled for CPU and GPU. */
#ifndef WORKLOADS_OCTREE_BODY_H
#define WORKLOADS_OCTREE_BODY_H

#include "workloads/octree/tiles.h"

/* Opens a cell for its tiles. */
LSCHED_TASK_FN void oct_open_cell(lsched_range_items *x, const oct_ctx *c, lsched_range it)
{
	const uint32_t open = it.first / OCT_ROOM;
	oct_open *o = &c->open[open];
	lsched_range then = { 0, 0, open, 0 };
	lsched_range tiles = { 0, it.count / OCT_ROOM + (it.count % OCT_ROOM != 0), open, 0 };

	for (uint32_t k = lsched_thread(x); k < OCT_WAYS; k += lsched_threads(x))
		lsched_st(&o->way[k], 0u, rlx, dev);
	lsched_sync_item(x);
	if (lsched_thread(x) != 0)
		return;
	o->first = it.first;
	o->count = it.count;
	o->info = it.info;
	o->cell = it.join;
	o->code = c->code[oct_array(it.info)][it.first] & ~oct_below(oct_level(it.info));
	tiles.join = lsched_fork_then(x, tiles.count, OCT_COUNTED, &then, &then.join);
	lsched_range_spread(x, OCT_COUNT, tiles, LSCHED_RANGE_PARTS);
}

/* Makes the children of a cell `it` with that code, which has the particles l->octant in its
 * octants. Those that are large themselves have l->way in theirs if `ways`. One thread. */
LSCHED_TASK_FN void oct_children(lsched_range_items *x, const oct_ctx *c, const oct_local *l,
	int ways, lsched_range it, uint64_t code)
{
	const uint32_t level = oct_level(it.info);
	uint32_t octants = 0, first = it.first, child;

	for (uint32_t k = 0; k < 8; k++)
		octants |= (uint32_t)(l->octant[k] != 0) << k;
	child = lsched_add(c->cells, lsched_popcount(octants), rlx, dev);
	oct_write_children(c, it.join, child, octants);
	for (uint32_t k = 0; k < 8; k++) {
		const uint32_t count = l->octant[k];
		lsched_range part = { first, count, oct_info(oct_array(it.info), level + 1),
			child };

		if (count == 0)
			continue;
		oct_write_cell(c, child, code | (uint64_t)k << 3 * (OCT_LEVELS - 1 - level), first,
			count, level + 1, it.join);
		if (ways && count > OCT_ROOM && !oct_is_leaf(c, count, level + 1)) {
			part.info |= OCT_DIVIDED;
			for (uint32_t j = 0; j < 8; j++)
				c->open[first / OCT_ROOM].octant[j] = l->way[8 * k + j];
		}
		lsched_emit(x, OCT_CELL, &part);
		first += count;
		child++;
	}
}

/* Makes the children of an open cell, whose particles are in `array`. l->way has its ways. */
LSCHED_TASK_FN void oct_close(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, const oct_open *o, uint32_t array)
{
	const uint32_t level = oct_level(o->info), bits = oct_way_bits(o->count, level);
	const lsched_range it = { o->first, o->count, oct_info(array, level), o->cell };

	for (uint32_t k = lsched_thread(x); k < 8; k += lsched_threads(x)) {
		uint32_t count = bits == 3 ? l->way[k] : 0;

		for (uint32_t j = 0; bits == 6 && j < 8; j++)
			count += l->way[8 * k + j];
		l->octant[k] = count;
	}
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		oct_children(x, c, l, bits == 6, it, o->code);
}

/* Makes the children of a cell that was divided with its parent. */
LSCHED_TASK_FN void oct_divided(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	const oct_open *o = &c->open[it.first / OCT_ROOM];

	for (uint32_t k = lsched_thread(x); k < 8; k += lsched_threads(x))
		l->octant[k] = o->octant[k];
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		oct_children(x, c, l, 0, it,
			c->code[oct_array(it.info)][it.first] & ~oct_below(oct_level(it.info)));
}

LSCHED_TASK_FN void oct_split(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	const uint32_t level = oct_level(it.info), array = oct_array(it.info);

	if (it.count == 0)
		return;
	if (level == 0 && lsched_thread(x) == 0)
		oct_write_cell(c, it.join, 0, it.first, it.count, 0, OCT_NONE);
	if (it.info & OCT_DIVIDED) {
		oct_divided(x, c, l, it);
	} else if (it.count <= OCT_ROOM) {
		lsched_sync_item(x); /* its cell is written */
		oct_subtree(x, c, l, it);
	} else if (!oct_is_leaf(c, it.count, level)) {
		oct_open_cell(x, c, it);
	} else if (array != OCT_OUTPUT && lsched_thread(x) == 0) {
		lsched_emit(x, OCT_COPY, &it);
	}
}

LSCHED_TASK_FN void oct_count(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	oct_open *o = &c->open[it.info];
	const lsched_range tile = oct_tile(o, it);

	if (lsched_threads(x) == 1)
		oct_count_serial(c, o, tile);
	else
		oct_count_block(x, c, l, o, tile);
	if (lsched_thread(x) == 0)
		lsched_return(x, it.join, 0);
}

/* Reads the ways of an open cell into l->way. */
LSCHED_TASK_FN void oct_read_ways(lsched_range_items *x, oct_local *l, oct_open *o)
{
	const uint32_t ways = 1u << oct_way_bits(o->count, oct_level(o->info));

	for (uint32_t k = lsched_thread(x); k < ways; k += lsched_threads(x))
		l->way[k] = lsched_ld(&o->way[k], rlx, dev);
	lsched_sync_item(x);
}

/* Adds up the ways' particles, and lets the tiles move them. */
LSCHED_TASK_FN void oct_counted(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	oct_open *o = &c->open[it.info];
	const uint32_t count = o->count; /* not read again: thread 0 may be ahead by a cell */
	const uint32_t ways = 1u << oct_way_bits(count, oct_level(o->info));
	lsched_range then = { 0, 0, it.info, 0 };
	lsched_range tiles = { 0, count / OCT_ROOM + (count % OCT_ROOM != 0), it.info, 0 };
	uint32_t most = 0;

	if (lsched_thread(x) == 0)
		(void)lsched_join_take(x, it.join);
	oct_read_ways(x, l, o);
	for (uint32_t k = lsched_thread(x); k < ways; k += lsched_threads(x)) {
		uint32_t place = 0;

		for (uint32_t j = 0; j < k; j++)
			place += l->way[j];
		lsched_st(&o->place[k], place, rlx, dev);
	}
	for (uint32_t k = 0; k < ways; k++)
		most = l->way[k] > most ? l->way[k] : most;
	lsched_sync_item(x);
	if (most == count) { /* in one way: they stay */
		oct_close(x, c, l, o, oct_array(o->info));
	} else if (lsched_thread(x) == 0) {
		tiles.join = lsched_fork_then(x, tiles.count, OCT_MOVED, &then, &then.join);
		lsched_range_spread(x, OCT_MOVE, tiles, LSCHED_RANGE_PARTS);
	}
}

LSCHED_TASK_FN void oct_move(lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	oct_open *o = &c->open[it.info];
	const lsched_range tile = oct_tile(o, it);

	if (lsched_threads(x) == 1)
		oct_move_serial(c, o, tile);
	else
		oct_move_block(x, c, l, o, tile);
	if (lsched_thread(x) == 0)
		lsched_return(x, it.join, 0);
}

LSCHED_TASK_FN void oct_moved(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	oct_open *o = &c->open[it.info];

	if (lsched_thread(x) == 0)
		(void)lsched_join_take(x, it.join);
	oct_read_ways(x, l, o);
	oct_close(x, c, l, o, oct_other(oct_array(o->info)));
}

/* Copies the particles of a large leaf to the output; their order is not defined. */
LSCHED_TASK_FN void oct_copy(lsched_range_items *x, const oct_ctx *c, lsched_range it)
{
	if (it.count <= 4 * OCT_ROOM) {
		for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
			oct_store(c, OCT_OUTPUT, it.first + k,
				oct_load(c, oct_array(it.info), it.first + k));
	} else if (lsched_thread(x) == 0) {
		lsched_range_spread(x, OCT_COPY, it, LSCHED_RANGE_PARTS);
	}
}

LSCHED_TASK_FN lsched_result oct_body(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, uint32_t proc, lsched_range it)
{
	const int first = lsched_thread(x) == 0;

	if (proc == OCT_CELL)
		oct_split(x, c, l, it);
	else if (proc == OCT_COPY)
		oct_copy(x, c, it);
	else if (proc == OCT_COUNTED)
		oct_counted(x, c, l, it);
	else if (proc == OCT_MOVED)
		oct_moved(x, c, l, it);
	else if ((proc == OCT_COUNT || proc == OCT_MOVE) && it.count > 1 && first)
		lsched_range_spread(x, proc, it, LSCHED_RANGE_PARTS);
	else if (proc == OCT_COUNT && it.count == 1)
		oct_count(x, c, l, it);
	else if (proc == OCT_MOVE && it.count == 1)
		oct_move(x, c, l, it);
	return LSCHED_DONE;
}

#endif

#ifdef WL_OCTREE_PROGRAM
#undef WL_OCTREE_PROGRAM
#define LSCHED_NAME        octree
#define LSCHED_CTX         oct_ctx
#define LSCHED_ITEMS       lsched_range_items
#define LSCHED_ROOT        oct_root
#define LSCHED_BODY        oct_body
#define LSCHED_LOCAL       oct_local
#define LSCHED_GRAIN       block
#define LSCHED_GROUP_WARPS 8
#define LSCHED_PROCS       6 /* OCT_PROCS */
#define LSCHED_MAX_SPAWN   16
#define LSCHED_MIN_BLOCKS  2
#define LSCHED_JOINS
#define LSCHED_PROC_NAMES(X)  X(cell) X(count) X(counted) X(move) X(moved) X(copy)
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
