/* ring: one bounded FIFO for all workers.
 *
 * Tickets come by fetch-and-add from head and tail, behind counts, as in the broker queue (Kerbl et
 * al., "The broker queue", ICS 2018); nobody retries a compare-and-swap on a hot word. Two counts
 * instead of its one: `avail` (items that may be taken) and `used` (places given out). Each only ever
 * errs on the safe side while a failed attempt is being undone, so a taker never waits for an item
 * that will not come, nor a giver for a place that will not become free. With one count for both a
 * failed push can let a pop through to an empty slot.
 *
 * Hence: "empty" and "full" may be false while another operation overlaps. They mean "not now", and
 * nothing is ever concluded from them; termination goes by the live count. Successful operations form
 * a FIFO. Progress: blocking, for a ticket holder waits for the previous owner of its slot, and no other.
 *
 * A worker that has nothing else to do draws a ticket before there is an item for it and looks at its
 * slot alone (lsched_ring_wait): whoever gives it the item hands it over with one store, and the hot
 * words are left alone. Such tickets take from `avail` what is not there yet, so that it may be
 * negative. In one run either all wait so or none does: pop_n could count an item whose ticket one in
 * line has drawn already. The last worker out forgets the tickets nobody was served for.
 *
 * A slot is one 64-bit word, {sequence, item}, so that one release store publishes both. The sequence
 * of ticket t is t with its slot bits cleared: free; | 1: filled; + slots: free for the next round.
 * It is 0 for all at the start and wraps with t, which needs at least two slots.
 *
 * When the host knows of a run that its queue cannot overflow in any start (limit 0) `used` is not counted,
 * and a slot is not marked free: no ticket of a start comes to it twice, and the sequence of one of another
 * start differs. A store less to wait for in the taker's next release.
 *
 * Callers: anyone. Overflow: the policy's business. Memory: 8 bytes an item. Choose it where nothing speaks
 * for another: any worker finds any item, the oldest first, and one number bounds it. The wavefront of
 * macroblocks goes fastest through it; where most tasks spawn, abp and steal keep more of them at home and
 * are faster. */
#ifndef LIBSCHED_QUEUE_RING_H
#define LIBSCHED_QUEUE_RING_H

#include "libsched/queue/ring_words.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_RING_KEEPS       1
#define LSCHED_I_RING_TICKET_WAIT 1
#define LSCHED_I_RING_ROUNDS      0
#define LSCHED_I_RING_SORTED      0
#define LSCHED_I_RING_SCRATCH     0

LSCHED_FN uint64_t lsched_ring_words(const lsched_i_shape *s)
{
	return lsched_i_pow2(s->capacity);
}

LSCHED_WORKER_FN uint64_t *lsched_i_ring_slot(
	const lsched_i_args *a, uint32_t ticket, uint32_t mask)
{
	uint32_t k = ticket & mask;

	/* In each 64 the rows and columns of eight change places: neighbouring tickets go to different
	 * workers, and so do lines then. */
	if (LSCHED_I_RING_AT_ONCE && mask >= 63u)
		k = (k & ~63u) | (k & 7u) << 3 | (k >> 3 & 7u);
	return a->queue_slots + k;
}

/* Fills the slots of `got` tickets from `tail` on with the first items of a batch; `in_order`: slots that
 * follow each other as the tickets do. Between what the lanes wrote for the items' takers and this stands
 * the caller's release fence. */
LSCHED_WORKER_FN void lsched_i_ring_fill(lsched_worker *w, const lsched_i_batch *b, uint32_t tail,
	uint32_t got, uint32_t mask, uint32_t in_order)
{
	const lsched_i_args *a = w->a;

	LSCHED_I_EACH_ITEM(b, i)
	{
		uint32_t ticket = tail + i, free_seq = ticket & ~mask;
		uint64_t *slot = in_order ? a->queue_slots + (ticket & mask)
					  : lsched_i_ring_slot(a, ticket, mask);
		uint64_t t0 = 0;

		if (i >= got)
			continue;
		lsched_i_prefetch_for_write(slot);
		/* without a limit a slot is used once a start: it has been free since the last */
		for (uint32_t spins = 0;
			a->queue_limit && (uint32_t)(lsched_ld(slot, rlx, dev) >> 32) != free_seq;
			spins++)
			if (lsched_i_spin_expired(w, spins, &t0))
				break;
		lsched_st(slot, ((uint64_t)(free_seq | 1u) << 32) | LSCHED_I_ITEM(b, i), fnr, dev);
	}
	lsched_sync_worker();
}

/* Puts the first items of the batch in; returns how many. All that the worker wrote before is visible
 * to whoever takes them. */
LSCHED_WORKER_FN uint32_t lsched_ring_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	lsched_i_ring_hot *q = lsched_i_ring_hot_words(a);
	uint32_t got = b->n, tail = 0;

	lsched_i_prefetch_for_write(q); /* while what was stored last goes out */
	if (lsched_lane() == 0) {
		if (a->queue_limit)
			got = lsched_i_ring_places(q, a->queue_limit, got);
		if (got) {
			tail = lsched_i_ring_tail(q, got);
			w->priv->count[LSCHED_I_N_PUSHES] += got;
		}
	}
	lsched_i_fence_rel(); /* while the ticket is on its way */
	got = lsched_bcast(got);
	tail = lsched_bcast(tail);
	lsched_i_ring_fill(w, b, tail, got, a->queue_slot_mask, 0);
	/* last: the release would wait for this addition too */
	if (lsched_lane() == 0 && got)
		lsched_i_ring_tell(q, got);
	return got;
}

/* Fills a batch with up to `want` (at most 32) items; returns how many. */
LSCHED_WORKER_FN uint32_t lsched_ring_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const lsched_i_args *a = w->a;
	lsched_i_ring_hot *q = lsched_i_ring_hot_words(a);
	uint32_t got = 0, head = 0;

	if (lsched_lane() == 0) {
		/* Who found nothing the last time looks first: thousands of idle workers must not
		 * write here. */
		if (!w->priv->queue[2] || lsched_i_ring_has_items(q)) {
			got = lsched_i_ring_items(w, q, want);
			w->priv->queue[2] = got == 0;
		}
		if (got)
			head = lsched_i_ring_head(q, got, a->queue_limit != 0);
	}
	got = lsched_bcast(got);
	head = lsched_bcast(head);
	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	{
		uint32_t ticket = head + i, seq = ticket & ~a->queue_slot_mask;
		uint64_t *slot = lsched_i_ring_slot(a, ticket, a->queue_slot_mask);
		uint64_t v, t0 = 0;

		if (a->queue_limit)
			lsched_i_prefetch_for_write(slot);
		for (uint32_t spins = 0;
			(uint32_t)((v = lsched_ld(slot, acq, dev)) >> 32) != (seq | 1u); spins++)
			if (lsched_i_spin_expired(w, spins, &t0)) {
				v = LSCHED_NONE; /* the run has failed: no item */
				break;
			}
		LSCHED_I_ITEM(b, i) = (uint32_t)v;
		if (a->queue_limit)
			lsched_st(slot, (uint64_t)(seq + a->queue_slot_mask + 1u) << 32, rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0 && got) {
		w->priv->count[LSCHED_I_N_POPS] += got;
		if (!LSCHED_I_RING_AT_ONCE && a->queue_limit)
			lsched_i_ring_return(q, got);
	}
	return got;
}

/* Looks at the slot in one call, less one: on a CPU, where the others may need the processor, one. */
#if LSCHED_I_GPU
#define LSCHED_I_RING_LOOKS 7u
#else
#define LSCHED_I_RING_LOOKS 0u
#endif

/* priv.queue: [0] a ticket is held, [1] which; [2] belongs to pop_n: it found nothing. */
LSCHED_WORKER_FN uint32_t lsched_ring_wait(lsched_worker *w, lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	lsched_i_ring_hot *q = lsched_i_ring_hot_words(a);
	uint32_t got = 0;
	uint64_t v = 0;

	if (lsched_lane() == 0) {
		uint32_t *held = w->priv->queue, seq;
		uint64_t *slot;

		if (!held[0]) {
			held[0] = 1;
			held[1] = lsched_i_ring_stand(w, q);
		}
		seq = held[1] & ~a->queue_slot_mask;
		slot = lsched_i_ring_slot(a, held[1], a->queue_slot_mask);
		/* A few looks, for the caller has more to ask about between two calls. When many
		 * stand in line they look less often. */
		for (uint32_t k = 0;; k++) {
			v = lsched_ld(slot, acq, dev);
			got = (uint32_t)(v >> 32) == (seq | 1u);
			if (got || k == LSCHED_I_RING_LOOKS)
				break;
			lsched_i_relax(a->workers > LSCHED_I_CROWD_WORKERS ? 3 : 0, a->workers);
		}
		if (got) {
			held[0] = 0;
			w->priv->count[LSCHED_I_N_POPS]++;
			lsched_i_ring_saw(w, 1);
			if (a->queue_limit) {
				lsched_st(slot, (uint64_t)(seq + a->queue_slot_mask + 1u) << 32,
					rlx, dev);
				lsched_i_ring_return(q, 1);
			}
		}
	}
	got = lsched_bcast(got);
	lsched_i_batch_open(b, got);
	if (got) {
		LSCHED_I_EACH_ITEM(b, i)
		{
			LSCHED_I_ITEM(b, i) = (uint32_t)v;
		}
	}
	lsched_sync_worker();
	return got;
}

/* Everything that was given has been taken, so head and tail differ by those who stood in line. */
LSCHED_WORKER_FN void lsched_ring_end(const lsched_i_args *a)
{
	lsched_i_ring_hot *q = lsched_i_ring_hot_words(a);

	if (lsched_lane() == 0)
		lsched_i_ring_forget(q);
}

#endif
