/* The load of `gsched fib`: Fibonacci numbers by fork and join, a lane item for each call. The number of
 * items is 2 fib(n + 1) - 1. The same text for the CPU and the GPU. */
#ifndef APPS_GSCHED_LOAD_FIB_H
#define APPS_GSCHED_LOAD_FIB_H

#include <libsched/items.h>

typedef struct gsfib_ctx {
	uint32_t n;
} gsfib_ctx;

typedef struct gsfib_item {
	uint32_t n, join;
} gsfib_item;

SCHED_FN uint32_t gsfib_root(const gsfib_ctx *c, uint32_t i, gsfib_item *it)
{
	(void)i;
	it->n = c->n;
	it->join = SCHED_JOIN_ROOT;
	return 0;
}

SCHED_TASK_FN sched_result gsfib_body(
	sched_items *x, const gsfib_ctx *c, sched_no_local *l, uint32_t proc, gsfib_item it)
{
	gsfib_item child;

	(void)c;
	(void)l;
	(void)proc;
	if (it.n < 2) {
		sched_return(x, it.join, it.n);
		return SCHED_DONE;
	}
	child.join = sched_fork(x, 2, it.join);
	child.n = it.n - 1;
	sched_emit(x, 0, &child);
	child.n = it.n - 2;
	sched_emit(x, 0, &child);
	return SCHED_DONE;
}

#endif

#ifdef LOAD_FIB_PROGRAM
#undef LOAD_FIB_PROGRAM
#define SCHED_NAME gsfib
#define SCHED_CTX  gsfib_ctx
#define SCHED_ITEM gsfib_item
#define SCHED_ROOT gsfib_root
#define SCHED_BODY gsfib_body
#define SCHED_JOINS
#define SCHED_REDUCE_SUM
#include <libsched/generate_items.h>
#endif
