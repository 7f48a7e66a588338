/* The functions of <libsched/group.h> against loops over the values of all threads: text for item
 * programs of each grain, and for group_test.c. ITEMS_PROGRAMS as in items_programs.h. */
#ifndef TESTS_LIBSCHED_GROUP_PROGRAMS_H
#define TESTS_LIBSCHED_GROUP_PROGRAMS_H

#include <libsched/group.h>
#include "tests/libsched/items_grain.h"

enum { GROUP_ELEMENTS = 5 }; /* of a thread, at most */

typedef struct group_ctx {
	uint32_t *sums; /* [0]: wrong results; [1]: threads that ran */
} group_ctx;

typedef struct group_item {
	uint32_t seed;
} group_item;
LSCHED_DECLARE_ITEMS(group_items, group_item);

typedef struct group_local {
	lsched_group_room room;
	uint32_t seen[32 * 16];
} group_local;

LSCHED_FN uint64_t group_value(uint32_t seed, uint32_t thread)
{
	uint64_t v = ((uint64_t)seed << 32 | thread) * UINT64_C(0x9e3779b97f4a7c15);

	v = (v ^ v >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return v ^ v >> 32;
}

/* Way of element j of a thread. */
LSCHED_FN uint32_t group_way(uint32_t seed, uint32_t thread, uint32_t j, uint32_t ways)
{
	return (uint32_t)(group_value(seed + 1 + j, thread) >> 32) % ways;
}

/* Returns how many of the reductions and scans of values are wrong. */
LSCHED_TASK_FN uint32_t group_wrong_values(group_items *x, lsched_group_room *room, uint32_t seed)
{
	const uint32_t me = lsched_thread(x);
	const uint64_t v = group_value(seed, me);
	uint64_t sum = 0, least = ~UINT64_C(0), most = 0, before = 0, all64;
	uint32_t least32 = ~0u, most32 = 0, wrong = 0, all32;

	for (uint32_t t = 0; t < lsched_threads(x); t++) {
		const uint64_t u = group_value(seed, t);

		before += t < me ? u : 0;
		sum += u;
		least = u < least ? u : least;
		most = u > most ? u : most;
		least32 = (uint32_t)u < least32 ? (uint32_t)u : least32;
		most32 = (uint32_t)u > most32 ? (uint32_t)u : most32;
	}
	wrong += lsched_group_sum64(x, room, v) != sum;
	wrong += lsched_group_sum32(x, room, (uint32_t)v) != (uint32_t)sum;
	wrong += lsched_group_min64(x, room, v) != least;
	wrong += lsched_group_min32(x, room, (uint32_t)v) != least32;
	wrong += lsched_group_max64(x, room, v) != most;
	wrong += lsched_group_max32(x, room, (uint32_t)v) != most32;
	wrong += lsched_group_scan64(x, room, v, &all64) != before || all64 != sum;
	wrong += lsched_group_scan32(x, room, (uint32_t)v, &all32) != (uint32_t)before ||
		 all32 != (uint32_t)sum;
	return wrong;
}

/* The place that element j of thread `me` must get; *count: of its way, in all threads. */
LSCHED_TASK_FN uint32_t group_place(
	uint32_t seed, uint32_t threads, uint32_t ways, uint32_t me, uint32_t j, uint32_t *count)
{
	const uint32_t way = group_way(seed, me, j, ways);
	uint32_t place = 0;

	*count = 0;
	for (uint32_t t = 0; t < threads; t++)
		for (uint32_t k = 0; k < group_value(seed, t) % (GROUP_ELEMENTS + 1); k++) {
			const uint32_t other = group_way(seed, t, k, ways);

			*count += other == way;
			place += other < way || (other == way && (t < me || (t == me && k < j)));
		}
	return place;
}

/* The same for the places of a split. */
LSCHED_TASK_FN uint32_t group_wrong_split(
	group_items *x, lsched_group_room *room, uint32_t seed, uint32_t ways)
{
	const uint32_t me = lsched_thread(x);
	const uint32_t n = (uint32_t)(group_value(seed, me) % (GROUP_ELEMENTS + 1));
	lsched_group_ways w = { { 0, 0 } }, total;
	uint32_t wrong = 0;

	for (uint32_t j = 0; j < n; j++)
		(void)lsched_group_ways_next(&w, group_way(seed, me, j, ways));
	lsched_group_split(x, room, &w, ways, &total);
	for (uint32_t j = 0; j < n; j++) {
		const uint32_t way = group_way(seed, me, j, ways);
		uint32_t count;
		const uint32_t place = group_place(seed, lsched_threads(x), ways, me, j, &count);

		wrong += lsched_group_ways_next(&w, way) != place ||
			 lsched_group_ways_get(&total, way) != count;
	}
	return wrong;
}

/* Returns how many results of this thread are wrong. A function is a barrier, too. */
LSCHED_TASK_FN uint32_t group_wrong(group_items *x, group_local *l, uint32_t seed)
{
	const uint32_t me = lsched_thread(x), n = lsched_threads(x);
	uint32_t wrong = 0;

	for (uint32_t round = 0; round < 2; round++) {
		l->seen[me] = seed + round + me;
		wrong += group_wrong_values(x, &l->room, seed + round);
		wrong += l->seen[n - 1 - me] != seed + round + (n - 1 - me);
		wrong += group_wrong_split(x, &l->room, seed, 2 + (seed + round) % 7);
	}
	return wrong;
}

LSCHED_FN uint32_t group_root(const group_ctx *c, uint32_t i, group_item *it)
{
	(void)c;
	it->seed = i;
	return 0;
}

LSCHED_TASK_FN lsched_result group_body(
	group_items *x, const group_ctx *c, group_local *l, uint32_t proc, group_item it)
{
	const uint32_t wrong = group_wrong(x, l, it.seed);

	(void)proc;
	(void)lsched_add(&c->sums[0], wrong, rlx, dev);
	(void)lsched_add(&c->sums[1], 1u, rlx, dev);
	return LSCHED_DONE;
}

/* Lanes have items of their own and no fast memory in common. */
LSCHED_TASK_FN lsched_result group_lane(
	group_items *x, const group_ctx *c, lsched_no_local *l, uint32_t proc, group_item it)
{
	(void)l;
	(void)proc;
	(void)lsched_add(&c->sums[0], group_wrong_values(x, NULL, it.seed), rlx, dev);
	(void)lsched_add(&c->sums[1], 1u, rlx, dev);
	return LSCHED_DONE;
}

#endif

#ifdef ITEMS_PROGRAMS
#define LSCHED_NAME  glane
#define LSCHED_CTX   group_ctx
#define LSCHED_ITEMS group_items
#define LSCHED_ROOT  group_root
#define LSCHED_BODY  group_lane
#include <libsched/generate_items.h>

#define LSCHED_NAME  gwarp
#define LSCHED_CTX   group_ctx
#define LSCHED_ITEMS group_items
#define LSCHED_ROOT  group_root
#define LSCHED_BODY  group_body
#define LSCHED_LOCAL group_local
#define LSCHED_GRAIN warp
#include <libsched/generate_items.h>

#define LSCHED_NAME        gblock
#define LSCHED_CTX         group_ctx
#define LSCHED_ITEMS       group_items
#define LSCHED_ROOT        group_root
#define LSCHED_BODY        group_body
#define LSCHED_LOCAL       group_local
#define LSCHED_GRAIN       ITEMS_BLOCK
#define LSCHED_GROUP_WARPS ITEMS_GROUP_WARPS
#include <libsched/generate_items.h>
#endif
