/* How work flows between a worker and the queue: giving (with the overflow policy), taking (with
 * backoff, termination and the watchdog), spawning; and the way in and out of a launch. */
#ifndef LIBSCHED_CORE_FLOW_H
#define LIBSCHED_CORE_FLOW_H

#include "libsched/queue/queue.h"

/* INLINE. With a rule every task is ready once, so its own word, idle by now, links the list and no
 * depth bounds it. Spawned items are no indices: they get a stack of fixed depth. */
#define SCHED__LINK 0x80000000u

SCHED_WORKER_FN uint32_t sched__own_push(sched_worker *w, uint32_t item)
{
	const sched__args *a = w->a;

	if (w->has_rule) {
		uint32_t link = SCHED__LINK | (w->top == SCHED_NONE ? 0 : w->top + 1);

		if (sched_lane() == 0)
			sched_st(&a->task_word[item], link, rlx, dev);
		w->top = item;
		return 1;
	}
	if (w->top >= a->inline_depth)
		return 0;
	if (sched_lane() == 0)
		a->spill[(size_t)w->index * a->inline_depth + w->top] = item;
	w->top++;
	return 1;
}

SCHED_WORKER_FN uint32_t sched__own_pop(sched_worker *w)
{
	const sched__args *a = w->a;
	uint32_t item = w->top, v = 0;

	if (w->has_rule) {
		if (item == SCHED_NONE)
			return SCHED_NONE;
		if (sched_lane() == 0) {
			v = sched_ld(&a->task_word[item], rlx, dev) & ~SCHED__LINK;
			sched_st(&a->task_word[item], 0u, rlx, dev);
		}
		v = sched_bcast(v);
		if (v > a->tasks) { /* an arrival too many, in the middle of the list */
			if (sched_lane() == 0)
				sched__fail(w, SCHED__FAIL_COUNT, item, 0);
			v = 0;
		}
		w->top = v ? v - 1 : SCHED_NONE;
		return item;
	}
	if (w->top == 0)
		return SCHED_NONE;
	w->top--;
	if (sched_lane() == 0)
		v = a->spill[(size_t)w->index * a->inline_depth + w->top];
	return sched_bcast(v);
}

/* Item j of a batch, in all lanes. */
SCHED_WORKER_FN uint32_t sched__batch_at(const sched__batch *b, uint32_t j)
{
#ifdef __CUDACC__
	return __shfl_sync(0xffffffffu, b->item, __ffs((int)sched_ballot(b->rank == j)) - 1);
#else
	return b->item[j];
#endif
}

/* Gives a batch of ready items to the queue; what does not fit goes where the policy says. */
SCHED_WORKER_FN void sched__offer(sched_worker *w, const sched__batch *b)
{
	uint32_t j;

	if (b->n == 0)
		return;
	j = sched__queue_push_n(w, b);
	for (; j < b->n; j++) {
		uint32_t item = sched__batch_at(b, j);

		if (w->a->overflow == SCHED_OVERFLOW_INLINE && sched__own_push(w, item)) {
			SCHED__COUNT(w, INLINED, 1);
			continue;
		}
		if (sched_lane() == 0)
			sched__fail(w,
				w->a->overflow == SCHED_OVERFLOW_INLINE ? SCHED__FAIL_INLINE_FULL
									: SCHED__FAIL_QUEUE_FULL,
				item, 0);
		return;
	}
}

/* After a stall: a task some but not all of whose predecessors are finished, the likely culprit. */
SCHED_WORKER_FN uint32_t sched__half_resolved(const sched_worker *w, uint32_t *arrivals)
{
	const sched__args *a = w->a;

	*arrivals = 0;
	if (!w->has_rule)
		return SCHED_NONE;
	for (uint32_t base = 0; base < a->tasks; base += SCHED_LANES) {
		uint32_t t = base + sched_lane(), v = 0, found;

		if (t < a->tasks)
			v = sched_ld(&a->task_word[t], rlx, dev);
		found = sched_ballot(v != 0 && !(v & SCHED__LINK));
		if (found) {
#ifdef __CUDACC__
			uint32_t lane = (uint32_t)__ffs((int)found) - 1;

			*arrivals = __shfl_sync(0xffffffffu, v, (int)lane);
			return base + lane;
#else
			*arrivals = v;
			return t;
#endif
		}
	}
	return SCHED_NONE;
}

/* Whether a worker may keep a ready item for itself. */
SCHED_WORKER_FN uint32_t sched__may_keep(const sched_worker *w)
{
	return w->keep == SCHED_NONE && !w->a->never_keep &&
	       sched__queue_kind(w->queue) <= SCHED__KIND_lines;
}

/* One lane, when the round is over for this worker: whether it may leave. The first such worker stays
 * until all others have gone, for somebody has to notice when a task does not end. Nobody waits for it,
 * so it does not matter which workers have started. */
SCHED_WORKER_FN uint32_t sched__may_go(sched_worker *w)
{
	sched__state *s = w->a->state;
	uint32_t nobody = 0;

	if (!w->desk->watching) {
		if (sched_ld(&s->arrived.v, rlx, dev) ||
			!sched_cas(&s->arrived.v, &nobody, 1u, rlx, dev))
			return 1;
		w->desk->watching = 1;
	}
	return sched_ld(&s->exits.v, rlx, dev) == w->a->workers - 1;
}

/* A wait that has to end in an error, as sched__watch() found. */
SCHED_WORKER_FN void sched__give_up(sched_worker *w, uint32_t stalled)
{
	uint32_t arrivals, task = sched__half_resolved(w, &arrivals);

	if (sched_lane() == 0)
		sched__fail(w, stalled == SCHED__STALLED ? SCHED__FAIL_IDLE : SCHED__FAIL_LIMIT,
			task, arrivals);
}

/* After the spins-th look that found nothing: waits a little, unless there is nothing to wait for; then
 * it returns nonzero: all is done, the run has failed (`stop`, the leader's), or the round is over.
 * *idle, 0 at first, is for sched__wait_end(). */
SCHED_WORKER_FN uint32_t sched__wait_step(
	sched_worker *w, uint32_t spins, uint32_t stop, uint64_t *idle)
{
	uint32_t stalled = SCHED__GOING;

	/* not before: while there is work, the hot live count is touched once in many tasks */
	sched__settle(w);
	if (sched_lane() == 0) {
		const uint32_t over =
			sched__queue_kind(w->queue) == SCHED__KIND_rounds && w->desk->round_over;

		w->desk->n[SCHED__N_FAILED_POPS] += !over || spins == 0;
		stop |= sched__left(w) == 0;
		if (over)
			stop |= sched__may_go(w);
		if (!stop) {
			if (spins == 0)
				*idle = sched__wait_begin(w);
			else if ((spins & 15u) == 15u)
				stalled = sched__watch(w);
			sched__relax(spins, over ? 1 : w->a->workers);
		}
	}
	stalled = sched_bcast(stalled);
	if (sched_bcast(stop))
		return 1;
	if (stalled == SCHED__GOING)
		return 0;
	sched__give_up(w, stalled);
	return 1;
}

/* The next item from the queue, waiting for it; SCHED_NONE when all is done, the run has failed, or
 * the round is over. */
SCHED_WORKER_FN uint32_t sched__take(sched_worker *w)
{
	uint64_t idle = 0;
	uint32_t item = SCHED_NONE, stop = 0;
	sched__batch b;

	/* also when there is something at once: it was meant for another, who goes on waiting */
	if (w->is_items && sched_lane() == 0)
		(void)sched_add(&w->a->state->hungry.v, 1u, rlx, dev);
	for (uint32_t spins = 0;; spins++) {
		/* asked for together with the queue's first word, so it costs no second round trip */
		if (sched_lane() == 0)
			stop = sched__failed(w);
		if (sched__queue_wait(w, &b)) {
			item = sched__batch_first(&b);
			break;
		}
		if (sched__wait_step(w, spins, stop, &idle))
			break;
	}
	if (sched_lane() == 0 && idle)
		sched__wait_end(w, idle);
	return sched_bcast(stop) ? SCHED_NONE : item;
}

/* Children that a worker pays for in advance, so that it seldom has to touch the live count. */
#define SCHED__PREPAID 32u

/* Each lane's item, if it wants: at most one a lane. The worker keeps one child to run next when it has
 * none yet. Finished but unsettled tasks pay for the children; if these are too few, what is missing
 * and something in advance is added to the live count before anybody can see the children. What stays
 * unused is given back by sched__settle, before the worker waits. */
SCHED_WORKER_FN void sched__spawn(sched_worker *w, uint32_t item, int want)
{
	sched__batch b;

	sched__batch_clear(&b);
	sched__batch_add(&b, item, want);
	if (b.n == 0)
		return;
	SCHED__COUNT(w, SPAWNED, b.n);
	if (sched_lane() == 0) {
		uint32_t unsettled = w->ran - w->desk->settled;

		if (b.n > unsettled) {
			(void)sched_add(
				&w->a->state->live.v, b.n - unsettled + SCHED__PREPAID, rlx, dev);
			unsettled = b.n + SCHED__PREPAID;
		}
		w->desk->settled = w->ran - (unsettled - b.n);
	}
	if (sched__may_keep(w))
		w->keep = sched__batch_first(&b);
	sched__offer(w, &b);
}

/* The way into a launch. */
SCHED_WORKER_FN void sched__enter(sched_worker *w)
{
	if (sched__queue_kind(w->queue) != SCHED__KIND_rounds)
		return;
	if (sched_lane() == 0) {
		const uint64_t not_start =
			sched_ld(&w->a->state->total[SCHED__N_NOT_START], rlx, dev);

		if (not_start)
			w->desk->run_ns = ~not_start;
	}
	sched__queue_enter(w);
}

/* The last worker out of a launch, when the run has not failed: whether there is another round. */
SCHED_WORKER_FN uint32_t sched__next_round(sched_worker *w)
{
	const sched__args *a = w->a;
	const uint32_t again = sched__queue_round(w->queue, a);
	uint32_t left = 0, arrivals, task;

	if (again) {
		if (sched_lane() == 0 && a->limit_ns &&
			sched_now_ns() - w->desk->run_ns > a->limit_ns)
			sched__fail(w, SCHED__FAIL_LIMIT, SCHED_NONE, 0);
		return !sched_bcast(sched__failed(w));
	}
	if (sched_lane() == 0)
		left = sched_ld(&a->state->live.v, rlx, dev) + a->tasks;
	if (sched_bcast(left) == 0)
		return 0;
	task = sched__half_resolved(w, &arrivals);
	if (sched_lane() == 0)
		sched__fail(w, SCHED__FAIL_STUCK, task, arrivals);
	return 0;
}

/* The way out of a launch. The last worker publishes the result and leaves the state as the next start
 * wants it; after a failure the host clears everything instead. */
SCHED_WORKER_FN void sched__exit(sched_worker *w, uint32_t uses_queue)
{
	if (uses_queue)
		sched__queue_leave(w);
	if (sched__leave(w)) {
		uint32_t again = 0;

		if (uses_queue && !sched_bcast(sched__failed(w))) {
			if (sched__queue_kind(w->queue) == SCHED__KIND_rounds)
				again = sched__next_round(w);
			sched__queue_end(w->queue, w->a);
		}
		sched_sync_worker();
		sched__clean_up(w->a, again);
	}
}

#endif
