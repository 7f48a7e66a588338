/* Quicksort by tasks (Lauterbach, Mo, Manocha 2009, section 4.2): what both sizes of keys share.
 * A range above ctx.small is split into the keys below, equal to, and above a pivot: a block item
 * for each tile of it moves keys to another array, and the join of the tiles emits the two ranges.
 * Smaller ranges are sorted by one block. Compiled for CPU and GPU. */
#ifndef WORKLOADS_SORT_SORT_H
#define WORKLOADS_SORT_SORT_H

#include "workloads/common/random.h"
#include <libsched/range.h>
#include "workloads/sort/leaves.h"

/* Keys are read from the input, and go to and fro between the output and a second array. */
enum { SORT_INPUT, SORT_OUTPUT, SORT_SECOND, SORT_ARRAYS };

/* SORT_RANGE	keys first .. first + count - 1; info: array and depth
 * SORT_TILES	tiles of the range that is open[info]
 * SORT_JOINED	the tiles of open[info] have returned to `join`
 * SORT_FILL	keys of the output that are equal; info, join: their value
 * SORT_PACK	lists first .. first + count - 1, of at most SORT_PACK_LIST keys each */
enum { SORT_RANGE, SORT_TILES, SORT_JOINED, SORT_FILL, SORT_PACK, SORT_PROCS };

enum {
	SORT_SAMPLES = 128, /* of which the pivot is the median */
	SORT_ROOM_BYTES =
		32768,        /* of a tile, and of the largest range that a block of a GPU sorts */
	SORT_ROOM_MIN = 4096, /* keys of them: 8192 keys of 4 bytes, 4096 of 8 */
	SORT_PACK_LIST = 32,
	/* bounds of the largest range that a CPU thread sorts */
	SORT_CPU_LEAST = 1 << 15,
	SORT_CPU_MOST = 1 << 22
};

/* A range whose tiles are being split. Two open ranges have more than SORT_ROOM_MIN keys each and
 * none in common, so open[first / SORT_ROOM_MIN] belongs to one of them. */
typedef struct sort_open {
	uint64_t pivot;
	uint32_t first, count, info;
	uint32_t less, greater; /* keys placed; by additions */
	uint32_t pad;
} sort_open;

typedef struct sort_ctx {
	void *key[SORT_ARRAYS];
	const uint32_t *list; /* [lists + 1]: where lists begin */
	const uint32_t *root; /* [tasks + 1]: lists of a root */
	sort_open *open;
	const sort_leaves *leaves; /* of CPU threads */
	uint32_t small;            /* at least SORT_ROOM_MIN */
	/* After so many splits pivots come from the bits of keys, so that there are at most as many
	 * further splits as a key has bits. */
	uint32_t depth_limit;
} sort_ctx;

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
