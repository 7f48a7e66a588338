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

enum { SCHED__RING_AVAIL, SCHED__RING_HEAD, SCHED__RING_TAIL, SCHED__RING_USED };

/* So many items were waiting. */
SCHED_WORKER_FN void sched__ring_saw(sched_worker *w, uint32_t avail)
{
	if ((int32_t)avail > 0 && avail > w->desk->n[SCHED__N_HIGH_WATER])
		w->desk->n[SCHED__N_HIGH_WATER] = avail;
}

/* Of `want` items those that a count of `have` allows. */
SCHED_WORKER_FN uint32_t sched__ring_part(int32_t have, uint32_t want)
{
	return have <= 0 ? 0 : (uint32_t)have < want ? (uint32_t)have : want;
}

/* Of `want` places those that are left when `had` of `limit` are given. */
SCHED_WORKER_FN uint32_t sched__ring_room(uint32_t had, uint32_t limit, uint32_t want)
{
	const uint32_t room = had < limit ? limit - had : 0;

	return room < want ? room : want;
}

/* Takes up to `want` from a count that must not fall below zero; returns how many. */
SCHED_WORKER_FN uint32_t sched__ring_take(sched_worker *w, uint32_t *count, uint32_t want)
{
	int32_t have = (int32_t)sched_add(count, 0u - want, rlx, dev);
	uint32_t got = sched__ring_part(have, want);

	if (got < want)
		(void)sched_add(count, want - got, rlx, dev);
	/* here it costs no wait for an answer, as it would where items are given */
	sched__ring_saw(w, (uint32_t)have);
	return got;
}

/* The same with an upper bound. */
SCHED_WORKER_FN uint32_t sched__ring_reserve(uint32_t *used, uint32_t limit, uint32_t want)
{
	const uint32_t got = sched__ring_room(sched_add(used, want, rlx, dev), limit, want);

	if (got < want)
		(void)sched_add(used, 0u - (want - got), rlx, dev);
	return got;
}

#ifdef __CUDACC__
#define SCHED__RING_AT_ONCE 0 /* what there is to add is added at once */

typedef sched__apart sched__ring_hot;

SCHED_WORKER_FN uint32_t sched__ring_places(sched__ring_hot *q, uint32_t limit, uint32_t want)
{
	return sched__ring_reserve(&q[SCHED__RING_USED].v, limit, want);
}

SCHED_WORKER_FN uint32_t sched__ring_tail(sched__ring_hot *q, uint32_t got)
{
	return sched_add(&q[SCHED__RING_TAIL].v, got, rlx, dev);
}

/* Items may be taken. */
SCHED_WORKER_FN void sched__ring_tell(sched__ring_hot *q, uint32_t items)
{
	(void)sched_add(&q[SCHED__RING_AVAIL].v, items, rlx, dev);
}

SCHED_WORKER_FN uint32_t sched__ring_has_items(sched__ring_hot *q)
{
	return (int32_t)sched_ld(&q[SCHED__RING_AVAIL].v, rlx, dev) > 0;
}

SCHED_WORKER_FN uint32_t sched__ring_items(sched_worker *w, sched__ring_hot *q, uint32_t want)
{
	return sched__ring_take(w, &q[SCHED__RING_AVAIL].v, want);
}

SCHED_WORKER_FN uint32_t sched__ring_head(sched__ring_hot *q, uint32_t got, uint32_t counted)
{
	(void)counted;
	return sched_add(&q[SCHED__RING_HEAD].v, got, rlx, dev);
}

/* Places may be given. Only where they are counted. */
SCHED_WORKER_FN void sched__ring_return(sched__ring_hot *q, uint32_t places)
{
	(void)sched_add(&q[SCHED__RING_USED].v, 0u - places, rlx, dev);
}

/* A ticket for an item that need not be there yet. */
SCHED_WORKER_FN uint32_t sched__ring_stand(sched_worker *w, sched__ring_hot *q)
{
	uint32_t head = sched_add(&q[SCHED__RING_HEAD].v, 1u, rlx, dev);

	sched__ring_saw(w, sched_add(&q[SCHED__RING_AVAIL].v, 0xffffffffu, rlx, dev));
	return head;
}

/* Everything that was given has been taken, so head and tail differ by those who stood in line. */
SCHED_WORKER_FN void sched__ring_forget(sched__ring_hot *q)
{
	sched_st(&q[SCHED__RING_HEAD].v, sched_ld(&q[SCHED__RING_TAIL].v, rlx, dev), rlx, dev);
	sched_st(&q[SCHED__RING_AVAIL].v, 0u, rlx, dev);
}

#else
#define SCHED__RING_AT_ONCE 1

/* Each word is ticket x 2^32 + count, modulo 2^64, where the count may be negative for a while: so one
 * addition changes both, and zero is an empty ring. */
typedef struct sched__ring_hot {
	uint64_t given; /* tail and avail */
	uint64_t taken; /* head and used */
} sched__ring_hot;

SCHED_WORKER_FN uint64_t sched__ring_pair(uint32_t tickets, int32_t count)
{
	return ((uint64_t)tickets << 32) + (uint64_t)(int64_t)count;
}

SCHED_WORKER_FN uint32_t sched__ring_count(uint64_t word)
{
	return (uint32_t)word;
}

SCHED_WORKER_FN uint32_t sched__ring_ticket(uint64_t word)
{
	return (uint32_t)((word - (uint64_t)(int64_t)(int32_t)sched__ring_count(word)) >> 32);
}

SCHED_WORKER_FN uint32_t sched__ring_places(sched__ring_hot *q, uint32_t limit, uint32_t want)
{
	const uint64_t was = sched_add(&q->taken, (uint64_t)want, rlx, dev);
	const uint32_t got = sched__ring_room(sched__ring_count(was), limit, want);

	if (got < want)
		(void)sched_add(&q->taken, (uint64_t)0 - (want - got), rlx, dev);
	return got;
}

/* Tells of the items too. */
SCHED_WORKER_FN uint32_t sched__ring_tail(sched__ring_hot *q, uint32_t got)
{
	const uint64_t both = sched__ring_pair(got, (int32_t)got);

	return sched__ring_ticket(sched_add(&q->given, both, rlx, dev));
}

/* Has been done. */
SCHED_WORKER_FN void sched__ring_tell(sched__ring_hot *q, uint32_t items)
{
	(void)q;
	(void)items;
}

SCHED_WORKER_FN uint32_t sched__ring_has_items(sched__ring_hot *q)
{
	return (int32_t)sched__ring_count(sched_ld(&q->given, rlx, dev)) > 0;
}

SCHED_WORKER_FN uint32_t sched__ring_items(sched_worker *w, sched__ring_hot *q, uint32_t want)
{
	const uint64_t was = sched_add(&q->given, (uint64_t)0 - want, rlx, dev);
	const int32_t have = (int32_t)sched__ring_count(was);
	const uint32_t got = sched__ring_part(have, want);

	if (got < want)
		(void)sched_add(&q->given, (uint64_t)(want - got), rlx, dev);
	sched__ring_saw(w, (uint32_t)have);
	return got;
}

/* Gives the places back too, if they are counted. */
SCHED_WORKER_FN uint32_t sched__ring_head(sched__ring_hot *q, uint32_t got, uint32_t counted)
{
	const uint64_t both = sched__ring_pair(got, counted ? 0 - (int32_t)got : 0);

	return sched__ring_ticket(sched_add(&q->taken, both, rlx, dev));
}

/* For who stood in line: he drew his ticket when nothing was given back. */
SCHED_WORKER_FN void sched__ring_return(sched__ring_hot *q, uint32_t places)
{
	(void)sched_add(&q->taken, (uint64_t)0 - places, rlx, dev);
}

SCHED_WORKER_FN uint32_t sched__ring_stand(sched_worker *w, sched__ring_hot *q)
{
	const uint64_t was = sched_add(&q->taken, sched__ring_pair(1, 0), rlx, dev);

	sched__ring_saw(w, sched__ring_count(sched_add(&q->given, UINT64_MAX, rlx, dev)));
	return sched__ring_ticket(was);
}

SCHED_WORKER_FN void sched__ring_forget(sched__ring_hot *q)
{
	const uint32_t tail = sched__ring_ticket(sched_ld(&q->given, rlx, dev));

	sched_st(&q->given, sched__ring_pair(tail, 0), rlx, dev);
	sched_st(&q->taken, sched__ring_pair(tail, 0), rlx, dev);
}
#endif

SCHED_WORKER_FN sched__ring_hot *sched__ring_hot_words(const sched__args *a)
{
	return (sched__ring_hot *)a->state->queue;
}

#endif
