/* Functions for the bodies of item programs. C11 and CUDA, the same source.
 *
 * A task of <libsched/generate.h> is a number that a whole worker processes. An *item* is a small
 * record defined by the program (4 to 64 bytes), which another item creates while the program runs.
 * The grain is the number of threads that execute one item (LSCHED_GRAIN in
 * <libsched/generate_items.h>):
 *	lane	a single lane: 32 items of one procedure are popped and run together
 *	warp	all lanes of a warp together
 *	block	all lanes of several warps together
 * On the CPU one thread executes an item, alone.
 *
 * Items wait in a stack in the worker's fast memory (shared memory on the GPU), newest first, so
 * that a tree is traversed depth first and needs little memory. Items that do not fit into the
 * stack stay with their worker in chunks of up to 32 items, oldest first. Only chunks that another
 * worker has requested go through the run's queue; the worker enqueues the oldest, because the
 * oldest items represent the largest subtrees.
 *
 * Every call but lsched_sync_item may be called by any lane, in divergent code. */
#ifndef LIBSCHED_ITEMS_H
#define LIBSCHED_ITEMS_H

#include <libsched/task.h>
#include "libsched/items/local.h"
#include "libsched/items/join.h"

/* Declares `items_type`, the type that a body's first argument points to, for programs whose items
 * are of `item_type`: plain data of 4, 8, .. 64 bytes. Must precede the bodies; programs with the
 * same items may share it:
 *	typedef struct board { uint32_t columns, left, right, row; } board;
 *	LSCHED_DECLARE_ITEMS(board_items, board);
 * lsched_emit and lsched_fork_then accept pointers to `item_type` only; any other is a compile
 * error. */
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

/* Creates an item of procedure `proc` (0 .. LSCHED_PROCS-1), a copy of *item. An item may create up
 * to LSCHED_MAX_SPAWN items; one more fails the run.
 *	void lsched_emit(x, uint32_t proc, const item_type *item) */
#define lsched_emit(x, proc, item) \
	lsched_i_emit(&(x)->any, (proc), LSCHED_I_ITEM_OF(x, item), LSCHED_I_ITEM_WORDS(x))

/* The number of this thread among those that execute the item, and their count: 1 for a lane item,
 * 32 for a warp item, 32 x LSCHED_GROUP_WARPS for a block item; always 0 and 1 on the CPU.
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

/* A barrier of all threads of a warp or block item: writes before it are visible to all of them
 * after it. All of them must call it, equally often, also when one of them is going to fail; a lane
 * item must not call it.
 *	void lsched_sync_item(x) */
#define lsched_sync_item(x) lsched_i_sync_item(&(x)->any)

/* ---- fork and join ----
 *
 * A *join* waits for the values of n children and reduces them (LSCHED_REDUCE: sum, min, max, or a
 * function). The parent creates it and passes its handle to the children in their items. Each
 * child, or an item that the child passes the handle on to, returns a value to the join exactly
 * once. After the last one the reduced value is returned to the parent's own join (lsched_fork), or
 * a continuation is emitted that reads it (lsched_fork_then, lsched_join_take). The value returned
 * to LSCHED_JOIN_ROOT is the result of the run: lsched_stats.value.
 *
 * All writes of a child before its return are visible to the continuation. */

/* Creates a join of n children (1 .. 2^31-1) whose value is returned to `parent`. Returns its
 * handle, or LSCHED_JOIN_NONE when all are in use (lsched_run_options.max_joins): the run then
 * fails, and the body should return.
 *	uint32_t lsched_fork(x, uint32_t n, uint32_t parent) */
#define lsched_fork(x, n, parent) lsched_i_join_new(&(x)->any, (n), (parent))

/* The same, but the last child to return emits a copy of *item, of procedure `proc`. item_set_join
 * points to the field of *item that receives the join's handle, or is NULL.
 *	uint32_t lsched_fork_then(x, uint32_t n, uint32_t proc, item_type *item,
 *	                          uint32_t *item_set_join) */
#define lsched_fork_then(x, n, proc, item, item_set_join)                                      \
	lsched_i_join_then(&(x)->any, (n), (proc), LSCHED_I_ITEM_OF(x, item), (item_set_join), \
		LSCHED_I_ITEM_WORDS(x))

/* Returns a value to a join. The last return may emit the continuation, which counts as an item
 * created by this one.
 *	void lsched_return(x, uint32_t join, uint64_t value) */
#define lsched_return(x, join, value) lsched_i_join_return(&(x)->any, (join), (value))

/* In a continuation: returns the reduced value and frees the handle; once.
 *	uint64_t lsched_join_take(x, uint32_t join) */
#define lsched_join_take(x, join) lsched_i_join_take(&(x)->any, (join))

#endif
