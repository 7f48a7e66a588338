/* How a worker of a member waits for items. */
#ifndef LIBSCHED_ITEMS_JOB_WAIT_H
#define LIBSCHED_ITEMS_JOB_WAIT_H

#include "libsched/items/job.h"

/* The longest backoff of a member's waits: on a CPU the poll after a fast poll, some yields and
 * sleeps that have become this long (cpu/relax.c) takes 0.1 ms. */
#define LSCHED_I_JOBS_RELAX_MOST 99u

LSCHED_WORKER_FN void lsched_i_jobs_relax(uint32_t spins, uint32_t workers)
{
	lsched_i_relax(
		spins < LSCHED_I_JOBS_RELAX_MOST ? spins : LSCHED_I_JOBS_RELAX_MOST, workers);
}

/* Watchdog of a worker that waits for items: the controller checks the run's progress, so this one
 * only checks that the controller takes turns. One lane. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_watch(lsched_worker *w)
{
	lsched_i_worker_private *p = w->priv;
	const uint64_t timeout = p->watch_timeout_ns, now = lsched_now_ns();
	const uint64_t since = now - p->watched_ns;
	uint32_t beat;

	if (p->watched_ns == 0) {
		p->watched_ns = now;
		p->waited_ns = 0;
		p->watched = lsched_ld(&w->a->jobs->beat.v, rlx, dev);
		return LSCHED_I_PROGRESS;
	}
	if (!timeout || since < lsched_i_watch_step_ns(timeout))
		return LSCHED_I_PROGRESS;
	p->watched_ns = now;
	beat = lsched_ld(&w->a->jobs->beat.v, rlx, dev);
	p->waited_ns =
		beat != p->watched ? 0 : p->waited_ns + lsched_i_watch_counted_ns(timeout, since);
	p->watched = beat;
	return p->waited_ns > 2 * timeout ? LSCHED_I_STALLED : LSCHED_I_PROGRESS;
}

/* The hand: one idle worker waits there for the next item of the controller, which so takes neither
 * the controller's push nor the worker's pop; the others poll the queue. */

/* Controller: gives an item to the worker that waits in the hand; returns 0 if none does. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_hand_over(lsched_worker *w, uint32_t item)
{
	uint64_t *hand = &w->a->jobs->hand;
	uint32_t *outstanding = &w->a->state->outstanding.v;
	uint64_t v;
	uint32_t done = 0;

	if (lsched_lane() == 0) {
		v = lsched_ld(hand, rlx, dev);
		if (v && !(v >> 32)) {
			(void)lsched_add(outstanding, 1u, rlx, dev);
			done = lsched_cas(hand, &v, v | (uint64_t)(item + 1u) << 32, rel, dev);
			if (!done)
				(void)lsched_add(outstanding, 0xffffffffu, rlx, dev);
		}
	}
	return lsched_bcast(done);
}

/* Leader of an idle worker: waits in the hand from now on, if no other one does. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_offer(const lsched_worker *w)
{
	uint64_t *hand = &w->a->jobs->hand, none = 0;

	return !lsched_ld(hand, rlx, dev) &&
	       lsched_cas(hand, &none, (uint64_t)w->index + 1u, rlx, dev);
}

/* Whether an idle worker offers itself: when it becomes idle, because the instructions of a job are
 * in its processor's cache then, which takes microseconds otherwise; the others rarely. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_may_offer(uint32_t spins)
{
	return spins == 0 || (spins & 1023u) == 1023u;
}

/* Its leader: does not wait any more. Returns the item that it was given, or LSCHED_NONE. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_withdraw(const lsched_worker *w)
{
	uint64_t *hand = &w->a->jobs->hand, own = (uint64_t)w->index + 1u;

	if (lsched_cas(hand, &own, (uint64_t)0, rlx, dev))
		return LSCHED_NONE;
	own = lsched_ld(hand, acq, dev);
	lsched_st(hand, (uint64_t)0, rlx, dev);
	return (uint32_t)(own >> 32) - 1u;
}

/* Polls of the hand between two looks at the queue. */
#define LSCHED_I_HAND_POLLS (LSCHED_I_GPU ? 8u : 1u)

/* Its leader: polls the hand, and withdraws if an item is in the queue. Returns the item that it
 * was given, or LSCHED_NONE. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_poll_hand(const lsched_worker *w, uint32_t *waits)
{
	uint64_t *hand = &w->a->jobs->hand;

	for (uint32_t k = 0; k < LSCHED_I_HAND_POLLS; k++) {
		const uint64_t v = lsched_ld(hand, acq, dev);

		if (v >> 32) { /* no other worker changes it now */
			lsched_st(hand, (uint64_t)0, rlx, dev);
			*waits = 0;
			return (uint32_t)(v >> 32) - 1u;
		}
	}
	if ((int32_t)lsched_ld(&w->a->state->queue[LSCHED_I_RING_AVAIL].v, rlx, dev) <= 0)
		return LSCHED_NONE;
	*waits = 0;
	return lsched_i_jobs_withdraw(w);
}

/* Leader, after a look for an item that found none: watches, and waits. Returns nonzero if there is
 * nothing to wait for. *waits: the worker waits in the hand. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_idle(
	lsched_worker *w, uint32_t spins, uint64_t *idle, uint32_t *waits)
{
	w->priv->count[LSCHED_I_N_FAILED_POPS]++;
	if (lsched_i_failed(w) || lsched_i_outstanding(w) == 0)
		return 1;
	if (spins == 0)
		*idle = lsched_i_wait_begin(w);
	else if (lsched_i_clock_due(spins, 16u) && lsched_i_jobs_watch(w) != LSCHED_I_PROGRESS) {
		lsched_i_fail(w, LSCHED_I_FAIL_IDLE, LSCHED_NONE, 0);
		return 1;
	}
	if (!*waits && lsched_i_jobs_may_offer(spins))
		*waits = lsched_i_jobs_offer(w);
	if (!*waits || !LSCHED_I_GPU)
		lsched_i_jobs_relax(spins, w->a->workers);
	return 0;
}

/* Waits for an item of the queue and returns it; LSCHED_NONE: the member leaves, or the run has
 * failed. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_dequeue(lsched_worker *w)
{
	uint64_t idle = 0;
	uint32_t item = LSCHED_NONE, stop = 0, waits = 0;
	lsched_i_batch b;

	if (lsched_lane() == 0)
		(void)lsched_add(&w->a->state->items.chunk_requests.v, 1u, rlx, dev);
	for (uint32_t spins = 0;; spins++) {
		if (waits) /* leader */
			item = lsched_i_jobs_poll_hand(w, &waits);
		item = lsched_bcast(item);
		if (item != LSCHED_NONE)
			break;
		if (!lsched_bcast(waits) && lsched_i_queue_pop_n(w, &b, 1)) {
			item = lsched_i_batch_first(&b);
			break;
		}
		lsched_i_flush_finished(w);
		if (lsched_lane() == 0)
			stop = lsched_i_jobs_idle(w, spins, &idle, &waits);
		if (lsched_bcast(stop))
			break;
	}
	if (waits) /* the end of all, or a failure: no item is lost */
		(void)lsched_i_jobs_withdraw(w);
	if (lsched_lane() == 0 && idle)
		lsched_i_wait_end(w, idle);
	if (lsched_bcast(stop))
		return LSCHED_NONE;
	/* a chunk has served a request; a ticket has not */
	if (lsched_lane() == 0 && item != LSCHED_NONE && (item & LSCHED_I_TICKET))
		(void)lsched_add(&w->a->state->items.chunk_requests.v, 0xffffffffu, rlx, dev);
	return item;
}

#endif
