/* The workload `fib`: a Fibonacci number by fork and join. Each call is an item that one lane
 * executes; there are 2 fib(n + 1) - 1 items. Compiled for CPU and GPU. */
#ifndef WORKLOADS_FIB_FIB_H
#define WORKLOADS_FIB_FIB_H

#include <libsched/items.h>

typedef struct gsfib_ctx {
	uint32_t n;
} gsfib_ctx;

typedef struct gsfib_item {
	uint32_t n, join;
} gsfib_item;
LSCHED_DECLARE_ITEMS(gsfib_items, gsfib_item);

LSCHED_FN uint32_t gsfib_root(const gsfib_ctx *c, uint32_t i, gsfib_item *it)
{
	(void)i;
	it->n = c->n;
	it->join = LSCHED_JOIN_ROOT;
	return 0;
}

LSCHED_TASK_FN lsched_result gsfib_body(
	gsfib_items *x, const gsfib_ctx *c, lsched_no_local *l, uint32_t proc, gsfib_item it)
{
	gsfib_item child;

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

#endif

#ifdef WL_FIB_PROGRAM
#undef WL_FIB_PROGRAM
#define LSCHED_NAME  gsfib
#define LSCHED_CTX   gsfib_ctx
#define LSCHED_ITEMS gsfib_items
#define LSCHED_ROOT  gsfib_root
#define LSCHED_BODY  gsfib_body
#define LSCHED_JOINS
#define LSCHED_REDUCE_SUM
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
