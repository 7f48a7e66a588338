/* steal: one deque per worker; a worker whose deque is empty steals from a victim (Tzeng, Patney,
 * Owens 2010, section 4.2, task stealing).
 *
 * Callers: each worker; push and pop use its own deque, pop also steals. Order: the owner pops the
 * newest, thieves steal the oldest, which in a tree represent the largest subtrees. Bounds:
 * bin_size items a worker, and no other memory: a deque must hold the worst case of one worker, or
 * the overflow policy handles the rest. (In the paper the owner waits for a steal; that wait might
 * never end.) Full may be false while a thief is reading; empty means that the own deque and the 32
 * examined victims had no items to steal at that time. Progress: push is wait-free; an owner's pop
 * waits only for a thief that holds its lock; thieves never wait: if a lock is taken they try the
 * next victim. Errors: a lock not free within the time limit fails the run.
 *
 * Victims are selected round robin, starting after the last successful one. A GPU's worker examines
 * 32 at once, one per lane, and tries those that seem to have items in turn. A thief steals half of
 * the deque, up to 32 items, and pushes those beyond the request to its own deque, which is empty;
 * so work spreads in few steps. Where one thread creates 4,000 tasks of 0.3 us at a time, two
 * threads run 6.5 M of them a second with halves and 3.5 M, no more than one thread alone, with
 * single items; in trees, whose oldest items are the large ones, there is no difference.
 *
 * Choose it for irregular work when memory is not scarce, on either backend. On a GPU each pop of
 * the owner costs a sequentially consistent store and load; for tasks so short that this matters,
 * let the worker keep a child (never_keep 0). With little memory choose donate. */
#ifndef LIBSCHED_QUEUE_STEAL_H
#define LIBSCHED_QUEUE_STEAL_H

#include "libsched/queue/deque.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_STEAL_KEEPS       1
#define LSCHED_I_STEAL_TICKET_WAIT 0
#define LSCHED_I_STEAL_ROUNDS      0
#define LSCHED_I_STEAL_SORTED      0
#define LSCHED_I_STEAL_SCRATCH     0

/* lsched_i_worker_private.queue: the next victim to examine. */
enum { LSCHED_I_STEAL_NEXT = LSCHED_I_DEQUE_Q };

LSCHED_FN uint64_t lsched_steal_words(const lsched_i_shape *s)
{
	return lsched_i_bin_words(s);
}

LSCHED_WORKER_FN uint32_t lsched_steal_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	uint32_t got;

	lsched_sync_worker();
	got = lsched_i_deque_push(w, w->a->queue_deque_capacity, b, 0);
	LSCHED_I_COUNT(w, PUSHES, got);
	return got;
}

/* Fills the batch with up to `most` items of a victim. */
LSCHED_WORKER_FN uint32_t lsched_i_steal_from_others(
	lsched_worker *w, lsched_i_batch *b, uint32_t most)
{
	const uint32_t others = w->a->workers - 1;
	const uint32_t probes = others < LSCHED_I_BIN_PROBES ? others : LSCHED_I_BIN_PROBES;
	const uint32_t next = w->priv->queue[LSCHED_I_STEAL_NEXT];
	uint32_t marks = 0, got = 0, then = probes;

	LSCHED_I_EACH_LANE(k, LSCHED_I_BIN_PROBES)
	{
		const uint32_t v = lsched_i_bin_other(w, lsched_i_bin_advance(next, k, others));

		marks = lsched_i_bin_vote(
			marks, k, k < probes && lsched_i_deque_looks_nonempty(w, v));
	}
	while (marks && !got) {
		const uint32_t k = lsched_i_lowest_bit(marks);

		marks &= marks - 1;
		got = lsched_i_deque_steal(w,
			lsched_i_bin_other(w, lsched_i_bin_advance(next, k, others)),
			w->a->queue_deque_capacity, b, most);
		then = k + 1;
	}
	lsched_sync_worker();
	if (lsched_lane() == 0)
		w->priv->queue[LSCHED_I_STEAL_NEXT] =
			lsched_i_bin_advance(next, got ? then : probes, others);
	lsched_sync_worker();
	return got;
}

/* Steals up to `want` items for the batch, and more for the own deque, which is empty. */
LSCHED_WORKER_FN uint32_t lsched_i_steal_some(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	uint32_t got = 0, most = 0;

	if (w->a->workers > 1) {
		if (lsched_lane() == 0) {
			most = want + lsched_i_deque_room(
					      w, w->a->queue_deque_capacity, LSCHED_I_BATCH_MAX);
			most = most < LSCHED_I_BATCH_MAX ? most : LSCHED_I_BATCH_MAX;
		}
		got = lsched_i_steal_from_others(w, b, lsched_bcast(most));
		if (got > want) {
			(void)lsched_i_deque_push(w, w->a->queue_deque_capacity, b, want);
			got = b->n = want;
		}
	}
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_steal_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	uint32_t got = lsched_i_deque_pop(w, w->a->queue_deque_capacity, b, want);

	if (got == 0)
		got = lsched_i_steal_some(w, b, want);
	LSCHED_I_COUNT(w, POPS, got);
	return got;
}

#endif
