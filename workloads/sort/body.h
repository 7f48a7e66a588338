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
	SORT_N(_slots) = SORT_ROOM_BYTES / SORT_BYTES + (SORT_ROOM_BYTES / SORT_BYTES >> SORT_SKIP)
};

typedef struct SORT_N(_room_type) {
	SORT_KEY key[SORT_N(_slots)];
} SORT_N(_room_type);

typedef struct SORT_N(_local) {
	SORT_N(_room_type) room[2];
	lsched_group_room group;
	SORT_KEY sample[SORT_SAMPLES];
	SORT_KEY pivot;
	uint32_t less, greater;
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

LSCHED_FN uint32_t SORT_N(_tiles)(uint32_t count)
{
	return count / SORT_N(_room) + (count % SORT_N(_room) != 0);
}

/* Sorts up to SORT_ROOM keys into the output by all threads of a block. */
LSCHED_TASK_FN void SORT_N(_in_block)(
	lsched_range_items *x, SORT_LOCAL *l, const SORT_KEY *from, SORT_KEY *to, uint32_t count)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t padded = (count + 15u) & ~15u;
	const SORT_ROOM *sorted;

	LSCHED_UNROLL_LOADS
	for (uint32_t k = thread; k < padded; k += threads)
		l->room[0].key[SORT_N(_slot)(k)] = k < count ? from[k] : (SORT_KEY) ~(SORT_KEY)0;
	lsched_sync_item(x);
	sorted = SORT_N(_keys_block)(x, &l->room[0], &l->room[1], padded);
	for (uint32_t k = thread; k < count; k += threads)
		to[k] = sorted->key[SORT_N(_slot)(k)];
}

LSCHED_TASK_FN void SORT_N(_small)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	const SORT_KEY *from = SORT_N(_array)(c, sort_array(it.info)) + it.first;
	SORT_KEY *to = SORT_N(_array)(c, SORT_OUTPUT) + it.first;

#ifndef __CUDACC__
	if (lsched_threads(x) == 1) {
		c->leaves->SORT_N(_serial)(from, to, SORT_N(_array)(c, SORT_SECOND) + it.first,
			it.count, sort_serial_depth(it.count));
		return;
	}
#endif
	SORT_N(_in_block)(x, l, from, to, it.count);
}

/* The median of samples spread over the range, at places that its keys cannot be chosen for. */
LSCHED_TASK_FN SORT_KEY SORT_N(_median_of)(
	lsched_range_items *x, SORT_LOCAL *l, const SORT_KEY *from, lsched_range it)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t step = it.count / SORT_SAMPLES, seed = wl_hash(it.first ^ it.info);

	for (uint32_t k = thread; k < SORT_SAMPLES; k += threads)
		l->sample[k] =
			from[(uint64_t)k * step + ((uint64_t)wl_hash(seed + k) * step >> 32)];
	lsched_sync_item(x);
	for (uint32_t k = thread; k < SORT_SAMPLES; k += threads) {
		const SORT_KEY v = l->sample[k];
		uint32_t rank = 0;

		for (uint32_t j = 0; j < SORT_SAMPLES; j++)
			rank += l->sample[j] < v || (l->sample[j] == v && j < k);
		if (rank == SORT_SAMPLES / 2)
			l->pivot = v;
	}
	lsched_sync_item(x);
	return l->pivot;
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

/* Splits a range, or sorts it. */
LSCHED_TASK_FN void SORT_N(_range)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	const uint32_t depth = sort_depth(it.info), open = it.first / SORT_ROOM_MIN;
	const SORT_KEY *from = SORT_N(_array)(c, sort_array(it.info)) + it.first;
	SORT_KEY pivot;

	if (it.count <= c->small) {
		SORT_N(_small)(x, c, l, it);
		return;
	}
	if (depth < c->depth_limit)
		pivot = SORT_N(_median_of)(x, l, from, it);
	else
		pivot = SORT_N(_bit_pivot)(from[0], depth - c->depth_limit);
	if (lsched_thread(x) == 0) {
		sort_open *o = &c->open[open];
		lsched_range then = { 0, 0, open, 0 };
		lsched_range tiles = { 0, SORT_N(_tiles)(it.count), open, 0 };

		o->pivot = pivot;
		o->first = it.first;
		o->count = it.count;
		o->info = it.info;
		lsched_st(&o->less, 0u, rlx, dev);
		lsched_st(&o->greater, 0u, rlx, dev);
		tiles.join = lsched_fork_then(x, tiles.count, SORT_JOINED, &then, &then.join);
		lsched_range_spread(x, SORT_TILES, tiles, LSCHED_RANGE_PARTS);
	}
}

#ifndef __CUDACC__
/* Moves one tile's keys to the other array by one thread. */
LSCHED_TASK_FN void SORT_N(_tile_serial)(
	const sort_ctx *c, sort_open *o, const SORT_KEY *from, uint32_t n)
{
	SORT_KEY *to = SORT_N(_array)(c, sort_other(sort_array(o->info))) + o->first, *above;
	const SORT_KEY pivot = (SORT_KEY)o->pivot;
	uint32_t count[SORT_WAYS];

	c->leaves->SORT_N(_count)(from, n, pivot, count);
	above = to + (o->count - count[SORT_GREATER]) -
		lsched_add(&o->greater, count[SORT_GREATER], rlx, dev);
	to += lsched_add(&o->less, count[SORT_LESS], rlx, dev);
	c->leaves->SORT_N(_split)(from, n, pivot, to, above, count);
}
#endif

LSCHED_TASK_FN void SORT_N(_tile_block)(lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l,
	sort_open *o, const SORT_KEY *from, uint32_t n)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const SORT_KEY pivot = (SORT_KEY)o->pivot;
	SORT_KEY *to = SORT_N(_array)(c, sort_other(sort_array(o->info))) + o->first;
	lsched_group_ways at = { { 0, 0 } }, total;
	uint32_t less, greater;

	LSCHED_UNROLL_LOADS
	for (uint32_t k = thread; k < n; k += threads) {
		const SORT_KEY v = from[k];

		l->room[0].key[k] = v;
		at.word[0] += (uint64_t)(v < pivot) + ((uint64_t)(v > pivot) << 16 * SORT_GREATER);
	}
	lsched_group_split(x, &l->group, &at, SORT_WAYS, &total);
	less = lsched_group_ways_get(&total, SORT_LESS);
	greater = lsched_group_ways_get(&total, SORT_GREATER);
	if (thread == 0) {
		l->less = lsched_add(&o->less, less, rlx, dev);
		l->greater = o->count - greater - lsched_add(&o->greater, greater, rlx, dev);
	}
	for (uint32_t k = thread; k < n; k += threads) {
		const SORT_KEY v = l->room[0].key[k]; /* of this thread */

		if (v != pivot)
			l->room[1].key[SORT_N(_slot)(lsched_group_ways_next(&at, v > pivot))] = v;
	}
	lsched_sync_item(x);
	for (uint32_t k = thread; k < less + greater; k += threads)
		to[k < less ? l->less + k : l->greater + (k - less)] =
			l->room[1].key[SORT_N(_slot)(k)];
	lsched_sync_item(x);
}

LSCHED_TASK_FN void SORT_N(_tile)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	sort_open *o = &c->open[it.info];
	const uint32_t begin = it.first * SORT_N(_room);
	const SORT_KEY *from;
	uint32_t n;

	if (it.count > 1) {
		if (lsched_thread(x) == 0)
			lsched_range_spread(x, SORT_TILES, it, LSCHED_RANGE_PARTS);
		return;
	}
	from = SORT_N(_array)(c, sort_array(o->info)) + o->first + begin;
	n = o->count - begin < SORT_N(_room) ? o->count - begin : (uint32_t)SORT_N(_room);
#ifndef __CUDACC__
	if (lsched_threads(x) == 1)
		SORT_N(_tile_serial)(c, o, from, n);
	else
#endif
		SORT_N(_tile_block)(x, c, l, o, from, n);
	if (lsched_thread(x) == 0)
		lsched_return(x, it.join, 0);
}

/* The keys equal to a pivot are in no array but the input any more. */
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

/* The two ranges and the keys between them. One thread. */
LSCHED_TASK_FN void SORT_N(_joined)(lsched_range_items *x, const sort_ctx *c, lsched_range it)
{
	sort_open *o = &c->open[it.info];
	const uint32_t less = lsched_ld(&o->less, rlx, dev);
	const uint32_t greater = lsched_ld(&o->greater, rlx, dev);
	const uint32_t info = sort_info(sort_other(sort_array(o->info)), sort_depth(o->info) + 1);
	const lsched_range low = { o->first, less, info, LSCHED_JOIN_NONE };
	const lsched_range high = { o->first + (o->count - greater), greater, info,
		LSCHED_JOIN_NONE };
	const lsched_range equal = { o->first + less, o->count - less - greater, (uint32_t)o->pivot,
		(uint32_t)(o->pivot >> 32) };

	(void)lsched_join_take(x, it.join);
	if (equal.count)
		lsched_emit(x, SORT_FILL, &equal);
	if (low.count)
		lsched_emit(x, SORT_RANGE, &low);
	if (high.count)
		lsched_emit(x, SORT_RANGE, &high);
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
		SORT_N(_tile)(x, c, l, it);
		break;
	case SORT_JOINED:
		if (lsched_thread(x) == 0)
			SORT_N(_joined)(x, c, it);
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
#define LSCHED_PROCS       5 /* SORT_PROCS */
#define LSCHED_MAX_SPAWN   16
#define LSCHED_MIN_BLOCKS  3
#define LSCHED_JOINS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif

#undef SORT_KEY
#undef SORT_N
#undef SORT_SKIP
#undef SORT_LOCAL
#undef SORT_ROOM
#undef SORT_BYTES
