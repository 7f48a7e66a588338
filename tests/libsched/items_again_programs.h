/* Item programs whose bodies return LSCHED_AGAIN, the same text for the CPU and the GPU suite:
 * makers wait for room which users make. The file that includes this one defines
 * ITEMS_AGAIN_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_ITEMS_AGAIN_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_AGAIN_PROGRAMS_H

#include <libsched/items.h>
#include "tests/libsched/items_grain.h"

/* Makers need one of `size` places, users give it back. */
typedef struct turns_ctx {
	uint32_t size;         /* places; 0: none, so that no maker ever finishes */
	uint32_t *used, *runs; /* [1]; [roots] */
	uint32_t *most;        /* [1], high-water mark of used */
} turns_ctx;

typedef struct turns_item {
	uint32_t number;
} turns_item;
LSCHED_DECLARE_ITEMS(turns_items, turns_item);

typedef struct turns_local {
	uint32_t got; /* the maker's threads: its first one has a place */
} turns_local;

/* One thread: takes a place; returns 0 if there is none. */
LSCHED_TASK_FN uint32_t turns_take(const turns_ctx *c)
{
	uint32_t had = lsched_ld(c->used, rlx, dev);

	do
		if (had >= c->size)
			return 0;
	while (!lsched_cas(c->used, &had, had + 1u, rlx, dev));
	if (had + 1u > lsched_ld(c->most, rlx, dev))
		lsched_st(c->most, had + 1u, rlx, dev);
	return 1;
}

/* One thread: a user. */
LSCHED_TASK_FN void turns_use(const turns_ctx *c, uint32_t number)
{
	(void)lsched_add(&c->runs[number], 1u, rlx, dev);
	(void)lsched_add(c->used, 0xffffffffu, rlx, dev);
}

LSCHED_FN uint32_t turns_root(const turns_ctx *c, uint32_t i, turns_item *it)
{
	(void)c;
	it->number = i;
	return 0;
}

LSCHED_TASK_FN lsched_result turns_body(
	turns_items *x, const turns_ctx *c, lsched_no_local *l, uint32_t proc, turns_item it)
{
	(void)l;
	if (proc == 1)
		turns_use(c, it.number);
	else if (turns_take(c))
		lsched_emit(x, 1, &it);
	else
		return LSCHED_AGAIN;
	return LSCHED_DONE;
}

/* All threads of a warp or block item receive what turns_take() returns to the first one. */
#define TURNS_TAKE_TOGETHER(x, c, l, got)       \
	do {                                    \
		if (lsched_thread(x) == 0)      \
			l->got = turns_take(c); \
		lsched_sync_item(x);            \
		got = l->got;                   \
		lsched_sync_item(x);            \
	} while (0)

LSCHED_TASK_FN lsched_result turns_group(
	turns_items *x, const turns_ctx *c, turns_local *l, uint32_t proc, turns_item it)
{
	uint32_t got;

	if (proc == 1) {
		if (lsched_thread(x) == 0)
			turns_use(c, it.number);
		return LSCHED_DONE;
	}
	TURNS_TAKE_TOGETHER(x, c, l, got);
	if (got && lsched_thread(x) == 0)
		lsched_emit(x, 1, &it);
	return got ? LSCHED_DONE : LSCHED_AGAIN;
}

/* Makers that are lane items and makers that are block items; users are warp items. */
#define TURNS_TABLE(Y, P)                                                           \
	Y(P, lane, lane, turns_item, turns_table_lane, LSCHED_TO(user, 1))          \
	Y(P, block, ITEMS_BLOCK, turns_item, turns_table_block, LSCHED_TO(user, 1)) \
	Y(P, user, warp, turns_item, turns_table_user, 0)
LSCHED_DECLARE_PROCEDURES(turns_table, TURNS_TABLE);

LSCHED_TASK_FN void turns_table_root(turns_table *x, const turns_ctx *c, uint32_t i)
{
	const turns_item it = { i };

	(void)c;
	if (i % 2)
		lsched_emit_to(x, block, &it);
	else
		lsched_emit_to(x, lane, &it);
}

LSCHED_TASK_FN lsched_result turns_table_lane(
	turns_table *x, const turns_ctx *c, turns_local *l, turns_item it)
{
	(void)l;
	if (!turns_take(c))
		return LSCHED_AGAIN;
	lsched_emit_to(x, user, &it);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result turns_table_block(
	turns_table *x, const turns_ctx *c, turns_local *l, turns_item it)
{
	uint32_t got;

	TURNS_TAKE_TOGETHER(x, c, l, got);
	if (got && lsched_thread(x) == 0)
		lsched_emit_to(x, user, &it);
	return got ? LSCHED_DONE : LSCHED_AGAIN;
}

LSCHED_TASK_FN lsched_result turns_table_user(
	turns_table *x, const turns_ctx *c, turns_local *l, turns_item it)
{
	(void)l;
	if (lsched_thread(x) == 0)
		turns_use(c, it.number);
	return LSCHED_DONE;
}
#endif

#ifdef ITEMS_AGAIN_PROGRAMS
#define LSCHED_NAME      turns
#define LSCHED_CTX       turns_ctx
#define LSCHED_ITEMS     turns_items
#define LSCHED_ROOT      turns_root
#define LSCHED_BODY      turns_body
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 1
#define LSCHED_CPU_LANES 8
#define LSCHED_REPEATS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME       turnsbatch
#define LSCHED_CTX        turns_ctx
#define LSCHED_ITEMS      turns_items
#define LSCHED_ROOT       turns_root
#define LSCHED_BODY       turns_body
#define LSCHED_PROCS      2
#define LSCHED_MAX_SPAWN  1
#define LSCHED_CPU_LANES  32
#define LSCHED_MIN_BATCH  8u
#define LSCHED_BATCH_WAIT 5u
#define LSCHED_REPEATS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring) Y(X, STEAL, steal)
#include <libsched/generate_items.h>

#define LSCHED_NAME      turnswarp
#define LSCHED_CTX       turns_ctx
#define LSCHED_ITEMS     turns_items
#define LSCHED_ROOT      turns_root
#define LSCHED_BODY      turns_group
#define LSCHED_LOCAL     turns_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 1
#define LSCHED_REPEATS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME            turnsblock
#define LSCHED_CTX             turns_ctx
#define LSCHED_ITEMS           turns_items
#define LSCHED_ROOT            turns_root
#define LSCHED_BODY            turns_group
#define LSCHED_LOCAL           turns_local
#define LSCHED_GRAIN           ITEMS_BLOCK
#define LSCHED_GROUP_WARPS     ITEMS_GROUP_WARPS
#define LSCHED_WARPS_PER_BLOCK 2
#define LSCHED_PROCS           2
#define LSCHED_MAX_SPAWN       1
#define LSCHED_REPEATS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring) Y(X, DONATE, donate)
#include <libsched/generate_items.h>

#define LSCHED_NAME            turnstable
#define LSCHED_CTX             turns_ctx
#define LSCHED_ITEMS           turns_table
#define LSCHED_ROOT            turns_table_root
#define LSCHED_PROCEDURES      TURNS_TABLE
#define LSCHED_LOCAL           turns_local
#define LSCHED_GROUP_WARPS     ITEMS_GROUP_WARPS
#define LSCHED_WARPS_PER_BLOCK 2
#define LSCHED_CPU_LANES       32
#define LSCHED_MIN_BATCH       24
#define LSCHED_BATCH_WAIT      3
#define LSCHED_REPEATS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
