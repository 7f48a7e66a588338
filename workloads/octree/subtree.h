/* The subtree of a cell of at most OCT_ROOM particles, in fast memory. Compiled for CPU and GPU. */
#ifndef WORKLOADS_OCTREE_SUBTREE_H
#define WORKLOADS_OCTREE_SUBTREE_H

#include "workloads/octree/octree.h"

enum { OCT_FRONT = OCT_ROOM / 2 }; /* inner cells of a level have two particles at least */

typedef struct oct_particles {
	uint64_t code[OCT_ROOM];
	uint32_t name[OCT_ROOM];
} oct_particles;

/* The inner cells of a level: particles and numbers. */
typedef struct oct_front {
	uint32_t first_count[OCT_FRONT], cell[OCT_FRONT]; /* first_count: 16 bits each */
} oct_front;

/* A block sorts entries: a key (order.h), and below it the particle's index in room[0]. */
enum {
	OCT_INDEX_BITS = 12,
	OCT_INDEX = (1 << OCT_INDEX_BITS) - 1,
	OCT_KEY_BITS = 32 - OCT_INDEX_BITS,
	OCT_BIN_BITS = 12, /* of the key: four levels */
	OCT_KEY_REST = OCT_KEY_BITS - OCT_BIN_BITS,
	OCT_BIN_WORDS = (1 << OCT_BIN_BITS) / 2 + 1,
	OCT_BIN_MOST = 64, /* particles; more are sorted by comparison */
	OCT_NODES = 585    /* possible inner cells of four levels */
};
LSCHED_I_STATIC_ASSERT((int)OCT_ROOM <= 1 << OCT_INDEX_BITS, "an index has OCT_INDEX_BITS");

typedef struct oct_bins {
	uint32_t begin[OCT_BIN_WORDS]; /* 16 bits a bin */
} oct_bins;

/* The first four levels of a subtree (levels.h). */
typedef struct oct_nodes {
	oct_bins bins;
	uint32_t child[OCT_NODES]; /* number of the first child */
	uint32_t octants[OCT_NODES];
} oct_nodes;

typedef struct oct_block_room {
	union {
		oct_front front;
		uint32_t entry[OCT_ROOM]; /* in the order of the bins */
	} v;
	union {
		oct_front front;
		oct_nodes nodes;
	} u;
	uint32_t entry[OCT_ROOM]; /* in the order of the particles */
} oct_block_room;

typedef union oct_room {
	oct_particles p;
	oct_front front[2]; /* those of `block`, too */
	oct_block_room block;
} oct_room;

typedef struct oct_local {
	oct_room room[2];
	lsched_group_room group;
	uint32_t way[OCT_WAYS], octant[8];      /* particles */
	uint32_t at[OCT_WAYS], place[OCT_WAYS]; /* where particles of a tile go (tiles.h) */
	uint32_t base;                          /* number of the first new cell */
	uint32_t inner;                         /* inner cells of a front */
} oct_local;

typedef struct oct_particle {
	uint64_t code;
	uint32_t name;
} oct_particle;

LSCHED_FN oct_particle oct_get(const oct_room *r, uint32_t i)
{
	const oct_particle p = { r->p.code[i], r->p.name[i] };

	return p;
}

LSCHED_FN void oct_put(oct_room *r, uint32_t i, oct_particle p)
{
	r->p.code[i] = p.code;
	r->p.name[i] = p.name;
}

LSCHED_FN uint64_t oct_code_at(const oct_room *r, uint32_t i)
{
	return r->p.code[i];
}

/* The order of particles: by code, then by name. */
LSCHED_FN int oct_before(oct_particle a, oct_particle b)
{
	return a.code < b.code || (a.code == b.code && a.name < b.name);
}

enum { OCT_BATCH = 4 }; /* particles of a thread whose accesses to fast memory overlap */

LSCHED_TASK_FN oct_particle oct_load(const oct_ctx *c, uint32_t array, uint32_t i)
{
	const oct_particle p = { c->code[array][i], array == OCT_INPUT ? i : c->name[array][i] };

	return p;
}

/* Loads n particles, from `first` on, into a room by all threads of a block. A thread has the loads
 * of eight under way, as no addition in fast memory separates them. */
LSCHED_TASK_FN void oct_load_block(lsched_range_items *x, const oct_ctx *c, oct_room *room,
	uint32_t array, uint32_t first, uint32_t n)
{
	const uint32_t threads = lsched_threads(x);

	for (uint32_t at = lsched_thread(x); at < n; at += 8 * threads) {
		oct_particle p[8];

		LSCHED_UNROLL
		for (uint32_t j = 0; j < 8; j++) {
			const uint32_t k = at + j * threads;

			p[j] = oct_load(c, array, first + (k < n ? k : at));
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 8; j++)
			if (at + j * threads < n)
				oct_put(room, at + j * threads, p[j]);
	}
}

LSCHED_TASK_FN void oct_store(const oct_ctx *c, uint32_t array, uint32_t i, oct_particle p)
{
	c->code[array][i] = p.code;
	c->name[array][i] = p.name;
}

#include "workloads/octree/order.h"
#ifndef __CUDACC__
#include "workloads/octree/serial.h"
#endif

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

/* Sorted particles: in a room, or by entries that have their indices. */
typedef struct oct_sorted {
	const oct_room *room;
	const uint32_t *entry; /* or NULL */
} oct_sorted;

LSCHED_FN uint64_t oct_sorted_code(const oct_sorted *s, uint32_t i)
{
	return oct_code_at(s->room, s->entry ? s->entry[i] & OCT_INDEX : i);
}

/* Returns the first particle of begin .. end - 1 that is in an octant of at least `octant`. */
LSCHED_TASK_FN uint32_t oct_search(
	const oct_sorted *sorted, uint32_t begin, uint32_t end, uint32_t level, uint32_t octant)
{
	while (begin < end) {
		const uint32_t middle = (begin + end) / 2;

		if (oct_octant(oct_sorted_code(sorted, middle), level) < octant)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

/* Where the octants of a cell begin; [8] is its end. Returns which have particles. */
LSCHED_TASK_FN uint32_t oct_bounds(
	const oct_sorted *sorted, uint32_t begin, uint32_t end, uint32_t level, uint32_t bounds[9])
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

#include "workloads/octree/levels.h"

/* Makes the children of up to as many inner cells as there are threads, from `at` on. Returns how
 * many of them are inner cells; they are appended to `to`, which has `size`. */
LSCHED_TASK_FN uint32_t oct_grow(lsched_range_items *x, const oct_ctx *c, oct_local *l,
	const oct_sorted *sorted, const oct_front *from, uint32_t at, uint32_t m, oct_front *to,
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
	before = lsched_group_scan64(
		x, &l->group, lsched_popcount(octants) | (uint64_t)inner << 32, &total);
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
		oct_write_cell(c, child, oct_sorted_code(sorted, bounds[k]), first + bounds[k],
			count, level + 1, from->cell[e]);
		if (!oct_is_leaf(c, count, level + 1)) {
			to->first_count[size] = bounds[k] << 16 | count;
			to->cell[size++] = child;
		}
		child++;
	}
	return (uint32_t)(total >> 32);
}

/* Loads the particles of a cell of at most OCT_ROOM particles, sorts them, and stores them in the
 * output. */
LSCHED_TASK_FN oct_sorted oct_sort(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	oct_sorted s = { &l->room[0], l->room[1].block.entry };

#ifndef __CUDACC__
	if (lsched_threads(x) == 1) {
		for (uint32_t k = 0; k < it.count; k++)
			oct_put(&l->room[0], k, oct_load(c, oct_array(it.info), it.first + k));
		s.entry = NULL;
		s.room = oct_serial_sort(&l->room[0], &l->room[1], it.count, oct_level(it.info));
		for (uint32_t k = 0; k < it.count; k++)
			oct_store(c, OCT_OUTPUT, it.first + k, oct_get(s.room, k));
		return s;
	}
#endif
	oct_load_block(x, c, &l->room[0], oct_array(it.info), it.first, it.count);
	lsched_sync_item(x);
	oct_block_sort(x, c, l, it.count, oct_level(it.info), it.first);
	return s;
}

/* Sorts the particles of a cell of at most OCT_ROOM particles, and makes its subtree. */
LSCHED_TASK_FN void oct_subtree(
	lsched_range_items *x, const oct_ctx *c, oct_local *l, lsched_range it)
{
	const uint32_t threads = lsched_threads(x);
	uint32_t level = oct_level(it.info), m = !oct_is_leaf(c, it.count, level), now = 0;
	const oct_sorted sorted = oct_sort(x, c, l, it);
	oct_front *front = l->room[sorted.room == &l->room[0]].front;

	if (m && sorted.entry) {
		const uint32_t depths = OCT_LEVELS - level < 4 ? OCT_LEVELS - level : 4;

		m = oct_grow_first(x, c, l, &sorted, it, depths);
		level += depths;
	} else if (lsched_thread(x) == 0) {
		front[0].first_count[0] = it.count;
		front[0].cell[0] = it.join;
	}
	for (; m; level++, now ^= 1) {
		uint32_t size = 0;

		lsched_sync_item(x);
		for (uint32_t at = 0; at < m; at += threads)
			size += oct_grow(x, c, l, &sorted, &front[now], at, m, &front[now ^ 1],
				size, it.first, level);
		m = size;
	}
}

#endif
