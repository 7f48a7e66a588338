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
 * Every call but lsched_sync_item may be called by any lane, in divergent code. */
#ifndef LIBSCHED_ITEMS_H
#define LIBSCHED_ITEMS_H

#include <libsched/task.h>
#include "libsched/items/local.h"
#include "libsched/items/join.h"

/* Declares `items_type`, the type that a body's first argument points to, for programs whose items are
 * of `item_type`: plain data of 4, 8, .. 64 bytes. Stands in front of the bodies; programs with the same
 * items may share it:
 *	typedef struct board { uint32_t columns, left, right, row; } board;
 *	LSCHED_DECLARE_ITEMS(board_items, board);
 * lsched_emit and lsched_fork_then accept pointers to `item_type` only; any other is a compile error. */
#define LSCHED_DECLARE_ITEMS(items_type, item_type)   \
	typedef item_type items_type##_item;          \
	typedef union items_type {                    \
		lsched_i_items any;                   \
		/* never set: these carry the type */ \
		items_type##_item *item;              \
		const items_type##_item *const_item;  \
	} items_type

#define LSCHED_I_ITEM_WORDS(x) ((uint32_t)(sizeof(*(x)->item) / sizeof(uint32_t)))
/* `pointer`, if it points to an item of x. */
#ifdef __cplusplus
#define LSCHED_I_ITEM_OF(x, pointer) (decltype((x)->const_item){ pointer })
#else
#define LSCHED_I_ITEM_OF(x, pointer)                      \
	_Generic((pointer), __typeof__((x)->item)         \
		 : (pointer), __typeof__((x)->const_item) \
		 : (pointer))
#endif

/* ---- calls of a body; x is its first argument ---- */

/* Makes an item of procedure `proc` (0 .. LSCHED_PROCS-1), a copy of *item. An item may make up to
 * LSCHED_MAX_SPAWN items; one more fails the run.
 *	void lsched_emit(x, uint32_t proc, const item_type *item) */
#define lsched_emit(x, proc, item) \
	lsched_i_emit(&(x)->any, (proc), LSCHED_I_ITEM_OF(x, item), LSCHED_I_ITEM_WORDS(x))

/* This thread's number among those that work on the item together, and their number: 1 for a lane item,
 * 32 for a warp's, 32 x LSCHED_GROUP_WARPS for a block's; always 0 and 1 on the CPU.
 *	uint32_t lsched_thread(x)
 *	uint32_t lsched_threads(x) */
#define lsched_thread(x)  ((uint32_t)(x)->any.thread)
#define lsched_threads(x) ((uint32_t)(x)->any.threads)

/* The worker, for lsched_worker_index and lsched_cancelled.
 *	lsched_worker *lsched_items_worker(x) */
#define lsched_items_worker(x) ((lsched_worker *)(x)->any.w)

/* `return lsched_items_fail(x, code);`
 *	lsched_result lsched_items_fail(x, int code) */
#define lsched_items_fail(x, code) lsched_fail(lsched_items_worker(x), (code))

/* A barrier of all threads of a warp's or a block's item: what one wrote before, all see after. All of
 * them must call it, equally often, also when one of them is going to fail; a lane item must not.
 *	void lsched_sync_item(x) */
#define lsched_sync_item(x) lsched_i_sync_item(&(x)->any)

/* ---- fork and join ----
 *
 * A *join* waits for the values of n children and reduces them (LSCHED_REDUCE: sum, min, max, or a
 * function). The parent makes it and passes its handle to the children in their items. Each child, or an
 * item that the child passes the handle on to, returns a value to the join exactly once. After the last
 * one the reduced value is returned to the parent's own join (lsched_fork), or a continuation is emitted
 * that reads it (lsched_fork_then, lsched_join_take). What is returned to LSCHED_JOIN_ROOT is the run's own:
 * lsched_stats.value.
 *
 * All that a child wrote before it returned is visible to the continuation. */

/* Makes a join of n children (1 .. 2^31-1) whose value is returned to `parent`. Returns its handle, or
 * LSCHED_JOIN_NONE when there is none left (lsched_run_options.max_joins): the run then fails, and the
 * body should return.
 *	uint32_t lsched_fork(x, uint32_t n, uint32_t parent) */
#define lsched_fork(x, n, parent) lsched_i_join_new(&(x)->any, (n), (parent))

/* The same, but the last child to return emits a copy of *item, of procedure `proc`. item_set_join points
 * to the field of *item that receives the join's handle, or is NULL.
 *	uint32_t lsched_fork_then(x, uint32_t n, uint32_t proc, item_type *item, uint32_t *item_set_join) */
#define lsched_fork_then(x, n, proc, item, item_set_join)                                      \
	lsched_i_join_then(&(x)->any, (n), (proc), LSCHED_I_ITEM_OF(x, item), (item_set_join), \
		LSCHED_I_ITEM_WORDS(x))

/* Returns a value to a join. The last one may emit its continuation, which counts as an item made.
 *	void lsched_return(x, uint32_t join, uint64_t value) */
#define lsched_return(x, join, value) lsched_i_join_return(&(x)->any, (join), (value))

/* In a continuation: returns the reduced value and frees the handle; once.
 *	uint64_t lsched_join_take(x, uint32_t join) */
#define lsched_join_take(x, join) lsched_i_join_take(&(x)->any, (join))

#endif
