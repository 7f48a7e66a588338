/* What a task body may call. C11 and CUDA, the same text.
 *
 * A *worker* runs a body: a warp on the GPU, whose SCHED_LANES = 32 lanes all enter the body together,
 * or a CPU thread, which is one lane. Everything is called by all lanes together, with the same
 * arguments, unless it says "any lane".
 *
 * What a body sees: all that its predecessors (or its spawner) wrote, in every lane. What its own lanes
 * write for each other needs sched_sync_worker(). On the GPU nothing written during a run may be read
 * through __ldg, textures or `const __restrict__` pointers.
 *
 * The atomics of libsched/core/shared.h (sched_ld, sched_st, sched_add, sched_cas with order and scope)
 * are open to bodies too. */
#ifndef LIBSCHED_TASK_H
#define LIBSCHED_TASK_H

#include "libsched/core/flow.h"

/* A body written once for both: device-only under nvcc. SCHED_FN bodies work as well. */
#define SCHED_TASK_FN SCHED_WORKER_FN

/* What a body returns. The task fails if any lane says so. Values from 2 up are reserved for bodies
 * that want to go on later (yield). */
typedef enum sched_result { SCHED_DONE = 0, SCHED_FAIL = 1 } sched_result;

/* The program of that name which this file makes: compiled by nvcc the GPU's, else the CPU's. For programs that
 * are one file; who wants both names NAME_cpu_program and NAME_cuda_program. */
#ifdef __CUDACC__
#define SCHED_PROGRAM(name) name##_cuda_program
#else
#define SCHED_PROGRAM(name) name##_cpu_program
#endif

/* SCHED_LOCAL of programs that need none; the body gets a null pointer. */
typedef struct sched_no_local {
	unsigned char unused;
} sched_no_local;

#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
#define SCHED__IN_WORKER 1
#else
#define SCHED__IN_WORKER 0 /* nvcc's host half of a SCHED_FN body: compiled, never run */
#endif

/* 0..workers-1; the same worker all through a run. Any lane. */
SCHED_FN uint32_t sched_worker_index(const sched_worker *w)
{
	return w->index;
}

/* Workers in this run. Any lane. */
SCHED_FN uint32_t sched_worker_count(const sched_worker *w)
{
	return w->a->workers;
}

/* The task this worker ran immediately before in this run, whose traces are therefore still in the
 * worker's SCHED_LOCAL; SCHED_NONE for its first. Any lane. */
SCHED_FN uint32_t sched_prev(const sched_worker *w)
{
	return w->prev;
}

/* Scheme words: what the k-th predecessor, in the order of the rule, handed on; 0 beyond the last;
 * k < SCHED_WORD_PREDS. */
SCHED_WORKER_FN uint32_t sched_word(const sched_worker *w, uint32_t k)
{
#ifdef __CUDACC__
	return k == 0 ? w->word0 : k == 1 ? w->word1 : __shfl_sync(0xffffffffu, w->word, (int)k);
#else
	return w->words[k];
#endif
}

/* Nonzero when the run is lost (another task failed, a time limit): a long body may return early, with
 * any result. Any lane; costs a load from memory. */
SCHED_FN int sched_cancelled(const sched_worker *w)
{
	return sched_ld(&w->a->state->failed.v, rlx, dev) != 0;
}

#ifdef __CUDACC__
/* The warps of one worker meet (SCHED_HELPER in generate.h): what either wrote before, both see after.
 * All lanes of both. */
static __device__ __forceinline__ void sched_pair_sync(uint32_t pair)
{
	__syncwarp();
	asm volatile("barrier.sync %0, 64;" ::"r"(pair) : "memory");
}
#endif

/* `return sched_fail(w, code);` The code is reported by sched_run_error_code(). Any lane; if several
 * lanes fail, the lowest one's code counts. */
SCHED_FN sched_result sched_fail(sched_worker *w, int code)
{
	w->fail_code = code;
	return SCHED_FAIL;
}

/* Only for programs without a dependency rule: makes an item (any number but SCHED_NONE) that some
 * worker will run, perhaps before this body ends. A full queue is the overflow policy's business. */
SCHED_FN void sched_spawn(sched_worker *w, uint32_t item)
{
#if SCHED__IN_WORKER
	sched__spawn(w, item, sched_lane() == 0);
#else
	(void)w;
	(void)item;
#endif
}

/* The same for up to SCHED_LANES items at once, with one atomic on each hot word: every lane brings its
 * own item, and whether it wants it spawned. */
SCHED_FN void sched_spawn_lanes(sched_worker *w, uint32_t item, int want)
{
#if SCHED__IN_WORKER
	sched__spawn(w, item, want);
#else
	(void)w;
	(void)item;
	(void)want;
#endif
}

#endif
