/* dist: a private bin for each worker, and no sharing (Tzeng, Patney, Owens 2010, section 4.2,
 * distributed queuing).
 *
 * Who may call: every worker, and reaches its own bin only. Order: LIFO, the newest item first, which
 * walks a tree depth first and keeps the bin short. Bounds: bin_size items a worker. Full: push takes
 * what fits, the rest is the overflow policy's; full and empty are never false, but one worker's empty
 * says nothing of the others'. Progress: wait-free, no atomics at all. Errors: none of its own.
 *
 * What a worker spawns only it can run, so one that was given little idles until the end; roots are
 * shared out by ticket and are all the balance there is. When to choose it: many roots of about equal
 * work; or as the yardstick, for nothing is faster while all workers have work. */
#ifndef LIBSCHED_QUEUE_DIST_H
#define LIBSCHED_QUEUE_DIST_H

#include "libsched/queue/bin.h"

/* sched__desk.q: the number of items. A run that ended well has left none, so zero is right for every
 * start. */
enum { SCHED__DIST_COUNT };

SCHED_FN uint64_t sched_dist_words(const sched__shape *s)
{
	return sched__bin_words(s);
}

SCHED_WORKER_FN uint32_t sched_dist_push_n(sched_worker *w, const sched__batch *b)
{
	uint32_t *items = sched__bin_items(sched__bin(w, w->index));
	uint32_t *count = &w->desk->q[SCHED__DIST_COUNT];
	const uint32_t held = *count, room = w->a->bin - held;
	const uint32_t got = b->n < room ? b->n : room;

	SCHED__EACH_ITEM(b, i)
	{
		if (i < got)
			items[held + i] = SCHED__ITEM(b, i);
	}
	sched_sync_worker();
	if (sched_lane() == 0) {
		*count = held + got;
		w->desk->n[SCHED__N_PUSHES] += got;
		if (held + got > w->desk->n[SCHED__N_HIGH_WATER])
			w->desk->n[SCHED__N_HIGH_WATER] = held + got;
	}
	sched_sync_worker();
	return got;
}

SCHED_WORKER_FN uint32_t sched_dist_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	const uint32_t *items = sched__bin_items(sched__bin(w, w->index));
	uint32_t *count = &w->desk->q[SCHED__DIST_COUNT];
	const uint32_t held = *count, got = held < want ? held : want;

	sched__batch_open(b, got);
	SCHED__EACH_ITEM(b, i)
	{
		SCHED__ITEM(b, i) = items[held - 1 - i];
	}
	sched_sync_worker();
	if (sched_lane() == 0 && got) {
		*count = held - got;
		w->desk->n[SCHED__N_POPS] += got;
	}
	sched_sync_worker();
	return got;
}

#endif
