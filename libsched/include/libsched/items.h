/* What the body of an item program may call. C11 and CUDA, the same text.
 *
 * Where a task of <libsched/generate.h> is a number that a whole worker works on, an *item* is a small
 * record of the program's own (4 to 64 bytes) that is made by another item while the program runs. Its
 * grain says who works on it (LSCHED_GRAIN in <libsched/generate_items.h>):
 *	lane	a single lane: 32 items of one procedure are popped and run together
 *	warp	all lanes of a warp together
 *	block	all lanes of several warps together
 * On the CPU an item is run by a thread, alone.
 *
 * Items wait in a stack in the worker's fast memory (shared memory on the GPU), newest first, so that
 * a tree is walked depth first and needs little room. What a stack has no room for its worker keeps in
 * chunks of up to 32 items, oldest first. Only what another worker has asked for goes through the run's
 * queue: a chunk again, the oldest, because the oldest items stand for the largest subtrees.
 *
 * Every function but lsched_sync_item may be called by any lane, in divergent code. */
#ifndef LIBSCHED_ITEMS_H
#define LIBSCHED_ITEMS_H

#include <libsched/task.h>
#include "libsched/items/local.h"
#include "libsched/items/join.h"

/* Makes an item of procedure `proc` (0 .. LSCHED_PROCS-1); *item is of the program's LSCHED_ITEM. An item
 * may make up to LSCHED_MAX_SPAWN items; one more fails the run. */
#define lsched_emit(x, proc, item) \
	lsched_i_emit((x), (proc), (item), (uint32_t)(sizeof(*(item)) / sizeof(uint32_t)))

/* This thread's number among those that work on the item together, and their number: 1 for a lane item,
 * 32 for a warp's, 32 x LSCHED_GROUP_WARPS for a block's; always 0 and 1 on the CPU. */
LSCHED_FN uint32_t lsched_thread(const lsched_items *x)
{
	return x->thread;
}
LSCHED_FN uint32_t lsched_threads(const lsched_items *x)
{
	return x->threads;
}

/* The worker, for lsched_worker_index and lsched_cancelled. */
LSCHED_FN lsched_worker *lsched_items_worker(lsched_items *x)
{
	return x->w;
}

/* `return lsched_items_fail(x, code);` */
LSCHED_FN lsched_result lsched_items_fail(lsched_items *x, int code)
{
	x->w->fail_code = code;
	return LSCHED_FAIL;
}

/* All threads of a warp's or a block's item meet: what one wrote before, all see after. All of them
 * must call it, equally often, also when one of them is going to fail; a lane item must not. */
LSCHED_WORKER_FN void lsched_sync_item(lsched_items *x)
{
#ifdef __CUDACC__
	if (x->threads > 32)
		lsched_i_group_sync(x->w->pair, x->threads);
	else
		__syncwarp();
#else
	(void)x;
#endif
}

/* ---- fork and join ----
 *
 * A *join* waits for the values of n children and reduces them (LSCHED_REDUCE: sum, min, max, or a
 * function). The parent makes it, gives its handle to the children in their items, and each child, or
 * whoever the child hands the duty on to, returns a value to it exactly once. When the last has come,
 * the reduced value goes up to the parent's own join (lsched_fork), or a continuation is emitted that
 * picks it up (lsched_fork_then, lsched_join_take). What is returned to LSCHED_JOIN_ROOT is the run's own:
 * lsched_stats.value.
 *
 * All that a child wrote before it returned is visible to the continuation. */

/* A join of n children (1 .. 2^31-1) whose value goes up to `parent`. Returns its handle, or
 * LSCHED_JOIN_NONE when there is none left (lsched_run_options.max_joins): the run then fails, and the
 * body should return. */
LSCHED_WORKER_FN uint32_t lsched_fork(lsched_items *x, uint32_t n, uint32_t parent)
{
	return lsched_i_join_new(x, n, parent);
}

/* The same, but the last child to return emits *item, of procedure `proc`; item_set_join is a pointer
 * into *item, at the field that receives the join's handle, or NULL. */
#define lsched_fork_then(x, n, proc, item, item_set_join)             \
	lsched_i_join_then((x), (n), (proc), (item), (item_set_join), \
		(uint32_t)(sizeof(*(item)) / sizeof(uint32_t)))

/* Returns a value to a join. Completing it may emit its continuation, which counts as an item made. */
LSCHED_WORKER_FN void lsched_return(lsched_items *x, uint32_t join, uint64_t value)
{
	lsched_i_join_return(x, join, value);
}

/* In a continuation: the reduced value; the handle is free for reuse after this, once. */
LSCHED_WORKER_FN uint64_t lsched_join_take(lsched_items *x, uint32_t join)
{
	return lsched_i_join_take(x, join);
}

#endif
