/* The procedures of the quicksort for keys of SORT_BYTES bytes. Template text, once for each size:
 *	#define SORT_BYTES 4	or 8 */
#include "workloads/sort/sort.h"

#if SORT_BYTES == 4
#define SORT_KEY   uint32_t
#define SORT_N(x)  sort4##x
#define SORT_SKIP  5 /* one word of 4 bytes after 32, or of 8 after 16: different banks */
#define SORT_LOCAL sort4_local
#define SORT_ROOM  sort4_room_type
#else
#define SORT_KEY   uint64_t
#define SORT_N(x)  sort8##x
#define SORT_SKIP  4
#define SORT_LOCAL sort8_local
#define SORT_ROOM  sort8_room_type
#endif

enum {
	SORT_N(_room) = SORT_ROOM_BYTES / SORT_BYTES,
	SORT_N(_batch) = 32 / SORT_BYTES, /* keys of a thread that are under way at once */
	SORT_N(_slots) = SORT_ROOM_BYTES / SORT_BYTES + (SORT_ROOM_BYTES / SORT_BYTES >> SORT_SKIP)
};

typedef struct SORT_N(_room_type) {
	SORT_KEY key[SORT_N(_slots)];
} SORT_N(_room_type);

/* What the threads of a block need of a range to find the ways of its keys, and to move a tile. */
typedef struct SORT_N(_table) {
	SORT_KEY pivot[SORT_WAYS_MOST]; /* as sort_open has them */
	uint32_t place
		[SORT_WAYS_MOST]; /* of a tile: keys of a way, then the place of its next one */
	uint32_t shift[SORT_WAYS_MOST]; /* from that place to the one in the other array */
	uint8_t way[SORT_N(_room)];     /* of the key at each place */
} SORT_N(_table);

typedef struct SORT_N(_local) {
	union {
		SORT_N(_room_type) room;
		SORT_N(_table) table;
	} u;
	SORT_N(_room_type) other;
	lsched_group_room group;
	uint32_t only; /* the way that has all keys of a range */
} SORT_N(_local);

LSCHED_FN uint32_t SORT_N(_slot)(uint32_t i)
{
	return i + (i >> SORT_SKIP);
}

#define WL_SORT_NAME         SORT_N(_keys)
#define WL_SORT_TYPE         SORT_KEY
#define WL_SORT_LESS(a, b)   ((a) < (b))
#define WL_SORT_ROOM         SORT_ROOM
#define WL_SORT_GET(r, i)    ((r)->key[SORT_N(_slot)(i)])
#define WL_SORT_PUT(r, i, v) ((r)->key[SORT_N(_slot)(i)] = (v))
#include "workloads/common/block_sort.h"

LSCHED_FN SORT_KEY *SORT_N(_array)(const sort_ctx *c, uint32_t array)
{
	return (SORT_KEY *)c->key[array];
}

LSCHED_FN uint32_t SORT_N(_tiles_of)(uint32_t count)
{
	return count / SORT_N(_room) + (count % SORT_N(_room) != 0);
}

/* Beyond the limit of depth, split number 0, 1, .. divides by the highest, second, .. bit of the
 * keys: those of the range have equal bits above it. After the last bit all keys are equal. */
LSCHED_FN SORT_KEY SORT_N(_bit_pivot)(SORT_KEY any, uint32_t number)
{
	const uint32_t bits = 8 * SORT_BYTES;
	const SORT_KEY bit = (SORT_KEY)1 << (number < bits ? bits - 1 - number : 0);

	if (number >= bits)
		return any;
	return (any & (SORT_KEY) ~(2 * bit - 1)) | bit;
}

#ifndef __CUDACC__
#include "workloads/sort/two.h"
#endif
#include "workloads/sort/many.h"

#ifndef __CUDACC__
/* One thread. */
LSCHED_TASK_FN void SORT_N(_range_serial)(lsched_range_items *x, const sort_ctx *c, lsched_range it)
{
	if (it.count > c->small)
		SORT_N(_two_open)(x, c, it);
	else
		c->leaves->SORT_N(_serial)(SORT_N(_array)(c, sort_array(it.info)) + it.first,
			SORT_N(_array)(c, SORT_OUTPUT) + it.first,
			SORT_N(_array)(c, SORT_SECOND) + it.first, it.count,
			sort_serial_depth(it.count));
}
#endif

/* Loads a range, to be sorted. Returns the number of keys, rounded up to a multiple of 16. */
LSCHED_TASK_FN uint32_t SORT_N(_load)(
	lsched_range_items *x, SORT_LOCAL *l, const SORT_KEY *from, uint32_t count)
{
	const uint32_t padded = (count + 15u) & ~15u;

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < padded; k += lsched_threads(x))
		l->u.room.key[SORT_N(_slot)(k)] = k < count ? from[k] : (SORT_KEY) ~(SORT_KEY)0;
	return padded;
}

/* Splits a range, or sorts it: of a large one the samples. */
LSCHED_TASK_FN void SORT_N(_range)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	const SORT_KEY *from = SORT_N(_array)(c, sort_array(it.info)) + it.first;
	SORT_KEY *to = SORT_N(_array)(c, SORT_OUTPUT) + it.first;
	const SORT_ROOM *sorted;
	uint32_t n;

#ifndef __CUDACC__
	if (lsched_threads(x) == 1) {
		SORT_N(_range_serial)(x, c, it);
		return;
	}
#endif
	if (it.count > c->small)
		n = SORT_N(_many_sample)(x, c, l, from, it);
	else
		n = SORT_N(_load)(x, l, from, it.count);
	lsched_sync_item(x);
	sorted = SORT_N(_keys_block)(x, &l->u.room, &l->other, n);
	if (it.count > c->small) {
		SORT_N(_many_open)(x, c, l, it, sorted);
		return;
	}
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		to[k] = sorted->key[SORT_N(_slot)(k)];
}

/* Some of the tiles of an open range. */
LSCHED_TASK_FN void SORT_N(_tiles)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	if (it.count > 1) {
		if (lsched_thread(x) == 0)
			lsched_range_spread(x, SORT_TILES, it, LSCHED_RANGE_PARTS);
		return;
	}
#ifndef __CUDACC__
	if (lsched_threads(x) == 1)
		SORT_N(_two_tile)(c, it);
	else
#endif
		SORT_N(_many_tiles)(x, c, l, it);
	if (lsched_thread(x) == 0)
		lsched_return(x, it.join, 0);
}

LSCHED_TASK_FN void SORT_N(_joined)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	if (lsched_thread(x) == 0)
		(void)lsched_join_take(x, it.join);
#ifndef __CUDACC__
	if (lsched_threads(x) == 1) {
		SORT_N(_two_joined)(x, c, it);
		return;
	}
#endif
	if (c->open[it.info].pass == SORT_COUNT)
		SORT_N(_many_counted)(x, c, l, it);
	else
		SORT_N(_many_moved)(x, c, l, it);
}

/* Writes equal keys. */
LSCHED_TASK_FN void SORT_N(_fill)(lsched_range_items *x, const sort_ctx *c, lsched_range it)
{
	const SORT_KEY v = (SORT_KEY)((uint64_t)it.join << 32 | it.info);
	SORT_KEY *to = SORT_N(_array)(c, SORT_OUTPUT) + it.first;

	if (it.count <= 4 * (uint32_t)SORT_N(_room)) {
		for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
			to[k] = v;
	} else if (lsched_thread(x) == 0) {
		lsched_range_spread(x, SORT_FILL, it, LSCHED_RANGE_PARTS);
	}
}

/* Sorts short lists, one by a thread. */
LSCHED_TASK_FN void SORT_N(_pack)(lsched_range_items *x, const sort_ctx *c, lsched_range it)
{
	const SORT_KEY *from = SORT_N(_array)(c, SORT_INPUT);
	SORT_KEY *to = SORT_N(_array)(c, SORT_OUTPUT);

	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t begin = c->list[it.first + k], end = c->list[it.first + k + 1];

#ifndef __CUDACC__
		if (lsched_threads(x) == 1) {
			c->leaves->SORT_N(_serial)(from + begin, to + begin,
				SORT_N(_array)(c, SORT_SECOND) + begin, end - begin,
				sort_serial_depth(end - begin));
			continue;
		}
#endif
		for (uint32_t i = begin; i < end; i++) {
			const SORT_KEY v = from[i];
			uint32_t j = i;

			for (; j > begin && v < to[j - 1]; j--)
				to[j] = to[j - 1];
			to[j] = v;
		}
	}
}

LSCHED_TASK_FN lsched_result SORT_N(_body)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, uint32_t proc, lsched_range it)
{
	switch (proc) {
	case SORT_RANGE:
		SORT_N(_range)(x, c, l, it);
		break;
	case SORT_TILES:
		SORT_N(_tiles)(x, c, l, it);
		break;
	case SORT_JOINED:
		SORT_N(_joined)(x, c, l, it);
		break;
	case SORT_PARTS:
		SORT_N(_many_parts)(x, c, l, it);
		break;
	case SORT_FILL:
		SORT_N(_fill)(x, c, it);
		break;
	default:
		SORT_N(_pack)(x, c, it);
	}
	return LSCHED_DONE;
}

#ifdef WL_SORT_PROGRAM
#define LSCHED_NAME        SORT_N()
#define LSCHED_CTX         sort_ctx
#define LSCHED_ITEMS       lsched_range_items
#define LSCHED_ROOT        sort_root
#define LSCHED_BODY        SORT_N(_body)
#define LSCHED_LOCAL       SORT_LOCAL
#define LSCHED_GRAIN       block
#define LSCHED_GROUP_WARPS 8
#define LSCHED_PROCS       6 /* SORT_PROCS */
#define LSCHED_MAX_SPAWN   16
#define LSCHED_MIN_BLOCKS  3
#define LSCHED_JOINS
#define LSCHED_PROC_NAMES(X)  X(range) X(tiles) X(joined) X(fill) X(pack) X(parts)
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif

#undef SORT_KEY
#undef SORT_N
#undef SORT_SKIP
#undef SORT_LOCAL
#undef SORT_ROOM
#undef SORT_BYTES
