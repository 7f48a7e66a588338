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

/* Capabilities, see queue.h. */
#define LSCHED_I_RELAUNCH_KEEPS       0
#define LSCHED_I_RELAUNCH_TICKET_WAIT 0
#define LSCHED_I_RELAUNCH_ROUNDS      1
#define LSCHED_I_RELAUNCH_SORTED      0
#define LSCHED_I_RELAUNCH_SCRATCH     0

/* State: which array is the input; items in it; items put into the output, and somewhat more after it
 * has been full. Only the last differs from word to word while a launch runs. */
enum { LSCHED_I_RELAUNCH_IN, LSCHED_I_RELAUNCH_ITEMS, LSCHED_I_RELAUNCH_OUT };
/* Desk: what is left of the share. */
enum { LSCHED_I_RELAUNCH_NEXT, LSCHED_I_RELAUNCH_END };

LSCHED_FN uint64_t lsched_relaunch_words(const lsched_i_shape *s)
{
	return lsched_i_pow2(s->capacity);
}

/* The input (0) or the output (1) of this launch. */
LSCHED_WORKER_FN uint32_t *lsched_i_relaunch_array(const lsched_i_args *a, uint32_t which)
{
	const uint32_t k = a->state->queue[LSCHED_I_RELAUNCH_IN].v ^ which;

	return (uint32_t *)a->queue_slots + (size_t)k * ((size_t)a->queue_slot_mask + 1);
}

LSCHED_WORKER_FN void lsched_relaunch_enter(lsched_worker *w)
{
	const uint32_t items = w->a->state->queue[LSCHED_I_RELAUNCH_ITEMS].v;

	if (lsched_lane() == 0) {
		w->priv->queue[LSCHED_I_RELAUNCH_NEXT] =
			lsched_i_share(items, w->index, w->a->workers);
		w->priv->queue[LSCHED_I_RELAUNCH_END] =
			lsched_i_share(items, w->index + 1, w->a->workers);
	}
}

LSCHED_WORKER_FN uint32_t lsched_relaunch_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	uint32_t *out = lsched_i_relaunch_array(a, 1);
	uint32_t *used = &a->state->queue[LSCHED_I_RELAUNCH_OUT].v;
	uint32_t got = b->n, at = 0;

	if (lsched_lane() == 0) {
		/* look first where it may be full: what goes beyond is never taken back, and this way
		 * it is less than a batch for each worker, however often they try */
		if (a->queue_limit && lsched_ld(used, rlx, dev) >= a->queue_limit)
			got = 0;
		if (got)
			at = lsched_add(used, got, rlx, dev);
		if (a->queue_limit && got) {
			uint32_t room = at < a->queue_limit ? a->queue_limit - at : 0;

			got = got < room ? got : room;
		}
		if (got) {
			w->priv->count[LSCHED_I_N_PUSHES] += got;
			if (at + got > w->priv->count[LSCHED_I_N_HIGH_WATER])
				w->priv->count[LSCHED_I_N_HIGH_WATER] = at + got;
		}
	}
	got = lsched_bcast(got);
	at = lsched_bcast(at);
	LSCHED_I_EACH_ITEM(b, i)
	{
		if (i < got)
			out[at + i] = LSCHED_I_ITEM(b, i);
	}
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_relaunch_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	return lsched_i_share_pop(w, b, want, lsched_i_relaunch_array(w->a, 0),
		LSCHED_I_RELAUNCH_NEXT, LSCHED_I_RELAUNCH_END);
}

LSCHED_WORKER_FN void lsched_relaunch_leave(lsched_worker *w)
{
	(void)w;
}

LSCHED_WORKER_FN uint32_t lsched_relaunch_round(const lsched_i_args *a)
{
	lsched_i_spread_word *q = a->state->queue;
	uint32_t items = q[LSCHED_I_RELAUNCH_OUT].v;

	if (a->queue_limit && items > a->queue_limit)
		items = a->queue_limit;
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		q[LSCHED_I_RELAUNCH_IN].v ^= 1u;
		q[LSCHED_I_RELAUNCH_ITEMS].v = items;
		q[LSCHED_I_RELAUNCH_OUT].v = 0;
	}
	lsched_sync_worker();
	return items;
}

#endif
