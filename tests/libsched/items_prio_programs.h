/* Item programs with priorities, the same text for the CPU and the GPU suite. Each item logs its
 * number; roots create children with urgencies of their own. The file that includes this one
 * defines ITEMS_PRIO_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_ITEMS_PRIO_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_PRIO_PROGRAMS_H

#include <libsched/items.h>

typedef struct urge_ctx {
	uint32_t roots, children; /* root r creates roots + r * children + 0 .. children - 1 */
	uint32_t *log;            /* [roots * (1 + children)], numbers in the order of execution */
	uint32_t *count;          /* [1] */
	uint32_t *runs;           /* of each number */
} urge_ctx;

typedef struct urge_item {
	uint32_t number, urgency;
} urge_item;
LSCHED_DECLARE_ITEMS(urge_items, urge_item);

/* Distinct urgencies in a scattered order. */
LSCHED_FN uint32_t urge_of(uint32_t number)
{
	return number * 2654435761u;
}

LSCHED_FN uint32_t urge_priority(const urge_ctx *c, uint32_t proc, const void *item)
{
	(void)c, (void)proc;
	return ((const urge_item *)item)->urgency;
}

LSCHED_FN uint32_t urge_root(const urge_ctx *c, uint32_t i, urge_item *it)
{
	(void)c;
	it->number = i;
	it->urgency = urge_of(i);
	return i % 2;
}

LSCHED_TASK_FN lsched_result urge_body(
	urge_items *x, const urge_ctx *c, lsched_no_local *l, uint32_t proc, urge_item it)
{
	(void)l, (void)proc;
	if (lsched_thread(x) != 0)
		return LSCHED_DONE;
	c->log[lsched_add(c->count, 1u, rlx, dev)] = it.number;
	(void)lsched_add(&c->runs[it.number], 1u, rlx, dev);
	for (uint32_t k = 0; it.number < c->roots && k < c->children; k++) {
		urge_item child;

		child.number = c->roots + it.number * c->children + k;
		child.urgency = urge_of(child.number);
		lsched_emit(x, child.number % 2, &child);
	}
	return LSCHED_DONE;
}
#endif

#ifdef ITEMS_PRIO_PROGRAMS
#define LSCHED_NAME           urgewarp
#define LSCHED_CTX            urge_ctx
#define LSCHED_ITEMS          urge_items
#define LSCHED_ROOT           urge_root
#define LSCHED_BODY           urge_body
#define LSCHED_GRAIN          warp
#define LSCHED_PROCS          2
#define LSCHED_MAX_SPAWN      3
#define LSCHED_ITEM_PRIORITY  urge_priority
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME           urgelane
#define LSCHED_CTX            urge_ctx
#define LSCHED_ITEMS          urge_items
#define LSCHED_ROOT           urge_root
#define LSCHED_BODY           urge_body
#define LSCHED_PROCS          2
#define LSCHED_MAX_SPAWN      3
#define LSCHED_CPU_LANES      32
#define LSCHED_ITEM_PRIORITY  urge_priority
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
