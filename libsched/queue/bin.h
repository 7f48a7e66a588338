/* Private bins (Tzeng, Patney, Owens 2010, section 4.2): the memory of one worker's deque, the same
 * size for all workers.
 *
 * Bin k is a header of 128 bytes, then args.queue_deque_capacity items of 32 bits, in whole cache
 * lines, so that no two workers share one. The queue defines the words of the header; words that
 * only the owner writes and words that others write too are 64 bytes apart, which is a cache line
 * of a CPU.
 *
 * Before the bins is a dense array of hints, one word per bin: 0 means probably empty. Idle workers
 * read the hints first; otherwise thousands of idle warps would repeatedly read the headers of all
 * bins, 32 cache lines at a time, and slow the busy workers down. */
#ifndef LIBSCHED_QUEUE_BIN_H
#define LIBSCHED_QUEUE_BIN_H

#include "libsched/core/worker.h"

/* Words of a header: the owner's, then those that all workers write. */
enum {
	LSCHED_I_BIN_TAIL = 0,
	LSCHED_I_BIN_LOCK = 16,
	LSCHED_I_BIN_HEAD,
	LSCHED_I_BIN_FREED,
	LSCHED_I_BIN_HEADER = LSCHED_I_LINE / 4
};

/* Bins that an idle worker examines in one step, one per lane. */
#define LSCHED_I_BIN_PROBES 32u

/* Returns the distance of two bins in 32-bit words. */
LSCHED_FN size_t lsched_i_bin_stride(uint32_t bin)
{
	const size_t line = LSCHED_I_LINE / 4;

	return LSCHED_I_BIN_HEADER + ((size_t)bin + line - 1) / line * line;
}

/* Returns the size of the hints in 32-bit words. */
LSCHED_FN size_t lsched_i_bin_hint_words(uint32_t workers)
{
	const size_t line = LSCHED_I_LINE / 4;

	return ((size_t)workers + line - 1) / line * line;
}

LSCHED_FN uint64_t lsched_i_bin_words(const lsched_i_shape *s)
{
	return (lsched_i_bin_hint_words(s->workers) +
		       (uint64_t)s->workers * lsched_i_bin_stride(s->bin)) /
	       2;
}

LSCHED_WORKER_FN uint32_t *lsched_i_bin_hint(const lsched_worker *w, uint32_t owner)
{
	return (uint32_t *)w->a->queue_slots + owner;
}

/* Returns the header of a worker's bin. */
LSCHED_WORKER_FN uint32_t *lsched_i_bin(const lsched_worker *w, uint32_t owner)
{
	return (uint32_t *)w->a->queue_slots + lsched_i_bin_hint_words(w->a->queue_max_workers) +
	       (size_t)owner * lsched_i_bin_stride(w->a->queue_deque_capacity);
}

LSCHED_WORKER_FN uint32_t *lsched_i_bin_items(uint32_t *bin)
{
	return bin + LSCHED_I_BIN_HEADER;
}

/* Returns the k-th worker after this one, cyclically, k = 0 .. workers-2. */
LSCHED_WORKER_FN uint32_t lsched_i_bin_other(const lsched_worker *w, uint32_t k)
{
	const uint32_t v = w->index + 1 + k;

	return v < w->a->workers ? v : v - w->a->workers;
}

/* Returns `from` + k, cyclically among `others`; all below 2^31. */
LSCHED_WORKER_FN uint32_t lsched_i_bin_advance(uint32_t from, uint32_t k, uint32_t others)
{
	const uint32_t to = from + k;

	return to < others ? to : to - others;
}

/* Collects one bit per probe: by a ballot on the GPU, one by one on the CPU. */
LSCHED_WORKER_FN uint32_t lsched_i_bin_vote(uint32_t marks, uint32_t k, int yes)
{
#if LSCHED_LANES > 1
	(void)k;
	return marks | lsched_ballot(yes);
#else
	return marks | (yes ? 1u << k : 0u);
#endif
}

/* Returns the index in the batch that a lane's item would get; on the GPU all lanes call it before
 * any adds. */
LSCHED_WORKER_FN uint32_t lsched_i_bin_rank(const lsched_i_batch *b, int yes)
{
#if LSCHED_LANES > 1
	(void)b;
	return lsched_popcount(lsched_ballot(yes) & LSCHED_I_LANES_BELOW());
#else
	(void)yes;
	return b->n;
#endif
}

#endif
