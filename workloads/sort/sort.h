/* Quicksort by tasks (Lauterbach, Mo, Manocha 2009, section 4.2): what both sizes of keys share.
 * A range above ctx.small is split: a block item for each tile of it moves keys to another array,
 * and the join of the tiles emits the ranges that follow. Smaller ranges are sorted by one block.
 * Compiled for CPU and GPU.
 *
 * A thread of the CPU splits by one pivot (two.h), as its sort of a range does. Blocks of a GPU
 * split by up to 255 pivots at once (many.h), since each level reads and writes all keys and begins
 * when the last tile of the level before has returned. */
#ifndef WORKLOADS_SORT_SORT_H
#define WORKLOADS_SORT_SORT_H

#include "workloads/common/random.h"
#include <libsched/range.h>
#include "workloads/sort/leaves.h"

/* Keys are read from the input, and go to and fro between the output and a second array. */
enum { SORT_INPUT, SORT_OUTPUT, SORT_SECOND, SORT_ARRAYS };

/* SORT_RANGE	keys first .. first + count - 1; info: array and depth
 * SORT_TILES	tiles of the range that is open[info], open[info].each of them as one
 * SORT_JOINED	the tiles of open[info] have returned to `join`
 * SORT_FILL	keys of the output that are equal; info, join: their value
 * SORT_PACK	lists first .. first + count - 1, of at most SORT_PACK_LIST keys each
 * SORT_PARTS	ways of a split that follow each other, as SORT_RANGE; join: sort_parts() */
enum { SORT_RANGE, SORT_TILES, SORT_JOINED, SORT_FILL, SORT_PACK, SORT_PARTS, SORT_PROCS };

enum {
	SORT_SAMPLES = 128,       /* of one pivot: their median */
	SORT_WAYS_SAMPLES = 2048, /* of many pivots, at most */
	SORT_WAYS_MOST = 256,     /* of a split, a power of two */
	SORT_WAYS_SLOT = 16,      /* of a range that has the keys of one entry of open[] */
	SORT_TILES_SLOT = 2,
	SORT_PARTS_MOST = 16, /* ways of an item */
	SORT_ROOM_BYTES =
		32768,        /* of a tile, and of the largest range that a block of a GPU sorts */
	SORT_ROOM_MIN = 4096, /* keys of them: 8192 keys of 4 bytes, 4096 of 8 */
	SORT_PACK_LIST = 32,
	/* bounds of the largest range that a CPU thread sorts */
	SORT_CPU_LEAST = 1 << 15,
	SORT_CPU_MOST = 1 << 22
};

LSCHED_I_STATIC_ASSERT(SORT_WAYS_MOST / SORT_PARTS_MOST <= 16 && SORT_PARTS_MOST <= 16,
	"LSCHED_MAX_SPAWN of the programs is 16");

/* What the tiles of an open range do. */
enum { SORT_COUNT, SORT_MOVE };

/* A range whose tiles are being split. Two open ranges have more than SORT_ROOM_MIN keys each and
 * none in common, so open[first / SORT_ROOM_MIN] belongs to one of them. */
typedef struct sort_open {
	uint32_t first, count, info;
	/* one pivot */
	uint32_t less, greater; /* keys placed; by additions */
	/* many */
	uint32_t leaves; /* pivots and 1 more, a power of two */
	uint32_t equal;  /* nonzero: keys equal to a pivot have a way of their own */
	uint32_t each;   /* tiles of an item */
	uint32_t pass;
	uint32_t pad;
	uint64_t pivot; /* if there is one */
} sort_open;

/* Of an open range with many ways, from SORT_WAYS_SLOT times the number of its entry on:
 *	pivot	[0 .. leaves - 2]: a search tree, the children of k are 2 k + 1 and 2 k + 2
 *		[leaves - 1 .. 2 leaves - 2] if `equal`: ascending, the last one twice
 *	way	keys of each way; after the count the sum of those before, to which tiles add the
 *		keys that they move
 * and tile[], from SORT_TILES_SLOT times that number on, SORT_WAYS_MOST for each tile: its keys of
 * each way. way_of[k]: the way of the key at k, from the count to the move. */
typedef struct sort_ctx {
	void *key[SORT_ARRAYS];
	const uint32_t *list; /* [lists + 1]: where lists begin */
	const uint32_t *root; /* [tasks + 1]: lists of a root */
	sort_open *open;
	void *pivot;
	uint32_t *way;
	uint16_t *tile;
	uint8_t *way_of;
	const sort_leaves *leaves; /* of CPU threads */
	uint32_t small;            /* at least SORT_ROOM_MIN */
	/* After so many splits pivots come from the bits of keys, so that there are at most as many
	 * further splits as a key has bits. */
	uint32_t depth_limit;
	uint32_t most_ways; /* 4 to SORT_WAYS_MOST, a power of two */
	uint32_t each;      /* tiles of an item, where there are many */
} sort_ctx;

/* The ways of a split. They have a half of ctx.small keys or less, if one split is enough, so that
 * few have more than that, and neighbours together often nearly as many. Otherwise this split has
 * about as many ways as the next one; more keys than two can divide take three. */
LSCHED_FN uint32_t sort_ways(const sort_ctx *c, uint32_t count)
{
	const uint64_t need = 2 * (uint64_t)count / c->small + 1;
	uint32_t ways = 4;

	while (ways < c->most_ways && (need > c->most_ways ? (uint64_t)ways * ways : ways) < need)
		ways *= 2;
	return ways;
}

/* Samples from which the pivots of so many ways are taken, a multiple of them. */
LSCHED_FN uint32_t sort_samples(uint32_t ways)
{
	return 16 * ways < SORT_WAYS_SAMPLES ? 16 * ways : (uint32_t)SORT_WAYS_SAMPLES;
}

/* The ways of SORT_PARTS: their number, and whether every second one has equal keys. */
LSCHED_FN uint32_t sort_parts(uint32_t ways, uint32_t equal)
{
	return ways << 1 | equal;
}

LSCHED_FN uint32_t sort_info(uint32_t array, uint32_t depth)
{
	return array | depth << 2;
}

LSCHED_FN uint32_t sort_array(uint32_t info)
{
	return info & 3u;
}

LSCHED_FN uint32_t sort_depth(uint32_t info)
{
	return info >> 2;
}

LSCHED_FN uint32_t sort_other(uint32_t array)
{
	return array == SORT_OUTPUT ? SORT_SECOND : SORT_OUTPUT;
}

LSCHED_FN uint32_t sort_root(const sort_ctx *c, uint32_t i, lsched_range *it)
{
	const uint32_t first = c->root[i], lists = c->root[i + 1] - first;

	it->info = sort_info(SORT_INPUT, 0);
	it->join = LSCHED_JOIN_NONE;
	it->first = lists == 1 ? c->list[first] : first;
	it->count = lists == 1 ? c->list[first + 1] - c->list[first] : lists;
	return lists == 1 ? SORT_RANGE : SORT_PACK;
}

#endif
