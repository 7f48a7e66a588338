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
 * slot alone (sched_ring_wait): whoever gives it the item hands it over with one store, and the hot
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
 * for another: any worker finds any item, the oldest first, and one number bounds it. The
 * wavefront of macroblocks goes fastest through it; where most tasks spawn, abp and steal keep more of them
 * at home and are faster. */
#ifndef LIBSCHED_QUEUE_RING_H
#define LIBSCHED_QUEUE_RING_H

#include "libsched/core/worker.h"

enum { SCHED__RING_AVAIL, SCHED__RING_HEAD, SCHED__RING_TAIL, SCHED__RING_USED };

/* A GPU's atomics are bounded by the slice of the cache that a word lies in, so there the words stand apart.
 * Between processors it is the line that travels. There the words share one, and who has it adds to all that
 * he has to: a giver tells of items before they are in their slots, a taker gives places back before he has
 * cleared them, and who comes too early waits at the slot, as he may have to anyway. For the same reason
 * neighbouring tickets, which go to different workers, have slots in different lines. (Two workers on two
 * cores of a Xeon, one task a pop: 10.4 M tasks/s; with the additions apart 7.6 M.) */
#ifdef __CUDACC__
typedef sched__apart sched__ring_hot;
#define SCHED__RING_AT_ONCE 0
#else
typedef struct sched__ring_hot {
	uint32_t v;
} sched__ring_hot;
#define SCHED__RING_AT_ONCE 1
#endif

SCHED_WORKER_FN sched__ring_hot *sched__ring_hot_words(const sched__args *a)
{
	return (sched__ring_hot *)a->state->queue;
}

SCHED_FN uint64_t sched_ring_words(const sched__shape *s)
{
	return sched__pow2(s->capacity);
}

SCHED_WORKER_FN uint64_t *sched__ring_slot(const sched__args *a, uint32_t ticket, uint32_t mask)
{
	uint32_t k = ticket & mask;

	/* in each 64 the rows and columns of eight change places */
	if (SCHED__RING_AT_ONCE && mask >= 63u)
		k = (k & ~63u) | (k & 7u) << 3 | (k >> 3 & 7u);
	return a->slots + k;
}

/* Leader: items may be taken. */
SCHED_WORKER_FN void sched__ring_tell(sched__ring_hot *q, uint32_t items)
{
	(void)sched_add(&q[SCHED__RING_AVAIL].v, items, rlx, dev);
}

/* Leader: places may be given. Only where they are counted. */
SCHED_WORKER_FN void sched__ring_return(sched__ring_hot *q, uint32_t places)
{
	(void)sched_add(&q[SCHED__RING_USED].v, 0u - places, rlx, dev);
}

/* Leader: so many items were waiting. */
SCHED_WORKER_FN void sched__ring_saw(sched_worker *w, uint32_t avail)
{
	if ((int32_t)avail > 0 && avail > w->desk->n[SCHED__N_HIGH_WATER])
		w->desk->n[SCHED__N_HIGH_WATER] = avail;
}

/* Leader: takes up to `want` from a count that must not fall below zero; returns how many. */
SCHED_WORKER_FN uint32_t sched__ring_take(sched_worker *w, uint32_t *count, uint32_t want)
{
	int32_t have = (int32_t)sched_add(count, 0u - want, rlx, dev);
	uint32_t got = have <= 0 ? 0 : (uint32_t)have < want ? (uint32_t)have : want;

	if (got < want)
		(void)sched_add(count, want - got, rlx, dev);
	/* here it costs no wait for an answer, as it would where items are given */
	sched__ring_saw(w, (uint32_t)have);
	return got;
}

/* Leader: the same with an upper bound. */
SCHED_WORKER_FN uint32_t sched__ring_reserve(uint32_t *used, uint32_t limit, uint32_t want)
{
	uint32_t had = sched_add(used, want, rlx, dev);
	uint32_t room = had < limit ? limit - had : 0;
	uint32_t got = room < want ? room : want;

	if (got < want)
		(void)sched_add(used, 0u - (want - got), rlx, dev);
	return got;
}

/* Fills the slots of `got` tickets from `tail` on with the first items of a batch; `in_order`: slots that
 * follow each other as the tickets do. Between what the lanes wrote for the items' takers and this stands
 * the caller's release fence. */
SCHED_WORKER_FN void sched__ring_fill(sched_worker *w, const sched__batch *b, uint32_t tail,
	uint32_t got, uint32_t mask, uint32_t in_order)
{
	const sched__args *a = w->a;

	SCHED__EACH_ITEM(b, i)
	{
		uint32_t ticket = tail + i, free_seq = ticket & ~mask;
		uint64_t *slot =
			in_order ? a->slots + (ticket & mask) : sched__ring_slot(a, ticket, mask);
		uint64_t t0 = 0;

		if (i >= got)
			continue;
		sched__will_write(slot);
		/* without a limit a slot is used once a start: it has been free since the last */
		for (uint32_t spins = 0;
			a->queue_limit && (uint32_t)(sched_ld(slot, rlx, dev) >> 32) != free_seq;
			spins++)
			if (sched__spin_over(w, spins, &t0))
				break;
		sched_st(slot, ((uint64_t)(free_seq | 1u) << 32) | SCHED__ITEM(b, i), fnr, dev);
	}
	sched_sync_worker();
}

/* Puts the first items of the batch in; returns how many. All that the worker wrote before is visible
 * to whoever takes them. */
SCHED_WORKER_FN uint32_t sched_ring_push_n(sched_worker *w, const sched__batch *b)
{
	const sched__args *a = w->a;
	sched__ring_hot *q = sched__ring_hot_words(a);
	uint32_t got = b->n, tail = 0;

	sched__will_write(q); /* while what was stored last goes out */
	if (sched_lane() == 0) {
		if (a->queue_limit)
			got = sched__ring_reserve(&q[SCHED__RING_USED].v, a->queue_limit, got);
		if (got) {
			tail = sched_add(&q[SCHED__RING_TAIL].v, got, rlx, dev);
			if (SCHED__RING_AT_ONCE)
				sched__ring_tell(q, got);
			w->desk->n[SCHED__N_PUSHES] += got;
		}
	}
	sched__fence_rel(); /* while the ticket is on its way */
	got = sched_bcast(got);
	tail = sched_bcast(tail);
	sched__ring_fill(w, b, tail, got, a->slot_mask, 0);
	/* last: the release would wait for this addition too */
	if (!SCHED__RING_AT_ONCE && sched_lane() == 0 && got)
		sched__ring_tell(q, got);
	return got;
}

/* Fills a batch with up to `want` (at most 32) items; returns how many. */
SCHED_WORKER_FN uint32_t sched_ring_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	const sched__args *a = w->a;
	sched__ring_hot *q = sched__ring_hot_words(a);
	uint32_t got = 0, head = 0;

	if (sched_lane() == 0) {
		/* Who found nothing the last time looks first: thousands of idle workers must not
		 * write here. */
		if (!w->desk->q[2] || (int32_t)sched_ld(&q[SCHED__RING_AVAIL].v, rlx, dev) > 0) {
			got = sched__ring_take(w, &q[SCHED__RING_AVAIL].v, want);
			w->desk->q[2] = got == 0;
		}
		if (got)
			head = sched_add(&q[SCHED__RING_HEAD].v, got, rlx, dev);
		if (SCHED__RING_AT_ONCE && a->queue_limit && got)
			sched__ring_return(q, got);
	}
	got = sched_bcast(got);
	head = sched_bcast(head);
	sched__batch_open(b, got);
	SCHED__EACH_ITEM(b, i)
	{
		uint32_t ticket = head + i, seq = ticket & ~a->slot_mask;
		uint64_t *slot = sched__ring_slot(a, ticket, a->slot_mask);
		uint64_t v, t0 = 0;

		if (a->queue_limit)
			sched__will_write(slot);
		for (uint32_t spins = 0;
			(uint32_t)((v = sched_ld(slot, acq, dev)) >> 32) != (seq | 1u); spins++)
			if (sched__spin_over(w, spins, &t0)) {
				v = SCHED_NONE; /* the run has failed: no item */
				break;
			}
		SCHED__ITEM(b, i) = (uint32_t)v;
		if (a->queue_limit)
			sched_st(slot, (uint64_t)(seq + a->slot_mask + 1u) << 32, rlx, dev);
	}
	sched_sync_worker();
	if (sched_lane() == 0 && got) {
		w->desk->n[SCHED__N_POPS] += got;
		if (!SCHED__RING_AT_ONCE && a->queue_limit)
			sched__ring_return(q, got);
	}
	return got;
}

/* Looks at the slot in one call, less one: on a CPU, where the others may need the processor, one. */
#ifdef __CUDACC__
#define SCHED__RING_LOOKS 7u
#else
#define SCHED__RING_LOOKS 0u
#endif

/* desk.q: [0] a ticket is held, [1] which; [2] belongs to pop_n: it found nothing. */
SCHED_WORKER_FN uint32_t sched_ring_wait(sched_worker *w, sched__batch *b)
{
	const sched__args *a = w->a;
	sched__ring_hot *q = sched__ring_hot_words(a);
	uint32_t got = 0;
	uint64_t v = 0;

	if (sched_lane() == 0) {
		uint32_t *held = w->desk->q, seq;
		uint64_t *slot;

		if (!held[0]) {
			held[0] = 1;
			held[1] = sched_add(&q[SCHED__RING_HEAD].v, 1u, rlx, dev);
			sched__ring_saw(
				w, sched_add(&q[SCHED__RING_AVAIL].v, 0xffffffffu, rlx, dev));
		}
		seq = held[1] & ~a->slot_mask;
		slot = sched__ring_slot(a, held[1], a->slot_mask);
		/* A few looks, for the caller has more to ask about between two calls. When many
		 * stand in line they look less often. */
		for (uint32_t k = 0;; k++) {
			v = sched_ld(slot, acq, dev);
			got = (uint32_t)(v >> 32) == (seq | 1u);
			if (got || k == SCHED__RING_LOOKS)
				break;
			sched__relax(a->workers > 600 ? 3 : 0, a->workers);
		}
		if (got) {
			held[0] = 0;
			w->desk->n[SCHED__N_POPS]++;
			sched__ring_saw(w, 1);
			if (a->queue_limit) {
				sched_st(slot, (uint64_t)(seq + a->slot_mask + 1u) << 32, rlx, dev);
				sched__ring_return(q, 1);
			}
		}
	}
	got = sched_bcast(got);
	sched__batch_open(b, got);
	if (got) {
		SCHED__EACH_ITEM(b, i)
		{
			SCHED__ITEM(b, i) = (uint32_t)v;
		}
	}
	sched_sync_worker();
	return got;
}

/* Everything that was given has been taken, so head and tail differ by those who stood in line. */
SCHED_WORKER_FN void sched_ring_end(const sched__args *a)
{
	sched__ring_hot *q = sched__ring_hot_words(a);

	if (sched_lane() == 0) {
		sched_st(&q[SCHED__RING_HEAD].v, sched_ld(&q[SCHED__RING_TAIL].v, rlx, dev), rlx,
			dev);
		sched_st(&q[SCHED__RING_AVAIL].v, 0u, rlx, dev);
	}
}

#endif
