/* ring: one bounded FIFO for all workers.
 *
 * An operation reserves items or slots in a count (`avail`, `used`), then draws tickets from `head`
 * or `tail`, all by fetch-and-add, as in the broker queue (Kerbl et al., "The broker queue", ICS
 * 2018); no operation retries a compare-and-swap on a contended word. There are two counts instead
 * of its one: `avail` (items available) and `used` (slots reserved). While a failed attempt is
 * being undone each count errs on the safe side only, so a consumer never waits for an item that is
 * not coming, nor a producer for a slot that is not released. With one count for both, a failed
 * push can let a pop through to an empty slot.
 *
 * Hence "empty" and "full" may be false while another operation overlaps. They mean "not now", and
 * no caller concludes anything from them; the outstanding count ends the run. Successful operations
 * form a FIFO. Progress: blocking; a ticket holder waits for the previous owner of its slot only.
 *
 * Ticket wait (lsched_ring_wait): an idle consumer draws a ticket before there is an item for it
 * and polls its slot only. The producer hands the item over with one store, and the contended words
 * are not polled. Such a ticket decrements `avail` in advance, so `avail` may be negative. In one
 * run either all consumers wait on tickets or none does: pop_n could count an item whose ticket a
 * waiting consumer already holds. The last worker of the run discards the unused tickets.
 *
 * A slot is one 64-bit word, {sequence, item}, so that one release store publishes both. With S =
 * ticket & ~mask the sequence is
 *	S		free for the ticket
 *	S | 1		filled
 *	S + slots	free for the ticket of the next round
 * It is 0 in all slots at the start and wraps with the ticket. There are at least two slots,
 * because bit 0 marks a filled one.
 *
 * Memory order: a push publishes by a release fence and a relaxed store of the slot, which are a
 * release store on the CPU; a pop acquires by its load of the slot. Counts and tickets are
 * relaxed, because they publish no data. models/ring.pml checks the algorithm,
 * tests/libsched/litmus_roles.h the orders.
 *
 * Throughput: bench/notes/decisions.md has what bounds it, with figures.
 *
 * If the host has computed that the queue cannot overflow in any start of the run (limit 0), `used`
 * is not counted, and a slot is not marked free: each slot is used at most once per start, and the
 * sequences of different starts differ. This saves the consumer a store that its next release would
 * wait for.
 *
 * Callers: any worker. Overflow: handled by the policy. Memory: 8 bytes an item. Choose it by
 * default: any worker can get any item, the oldest first, and one number bounds it. It is the
 * fastest queue for wavefronts of macroblocks; where most tasks spawn, abp and steal keep more
 * items with their producer and are faster. */
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

	/* Transposes each 8x8 group of slots: neighbouring tickets belong to different
	 * workers, and so their slots are on different cache lines. */
	if (LSCHED_I_RING_AT_ONCE && mask >= 63u)
		k = (k & ~63u) | (k & 7u) << 3 | (k >> 3 & 7u);
	return a->queue_slots + k;
}

/* Fills the slots of `got` tickets from `tail` on with the first items of a batch; `in_order`:
 * slots are in the order of tickets. Precondition: the release fence, which orders the
 * lanes' earlier writes before the stores of the slots. */
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
		/* without a limit a slot is used at most once a start, so it is free */
		for (uint32_t spins = 0;
			a->queue_limit && (uint32_t)(lsched_ld(slot, rlx, dev) >> 32) != free_seq;
			spins++)
			if (lsched_i_spin_expired(w, spins, &t0))
				break;
		lsched_st(slot, ((uint64_t)(free_seq | 1u) << 32) | LSCHED_I_ITEM(b, i), fnr, dev);
	}
	lsched_sync_worker();
}

/* Enqueues the first items of the batch; returns how many. The worker's earlier writes are visible
 * to their consumers. */
LSCHED_WORKER_FN uint32_t lsched_ring_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	lsched_i_ring_counters *q = lsched_i_ring_counters_of(a);
	uint32_t got = b->n, tail = 0;

	lsched_i_prefetch_for_write(q); /* overlaps with the draining of earlier stores */
	if (lsched_lane() == 0) {
		if (a->queue_limit)
			got = lsched_i_ring_reserve_slots(q, a->queue_limit, got);
		if (got) {
			tail = lsched_i_ring_tail_tickets(q, got);
			w->priv->count[LSCHED_I_N_PUSHES] += got;
		}
	}
	lsched_i_fence_rel(); /* overlaps with the latency of the ticket */
	got = lsched_bcast(got);
	tail = lsched_bcast(tail);
	lsched_i_ring_fill(w, b, tail, got, a->queue_slot_mask, 0);
	/* after the fill, so that consumers rarely wait at a slot (GPU; no operation on the CPU) */
	if (lsched_lane() == 0 && got)
		lsched_i_ring_publish_count(q, got);
	return got;
}

/* Dequeues up to `want` (at most 32) items into a batch; returns how many. */
LSCHED_WORKER_FN uint32_t lsched_ring_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const lsched_i_args *a = w->a;
	lsched_i_ring_counters *q = lsched_i_ring_counters_of(a);
	uint32_t got = 0, head = 0;

	if (lsched_lane() == 0) {
		/* After an empty pop a worker reads before it writes: thousands of idle workers
		 * must not write to this line. */
		if (!w->priv->queue[2] || lsched_i_ring_has_items(q)) {
			got = lsched_i_ring_claim_items(w, q, want);
			w->priv->queue[2] = got == 0;
		}
		if (got)
			head = lsched_i_ring_head_tickets(q, got, a->queue_limit != 0);
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
			lsched_i_ring_release_slots(q, got);
	}
	return got;
}

/* Polls of the slot in one call, minus one: on a CPU, where other threads may need the processor,
 * one poll. */
#if LSCHED_I_GPU
#define LSCHED_I_RING_POLLS 7u
#else
#define LSCHED_I_RING_POLLS 0u
#endif

/* Dequeues the item of the worker's ticket, drawing one if it has none; returns 1 or 0. On a GPU it
 * polls some times, with pauses of one length: these and lsched_i_idle_step() are the backoff of an
 * idle worker. priv.queue: [0] a ticket is held, [1] its number; [2] is pop_n's: its last call
 * found nothing. */
LSCHED_WORKER_FN uint32_t lsched_ring_wait(lsched_worker *w, lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	lsched_i_ring_counters *q = lsched_i_ring_counters_of(a);
	uint32_t got = 0;
	uint64_t v = 0;

	if (lsched_lane() == 0) {
		uint32_t *held = w->priv->queue, seq;
		uint64_t *slot;

		if (!held[0]) {
			held[0] = 1;
			held[1] = lsched_i_ring_reserve_ticket(w, q);
		}
		seq = held[1] & ~a->queue_slot_mask;
		slot = lsched_i_ring_slot(a, held[1], a->queue_slot_mask);
		/* A few polls only, because the caller checks other conditions between two calls.
		 * With many workers the interval is longer. */
		for (uint32_t k = 0;; k++) {
			v = lsched_ld(slot, acq, dev);
			got = (uint32_t)(v >> 32) == (seq | 1u);
			if (got || k == LSCHED_I_RING_POLLS)
				break;
			lsched_i_relax(a->workers > LSCHED_I_CROWD_WORKERS ? 3 : 0, a->workers);
		}
		if (got) {
			held[0] = 0;
			w->priv->count[LSCHED_I_N_POPS]++;
			lsched_i_ring_note_level(w, 1);
			if (a->queue_limit) {
				lsched_st(slot, (uint64_t)(seq + a->queue_slot_mask + 1u) << 32,
					rlx, dev);
				lsched_i_ring_release_slots(q, 1);
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

/* Discards unused tickets. All items have been dequeued, so head and tail differ by these
 * tickets. */
LSCHED_WORKER_FN void lsched_ring_end(const lsched_i_args *a)
{
	lsched_i_ring_counters *q = lsched_i_ring_counters_of(a);

	if (lsched_lane() == 0)
		lsched_i_ring_reset(q);
}

#endif
