/* Item programs of the tests, the same text for the CPU and the GPU suite. Marks: every node of a
 * forest must run exactly once, in every grain. Fib: joins, with values that are summed by the join
 * or by continuations. Fold: the other reductions. The file that includes this one defines
 * ITEMS_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_ITEMS_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_PROGRAMS_H

#include <libsched/items.h>
#include "tests/libsched/items_grain.h"

enum { ITEMS_BAD_GROUP = 61, ITEMS_BAD_PROC, ITEMS_ASKED_TO_FAIL };

/* ---- marks: nodes 0 .. n-1; roots first; the children of i are roots + 3 i + 0, 1, 2 ---- */

typedef struct marks_ctx {
	uint32_t nodes, roots;
	uint32_t fail_node; /* LSCHED_NONE: none */
	uint32_t excess;    /* this node spawns more than allowed; LSCHED_NONE: none */
	uint32_t *runs;     /* [nodes] */
	uint32_t *batches;  /* [0]: batches of a lane program below 32 items; [1]: all batches */
} marks_ctx;

typedef struct marks_item {
	uint32_t node, check, more[2];
} marks_item;
LSCHED_DECLARE_ITEMS(marks_items, marks_item);

typedef struct marks_local {
	uint32_t seen[32 * ITEMS_GROUP_WARPS];
} marks_local;

LSCHED_FN marks_item marks_make(uint32_t node)
{
	marks_item it = { node, node * 2654435761u, { ~node, node ^ 0x5a5a5a5au } };

	return it;
}

LSCHED_FN uint32_t marks_ok(marks_item it)
{
	return it.check == it.node * 2654435761u && it.more[0] == ~it.node &&
	       it.more[1] == (it.node ^ 0x5a5a5a5au);
}

LSCHED_FN uint32_t marks_root(const marks_ctx *c, uint32_t i, marks_item *it)
{
	(void)c;
	*it = marks_make(i);
	return 0;
}

/* Emits child k of a node for the procedure child % procs; nothing if the forest has no such node.
 */
LSCHED_TASK_FN void marks_emit(
	marks_items *x, const marks_ctx *c, uint32_t node, uint32_t k, uint32_t procs)
{
	const uint64_t child = c->roots + UINT64_C(3) * node + k;

	if (child < c->nodes) {
		const marks_item next = marks_make((uint32_t)child);

		lsched_emit(x, next.node % procs, &next);
	}
}

LSCHED_TASK_FN lsched_result marks_lane(
	marks_items *x, const marks_ctx *c, lsched_no_local *l, uint32_t proc, marks_item it)
{
	(void)l;
	if (proc != 0)
		return lsched_items_fail(x, ITEMS_BAD_PROC);
	if (it.node == c->fail_node || !marks_ok(it))
		return lsched_items_fail(x, ITEMS_ASKED_TO_FAIL);
	(void)lsched_add(&c->runs[it.node], 1u, rlx, dev);
	for (uint32_t k = 0; k < 3; k++)
		marks_emit(x, c, it.node, k, 1);
	for (uint32_t k = 0; it.node == c->excess && k < 4096; k++)
		lsched_emit(x, 0, &it);
	return LSCHED_DONE;
}

/* Procedure = node % 3, so a batch must never mix them. */
LSCHED_FN uint32_t marks_proc_root(const marks_ctx *c, uint32_t i, marks_item *it)
{
	(void)c;
	*it = marks_make(i);
	return i % 3;
}

LSCHED_TASK_FN lsched_result marks_procs(
	marks_items *x, const marks_ctx *c, lsched_no_local *l, uint32_t proc, marks_item it)
{
	(void)l;
	if (proc != it.node % 3)
		return lsched_items_fail(x, ITEMS_BAD_PROC);
	if (!marks_ok(it))
		return lsched_items_fail(x, ITEMS_ASKED_TO_FAIL);
	(void)lsched_add(&c->runs[it.node], 1u, rlx, dev);
	for (uint32_t k = 0; k < 3; k++)
		marks_emit(x, c, it.node, k, 3);
	return LSCHED_DONE;
}

/* All threads write, synchronise, and read what a thread of another warp wrote; threads of all
 * warps spawn the children. */
LSCHED_TASK_FN lsched_result marks_group(
	marks_items *x, const marks_ctx *c, marks_local *l, uint32_t proc, marks_item it)
{
	const uint32_t t = lsched_thread(x), n = lsched_threads(x);

	if (proc != 0 || !marks_ok(it))
		return lsched_items_fail(x, ITEMS_BAD_PROC);
	l->seen[t] = it.node + t;
	lsched_sync_item(x);
	if (l->seen[n - 1 - t] != it.node + (n - 1 - t))
		return lsched_items_fail(x, ITEMS_BAD_GROUP);
	lsched_sync_item(x);
	if (it.node == c->fail_node && t == n - 1)
		return lsched_items_fail(x, ITEMS_ASKED_TO_FAIL);
	if (t == 0)
		(void)lsched_add(&c->runs[it.node], 1u, rlx, dev);
	for (uint32_t k = 0; k < 3; k++)
		if (t == k * (n / 3) % n)
			marks_emit(x, c, it.node, k, 1);
	return LSCHED_DONE;
}

/* ---- fib ---- */

typedef struct fib_ctx {
	uint32_t n;
} fib_ctx;

typedef struct fib_item {
	uint32_t n, join;
} fib_item;
LSCHED_DECLARE_ITEMS(fib_items, fib_item);

LSCHED_FN uint32_t fib_root(const fib_ctx *c, uint32_t i, fib_item *it)
{
	it->n = c->n + i;
	it->join = LSCHED_JOIN_ROOT;
	return 0;
}

LSCHED_TASK_FN lsched_result fib_up(
	fib_items *x, const fib_ctx *c, lsched_no_local *l, uint32_t proc, fib_item it)
{
	fib_item child;

	(void)c;
	(void)l;
	(void)proc;
	if (it.n < 2) {
		lsched_return(x, it.join, it.n);
		return LSCHED_DONE;
	}
	child.join = lsched_fork(x, 2, it.join);
	child.n = it.n - 1;
	lsched_emit(x, 0, &child);
	child.n = it.n - 2;
	lsched_emit(x, 0, &child);
	return LSCHED_DONE;
}

/* Procedure 1 is the continuation: `join` is the join it continues, `n` the parent's. */
LSCHED_TASK_FN lsched_result fib_then(
	fib_items *x, const fib_ctx *c, lsched_no_local *l, uint32_t proc, fib_item it)
{
	fib_item child;

	(void)c;
	(void)l;
	if (proc == 1) {
		lsched_return(x, it.n, lsched_join_take(x, it.join));
		return LSCHED_DONE;
	}
	if (it.n < 2) {
		lsched_return(x, it.join, it.n);
		return LSCHED_DONE;
	}
	child.n = it.join;
	child.join = lsched_fork_then(x, 2, 1, &child, &child.join);
	child.n = it.n - 1;
	lsched_emit(x, 0, &child);
	child.n = it.n - 2;
	lsched_emit(x, 0, &child);
	return LSCHED_DONE;
}

/* ---- fold: a complete binary tree of depth n whose leaves return a hash of their numbers ---- */

LSCHED_FN uint64_t fold_leaf(uint32_t name)
{
	uint64_t v = (name + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	return v ^ (v >> 29);
}

LSCHED_FN uint64_t fold_xor(uint64_t a, uint64_t b)
{
	return a ^ b;
}

typedef struct fold_item {
	uint32_t name, depth, join;
} fold_item;
LSCHED_DECLARE_ITEMS(fold_items, fold_item);

LSCHED_FN uint32_t fold_root(const fib_ctx *c, uint32_t i, fold_item *it)
{
	(void)c;
	it->name = i;
	it->depth = 0;
	it->join = LSCHED_JOIN_ROOT;
	return 0;
}

LSCHED_TASK_FN lsched_result fold_body(
	fold_items *x, const fib_ctx *c, lsched_no_local *l, uint32_t proc, fold_item it)
{
	fold_item child = it;

	(void)l;
	(void)proc;
	if (it.depth == c->n) {
		lsched_return(x, it.join, fold_leaf(it.name));
		return LSCHED_DONE;
	}
	child.join = lsched_fork(x, 2, it.join);
	child.depth++;
	for (uint32_t k = 0; k < 2; k++) {
		child.name = it.name * 2 + k;
		lsched_emit(x, 0, &child);
	}
	return LSCHED_DONE;
}
#endif

#ifdef ITEMS_PROGRAMS
#define LSCHED_NAME           mlane
#define LSCHED_CTX            marks_ctx
#define LSCHED_ITEMS          marks_items
#define LSCHED_ROOT           marks_root
#define LSCHED_BODY           marks_lane
#define LSCHED_MAX_SPAWN      3
#define LSCHED_CPU_LANES      32
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME                 mone
#define LSCHED_CTX                  marks_ctx
#define LSCHED_ITEMS                marks_items
#define LSCHED_ROOT                 marks_root
#define LSCHED_BODY                 marks_lane
#define LSCHED_MAX_SPAWN            3
#define LSCHED_STACK                1024
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME                 mprocs
#define LSCHED_CTX                  marks_ctx
#define LSCHED_ITEMS                marks_items
#define LSCHED_ROOT                 marks_proc_root
#define LSCHED_BODY                 marks_procs
#define LSCHED_PROCS                3
#define LSCHED_PROC_NAMES(X)        X(first) X(second) X(third)
#define LSCHED_MAX_SPAWN            3
#define LSCHED_MIN_BATCH            24u
#define LSCHED_BATCH_WAIT           5u
#define LSCHED_CPU_LANES            32
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME           mwarp
#define LSCHED_CTX            marks_ctx
#define LSCHED_ITEMS          marks_items
#define LSCHED_ROOT           marks_root
#define LSCHED_BODY           marks_group
#define LSCHED_LOCAL          marks_local
#define LSCHED_GRAIN          warp
#define LSCHED_MAX_SPAWN      3
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME            mblock
#define LSCHED_CTX             marks_ctx
#define LSCHED_ITEMS           marks_items
#define LSCHED_ROOT            marks_root
#define LSCHED_BODY            marks_group
#define LSCHED_LOCAL           marks_local
#define LSCHED_GRAIN           ITEMS_BLOCK
#define LSCHED_GROUP_WARPS     ITEMS_GROUP_WARPS
#define LSCHED_WARPS_PER_BLOCK 2
#define LSCHED_MAX_SPAWN       3
#define LSCHED_AHEAD           16
#define LSCHED_PROGRAM_QUEUES  LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME  fibup
#define LSCHED_CTX   fib_ctx
#define LSCHED_ITEMS fib_items
#define LSCHED_ROOT  fib_root
#define LSCHED_BODY  fib_up
#define LSCHED_JOINS
#define LSCHED_CPU_LANES      32
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME  fibthen
#define LSCHED_CTX   fib_ctx
#define LSCHED_ITEMS fib_items
#define LSCHED_ROOT  fib_root
#define LSCHED_BODY  fib_then
#define LSCHED_PROCS 2
#define LSCHED_JOINS
#define LSCHED_CPU_LANES            32
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME  foldmin
#define LSCHED_CTX   fib_ctx
#define LSCHED_ITEMS fold_items
#define LSCHED_ROOT  fold_root
#define LSCHED_BODY  fold_body
#define LSCHED_JOINS
#define LSCHED_CPU_LANES 32
#define LSCHED_REDUCE_MIN
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME  foldmax
#define LSCHED_CTX   fib_ctx
#define LSCHED_ITEMS fold_items
#define LSCHED_ROOT  fold_root
#define LSCHED_BODY  fold_body
#define LSCHED_JOINS
#define LSCHED_CPU_LANES 32
#define LSCHED_REDUCE_MAX
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME  foldxor
#define LSCHED_CTX   fib_ctx
#define LSCHED_ITEMS fold_items
#define LSCHED_ROOT  fold_root
#define LSCHED_BODY  fold_body
#define LSCHED_JOINS
#define LSCHED_CPU_LANES            32
#define LSCHED_REDUCE               fold_xor
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>
#endif

#include "tests/libsched/group_programs.h"
