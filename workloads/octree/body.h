/* The procedures of the octree. Compiled for CPU and GPU. */
#ifndef WORKLOADS_OCTREE_BODY_H
#define WORKLOADS_OCTREE_BODY_H

#include "workloads/octree/subtree.h"

/* Opens a cell for its tiles. One thread. */
LSCHED_TASK_FN void oct_open_cell(lsched_range_items *x, const oct_ctx *c, lsched_range it)
{
	const uint32_t open = it.first / OCT_ROOM;
	oct_open *o = &c->open[open];
	lsched_range then = { 0, 0, open, 0 };
	lsched_range tiles = { 0, it.count / OCT_ROOM + (it.count % OCT_ROOM != 0), open, 0 };

	o->first = it.first;
	o->count = it.count;
	o->info = it.info;
	o->cell = it.join;
	for (uint32_t k = 0; k < 8; k++)
		lsched_st(&o->octant[k], 0u, rlx, dev);
	tiles.join = lsched_fork_then(x, tiles.count, OCT_COUNTED, &then, &then.join);
	lsched_range_spread(x, OCT_COUNT, tiles, LSCHED_RANGE_PARTS);
}

LSCHED_TASK_FN void oct_split(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	const uint32_t level = oct_level(it.info), array = oct_array(it.info);

	if (it.count == 0)
		return;
	if (level == 0 && lsched_thread(x) == 0)
		oct_write_cell(c, it.join, 0, it.first, it.count, 0, OCT_NONE);
	if (it.count <= OCT_ROOM) {
		lsched_sync_item(x); /* its cell is written */
		oct_subtree(x, c, l, it);
	} else if (lsched_thread(x) == 0) {
		if (!oct_is_leaf(c, it.count, level))
			oct_open_cell(x, c, it);
		else if (array != OCT_OUTPUT)
			lsched_emit(x, OCT_COPY, &it);
	}
}

/* The tile's particles. */
LSCHED_TASK_FN lsched_range oct_tile(const oct_open *o, lsched_range it)
{
	const uint32_t begin = it.first * OCT_ROOM, rest = o->count - begin;
	const lsched_range tile = { o->first + begin, rest < OCT_ROOM ? rest : (uint32_t)OCT_ROOM,
		o->info, 0 };

	return tile;
}

/* Counts the octants of this thread's particles. */
LSCHED_TASK_FN lsched_group_ways oct_count_own(
	lsched_range_items *x, const uint64_t *code, lsched_range tile)
{
	lsched_group_ways w = { { 0, 0 } };

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < tile.count; k += lsched_threads(x))
		(void)lsched_group_ways_next(
			&w, oct_octant(code[tile.first + k], oct_level(tile.info)));
	return w;
}

/* One thread: counts a tile's octants, and adds them to those of the cell. */
LSCHED_TASK_FN void oct_count_serial(const oct_ctx *c, oct_open *o, lsched_range tile)
{
	const uint64_t *code = c->code[oct_array(o->info)];
	const uint32_t level = oct_level(o->info);
	uint32_t octant[8] = { 0 };

	for (uint32_t k = 0; k < tile.count; k++)
		octant[oct_octant(code[tile.first + k], level)]++;
	for (uint32_t k = 0; k < 8; k++)
		if (octant[k])
			(void)lsched_add(&o->octant[k], octant[k], rlx, dev);
}

LSCHED_TASK_FN void oct_count(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	oct_open *o = &c->open[it.info];
	const lsched_range tile = oct_tile(o, it);
	lsched_group_ways w, total;

	if (lsched_threads(x) == 1) {
		oct_count_serial(c, o, tile);
	} else {
		w = oct_count_own(x, c->code[oct_array(o->info)], tile);
		lsched_group_split(x, &l->group, &w, 8, &total);
		for (uint32_t k = lsched_thread(x); k < 8; k += lsched_threads(x))
			if (lsched_group_ways_get(&total, k))
				(void)lsched_add(
					&o->octant[k], lsched_group_ways_get(&total, k), rlx, dev);
		lsched_sync_item(x);
	}
	if (lsched_thread(x) == 0)
		lsched_return(x, it.join, 0);
}

/* Makes the children of an open cell, whose particles are in `array`. One thread. */
LSCHED_TASK_FN void oct_children(
	lsched_range_items *x, const oct_ctx *c, oct_open *o, uint32_t array)
{
	const uint32_t level = oct_level(o->info);
	uint32_t octants = 0, first = o->first, child;

	for (uint32_t k = 0; k < 8; k++)
		octants |= (uint32_t)(lsched_ld(&o->octant[k], rlx, dev) != 0) << k;
	child = lsched_add(c->cells, lsched_popcount(octants), rlx, dev);
	oct_write_children(c, o->cell, child, octants);
	for (uint32_t k = 0; k < 8; k++) {
		const uint32_t count = lsched_ld(&o->octant[k], rlx, dev);
		const lsched_range part = { first, count, oct_info(array, level + 1), child };

		if (count == 0)
			continue;
		oct_write_cell(c, child, c->code[array][first], first, count, level + 1, o->cell);
		lsched_emit(x, OCT_CELL, &part);
		first += count;
		child++;
	}
}

/* Adds up the octants' particles, and lets the tiles move them. One thread. */
LSCHED_TASK_FN void oct_counted(lsched_range_items *x, const oct_ctx *c, lsched_range it)
{
	oct_open *o = &c->open[it.info];
	lsched_range then = { 0, 0, it.info, 0 };
	lsched_range tiles = { 0, o->count / OCT_ROOM + (o->count % OCT_ROOM != 0), it.info, 0 };
	uint32_t place = 0, most = 0;

	(void)lsched_join_take(x, it.join);
	for (uint32_t k = 0; k < 8; k++) {
		const uint32_t count = lsched_ld(&o->octant[k], rlx, dev);

		lsched_st(&o->place[k], place, rlx, dev);
		place += count;
		most = count > most ? count : most;
	}
	if (most == o->count) { /* in one octant: they stay */
		oct_children(x, c, o, oct_array(o->info));
		return;
	}
	tiles.join = lsched_fork_then(x, tiles.count, OCT_MOVED, &then, &then.join);
	lsched_range_spread(x, OCT_MOVE, tiles, LSCHED_RANGE_PARTS);
}

/* One thread: moves a tile's particles. */
LSCHED_TASK_FN void oct_move_serial(const oct_ctx *c, oct_open *o, lsched_range tile)
{
	const uint32_t array = oct_array(o->info), level = oct_level(o->info);
	const uint64_t *code = c->code[array];
	uint32_t place[8] = { 0 };

	for (uint32_t k = 0; k < tile.count; k++)
		place[oct_octant(code[tile.first + k], level)]++;
	for (uint32_t k = 0; k < 8; k++)
		if (place[k])
			place[k] = o->first + lsched_add(&o->place[k], place[k], rlx, dev);
	for (uint32_t k = 0; k < tile.count; k++) {
		const oct_particle p = oct_load(c, array, tile.first + k);

		oct_store(c, oct_other(array), place[oct_octant(p.code, level)]++, p);
	}
}

/* All threads of a block: orders a tile's particles in fast memory, and moves them. */
LSCHED_TASK_FN void oct_move_block(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, oct_open *o, lsched_range tile)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t array = oct_array(o->info), level = oct_level(o->info);
	lsched_group_ways at = oct_count_own(x, c->code[array], tile), total;

	lsched_group_split(x, &l->group, &at, 8, &total);
	for (uint32_t k = thread; k < 8; k += threads) {
		uint32_t before = 0;

		for (uint32_t j = 0; j < k; j++)
			before += lsched_group_ways_get(&total, j);
		if (lsched_group_ways_get(&total, k))
			l->place[k] = o->first - before +
				      lsched_add(&o->place[k], lsched_group_ways_get(&total, k),
					      rlx, dev);
	}
	LSCHED_UNROLL_LOADS
	for (uint32_t k = thread; k < tile.count; k += threads) {
		const oct_particle p = oct_load(c, array, tile.first + k);

		oct_put(&l->room[0], lsched_group_ways_next(&at, oct_octant(p.code, level)), p);
	}
	lsched_sync_item(x);
	for (uint32_t k = thread; k < tile.count; k += threads) {
		const oct_particle p = oct_get(&l->room[0], k);

		oct_store(c, oct_other(array), l->place[oct_octant(p.code, level)] + k, p);
	}
	lsched_sync_item(x);
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

LSCHED_TASK_FN void oct_moved(lsched_range_items *x, const oct_ctx *c, lsched_range it)
{
	oct_open *o = &c->open[it.info];

	(void)lsched_join_take(x, it.join);
	oct_children(x, c, o, oct_other(oct_array(o->info)));
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
	else if (proc == OCT_COUNTED && first)
		oct_counted(x, c, it);
	else if (proc == OCT_MOVED && first)
		oct_moved(x, c, it);
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
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
