/* Tickets and counts of a ring: `tail` and `used` of producers, `head` and `avail` of consumers.
 * ring.h defines their meaning. All functions are called by the leader.
 *
 * On a GPU they are four words on separate cache lines, because its atomic throughput is limited
 * per L2 slice. Each word changes at the latest correct time: `avail` after the slots are filled,
 * `used` after the slots are cleared.
 *
 * On a CPU the transfer of the cache line between cores is the cost. There a ticket and a count
 * share one word, all words share one line, and a worker that has the line does all of its
 * additions at once: a producer increments the item count before it fills the slots, a consumer
 * releases slots before it clears them. An operation that comes too early waits at the slot, as it
 * may have to anyway. bench/notes/decisions.md has figures. */
#ifndef LIBSCHED_QUEUE_RING_WORDS_H
#define LIBSCHED_QUEUE_RING_WORDS_H

#include "libsched/core/worker.h"

enum { LSCHED_I_RING_AVAIL, LSCHED_I_RING_HEAD, LSCHED_I_RING_TAIL, LSCHED_I_RING_USED };

/* Updates the high-water mark by a fill level of `avail`. */
LSCHED_WORKER_FN void lsched_i_ring_note_level(lsched_worker *w, uint32_t avail)
{
	if ((int32_t)avail > 0 && avail > w->priv->count[LSCHED_I_N_HIGH_WATER])
		w->priv->count[LSCHED_I_N_HIGH_WATER] = avail;
}

/* Returns how many of `want` items a count of `have` allows. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_part(int32_t have, uint32_t want)
{
	return have <= 0 ? 0 : (uint32_t)have < want ? (uint32_t)have : want;
}

/* Returns how many of `want` slots are free when `had` of `limit` are reserved. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_room(uint32_t had, uint32_t limit, uint32_t want)
{
	const uint32_t room = had < limit ? limit - had : 0;

	return room < want ? room : want;
}

/* Subtracts up to `want` from a count that must not fall below zero; returns how much. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_claim(lsched_worker *w, uint32_t *count, uint32_t want)
{
	int32_t have = (int32_t)lsched_add(count, 0u - want, rlx, dev);
	uint32_t got = lsched_i_ring_part(have, want);

	if (got < want)
		(void)lsched_add(count, want - got, rlx, dev);
	/* consumers record the level, because they wait for the result of this addition
	 * anyway */
	lsched_i_ring_note_level(w, (uint32_t)have);
	return got;
}

/* Adds up to `want` to a count with an upper bound; returns how much. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_reserve(uint32_t *used, uint32_t limit, uint32_t want)
{
	const uint32_t got = lsched_i_ring_room(lsched_add(used, want, rlx, dev), limit, want);

	if (got < want)
		(void)lsched_add(used, 0u - (want - got), rlx, dev);
	return got;
}

#if LSCHED_I_GPU
#define LSCHED_I_RING_AT_ONCE 0 /* 1: ticket and count are added at once, as one word */

typedef lsched_i_spread_word lsched_i_ring_counters;

LSCHED_WORKER_FN uint32_t lsched_i_ring_reserve_slots(
	lsched_i_ring_counters *q, uint32_t limit, uint32_t want)
{
	return lsched_i_ring_reserve(&q[LSCHED_I_RING_USED].v, limit, want);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_tail_tickets(lsched_i_ring_counters *q, uint32_t got)
{
	return lsched_add(&q[LSCHED_I_RING_TAIL].v, got, rlx, dev);
}

/* Makes items available to consumers. */
LSCHED_WORKER_FN void lsched_i_ring_publish_count(lsched_i_ring_counters *q, uint32_t items)
{
	(void)lsched_add(&q[LSCHED_I_RING_AVAIL].v, items, rlx, dev);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_has_items(lsched_i_ring_counters *q)
{
	return (int32_t)lsched_ld(&q[LSCHED_I_RING_AVAIL].v, rlx, dev) > 0;
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_claim_items(
	lsched_worker *w, lsched_i_ring_counters *q, uint32_t want)
{
	return lsched_i_ring_claim(w, &q[LSCHED_I_RING_AVAIL].v, want);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_head_tickets(
	lsched_i_ring_counters *q, uint32_t got, uint32_t counted)
{
	(void)counted;
	return lsched_add(&q[LSCHED_I_RING_HEAD].v, got, rlx, dev);
}

/* Releases slots. Only if they are counted. */
LSCHED_WORKER_FN void lsched_i_ring_release_slots(lsched_i_ring_counters *q, uint32_t slots)
{
	(void)lsched_add(&q[LSCHED_I_RING_USED].v, 0u - slots, rlx, dev);
}

/* Draws a ticket for an item that may not exist yet. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_reserve_ticket(lsched_worker *w, lsched_i_ring_counters *q)
{
	uint32_t head = lsched_add(&q[LSCHED_I_RING_HEAD].v, 1u, rlx, dev);

	lsched_i_ring_note_level(w, lsched_add(&q[LSCHED_I_RING_AVAIL].v, 0xffffffffu, rlx, dev));
	return head;
}

/* Discards unused tickets. All items have been dequeued, so head and tail differ by these
 * tickets. */
LSCHED_WORKER_FN void lsched_i_ring_reset(lsched_i_ring_counters *q)
{
	lsched_st(
		&q[LSCHED_I_RING_HEAD].v, lsched_ld(&q[LSCHED_I_RING_TAIL].v, rlx, dev), rlx, dev);
	lsched_st(&q[LSCHED_I_RING_AVAIL].v, 0u, rlx, dev);
}

#else
#define LSCHED_I_RING_AT_ONCE 1

/* Each word is ticket x 2^32 + count, modulo 2^64, where the count may temporarily be negative. So
 * one addition changes both, and zero is an empty ring. */
typedef struct lsched_i_ring_counters {
	uint64_t tail_avail; /* tail and avail */
	uint64_t head_used;  /* head and used */
} lsched_i_ring_counters;

LSCHED_WORKER_FN uint64_t lsched_i_ring_pair(uint32_t tickets, int32_t count)
{
	return ((uint64_t)tickets << 32) + (uint64_t)(int64_t)count;
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_count(uint64_t word)
{
	return (uint32_t)word;
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_ticket(uint64_t word)
{
	return (uint32_t)((word - (uint64_t)(int64_t)(int32_t)lsched_i_ring_count(word)) >> 32);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_reserve_slots(
	lsched_i_ring_counters *q, uint32_t limit, uint32_t want)
{
	const uint64_t was = lsched_add(&q->head_used, (uint64_t)want, rlx, dev);
	const uint32_t got = lsched_i_ring_room(lsched_i_ring_count(was), limit, want);

	if (got < want)
		(void)lsched_add(&q->head_used, (uint64_t)0 - (want - got), rlx, dev);
	return got;
}

/* Makes the items available too. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_tail_tickets(lsched_i_ring_counters *q, uint32_t got)
{
	const uint64_t both = lsched_i_ring_pair(got, (int32_t)got);

	return lsched_i_ring_ticket(lsched_add(&q->tail_avail, both, rlx, dev));
}

/* No operation: lsched_i_ring_tail_tickets() has added the items. */
LSCHED_WORKER_FN void lsched_i_ring_publish_count(lsched_i_ring_counters *q, uint32_t items)
{
	(void)q;
	(void)items;
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_has_items(lsched_i_ring_counters *q)
{
	return (int32_t)lsched_i_ring_count(lsched_ld(&q->tail_avail, rlx, dev)) > 0;
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_claim_items(
	lsched_worker *w, lsched_i_ring_counters *q, uint32_t want)
{
	const uint64_t was = lsched_add(&q->tail_avail, (uint64_t)0 - want, rlx, dev);
	const int32_t have = (int32_t)lsched_i_ring_count(was);
	const uint32_t got = lsched_i_ring_part(have, want);

	if (got < want)
		(void)lsched_add(&q->tail_avail, (uint64_t)(want - got), rlx, dev);
	lsched_i_ring_note_level(w, (uint32_t)have);
	return got;
}

/* Releases the slots too, if they are counted. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_head_tickets(
	lsched_i_ring_counters *q, uint32_t got, uint32_t counted)
{
	const uint64_t both = lsched_i_ring_pair(got, counted ? 0 - (int32_t)got : 0);

	return lsched_i_ring_ticket(lsched_add(&q->head_used, both, rlx, dev));
}

/* For ticket waits: the slot was not released when the ticket was drawn. */
LSCHED_WORKER_FN void lsched_i_ring_release_slots(lsched_i_ring_counters *q, uint32_t slots)
{
	(void)lsched_add(&q->head_used, (uint64_t)0 - slots, rlx, dev);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_reserve_ticket(lsched_worker *w, lsched_i_ring_counters *q)
{
	const uint64_t was = lsched_add(&q->head_used, lsched_i_ring_pair(1, 0), rlx, dev);

	lsched_i_ring_note_level(
		w, lsched_i_ring_count(lsched_add(&q->tail_avail, UINT64_MAX, rlx, dev)));
	return lsched_i_ring_ticket(was);
}

LSCHED_WORKER_FN void lsched_i_ring_reset(lsched_i_ring_counters *q)
{
	const uint32_t tail = lsched_i_ring_ticket(lsched_ld(&q->tail_avail, rlx, dev));

	lsched_st(&q->tail_avail, lsched_i_ring_pair(tail, 0), rlx, dev);
	lsched_st(&q->head_used, lsched_i_ring_pair(tail, 0), rlx, dev);
}
#endif

LSCHED_WORKER_FN lsched_i_ring_counters *lsched_i_ring_counters_of(const lsched_i_args *a)
{
	return (lsched_i_ring_counters *)a->state->queue;
}

#endif
