/* Private bins (Tzeng, Patney, Owens 2010, section 4.2): a piece of memory a worker, all of one size.
 *
 * Bin k is a header of 128 bytes, then room for args.bin items of 32 bits, in whole lines, so that no
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
	SCHED__BIN_TAIL = 0,
	SCHED__BIN_LOCK = 16,
	SCHED__BIN_HEAD,
	SCHED__BIN_FREED,
	SCHED__BIN_HEADER = SCHED__LINE / 4
};

/* Bins that a worker without work looks at in one step, one a lane. */
#define SCHED__BIN_LOOKS 32u

/* 32-bit words from one bin to the next. */
SCHED_FN size_t sched__bin_stride(uint32_t bin)
{
	const size_t line = SCHED__LINE / 4;

	return SCHED__BIN_HEADER + ((size_t)bin + line - 1) / line * line;
}

/* 32-bit words of the signs. */
SCHED_FN size_t sched__bin_sign_words(uint32_t workers)
{
	const size_t line = SCHED__LINE / 4;

	return ((size_t)workers + line - 1) / line * line;
}

SCHED_FN uint64_t sched__bin_words(const sched__shape *s)
{
	return (sched__bin_sign_words(s->workers) +
		       (uint64_t)s->workers * sched__bin_stride(s->bin)) /
	       2;
}

SCHED_WORKER_FN uint32_t *sched__bin_sign(const sched_worker *w, uint32_t owner)
{
	return (uint32_t *)w->a->slots + owner;
}

/* The header of a worker's bin. */
SCHED_WORKER_FN uint32_t *sched__bin(const sched_worker *w, uint32_t owner)
{
	return (uint32_t *)w->a->slots + sched__bin_sign_words(w->a->shape_workers) +
	       (size_t)owner * sched__bin_stride(w->a->bin);
}

SCHED_WORKER_FN uint32_t *sched__bin_items(uint32_t *bin)
{
	return bin + SCHED__BIN_HEADER;
}

/* Round robin: the k-th bin after one's own, k = 0 .. workers-2. */
SCHED_WORKER_FN uint32_t sched__bin_other(const sched_worker *w, uint32_t k)
{
	const uint32_t v = w->index + 1 + k;

	return v < w->a->workers ? v : v - w->a->workers;
}

/* k steps on from place `from` among `others`; all below 2^31. */
SCHED_WORKER_FN uint32_t sched__bin_turn(uint32_t from, uint32_t k, uint32_t others)
{
	const uint32_t to = from + k;

	return to < others ? to : to - others;
}

/* Gathers one bit a place: on the GPU the lanes vote, on the CPU one lane goes round. */
SCHED_WORKER_FN uint32_t sched__bin_mark(uint32_t marks, uint32_t k, int yes)
{
#ifdef __CUDACC__
	(void)k;
	return marks | sched_ballot(yes);
#else
	return marks | (yes ? 1u << k : 0u);
#endif
}

/* The place in the batch that a lane's item would get: on the GPU all lanes ask before one adds. */
SCHED_WORKER_FN uint32_t sched__bin_rank(const sched__batch *b, int yes)
{
#ifdef __CUDACC__
	(void)b;
	return sched_popcount(sched_ballot(yes) & ((1u << sched_lane()) - 1u));
#else
	(void)yes;
	return b->n;
#endif
}

/* Place of the lowest mark; there is one. */
SCHED_WORKER_FN uint32_t sched__lowest(uint32_t marks)
{
#ifdef __CUDACC__
	return (uint32_t)__ffs((int)marks) - 1u;
#else
	return (uint32_t)__builtin_ctz(marks);
#endif
}

#endif
