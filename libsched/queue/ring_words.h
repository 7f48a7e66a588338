/* The tickets and counts of a ring: `tail` and `used` for who gives, `head` and `avail` for who takes. What
 * they mean is in ring.h. All functions are the leader's.
 *
 * On a GPU they are four words far apart, for its atomics are bounded by the slice of the cache that a word
 * lies in, and each is changed when its time has come: `avail` when the items are in, `used` when the slots
 * are clear.
 *
 * Between processors it is the line that travels. There a ticket and a count make one word, all lie in one
 * line, and who has it adds to all that he has to: a giver tells of items before they are in their slots, a
 * taker gives places back before he has cleared them, and who comes too early waits at the slot, as he may
 * have to anyway. ARCHITECTURE.md has figures. */
#ifndef LIBSCHED_QUEUE_RING_WORDS_H
#define LIBSCHED_QUEUE_RING_WORDS_H

#include "libsched/core/worker.h"

enum { LSCHED_I_RING_AVAIL, LSCHED_I_RING_HEAD, LSCHED_I_RING_TAIL, LSCHED_I_RING_USED };

/* So many items were waiting. */
LSCHED_WORKER_FN void lsched_i_ring_saw(lsched_worker *w, uint32_t avail)
{
	if ((int32_t)avail > 0 && avail > w->priv->count[LSCHED_I_N_HIGH_WATER])
		w->priv->count[LSCHED_I_N_HIGH_WATER] = avail;
}

/* Of `want` items those that a count of `have` allows. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_part(int32_t have, uint32_t want)
{
	return have <= 0 ? 0 : (uint32_t)have < want ? (uint32_t)have : want;
}

/* Of `want` places those that are left when `had` of `limit` are given. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_room(uint32_t had, uint32_t limit, uint32_t want)
{
	const uint32_t room = had < limit ? limit - had : 0;

	return room < want ? room : want;
}

/* Takes up to `want` from a count that must not fall below zero; returns how many. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_take(lsched_worker *w, uint32_t *count, uint32_t want)
{
	int32_t have = (int32_t)lsched_add(count, 0u - want, rlx, dev);
	uint32_t got = lsched_i_ring_part(have, want);

	if (got < want)
		(void)lsched_add(count, want - got, rlx, dev);
	/* here it costs no wait for an answer, as it would where items are given */
	lsched_i_ring_saw(w, (uint32_t)have);
	return got;
}

/* The same with an upper bound. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_reserve(uint32_t *used, uint32_t limit, uint32_t want)
{
	const uint32_t got = lsched_i_ring_room(lsched_add(used, want, rlx, dev), limit, want);

	if (got < want)
		(void)lsched_add(used, 0u - (want - got), rlx, dev);
	return got;
}

#if LSCHED_I_GPU
#define LSCHED_I_RING_AT_ONCE 0 /* what there is to add is added at once */

typedef lsched_i_spread_word lsched_i_ring_hot;

LSCHED_WORKER_FN uint32_t lsched_i_ring_places(lsched_i_ring_hot *q, uint32_t limit, uint32_t want)
{
	return lsched_i_ring_reserve(&q[LSCHED_I_RING_USED].v, limit, want);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_tail(lsched_i_ring_hot *q, uint32_t got)
{
	return lsched_add(&q[LSCHED_I_RING_TAIL].v, got, rlx, dev);
}

/* Items may be taken. */
LSCHED_WORKER_FN void lsched_i_ring_tell(lsched_i_ring_hot *q, uint32_t items)
{
	(void)lsched_add(&q[LSCHED_I_RING_AVAIL].v, items, rlx, dev);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_has_items(lsched_i_ring_hot *q)
{
	return (int32_t)lsched_ld(&q[LSCHED_I_RING_AVAIL].v, rlx, dev) > 0;
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_items(lsched_worker *w, lsched_i_ring_hot *q, uint32_t want)
{
	return lsched_i_ring_take(w, &q[LSCHED_I_RING_AVAIL].v, want);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_head(lsched_i_ring_hot *q, uint32_t got, uint32_t counted)
{
	(void)counted;
	return lsched_add(&q[LSCHED_I_RING_HEAD].v, got, rlx, dev);
}

/* Places may be given. Only where they are counted. */
LSCHED_WORKER_FN void lsched_i_ring_return(lsched_i_ring_hot *q, uint32_t places)
{
	(void)lsched_add(&q[LSCHED_I_RING_USED].v, 0u - places, rlx, dev);
}

/* A ticket for an item that need not be there yet. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_stand(lsched_worker *w, lsched_i_ring_hot *q)
{
	uint32_t head = lsched_add(&q[LSCHED_I_RING_HEAD].v, 1u, rlx, dev);

	lsched_i_ring_saw(w, lsched_add(&q[LSCHED_I_RING_AVAIL].v, 0xffffffffu, rlx, dev));
	return head;
}

/* Everything that was given has been taken, so head and tail differ by those who stood in line. */
LSCHED_WORKER_FN void lsched_i_ring_forget(lsched_i_ring_hot *q)
{
	lsched_st(
		&q[LSCHED_I_RING_HEAD].v, lsched_ld(&q[LSCHED_I_RING_TAIL].v, rlx, dev), rlx, dev);
	lsched_st(&q[LSCHED_I_RING_AVAIL].v, 0u, rlx, dev);
}

#else
#define LSCHED_I_RING_AT_ONCE 1

/* Each word is ticket x 2^32 + count, modulo 2^64, where the count may be negative for a while: so one
 * addition changes both, and zero is an empty ring. */
typedef struct lsched_i_ring_hot {
	uint64_t given; /* tail and avail */
	uint64_t taken; /* head and used */
} lsched_i_ring_hot;

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

LSCHED_WORKER_FN uint32_t lsched_i_ring_places(lsched_i_ring_hot *q, uint32_t limit, uint32_t want)
{
	const uint64_t was = lsched_add(&q->taken, (uint64_t)want, rlx, dev);
	const uint32_t got = lsched_i_ring_room(lsched_i_ring_count(was), limit, want);

	if (got < want)
		(void)lsched_add(&q->taken, (uint64_t)0 - (want - got), rlx, dev);
	return got;
}

/* Tells of the items too. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_tail(lsched_i_ring_hot *q, uint32_t got)
{
	const uint64_t both = lsched_i_ring_pair(got, (int32_t)got);

	return lsched_i_ring_ticket(lsched_add(&q->given, both, rlx, dev));
}

/* Has been done. */
LSCHED_WORKER_FN void lsched_i_ring_tell(lsched_i_ring_hot *q, uint32_t items)
{
	(void)q;
	(void)items;
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_has_items(lsched_i_ring_hot *q)
{
	return (int32_t)lsched_i_ring_count(lsched_ld(&q->given, rlx, dev)) > 0;
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_items(lsched_worker *w, lsched_i_ring_hot *q, uint32_t want)
{
	const uint64_t was = lsched_add(&q->given, (uint64_t)0 - want, rlx, dev);
	const int32_t have = (int32_t)lsched_i_ring_count(was);
	const uint32_t got = lsched_i_ring_part(have, want);

	if (got < want)
		(void)lsched_add(&q->given, (uint64_t)(want - got), rlx, dev);
	lsched_i_ring_saw(w, (uint32_t)have);
	return got;
}

/* Gives the places back too, if they are counted. */
LSCHED_WORKER_FN uint32_t lsched_i_ring_head(lsched_i_ring_hot *q, uint32_t got, uint32_t counted)
{
	const uint64_t both = lsched_i_ring_pair(got, counted ? 0 - (int32_t)got : 0);

	return lsched_i_ring_ticket(lsched_add(&q->taken, both, rlx, dev));
}

/* For who stood in line: he drew his ticket when nothing was given back. */
LSCHED_WORKER_FN void lsched_i_ring_return(lsched_i_ring_hot *q, uint32_t places)
{
	(void)lsched_add(&q->taken, (uint64_t)0 - places, rlx, dev);
}

LSCHED_WORKER_FN uint32_t lsched_i_ring_stand(lsched_worker *w, lsched_i_ring_hot *q)
{
	const uint64_t was = lsched_add(&q->taken, lsched_i_ring_pair(1, 0), rlx, dev);

	lsched_i_ring_saw(w, lsched_i_ring_count(lsched_add(&q->given, UINT64_MAX, rlx, dev)));
	return lsched_i_ring_ticket(was);
}

LSCHED_WORKER_FN void lsched_i_ring_forget(lsched_i_ring_hot *q)
{
	const uint32_t tail = lsched_i_ring_ticket(lsched_ld(&q->given, rlx, dev));

	lsched_st(&q->given, lsched_i_ring_pair(tail, 0), rlx, dev);
	lsched_st(&q->taken, lsched_i_ring_pair(tail, 0), rlx, dev);
}
#endif

LSCHED_WORKER_FN lsched_i_ring_hot *lsched_i_ring_hot_words(const lsched_i_args *a)
{
	return (lsched_i_ring_hot *)a->state->queue;
}

#endif
