/* Programs of the tests of queues with priorities, the same text for threads and for a device: items whose
 * order is written down, a graph with urgent corners, and a best-first search. The file that includes
 * this one defines PRIO_PROGRAMS first to generate them. */
#ifndef TESTS_PRIO_PROGRAM_H
#define TESTS_PRIO_PROGRAM_H

#include "tests/sched_graph.h"

/* ---- order: roots with children, each with an urgency ---- */

enum { ORDER_RAN, ORDER_ASKED, ORDER_WORDS };

typedef struct order_ctx {
	uint32_t roots, children; /* root r spawns items roots + r * children + 0 .. children-1 */
	uint32_t turn_at; /* when so many have run the least urgent come first; NONE: never */
	uint32_t wait;    /* a body waits until the queue has been gone over */
	uint32_t fail_item;
	uint32_t *urgency; /* of each item */
	uint32_t *log;     /* items in the order in which they ran */
	uint32_t *runs;    /* of each item */
	uint32_t *word;    /* ORDER_... */
} order_ctx;

SCHED_FN uint32_t order_priority(const order_ctx *c, uint32_t item)
{
	const uint32_t urgency = c->urgency[item];

#if SCHED__IN_WORKER
	if (c->wait)
		(void)sched_add(&c->word[ORDER_ASKED], 1u, rlx, dev);
	if (c->turn_at != SCHED_NONE && sched_ld(&c->word[ORDER_RAN], rlx, dev) >= c->turn_at)
		return ~urgency;
#endif
	return urgency;
}

/* In one pass each waiting item is asked about twice at most; a pass may just have begun. */
SCHED_TASK_FN void order_wait(sched_worker *w, const order_ctx *c)
{
	const uint32_t all = c->roots * (1 + c->children);
	const uint32_t asked = sched_ld(&c->word[ORDER_ASKED], rlx, dev);

	for (uint32_t spins = 0;; spins++) {
		const uint32_t left = all - sched_ld(&c->word[ORDER_RAN], rlx, dev);

		if (left < 16 || sched_cancelled(w) ||
			sched_ld(&c->word[ORDER_ASKED], rlx, dev) - asked >= 4 * left)
			return;
		sched__relax(spins, 2);
	}
}

SCHED_TASK_FN sched_result order_body(
	sched_worker *w, const order_ctx *c, sched_no_local *l, uint32_t item)
{
	(void)l;
	if (item == c->fail_item)
		return sched_fail(w, 9);
	if (sched_lane() == 0) {
		c->log[sched_add(&c->word[ORDER_RAN], 1u, rlx, dev)] = item;
		(void)sched_add(&c->runs[item], 1u, rlx, dev);
		if (c->wait)
			order_wait(w, c);
	}
	sched_sync_worker();
	if (item < c->roots)
		for (uint32_t base = 0; base < c->children; base += SCHED_LANES)
			sched_spawn_lanes(w, c->roots + item * c->children + base + sched_lane(),
				base + sched_lane() < c->children);
	return SCHED_DONE;
}

/* ---- urgent: the wavefront of sched_graph.h, its lower left corner first ---- */

SCHED_FN uint32_t urgent_priority(const graph_ctx *c, uint32_t task)
{
	return graph_where(c, task).y;
}

/* ---- sack: the 0/1 knapsack problem by branch and bound, the most promising node first ---- */

enum { SACK_ITEMS = 32, SACK_FULL = 77 };
enum { SACK_BEST, SACK_NODES, SACK_EXPANDED, SACK_SINK, SACK_WORDS };

typedef struct sack_node {
	uint32_t level; /* items before it are decided */
	uint32_t value, room;
	uint32_t bound; /* no leaf below is worth more */
} sack_node;

typedef struct sack_ctx {
	uint32_t value[SACK_ITEMS], weight[SACK_ITEMS]; /* the best value for its weight first */
	uint32_t room;
	uint32_t work; /* length of a task in steps of arithmetic, beside the search itself */
	uint32_t node_max;
	sack_node *node; /* an item is an index; 0 is the root */
	uint32_t *word;
} sack_ctx;

/* What remains of the room filled in order, the last item in part. */
SCHED_FN uint32_t sack_bound(const sack_ctx *c, uint32_t level, uint32_t value, uint32_t room)
{
	for (; level < SACK_ITEMS && c->weight[level] <= room; level++) {
		room -= c->weight[level];
		value += c->value[level];
	}
	return level < SACK_ITEMS ? value + room * c->value[level] / c->weight[level] : value;
}

SCHED_FN uint32_t sack_priority(const sack_ctx *c, uint32_t item)
{
	return item ? c->node[item].bound : SCHED_NONE;
}

/* One lane: a node that may still beat the best, or NONE. */
SCHED_TASK_FN uint32_t sack_branch(
	const sack_ctx *c, uint32_t level, uint32_t value, uint32_t room, uint32_t best)
{
	const uint32_t bound = sack_bound(c, level, value, room);
	uint32_t i;

	if (bound <= best || level == SACK_ITEMS)
		return SCHED_NONE;
	i = sched_add(&c->word[SACK_NODES], 1u, rlx, dev) + 1;
	if (i >= c->node_max)
		return SCHED_NONE - 1;
	c->node[i].level = level;
	c->node[i].value = value;
	c->node[i].room = room;
	c->node[i].bound = bound;
	return i;
}

SCHED_TASK_FN sched_result sack_body(
	sched_worker *w, const sack_ctx *c, sched_no_local *l, uint32_t item)
{
	uint32_t with = SCHED_NONE, without = SCHED_NONE, x = item + 1;

	(void)l;
	for (uint32_t k = 0; k < c->work; k++)
		x = graph_hash(x);
	if (x == 1) /* so that the work cannot be left out */
		sched_add(&c->word[SACK_SINK], 1u, rlx, dev);
	if (sched_lane() == 0) {
		const uint32_t level = item ? c->node[item].level : 0;
		const uint32_t room = item ? c->node[item].room : c->room;
		uint32_t value = item ? c->node[item].value : 0;
		uint32_t best = sched_ld(&c->word[SACK_BEST], rlx, dev);

		if (!item || c->node[item].bound > best) {
			(void)sched_add(&c->word[SACK_EXPANDED], 1u, rlx, dev);
			if (c->weight[level] <= room) {
				value += c->value[level];
				while (best < value &&
					!sched_cas(&c->word[SACK_BEST], &best, value, rlx, dev))
					;
				best = best < value ? value : best;
				with = sack_branch(
					c, level + 1, value, room - c->weight[level], best);
				value -= c->value[level];
			}
			without = sack_branch(c, level + 1, value, room, best);
		}
	}
	with = sched_bcast(with);
	without = sched_bcast(without);
	if (with == SCHED_NONE - 1 || without == SCHED_NONE - 1)
		return sched_fail(w, SACK_FULL);
	if (with != SCHED_NONE)
		sched_spawn(w, with);
	if (without != SCHED_NONE)
		sched_spawn(w, without);
	return SCHED_DONE;
}

#define PRIO_QUEUES(Y, X) Y(X, RING, ring, lines, 0) Y(X, PRIO, prio, sorted, 256)
#endif

#ifdef PRIO_PROGRAMS
#define SCHED_NAME                 order
#define SCHED_CTX                  order_ctx
#define SCHED_BODY                 order_body
#define SCHED_PRIORITY             order_priority
#define SCHED_PROGRAM_QUEUES(Y, X) PRIO_QUEUES(Y, X)
#include <libsched/generate.h>

#define SCHED_NAME                 urgent
#define SCHED_CTX                  graph_ctx
#define SCHED_LOCAL                graph_local
#define SCHED_BODY                 graph_body
#define SCHED_RULE                 graph_rule
#define SCHED_PRIORITY             urgent_priority
#define SCHED_PROGRAM_QUEUES(Y, X) PRIO_QUEUES(Y, X)
#include <libsched/generate.h>

#define SCHED_NAME                 sack
#define SCHED_CTX                  sack_ctx
#define SCHED_BODY                 sack_body
#define SCHED_PRIORITY             sack_priority
#define SCHED_PROGRAM_QUEUES(Y, X) PRIO_QUEUES(Y, X)
#include <libsched/generate.h>
#endif
