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

/* sched__desk.q: the place among the others to look at next. */
enum { SCHED__STEAL_NEXT = SCHED__DEQUE_Q };

SCHED_FN uint64_t sched_steal_words(const sched__shape *s)
{
	return sched__bin_words(s);
}

SCHED_WORKER_FN uint32_t sched_steal_push_n(sched_worker *w, const sched__batch *b)
{
	uint32_t got;

	sched_sync_worker();
	got = sched__deque_push(w, w->a->bin, b, 0);
	SCHED__COUNT(w, PUSHES, got);
	return got;
}

/* From the others' bins into the batch, up to `most`. */
SCHED_WORKER_FN uint32_t sched__steal_from_others(sched_worker *w, sched__batch *b, uint32_t most)
{
	const uint32_t others = w->a->workers - 1;
	const uint32_t looks = others < SCHED__BIN_LOOKS ? others : SCHED__BIN_LOOKS;
	const uint32_t next = w->desk->q[SCHED__STEAL_NEXT];
	uint32_t marks = 0, got = 0, then = looks;

	SCHED__EACH_LANE(k, SCHED__BIN_LOOKS)
	{
		const uint32_t v = sched__bin_other(w, sched__bin_turn(next, k, others));

		marks = sched__bin_mark(marks, k, k < looks && sched__deque_looks_full(w, v));
	}
	while (marks && !got) {
		const uint32_t k = sched__lowest(marks);

		marks &= marks - 1;
		got = sched__deque_steal(w, sched__bin_other(w, sched__bin_turn(next, k, others)),
			w->a->bin, b, most);
		then = k + 1;
	}
	sched_sync_worker();
	if (sched_lane() == 0)
		w->desk->q[SCHED__STEAL_NEXT] = sched__bin_turn(next, got ? then : looks, others);
	sched_sync_worker();
	return got;
}

SCHED_WORKER_FN uint32_t sched_steal_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	uint32_t got = sched__deque_pop(w, w->a->bin, b, want), most = 0;

	if (got == 0 && w->a->workers > 1) {
		if (sched_lane() == 0) {
			most = want + sched__deque_room(w, w->a->bin, SCHED__BATCH_MAX);
			most = most < SCHED__BATCH_MAX ? most : SCHED__BATCH_MAX;
		}
		got = sched__steal_from_others(w, b, sched_bcast(most));
		if (got > want) {
			(void)sched__deque_push(w, w->a->bin, b, want);
			got = b->n = want;
		}
	}
	SCHED__COUNT(w, POPS, got);
	return got;
}

#endif
