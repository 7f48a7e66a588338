/* Functions for task bodies. C11 and CUDA, the same source.
 *
 * A *worker* runs a body: a warp on the GPU, whose LSCHED_LANES = 32 lanes all enter the body
 * together, or a CPU thread, which is one lane. All lanes call a function together, with the same
 * arguments, unless its comment says "any lane".
 *
 * Visibility: a body sees all writes of its predecessors (or its spawner), in every lane. Data that
 * its lanes write for each other needs lsched_sync_worker(). On the GPU nothing written during a
 * run may be read through __ldg, textures or `const __restrict__` pointers.
 *
 * Atomics. For words of 32 or 64 bits, unsigned, in memory that the tasks access; any lane. While
 * workers run, a word is accessed either by these or by plain accesses, never by both. p: its
 * address.
 *	lsched_ld(p, order, scope)            returns the value
 *	lsched_st(p, v, order, scope)         stores v; no value
 *	lsched_add(p, v, order, scope)        adds v; returns the value before
 *	lsched_or, lsched_and                 the same with bits
 *	lsched_max, lsched_min                the same: the larger or smaller of both stays
 *	lsched_cas(p, &expected, desired, order, scope)
 *		compares with the variable `expected`. Equal: stores `desired`, returns nonzero.
 *		Else returns 0, and `expected` becomes the value
 * order: rlx relaxed, for counters; acq acquire (loads), rel release (stores), ar both, which
 * publish other data; sc sequentially consistent. scope: blk, the threads of the block; dev, all
 * workers; sys, with the host.
 *	(void)lsched_add(c->count, 1u, rlx, dev);
 *	if (lsched_max(c->best, value, rlx, dev) < value)
 *		improved = 1;
 *	old = lsched_ld(c->sum, rlx, dev);
 *	while (!lsched_cas(c->sum, &old, foo_combine(old, value), rlx, dev))
 *		;
 *
 * Lanes. A worker has LSCHED_LANES of them: 32 on a GPU, 1 on a CPU. In lane items (whose lanes run
 * different items) only lsched_lane() may be called.
 *	lsched_lane()              number of this lane, 0 .. LSCHED_LANES-1; any lane
 *	lsched_sync_worker()       barrier: after it all lanes see what any lane wrote before
 *	lsched_bcast(v)            lane 0's 32-bit value; does not order memory
 *	lsched_ballot(predicate)   bit k: lane k's predicate is nonzero
 *	for (k = lsched_lane(); k < n; k += LSCHED_LANES)
 *		local->row[k] = foo_load(c, k);
 *	lsched_sync_worker();
 *	first = lsched_bcast(local->row[0]);
 *	any = lsched_ballot(local->row[lsched_lane()] != first);
 *
 * Bits: lsched_popcount(v), of 32 bits. */
#ifndef LIBSCHED_TASK_H
#define LIBSCHED_TASK_H

#include "libsched/core/flow.h"
#include "libsched/core/message.h"

/* A body written once for both backends: device-only under nvcc. LSCHED_FN bodies work as well. */
#define LSCHED_TASK_FN LSCHED_WORKER_FN

/* A part of a body that stays a function on a GPU. For long parts of block items: a program has its
 * body twice, for the first warp of a block and for the others, and instruction caches hold more of
 * it where the long parts are there once. Such a function gets no address of the item or worker,
 * which would then be in memory and not in registers; see lsched_range_crew in
 * <libsched/range.h>. */
#ifdef __CUDACC__
#define LSCHED_TASK_CALL_FN static __device__ __noinline__
#else
#define LSCHED_TASK_CALL_FN static inline
#endif

/* Return value of a body. The task fails if any lane returns LSCHED_FAIL. AGAIN, in item programs
 * only: the item has not finished and is run again later, see <libsched/items.h>. Values from 3 up
 * are reserved. */
typedef enum lsched_result { LSCHED_DONE = 0, LSCHED_FAIL = 1, LSCHED_AGAIN = 2 } lsched_result;

/* The program of that name in this file: for the GPU when compiled by nvcc, else for the CPU. For
 * programs of one file; a host that uses both names NAME_cpu_program and NAME_cuda_program. */
#define LSCHED_PROGRAM(name) LSCHED_I_TARGET_PROGRAM(name)

/* LSCHED_LOCAL of programs that need none; the body receives a null pointer. */
typedef struct lsched_no_local {
	unsigned char unused;
} lsched_no_local;

/* Returns the worker's number, 0..workers-1, constant during a run. Any lane. */
LSCHED_FN uint32_t lsched_worker_index(const lsched_worker *w)
{
	return w->index;
}

/* Returns the number of workers in this run. Any lane. */
LSCHED_FN uint32_t lsched_worker_count(const lsched_worker *w)
{
	return w->a->workers;
}

/* Returns the task that this worker ran immediately before in this run, whose data are therefore
 * still in the worker's LSCHED_LOCAL; LSCHED_NONE in its first task. Any lane. */
LSCHED_FN uint32_t lsched_prev(const lsched_worker *w)
{
	return w->prev;
}

/* Scheme epoch: returns the word of the k-th predecessor in the order of the rule; 0 beyond the
 * last; k < LSCHED_WORD_PREDS. */
LSCHED_WORKER_FN uint32_t lsched_word(const lsched_worker *w, uint32_t k)
{
#if LSCHED_LANES > 1
	return k == 0 ? w->word0 : k == 1 ? w->word1 : lsched_i_shfl(w->word, k);
#else
	return w->words[k];
#endif
}

/* Returns nonzero when the run has failed (another task failed, a time limit, lsched_run_cancel()):
 * a long body may then return early, with any result. Any lane; costs one load from memory. */
LSCHED_FN int lsched_cancelled(const lsched_worker *w)
{
	return lsched_ld(&w->a->state->failed.v, rlx, dev) != 0;
}

/* For bodies that run long: lsched_progress(lsched_progress_word(w)), called at intervals, counts
 * as progress for timeout_ms. The word is the worker's own, valid during the run. One lane; costs a
 * load and a store that no other worker waits for. */
LSCHED_FN uint32_t *lsched_progress_word(const lsched_worker *w)
{
	return &w->marks[2];
}

LSCHED_FN void lsched_progress(uint32_t *word)
{
	lsched_st(word, lsched_ld(word, rlx, dev) + 1u, rlx, dev);
}

/* The word that lsched_cancelled() looks at, for a part of a body that does not get the worker
 * (LSCHED_TASK_CALL_FN): lsched_ld(flag, rlx, dev) != 0. Valid during the run. Any lane. */
LSCHED_FN uint32_t *lsched_cancel_flag(const lsched_worker *w)
{
	return &w->a->state->failed.v;
}

#if LSCHED_I_GPU
/* A barrier of all warps of one worker (LSCHED_HELPER in generate.h): writes of any warp before it
 * are visible to all after it. All lanes of all. */
LSCHED_WORKER_FN void lsched_pair_sync(uint32_t pair)
{
	lsched_i_group_sync(pair & 0xffu, pair >> 8 & 0xffffu);
}

/* The number of a helper warp among those of its worker, from 1 on; 0: the warp of the body. */
LSCHED_FN uint32_t lsched_helper(uint32_t pair)
{
	return pair >> 24;
}
#endif

/* Messages between tasks, in programs with LSCHED_MESSAGES. A task sends words of 32 bits to its
 * successors. A word and the start's epoch travel in one relaxed store of 8 bytes, so a successor
 * waits for the word itself, without a flag, and the sender without a fence: a step of a chain has
 * the latency of one store and one load. Under every scheme a body receives what its predecessors,
 * direct ones or not, have sent; under static it may run before they have ended or begun, and
 * lsched_receive() waits.
 *
 *	for (uint32_t base = 0; base < N; base += LSCHED_LANES) {
 *		const uint32_t k = base + lsched_lane(), from = k < N ? pred : LSCHED_NONE;
 *
 *		if (!lsched_receive(w, from, k, lsched_poll(w, from, k), &value))
 *			return LSCHED_FAIL;
 *		...
 *	}
 *
 * The words are memory of the run: LSCHED_MESSAGES words for each task, sent at most once each in a
 * start. A task may leave out words that no task receives. */

/* Sends word k, 0..LSCHED_MESSAGES-1, of the running task. Any lane; each may send another word.
 * Relaxed: publishes no other data. */
LSCHED_WORKER_FN void lsched_send(lsched_worker *w, uint32_t task, uint32_t k, uint32_t value)
{
	lsched_st(lsched_i_message(w, task) + k, (uint64_t)w->a->epoch << 32 | value, rlx, dev);
}

/* Loads word k of the message of task `from` once, for lsched_receive(): a body that polls early
 * has the latency of the load behind it when it needs the word. LSCHED_NONE: this lane receives
 * nothing; its value is 0. Any lane. */
LSCHED_WORKER_FN uint64_t lsched_poll(const lsched_worker *w, uint32_t from, uint32_t k)
{
	return lsched_i_message_load(w, from, k);
}

/* Waits until word k of the message of task `from` has arrived, each lane with its own `from`
 * (LSCHED_NONE: none) and k; `word`: what a poll for the same word returned, or 0. Returns 0 if the
 * run has failed; the body then returns LSCHED_FAIL, soon. A run without progress within its time
 * limit fails with an error that names the task and the sender. */
LSCHED_WORKER_FN uint32_t lsched_receive(
	lsched_worker *w, uint32_t from, uint32_t k, uint64_t word, uint32_t *value)
{
	const uint32_t ok = lsched_i_message_wait(w, from, k, &word);

	*value = (uint32_t)word;
	return ok;
}

/* The message of a task, and a poll of one of its words by its address: for the helper warps of a
 * program with LSCHED_HELPER, which have no lsched_worker. The body passes address and epoch to
 * them in LSCHED_LOCAL, and what they have polled to lsched_receive(). A word has arrived if its
 * upper half is the epoch. Any lane. */
LSCHED_WORKER_FN uint64_t *lsched_message(const lsched_worker *w, uint32_t task)
{
	return lsched_i_message(w, task);
}

LSCHED_WORKER_FN uint64_t lsched_message_poll(uint64_t *word)
{
	return lsched_ld(word, rlx, dev);
}

/* Returns the number of the start, never 0; the same for all workers. Any lane. */
LSCHED_FN uint32_t lsched_epoch(const lsched_worker *w)
{
	return w->a->epoch;
}

/* Returns the task that this worker runs immediately after this one, if that is certain: under
 * static, in programs with LSCHED_MESSAGES, the next of the chain. Else LSCHED_NONE. For polls in
 * advance. Any lane. */
LSCHED_FN uint32_t lsched_next(const lsched_worker *w)
{
	return w->next_task;
}

/* `return lsched_fail(w, code);` lsched_run_error_code() returns the code. Any lane; if several
 * lanes fail, the code of the lowest lane is reported. */
LSCHED_FN lsched_result lsched_fail(lsched_worker *w, int code)
{
	w->fail_code = code;
	return LSCHED_FAIL;
}

/* Enqueues an item (any number but LSCHED_NONE), which may run on any worker before this body ends.
 * Only for programs without a dependency rule. The overflow policy applies when the queue is
 * full. */
LSCHED_FN void lsched_spawn(lsched_worker *w, uint32_t item)
{
#if LSCHED_I_IN_WORKER
	lsched_i_spawn(w, item, lsched_lane() == 0);
#else
	(void)w;
	(void)item;
#endif
}

/* The same for up to LSCHED_LANES items at once, with one atomic on each contended word: each lane
 * passes its own item, and in `spawn` whether to spawn it. */
LSCHED_FN void lsched_spawn_lanes(lsched_worker *w, uint32_t item, int spawn)
{
#if LSCHED_I_IN_WORKER
	lsched_i_spawn(w, item, spawn);
#else
	(void)w;
	(void)item;
	(void)spawn;
#endif
}

#endif
