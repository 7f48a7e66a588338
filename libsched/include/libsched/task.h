/* What a task body may call. C11 and CUDA, the same text.
 *
 * A *worker* runs a body: a warp on the GPU, whose LSCHED_LANES = 32 lanes all enter the body together,
 * or a CPU thread, which is one lane. Everything is called by all lanes together, with the same
 * arguments, unless it says "any lane".
 *
 * What a body sees: all that its predecessors (or its spawner) wrote, in every lane. What its own lanes
 * write for each other needs lsched_sync_worker(). On the GPU nothing written during a run may be read
 * through __ldg, textures or `const __restrict__` pointers.
 *
 * The atomics of libsched/core/target.h (lsched_ld, lsched_st, lsched_add, lsched_cas with order and scope)
 * are open to bodies too. */
#ifndef LIBSCHED_TASK_H
#define LIBSCHED_TASK_H

#include "libsched/core/flow.h"

/* A body written once for both: device-only under nvcc. LSCHED_FN bodies work as well. */
#define LSCHED_TASK_FN LSCHED_WORKER_FN

/* What a body returns. The task fails if any lane says so. Values from 2 up are reserved for bodies
 * that want to go on later (yield). */
typedef enum lsched_result { LSCHED_DONE = 0, LSCHED_FAIL = 1 } lsched_result;

/* The program of that name which this file makes: compiled by nvcc the GPU's, else the CPU's. For programs that
 * are one file; who wants both names NAME_cpu_program and NAME_cuda_program. */
#define LSCHED_PROGRAM(name) LSCHED_I_TARGET_PROGRAM(name)

/* LSCHED_LOCAL of programs that need none; the body gets a null pointer. */
typedef struct lsched_no_local {
	unsigned char unused;
} lsched_no_local;

/* 0..workers-1; the same worker all through a run. Any lane. */
LSCHED_FN uint32_t lsched_worker_index(const lsched_worker *w)
{
	return w->index;
}

/* Workers in this run. Any lane. */
LSCHED_FN uint32_t lsched_worker_count(const lsched_worker *w)
{
	return w->a->workers;
}

/* The task this worker ran immediately before in this run, whose traces are therefore still in the
 * worker's LSCHED_LOCAL; LSCHED_NONE for its first. Any lane. */
LSCHED_FN uint32_t lsched_prev(const lsched_worker *w)
{
	return w->prev;
}

/* Scheme words: what the k-th predecessor, in the order of the rule, handed on; 0 beyond the last;
 * k < LSCHED_WORD_PREDS. */
LSCHED_WORKER_FN uint32_t lsched_word(const lsched_worker *w, uint32_t k)
{
#if LSCHED_LANES > 1
	return k == 0 ? w->word0 : k == 1 ? w->word1 : lsched_i_shfl(w->word, k);
#else
	return w->words[k];
#endif
}

/* Nonzero when the run is lost (another task failed, a time limit, lsched_run_cancel()): a long body may return early, with
 * any result. Any lane; costs a load from memory. */
LSCHED_FN int lsched_cancelled(const lsched_worker *w)
{
	return lsched_ld(&w->a->state->failed.v, rlx, dev) != 0;
}

#if LSCHED_I_GPU
/* The warps of one worker meet (LSCHED_HELPER in generate.h): what either wrote before, both see after.
 * All lanes of both. */
LSCHED_WORKER_FN void lsched_pair_sync(uint32_t pair)
{
	lsched_i_group_sync(pair, 2 * LSCHED_LANES);
}
#endif

/* `return lsched_fail(w, code);` The code is reported by lsched_run_error_code(). Any lane; if several
 * lanes fail, the lowest one's code counts. */
LSCHED_FN lsched_result lsched_fail(lsched_worker *w, int code)
{
	w->fail_code = code;
	return LSCHED_FAIL;
}

/* Only for programs without a dependency rule: makes an item (any number but LSCHED_NONE) that some
 * worker will run, perhaps before this body ends. A full queue is the overflow policy's business. */
LSCHED_FN void lsched_spawn(lsched_worker *w, uint32_t item)
{
#if LSCHED_I_IN_WORKER
	lsched_i_spawn(w, item, lsched_lane() == 0);
#else
	(void)w;
	(void)item;
#endif
}

/* The same for up to LSCHED_LANES items at once, with one atomic on each hot word: every lane brings its
 * own item, and whether it wants it spawned. */
LSCHED_FN void lsched_spawn_lanes(lsched_worker *w, uint32_t item, int want)
{
#if LSCHED_I_IN_WORKER
	lsched_i_spawn(w, item, want);
#else
	(void)w;
	(void)item;
	(void)want;
#endif
}

#endif
