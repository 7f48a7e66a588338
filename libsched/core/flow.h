/* Enqueue (with the overflow policy), dequeue (with backoff, termination and the watchdog), spawn;
 * begin and end of a launch. */
#ifndef LIBSCHED_CORE_FLOW_H
#define LIBSCHED_CORE_FLOW_H

#include "libsched/core/idle.h"
#include "libsched/core/leave.h"
#include "libsched/queue/queue.h"

/* Spill lists of the overflow policy INLINE. With a rule the list is linked through the words of
 * its tasks, which are unused once a task is ready, so its length has no limit. Spawned items have
 * no words: their list is a stack of fixed depth. */
#define LSCHED_I_LINK 0x80000000u

LSCHED_WORKER_FN uint32_t lsched_i_spill_push(lsched_worker *w, uint32_t item)
{
	const lsched_i_args *a = w->a;

	if (w->has_rule) {
		uint32_t link =
			LSCHED_I_LINK | (w->spill_top == LSCHED_NONE ? 0 : w->spill_top + 1);

		if (lsched_lane() == 0)
			lsched_st(&a->task_words[item], link, rlx, dev);
		w->spill_top = item;
		return 1;
	}
	if (w->spill_top >= a->spill_capacity)
		return 0;
	if (lsched_lane() == 0)
		a->spill[(size_t)w->index * a->spill_capacity + w->spill_top] = item;
	w->spill_top++;
	return 1;
}

LSCHED_WORKER_FN uint32_t lsched_i_spill_pop(lsched_worker *w)
{
	const lsched_i_args *a = w->a;
	uint32_t item = w->spill_top, v = 0;

	if (w->has_rule) {
		if (item == LSCHED_NONE)
			return LSCHED_NONE;
		if (lsched_lane() == 0) {
			v = lsched_ld(&a->task_words[item], rlx, dev) & ~LSCHED_I_LINK;
			lsched_st(&a->task_words[item], 0u, rlx, dev);
		}
		v = lsched_bcast(v);
		if (v > a->tasks) { /* an excess arrival has changed the link */
			if (lsched_lane() == 0)
				lsched_i_fail(w, LSCHED_I_FAIL_COUNT, item, 0);
			v = 0;
		}
		w->spill_top = v ? v - 1 : LSCHED_NONE;
		return item;
	}
	if (w->spill_top == 0)
		return LSCHED_NONE;
	w->spill_top--;
	if (lsched_lane() == 0)
		v = a->spill[(size_t)w->index * a->spill_capacity + w->spill_top];
	return lsched_bcast(v);
}

/* Returns item j of a batch, in all lanes. */
LSCHED_WORKER_FN uint32_t lsched_i_batch_at(const lsched_i_batch *b, uint32_t j)
{
#if LSCHED_LANES > 1
	return lsched_i_shfl(b->item, lsched_i_lowest_bit(lsched_ballot(b->rank == j)));
#else
	return b->item[j];
#endif
}

/* Enqueues a batch of ready items; the overflow policy applies to those that do not fit. */
LSCHED_WORKER_FN void lsched_i_enqueue(lsched_worker *w, const lsched_i_batch *b)
{
	uint32_t j;

	if (b->n == 0)
		return;
	j = lsched_i_queue_push_n(w, b);
	for (; j < b->n; j++) {
		uint32_t item = lsched_i_batch_at(b, j);

		if (w->a->overflow == LSCHED_OVERFLOW_INLINE && lsched_i_spill_push(w, item)) {
			LSCHED_I_COUNT(w, INLINED, 1);
			continue;
		}
		if (lsched_lane() == 0)
			lsched_i_fail(w,
				w->a->overflow == LSCHED_OVERFLOW_INLINE ? LSCHED_I_FAIL_INLINE_FULL
									 : LSCHED_I_FAIL_QUEUE_FULL,
				item, 0);
		return;
	}
}

/* Returns, after a stall, a task with some but not all arrivals, and their number; NONE: no such
 * task. */
LSCHED_WORKER_FN uint32_t lsched_i_find_partly_ready(const lsched_worker *w, uint32_t *arrivals)
{
	const lsched_i_args *a = w->a;

	*arrivals = 0;
	if (!w->has_rule)
		return LSCHED_NONE;
	for (uint32_t base = 0; base < a->tasks; base += LSCHED_LANES) {
		uint32_t t = base + lsched_lane(), v = 0, lane;
		lsched_lane_mask found;

		if (t < a->tasks)
			v = lsched_ld(&a->task_words[t], rlx, dev);
		found = lsched_ballot(v != 0 && !(v & LSCHED_I_LINK));
		if (found) {
			lane = lsched_i_lowest_bit(found);
			*arrivals = lsched_i_shfl(v, lane);
			return base + lane;
		}
	}
	return LSCHED_NONE;
}

/* Whether the worker may run a ready item next without enqueueing it. */
LSCHED_WORKER_FN uint32_t lsched_i_may_keep(const lsched_worker *w)
{
	return w->next_task == LSCHED_NONE && !w->a->never_keep &&
	       lsched_i_queue_has(w->queue, LSCHED_I_CAP_KEEPS);
}

/* Whether a worker whose round is over may leave. The first one stays as the watchdog until all
 * others have left, to detect a task that does not end. No worker waits for it, so it does not
 * matter which workers have started. One lane. */
LSCHED_WORKER_FN uint32_t lsched_i_may_leave_round(lsched_worker *w)
{
	lsched_i_state *s = w->a->state;
	uint32_t unclaimed = 0;

	if (!w->priv->rounds_is_watchdog) {
		if (lsched_ld(&s->rounds.watchdog_claimed.v, rlx, dev) ||
			!lsched_cas(&s->rounds.watchdog_claimed.v, &unclaimed, 1u, rlx, dev))
			return 1;
		w->priv->rounds_is_watchdog = 1;
	}
	return lsched_ld(&s->exits.v, rlx, dev) == w->a->workers - 1;
}

/* Ends a wait by the error that lsched_i_watchdog() found. */
LSCHED_WORKER_FN void lsched_i_fail_stalled(lsched_worker *w, uint32_t stalled)
{
	uint32_t arrivals, task = lsched_i_find_partly_ready(w, &arrivals);

	if ((w->is_items & LSCHED_I_IS_TABLE_BIT) && stalled == LSCHED_I_STALLED) {
		uint32_t cause = 0;

		if (lsched_lane() == 0)
			cause = lsched_ld(&w->a->state->blocked.v, rlx, dev);
		if (lsched_lane() == 0 && cause)
			lsched_i_fail(w, LSCHED_I_FAIL_FULL, cause, 0);
	}
	if (lsched_lane() == 0)
		lsched_i_fail(
			w, lsched_i_wait_failure(stalled, LSCHED_I_FAIL_IDLE), task, arrivals);
}

/* The end of a step of a wait of an idle worker or a controller: `stop`, of the leader: there is
 * nothing to wait for. Fails the run after a stall. Returns nonzero if the wait ends. */
LSCHED_WORKER_FN uint32_t lsched_i_idle_over(lsched_worker *w, uint32_t stop, uint32_t stalled)
{
	stalled = lsched_bcast(stalled);
	if (lsched_bcast(stop))
		return 1;
	if (stalled == LSCHED_I_PROGRESS)
		return 0;
	lsched_i_fail_stalled(w, stalled);
	return 1;
}

/* One step of the wait for an item, after the spins-th poll that found none. Returns nonzero if
 * there is nothing to wait for: all tasks have finished, the run has failed (`stop`, of the
 * leader), or the round is over. *idle, 0 at first, is for lsched_i_wait_end(). */
LSCHED_WORKER_FN uint32_t lsched_i_idle_step(
	lsched_worker *w, uint32_t spins, uint32_t stop, uint64_t *idle)
{
	uint32_t stalled = LSCHED_I_PROGRESS;

	/* only idle workers do so; the others change the contended count once in many tasks */
	lsched_i_flush_finished(w);
	if (lsched_lane() == 0) {
		const uint32_t over =
			lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS) && w->priv->rounds_over;

		w->priv->count[LSCHED_I_N_FAILED_POPS] += !over || spins == 0;
		stop |= lsched_i_outstanding(w) == 0;
		if (over)
			stop |= lsched_i_may_leave_round(w);
		if (!stop) {
			if (spins == 0)
				*idle = lsched_i_wait_begin(w);
			else if (lsched_i_clock_due(spins, 16u))
				stalled = lsched_i_watchdog(w);
			if (lsched_i_sleeps(w))
				lsched_i_idle_wait(w, spins);
			else /* the end of a round is near: pauses of few workers, short ones */
				lsched_i_relax(spins, over ? 1 : w->a->workers);
		}
	}
	return lsched_i_idle_over(w, stop, stalled);
}

/* Waits for the next item of the queue and returns it; LSCHED_NONE: all tasks have finished, the
 * run has failed, or the round is over. */
LSCHED_WORKER_FN uint32_t lsched_i_dequeue(lsched_worker *w)
{
	const uint64_t steals = LSCHED_I_STEALS_OF(w);
	uint64_t idle = 0;
	uint32_t item = LSCHED_NONE, stop = 0;
	lsched_i_batch b;

	/* one request for each dequeue, also if an item is available at once: that one was
	 * requested by another worker, which still waits */
	if (w->is_items && !w->a->never_keep && lsched_lane() == 0)
		(void)lsched_add(&w->a->state->items.chunk_requests.v, 1u, rlx, dev);
	for (uint32_t spins = 0;; spins++) {
		/* this load and that of the queue's first word are in flight together */
		if (lsched_lane() == 0)
			stop = lsched_i_failed(w);
		if (lsched_i_queue_wait(w, &b)) {
			item = lsched_i_batch_first(&b);
			break;
		}
		if (lsched_i_idle_step(w, spins, stop, &idle))
			break;
	}
	lsched_i_idle_end(w, item != LSCHED_NONE, steals);
	if (lsched_lane() == 0 && idle)
		lsched_i_wait_end(w, idle);
	return lsched_bcast(stop) ? LSCHED_NONE : item;
}

/* Number of children that a worker adds to the outstanding count in advance, so that it changes
 * this count rarely. */
#define LSCHED_I_CREDIT 32u

/* Spawns the items of the lanes with nonzero `spawn`. The worker keeps one child to run next if it
 * has none yet. Children take the place of finished tasks that are not subtracted yet; if these are
 * too few, the difference and a credit are added to the outstanding count before the children are
 * visible. lsched_i_flush_finished() subtracts the unused credit before the worker waits. */
LSCHED_WORKER_FN void lsched_i_spawn(lsched_worker *w, uint32_t item, int spawn)
{
	lsched_i_batch b;

	lsched_i_batch_clear(&b);
	lsched_i_batch_add(&b, item, spawn);
	if (b.n == 0)
		return;
	LSCHED_I_COUNT(w, SPAWNED, b.n);
	if (lsched_lane() == 0) {
		uint32_t unsettled = w->finished - w->priv->flushed;

		lsched_i_mark_spawned(w, (uint32_t)w->priv->count[LSCHED_I_N_SPAWNED]);
		if (b.n > unsettled) {
			(void)lsched_add(&w->a->state->outstanding.v,
				b.n - unsettled + LSCHED_I_CREDIT, rlx, dev);
			unsettled = b.n + LSCHED_I_CREDIT;
		}
		w->priv->flushed = w->finished - (unsettled - b.n);
	}
	if (lsched_i_may_keep(w))
		w->next_task = lsched_i_batch_first(&b);
	lsched_i_enqueue(w, &b);
}

/* Begins a launch. */
LSCHED_WORKER_FN void lsched_i_launch_begin(lsched_worker *w)
{
	if (!lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS))
		return;
	if (lsched_lane() == 0) {
		const uint64_t not_start =
			lsched_ld(&w->a->state->total[LSCHED_I_N_NOT_START], rlx, dev);

		if (not_start)
			w->priv->run_start_ns = ~not_start;
	}
	lsched_i_queue_enter(w);
}

/* Returns whether another round follows. Called by the last worker to leave a launch, if the run
 * has not failed. */
LSCHED_WORKER_FN uint32_t lsched_i_next_round(lsched_worker *w)
{
	const lsched_i_args *a = w->a;
	const uint32_t again = lsched_i_queue_round(w->queue, a);
	uint32_t left = 0, arrivals, task;

	if (again) {
		if (lsched_lane() == 0 && a->limit_ns &&
			lsched_now_ns() - w->priv->run_start_ns > a->limit_ns)
			lsched_i_fail(w, LSCHED_I_FAIL_LIMIT, LSCHED_NONE, 0);
		return !lsched_bcast(lsched_i_failed(w));
	}
	if (lsched_lane() == 0)
		left = lsched_ld(&a->state->outstanding.v, rlx, dev) + a->tasks;
	if (lsched_bcast(left) == 0)
		return 0;
	task = lsched_i_find_partly_ready(w, &arrivals);
	if (lsched_lane() == 0)
		lsched_i_fail(w, LSCHED_I_FAIL_STUCK, task, arrivals);
	return 0;
}

/* Ends a launch. The last worker writes the result and resets the state for the next start; after a
 * failure the host zeroes the memory instead. */
LSCHED_WORKER_FN void lsched_i_launch_end(lsched_worker *w, uint32_t uses_queue)
{
	if (uses_queue)
		lsched_i_queue_leave(w);
	if (lsched_i_add_counters(w)) {
		uint32_t again = 0;

		if (uses_queue && !lsched_bcast(lsched_i_failed(w))) {
			if (lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS))
				again = lsched_i_next_round(w);
			lsched_i_queue_end(w->queue, w->a);
		}
		lsched_sync_worker();
		lsched_i_reset_state(w->a, again);
	}
}

#endif
