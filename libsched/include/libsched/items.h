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
 * Items of grain block are few and long: after each of them the worker enqueues as many items as
 * idle workers have requested, a chunk each, and keeps one.
 *
 * Every call but lsched_sync_item may be called by any lane, in divergent code. */
#ifndef LIBSCHED_ITEMS_H
#define LIBSCHED_ITEMS_H

#include <libsched/task.h>
#include "libsched/core/template.h"
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
		unsigned char (*table)[1];            \
	} items_type

/* 1 if x is of LSCHED_DECLARE_PROCEDURES, else 0. */
#define LSCHED_I_TABLE_OF(x) ((uint32_t)sizeof(*(x)->table) - 1u)

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

/* Declares the procedures of a program (LSCHED_PROCEDURES in <libsched/generate_items.h>) from a
 * table, where each has a grain, a type of items, a body and outputs of its own:
 *	#define SHAPES(Y, P)                                                               \
 *		Y(P, split, lane, split_item, split_body,                                  \
 *			LSCHED_TO(split, 2) LSCHED_TO(grid, 1))                            \
 *		Y(P, grid, warp, grid_item, grid_body, 0)
 *	LSCHED_DECLARE_PROCEDURES(shapes, SHAPES);
 * declares the type `shapes` that the first argument of the bodies points to, the numbers of the
 * procedures, shapes_proc_split = 0 and shapes_proc_grid = 1, and their count, shapes_procs (at
 * most 8). Must precede the bodies. LSCHED_TO(p, n): an item of this procedure emits at most n
 * items to p in one turn; a continuation that it completes counts. 0 instead: it emits none. More
 * fail the run; those of the lane items of a batch are checked together. */
#define LSCHED_DECLARE_PROCEDURES(items_type, TABLE)                                            \
	enum items_type##_procedure{ TABLE(LSCHED_I_P_NUMBER, items_type) items_type##_procs }; \
	typedef union items_type {                                                              \
		lsched_i_items any;                                                             \
		/* never set: these carry the types and numbers */                              \
		unsigned char (*table)[2];                                                      \
		TABLE(LSCHED_I_P_MEMBERS, items_type)                                           \
	} items_type

#define LSCHED_TO(procedure, most)                                                \
	+((uint32_t)LSCHED_I_CAT(LSCHED_ITEMS, _proc_##procedure) == (LSCHED_I_Q) \
			? (uint32_t)(most)                                        \
			: 0u)

#define LSCHED_I_P_NUMBER(P, name, grain, type, body, outputs) P##_proc_##name,
#define LSCHED_I_P_MEMBERS(P, name, grain, type, body, outputs) \
	type *item_##name;                                      \
	const type *const_item_##name;                          \
	unsigned char(*number_##name)[P##_proc_##name + 1];
#define LSCHED_I_NUMBER_OF(x, name) ((uint32_t)sizeof(*(x)->number_##name) - 1u)
#define LSCHED_I_WORDS_OF(x, name)  ((uint32_t)(sizeof(*(x)->item_##name) / sizeof(uint32_t)))
/* `pointer`, if it points to an item of the procedure. */
#ifdef __cplusplus
#define LSCHED_I_ITEM_FOR(x, name, pointer) (decltype((x)->const_item_##name){ pointer })
#else
#define LSCHED_I_ITEM_FOR(x, name, pointer)                      \
	_Generic((pointer), __typeof__((x)->item_##name)         \
		 : (pointer), __typeof__((x)->const_item_##name) \
		 : (pointer))
#endif

/* ---- calls of a body; x is its first argument ---- */

/* Creates an item of procedure `proc` (0 .. LSCHED_PROCS-1), a copy of *item. An item may create up
 * to LSCHED_MAX_SPAWN items; one more fails the run.
 *	void lsched_emit(x, uint32_t proc, const item_type *item) */
#define lsched_emit(x, proc, item) \
	lsched_i_emit(&(x)->any, (proc), LSCHED_I_ITEM_OF(x, item), LSCHED_I_ITEM_WORDS(x))

/* With LSCHED_PROCEDURES, instead of lsched_emit: creates an item of the procedure with this name.
 *	void lsched_emit_to(x, NAME, const type_of_its_items *item) */
#define lsched_emit_to(x, procedure, item)                            \
	lsched_i_emit_to(&(x)->any, LSCHED_I_NUMBER_OF(x, procedure), \
		LSCHED_I_ITEM_FOR(x, procedure, item), LSCHED_I_WORDS_OF(x, procedure))

/* With LSCHED_PROCEDURES: keeps the item, of the body's own procedure, with its progress in *item.
 * It runs again in a later turn. At most once for each item and turn; not counted in the outputs.
 *	void lsched_continue(x, NAME, const type_of_its_items *item) */
#define lsched_continue(x, procedure, item) lsched_emit_to(x, procedure, item)

/* With LSCHED_PROCEDURES: returns how many items of the procedure the body may emit in this turn:
 * at least the number of LSCHED_TO, and more if the stack and the procedure's capacity have room.
 * An item with many outputs emits so many, and continues. The value does not change during the
 * turn. 0 for a procedure that the table does not name as output.
 *	uint32_t lsched_room(x, NAME) */
#define lsched_room(x, procedure) lsched_i_room(&(x)->any, LSCHED_I_NUMBER_OF(x, procedure))

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

/* `return LSCHED_AGAIN;` in a program with LSCHED_REPEATS: the
 * item has not finished. It goes back to its worker, unchanged, and is run again after items of
 * other procedures that the worker finds. It counts as an item created by this one, but not in
 * lsched_stats.tasks. All threads of a warp or block item return it. When no item of a run finishes
 * for timeout_ms, the run fails. In other programs AGAIN is a failure. */

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
 * All writes of a child before its return are visible to the continuation.
 *
 * A run that ends with open joins fails (LSCHED_ERR_TASK_FAILED): a child has not returned, or the
 * continuation has not taken the value; the message names the procedure that made the join. So does
 * a run where more values are returned to a join than it has children, and one that forks in a
 * program without LSCHED_JOINS (LSCHED_ERR_UNSUPPORTED). */

/* Creates a join of n children (1 .. 2^29-1) whose value is returned to `parent`. Returns its
 * handle, or LSCHED_JOIN_NONE when all are in use (lsched_run_options.max_joins): the run then
 * fails, and the body should return.
 *	uint32_t lsched_fork(x, uint32_t n, uint32_t parent) */
#define lsched_fork(x, n, parent) lsched_i_join_new(&(x)->any, (n), (parent))

/* The same, but the join returns the complement of its value, ~v, to `parent`. With
 * LSCHED_REDUCE_MAX, a join of this kind for each position of a game of two players, and leaves
 * that return the complement of their value, this is negamax: a position's value is the largest
 * complement of a value of its children, and the root's value is that of the player to move.
 *	uint32_t lsched_fork_not(x, uint32_t n, uint32_t parent) */
#define lsched_fork_not(x, n, parent) lsched_i_join_new_not(&(x)->any, (n), (parent))

/* The same as lsched_fork, but the last child to return emits a copy of *item, of procedure
 * `proc`. item_set_join points to the field of *item that receives the join's handle, or is NULL.
 *	uint32_t lsched_fork_then(x, uint32_t n, uint32_t proc, item_type *item,
 *	                          uint32_t *item_set_join) */
#define lsched_fork_then(x, n, proc, item, item_set_join)                                      \
	lsched_i_join_then(&(x)->any, (n), (proc), LSCHED_I_ITEM_OF(x, item), (item_set_join), \
		LSCHED_I_ITEM_WORDS(x))

/* The same with LSCHED_PROCEDURES: the continuation is an item of the procedure with this name.
 *	uint32_t lsched_fork_then_to(x, uint32_t n, NAME, type_of_its_items *item,
 *	                             uint32_t *item_set_join) */
#define lsched_fork_then_to(x, n, procedure, item, item_set_join)            \
	lsched_i_join_then(&(x)->any, (n), LSCHED_I_NUMBER_OF(x, procedure), \
		LSCHED_I_ITEM_FOR(x, procedure, item), (item_set_join),      \
		LSCHED_I_WORDS_OF(x, procedure))

/* Returns a value to a join. The last return may emit the continuation, which counts as an item
 * created by this one.
 *	void lsched_return(x, uint32_t join, uint64_t value) */
#define lsched_return(x, join, value) \
	lsched_i_join_return(&(x)->any, LSCHED_I_TABLE_OF(x), (join), (value))

/* Bounds. An item that has not returned yet may read the joins above it: its own, and from there
 * up; all of them are in use until it returns.
 *
 * lsched_join_peek returns a join's value so far: the reduction of the values that have been
 * returned to it, or the neutral value. A maximum only grows, a minimum only falls. A relaxed load:
 * it may be out of date, and other writes of the children need not be visible. LSCHED_JOIN_ROOT:
 * the neutral value.
 *	uint64_t lsched_join_peek(x, uint32_t join)
 * lsched_join_up returns the join that a join returns its value to; LSCHED_JOIN_ROOT at the top,
 * which is also above a join with a continuation.
 *	uint32_t lsched_join_up(x, uint32_t join) */
#define lsched_join_peek(x, join) lsched_i_join_peek(&(x)->any, (join))
#define lsched_join_up(x, join)   lsched_i_join_up(&(x)->any, (join))

/* In a continuation: returns the reduced value and frees the handle; once.
 *	uint64_t lsched_join_take(x, uint32_t join) */
#define lsched_join_take(x, join) lsched_i_join_take(&(x)->any, (join))

#endif
