/* The end of a worker in a launch: its counters, the result of the run, the state for the next
 * launch. All lanes of a worker call a function together unless its comment says "one lane". */
#ifndef LIBSCHED_CORE_LEAVE_H
#define LIBSCHED_CORE_LEAVE_H

#include "libsched/core/worker.h"

/* Resets the state after a launch, and writes the result after the last one. Only the last worker
 * to leave calls this: its exit acquired the exits of all others, and only the host still reads
 * next_root and the outstanding count. `again`: another round follows; sums and next_root stay. */
LSCHED_WORKER_FN void lsched_i_reset_state(const lsched_i_args *a, uint32_t again)
{
	lsched_i_state *s = a->state;

	if (lsched_lane() == 0) {
		s->exits.v = 0;
		s->scheme[0].v = 0;
		s->scheme[1].v = 0;
		(void)lsched_add(&s->launches.v, 1u, rlx, dev);
		if (!again)
			lsched_st(&s->next_root.v, 0u, rlx, dev);
	}
	if (!a->last_launch)
		return;
	for (uint32_t k = lsched_lane(); k < LSCHED_I_N_COUNT; k += LSCHED_LANES) {
		a->result->count[k] = s->total[k];
		if (!again)
			s->total[k] = 0;
	}
	if (lsched_lane() == 0) {
		a->result->failure = s->failure;
		a->result->again = again;
		a->result->value = s->value;
		if (!again) {
			lsched_st(&s->outstanding.v, 0u, rlx, dev);
			s->value = 0;
			s->items.chunk_requests.v = 0;
		}
	}
}

/* Adds the counters to those of the run: lane k adds the k-th, so a warp sends one request. Returns
 * nonzero to the last worker to leave, which then resets the state. */
LSCHED_WORKER_FN uint32_t lsched_i_add_counters(lsched_worker *w)
{
	const lsched_i_args *a = w->a;
	lsched_i_state *s = a->state;
	lsched_i_worker_private *d = w->priv;
	uint32_t last = 0, excess;

	lsched_i_settle_counts(w);
	lsched_i_flush_finished(w);
	if (a->current_task && lsched_lane() == 0)
		lsched_st(&a->current_task[w->index], 0u, rlx, sys);
	excess = lsched_i_sum(w->excess);
	if (lsched_lane() == 0) {
		const uint64_t now = lsched_now_ns(), all_ns = now - d->start_ns;
		const uint64_t all_ticks = lsched_i_ticks() - d->start_ticks;
		uint64_t idle_ns = 0;

		if (d->idle_ticks && all_ticks)
			idle_ns = (uint64_t)((double)d->idle_ticks *
					     ((double)all_ns / (double)all_ticks));
		if (idle_ns > all_ns)
			idle_ns = all_ns;
		d->count[LSCHED_I_N_EXCESS] = (uint64_t)(int64_t)(int32_t)excess;
		d->count[LSCHED_I_N_IDLE_NS] = idle_ns;
		d->count[LSCHED_I_N_BUSY_NS] = all_ns - idle_ns;
		d->count[LSCHED_I_N_NOT_START] = ~d->start_ns;
		d->count[LSCHED_I_N_END_NS] = now;
		d->count[LSCHED_I_N_ROUNDS] = w->index == 0;
		if (a->worker_stats) {
			lsched_i_worker_stats *p = a->worker_stats + w->index;

			p->tasks += d->count[LSCHED_I_N_TASKS];
			p->steals += d->count[LSCHED_I_N_STEALS];
			p->donated += d->count[LSCHED_I_N_DONATED];
			p->idle_ns += idle_ns;
			p->busy_ns += all_ns - idle_ns;
		}
	}
	lsched_sync_worker();
	for (uint32_t k = lsched_lane(); k < LSCHED_I_N_COUNT; k += LSCHED_LANES) {
		if (k >= LSCHED_I_N_SUMS)
			(void)lsched_max(&s->total[k], d->count[k], rlx, dev);
		else if (d->count[k]) /* most are zero, and with rounds each round adds them */
			(void)lsched_add(&s->total[k], d->count[k], rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0)
		last = lsched_add(&s->exits.v, 1u, ar, dev) == a->workers - 1;
	last = lsched_bcast(last);
	lsched_sync_worker();
	return last;
}

#endif
