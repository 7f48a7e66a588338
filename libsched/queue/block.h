/* block: one deque behind one lock (Tzeng, Patney, Owens 2010, section 4.2, block queuing).
 *
 * Who may call: every worker, push and pop. Order: strictly FIFO, each operation happens in an instant
 * under the lock; a batch stays together. Bounds: memory for queue_capacity items rounded up to a power of two, never more
 * than queue_capacity in it. Full: push takes what fits, the rest is the overflow policy's. Full is never
 * false; empty may be, for a pop does not wait for the lock: it finds it taken and says "nothing now",
 * so that the waiting is counted as idle time. A push waits for the lock. Progress: blocking; a worker
 * stopped inside the lock stops all. Errors: a lock not free within the time limit fails the run.
 *
 * The paper lets readers of the tail go without the lock while more than one item is in; who counts and
 * who takes would then have to agree by other atomics, and that queue exists: ring. Here all goes
 * through the lock, but up to 32 items at a time.
 *
 * When to choose it: as the yardstick, to see what a lock costs (one hand-over of it an operation, no
 * matter how many workers); or with few workers and tasks of many microseconds, where strict FIFO order
 * is wanted. Otherwise take ring. */
#ifndef LIBSCHED_QUEUE_BLOCK_H
#define LIBSCHED_QUEUE_BLOCK_H

#include "libsched/queue/lock.h"

/* The lock; items taken and items put in since the run was created, both modulo 2^32. */
enum { SCHED__BLOCK_LOCK, SCHED__BLOCK_HEAD, SCHED__BLOCK_TAIL };

SCHED_FN uint64_t sched_block_words(const sched__shape *s)
{
	return sched__pow2(s->capacity) / 2;
}

SCHED_WORKER_FN uint32_t sched_block_push_n(sched_worker *w, const sched__batch *b)
{
	const sched__args *a = w->a;
	sched__apart *q = a->state->queue;
	uint32_t *items = (uint32_t *)a->slots;
	uint32_t got = 0, tail = 0;

	sched_sync_worker();
	if (sched_lane() == 0 && sched__lock(w, &q[SCHED__BLOCK_LOCK].v)) {
		const uint32_t most = a->queue_limit ? a->queue_limit : a->slot_mask + 1;
		uint32_t held;

		tail = sched_ld(&q[SCHED__BLOCK_TAIL].v, rlx, dev);
		held = tail - sched_ld(&q[SCHED__BLOCK_HEAD].v, rlx, dev);
		got = most - held < b->n ? most - held : b->n;
		if (got == 0)
			sched__unlock(&q[SCHED__BLOCK_LOCK].v);
		else if (held + got > w->desk->n[SCHED__N_HIGH_WATER])
			w->desk->n[SCHED__N_HIGH_WATER] = held + got;
	}
	got = sched_bcast(got);
	if (got == 0)
		return 0;
	tail = sched_bcast(tail);
	SCHED__EACH_ITEM(b, i)
	{
		if (i < got)
			sched_st(&items[(tail + i) & a->slot_mask], SCHED__ITEM(b, i), rlx, dev);
	}
	sched_sync_worker();
	if (sched_lane() == 0) {
		sched_st(&q[SCHED__BLOCK_TAIL].v, tail + got, rlx, dev);
		sched__unlock(&q[SCHED__BLOCK_LOCK].v);
		w->desk->n[SCHED__N_PUSHES] += got;
	}
	return got;
}

SCHED_WORKER_FN uint32_t sched_block_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	const sched__args *a = w->a;
	sched__apart *q = a->state->queue;
	uint32_t *items = (uint32_t *)a->slots;
	uint32_t got = 0, head = 0;

	if (sched_lane() == 0) {
		/* look first: those who find nothing keep off the lock */
		head = sched_ld(&q[SCHED__BLOCK_HEAD].v, rlx, dev);
		if (sched_ld(&q[SCHED__BLOCK_TAIL].v, rlx, dev) != head &&
			sched__lock_try(&q[SCHED__BLOCK_LOCK].v)) {
			head = sched_ld(&q[SCHED__BLOCK_HEAD].v, rlx, dev);
			got = sched_ld(&q[SCHED__BLOCK_TAIL].v, rlx, dev) - head;
			got = got < want ? got : want;
			if (got == 0)
				sched__unlock(&q[SCHED__BLOCK_LOCK].v);
		}
	}
	got = sched_bcast(got);
	head = sched_bcast(head);
	sched_sync_worker();
	sched__batch_open(b, got);
	SCHED__EACH_ITEM(b, i)
	{
		SCHED__ITEM(b, i) = sched_ld(&items[(head + i) & a->slot_mask], rlx, dev);
	}
	sched_sync_worker();
	if (sched_lane() == 0 && got) {
		sched_st(&q[SCHED__BLOCK_HEAD].v, head + got, rlx, dev);
		sched__unlock(&q[SCHED__BLOCK_LOCK].v);
		w->desk->n[SCHED__N_POPS] += got;
	}
	return got;
}

#endif
