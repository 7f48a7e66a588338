/* relaunch: two arrays, one read and one written, that change roles at each launch (Cederman, Tsigas
 * 2011, section 35.3.1, there the static assignment that stealing is compared with).
 *
 * In a launch worker k takes the k-th even share of the input, without any synchronisation, since nobody
 * writes there. What becomes ready goes to the output, in places given out by fetch-and-add. When all
 * have left, the arrays change roles; the run is over when the output has stayed empty.
 *
 * Who may call: every worker, at any time of its launch. Order: an item is run in the launch after the
 * one that gave it, so a tree is worked off level by level; inside a launch a share goes in order of its
 * places. Full: each array has room for the capacity, and what finds no place in the output goes to the
 * overflow policy; the output only grows, so "full" is never false. Empty is final for the launch.
 * Progress: no operation waits; a push is one fetch-and-add, a pop touches the worker's own words only.
 * Memory: two arrays of the capacity, which has to hold the widest level.
 *
 * When to choose it: many launches' worth of work of about equal length, in few wide levels. One long
 * item holds up the launch, and every level costs a launch (some microseconds on a GPU). */
#ifndef LIBSCHED_QUEUE_RELAUNCH_H
#define LIBSCHED_QUEUE_RELAUNCH_H

#include "libsched/queue/rounds.h"

/* State: which array is the input; items in it; items put into the output, and somewhat more after it
 * has been full. Only the last differs from word to word while a launch runs. */
enum { SCHED__RELAUNCH_IN, SCHED__RELAUNCH_ITEMS, SCHED__RELAUNCH_OUT };
/* Desk: what is left of the share. */
enum { SCHED__RELAUNCH_NEXT, SCHED__RELAUNCH_END };

SCHED_FN uint64_t sched_relaunch_words(const sched__shape *s)
{
	return sched__pow2(s->capacity);
}

/* The input (0) or the output (1) of this launch. */
SCHED_WORKER_FN uint32_t *sched__relaunch_array(const sched__args *a, uint32_t which)
{
	const uint32_t k = a->state->queue[SCHED__RELAUNCH_IN].v ^ which;

	return (uint32_t *)a->slots + (size_t)k * ((size_t)a->slot_mask + 1);
}

SCHED_WORKER_FN void sched_relaunch_enter(sched_worker *w)
{
	const uint32_t items = w->a->state->queue[SCHED__RELAUNCH_ITEMS].v;

	if (sched_lane() == 0) {
		w->desk->q[SCHED__RELAUNCH_NEXT] = sched__share(items, w->index, w->a->workers);
		w->desk->q[SCHED__RELAUNCH_END] = sched__share(items, w->index + 1, w->a->workers);
	}
}

SCHED_WORKER_FN uint32_t sched_relaunch_push_n(sched_worker *w, const sched__batch *b)
{
	const sched__args *a = w->a;
	uint32_t *out = sched__relaunch_array(a, 1);
	uint32_t *used = &a->state->queue[SCHED__RELAUNCH_OUT].v;
	uint32_t got = b->n, at = 0;

	if (sched_lane() == 0) {
		/* look first where it may be full: what goes beyond is never taken back, and this way
		 * it is less than a batch for each worker, however often they try */
		if (a->queue_limit && sched_ld(used, rlx, dev) >= a->queue_limit)
			got = 0;
		if (got)
			at = sched_add(used, got, rlx, dev);
		if (a->queue_limit && got) {
			uint32_t room = at < a->queue_limit ? a->queue_limit - at : 0;

			got = got < room ? got : room;
		}
		if (got) {
			w->desk->n[SCHED__N_PUSHES] += got;
			if (at + got > w->desk->n[SCHED__N_HIGH_WATER])
				w->desk->n[SCHED__N_HIGH_WATER] = at + got;
		}
	}
	got = sched_bcast(got);
	at = sched_bcast(at);
	SCHED__EACH_ITEM(b, i)
	{
		if (i < got)
			out[at + i] = SCHED__ITEM(b, i);
	}
	return got;
}

SCHED_WORKER_FN uint32_t sched_relaunch_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	return sched__share_pop(w, b, want, sched__relaunch_array(w->a, 0), SCHED__RELAUNCH_NEXT,
		SCHED__RELAUNCH_END);
}

SCHED_WORKER_FN void sched_relaunch_leave(sched_worker *w)
{
	(void)w;
}

SCHED_WORKER_FN uint32_t sched_relaunch_round(const sched__args *a)
{
	sched__apart *q = a->state->queue;
	uint32_t items = q[SCHED__RELAUNCH_OUT].v;

	if (a->queue_limit && items > a->queue_limit)
		items = a->queue_limit;
	sched_sync_worker();
	if (sched_lane() == 0) {
		q[SCHED__RELAUNCH_IN].v ^= 1u;
		q[SCHED__RELAUNCH_ITEMS].v = items;
		q[SCHED__RELAUNCH_OUT].v = 0;
	}
	sched_sync_worker();
	return items;
}

#endif
