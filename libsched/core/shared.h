/* Included by all text that workers run: the target, and small functions. */
#ifndef LIBSCHED_CORE_SHARED_H
#define LIBSCHED_CORE_SHARED_H

/* With more waiting workers than this, their loads delay other accesses to the queue's words, so
 * they poll less often. 600 is between four and five warps on each of the 132 SMs of an H200. */
#define LSCHED_I_CROWD_WORKERS 600u

#include "libsched/core/layout.h"
#include "libsched/core/target.h"

#define LSCHED_NONE 0xffffffffu

/* A rare condition: the compiler moves the code that depends on it out of the common path. */
#define LSCHED_I_UNLIKELY(x) __builtin_expect((x) != 0, 0)

/* The smallest power of two that is at least n and at least 2; n up to 2^31. */
LSCHED_FN uint32_t lsched_i_pow2(uint32_t n)
{
	uint32_t p = 2;

	while (p < n)
		p *= 2;
	return p;
}

/* Polls of a wait before the next ones yield the thread's processor; 0: a worker has its own. Where
 * a CPU emulates the lanes of a GPU, that text defines it. */
#ifndef LSCHED_I_FAST_POLLS
#ifdef __CUDACC__
#define LSCHED_I_FAST_POLLS 0
#else
#define LSCHED_I_FAST_POLLS 32u
#endif
#endif

/* Whether a waiting worker reads the clock after `spins` polls: after every `each`-th one (a power
 * of two), and after each poll that yields or sleeps: on a loaded machine that takes the turns of
 * all other threads. */
LSCHED_WORKER_FN uint32_t lsched_i_clock_due(uint32_t spins, uint32_t each)
{
#if LSCHED_I_FAST_POLLS
	if (spins >= LSCHED_I_FAST_POLLS)
		return 1;
#endif
	return (spins & (each - 1u)) == each - 1u;
}

/* Interval of the steps of a watchdog: 1/16 of its time limit, 1 to 100 ms. A longer step counts as
 * two of them at most, because the thread or the whole process may have been stopped. */
LSCHED_FN uint64_t lsched_i_watch_step_ns(uint64_t timeout_ns)
{
	const uint64_t most = 100000000u, least = 1000000u, step = timeout_ns / 16;

	return step < least ? least : step < most ? step : most;
}

LSCHED_FN uint64_t lsched_i_watch_counted_ns(uint64_t timeout_ns, uint64_t since_ns)
{
	const uint64_t most = 2 * lsched_i_watch_step_ns(timeout_ns);

	return since_ns < most ? since_ns : most;
}

/* lsched_i_args.mark_words, which is a constant in kernels. */
#ifdef __CUDA_ARCH__
#define LSCHED_I_MARK_WORDS(a) LSCHED_I_MARK_USED_WORDS
#else
#define LSCHED_I_MARK_WORDS(a) ((a)->mark_words)
#endif

/* Returns the sum of the marks of workers with `words` marks each, from word `first` to before word
 * `end`. */
LSCHED_FN uint32_t lsched_i_marks_sum(
	uint32_t *marks, uint32_t words, uint32_t workers, uint32_t first, uint32_t end)
{
	uint32_t sum = 0;

	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < workers; k++)
		for (uint32_t j = first; j < end; j++)
			sum += lsched_ld(&marks[(size_t)k * words + j], rlx, dev);
	return sum;
}

/* Returns a sum that changes whenever a worker finishes or spawns a task, finishes a turn of items,
 * ends a launch, or calls lsched_progress(). marks, launches: those of the run, or a copy of
 * them. */
LSCHED_FN uint32_t lsched_i_progress(
	uint32_t *marks, uint32_t words, uint32_t workers, uint32_t launches)
{
	return launches + lsched_i_marks_sum(marks, words, workers, 0, LSCHED_I_PROGRESS_WORDS);
}

/* Returns a sum that changes at each step of the watchdog of a worker that waits. */
LSCHED_FN uint32_t lsched_i_wait_steps(uint32_t *marks, uint32_t words, uint32_t workers)
{
	return lsched_i_marks_sum(
		marks, words, workers, LSCHED_I_PROGRESS_WORDS, LSCHED_I_MARK_USED_WORDS);
}

/* The lanes below this one. A macro: as a function it costs kernels up to eight registers (nvcc
 * 13.0). */
#define LSCHED_I_LANES_BELOW() (((lsched_lane_mask)1 << lsched_lane()) - 1u)

#endif
