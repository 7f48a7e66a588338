/* Functions of all threads of one item (<libsched/items.h>): sums, exclusive scans, minima and
 * maxima, and places for a split by key. C11 and CUDA, the same source.
 *
 * All threads of the item call a function together, in the same order, also those without a value:
 * they pass 0, or the neutral value of a minimum. The result is the same in each thread. A warp or
 * a block executes the item on a GPU; a lane item and an item on the CPU have one thread, for which
 * a function costs nothing.
 *
 * Each function is a barrier as lsched_sync_item, so that memory of the item may be reused after
 * it. Warps combine their values by shuffles, then by `room`, which is in the worker's fast memory
 * (a member of LSCHED_LOCAL) and free again after the call; items of one warp do not access it.
 *
 * Sums are modulo 2^32 or 2^64, minima and maxima unsigned.
 *	typedef struct foo_local { lsched_group_room room; ... } foo_local;
 *	before = lsched_group_scan32(x, &l->room, mine, &all); */
#ifndef LIBSCHED_GROUP_H
#define LIBSCHED_GROUP_H

#include <libsched/items.h>

/* A test with more threads on a CPU sets its own size. */
#ifndef LSCHED_I_GROUP_PARTS
#define LSCHED_I_GROUP_PARTS (LSCHED_LANES > 1 ? 16 : 1) /* a word a warp */
#endif

typedef struct lsched_group_room {
	uint64_t part[LSCHED_I_GROUP_PARTS];
} lsched_group_room;

/* Up to eight counters of 16 bits in registers: of one thread, or sums over threads. Zero at the
 * beginning: { { 0, 0 } }. */
typedef struct lsched_group_ways {
	uint64_t word[2]; /* way w: 16 bits of word[w / 4], from bit 16 * (w % 4) on */
} lsched_group_ways;

/* Returns the sum of v over all threads.
 *	uint32_t lsched_group_sum32(x, lsched_group_room *room, uint32_t v)
 *	uint64_t lsched_group_sum64(x, lsched_group_room *room, uint64_t v) */
#define lsched_group_sum32(x, room, v) lsched_i_group_sum32(&(x)->any, (room), (v))
#define lsched_group_sum64(x, room, v) lsched_i_group_sum64(&(x)->any, (room), (v))

/* Return the least and the largest v of all threads.
 *	uint32_t lsched_group_min32(x, lsched_group_room *room, uint32_t v)
 *	uint64_t lsched_group_min64(x, lsched_group_room *room, uint64_t v)
 *	uint32_t lsched_group_max32(x, lsched_group_room *room, uint32_t v)
 *	uint64_t lsched_group_max64(x, lsched_group_room *room, uint64_t v) */
#define lsched_group_min32(x, room, v) lsched_i_group_min32(&(x)->any, (room), (v))
#define lsched_group_min64(x, room, v) lsched_i_group_min64(&(x)->any, (room), (v))
#define lsched_group_max32(x, room, v) lsched_i_group_max32(&(x)->any, (room), (v))
#define lsched_group_max64(x, room, v) lsched_i_group_max64(&(x)->any, (room), (v))

/* Exclusive scan: returns the sum of v over the threads with lower numbers; *total: over all.
 *	uint32_t lsched_group_scan32(x, lsched_group_room *room, uint32_t v, uint32_t *total)
 *	uint64_t lsched_group_scan64(x, lsched_group_room *room, uint64_t v, uint64_t *total) */
#define lsched_group_scan32(x, room, v, total) \
	lsched_i_group_scan32(&(x)->any, (room), (v), (total))
#define lsched_group_scan64(x, room, v, total) \
	lsched_i_group_scan64(&(x)->any, (room), (v), (total))

/* Split of up to 65,535 elements into 2 to 8 ways: each thread counts the ways of its elements in
 * *w, the split replaces the counts by places, and each thread takes the places of its elements in
 * the order in which it counted them:
 *	lsched_group_ways w = { { 0, 0 } }, total;
 *	for (each element e of this thread)
 *		(void)lsched_group_ways_next(&w, way_of(e));
 *	lsched_group_split(x, &l->room, &w, ways, &total);
 *	for (each element e of this thread)
 *		out[lsched_group_ways_next(&w, way_of(e))] = e;
 * Way after way, and within a way thread after thread. *total: elements of each way, in all
 * threads. All threads pass the same `ways`.
 *	void lsched_group_split(x, lsched_group_room *room, lsched_group_ways *w, uint32_t ways,
 *	                        lsched_group_ways *total) */
#define lsched_group_split(x, room, w, ways, total) \
	lsched_i_group_split(&(x)->any, (room), (w), (ways), (total))

/* Adds 1 to a counter; returns the value before. One thread alone. */
LSCHED_FN uint32_t lsched_group_ways_next(lsched_group_ways *w, uint32_t way)
{
	const uint32_t shift = 16u * (way & 3u);
	const uint64_t one = UINT64_C(1) << shift;
	const uint32_t old = (uint32_t)((way < 4 ? w->word[0] : w->word[1]) >> shift) & 0xffffu;

	if (way < 4)
		w->word[0] += one;
	else
		w->word[1] += one;
	return old;
}

/* Returns a counter. One thread alone. */
LSCHED_FN uint32_t lsched_group_ways_get(const lsched_group_ways *w, uint32_t way)
{
	return (uint32_t)((way < 4 ? w->word[0] : w->word[1]) >> 16u * (way & 3u)) & 0xffffu;
}

/* ---- implementation: CPU and GPU differ in the number of lanes only ---- */

#define LSCHED_I_GROUP_SUM(a, b) ((a) + (b))
#define LSCHED_I_GROUP_MIN(a, b) ((a) < (b) ? (a) : (b))
#define LSCHED_I_GROUP_MAX(a, b) ((a) > (b) ? (a) : (b))

#define LSCHED_I_GROUP_REDUCE(name, type, PAIR)                                        \
	LSCHED_WORKER_FN type name(lsched_i_items *x, lsched_group_room *room, type v) \
	{                                                                              \
		const uint32_t parts = x->threads / LSCHED_LANES;                      \
                                                                                       \
		if (x->threads == 1)                                                   \
			return v;                                                      \
		for (uint32_t k = LSCHED_LANES / 2; k; k /= 2) {                       \
			const type other = (type)lsched_i_shfl_xor(v, k);              \
                                                                                       \
			v = PAIR(v, other);                                            \
		}                                                                      \
		if (parts > 1) {                                                       \
			if (lsched_lane() == 0)                                        \
				room->part[x->thread / LSCHED_LANES] = v;              \
			lsched_i_sync_item(x);                                         \
			v = (type)room->part[0];                                       \
			for (uint32_t k = 1; k < parts; k++) {                         \
				const type other = (type)room->part[k];                \
                                                                                       \
				v = PAIR(v, other);                                    \
			}                                                              \
		}                                                                      \
		lsched_i_sync_item(x); /* the next call writes after all have read */  \
		return v;                                                              \
	}

#define LSCHED_I_GROUP_SCAN(name, type)                                                 \
	LSCHED_WORKER_FN type name(                                                     \
		lsched_i_items *x, lsched_group_room *room, type v, type *total)        \
	{                                                                               \
		const uint32_t parts = x->threads / LSCHED_LANES, lane = lsched_lane(); \
		const uint32_t part = x->thread / LSCHED_LANES;                         \
		type sum = v, before = 0, all = 0;                                      \
                                                                                        \
		*total = v;                                                             \
		if (x->threads == 1)                                                    \
			return 0;                                                       \
		for (uint32_t k = 1; k < LSCHED_LANES; k *= 2) {                        \
			const type other = (type)lsched_i_shfl_up(sum, k);              \
                                                                                        \
			sum += lane >= k ? other : 0;                                   \
		}                                                                       \
		if (parts > 1) {                                                        \
			if (lane == LSCHED_LANES - 1)                                   \
				room->part[part] = sum;                                 \
			lsched_i_sync_item(x);                                          \
			for (uint32_t k = 0; k < parts; k++) {                          \
				const type other = (type)room->part[k];                 \
                                                                                        \
				before += k < part ? other : 0;                         \
				all += other;                                           \
			}                                                               \
		} else {                                                                \
			all = (type)lsched_i_shfl(sum, LSCHED_LANES - 1);               \
		}                                                                       \
		lsched_i_sync_item(x);                                                  \
		*total = all;                                                           \
		return before + sum - v;                                                \
	}

LSCHED_I_GROUP_REDUCE(lsched_i_group_sum32, uint32_t, LSCHED_I_GROUP_SUM)
LSCHED_I_GROUP_REDUCE(lsched_i_group_sum64, uint64_t, LSCHED_I_GROUP_SUM)
LSCHED_I_GROUP_REDUCE(lsched_i_group_min32, uint32_t, LSCHED_I_GROUP_MIN)
LSCHED_I_GROUP_REDUCE(lsched_i_group_min64, uint64_t, LSCHED_I_GROUP_MIN)
LSCHED_I_GROUP_REDUCE(lsched_i_group_max32, uint32_t, LSCHED_I_GROUP_MAX)
LSCHED_I_GROUP_REDUCE(lsched_i_group_max64, uint64_t, LSCHED_I_GROUP_MAX)
LSCHED_I_GROUP_SCAN(lsched_i_group_scan32, uint32_t)
LSCHED_I_GROUP_SCAN(lsched_i_group_scan64, uint64_t)

LSCHED_WORKER_FN void lsched_i_group_split(lsched_i_items *x, lsched_group_room *room,
	lsched_group_ways *w, uint32_t ways, lsched_group_ways *total)
{
	uint32_t begin = 0;

	w->word[0] = lsched_i_group_scan64(x, room, w->word[0], &total->word[0]);
	total->word[1] = 0;
	if (ways > 4)
		w->word[1] = lsched_i_group_scan64(x, room, w->word[1], &total->word[1]);
	LSCHED_UNROLL
	for (uint32_t way = 0; way < ways; way++) {
		w->word[way / 4] += (uint64_t)begin << 16u * (way & 3u);
		begin += lsched_group_ways_get(total, way);
	}
}

#endif
