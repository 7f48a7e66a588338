/* Programs of the tests with LSCHED_PROCEDURES, the same text for the CPU and the GPU suite. Mixed:
 * a forest whose nodes are lane, warp and block items. Stuck: no progress. Pfib: joins. Walk: lane
 * items whose procedures are random.
 * The file that includes this one defines ITEMS_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_PROCS_PROGRAMS_H
#define TESTS_LIBSCHED_PROCS_PROGRAMS_H

#include <libsched/items.h>
#include "tests/libsched/items_grain.h"

enum { PROCS_BAD_ITEM = 71, PROCS_BAD_GROUP };

/* ---- mixed: nodes 0 .. n-1, children of i: roots + 3 i + 0, 1, 2; grain: node % 3 ---- */

typedef struct mixed_ctx {
	uint32_t nodes, roots;
	uint32_t excess; /* this node emits more than it may; LSCHED_NONE: none */
	uint32_t *runs;  /* [nodes] */
} mixed_ctx;

typedef struct mixed_lane {
	uint32_t node;
} mixed_lane;

typedef struct mixed_warp {
	uint32_t node, more[4], check;
} mixed_warp;

typedef struct mixed_block {
	uint64_t check;
	uint32_t node, more;
} mixed_block;

typedef struct mixed_local {
	uint32_t seen[32 * ITEMS_GROUP_WARPS];
} mixed_local;

#define MIXED(Y, P)                                                        \
	Y(P, lane, lane, mixed_lane, mixed_run_lane,                       \
		LSCHED_TO(lane, 3) LSCHED_TO(warp, 3) LSCHED_TO(block, 3)) \
	Y(P, warp, warp, mixed_warp, mixed_run_warp,                       \
		LSCHED_TO(lane, 3) LSCHED_TO(warp, 3) LSCHED_TO(block, 3)) \
	Y(P, block, ITEMS_BLOCK, mixed_block, mixed_run_block,             \
		LSCHED_TO(lane, 3) LSCHED_TO(warp, 3) LSCHED_TO(block, 3))
LSCHED_DECLARE_PROCEDURES(mixed, MIXED);

/* Emits a node to the procedure node % 3. */
LSCHED_TASK_FN void mixed_emit(mixed *x, uint32_t node)
{
	if (node % 3 == 0) {
		const mixed_lane it = { node };

		lsched_emit_to(x, lane, &it);
	} else if (node % 3 == 1) {
		const mixed_warp it = { node, { ~node, node, 7, node * 3 }, node * 2654435761u };

		lsched_emit_to(x, warp, &it);
	} else {
		const mixed_block it = { node * UINT64_C(0x9e3779b97f4a7c15), node, ~node };

		lsched_emit_to(x, block, &it);
	}
}

LSCHED_TASK_FN void mixed_root(mixed *x, const mixed_ctx *c, uint32_t i)
{
	(void)c;
	mixed_emit(x, i);
}

/* Counts a node and emits its children, each from another thread if there are several. */
LSCHED_TASK_FN void mixed_node(mixed *x, const mixed_ctx *c, uint32_t node)
{
	const uint32_t t = lsched_thread(x), n = lsched_threads(x);

	if (t == 0) {
		(void)lsched_add(&c->runs[node], 1u, rlx, dev);
		lsched_return(x, LSCHED_JOIN_ROOT, node);
	}
	for (uint32_t k = 0; k < 3; k++) {
		const uint64_t child = c->roots + UINT64_C(3) * node + k;

		if (t == k * (n / 3) % n && child < c->nodes)
			mixed_emit(x, (uint32_t)child);
	}
	for (uint32_t k = 0; t == 0 && node == c->excess && k < 4096; k++)
		mixed_emit(x, node);
}

LSCHED_TASK_FN lsched_result mixed_run_lane(
	mixed *x, const mixed_ctx *c, mixed_local *l, mixed_lane it)
{
	(void)l;
	if (it.node % 3 != 0 || lsched_threads(x) != 1)
		return lsched_items_fail(x, PROCS_BAD_ITEM);
	mixed_node(x, c, it.node);
	return LSCHED_DONE;
}

/* All threads of an item write, synchronise, and read what another thread wrote. */
LSCHED_TASK_FN uint32_t mixed_meet(mixed *x, mixed_local *l, uint32_t node)
{
	const uint32_t t = lsched_thread(x), n = lsched_threads(x);
	uint32_t ok;

	l->seen[t] = node + t;
	lsched_sync_item(x);
	ok = l->seen[n - 1 - t] == node + (n - 1 - t);
	lsched_sync_item(x);
	return ok;
}

LSCHED_TASK_FN lsched_result mixed_run_warp(
	mixed *x, const mixed_ctx *c, mixed_local *l, mixed_warp it)
{
	if (it.node % 3 != 1 || lsched_threads(x) != LSCHED_LANES || it.more[0] != ~it.node ||
		it.more[1] != it.node || it.more[2] != 7 || it.more[3] != it.node * 3 ||
		it.check != it.node * 2654435761u)
		return lsched_items_fail(x, PROCS_BAD_ITEM);
	if (!mixed_meet(x, l, it.node))
		return lsched_items_fail(x, PROCS_BAD_GROUP);
	mixed_node(x, c, it.node);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result mixed_run_block(
	mixed *x, const mixed_ctx *c, mixed_local *l, mixed_block it)
{
	const uint32_t threads = LSCHED_LANES > 1 ? LSCHED_LANES * ITEMS_GROUP_WARPS : 1;

	if (it.node % 3 != 2 || lsched_threads(x) != threads || it.more != ~it.node ||
		it.check != it.node * UINT64_C(0x9e3779b97f4a7c15))
		return lsched_items_fail(x, PROCS_BAD_ITEM);
	if (!mixed_meet(x, l, it.node))
		return lsched_items_fail(x, PROCS_BAD_GROUP);
	mixed_node(x, c, it.node);
	return LSCHED_DONE;
}

/* ---- stuck: a seed emits a growing item again and again, and that one two of its kind ---- */

/* One queue of each kind: common, one deque per worker, in rounds. */
#define STUCK_QUEUES(Y, X) Y(X, RING, ring) Y(X, STEAL, steal) Y(X, RELAUNCH, relaunch)

typedef struct stuck_ctx {
	uint32_t seeds_first;
} stuck_ctx;

typedef struct stuck_item {
	uint32_t unused;
} stuck_item;

#define STUCK(Y, P)                                                  \
	Y(P, seed, lane, stuck_item, stuck_seed, LSCHED_TO(grow, 4)) \
	Y(P, grow, lane, stuck_item, stuck_grow, LSCHED_TO(grow, 2))
LSCHED_DECLARE_PROCEDURES(stuck, STUCK);

LSCHED_FN uint32_t stuck_choose(const stuck_ctx *c, const uint32_t *count)
{
	return count[0] && (c->seeds_first || !count[1]) ? 0 : 1;
}

LSCHED_TASK_FN void stuck_root(stuck *x, const stuck_ctx *c, uint32_t i)
{
	const stuck_item it = { i };

	(void)c;
	lsched_emit_to(x, seed, &it);
}

LSCHED_TASK_FN lsched_result stuck_seed(
	stuck *x, const stuck_ctx *c, lsched_no_local *l, stuck_item it)
{
	(void)c, (void)l;
	lsched_emit_to(x, grow, &it);
	lsched_continue(x, seed, &it);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result stuck_grow(
	stuck *x, const stuck_ctx *c, lsched_no_local *l, stuck_item it)
{
	(void)c, (void)l;
	lsched_emit_to(x, grow, &it);
	lsched_emit_to(x, grow, &it);
	return LSCHED_DONE;
}

/* ---- pfib: Fibonacci numbers by joins whose continuations are items of another type ---- */

typedef struct pfib_ctx {
	uint32_t n;
} pfib_ctx;

typedef struct pfib_call {
	uint32_t n, join;
} pfib_call;

typedef struct pfib_sum {
	uint32_t pad[3], join, up;
} pfib_sum;

#define PFIB(Y, P)                                                                       \
	Y(P, call, lane, pfib_call, pfib_run_call, LSCHED_TO(call, 2) LSCHED_TO(sum, 1)) \
	Y(P, sum, warp, pfib_sum, pfib_run_sum, LSCHED_TO(sum, 1))
LSCHED_DECLARE_PROCEDURES(pfib, PFIB);

LSCHED_TASK_FN void pfib_root(pfib *x, const pfib_ctx *c, uint32_t i)
{
	const pfib_call it = { c->n + i, LSCHED_JOIN_ROOT };

	lsched_emit_to(x, call, &it);
}

LSCHED_TASK_FN lsched_result pfib_run_call(
	pfib *x, const pfib_ctx *c, lsched_no_local *l, pfib_call it)
{
	pfib_sum then = { { 1, 2, 3 }, 0, it.join };
	pfib_call child;

	(void)c, (void)l;
	if (it.n < 2) {
		lsched_return(x, it.join, it.n);
		return LSCHED_DONE;
	}
	child.join = lsched_fork_then_to(x, 2, sum, &then, &then.join);
	child.n = it.n - 1;
	lsched_emit_to(x, call, &child);
	child.n = it.n - 2;
	lsched_emit_to(x, call, &child);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result pfib_run_sum(
	pfib *x, const pfib_ctx *c, lsched_no_local *l, pfib_sum it)
{
	(void)c, (void)l;
	if (it.pad[0] != 1 || it.pad[1] != 2 || it.pad[2] != 3)
		return lsched_items_fail(x, PROCS_BAD_ITEM);
	if (lsched_thread(x) == 0)
		lsched_return(x, it.up, lsched_join_take(x, it.join));
	return LSCHED_DONE;
}

/* ---- walk: each root is a chain of `steps` items, each of a procedure selected at random ---- */

typedef struct walk_ctx {
	uint32_t steps;
} walk_ctx;

typedef struct walk_item {
	uint32_t bits, left;
} walk_item;

#define WALK(Y, P)                                                                   \
	Y(P, even, lane, walk_item, walk_even, LSCHED_TO(even, 1) LSCHED_TO(odd, 1)) \
	Y(P, odd, lane, walk_item, walk_odd, LSCHED_TO(even, 1) LSCHED_TO(odd, 1))
LSCHED_DECLARE_PROCEDURES(walk, WALK);

LSCHED_TASK_FN void walk_on(walk *x, walk_item it)
{
	it.bits = it.bits * 1664525u + 1013904223u;
	if (it.bits >> 31)
		lsched_emit_to(x, odd, &it);
	else
		lsched_emit_to(x, even, &it);
}

LSCHED_TASK_FN void walk_root(walk *x, const walk_ctx *c, uint32_t i)
{
	const walk_item it = { i * 2654435761u, c->steps };

	walk_on(x, it);
}

LSCHED_TASK_FN lsched_result walk_step(walk *x, walk_item it, uint32_t odd)
{
	if (it.bits >> 31 != odd)
		return lsched_items_fail(x, PROCS_BAD_ITEM);
	lsched_return(x, LSCHED_JOIN_ROOT, 1);
	if (--it.left)
		walk_on(x, it);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result walk_even(walk *x, const walk_ctx *c, lsched_no_local *l, walk_item it)
{
	(void)c, (void)l;
	return walk_step(x, it, 0);
}

LSCHED_TASK_FN lsched_result walk_odd(walk *x, const walk_ctx *c, lsched_no_local *l, walk_item it)
{
	(void)c, (void)l;
	return walk_step(x, it, 1);
}
#endif

#ifdef ITEMS_PROGRAMS
#define LSCHED_NAME            mixed
#define LSCHED_CTX             mixed_ctx
#define LSCHED_ITEMS           mixed
#define LSCHED_PROCEDURES      MIXED
#define LSCHED_ROOT            mixed_root
#define LSCHED_LOCAL           mixed_local
#define LSCHED_GROUP_WARPS     ITEMS_GROUP_WARPS
#define LSCHED_WARPS_PER_BLOCK 2
#define LSCHED_CPU_LANES       32
#define LSCHED_PROGRAM_QUEUES  LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME           stuck
#define LSCHED_CTX            stuck_ctx
#define LSCHED_ITEMS          stuck
#define LSCHED_PROCEDURES     STUCK
#define LSCHED_ROOT           stuck_root
#define LSCHED_CHOOSE         stuck_choose
#define LSCHED_PROGRAM_QUEUES STUCK_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME       pfib
#define LSCHED_CTX        pfib_ctx
#define LSCHED_ITEMS      pfib
#define LSCHED_PROCEDURES PFIB
#define LSCHED_ROOT       pfib_root
#define LSCHED_JOINS
#define LSCHED_CPU_LANES            32
#define LSCHED_MIN_BATCH            16
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME                 walkany
#define LSCHED_CTX                  walk_ctx
#define LSCHED_ITEMS                walk
#define LSCHED_PROCEDURES           WALK
#define LSCHED_ROOT                 walk_root
#define LSCHED_CPU_LANES            32
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME           walkfull
#define LSCHED_CTX            walk_ctx
#define LSCHED_ITEMS          walk
#define LSCHED_PROCEDURES     WALK
#define LSCHED_ROOT           walk_root
#define LSCHED_CPU_LANES      32
#define LSCHED_MIN_BATCH      32
#define LSCHED_BATCH_WAIT     4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
