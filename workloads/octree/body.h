/* The procedures of the octree. Compiled for CPU and GPU. */
#ifndef WORKLOADS_OCTREE_BODY_H
#define WORKLOADS_OCTREE_BODY_H

#include "workloads/octree/octree.h"

enum {
	OCT_SKIP = 4, /* a code after 16, a name after 32: different banks */
	OCT_CODES = OCT_ROOM + (OCT_ROOM >> OCT_SKIP),
	OCT_NAMES = OCT_ROOM + (OCT_ROOM >> (OCT_SKIP + 1)),
	OCT_FRONT = OCT_ROOM / 2 /* inner cells of a level have two particles at least */
};

typedef struct oct_particles {
	uint64_t code[OCT_CODES];
	uint32_t name[OCT_NAMES];
} oct_particles;

/* The inner cells of a level: particles and numbers. */
typedef struct oct_front {
	uint32_t first_count[OCT_FRONT], cell[OCT_FRONT]; /* first_count: 16 bits each */
} oct_front;

typedef union oct_room {
	oct_particles p;
	oct_front front[2];
} oct_room;

typedef struct oct_local {
	oct_room room[2];
	uint64_t part[WL_GROUP_PARTS];
	uint32_t place[8]; /* of a tile's first particle of each octant */
	uint32_t base;     /* number of the first new cell */
} oct_local;

typedef struct oct_particle {
	uint64_t code;
	uint32_t name;
} oct_particle;

LSCHED_FN oct_particle oct_get(const oct_room *r, uint32_t i)
{
	const oct_particle p = { r->p.code[i + (i >> OCT_SKIP)],
		r->p.name[i + (i >> (OCT_SKIP + 1))] };

	return p;
}

LSCHED_FN void oct_put(oct_room *r, uint32_t i, oct_particle p)
{
	r->p.code[i + (i >> OCT_SKIP)] = p.code;
	r->p.name[i + (i >> (OCT_SKIP + 1))] = p.name;
}

LSCHED_FN uint64_t oct_code_at(const oct_room *r, uint32_t i)
{
	return r->p.code[i + (i >> OCT_SKIP)];
}

#define WL_SORT_NAME         oct
#define WL_SORT_TYPE         oct_particle
#define WL_SORT_LESS(a, b)   ((a).code < (b).code || ((a).code == (b).code && (a).name < (b).name))
#define WL_SORT_ROOM         oct_room
#define WL_SORT_GET(r, i)    oct_get((r), (i))
#define WL_SORT_PUT(r, i, v) oct_put((r), (i), (v))
#include "workloads/common/block_sort.h"

#ifndef __CUDACC__
#include "workloads/octree/serial.h"
#endif

LSCHED_TASK_FN oct_particle oct_load(const oct_ctx *c, uint32_t array, uint32_t i)
{
	const oct_particle p = { c->code[array][i], array == OCT_INPUT ? i : c->name[array][i] };

	return p;
}

LSCHED_TASK_FN void oct_store(const oct_ctx *c, uint32_t array, uint32_t i, oct_particle p)
{
	c->code[array][i] = p.code;
	c->name[array][i] = p.name;
}

/* ---- cells ---- */

LSCHED_TASK_FN void oct_write_cell(const oct_ctx *c, uint32_t cell, uint64_t code, uint32_t first,
	uint32_t count, uint32_t level, uint32_t parent)
{
	const oct_cell v = { code & ~oct_below(level), first, count, OCT_NONE, parent, level, 0 };

	if (cell < c->room)
		c->cell[cell] = v;
}

LSCHED_TASK_FN void oct_write_children(
	const oct_ctx *c, uint32_t cell, uint32_t child, uint32_t octants)
{
	if (cell < c->room) {
		c->cell[cell].child = child;
		c->cell[cell].octants = octants;
	}
}

/* ---- subtrees in fast memory ---- */

/* Returns the first particle of begin .. end - 1 that is in an octant of at least `octant`. */
LSCHED_TASK_FN uint32_t oct_search(
	const oct_room *sorted, uint32_t begin, uint32_t end, uint32_t level, uint32_t octant)
{
	while (begin < end) {
		const uint32_t middle = (begin + end) / 2;

		if (oct_octant(oct_code_at(sorted, middle), level) < octant)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

/* Where the octants of a cell begin; [8] is its end. Returns which have particles. */
LSCHED_TASK_FN uint32_t oct_bounds(
	const oct_room *sorted, uint32_t begin, uint32_t end, uint32_t level, uint32_t bounds[9])
{
	uint32_t octants = 0;

	bounds[0] = begin;
	LSCHED_UNROLL
	for (uint32_t k = 1; k < 8; k++)
		bounds[k] = oct_search(sorted, bounds[k - 1], end, level, k);
	bounds[8] = end;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 8; k++)
		octants |= (uint32_t)(bounds[k] != bounds[k + 1]) << k;
	return octants;
}

/* Makes the children of up to as many inner cells as there are threads, from `at` on. Returns how
 * many of them are inner cells; they are appended to `to`, which has `size`. */
LSCHED_TASK_FN uint32_t oct_grow(wl_range_items *x, const oct_ctx *c, oct_local *l,
	const oct_room *sorted, const oct_front *from, uint32_t at, uint32_t m, oct_front *to,
	uint32_t size, uint32_t first, uint32_t level)
{
	const uint32_t e = at + lsched_thread(x);
	const uint32_t begin = e < m ? from->first_count[e] >> 16 : 0;
	const uint32_t end = e < m ? begin + (from->first_count[e] & 0xffffu) : 0;
	uint32_t bounds[9], octants = 0, inner = 0, child;
	uint64_t before, total;

	if (e < m)
		octants = oct_bounds(sorted, begin, end, level, bounds);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 8; k++)
		inner += (octants >> k & 1u) &&
			 !oct_is_leaf(c, bounds[k + 1] - bounds[k], level + 1);
	before =
		wl_group_scan(x, l->part, lsched_popcount(octants) | (uint64_t)inner << 32, &total);
	if (lsched_thread(x) == 0)
		l->base = lsched_add(c->cells, (uint32_t)total, rlx, dev);
	lsched_sync_item(x);
	child = l->base + (uint32_t)before;
	size += (uint32_t)(before >> 32);
	if (e < m)
		oct_write_children(c, from->cell[e], child, octants);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 8; k++) {
		uint32_t count;

		if (!(octants >> k & 1u))
			continue;
		count = bounds[k + 1] - bounds[k];
		oct_write_cell(c, child, oct_code_at(sorted, bounds[k]), first + bounds[k], count,
			level + 1, from->cell[e]);
		if (!oct_is_leaf(c, count, level + 1)) {
			to->first_count[size] = bounds[k] << 16 | count;
			to->cell[size++] = child;
		}
		child++;
	}
	return (uint32_t)(total >> 32);
}

/* Loads the particles of a cell of at most OCT_ROOM particles and sorts them. */
LSCHED_TASK_FN const oct_room *oct_sorted(
	wl_range_items *x, const oct_ctx *c, oct_local *l, wl_range it)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t padded = (it.count + 15u) & ~15u;
	const oct_particle last = { ~UINT64_C(0), OCT_NONE };

	WL_UNROLL_LOADS
	for (uint32_t k = thread; k < padded; k += threads)
		oct_put(&l->room[0], k,
			k < it.count ? oct_load(c, oct_array(it.info), it.first + k) : last);
	lsched_sync_item(x);
#ifndef __CUDACC__
	if (threads == 1)
		return oct_serial_sort(&l->room[0], &l->room[1], it.count, oct_level(it.info));
#endif
	return oct_block(x, &l->room[0], &l->room[1], padded);
}

/* Sorts the particles of a cell of at most OCT_ROOM particles, and makes its subtree. */
LSCHED_TASK_FN void oct_subtree(wl_range_items *x, const oct_ctx *c, oct_local *l, wl_range it)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	uint32_t level = oct_level(it.info), m = !oct_is_leaf(c, it.count, level), now = 0;
	const oct_room *sorted = oct_sorted(x, c, l, it);
	oct_front *front;

	front = l->room[sorted == &l->room[0]].front;
	for (uint32_t k = thread; k < it.count; k += threads)
		oct_store(c, OCT_OUTPUT, it.first + k, oct_get(sorted, k));
	if (thread == 0) {
		front[0].first_count[0] = it.count;
		front[0].cell[0] = it.join;
	}
	for (; m; level++, now ^= 1) {
		uint32_t size = 0;

		lsched_sync_item(x);
		for (uint32_t at = 0; at < m; at += threads)
			size += oct_grow(x, c, l, sorted, &front[now], at, m, &front[now ^ 1], size,
				it.first, level);
		m = size;
	}
}

/* ---- large cells ---- */

/* Opens a cell for its tiles. One thread. */
LSCHED_TASK_FN void oct_open_cell(wl_range_items *x, const oct_ctx *c, wl_range it)
{
	const uint32_t open = it.first / OCT_ROOM;
	oct_open *o = &c->open[open];
	wl_range then = { 0, 0, open, 0 };
	wl_range tiles = { 0, it.count / OCT_ROOM + (it.count % OCT_ROOM != 0), open, 0 };

	o->first = it.first;
	o->count = it.count;
	o->info = it.info;
	o->cell = it.join;
	for (uint32_t k = 0; k < 8; k++)
		lsched_st(&o->octant[k], 0u, rlx, dev);
	tiles.join = lsched_fork_then(x, tiles.count, OCT_COUNTED, &then, &then.join);
	wl_spread(x, OCT_COUNT, tiles);
}

LSCHED_TASK_FN void oct_split(wl_range_items *x, const oct_ctx *c, oct_local *l, wl_range it)
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
LSCHED_TASK_FN wl_range oct_tile(const oct_open *o, wl_range it)
{
	const uint32_t begin = it.first * OCT_ROOM, rest = o->count - begin;
	const wl_range tile = { o->first + begin, rest < OCT_ROOM ? rest : (uint32_t)OCT_ROOM,
		o->info, 0 };

	return tile;
}

/* Counts the octants of this thread's particles. */
LSCHED_TASK_FN wl_ways oct_count_own(wl_range_items *x, const uint64_t *code, wl_range tile)
{
	wl_ways w = { { 0, 0 } };

	WL_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < tile.count; k += lsched_threads(x))
		(void)wl_ways_next(&w, oct_octant(code[tile.first + k], oct_level(tile.info)));
	return w;
}

LSCHED_TASK_FN void oct_count(wl_range_items *x, const oct_ctx *c, oct_local *l, wl_range it)
{
	oct_open *o = &c->open[it.info];
	const wl_range tile = oct_tile(o, it);
	wl_ways w = oct_count_own(x, c->code[oct_array(o->info)], tile), total;

	wl_ways_scan(x, l->part, &w, 8, &total);
	for (uint32_t k = lsched_thread(x); k < 8; k += lsched_threads(x))
		if (wl_ways_get(&total, k))
			(void)lsched_add(&o->octant[k], wl_ways_get(&total, k), rlx, dev);
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		lsched_return(x, it.join, 0);
}

/* Makes the children of an open cell, whose particles are in `array`. One thread. */
LSCHED_TASK_FN void oct_children(wl_range_items *x, const oct_ctx *c, oct_open *o, uint32_t array)
{
	const uint32_t level = oct_level(o->info);
	uint32_t octants = 0, first = o->first, child;

	for (uint32_t k = 0; k < 8; k++)
		octants |= (uint32_t)(lsched_ld(&o->octant[k], rlx, dev) != 0) << k;
	child = lsched_add(c->cells, lsched_popcount(octants), rlx, dev);
	oct_write_children(c, o->cell, child, octants);
	for (uint32_t k = 0; k < 8; k++) {
		const uint32_t count = lsched_ld(&o->octant[k], rlx, dev);
		const wl_range part = { first, count, oct_info(array, level + 1), child };

		if (count == 0)
			continue;
		oct_write_cell(c, child, c->code[array][first], first, count, level + 1, o->cell);
		lsched_emit(x, OCT_CELL, &part);
		first += count;
		child++;
	}
}

/* Adds up the octants' particles, and lets the tiles move them. One thread. */
LSCHED_TASK_FN void oct_counted(wl_range_items *x, const oct_ctx *c, wl_range it)
{
	oct_open *o = &c->open[it.info];
	wl_range then = { 0, 0, it.info, 0 };
	wl_range tiles = { 0, o->count / OCT_ROOM + (o->count % OCT_ROOM != 0), it.info, 0 };
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
	wl_spread(x, OCT_MOVE, tiles);
}

LSCHED_TASK_FN void oct_move(wl_range_items *x, const oct_ctx *c, oct_local *l, wl_range it)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	oct_open *o = &c->open[it.info];
	const uint32_t array = oct_array(o->info), level = oct_level(o->info);
	const wl_range tile = oct_tile(o, it);
	wl_ways at = oct_count_own(x, c->code[array], tile), total;

	wl_ways_scan(x, l->part, &at, 8, &total);
	for (uint32_t k = thread; k < 8; k += threads) {
		uint32_t before = 0;

		for (uint32_t j = 0; j < k; j++)
			before += wl_ways_get(&total, j);
		if (wl_ways_get(&total, k))
			l->place[k] = o->first - before +
				      lsched_add(&o->place[k], wl_ways_get(&total, k), rlx, dev);
	}
	WL_UNROLL_LOADS
	for (uint32_t k = thread; k < tile.count; k += threads) {
		const oct_particle p = oct_load(c, array, tile.first + k);

		oct_put(&l->room[0], wl_ways_next(&at, oct_octant(p.code, level)), p);
	}
	lsched_sync_item(x);
	for (uint32_t k = thread; k < tile.count; k += threads) {
		const oct_particle p = oct_get(&l->room[0], k);

		oct_store(c, oct_other(array), l->place[oct_octant(p.code, level)] + k, p);
	}
	lsched_sync_item(x);
	if (thread == 0)
		lsched_return(x, it.join, 0);
}

LSCHED_TASK_FN void oct_moved(wl_range_items *x, const oct_ctx *c, wl_range it)
{
	oct_open *o = &c->open[it.info];

	(void)lsched_join_take(x, it.join);
	oct_children(x, c, o, oct_other(oct_array(o->info)));
}

/* Copies the particles of a large leaf to the output; their order is not defined. */
LSCHED_TASK_FN void oct_copy(wl_range_items *x, const oct_ctx *c, wl_range it)
{
	if (it.count <= 4 * OCT_ROOM) {
		for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
			oct_store(c, OCT_OUTPUT, it.first + k,
				oct_load(c, oct_array(it.info), it.first + k));
	} else if (lsched_thread(x) == 0) {
		wl_spread(x, OCT_COPY, it);
	}
}

LSCHED_TASK_FN lsched_result oct_body(
	wl_range_items *x, const oct_ctx *c, oct_local *l, uint32_t proc, wl_range it)
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
		wl_spread(x, proc, it);
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
#define LSCHED_ITEMS       wl_range_items
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
