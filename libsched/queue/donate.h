/* donate: private bins; who has nothing takes from others, who has too much gives to others (Tzeng,
 * Patney, Owens 2010, section 4.3, task donation).
 *
 * Who may call: every worker. Order: the owner newest first, thieves oldest first, donated items in no
 * order, taken after the own ones. Bounds: bin_size items a worker, so workers x bin_size in all, and each
 * of these can be used by each worker. Full: an item that does not fit into the own bin goes to another
 * worker's, in turn, round robin; only when all bins have been seen full once the overflow policy gets
 * the rest. Full and empty may be false while operations overlap. Progress: as steal; donors and those
 * who take what was donated use no lock. Errors: as steal.
 *
 * The paper's donor takes the receiver's lock and writes to its head. Here a bin has two halves: the
 * owner's deque (queue/deque.h), which has no safe place for strangers to put something, and an inbox. A
 * slot of the inbox is a word, 0 or item + 1. A donor first reserves places by a fetch-and-add on
 * `held`, then looks for empty slots and fills them by compare-and-swap; a taker empties a slot by
 * compare-and-swap, then lowers `held`. So there are always as many empty slots as reserved places, and
 * a donor waits for nobody: if a slot it wanted is gone, somebody else has got on. No ABA problem: a
 * slot's value is the item.
 *
 * Since donated work lies in a bin of somebody's until its owner or a thief comes, all workers of a run
 * have to be resident (sched_run_create() checks it).
 *
 * When to choose it: irregular work with little memory for queues; bins may be as small as what one task
 * spawns. With bins that never fill it is steal with half the room for each. */
#ifndef LIBSCHED_QUEUE_DONATE_H
#define LIBSCHED_QUEUE_DONATE_H

#include "libsched/queue/deque.h"

/* sched__desk.q: the places among the others to take from and to give to next. */
enum { SCHED__DONATE_TAKE = SCHED__DEQUE_Q, SCHED__DONATE_GIVE };

/* Behind the bins, close together as the signs are, stand the words `held`. */
SCHED_FN uint64_t sched_donate_words(const sched__shape *s)
{
	return sched__bin_words(s) + sched__bin_sign_words(s->workers) / 2;
}

SCHED_WORKER_FN uint32_t *sched__donate_held(const sched_worker *w, uint32_t owner)
{
	return sched__bin(w, w->a->shape_workers) + owner;
}

/* Items of the deque, and slots of the inbox behind it. */
SCHED_WORKER_FN uint32_t sched__donate_half(const sched_worker *w)
{
	return w->a->bin / 2;
}

/* Leader: up to `want` places in an inbox that are now this worker's to fill. */
SCHED_WORKER_FN uint32_t sched__inbox_reserve(uint32_t *held, uint32_t size, uint32_t want)
{
	uint32_t had, room, got;

	had = sched_ld(held, rlx, dev); /* who finds it full must not write there */
	if (had >= size)
		return 0;
	had = sched_add(held, want, rlx, dev);
	room = had < size ? size - had : 0;
	got = room < want ? room : want;
	if (got < want)
		(void)sched_add(held, got - want, rlx, dev);
	return got;
}

/* Puts the batch's items from place `first` on into the inbox of `owner`; returns how many. */
SCHED_WORKER_FN uint32_t sched__inbox_put(
	sched_worker *w, uint32_t owner, const sched__batch *b, uint32_t first)
{
	const uint32_t size = sched__donate_half(w);
	uint32_t *slots = sched__bin_items(sched__bin(w, owner)) + size;
	uint32_t got = 0;

	if (sched_lane() == 0)
		got = sched__inbox_reserve(sched__donate_held(w, owner), size, b->n - first);
	got = sched_bcast(got);
	SCHED__EACH_ITEM(b, i)
	{
		uint32_t k = (i - first) & (size - 1);
		uint64_t t0 = 0;

		if (i < first || i - first >= got)
			continue;
		for (uint32_t tries = 1;; tries++) {
			uint32_t none = 0;

			if (sched_ld(&slots[k], rlx, dev) == 0 &&
				sched_cas(&slots[k], &none, SCHED__ITEM(b, i) + 1, rel, dev))
				break;
			k = (k + 1) & (size - 1);
			if (tries % size == 0 && sched__spin_over(w, tries / size, &t0))
				break; /* the run has failed: nobody will ask for it */
		}
	}
	sched_sync_worker();
	return got;
}

/* Takes up to `want` items out of the inbox of `owner`; returns how many. */
SCHED_WORKER_FN uint32_t sched__inbox_take(
	sched_worker *w, uint32_t owner, sched__batch *b, uint32_t want)
{
	const uint32_t size = sched__donate_half(w);
	uint32_t *slots = sched__bin_items(sched__bin(w, owner)) + size;
	uint32_t held = 0;

	sched__batch_clear(b);
	if (sched_lane() == 0)
		held = sched_ld(sched__donate_held(w, owner), rlx, dev);
	if (sched_bcast(held) == 0)
		return 0;
	for (uint32_t base = 0; base < size && b->n == 0; base += SCHED__BATCH_MAX) {
		sched__batch_clear(b);
		SCHED__EACH_LANE(k, SCHED__BATCH_MAX)
		{
			uint32_t v = 0, rank;
			int mine;

			if (base + k < size)
				v = sched_ld(&slots[base + k], rlx, dev);
			rank = sched__bin_rank(b, v != 0);
			mine = v != 0 && rank < want &&
			       sched_cas(&slots[base + k], &v, 0u, acq, dev);
			sched__batch_add(b, v - 1, mine);
		}
	}
	sched_sync_worker();
	if (sched_lane() == 0 && b->n)
		(void)sched_add(sched__donate_held(w, owner), 0u - b->n, rlx, dev);
	return b->n;
}

/* Gives the batch's items from place `first` on to other workers, asking each once at most. */
SCHED_WORKER_FN uint32_t sched__donate_to_others(
	sched_worker *w, const sched__batch *b, uint32_t first)
{
	const uint32_t others = w->a->workers - 1, size = sched__donate_half(w);
	uint32_t next = w->desk->q[SCHED__DONATE_GIVE], got = 0;

	for (uint32_t base = 0; base < others && first + got < b->n; base += SCHED__BIN_LOOKS) {
		const uint32_t left = others - base;
		const uint32_t looks = left < SCHED__BIN_LOOKS ? left : SCHED__BIN_LOOKS;
		uint32_t marks = 0, then = looks;

		SCHED__EACH_LANE(k, SCHED__BIN_LOOKS)
		{
			const uint32_t v = sched__bin_other(w, sched__bin_turn(next, k, others));

			marks = sched__bin_mark(marks, k,
				k < looks && sched_ld(sched__donate_held(w, v), rlx, dev) < size);
		}
		while (marks && first + got < b->n) {
			const uint32_t k = sched__lowest(marks);

			marks &= marks - 1;
			then = k + 1;
			got += sched__inbox_put(w,
				sched__bin_other(w, sched__bin_turn(next, k, others)), b,
				first + got);
		}
		next = sched__bin_turn(next, first + got < b->n ? looks : then, others);
	}
	sched_sync_worker();
	if (sched_lane() == 0) {
		w->desk->q[SCHED__DONATE_GIVE] = next;
		w->desk->n[SCHED__N_DONATED] += got;
	}
	sched_sync_worker();
	return got;
}

SCHED_WORKER_FN uint32_t sched_donate_push_n(sched_worker *w, const sched__batch *b)
{
	uint32_t got;

	sched_sync_worker();
	got = sched__deque_push(w, sched__donate_half(w), b, 0);
	if (got < b->n)
		got += sched__inbox_put(w, w->index, b, got);
	if (got < b->n && w->a->workers > 1)
		got += sched__donate_to_others(w, b, got);
	SCHED__COUNT(w, PUSHES, got);
	return got;
}

/* From the others' bins into the batch, up to `most`: their deques, then their inboxes. */
SCHED_WORKER_FN uint32_t sched__donate_from_others(sched_worker *w, sched__batch *b, uint32_t most)
{
	const uint32_t others = w->a->workers - 1;
	const uint32_t looks = others < SCHED__BIN_LOOKS ? others : SCHED__BIN_LOOKS;
	const uint32_t next = w->desk->q[SCHED__DONATE_TAKE];
	uint32_t marks = 0, got = 0, then = looks;

	SCHED__EACH_LANE(k, SCHED__BIN_LOOKS)
	{
		const uint32_t v = sched__bin_other(w, sched__bin_turn(next, k, others));

		marks = sched__bin_mark(marks, k,
			k < looks && (sched_ld(sched__donate_held(w, v), rlx, dev) != 0 ||
					     sched__deque_looks_full(w, v)));
	}
	while (marks && !got) {
		const uint32_t k = sched__lowest(marks);
		const uint32_t v = sched__bin_other(w, sched__bin_turn(next, k, others));

		marks &= marks - 1;
		then = k + 1;
		got = sched__deque_steal(w, v, sched__donate_half(w), b, most);
		if (got == 0) {
			got = sched__inbox_take(w, v, b, most);
			SCHED__COUNT(w, STEALS, got);
		}
	}
	sched_sync_worker();
	if (sched_lane() == 0)
		w->desk->q[SCHED__DONATE_TAKE] = sched__bin_turn(next, got ? then : looks, others);
	sched_sync_worker();
	return got;
}

SCHED_WORKER_FN uint32_t sched_donate_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	const uint32_t half = sched__donate_half(w);
	uint32_t got = sched__deque_pop(w, half, b, want), most = 0;

	if (got == 0) {
		/* what comes in beyond `want` goes to the own deque, which is empty */
		if (sched_lane() == 0) {
			most = want + sched__deque_room(w, half, SCHED__BATCH_MAX);
			most = most < SCHED__BATCH_MAX ? most : SCHED__BATCH_MAX;
		}
		most = sched_bcast(most);
		got = sched__inbox_take(w, w->index, b, most);
		if (got == 0 && w->a->workers > 1)
			got = sched__donate_from_others(w, b, most);
		if (got > want) {
			(void)sched__deque_push(w, half, b, want);
			got = b->n = want;
		}
	}
	SCHED__COUNT(w, POPS, got);
	return got;
}

#endif
