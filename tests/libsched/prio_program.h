/* Programs of the tests of queues with priorities, the same text for threads and for a device:
 * items whose order is recorded, a graph with urgent corners, and a best-first search. The file
 * that includes this one defines PRIO_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_PRIO_PROGRAM_H
#define TESTS_LIBSCHED_PRIO_PROGRAM_H

#include "tests/libsched/graph.h"

/* ---- order: roots with children, each with an urgency ---- */

enum { ORDER_RAN, ORDER_ASKED, ORDER_WORDS };

typedef struct order_ctx {
	uint32_t roots, children; /* root r spawns items roots + r * children + 0 .. children-1 */
	uint32_t turn_at; /* after so many items the order is reversed; LSCHED_NONE: never */
	uint32_t wait;    /* a body waits until the controller has sorted the queue */
	uint32_t fail_item;
	uint32_t *urgency; /* of each item */
	uint32_t *log;     /* items in the order in which they ran */
	uint32_t *runs;    /* of each item */
	uint32_t *word;    /* ORDER_... */
} order_ctx;

LSCHED_FN uint32_t order_priority(const order_ctx *c, uint32_t item)
{
	const uint32_t urgency = c->urgency[item];

#if LSCHED_I_IN_WORKER
	if (c->wait)
		(void)lsched_add(&c->word[ORDER_ASKED], 1u, rlx, dev);
	if (c->turn_at != LSCHED_NONE && lsched_ld(&c->word[ORDER_RAN], rlx, dev) >= c->turn_at)
		return ~urgency;
#endif
	return urgency;
}

/* One pass reads the priority of each queued item at most twice; a pass may just have begun. */
LSCHED_TASK_FN void order_wait(lsched_worker *w, const order_ctx *c)
{
	const uint32_t all = c->roots * (1 + c->children);
	const uint32_t asked = lsched_ld(&c->word[ORDER_ASKED], rlx, dev);

	for (uint32_t spins = 0;; spins++) {
		const uint32_t left = all - lsched_ld(&c->word[ORDER_RAN], rlx, dev);

		if (left < 16 || lsched_cancelled(w) ||
			lsched_ld(&c->word[ORDER_ASKED], rlx, dev) - asked >= 4 * left)
			return;
		lsched_i_relax(spins, 2);
	}
}

LSCHED_TASK_FN lsched_result order_body(
	lsched_worker *w, const order_ctx *c, lsched_no_local *l, uint32_t item)
{
	(void)l;
	if (item == c->fail_item)
		return lsched_fail(w, 9);
	if (lsched_lane() == 0) {
		c->log[lsched_add(&c->word[ORDER_RAN], 1u, rlx, dev)] = item;
		(void)lsched_add(&c->runs[item], 1u, rlx, dev);
		if (c->wait)
			order_wait(w, c);
	}
	lsched_sync_worker();
	if (item < c->roots)
		for (uint32_t base = 0; base < c->children; base += LSCHED_LANES)
			lsched_spawn_lanes(w, c->roots + item * c->children + base + lsched_lane(),
				base + lsched_lane() < c->children);
	return LSCHED_DONE;
}

/* ---- urgent: the wavefront of graph.h, its lower left corner first ---- */

LSCHED_FN uint32_t urgent_priority(const graph_ctx *c, uint32_t task)
{
	return graph_where(c, task).y;
}

/* ---- knapsack: the 0/1 problem by branch and bound, the most promising node first ---- */

enum { KNAPSACK_ITEMS = 32, KNAPSACK_FULL = 77 };
enum { KNAPSACK_BEST, KNAPSACK_NODES, KNAPSACK_EXPANDED, KNAPSACK_SINK, KNAPSACK_WORDS };

typedef struct knapsack_node {
	uint32_t level; /* items before it are decided */
	uint32_t value, room;
	uint32_t bound; /* upper bound of the values of its leaves */
} knapsack_node;

typedef struct knapsack_ctx {
	uint32_t value[KNAPSACK_ITEMS],
		weight[KNAPSACK_ITEMS]; /* by value for weight, largest first */
	uint32_t room;
	uint32_t work; /* length of a task in steps of arithmetic, beside the search itself */
	uint32_t node_max;
	knapsack_node *node; /* an item is an index; 0 is the root */
	uint32_t *word;
} knapsack_ctx;

/* Upper bound: the remaining room is filled in order, with a fraction of the last item. */
LSCHED_FN uint32_t knapsack_bound(
	const knapsack_ctx *c, uint32_t level, uint32_t value, uint32_t room)
{
	for (; level < KNAPSACK_ITEMS && c->weight[level] <= room; level++) {
		room -= c->weight[level];
		value += c->value[level];
	}
	return level < KNAPSACK_ITEMS ? value + room * c->value[level] / c->weight[level] : value;
}

LSCHED_FN uint32_t knapsack_priority(const knapsack_ctx *c, uint32_t item)
{
	return item ? c->node[item].bound : LSCHED_NONE;
}

/* Called by one lane. Returns a new node if its bound exceeds the best value, else LSCHED_NONE. */
LSCHED_TASK_FN uint32_t knapsack_branch(
	const knapsack_ctx *c, uint32_t level, uint32_t value, uint32_t room, uint32_t best)
{
	const uint32_t bound = knapsack_bound(c, level, value, room);
	uint32_t i;

	if (bound <= best || level == KNAPSACK_ITEMS)
		return LSCHED_NONE;
	i = lsched_add(&c->word[KNAPSACK_NODES], 1u, rlx, dev) + 1;
	if (i >= c->node_max)
		return LSCHED_NONE - 1;
	c->node[i].level = level;
	c->node[i].value = value;
	c->node[i].room = room;
	c->node[i].bound = bound;
	return i;
}

LSCHED_TASK_FN lsched_result knapsack_body(
	lsched_worker *w, const knapsack_ctx *c, lsched_no_local *l, uint32_t item)
{
	uint32_t with = LSCHED_NONE, without = LSCHED_NONE, x = item + 1;

	(void)l;
	for (uint32_t k = 0; k < c->work; k++)
		x = graph_hash(x);
	if (x == 1) /* so that the compiler cannot remove the work */
		lsched_add(&c->word[KNAPSACK_SINK], 1u, rlx, dev);
	if (lsched_lane() == 0) {
		const uint32_t level = item ? c->node[item].level : 0;
		const uint32_t room = item ? c->node[item].room : c->room;
		uint32_t value = item ? c->node[item].value : 0;
		uint32_t best = lsched_ld(&c->word[KNAPSACK_BEST], rlx, dev);

		if (!item || c->node[item].bound > best) {
			(void)lsched_add(&c->word[KNAPSACK_EXPANDED], 1u, rlx, dev);
			if (c->weight[level] <= room) {
				value += c->value[level];
				while (best < value && !lsched_cas(&c->word[KNAPSACK_BEST], &best,
							       value, rlx, dev))
					;
				best = best < value ? value : best;
				with = knapsack_branch(
					c, level + 1, value, room - c->weight[level], best);
				value -= c->value[level];
			}
			without = knapsack_branch(c, level + 1, value, room, best);
		}
	}
	with = lsched_bcast(with);
	without = lsched_bcast(without);
	if (with == LSCHED_NONE - 1 || without == LSCHED_NONE - 1)
		return lsched_fail(w, KNAPSACK_FULL);
	if (with != LSCHED_NONE)
		lsched_spawn(w, with);
	if (without != LSCHED_NONE)
		lsched_spawn(w, without);
	return LSCHED_DONE;
}

#define PRIO_QUEUES(Y, X) Y(X, RING, ring) Y(X, PRIO, prio)
#endif

#ifdef PRIO_PROGRAMS
#define LSCHED_NAME                 order
#define LSCHED_CTX                  order_ctx
#define LSCHED_BODY                 order_body
#define LSCHED_PRIORITY             order_priority
#define LSCHED_PROGRAM_QUEUES(Y, X) PRIO_QUEUES(Y, X)
#include <libsched/generate.h>

#define LSCHED_NAME                 urgent
#define LSCHED_CTX                  graph_ctx
#define LSCHED_LOCAL                graph_local
#define LSCHED_BODY                 graph_body
#define LSCHED_RULE                 graph_rule
#define LSCHED_PRIORITY             urgent_priority
#define LSCHED_PROGRAM_QUEUES(Y, X) PRIO_QUEUES(Y, X)
#include <libsched/generate.h>

#define LSCHED_NAME                 knapsack
#define LSCHED_CTX                  knapsack_ctx
#define LSCHED_BODY                 knapsack_body
#define LSCHED_PRIORITY             knapsack_priority
#define LSCHED_PROGRAM_QUEUES(Y, X) PRIO_QUEUES(Y, X)
#include <libsched/generate.h>
#endif
