/* First tickets of jobs, and parked items of paused jobs, which the controller enqueues; and the
 * front of the queue, which it publishes. */
#ifndef LIBSCHED_ITEMS_JOB_UNPARK_H
#define LIBSCHED_ITEMS_JOB_UNPARK_H

#include "libsched/items/job_wait.h"
#include "libsched/queue/prio.h"

/* Returns the first ticket of a job with so many roots and roots of a draw: its count is that of
 * the workers that have roots to draw. */
LSCHED_WORKER_FN uint32_t lsched_i_job_ticket_for(
	const lsched_i_args *a, uint32_t job, uint32_t roots, uint32_t each)
{
	const uint32_t draws = roots / each + (roots % each != 0);
	uint32_t count = draws < a->workers - 1u ? draws : a->workers - 1u;

	count = count < 1u ? 1u : count < LSCHED_I_TICKETS_MOST ? count : LSCHED_I_TICKETS_MOST;
	return lsched_i_ticket(job, count);
}

/* The same of a job that was admitted. */
LSCHED_WORKER_FN uint32_t lsched_i_job_first_ticket(const lsched_i_args *a, uint32_t job)
{
	const lsched_i_job *j = lsched_i_job_record(a, job);

	return lsched_i_job_ticket_for(a, job, j->roots, j->each);
}

/* Chunks that the controller enqueues again at once. */
#define LSCHED_I_UNPARK_MOST 64u

/* Enqueues the parked tickets of a job that is not paused any more, as one ticket for all workers.
 * Returns 0 if the queue is full. */
LSCHED_WORKER_FN uint32_t lsched_i_job_unpark_tickets(lsched_worker *w, uint32_t job)
{
	lsched_i_job *j = lsched_i_job_record(w->a, job);
	uint32_t n = 0;

	if (lsched_lane() == 0) {
		n = lsched_ld(&j->parked_tickets, rlx, dev);
		if (n) { /* the units of the others; that of the one remains */
			(void)lsched_add(&j->parked_tickets, 0u - n, rlx, dev);
			(void)lsched_add(&j->units, 1u - n, rlx, dev);
		}
	}
	n = lsched_bcast(n);
	if (n == 0 || lsched_i_jobs_push_one(w, lsched_i_job_first_ticket(w->a, job)))
		return 1;
	if (lsched_lane() == 0)
		(void)lsched_add(&j->parked_tickets, 1u, rlx, dev);
	return 0;
}

/* Enqueues parked items of a job that is not paused any more; those that it leaves are the next
 * sweep's. */
LSCHED_WORKER_FN void lsched_i_job_unpark(lsched_worker *w, uint32_t job)
{
	const lsched_i_args *a = w->a;
	lsched_i_job *j = lsched_i_job_record(a, job);

	if (!lsched_i_job_unpark_tickets(w, job))
		return;
	for (uint32_t k = 0; k < LSCHED_I_UNPARK_MOST; k++) {
		uint32_t first = 0, next = 0, pushed;

		if (lsched_lane() == 0) {
			first = j->unparked;
			if (!first) {
				first = lsched_ld(&j->parked, acq, dev);
				while (first && !lsched_cas(&j->parked, &first, 0u, acq, dev))
					;
			}
			if (first) /* before the chunk may be parked again */
				next = lsched_ld(&LSCHED_I_JOBS_NEXT(a)[first - 1u], rlx, dev);
		}
		first = lsched_bcast(first);
		if (!first)
			return;
		pushed = lsched_i_jobs_push_one(w, first - 1u);
		if (lsched_lane() == 0) {
			j->unparked = pushed ? next : first;
			if (pushed) /* as a chunk that serves a request */
				(void)lsched_add(
					&a->state->items.chunk_requests.v, 0xffffffffu, rlx, dev);
		}
		if (!pushed)
			return;
	}
}

/* Items of the front that a lane looks at. */
#define LSCHED_I_JOBS_FRONT 4u

/* Returns how many of the items from `head` on have the key of the first one, and sets *key to one
 * plus that; 0: it is not there any more. Tickets of a job for several workers are so many items:
 * published one by one, each would wait for a turn of the controller. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_front(const lsched_i_args *a, uint32_t head, uint32_t *key)
{
	const uint32_t mask = lsched_i_prio_mask(a);
	uint32_t own[LSCHED_I_JOBS_FRONT], n = 0;

	LSCHED_UNROLL
	for (uint32_t r = 0; r < LSCHED_I_JOBS_FRONT; r++) {
		const uint32_t place = head + r * LSCHED_LANES + lsched_lane();
		const uint64_t v = lsched_ld(a->queue_slots + (place & mask), acq, dev);
		const uint32_t there = (uint32_t)(v >> 32) == ((place & ~mask) | 1u);

		own[r] = there ? 1u + lsched_i_item_key(a, (uint32_t)v) : 0;
	}
	*key = lsched_bcast(own[0]);
	LSCHED_UNROLL
	for (uint32_t r = 0; r < LSCHED_I_JOBS_FRONT; r++) {
		const lsched_lane_mask others = lsched_ballot(own[r] != *key);

		if (n == r * LSCHED_LANES)
			n += others ? lsched_i_lowest_bit(others) : LSCHED_LANES;
	}
	return *key == 0 ? 0 : n;
}

#endif
