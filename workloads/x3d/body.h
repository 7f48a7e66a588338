/* The passes over tiles, and what is done between them. Compiled for CPU and GPU. */
#ifndef WORKLOADS_X3D_BODY_H
#define WORKLOADS_X3D_BODY_H

#include "workloads/x3d/link.h"

/* MAP, COUNT, EMIT	tiles first .. first + count - 1; those of MAP are the roots
 * LINK			parts of X3D_LINKS nodes, end tags and attributes
 * NEXT			begins pass `info`; join: of the one before, X3D_NONE after MAP */
enum { X3D_MAP, X3D_COUNT, X3D_EMIT, X3D_LINK, X3D_NEXT, X3D_PROCS };
enum { X3D_PARTS = 32 }; /* of a range that divides itself */

typedef struct x3d_local {
	uint64_t map[2][X3D_SEGMENTS];
	lsched_group_room group;
} x3d_local;

/* Returns the map of the threads with lower numbers, one after the other. */
LSCHED_TASK_FN uint64_t x3d_scan_maps(lsched_range_items *x, x3d_local *l, uint64_t mine)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	uint32_t from = 0;
	uint64_t map = mine;

	if (threads == 1)
		return X3D_IDENTITY;
	l->map[0][thread] = map;
	lsched_sync_item(x);
	for (uint32_t k = 1; k < threads; k *= 2) {
		if (thread >= k)
			map = x3d_map_join(l->map[from][thread - k], map);
		from = 1 - from;
		l->map[from][thread] = map;
		lsched_sync_item(x);
	}
	map = thread ? l->map[from][thread - 1] : X3D_IDENTITY;
	lsched_sync_item(x);
	return map;
}

/* Copies a tile, and what its threads read before and behind it. */
LSCHED_TASK_FN void x3d_copy(lsched_range_items *x, const x3d_ctx *c, uint32_t tile)
{
	const uint32_t words = (c->bytes + X3D_PAD) / 8, before = (X3D_GAP + X3D_PAD) / 8;
	const uint32_t first = tile * (X3D_TILE / 8), last = first + (X3D_TILE + X3D_PAD) / 8;
	const uint32_t end = last < words ? last : words;

	LSCHED_UNROLL_LOADS
	for (uint32_t k = (first < before ? first : first - before) + lsched_thread(x); k < end;
		k += lsched_threads(x))
		c->text[k] = c->from[k];
	lsched_sync_item(x);
}

LSCHED_TASK_FN void x3d_map_tile(
	lsched_range_items *x, const x3d_ctx *c, x3d_local *l, uint32_t tile)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t each = X3D_SEGMENTS / threads;
	const uint32_t first = tile * X3D_SEGMENTS + thread * each;
	uint64_t map = X3D_IDENTITY, before;

	if (c->from)
		x3d_copy(x, c, tile);
	for (uint32_t k = first; k < first + each; k++) {
		const uint64_t next = x3d_map_segment(c, k);

		c->segment[k].map = map;
		map = x3d_map_join(map, next);
	}
	before = x3d_scan_maps(x, l, map);
	for (uint32_t k = first; before != X3D_IDENTITY && k < first + each; k++)
		c->segment[k].map = x3d_map_join(before, c->segment[k].map);
	if (thread == threads - 1)
		c->tile[tile].map = x3d_map_join(before, map);
	for (uint64_t k = (uint64_t)tile * threads + thread; k < c->least_words;
		k += (uint64_t)c->tiles * threads)
		c->least[1][k] = 0;
}

/* Adds up the counts of a thread's segments, or tiles, and replaces them by the sums before. */
LSCHED_TASK_FN void x3d_scan_counts(
	lsched_range_items *x, x3d_local *l, uint32_t count[X3D_COUNTS], uint32_t all[X3D_COUNTS])
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < X3D_COUNTS; k += 2) {
		uint64_t total;
		const uint64_t before = lsched_group_scan64(
			x, &l->group, count[k] | (uint64_t)count[k + 1] << 32, &total);

		count[k] = (uint32_t)before;
		count[k + 1] = (uint32_t)(before >> 32);
		all[k] = (uint32_t)total;
		all[k + 1] = (uint32_t)(total >> 32);
	}
}

LSCHED_TASK_FN void x3d_count_tile(
	lsched_range_items *x, const x3d_ctx *c, x3d_local *l, uint32_t tile)
{
	const uint32_t each = X3D_SEGMENTS / lsched_threads(x);
	const uint32_t first = tile * X3D_SEGMENTS + lsched_thread(x) * each;
	const uint32_t state = c->tile[tile].state;
	x3d_walk w = { c, 0, 0, { 0, 0, 0, 0, 0, 0 }, 0, 0, 0 };
	uint32_t all[X3D_COUNTS];

	for (uint32_t k = first; k < first + each; k++) {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < X3D_COUNTS; j++)
			c->segment[k].count[j] = (uint16_t)w.count[j];
		w.state = x3d_map_get(c->segment[k].map, state);
		x3d_walk_segment(&w, k);
	}
	x3d_scan_counts(x, l, w.count, all);
	for (uint32_t k = first; lsched_thread(x) && k < first + each; k++) {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < X3D_COUNTS; j++)
			c->segment[k].count[j] += (uint16_t)w.count[j];
	}
	if (lsched_thread(x) == 0)
		for (uint32_t j = 0; j < X3D_COUNTS; j++)
			c->tile[tile].count[j] = all[j];
}

LSCHED_TASK_FN void x3d_emit_tile(lsched_range_items *x, const x3d_ctx *c, uint32_t tile)
{
	const uint32_t each = X3D_SEGMENTS / lsched_threads(x);
	const uint32_t first = tile * X3D_SEGMENTS + lsched_thread(x) * each;
	const x3d_tile *t = &c->tile[tile];
	x3d_walk w = { c, 0, 0, { 0, 0, 0, 0, 0, 0 }, 0, 0, 1 };

	for (uint32_t k = first; k < first + each; k++) {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < X3D_COUNTS; j++)
			w.count[j] = t->count[j] + c->segment[k].count[j];
		w.state = x3d_map_get(c->segment[k].map, t->state);
		x3d_walk_segment(&w, k);
	}
}

/* ---- between the passes: one item, whose threads have tiles that follow each other ---- */

/* The state before each tile. */
LSCHED_TASK_FN void x3d_join_maps(lsched_range_items *x, const x3d_ctx *c, x3d_local *l)
{
	const uint32_t threads = lsched_threads(x), each = (c->tiles + threads - 1) / threads;
	const uint64_t from = (uint64_t)lsched_thread(x) * each, to = from + each;
	const uint32_t first = from < c->tiles ? (uint32_t)from : c->tiles;
	const uint32_t end = to < c->tiles ? (uint32_t)to : c->tiles;
	uint64_t map = X3D_IDENTITY;
	uint32_t state;

	for (uint32_t k = first; k < end; k++)
		map = x3d_map_join(map, c->tile[k].map);
	state = x3d_map_get(x3d_scan_maps(x, l, map), X3D_IN_TEXT);
	for (uint32_t k = first; k < end; k++) {
		const uint64_t next = c->tile[k].map;

		c->tile[k].state = state;
		state = x3d_map_get(next, state);
	}
	if (first < end && end == c->tiles && state != X3D_IN_TEXT)
		x3d_fail(c, c->bytes, X3D_E_END);
}

/* What is before each tile, and whether there is room for all. */
LSCHED_TASK_FN void x3d_join_counts(lsched_range_items *x, const x3d_ctx *c, x3d_local *l)
{
	const uint32_t threads = lsched_threads(x), each = (c->tiles + threads - 1) / threads;
	const uint64_t from = (uint64_t)lsched_thread(x) * each, to = from + each;
	const uint32_t first = from < c->tiles ? (uint32_t)from : c->tiles;
	const uint32_t end = to < c->tiles ? (uint32_t)to : c->tiles;
	uint32_t count[X3D_COUNTS] = { 0, 0, 0, 0, 0, 0 }, all[X3D_COUNTS];
	int full = 0;

	for (uint32_t k = first; k < end; k++)
		for (uint32_t j = 0; j < X3D_COUNTS; j++)
			count[j] += c->tile[k].count[j];
	x3d_scan_counts(x, l, count, all);
	for (uint32_t k = first; k < end; k++)
		for (uint32_t j = 0; j < X3D_COUNTS; j++) {
			const uint32_t mine = c->tile[k].count[j];

			c->tile[k].count[j] = count[j];
			count[j] += mine;
		}
	if (lsched_thread(x) == 0) {
		for (uint32_t j = 0; j < X3D_COUNTS; j++) {
			c->state->count[j] = all[j];
			full |= all[j] > c->room[j];
		}
		c->state->full = (uint32_t)full;
		if (x3d_depth(all))
			x3d_fail(c, c->bytes, X3D_E_END);
	}
	lsched_sync_item(x);
}

LSCHED_TASK_FN uint32_t x3d_parts(const x3d_ctx *c)
{
	const uint32_t *count = c->state->count;
	uint32_t most = count[X3D_N_NODES];

	most = most > count[X3D_N_CLOSES] ? most : count[X3D_N_CLOSES];
	most = most > count[X3D_N_ATTRIBUTES] ? most : count[X3D_N_ATTRIBUTES];
	return most / X3D_LINKS + 1;
}

/* What is done before pass `pass`; returns its elements, 0: it is not done. */
LSCHED_TASK_FN uint32_t x3d_before(
	lsched_range_items *x, const x3d_ctx *c, x3d_local *l, uint32_t pass)
{
	if (pass == X3D_COUNT)
		x3d_join_maps(x, c, l);
	if (pass == X3D_EMIT)
		x3d_join_counts(x, c, l);
	if (pass > X3D_LINK || (pass >= X3D_EMIT && c->state->full))
		return 0;
	return pass == X3D_LINK ? x3d_parts(c) : c->tiles;
}

/* A tile, or a part. */
LSCHED_TASK_FN void x3d_do(
	lsched_range_items *x, const x3d_ctx *c, x3d_local *l, uint32_t pass, uint32_t number)
{
	if (pass == X3D_MAP)
		x3d_map_tile(x, c, l, number);
	else if (pass == X3D_COUNT)
		x3d_count_tile(x, c, l, number);
	else if (pass == X3D_EMIT)
		x3d_emit_tile(x, c, number);
	else
		for (uint32_t k = lsched_thread(x); k < X3D_LINKS; k += lsched_threads(x))
			x3d_link(c, number * X3D_LINKS + k);
}

/* ---- items ---- */

LSCHED_FN uint32_t x3d_root(const x3d_ctx *c, uint32_t i, lsched_range *it)
{
	const uint32_t left = c->tiles - i * c->each;

	it->first = i * c->each;
	it->count = left < c->each ? left : c->each;
	it->info = 0;
	it->join = X3D_NONE;
	return X3D_MAP;
}

LSCHED_TASK_FN void x3d_next(lsched_range_items *x, const x3d_ctx *c, x3d_local *l, lsched_range it)
{
	lsched_range then = { 0, 0, it.info + 1, 0 }, all = { 0, 0, 0, 0 };

	if (it.join != X3D_NONE && lsched_thread(x) == 0)
		(void)lsched_join_take(x, it.join);
	all.count = x3d_before(x, c, l, it.info);
	if (all.count == 0 || lsched_thread(x))
		return;
	all.join = lsched_fork_then(x, all.count, X3D_NEXT, &then, &then.join);
	lsched_range_spread(x, it.info, all, X3D_PARTS);
}

/* Tiles or parts are done. Roots have no join: the last one of them begins the next pass. */
LSCHED_TASK_FN void x3d_done(
	lsched_range_items *x, const x3d_ctx *c, uint32_t pass, lsched_range it)
{
	const lsched_range next = { 0, 0, X3D_COUNT, X3D_NONE };

	if (pass != X3D_MAP)
		for (uint32_t k = 0; k < it.count; k++)
			lsched_return(x, it.join, 0);
	else if (lsched_add(&c->state->mapped, it.count, ar, dev) + it.count == c->tiles)
		lsched_emit(x, X3D_NEXT, &next);
}

LSCHED_TASK_FN lsched_result x3d_body(
	lsched_range_items *x, const x3d_ctx *c, x3d_local *l, uint32_t proc, lsched_range it)
{
	if (proc == X3D_NEXT) {
		x3d_next(x, c, l, it);
	} else if (it.count > c->each) {
		if (lsched_thread(x) == 0)
			lsched_range_spread(x, proc, it, X3D_PARTS);
	} else {
		for (uint32_t k = it.first; k < it.first + it.count; k++)
			x3d_do(x, c, l, proc, k);
		lsched_sync_item(x);
		if (lsched_thread(x) == 0)
			x3d_done(x, c, proc, it);
	}
	return LSCHED_DONE;
}

#endif

#ifdef WL_X3D_PROGRAM
#undef WL_X3D_PROGRAM
#define LSCHED_NAME        x3d
#define LSCHED_CTX         x3d_ctx
#define LSCHED_ITEMS       lsched_range_items
#define LSCHED_ROOT        x3d_root
#define LSCHED_BODY        x3d_body
#define LSCHED_LOCAL       x3d_local
#define LSCHED_GRAIN       block
#define LSCHED_GROUP_WARPS 8
#define LSCHED_PROCS       5 /* X3D_PROCS */
#define LSCHED_MAX_SPAWN   32
#define LSCHED_MIN_BLOCKS  3
#define LSCHED_JOINS
#define LSCHED_PROC_NAMES(X)  X(map) X(count) X(emit) X(link) X(next)
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
