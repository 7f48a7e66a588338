/* Tiles of an open cell: they count its ways, and move its particles. A way is an octant, or an
 * octant of an octant. Compiled for CPU and GPU. */
#ifndef WORKLOADS_OCTREE_TILES_H
#define WORKLOADS_OCTREE_TILES_H

#include "workloads/octree/subtree.h"

/* The way of a code in an open cell. */
typedef struct oct_ways {
	uint32_t shift, mask;
} oct_ways;

LSCHED_FN oct_ways oct_ways_of(const oct_open *o)
{
	const uint32_t bits = oct_way_bits(o->count, oct_level(o->info));
	const oct_ways w = { 3 * (OCT_LEVELS - oct_level(o->info)) - bits, (1u << bits) - 1 };

	return w;
}

LSCHED_FN uint32_t oct_way(oct_ways w, uint64_t code)
{
	return (uint32_t)(code >> w.shift) & w.mask;
}

/* The tile's particles. */
LSCHED_TASK_FN lsched_range oct_tile(const oct_open *o, lsched_range it)
{
	const uint32_t begin = it.first * OCT_ROOM, rest = o->count - begin;
	const lsched_range tile = { o->first + begin, rest < OCT_ROOM ? rest : (uint32_t)OCT_ROOM,
		o->info, 0 };

	return tile;
}

/* ---- one thread ---- */

LSCHED_TASK_FN void oct_count_tile(
	const uint64_t *code, lsched_range tile, oct_ways w, uint32_t count[OCT_WAYS])
{
	for (uint32_t k = 0; k < OCT_WAYS; k++)
		count[k] = 0;
	for (uint32_t k = 0; k < tile.count; k++)
		count[oct_way(w, code[tile.first + k])]++;
}

LSCHED_TASK_FN void oct_count_serial(const oct_ctx *c, oct_open *o, lsched_range tile)
{
	const oct_ways w = oct_ways_of(o);
	uint32_t count[OCT_WAYS];

	oct_count_tile(c->code[oct_array(o->info)], tile, w, count);
	for (uint32_t k = 0; k <= w.mask; k++)
		if (count[k])
			(void)lsched_add(&o->way[k], count[k], rlx, dev);
}

LSCHED_TASK_FN void oct_move_serial(const oct_ctx *c, oct_open *o, lsched_range tile)
{
	const uint32_t array = oct_array(o->info);
	const oct_ways w = oct_ways_of(o);
	uint32_t place[OCT_WAYS];

	oct_count_tile(c->code[array], tile, w, place);
	for (uint32_t k = 0; k <= w.mask; k++)
		if (place[k])
			place[k] = o->first + lsched_add(&o->place[k], place[k], rlx, dev);
	for (uint32_t k = 0; k < tile.count; k++) {
		const oct_particle p = oct_load(c, array, tile.first + k);

		oct_store(c, oct_other(array), place[oct_way(w, p.code)]++, p);
	}
}

/* ---- all threads of a block ---- */

/* The counter of a particle of this thread. An octant has eight, so that fewer additions of a warp
 * go to the same one. */
LSCHED_TASK_FN uint32_t *oct_counter(
	lsched_range_items *x, uint32_t counter[OCT_WAYS], oct_ways w, uint64_t code)
{
	const uint32_t way = oct_way(w, code);

	return &counter[w.mask == OCT_WAYS - 1 ? way : way * 8 + (lsched_thread(x) & 7u)];
}

/* Adds up the counters of a way. */
LSCHED_TASK_FN uint32_t oct_way_count(const uint32_t counter[OCT_WAYS], oct_ways w, uint32_t way)
{
	uint32_t sum = 0;

	if (w.mask == OCT_WAYS - 1)
		return counter[way];
	for (uint32_t k = 0; k < 8; k++)
		sum += counter[8 * way + k];
	return sum;
}

LSCHED_TASK_FN void oct_clear_counters(lsched_range_items *x, oct_local *l)
{
	for (uint32_t k = lsched_thread(x); k < OCT_WAYS; k += lsched_threads(x))
		l->way[k] = 0;
	lsched_sync_item(x);
}

LSCHED_TASK_FN void oct_count_block(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, oct_open *o, lsched_range tile)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint64_t *code = c->code[oct_array(o->info)];
	const oct_ways w = oct_ways_of(o);

	oct_clear_counters(x, l);
	for (uint32_t at = thread; at < tile.count; at += 8 * threads) {
		uint64_t v[8]; /* loads under way */

		LSCHED_UNROLL
		for (uint32_t j = 0; j < 8; j++) {
			const uint32_t k = at + j * threads;

			v[j] = code[tile.first + (k < tile.count ? k : at)];
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 8; j++)
			if (at + j * threads < tile.count)
				(void)OCT_NEAR_ADD(oct_counter(x, l->way, w, v[j]), 1u);
	}
	lsched_sync_item(x);
	for (uint32_t k = thread; k <= w.mask; k += threads) {
		const uint32_t count = oct_way_count(l->way, w, k);

		if (count)
			(void)lsched_add(&o->way[k], count, rlx, dev);
	}
	lsched_sync_item(x);
}

/* Loads a tile's particles into room[1], and counts them: each thread those that it has loaded. */
LSCHED_TASK_FN void oct_move_load(lsched_range_items *x, const oct_ctx *c, oct_local *l,
	const oct_open *o, oct_ways w, lsched_range tile)
{
	oct_clear_counters(x, l);
	oct_load_block(x, c, &l->room[1], oct_array(o->info), tile.first, tile.count);
	for (uint32_t k = lsched_thread(x); k < tile.count; k += lsched_threads(x))
		(void)OCT_NEAR_ADD(oct_counter(x, l->way, w, oct_code_at(&l->room[1], k)), 1u);
	lsched_sync_item(x);
}

/* Where the particles of each counter begin in room[0], and those of a way in the other array less
 * the places of this tile's ones in room[0]. */
LSCHED_TASK_FN void oct_move_places(lsched_range_items *x, oct_local *l, oct_open *o, oct_ways w)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t each = OCT_WAYS / (w.mask + 1); /* counters of a way */

	for (uint32_t k = thread; k < OCT_WAYS; k += threads) {
		uint32_t before = 0;

		for (uint32_t j = 0; j < k; j++)
			before += l->way[j];
		l->at[k] = before;
		if (k % each == 0)
			l->place[k / each] = o->first - before;
	}
	lsched_sync_item(x);
	for (uint32_t k = thread; k <= w.mask; k += threads) {
		const uint32_t count = oct_way_count(l->way, w, k);

		if (count) /* no barrier follows: the other threads do not wait for the addition */
			l->place[k] += lsched_add(&o->place[k], count, rlx, dev);
	}
}

/* Puts particles at, at + threads, .. of a tile into the order of their ways. */
LSCHED_TASK_FN void oct_move_order(
	lsched_range_items *x, oct_local *l, oct_ways w, uint32_t n, uint32_t at)
{
	const uint32_t threads = lsched_threads(x);
	oct_particle p[OCT_BATCH];
	uint32_t place[OCT_BATCH];

	LSCHED_UNROLL
	for (uint32_t j = 0; j < OCT_BATCH; j++)
		p[j] = oct_get(&l->room[1], at + j * threads < n ? at + j * threads : at);
	LSCHED_UNROLL
	for (uint32_t j = 0; j < OCT_BATCH; j++)
		if (at + j * threads < n)
			place[j] = OCT_NEAR_ADD(oct_counter(x, l->at, w, p[j].code), 1u);
	LSCHED_UNROLL
	for (uint32_t j = 0; j < OCT_BATCH; j++)
		if (at + j * threads < n)
			oct_put(&l->room[0], place[j], p[j]);
}

/* Orders a tile's particles by way in fast memory, and moves them. */
LSCHED_TASK_FN void oct_move_block(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, oct_open *o, lsched_range tile)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t to = oct_other(oct_array(o->info));
	const oct_ways w = oct_ways_of(o);

	oct_move_load(x, c, l, o, w, tile);
	oct_move_places(x, l, o, w);
	for (uint32_t at = thread; at < tile.count; at += OCT_BATCH * threads)
		oct_move_order(x, l, w, tile.count, at);
	lsched_sync_item(x);
	for (uint32_t k = thread; k < tile.count; k += threads) {
		const oct_particle p = oct_get(&l->room[0], k);

		oct_store(c, to, l->place[oct_way(w, p.code)] + k, p);
	}
	lsched_sync_item(x);
}

#endif
