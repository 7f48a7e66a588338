/* compact: each worker writes to its own output region, and a pass between two launches compacts
 * all regions into the next input (Lauterbach, Mo, Manocha 2009, section 3.2, "compaction", after
 * Zhou et al. 2008).
 *
 * Launches alternate. In a work launch worker k processes the k-th even share of the dense input
 * and writes to its region; neither needs an atomic. The last worker computes the prefix sum of the
 * regions' counts. In the following launch each worker copies its region to its offset in the
 * input, and the next work launch begins. The extra launch is the paper's argument against this
 * method, so it is kept; relaunch is the same without it, with one atomic for each push.
 *
 * Callers: each worker, at any time of its launch. Order: an item runs in the work launch after its
 * producer's; the input is ordered by worker and then by time, so equal shares give an equal order.
 * Full: a region holds bin items, the paper's bound on the items spawned in a step; the overflow
 * policy handles the rest. Full and empty are exact. Progress: no operation waits or accesses a
 * word that another worker writes. Memory: two arrays of bin items a worker.
 *
 * Choose it to reproduce the paper's figures, or where an atomic on one word costs more than a
 * second launch for each level. */
#ifndef LIBSCHED_QUEUE_COMPACT_H
#define LIBSCHED_QUEUE_COMPACT_H

#include "libsched/queue/rounds.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_COMPACT_KEEPS       0
#define LSCHED_I_COMPACT_TICKET_WAIT 0
#define LSCHED_I_COMPACT_ROUNDS      1
#define LSCHED_I_COMPACT_SORTED      0
#define LSCHED_I_COMPACT_SCRATCH     0

/* State: nonzero in a launch that copies; items in the input. Both are constant during a launch. */
enum { LSCHED_I_COMPACT_COPY, LSCHED_I_COMPACT_ITEMS };
/* Private variables: the rest of the share, and the items in the region. */
enum { LSCHED_I_COMPACT_NEXT, LSCHED_I_COMPACT_END, LSCHED_I_COMPACT_FILL };

/* The input is in the first half of the regions. */
LSCHED_FN uint64_t lsched_compact_words(const lsched_i_shape *s)
{
	return lsched_i_regions_words(s);
}

LSCHED_WORKER_FN uint32_t *lsched_i_compact_region(const lsched_i_args *a, uint32_t worker)
{
	return lsched_i_regions(a) +
	       ((size_t)a->queue_max_workers + worker) * a->queue_deque_capacity;
}

LSCHED_WORKER_FN void lsched_compact_enter(lsched_worker *w)
{
	const lsched_i_args *a = w->a;
	const lsched_i_spread_word *q = a->state->queue;

	if (q[LSCHED_I_COMPACT_COPY].v) {
		const uint32_t n = lsched_i_region_counts(a)[w->index];
		const uint32_t *from = lsched_i_compact_region(a, w->index);
		uint32_t *to = lsched_i_regions(a) + lsched_i_region_offsets(a)[w->index];

		for (uint32_t i = lsched_lane(); i < n; i += LSCHED_LANES)
			to[i] = from[i];
	} else if (lsched_lane() == 0) {
		const uint32_t items = q[LSCHED_I_COMPACT_ITEMS].v;

		w->priv->queue[LSCHED_I_COMPACT_NEXT] = lsched_i_share(items, w->index, a->workers);
		w->priv->queue[LSCHED_I_COMPACT_END] =
			lsched_i_share(items, w->index + 1, a->workers);
	}
}

LSCHED_WORKER_FN uint32_t lsched_compact_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	uint32_t *region = lsched_i_compact_region(a, w->index);
	uint32_t got = 0, at = 0;

	if (lsched_lane() == 0) {
		const uint32_t room =
			a->queue_deque_capacity - w->priv->queue[LSCHED_I_COMPACT_FILL];

		at = w->priv->queue[LSCHED_I_COMPACT_FILL];
		got = b->n < room ? b->n : room;
		w->priv->queue[LSCHED_I_COMPACT_FILL] = at + got;
		w->priv->count[LSCHED_I_N_PUSHES] += got;
		if (at + got > w->priv->count[LSCHED_I_N_HIGH_WATER])
			w->priv->count[LSCHED_I_N_HIGH_WATER] = at + got;
	}
	got = lsched_bcast(got);
	at = lsched_bcast(at);
	LSCHED_I_EACH_ITEM(b, i)
	{
		if (i < got)
			region[at + i] = LSCHED_I_ITEM(b, i);
	}
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_compact_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	return lsched_i_share_pop(
		w, b, want, lsched_i_regions(w->a), LSCHED_I_COMPACT_NEXT, LSCHED_I_COMPACT_END);
}

LSCHED_WORKER_FN void lsched_compact_leave(lsched_worker *w)
{
	if (lsched_lane() == 0)
		lsched_i_region_counts(w->a)[w->index] = w->priv->queue[LSCHED_I_COMPACT_FILL];
}

LSCHED_WORKER_FN uint32_t lsched_compact_round(const lsched_i_args *a)
{
	lsched_i_spread_word *q = a->state->queue;
	const uint32_t copied = q[LSCHED_I_COMPACT_COPY].v;
	uint32_t items = q[LSCHED_I_COMPACT_ITEMS].v;

	if (!copied)
		items = lsched_i_prefix_sum(
			lsched_i_region_counts(a), lsched_i_region_offsets(a), a->workers);
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		q[LSCHED_I_COMPACT_COPY].v = !copied && items;
		q[LSCHED_I_COMPACT_ITEMS].v = items;
	}
	lsched_sync_worker();
	return items;
}

#endif
