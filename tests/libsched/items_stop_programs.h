/* Item programs that are stopped and continued, the same text for the CPU and the GPU suite. Pour:
 * a forest whose nodes go to a bounded output array; its items return LSCHED_AGAIN when the array
 * is full. Stopfib: joins over stops. Turns: makers that wait for room which users make. The file
 * that includes this one defines ITEMS_STOP_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_ITEMS_STOP_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_STOP_PROGRAMS_H

#ifndef TESTS_LIBSCHED_ITEMS_PROGRAMS_H
#include "tests/libsched/items_programs.h"
#endif

/* ---- pour: nodes as in marks; each is written to `out` once ---- */

typedef struct pour_ctx {
	uint32_t nodes, roots;
	uint32_t size;    /* of out; items beyond it request a stop */
	uint32_t fail_at; /* this node fails; LSCHED_NONE: none */
	uint32_t *out;    /* [size] */
	uint32_t *count;  /* [1], nodes in out, and attempts beyond it */
} pour_ctx;

LSCHED_FN uint32_t pour_root(const pour_ctx *c, uint32_t i, marks_item *it)
{
	(void)c;
	*it = marks_make(i);
	return 0;
}

LSCHED_TASK_FN lsched_result pour_node(marks_items *x, const pour_ctx *c, uint32_t proc,
	marks_item it, uint32_t at, uint32_t procs)
{
	if (at >= c->size) {
		lsched_request_stop(x);
		return LSCHED_AGAIN;
	}
	if (proc != it.node % procs || !marks_ok(it))
		return lsched_items_fail(x, ITEMS_BAD_PROC);
	if (it.node == c->fail_at)
		return lsched_items_fail(x, ITEMS_ASKED_TO_FAIL);
	if (lsched_thread(x) == 0) {
		c->out[at] = it.node;
		for (uint32_t k = 0; k < 3; k++) {
			const uint64_t child = c->roots + UINT64_C(3) * it.node + k;

			if (child < c->nodes) {
				const marks_item next = marks_make((uint32_t)child);

				lsched_emit(x, next.node % procs, &next);
			}
		}
	}
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result pour_lane(
	marks_items *x, const pour_ctx *c, lsched_no_local *l, uint32_t proc, marks_item it)
{
	(void)l;
	return pour_node(x, c, proc, it, lsched_add(c->count, 1u, rlx, dev), 1);
}

/* Two procedures. */
LSCHED_FN uint32_t pour_root_procs(const pour_ctx *c, uint32_t i, marks_item *it)
{
	(void)c;
	*it = marks_make(i);
	return i % 2;
}

LSCHED_TASK_FN lsched_result pour_procs(
	marks_items *x, const pour_ctx *c, lsched_no_local *l, uint32_t proc, marks_item it)
{
	(void)l;
	return pour_node(x, c, proc, it, lsched_add(c->count, 1u, rlx, dev), 2);
}

/* The threads of a warp or block item share one place. */
LSCHED_TASK_FN lsched_result pour_group(
	marks_items *x, const pour_ctx *c, marks_local *l, uint32_t proc, marks_item it)
{
	uint32_t at;

	if (lsched_thread(x) == 0)
		l->seen[0] = lsched_add(c->count, 1u, rlx, dev);
	lsched_sync_item(x);
	at = l->seen[0];
	lsched_sync_item(x);
	return pour_node(x, c, proc, it, at, 1);
}

/* ---- ptable: the nodes as lane, warp and block items, node % 3, of different sizes ---- */

typedef struct ptable_small {
	uint32_t node;
} ptable_small;

typedef struct ptable_large {
	uint32_t node, more[5];
} ptable_large;

#define PTABLE(Y, P)                                                       \
	Y(P, lane, lane, ptable_small, ptable_lane,                        \
		LSCHED_TO(lane, 3) LSCHED_TO(warp, 3) LSCHED_TO(block, 3)) \
	Y(P, warp, warp, ptable_large, ptable_warp,                        \
		LSCHED_TO(lane, 3) LSCHED_TO(warp, 3) LSCHED_TO(block, 3)) \
	Y(P, block, ITEMS_BLOCK, ptable_small, ptable_block,               \
		LSCHED_TO(lane, 3) LSCHED_TO(warp, 3) LSCHED_TO(block, 3))
LSCHED_DECLARE_PROCEDURES(ptable, PTABLE);

LSCHED_TASK_FN void ptable_emit(ptable *x, uint32_t node)
{
	const ptable_small small = { node };
	const ptable_large large = { node, { node + 1, node + 2, node + 3, node + 4, ~node } };

	if (node % 3 == 0)
		lsched_emit_to(x, lane, &small);
	else if (node % 3 == 1)
		lsched_emit_to(x, warp, &large);
	else
		lsched_emit_to(x, block, &small);
}

LSCHED_TASK_FN void ptable_root(ptable *x, const pour_ctx *c, uint32_t i)
{
	(void)c;
	ptable_emit(x, i);
}

LSCHED_TASK_FN lsched_result ptable_node(
	ptable *x, const pour_ctx *c, marks_local *l, uint32_t node, uint32_t kind)
{
	uint32_t at;

	if (lsched_threads(x) == 1) {
		at = lsched_add(c->count, 1u, rlx, dev);
	} else {
		if (lsched_thread(x) == 0)
			l->seen[0] = lsched_add(c->count, 1u, rlx, dev);
		lsched_sync_item(x);
		at = l->seen[0];
		lsched_sync_item(x);
	}
	if (at >= c->size) {
		lsched_request_stop(x);
		return LSCHED_AGAIN;
	}
	if (node % 3 != kind)
		return lsched_items_fail(x, ITEMS_BAD_PROC);
	if (lsched_thread(x) != 0)
		return LSCHED_DONE;
	c->out[at] = node;
	for (uint32_t k = 0; k < 3; k++)
		if (c->roots + UINT64_C(3) * node + k < c->nodes)
			ptable_emit(x, c->roots + 3 * node + k);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result ptable_lane(
	ptable *x, const pour_ctx *c, marks_local *l, ptable_small it)
{
	return ptable_node(x, c, l, it.node, 0);
}

LSCHED_TASK_FN lsched_result ptable_warp(
	ptable *x, const pour_ctx *c, marks_local *l, ptable_large it)
{
	return it.more[4] == ~it.node && it.more[0] == it.node + 1
		       ? ptable_node(x, c, l, it.node, 1)
		       : lsched_items_fail(x, ITEMS_BAD_PROC);
}

LSCHED_TASK_FN lsched_result ptable_block(
	ptable *x, const pour_ctx *c, marks_local *l, ptable_small it)
{
	return ptable_node(x, c, l, it.node, 2);
}

/* ---- turns: makers (procedure 0) need one of `room` places, users (1) give it back ---- */

typedef struct turns_ctx {
	uint32_t size;         /* places; 0: none, so that no maker ever finishes */
	uint32_t *used, *runs; /* [1]; [roots] */
	uint32_t *most;        /* [1], high-water mark of used */
} turns_ctx;

typedef struct turns_item {
	uint32_t number;
} turns_item;
LSCHED_DECLARE_ITEMS(turns_items, turns_item);

LSCHED_FN uint32_t turns_root(const turns_ctx *c, uint32_t i, turns_item *it)
{
	(void)c;
	it->number = i;
	return 0;
}

LSCHED_TASK_FN lsched_result turns_body(
	turns_items *x, const turns_ctx *c, lsched_no_local *l, uint32_t proc, turns_item it)
{
	uint32_t had = lsched_ld(c->used, rlx, dev);

	(void)l;
	if (proc == 1) {
		(void)lsched_add(&c->runs[it.number], 1u, rlx, dev);
		(void)lsched_add(c->used, 0xffffffffu, rlx, dev);
		return LSCHED_DONE;
	}
	do
		if (had >= c->size)
			return LSCHED_AGAIN;
	while (!lsched_cas(c->used, &had, had + 1u, rlx, dev));
	if (had + 1u > lsched_ld(c->most, rlx, dev))
		lsched_st(c->most, had + 1u, rlx, dev);
	lsched_emit(x, 1, &it);
	return LSCHED_DONE;
}
#endif

#ifdef ITEMS_STOP_PROGRAMS
#define LSCHED_NAME      plane
#define LSCHED_CTX       pour_ctx
#define LSCHED_ITEMS     marks_items
#define LSCHED_ROOT      pour_root
#define LSCHED_BODY      pour_lane
#define LSCHED_MAX_SPAWN 3
#define LSCHED_CPU_LANES 32
#define LSCHED_STOPS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME       pprocs
#define LSCHED_CTX        pour_ctx
#define LSCHED_ITEMS      marks_items
#define LSCHED_ROOT       pour_root_procs
#define LSCHED_BODY       pour_procs
#define LSCHED_PROCS      2
#define LSCHED_MAX_SPAWN  3
#define LSCHED_CPU_LANES  32
#define LSCHED_MIN_BATCH  8u
#define LSCHED_BATCH_WAIT 5u
#define LSCHED_STOPS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring) Y(X, STEAL, steal)
#include <libsched/generate_items.h>

#define LSCHED_NAME      pwarp
#define LSCHED_CTX       pour_ctx
#define LSCHED_ITEMS     marks_items
#define LSCHED_ROOT      pour_root
#define LSCHED_BODY      pour_group
#define LSCHED_LOCAL     marks_local
#define LSCHED_GRAIN     warp
#define LSCHED_MAX_SPAWN 3
#define LSCHED_STOPS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME            pblock
#define LSCHED_CTX             pour_ctx
#define LSCHED_ITEMS           marks_items
#define LSCHED_ROOT            pour_root
#define LSCHED_BODY            pour_group
#define LSCHED_LOCAL           marks_local
#define LSCHED_GRAIN           ITEMS_BLOCK
#define LSCHED_GROUP_WARPS     ITEMS_GROUP_WARPS
#define LSCHED_WARPS_PER_BLOCK 2
#define LSCHED_MAX_SPAWN       3
#define LSCHED_STOPS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring) Y(X, DONATE, donate)
#include <libsched/generate_items.h>

#define LSCHED_NAME  stopfib
#define LSCHED_CTX   fib_ctx
#define LSCHED_ITEMS fib_items
#define LSCHED_ROOT  fib_root
#define LSCHED_BODY  fib_then
#define LSCHED_PROCS 2
#define LSCHED_JOINS
#define LSCHED_CPU_LANES 32
#define LSCHED_STOPS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME                 pnostop
#define LSCHED_CTX                  pour_ctx
#define LSCHED_ITEMS                marks_items
#define LSCHED_ROOT                 pour_root
#define LSCHED_BODY                 pour_lane
#define LSCHED_MAX_SPAWN            3
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

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

#define LSCHED_NAME            ptable
#define LSCHED_CTX             pour_ctx
#define LSCHED_ITEMS           ptable
#define LSCHED_ROOT            ptable_root
#define LSCHED_PROCEDURES      PTABLE
#define LSCHED_LOCAL           marks_local
#define LSCHED_GROUP_WARPS     ITEMS_GROUP_WARPS
#define LSCHED_WARPS_PER_BLOCK 2
#define LSCHED_CPU_LANES       32
#define LSCHED_MIN_BATCH       24
#define LSCHED_BATCH_WAIT      3
#define LSCHED_STOPS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
