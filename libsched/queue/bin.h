/* Private bins (Tzeng, Patney, Owens 2010, section 4.2): a piece of memory a worker, all of one size.
 *
 * Bin k is a header of 128 bytes, then room for args.queue_deque_capacity items of 32 bits, in whole lines, so that no
 * two workers share one. The words of the header are the queue's own business; those that only the owner
 * writes and those that others write too stand 64 bytes apart, which is a line of a CPU.
 *
 * In front of the bins stand their signs, a word each, close together: 0 is "look elsewhere". Those who
 * look for work in others' bins look there first; else some thousand idle warps would read the headers of
 * all the others over and over, 32 lines at a time, and be in the way of those that work. */
#ifndef LIBSCHED_QUEUE_BIN_H
#define LIBSCHED_QUEUE_BIN_H

#include "libsched/core/worker.h"

/* Words of a header: the owner's, then everybody's. */
enum {
	LSCHED_I_BIN_TAIL = 0,
	LSCHED_I_BIN_LOCK = 16,
	LSCHED_I_BIN_HEAD,
	LSCHED_I_BIN_FREED,
	LSCHED_I_BIN_HEADER = LSCHED_I_LINE / 4
};

/* Bins that a worker without work looks at in one step, one a lane. */
#define LSCHED_I_BIN_LOOKS 32u

/* 32-bit words from one bin to the next. */
LSCHED_FN size_t lsched_i_bin_stride(uint32_t bin)
{
	const size_t line = LSCHED_I_LINE / 4;

	return LSCHED_I_BIN_HEADER + ((size_t)bin + line - 1) / line * line;
}

/* 32-bit words of the signs. */
LSCHED_FN size_t lsched_i_bin_sign_words(uint32_t workers)
{
	const size_t line = LSCHED_I_LINE / 4;

	return ((size_t)workers + line - 1) / line * line;
}

LSCHED_FN uint64_t lsched_i_bin_words(const lsched_i_shape *s)
{
	return (lsched_i_bin_sign_words(s->workers) +
		       (uint64_t)s->workers * lsched_i_bin_stride(s->bin)) /
	       2;
}

LSCHED_WORKER_FN uint32_t *lsched_i_bin_sign(const lsched_worker *w, uint32_t owner)
{
	return (uint32_t *)w->a->queue_slots + owner;
}

/* The header of a worker's bin. */
LSCHED_WORKER_FN uint32_t *lsched_i_bin(const lsched_worker *w, uint32_t owner)
{
	return (uint32_t *)w->a->queue_slots + lsched_i_bin_sign_words(w->a->queue_max_workers) +
	       (size_t)owner * lsched_i_bin_stride(w->a->queue_deque_capacity);
}

LSCHED_WORKER_FN uint32_t *lsched_i_bin_items(uint32_t *bin)
{
	return bin + LSCHED_I_BIN_HEADER;
}

/* Round robin: the k-th bin after one's own, k = 0 .. workers-2. */
LSCHED_WORKER_FN uint32_t lsched_i_bin_other(const lsched_worker *w, uint32_t k)
{
	const uint32_t v = w->index + 1 + k;

	return v < w->a->workers ? v : v - w->a->workers;
}

/* k steps on from place `from` among `others`; all below 2^31. */
LSCHED_WORKER_FN uint32_t lsched_i_bin_turn(uint32_t from, uint32_t k, uint32_t others)
{
	const uint32_t to = from + k;

	return to < others ? to : to - others;
}

/* Gathers one bit a place: on the GPU the lanes vote, on the CPU one lane goes round. */
LSCHED_WORKER_FN uint32_t lsched_i_bin_mark(uint32_t marks, uint32_t k, int yes)
{
#if LSCHED_LANES > 1
	(void)k;
	return marks | lsched_ballot(yes);
#else
	return marks | (yes ? 1u << k : 0u);
#endif
}

/* The place in the batch that a lane's item would get: on the GPU all lanes ask before one adds. */
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
