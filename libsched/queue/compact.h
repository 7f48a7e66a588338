/* compact: each worker writes to an output region of its own, and a pass between two launches moves what
 * all wrote together into the next input (Lauterbach, Mo, Manocha 2009, section 3.2, "compaction", after
 * Zhou et al. 2008).
 *
 * Launches alternate. In a work launch worker k takes the k-th even share of the dense input and writes
 * to its region; no atomic is needed for either. The last worker out makes the prefix sum of the
 * regions' counts. In the launch after it each worker copies its region to its place in the input, and
 * the next work launch begins. The extra launch is what the paper holds against the method, so it is
 * kept; relaunch is the same without it, with one atomic for each push.
 *
 * Who may call: every worker, at any time of its launch. Order: an item is run in the work launch after
 * the one that gave it; the input is ordered by worker and then by time, so with the same shares the
 * same order comes out. Full: a region has room for bin items, the bound that the paper puts on what a
 * step may spawn; what exceeds it goes to the overflow policy. Full and empty are exact. Progress: no
 * operation waits, none touches a word that another worker writes. Memory: two arrays of bin items a
 * worker.
 *
 * When to choose it: to reproduce 2009, or where an atomic on one word costs more than a second launch
 * for each level. */
#ifndef LIBSCHED_QUEUE_COMPACT_H
#define LIBSCHED_QUEUE_COMPACT_H

#include "libsched/queue/rounds.h"

/* State: nonzero in a launch that copies; items in the input. Neither changes while a launch runs. */
enum { SCHED__COMPACT_COPY, SCHED__COMPACT_ITEMS };
/* Desk: what is left of the share, and the items in the region. */
enum { SCHED__COMPACT_NEXT, SCHED__COMPACT_END, SCHED__COMPACT_FILL };

/* In memory: a count of each worker, the places of these counts, the input, the regions. */
SCHED_FN uint64_t sched_compact_words(const sched__shape *s)
{
	return 2 * sched__per_worker_words(s->workers) + (uint64_t)s->workers * s->bin;
}

SCHED_WORKER_FN uint32_t *sched__compact_counts(const sched__args *a)
{
	return (uint32_t *)a->slots;
}

SCHED_WORKER_FN uint32_t *sched__compact_places(const sched__args *a)
{
	return (uint32_t *)(a->slots + sched__per_worker_words(a->shape_workers));
}

SCHED_WORKER_FN uint32_t *sched__compact_input(const sched__args *a)
{
	return (uint32_t *)(a->slots + 2 * sched__per_worker_words(a->shape_workers));
}

SCHED_WORKER_FN uint32_t *sched__compact_region(const sched__args *a, uint32_t worker)
{
	return sched__compact_input(a) + ((size_t)a->shape_workers + worker) * a->bin;
}

SCHED_WORKER_FN void sched_compact_enter(sched_worker *w)
{
	const sched__args *a = w->a;
	const sched__apart *q = a->state->queue;

	if (q[SCHED__COMPACT_COPY].v) {
		const uint32_t n = sched__compact_counts(a)[w->index];
		const uint32_t *from = sched__compact_region(a, w->index);
		uint32_t *to = sched__compact_input(a) + sched__compact_places(a)[w->index];

		for (uint32_t i = sched_lane(); i < n; i += SCHED_LANES)
			to[i] = from[i];
	} else if (sched_lane() == 0) {
		const uint32_t items = q[SCHED__COMPACT_ITEMS].v;

		w->desk->q[SCHED__COMPACT_NEXT] = sched__share(items, w->index, a->workers);
		w->desk->q[SCHED__COMPACT_END] = sched__share(items, w->index + 1, a->workers);
	}
}

SCHED_WORKER_FN uint32_t sched_compact_push_n(sched_worker *w, const sched__batch *b)
{
	const sched__args *a = w->a;
	uint32_t *region = sched__compact_region(a, w->index);
	uint32_t got = 0, at = 0;

	if (sched_lane() == 0) {
		const uint32_t room = a->bin - w->desk->q[SCHED__COMPACT_FILL];

		at = w->desk->q[SCHED__COMPACT_FILL];
		got = b->n < room ? b->n : room;
		w->desk->q[SCHED__COMPACT_FILL] = at + got;
		w->desk->n[SCHED__N_PUSHES] += got;
		if (at + got > w->desk->n[SCHED__N_HIGH_WATER])
			w->desk->n[SCHED__N_HIGH_WATER] = at + got;
	}
	got = sched_bcast(got);
	at = sched_bcast(at);
	SCHED__EACH_ITEM(b, i)
	{
		if (i < got)
			region[at + i] = SCHED__ITEM(b, i);
	}
	return got;
}

SCHED_WORKER_FN uint32_t sched_compact_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	return sched__share_pop(
		w, b, want, sched__compact_input(w->a), SCHED__COMPACT_NEXT, SCHED__COMPACT_END);
}

SCHED_WORKER_FN void sched_compact_leave(sched_worker *w)
{
	if (sched_lane() == 0)
		sched__compact_counts(w->a)[w->index] = w->desk->q[SCHED__COMPACT_FILL];
}

SCHED_WORKER_FN uint32_t sched_compact_round(const sched__args *a)
{
	sched__apart *q = a->state->queue;
	const uint32_t copied = q[SCHED__COMPACT_COPY].v;
	uint32_t items = q[SCHED__COMPACT_ITEMS].v;

	if (!copied)
		items = sched__places(
			sched__compact_counts(a), sched__compact_places(a), a->workers);
	sched_sync_worker();
	if (sched_lane() == 0) {
		q[SCHED__COMPACT_COPY].v = !copied && items;
		q[SCHED__COMPACT_ITEMS].v = items;
	}
	sched_sync_worker();
	return items;
}

#endif
