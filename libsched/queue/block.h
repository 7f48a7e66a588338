/* block: one queue, one lock (Tzeng, Patney, Owens 2010, section 4.2, block queuing).
 *
 * Callers: each worker, push and pop. Order: strictly FIFO, operations are serialised by the lock;
 * a batch stays together. Bounds: memory for queue_capacity items rounded up to a power of two,
 * never more than queue_capacity items in it. Full: push enqueues what fits, the overflow policy
 * handles the rest. Full is exact; empty may be false, because a pop does not wait for the lock: it
 * returns nothing if the lock is taken, so that the wait is counted as idle time. A push waits for
 * the lock. Progress: blocking; a worker stopped while it holds the lock stops all. Errors: a lock
 * not free within the time limit fails the run.
 *
 * In the paper readers of the tail do not take the lock while more than one item is queued;
 * counting and removing items would then need further atomics, and that queue is ring. Here every
 * operation takes the lock, but moves up to 32 items.
 *
 * Choose it as the baseline, to measure the cost of a lock (one hand-over per operation, for any
 * number of workers), or for few workers with tasks of many microseconds and strict FIFO order.
 * Otherwise choose ring. */
#ifndef LIBSCHED_QUEUE_BLOCK_H
#define LIBSCHED_QUEUE_BLOCK_H

#include "libsched/queue/lock.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_BLOCK_KEEPS       1
#define LSCHED_I_BLOCK_TICKET_WAIT 0
#define LSCHED_I_BLOCK_ROUNDS      0
#define LSCHED_I_BLOCK_SORTED      0
#define LSCHED_I_BLOCK_SCRATCH     0

/* The lock; items dequeued and items enqueued since the run was created, both modulo 2^32. */
enum { LSCHED_I_BLOCK_LOCK, LSCHED_I_BLOCK_HEAD, LSCHED_I_BLOCK_TAIL };

LSCHED_FN uint64_t lsched_block_words(const lsched_i_shape *s)
{
	return lsched_i_pow2(s->capacity) / 2;
}

/* Enqueues the batch's items from index `first` on; returns how many. The slots are `skip` 32-bit
 * words behind the begin of the queue's memory. */
LSCHED_WORKER_FN uint32_t lsched_i_block_push(
	lsched_worker *w, size_t skip, const lsched_i_batch *b, uint32_t first)
{
	const lsched_i_args *a = w->a;
	lsched_i_spread_word *q = a->state->queue;
	uint32_t *items = (uint32_t *)a->queue_slots + skip;
	uint32_t got = 0, tail = 0;

	lsched_sync_worker();
	if (lsched_lane() == 0 && lsched_i_lock(w, &q[LSCHED_I_BLOCK_LOCK].v)) {
		const uint32_t most = a->queue_limit ? a->queue_limit : a->queue_slot_mask + 1;
		uint32_t held;

		tail = lsched_ld(&q[LSCHED_I_BLOCK_TAIL].v, rlx, dev);
		held = tail - lsched_ld(&q[LSCHED_I_BLOCK_HEAD].v, rlx, dev);
		got = most - held < b->n - first ? most - held : b->n - first;
		if (got == 0)
			lsched_i_unlock(&q[LSCHED_I_BLOCK_LOCK].v);
		else if (held + got > w->priv->count[LSCHED_I_N_HIGH_WATER])
			w->priv->count[LSCHED_I_N_HIGH_WATER] = held + got;
	}
	got = lsched_bcast(got);
	if (got == 0)
		return 0;
	tail = lsched_bcast(tail);
	LSCHED_I_EACH_ITEM(b, i)
	{
		if (i >= first && i - first < got)
			lsched_st(&items[(tail + i - first) & a->queue_slot_mask],
				LSCHED_I_ITEM(b, i), rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		lsched_st(&q[LSCHED_I_BLOCK_TAIL].v, tail + got, rlx, dev);
		lsched_i_unlock(&q[LSCHED_I_BLOCK_LOCK].v);
		w->priv->count[LSCHED_I_N_PUSHES] += got;
	}
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_block_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	return lsched_i_block_push(w, 0, b, 0);
}

/* Dequeues up to `want` items; returns how many. skip: as above. */
LSCHED_WORKER_FN uint32_t lsched_i_block_pop(
	lsched_worker *w, size_t skip, lsched_i_batch *b, uint32_t want)
{
	const lsched_i_args *a = w->a;
	lsched_i_spread_word *q = a->state->queue;
	uint32_t *items = (uint32_t *)a->queue_slots + skip;
	uint32_t got = 0, head = 0;

	if (lsched_lane() == 0) {
		/* read first: a pop of an empty queue does not touch the lock */
		head = lsched_ld(&q[LSCHED_I_BLOCK_HEAD].v, rlx, dev);
		if (lsched_ld(&q[LSCHED_I_BLOCK_TAIL].v, rlx, dev) != head &&
			lsched_i_lock_try(&q[LSCHED_I_BLOCK_LOCK].v)) {
			head = lsched_ld(&q[LSCHED_I_BLOCK_HEAD].v, rlx, dev);
			got = lsched_ld(&q[LSCHED_I_BLOCK_TAIL].v, rlx, dev) - head;
			got = got < want ? got : want;
			if (got == 0)
				lsched_i_unlock(&q[LSCHED_I_BLOCK_LOCK].v);
		}
	}
	got = lsched_bcast(got);
	head = lsched_bcast(head);
	lsched_sync_worker();
	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	{
		LSCHED_I_ITEM(b, i) = lsched_ld(&items[(head + i) & a->queue_slot_mask], rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0 && got) {
		lsched_st(&q[LSCHED_I_BLOCK_HEAD].v, head + got, rlx, dev);
		lsched_i_unlock(&q[LSCHED_I_BLOCK_LOCK].v);
		w->priv->count[LSCHED_I_N_POPS] += got;
	}
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_block_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	return lsched_i_block_pop(w, 0, b, want);
}

#endif
