/* steal: private bins, and who has nothing takes from others (Tzeng, Patney, Owens 2010, section 4.2,
 * task stealing).
 *
 * Who may call: every worker; push and pop go to its own bin, pop also takes from others'. Order: the
 * owner newest first, thieves oldest first, which in a tree are the largest pieces. Bounds: bin_size
 * items a worker, and there is no other room: a bin must hold the worst case of one worker, or the overflow policy sees
 * what does not fit. (The paper has the owner wait until somebody steals; a wait for that might be for
 * ever.) Full may be false while a thief is reading; empty means that the own bin and the 32 others
 * looked at had nothing to take just now. Progress: push is wait-free; an owner's pop waits only for a
 * thief that holds its lock, thieves never wait: who finds a lock taken goes to the next victim.
 * Errors: a lock not free within the time limit fails the run.
 *
 * Victims come round robin, starting behind the last one that gave something. A GPU's worker looks at 32
 * at once, one a lane, and tries those that look full in turn. A thief takes half of the bin, up to 32
 * items, and puts what it was not asked for into its own bin, which is empty; so work spreads in few
 * steps. Where one thread makes 4,000 tasks of 0.3 us at a time, two threads run 6.5 M of them a second
 * with halves and 3.5 M, no more than one thread alone, with single items; in trees, whose oldest items
 * are the large ones, there is no difference.
 *
 * When to choose it: irregular work with memory to spare, on either backend. On a GPU each pop of the
 * owner costs a sequentially consistent store and load; where tasks are so short that this counts, let
 * the worker keep a child (never_keep 0). With little memory take donate. */
#ifndef LIBSCHED_QUEUE_STEAL_H
#define LIBSCHED_QUEUE_STEAL_H

#include "libsched/queue/deque.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_STEAL_KEEPS       1
#define LSCHED_I_STEAL_TICKET_WAIT 0
#define LSCHED_I_STEAL_ROUNDS      0
#define LSCHED_I_STEAL_SORTED      0
#define LSCHED_I_STEAL_SCRATCH     0

/* lsched_i_worker_private.q: the place among the others to look at next. */
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

/* From the others' bins into the batch, up to `most`. */
LSCHED_WORKER_FN uint32_t lsched_i_steal_from_others(
	lsched_worker *w, lsched_i_batch *b, uint32_t most)
{
	const uint32_t others = w->a->workers - 1;
	const uint32_t looks = others < LSCHED_I_BIN_LOOKS ? others : LSCHED_I_BIN_LOOKS;
	const uint32_t next = w->priv->queue[LSCHED_I_STEAL_NEXT];
	uint32_t marks = 0, got = 0, then = looks;

	LSCHED_I_EACH_LANE(k, LSCHED_I_BIN_LOOKS)
	{
		const uint32_t v = lsched_i_bin_other(w, lsched_i_bin_turn(next, k, others));

		marks = lsched_i_bin_mark(marks, k, k < looks && lsched_i_deque_looks_full(w, v));
	}
	while (marks && !got) {
		const uint32_t k = lsched_i_lowest_bit(marks);

		marks &= marks - 1;
		got = lsched_i_deque_steal(w,
			lsched_i_bin_other(w, lsched_i_bin_turn(next, k, others)),
			w->a->queue_deque_capacity, b, most);
		then = k + 1;
	}
	lsched_sync_worker();
	if (lsched_lane() == 0)
		w->priv->queue[LSCHED_I_STEAL_NEXT] =
			lsched_i_bin_turn(next, got ? then : looks, others);
	lsched_sync_worker();
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_steal_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	uint32_t got = lsched_i_deque_pop(w, w->a->queue_deque_capacity, b, want), most = 0;

	if (got == 0 && w->a->workers > 1) {
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
	LSCHED_I_COUNT(w, POPS, got);
	return got;
}

#endif
