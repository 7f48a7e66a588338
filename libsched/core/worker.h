/* A worker: its counters, failures and watchdog. All lanes of a worker call a
 * function together unless its comment says "one lane". */
#ifndef LIBSCHED_CORE_WORKER_H
#define LIBSCHED_CORE_WORKER_H

#include "libsched/core/worker_state.h"

/* Tasks that a worker may finish, and ticks that may pass, before it subtracts them from the
 * outstanding count and reads the failure flag: the bounds of both delays. A million ticks are 0.5
 * to 1 ms. */
#define LSCHED_I_FLUSH_TASKS 64u
/* Tasks between two reads of the failure flag where children take the place of finished tasks, so
 * that there is nothing to subtract. Reading it every 64 tasks costs 7 % of the time of a tree of
 * empty tasks with queue dist. */
#define LSCHED_I_POLL_TASKS  1024u
#define LSCHED_I_FLUSH_TICKS 1000000u

/* Whether a worker reads the failure flag after each task: on a CPU that is a word of its cache,
 * unless it changes. */
#define LSCHED_I_CHEAP_FLAG (!LSCHED_I_GPU)

/* Whether an idle worker waits on a ticket (queue.h) and dequeues in no other way. Not on the CPU:
 * with more threads than processors, the thread with the next ticket is rarely the one that
 * runs. */
#ifndef LSCHED_I_TICKET_WAIT
#define LSCHED_I_TICKET_WAIT LSCHED_I_GPU
#endif

LSCHED_WORKER_FN uint32_t lsched_i_waits_on_ticket(const lsched_worker *w)
{
	return LSCHED_I_TICKET_WAIT && w->ticket_wait;
}

#define LSCHED_I_COUNT(w, what, k)                                  \
	do {                                                        \
		if (lsched_lane() == 0)                             \
			(w)->priv->count[LSCHED_I_N_##what] += (k); \
	} while (0)

/* Returns the number of events that a worker has written in earlier launches of this start. The
 * host clears the events before the first launch, so unused ones have the time 0. */
LSCHED_WORKER_FN uint32_t lsched_i_count_events(const lsched_i_args *a, uint32_t index)
{
	uint32_t low = 0, high = a->trace;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (a->events[(size_t)index * a->trace + mid].start_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Records a failure; the run keeps the first one only. One lane. */
LSCHED_WORKER_FN void lsched_i_fail(lsched_worker *w, uint32_t why, uint32_t task, uint32_t detail)
{
	lsched_i_state *s = w->a->state;
	uint32_t none = LSCHED_I_FAIL_NONE;

	if (!lsched_cas(&s->failed.v, &none, why, ar, dev))
		return;
	s->failure.why = why;
	s->failure.task = task;
	s->failure.worker = w->index;
	s->failure.detail = detail;
	s->failure.left = lsched_ld(&s->outstanding.v, rlx, dev) + w->a->tasks;
	lsched_i_wake_all(w->a);
}

LSCHED_WORKER_FN uint32_t lsched_i_failed(const lsched_worker *w)
{
	return lsched_ld(&w->a->state->failed.v, rlx, dev);
}

LSCHED_WORKER_FN void lsched_i_begin(lsched_worker *w, const lsched_i_args *a, uint32_t index,
	lsched_i_worker_private *priv, uint32_t *scratch, uint32_t queue, uint32_t has_rule)
{
	w->a = a;
	w->priv = priv;
	w->scratch = scratch;
	w->marks = a->marks + (size_t)index * LSCHED_I_MARK_WORDS(a);
	w->index = index;
	w->queue = queue;
	w->has_rule = has_rule;
	w->is_items = 0;
	w->ticket_wait = 0;
	w->prev = LSCHED_NONE;
	w->next_task = LSCHED_NONE;
	w->spill_top = has_rule ? LSCHED_NONE : 0;
	w->finished = 0;
	w->next_report_at = 1;
	w->kept = 0;
	w->excess = 0;
	w->fail_code = 0;
	w->has_flags = 0;
	for (uint32_t k = lsched_lane(); k < LSCHED_I_N_COUNT; k += LSCHED_LANES)
		priv->count[k] = 0;
	for (uint32_t k = lsched_lane(); k < sizeof(priv->queue) / sizeof(priv->queue[0]);
		k += LSCHED_LANES)
		priv->queue[k] = 0;
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		priv->start_ns = lsched_now_ns();
		priv->run_start_ns = priv->start_ns;
		priv->start_ticks = lsched_i_ticks();
		priv->idle_ticks = 0;
		priv->flushed = 0;
		priv->settled = 0;
		priv->reported = 0;
		priv->report_interval = 1;
		priv->checked_ticks = priv->start_ticks;
		priv->rounds_over = 0;
		priv->rounds_is_watchdog = 0;
#if !LSCHED_I_GPU
		priv->idle_state = LSCHED_I_AWAKE;
#endif
		priv->items_free_chunks = 0;
		priv->items_share_after_ticks = 0;
		priv->items_free_chunk_word = LSCHED_NONE;
		priv->watched_ns = 0;
		priv->waited_ns = LSCHED_I_NOT_WATCHED;
		priv->watched = 0;
		priv->watched_workers = a->workers;
		priv->watched_marks = a->marks;
		priv->watch_timeout_ns = a->timeout_ns;
		priv->message_stalled = 0;
		priv->event_count = lsched_i_count_events(w->a, index);
	}
	lsched_sync_worker();
}

/* Subtracts the finished tasks from the outstanding count. Subtractions may be late (additions may
 * not); relaxed, because the word publishes no data. */
LSCHED_WORKER_FN void lsched_i_flush_finished(lsched_worker *w)
{
	if (lsched_lane() == 0 && w->finished != w->priv->flushed) {
		const uint32_t less = w->finished - w->priv->flushed,
			       had = lsched_add(&w->a->state->outstanding.v,
				       w->priv->flushed - w->finished, rlx, dev);

		w->priv->flushed = w->finished;
		if (had - less + w->a->tasks == 0)
			lsched_i_wake_all(w->a);
	}
}

/* Returns the outstanding count. With a rule, fails the run if it is negative: the count only
 * decreases then, so a task has run twice. One lane. */
LSCHED_WORKER_FN uint32_t lsched_i_outstanding(lsched_worker *w)
{
	const uint32_t left = lsched_ld(&w->a->state->outstanding.v, rlx, dev) + w->a->tasks;

	if (w->has_rule && (int32_t)left < 0)
		lsched_i_fail(w, LSCHED_I_FAIL_COUNT, LSCHED_NONE, 0);
	return left;
}

/* Publishes the number of finished tasks or turns, as progress. Relaxed, and in a word of this
 * worker, so it costs one store. */
LSCHED_WORKER_FN void lsched_i_mark_finished(const lsched_worker *w, uint32_t finished)
{
	if (lsched_lane() == 0)
		lsched_st(&w->marks[0], finished, rlx, dev);
}

/* The same of spawned items. One lane. */
LSCHED_WORKER_FN void lsched_i_mark_spawned(const lsched_worker *w, uint32_t spawned)
{
	lsched_st(&w->marks[1], spawned, rlx, dev);
}

/* Counts a step of a wait, for the host's watchdog. One lane. */
LSCHED_WORKER_FN void lsched_i_mark_waiting(const lsched_worker *w)
{
	lsched_st(&w->marks[3], lsched_ld(&w->marks[3], rlx, dev) + 1u, rlx, dev);
}

/* Fails the run if its time limit has passed. One lane. */
LSCHED_WORKER_FN void lsched_i_check_limit(lsched_worker *w, uint32_t task)
{
	if (w->a->limit_ns && lsched_now_ns() - w->priv->run_start_ns > w->a->limit_ns)
		lsched_i_fail(w, LSCHED_I_FAIL_LIMIT, task, 0);
}

/* Adds what the 32-bit counters of a worker have counted to those of 64 bits. */
LSCHED_WORKER_FN void lsched_i_settle_counts(lsched_worker *w)
{
	lsched_i_worker_private *p = w->priv;

	if (lsched_lane() == 0) {
		p->count[LSCHED_I_N_KEPT] += w->kept;
		if (!w->is_items)
			p->count[LSCHED_I_N_TASKS] += (uint32_t)(w->finished - p->settled);
		p->settled = w->finished;
	}
	w->kept = 0;
}

/* Reads the clock; returns 1 if the last read is more than LSCHED_I_FLUSH_TICKS ago. One lane. */
LSCHED_WORKER_FN uint32_t lsched_i_interval_over(lsched_worker *w)
{
	const uint64_t now = lsched_i_ticks();
	const uint32_t slow = now - w->priv->checked_ticks > LSCHED_I_FLUSH_TICKS;

	w->priv->checked_ticks = now;
	return slow;
}

/* Subtracts finished tasks from the outstanding count, checks the time limit of the run and reads
 * the failure flag. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t lsched_i_report(lsched_worker *w)
{
	uint32_t failed = 0;

	lsched_i_settle_counts(w);
	lsched_i_flush_finished(w);
	if (lsched_lane() == 0) {
		lsched_i_check_limit(w, LSCHED_NONE);
		(void)lsched_i_outstanding(w);
		failed = lsched_i_failed(w);
	}
	return !lsched_bcast(failed);
}

/* Returns the number of tasks from one read of the clock to the next; `over`: the interval was over
 * at the last one. Short tasks are reported in groups, long ones each; in a run with a time limit
 * all are, because tasks may become long at any time. */
LSCHED_WORKER_FN uint32_t lsched_i_next_interval(
	const lsched_worker *w, uint32_t interval, uint32_t over, uint32_t most)
{
	if (w->a->limit_ns)
		return 1;
	if (over)
		return interval > 4 ? interval / 4 : 1;
	return interval < most ? 2 * interval : interval;
}

/* Counts a finished task, and reports at intervals. Returns 0 if the run has failed.
 *
 * `flushed` alone is not enough: children take the place of finished tasks there (lsched_i_spawn),
 * so a worker whose tasks each spawn one or more would never report, nor read the failure flag. */
LSCHED_WORKER_FN uint32_t lsched_i_task_finished(lsched_worker *w)
{
	lsched_i_worker_private *p = w->priv;
	uint32_t report = 0;

	lsched_i_mark_finished(w, ++w->finished);
	if ((int32_t)(w->finished - w->next_report_at) < 0)
		return !LSCHED_I_CHEAP_FLAG || !lsched_i_failed(w);
	lsched_sync_worker(); /* all lanes have read report_interval, the last time */
	if (lsched_lane() == 0) {
		const uint32_t over = lsched_i_interval_over(w);

		report = over || w->a->limit_ns ||
			 w->finished - p->flushed >= LSCHED_I_FLUSH_TASKS ||
			 w->finished - p->reported >= LSCHED_I_POLL_TASKS;
		if (report)
			p->reported = w->finished;
		p->report_interval =
			lsched_i_next_interval(w, p->report_interval, over, LSCHED_I_FLUSH_TASKS);
	}
	lsched_sync_worker();
	w->next_report_at = w->finished + p->report_interval;
	return !lsched_bcast(report) || lsched_i_report(w);
}

/* Draws a number from state.next_root. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t lsched_i_draw(lsched_worker *w, uint32_t *number)
{
	uint32_t n = 0, stop = 0;

	if (lsched_lane() == 0) {
		n = lsched_add(&w->a->state->next_root.v, 1u, rlx, dev);
		stop = lsched_i_failed(w);
	}
	*number = lsched_bcast(n);
	return !lsched_bcast(stop);
}

/* Begins a wait; returns the ticks. One lane. */
LSCHED_WORKER_FN uint64_t lsched_i_wait_begin(lsched_worker *w)
{
	w->priv->watched_ns = 0;
	return lsched_i_ticks();
}

/* Ends a wait. One lane. */
LSCHED_WORKER_FN void lsched_i_wait_end(lsched_worker *w, uint64_t begin)
{
	w->priv->idle_ticks += lsched_i_ticks() - begin;
}

/* Results of the watchdog and of a step of a wait. */
enum { LSCHED_I_PROGRESS, LSCHED_I_STALLED, LSCHED_I_TIME_LIMIT, LSCHED_I_RUN_FAILED };

/* Watchdog of a waiting worker: a stall is timeout_ns without progress, so a task longer than that
 * counts as one. Only a wait that is longer than a step reads the workers' marks; known: their sum,
 * if the caller has it, otherwise NULL. One lane. */
LSCHED_WORKER_FN uint32_t lsched_i_watchdog_of(lsched_worker *w, const uint32_t *known)
{
	const lsched_i_args *a = w->a;
	lsched_i_worker_private *p = w->priv;
	const uint64_t timeout = p->watch_timeout_ns;
	const uint64_t now = lsched_now_ns(), since = now - p->watched_ns;
	uint32_t sum;

	if (a->limit_ns && now - p->run_start_ns > a->limit_ns)
		return LSCHED_I_TIME_LIMIT;
	if (p->watched_ns == 0) {
		p->watched_ns = now;
		p->waited_ns = LSCHED_I_NOT_WATCHED;
		return LSCHED_I_PROGRESS;
	}
	if (!timeout || since < lsched_i_watch_step_ns(timeout))
		return LSCHED_I_PROGRESS;
	p->watched_ns = now;
	lsched_i_mark_waiting(w);
	sum = known ? *known
		    : lsched_i_progress(p->watched_marks, LSCHED_I_MARK_WORDS(a),
			      p->watched_workers, lsched_ld(&a->state->launches.v, rlx, dev));
	if (p->waited_ns == LSCHED_I_NOT_WATCHED || sum != p->watched) {
		p->watched = sum;
		p->waited_ns = 0;
		return LSCHED_I_PROGRESS;
	}
	p->waited_ns += lsched_i_watch_counted_ns(timeout, since);
	return p->waited_ns > timeout ? LSCHED_I_STALLED : LSCHED_I_PROGRESS;
}

LSCHED_WORKER_FN uint32_t lsched_i_watchdog(lsched_worker *w)
{
	return lsched_i_watchdog_of(w, NULL);
}

/* The reason of the failure of a wait that the watchdog ended; why: after a stall. */
LSCHED_WORKER_FN uint32_t lsched_i_wait_failure(uint32_t stalled, uint32_t why)
{
	return stalled == LSCHED_I_STALLED ? why : (uint32_t)LSCHED_I_FAIL_LIMIT;
}

/* One step of a wait that another worker is about to end, after the spins-th poll. *idle, 0 at
 * first, is for lsched_i_wait_end(). Returns LSCHED_I_PROGRESS, or, in all lanes, why the wait
 * ends. */
LSCHED_WORKER_FN uint32_t lsched_i_wait_step(lsched_worker *w, uint32_t spins, uint64_t *idle)
{
	uint32_t stalled = LSCHED_I_PROGRESS;

	if (lsched_lane() == 0) {
		if (spins == 0)
			*idle = lsched_i_wait_begin(w);
		if (lsched_i_clock_due(spins, 64u))
			stalled = lsched_i_failed(w) ? (uint32_t)LSCHED_I_RUN_FAILED
						     : lsched_i_watchdog(w);
		lsched_i_relax_critical(spins);
	}
	return lsched_i_clock_due(spins, 64u) ? lsched_bcast(stalled) : (uint32_t)LSCHED_I_PROGRESS;
}

/* One step of a wait inside the queue, for a few instructions of another worker. *waited_ns is 0 at
 * first. Fails the run after timeout_ns; returns nonzero if the run has failed. One lane. */
LSCHED_WORKER_FN uint32_t lsched_i_spin_expired(
	lsched_worker *w, uint32_t spins, uint64_t *waited_ns)
{
	const uint64_t limit = w->a->timeout_ns;
	uint64_t now;

	lsched_i_relax_critical(spins);
	if (!lsched_i_clock_due(spins, 64u))
		return 0;
	now = lsched_now_ns();
	*waited_ns +=
		*waited_ns == 0 ? 1 : lsched_i_watch_counted_ns(limit, now - w->priv->spin_ns);
	w->priv->spin_ns = now;
	if (limit && *waited_ns > limit)
		lsched_i_fail(w, LSCHED_I_FAIL_SLOT, LSCHED_NONE, 0);
	(void)lsched_i_outstanding(w); /* the queue may be full because tasks ran twice */
	return lsched_i_failed(w);
}

/* Writes an event of the timeline: a task, or a batch of `task` items. Leader. */
LSCHED_WORKER_FN void lsched_i_trace_add(
	lsched_worker *w, uint32_t task, uint32_t procedure, uint64_t start_ns)
{
	lsched_i_worker_private *d = w->priv;
	lsched_event *e;

	if (d->event_count >= w->a->trace) {
		d->count[LSCHED_I_N_TRACE_DROPPED]++;
		return;
	}
	e = w->a->events + (size_t)w->index * w->a->trace + d->event_count++;
	e->start_ns = start_ns;
	e->end_ns = lsched_now_ns();
	e->task = task;
	e->worker = w->index;
	e->sm = lsched_i_processor(w->index);
	e->procedure = procedure;
}

#endif
