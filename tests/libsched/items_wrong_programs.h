/* Item programs of the tests with one wrong item, the same text for the CPU and the GPU suite. A
 * binary tree of items, whose leaves return 1: the root has the number 1, the children of k have
 * 2 k and 2 k + 1. One of them, by its number, does what a body must not do.
 * The file that includes this one defines ITEMS_WRONG_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_ITEMS_WRONG_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_WRONG_PROGRAMS_H

#include <libsched/items.h>
#include "tests/libsched/items_grain.h"

enum wrong_what {
	WRONG_NOTHING,
	WRONG_FORGETS,    /* a leaf returns no value */
	WRONG_FORKS_MORE, /* for more children than it creates */
	WRONG_FORKS_LESS,
	WRONG_FORKS_NONE, /* for 0 children */
	WRONG_CREATES,    /* 3 items, where 2 are declared */
	WRONG_NEVER_TAKES /* a continuation does not take its join's value */
};

typedef struct wrong_ctx {
	uint32_t what, at; /* the number of the wrong item */
	uint32_t depth;
	uint32_t slim; /* 1: children 2 k + 1 are leaves; numbers count the levels */
} wrong_ctx;

typedef struct wrong_item {
	uint32_t number, depth, join, up;
} wrong_item;
LSCHED_DECLARE_ITEMS(wrong_items, wrong_item);

LSCHED_FN uint32_t wrong_root(const wrong_ctx *c, uint32_t i, wrong_item *it)
{
	const wrong_item root = { 1 + i, 0, LSCHED_JOIN_ROOT, 0 };

	(void)c;
	*it = root;
	return 0;
}

LSCHED_FN uint32_t wrong_is(const wrong_ctx *c, const wrong_item *it, uint32_t what)
{
	return c->what == what && it->number == c->at;
}

LSCHED_FN uint32_t wrong_leaf(const wrong_ctx *c, const wrong_item *it)
{
	return it->depth >= c->depth;
}

/* Children that the item states to lsched_fork(). */
LSCHED_FN uint32_t wrong_children(const wrong_ctx *c, const wrong_item *it)
{
	return wrong_is(c, it, WRONG_FORKS_MORE)   ? 3
	       : wrong_is(c, it, WRONG_FORKS_LESS) ? 1
	       : wrong_is(c, it, WRONG_FORKS_NONE) ? 0
						   : 2;
}

LSCHED_FN wrong_item wrong_child(
	const wrong_ctx *c, const wrong_item *it, uint32_t k, uint32_t join)
{
	wrong_item child = { 2 * it->number + k, it->depth + 1, join, 0 };

	if (c->slim)
		child.number = it->number + 1;
	if (k >= 2 - c->slim) /* a leaf */
		child.depth = c->depth;
	return child;
}

/* By one thread of an item; in a warp or block item another one creates the last child. Procedure 1
 * is the continuation of WRONG_NEVER_TAKES. */
LSCHED_TASK_FN lsched_result wrong_body(
	wrong_items *x, const wrong_ctx *c, lsched_no_local *l, uint32_t proc, wrong_item it)
{
	const uint32_t last = lsched_threads(x) - 1, t = lsched_thread(x);
	const uint32_t creates = wrong_is(c, &it, WRONG_CREATES) ? 3 : 2;
	wrong_item then = it;

	(void)l;
	if (proc == 1) {
		if (t == 0)
			lsched_return(x, it.up, 0);
		return LSCHED_DONE;
	}
	if (wrong_leaf(c, &it)) {
		if (t == 0 && !wrong_is(c, &it, WRONG_FORGETS))
			lsched_return(x, it.join, 1);
		return LSCHED_DONE;
	}
	then.up = it.join;
	if (t == 0 && wrong_is(c, &it, WRONG_NEVER_TAKES))
		it.join = lsched_fork_then(x, 2, 1, &then, &then.join);
	else if (t == 0)
		it.join = lsched_fork(x, wrong_children(c, &it), it.join);
	for (uint32_t k = 0; t == 0 && k < 2; k++) {
		const wrong_item child = wrong_child(c, &it, k, it.join);

		lsched_emit(x, 0, &child);
	}
	for (uint32_t k = 2; t == last && k < creates; k++) {
		const wrong_item child = wrong_child(c, &it, k, LSCHED_JOIN_ROOT);

		lsched_emit(x, 0, &child);
	}
	return LSCHED_DONE;
}

/* The same with LSCHED_PROCEDURES, in bodies of two names. */
#define WRONG_TABLE(Y, P)                                                               \
	Y(P, tree, lane, wrong_item, wrong_tree, LSCHED_TO(tree, 2) LSCHED_TO(leaf, 2)) \
	Y(P, leaf, warp, wrong_item, wrong_leaves, 0)
LSCHED_DECLARE_PROCEDURES(wrong_table, WRONG_TABLE);

LSCHED_TASK_FN void wrong_table_root(wrong_table *x, const wrong_ctx *c, uint32_t i)
{
	wrong_item root;

	(void)wrong_root(c, i, &root);
	lsched_emit_to(x, tree, &root);
}

LSCHED_TASK_FN lsched_result wrong_tree(
	wrong_table *x, const wrong_ctx *c, lsched_no_local *l, wrong_item it)
{
	const uint32_t creates = wrong_is(c, &it, WRONG_CREATES) ? 3 : 2;
	const uint32_t join = lsched_fork(x, wrong_children(c, &it), it.join);

	(void)l;
	for (uint32_t k = 0; k < creates; k++) {
		const wrong_item child = wrong_child(c, &it, k, k < 2 ? join : LSCHED_JOIN_ROOT);

		if (wrong_leaf(c, &child))
			lsched_emit_to(x, leaf, &child);
		else
			lsched_emit_to(x, tree, &child);
	}
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result wrong_leaves(
	wrong_table *x, const wrong_ctx *c, lsched_no_local *l, wrong_item it)
{
	(void)l;
	if (lsched_thread(x) == 0 && !wrong_is(c, &it, WRONG_FORGETS))
		lsched_return(x, it.join, 1);
	return LSCHED_DONE;
}
#endif

#ifdef ITEMS_WRONG_PROGRAMS
#define WRONG_QUEUES(Y, X) Y(X, RING, ring)

#define LSCHED_NAME  wronglane
#define LSCHED_CTX   wrong_ctx
#define LSCHED_ITEMS wrong_items
#define LSCHED_ROOT  wrong_root
#define LSCHED_BODY  wrong_body
#define LSCHED_PROCS 2
#define LSCHED_JOINS
#define LSCHED_CPU_LANES      32
#define LSCHED_PROGRAM_QUEUES WRONG_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME  wrongwarp
#define LSCHED_CTX   wrong_ctx
#define LSCHED_ITEMS wrong_items
#define LSCHED_ROOT  wrong_root
#define LSCHED_BODY  wrong_body
#define LSCHED_GRAIN warp
#define LSCHED_PROCS 2
#define LSCHED_JOINS
#define LSCHED_PROGRAM_QUEUES WRONG_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME        wrongblock
#define LSCHED_CTX         wrong_ctx
#define LSCHED_ITEMS       wrong_items
#define LSCHED_ROOT        wrong_root
#define LSCHED_BODY        wrong_body
#define LSCHED_GRAIN       ITEMS_BLOCK
#define LSCHED_GROUP_WARPS ITEMS_GROUP_WARPS
#define LSCHED_PROCS       2
#define LSCHED_JOINS
#define LSCHED_PROGRAM_QUEUES WRONG_QUEUES
#include <libsched/generate_items.h>

/* without LSCHED_JOINS */
#define LSCHED_NAME           wrongnone
#define LSCHED_CTX            wrong_ctx
#define LSCHED_ITEMS          wrong_items
#define LSCHED_ROOT           wrong_root
#define LSCHED_BODY           wrong_body
#define LSCHED_PROCS          2
#define LSCHED_PROGRAM_QUEUES WRONG_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME       wrongtable
#define LSCHED_CTX        wrong_ctx
#define LSCHED_ITEMS      wrong_table
#define LSCHED_PROCEDURES WRONG_TABLE
#define LSCHED_ROOT       wrong_table_root
#define LSCHED_JOINS
#define LSCHED_PROGRAM_QUEUES WRONG_QUEUES
#include <libsched/generate_items.h>
#undef WRONG_QUEUES
#endif
