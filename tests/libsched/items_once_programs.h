/* Item programs of the tests of lsched_run_once_with() and of the operations of <libsched/task.h>,
 * whose examples they contain. Item i adds its number to the results by each atomic; warp items use
 * the operations of lanes. The file that includes this one defines ITEMS_ONCE_PROGRAMS first to
 * generate them. */
#ifndef TESTS_LIBSCHED_ITEMS_ONCE_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_ONCE_PROGRAMS_H

#include <libsched/items.h>
#include <libsched/stream.h>

LSCHED_DECLARE_STREAM(once_hits, uint32_t);

typedef struct once_ctx {
	const uint32_t *weight; /* of each item */
	uint32_t *count;        /* [0]: items; [1]: OR, [2]: AND of the weights */
	uint64_t *best;         /* [0]: maximum, [1]: minimum, [2]: sum of squares */
	once_hits hits;         /* the odd weights */
	uint32_t append;        /* 0: none */
} once_ctx;

LSCHED_DECLARE_ITEMS(once_items, uint32_t);

LSCHED_FN uint32_t once_root(const once_ctx *c, uint32_t i, uint32_t *item)
{
	(void)c;
	*item = i;
	return 0;
}

LSCHED_FN uint64_t once_combine(uint64_t sum, uint64_t value)
{
	return sum + value * value;
}

LSCHED_TASK_FN lsched_result once_lane(
	once_items *x, const once_ctx *c, lsched_no_local *local, uint32_t proc, uint32_t i)
{
	const uint32_t w = c->weight[i];
	const uint64_t value = w;
	uint64_t old;

	(void)local, (void)proc;
	(void)lsched_add(c->count, 1u, rlx, dev);
	(void)lsched_or(c->count + 1, w, rlx, dev);
	(void)lsched_and(c->count + 2, w, rlx, dev);
	if (lsched_max(c->best, value, rlx, dev) < value && lsched_ld(c->best, rlx, dev) < value)
		return lsched_items_fail(x, 1);
	if (lsched_min(c->best + 1, value, rlx, dev) > value &&
		lsched_ld(c->best + 1, rlx, dev) > value)
		return lsched_items_fail(x, 2);
	old = lsched_ld(c->best + 2, rlx, dev);
	while (!lsched_cas(c->best + 2, &old, once_combine(old, value), rlx, dev))
		;
	if (c->append && w % 2)
		(void)once_hits_append(&c->hits, &w, 1);
	return LSCHED_DONE;
}

typedef struct once_local {
	uint32_t row[32];
} once_local;

/* Counts the weights that differ from the first one of 32. */
LSCHED_TASK_FN lsched_result once_warp(
	once_items *x, const once_ctx *c, once_local *local, uint32_t proc, uint32_t i)
{
	uint32_t first, differ = 0;

	(void)proc;
	for (uint32_t k = lsched_lane(); k < 32; k += LSCHED_LANES)
		local->row[k] = c->weight[32 * i + k];
	lsched_sync_worker();
	first = lsched_bcast(local->row[0]);
	for (uint32_t k = 0; k < 32; k += LSCHED_LANES)
		differ += lsched_popcount(
			(uint32_t)lsched_ballot(local->row[k + lsched_lane()] != first));
	lsched_sync_worker();
	if (lsched_thread(x) == 0)
		lsched_return(x, LSCHED_JOIN_ROOT, differ);
	return LSCHED_DONE;
}
#endif

#ifdef ITEMS_ONCE_PROGRAMS
#define LSCHED_NAME                 oncelane
#define LSCHED_CTX                  once_ctx
#define LSCHED_ITEMS                once_items
#define LSCHED_ROOT                 once_root
#define LSCHED_BODY                 once_lane
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME                 oncewarp
#define LSCHED_CTX                  once_ctx
#define LSCHED_ITEMS                once_items
#define LSCHED_ROOT                 once_root
#define LSCHED_BODY                 once_warp
#define LSCHED_LOCAL                once_local
#define LSCHED_GRAIN                warp
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>
#endif
