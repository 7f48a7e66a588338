/* relaunch: an input and an output array that swap roles at each launch (Cederman, Tsigas 2011,
 * section 35.3.1, the static assignment that the chapter compares with stealing).
 *
 * In a launch worker k processes the k-th even share of the input, without synchronisation, because
 * the input is constant. Ready items go to the output, in slots reserved by fetch-and-add. When all
 * workers have left, the arrays swap roles; the run ends when the output is empty.
 *
 * Callers: each worker, at any time of its launch. Order: an item runs in the launch after its
 * producer's, so a tree is processed level by level; inside a launch a share is processed in the
 * order of its slots. Full: each array holds the capacity, and the overflow policy handles items
 * that do not fit into the output; the output only grows, so "full" is exact. Empty is final for
 * the launch. Progress: no operation waits; a push is one fetch-and-add, a pop accesses the
 * worker's private variables only. Memory: two arrays of the capacity, which must hold the widest
 * level.
 *
 * Choose it for work of about equal length in few wide levels. One long item delays the launch, and
 * every level costs a launch (some microseconds on a GPU). */
#ifndef LIBSCHED_QUEUE_RELAUNCH_H
#define LIBSCHED_QUEUE_RELAUNCH_H

#include "libsched/queue/rounds.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_RELAUNCH_KEEPS       0
#define LSCHED_I_RELAUNCH_TICKET_WAIT 0
#define LSCHED_I_RELAUNCH_ROUNDS      1
#define LSCHED_I_RELAUNCH_SORTED      0
#define LSCHED_I_RELAUNCH_SCRATCH     0

/* State: index of the input array; items in it; items in the output, plus failed reservations once
 * it is full. Only the last changes during a launch. */
enum { LSCHED_I_RELAUNCH_IN, LSCHED_I_RELAUNCH_ITEMS, LSCHED_I_RELAUNCH_OUT };
/* Private variables: the rest of the share. */
enum { LSCHED_I_RELAUNCH_NEXT, LSCHED_I_RELAUNCH_END };

LSCHED_FN uint64_t lsched_relaunch_words(const lsched_i_shape *s)
{
	return lsched_i_pow2(s->capacity);
}

/* Returns the input (0) or the output (1) of this launch. */
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
		/* Read first if it may be full: reservations beyond the limit are not undone, and
		 * this bounds them by one batch per worker. */
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
