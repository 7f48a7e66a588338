/* donate: one deque per worker, with stealing by idle workers and donation by workers whose deque
 * is full (Tzeng, Patney, Owens 2010, section 4.3, task donation).
 *
 * Callers: each worker. Order: the owner pops the newest, thieves steal the oldest; donated items
 * have no order and follow the own ones. Bounds: bin_size items a worker, so workers x bin_size in
 * all, and each worker can use all of it. Full: an item that does not fit into the own bin goes to
 * another worker's, round robin; when each bin has been found full once, the overflow policy
 * handles the rest. Full and empty may be false while operations overlap. Progress: as steal;
 * donations and their removal use no lock. Errors: as steal.
 *
 * The paper's donor acquires the receiver's lock and writes to its head. Here a bin has two halves:
 * the owner's deque (queue/deque.h), in which no other worker can safely enqueue, and an inbox. A
 * slot of the inbox is a word, 0 or item + 1. A donor first reserves slots by a fetch-and-add on
 * `held`, then searches empty slots and fills them by compare-and-swap; a consumer empties a slot
 * by compare-and-swap, then lowers `held`. So there are always at least as many empty slots as
 * reservations, and a donor never blocks: if it loses a slot, another worker has made progress. No
 * ABA problem: a slot's value is the item.
 *
 * Donated items stay in a worker's inbox until its owner or a thief removes them, so all workers of
 * a run must be resident (lsched_run_create() checks it).
 *
 * Choose it for irregular work with little memory for queues; bins may be as small as the number of
 * items that one task spawns. With bins that never fill it is steal with half the capacity per
 * deque. */
#ifndef LIBSCHED_QUEUE_DONATE_H
#define LIBSCHED_QUEUE_DONATE_H

#include "libsched/queue/deque.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_DONATE_KEEPS       1
#define LSCHED_I_DONATE_TICKET_WAIT 0
#define LSCHED_I_DONATE_ROUNDS      0
#define LSCHED_I_DONATE_SORTED      0
#define LSCHED_I_DONATE_SCRATCH     0

/* lsched_i_worker_private.queue: the next workers to steal from and to donate to. */
enum { LSCHED_I_DONATE_STEAL_NEXT = LSCHED_I_DEQUE_Q, LSCHED_I_DONATE_PUSH_NEXT };

/* After the bins is a dense array of the words `held`: items and reservations of each inbox. */
LSCHED_FN uint64_t lsched_donate_words(const lsched_i_shape *s)
{
	return lsched_i_bin_words(s) + lsched_i_bin_hint_words(s->workers) / 2;
}

LSCHED_WORKER_FN uint32_t *lsched_i_donate_held(const lsched_worker *w, uint32_t owner)
{
	return lsched_i_bin(w, w->a->queue_max_workers) + owner;
}

/* Returns the capacity of the deque, and of the inbox after it. */
LSCHED_WORKER_FN uint32_t lsched_i_donate_half(const lsched_worker *w)
{
	return w->a->queue_deque_capacity / 2;
}

/* Leader: reserves up to `want` slots of an inbox; returns how many. */
LSCHED_WORKER_FN uint32_t lsched_i_inbox_reserve(uint32_t *held, uint32_t size, uint32_t want)
{
	uint32_t had, room, got;

	had = lsched_ld(held, rlx, dev); /* a donor must not write to the word of a full inbox */
	if (had >= size)
		return 0;
	had = lsched_add(held, want, rlx, dev);
	room = had < size ? size - had : 0;
	got = room < want ? room : want;
	if (got < want)
		(void)lsched_add(held, got - want, rlx, dev);
	return got;
}

/* Enqueues the batch's items from index `first` on into the inbox of `owner`; returns how many. */
LSCHED_WORKER_FN uint32_t lsched_i_inbox_push(
	lsched_worker *w, uint32_t owner, const lsched_i_batch *b, uint32_t first)
{
	const uint32_t size = lsched_i_donate_half(w);
	uint32_t *slots = lsched_i_bin_items(lsched_i_bin(w, owner)) + size;
	uint32_t got = 0;

	if (lsched_lane() == 0)
		got = lsched_i_inbox_reserve(lsched_i_donate_held(w, owner), size, b->n - first);
	got = lsched_bcast(got);
	LSCHED_I_EACH_ITEM(b, i)
	{
		uint32_t k = (i - first) & (size - 1);
		uint64_t t0 = 0;

		if (i < first || i - first >= got)
			continue;
		for (uint32_t tries = 1;; tries++) {
			uint32_t none = 0;

			if (lsched_ld(&slots[k], rlx, dev) == 0 &&
				lsched_cas(&slots[k], &none, LSCHED_I_ITEM(b, i) + 1, rel, dev))
				break;
			k = (k + 1) & (size - 1);
			if (tries % size == 0 && lsched_i_spin_expired(w, tries / size, &t0))
				break; /* the run has failed: the item is not needed */
		}
	}
	lsched_sync_worker();
	return got;
}

/* Dequeues up to `want` items from the inbox of `owner`; returns how many. */
LSCHED_WORKER_FN uint32_t lsched_i_inbox_pop(
	lsched_worker *w, uint32_t owner, lsched_i_batch *b, uint32_t want)
{
	const uint32_t size = lsched_i_donate_half(w);
	uint32_t *slots = lsched_i_bin_items(lsched_i_bin(w, owner)) + size;
	uint32_t held = 0;

	lsched_i_batch_clear(b);
	if (lsched_lane() == 0)
		held = lsched_ld(lsched_i_donate_held(w, owner), rlx, dev);
	if (lsched_bcast(held) == 0)
		return 0;
	for (uint32_t base = 0; base < size && b->n == 0; base += LSCHED_I_BATCH_MAX) {
		lsched_i_batch_clear(b);
		LSCHED_I_EACH_LANE(k, LSCHED_I_BATCH_MAX)
		{
			uint32_t v = 0, rank;
			int mine;

			if (base + k < size)
				v = lsched_ld(&slots[base + k], rlx, dev);
			rank = lsched_i_bin_rank(b, v != 0);
			mine = v != 0 && rank < want &&
			       lsched_cas(&slots[base + k], &v, 0u, acq, dev);
			lsched_i_batch_add(b, v - 1, mine);
		}
	}
	lsched_sync_worker();
	if (lsched_lane() == 0 && b->n)
		(void)lsched_add(lsched_i_donate_held(w, owner), 0u - b->n, rlx, dev);
	return b->n;
}

/* Donates the batch's items from index `first` on to other workers, trying each at most once. */
LSCHED_WORKER_FN uint32_t lsched_i_donate_push_others(
	lsched_worker *w, const lsched_i_batch *b, uint32_t first)
{
	const uint32_t others = w->a->workers - 1, size = lsched_i_donate_half(w);
	uint32_t next = w->priv->queue[LSCHED_I_DONATE_PUSH_NEXT], got = 0;

	for (uint32_t base = 0; base < others && first + got < b->n; base += LSCHED_I_BIN_PROBES) {
		const uint32_t left = others - base;
		const uint32_t probes = left < LSCHED_I_BIN_PROBES ? left : LSCHED_I_BIN_PROBES;
		uint32_t marks = 0, then = probes;

		LSCHED_I_EACH_LANE(k, LSCHED_I_BIN_PROBES)
		{
			const uint32_t v =
				lsched_i_bin_other(w, lsched_i_bin_advance(next, k, others));

			marks = lsched_i_bin_vote(marks, k,
				k < probes &&
					lsched_ld(lsched_i_donate_held(w, v), rlx, dev) < size);
		}
		while (marks && first + got < b->n) {
			const uint32_t k = lsched_i_lowest_bit(marks);

			marks &= marks - 1;
			then = k + 1;
			got += lsched_i_inbox_push(w,
				lsched_i_bin_other(w, lsched_i_bin_advance(next, k, others)), b,
				first + got);
		}
		next = lsched_i_bin_advance(next, first + got < b->n ? probes : then, others);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		w->priv->queue[LSCHED_I_DONATE_PUSH_NEXT] = next;
		w->priv->count[LSCHED_I_N_DONATED] += got;
	}
	lsched_sync_worker();
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_donate_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	uint32_t got;

	lsched_sync_worker();
	got = lsched_i_deque_push(w, lsched_i_donate_half(w), b, 0);
	if (got < b->n)
		got += lsched_i_inbox_push(w, w->index, b, got);
	if (got < b->n && w->a->workers > 1)
		got += lsched_i_donate_push_others(w, b, got);
	LSCHED_I_COUNT(w, PUSHES, got);
	return got;
}

/* Fills the batch with up to `most` items of another worker's deque or inbox. */
LSCHED_WORKER_FN uint32_t lsched_i_donate_pop_others(
	lsched_worker *w, lsched_i_batch *b, uint32_t most)
{
	const uint32_t others = w->a->workers - 1;
	const uint32_t probes = others < LSCHED_I_BIN_PROBES ? others : LSCHED_I_BIN_PROBES;
	const uint32_t next = w->priv->queue[LSCHED_I_DONATE_STEAL_NEXT];
	uint32_t marks = 0, got = 0, then = probes;

	LSCHED_I_EACH_LANE(k, LSCHED_I_BIN_PROBES)
	{
		const uint32_t v = lsched_i_bin_other(w, lsched_i_bin_advance(next, k, others));

		marks = lsched_i_bin_vote(marks, k,
			k < probes && (lsched_ld(lsched_i_donate_held(w, v), rlx, dev) != 0 ||
					      lsched_i_deque_looks_nonempty(w, v)));
	}
	while (marks && !got) {
		const uint32_t k = lsched_i_lowest_bit(marks);
		const uint32_t v = lsched_i_bin_other(w, lsched_i_bin_advance(next, k, others));

		marks &= marks - 1;
		then = k + 1;
		got = lsched_i_deque_steal(w, v, lsched_i_donate_half(w), b, most);
		if (got == 0) {
			got = lsched_i_inbox_pop(w, v, b, most);
			LSCHED_I_COUNT(w, STEALS, got);
		}
	}
	lsched_sync_worker();
	if (lsched_lane() == 0)
		w->priv->queue[LSCHED_I_DONATE_STEAL_NEXT] =
			lsched_i_bin_advance(next, got ? then : probes, others);
	lsched_sync_worker();
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_donate_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const uint32_t half = lsched_i_donate_half(w);
	uint32_t got = lsched_i_deque_pop(w, half, b, want), most = 0;

	if (got == 0) {
		/* items beyond `want` go to the own deque, which is empty */
		if (lsched_lane() == 0) {
			most = want + lsched_i_deque_room(w, half, LSCHED_I_BATCH_MAX);
			most = most < LSCHED_I_BATCH_MAX ? most : LSCHED_I_BATCH_MAX;
		}
		most = lsched_bcast(most);
		got = lsched_i_inbox_pop(w, w->index, b, most);
		if (got == 0 && w->a->workers > 1)
			got = lsched_i_donate_pop_others(w, b, most);
		if (got > want) {
			(void)lsched_i_deque_push(w, half, b, want);
			got = b->n = want;
		}
	}
	LSCHED_I_COUNT(w, POPS, got);
	return got;
}

#endif
