/* dist: one private stack per worker, no sharing (Tzeng, Patney, Owens 2010, section 4.2,
 * distributed queuing).
 *
 * Callers: each worker, for its own stack only. Order: LIFO, which traverses a tree depth first and
 * keeps the stack short. Bounds: bin_size items a worker. Full: push enqueues what fits, the
 * overflow policy handles the rest; full and empty are exact, but an empty stack says nothing about
 * the others. Progress: wait-free, no atomics at all. Errors: none of its own.
 *
 * Only the worker that spawns an item can run it, so a worker with little work idles until the end;
 * the distribution of roots by tickets is the only load balancing. Choose it for many roots of
 * about equal work, or as the baseline: no queue is faster while all workers have work. */
#ifndef LIBSCHED_QUEUE_DIST_H
#define LIBSCHED_QUEUE_DIST_H

#include "libsched/queue/bin.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_DIST_KEEPS       1
#define LSCHED_I_DIST_TICKET_WAIT 0
#define LSCHED_I_DIST_ROUNDS      0
#define LSCHED_I_DIST_SORTED      0
#define LSCHED_I_DIST_SCRATCH     0

/* lsched_i_worker_private.queue: the number of items. A successful run leaves none, so zero is
 * correct at every start. */
enum { LSCHED_I_DIST_COUNT };

LSCHED_FN uint64_t lsched_dist_words(const lsched_i_shape *s)
{
	return lsched_i_bin_words(s);
}

LSCHED_WORKER_FN uint32_t lsched_dist_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	uint32_t *items = lsched_i_bin_items(lsched_i_bin(w, w->index));
	uint32_t *count = &w->priv->queue[LSCHED_I_DIST_COUNT];
	const uint32_t held = *count, room = w->a->queue_deque_capacity - held;
	const uint32_t got = b->n < room ? b->n : room;

	LSCHED_I_EACH_ITEM(b, i)
	{
		if (i < got)
			items[held + i] = LSCHED_I_ITEM(b, i);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		*count = held + got;
		w->priv->count[LSCHED_I_N_PUSHES] += got;
		if (held + got > w->priv->count[LSCHED_I_N_HIGH_WATER])
			w->priv->count[LSCHED_I_N_HIGH_WATER] = held + got;
	}
	lsched_sync_worker();
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_dist_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const uint32_t *items = lsched_i_bin_items(lsched_i_bin(w, w->index));
	uint32_t *count = &w->priv->queue[LSCHED_I_DIST_COUNT];
	const uint32_t held = *count, got = held < want ? held : want;

	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	{
		LSCHED_I_ITEM(b, i) = items[held - 1 - i];
	}
	lsched_sync_worker();
	if (lsched_lane() == 0 && got) {
		*count = held - got;
		w->priv->count[LSCHED_I_N_POPS] += got;
	}
	lsched_sync_worker();
	return got;
}

#endif
