/* What the controller does at intervals: jobs that have ended, time limits, progress, jobs that
 * begin at a time, room for messages. */
#ifndef LIBSCHED_ITEMS_JOB_SWEEP_H
#define LIBSCHED_ITEMS_JOB_SWEEP_H

#include "libsched/items/job_command.h"

/* Enqueues the roots of a job whose time has come, for the first time or again, unless those
 * before still run. Gives up the controller's unit when there is no further time, or the job was
 * cancelled. */
LSCHED_WORKER_FN void lsched_i_job_fire(lsched_worker *w, uint32_t job, uint64_t now)
{
	lsched_i_job *j = lsched_i_job_record(w->a, job);
	const uint32_t again = j->period_ns != 0;
	const uint32_t running = lsched_bcast(lsched_ld(&j->units, rlx, dev)) > 1u;
	const uint32_t cancelled =
		lsched_bcast(lsched_ld(&j->flags, rlx, dev)) & LSCHED_I_JOB_CANCELLED;

	if (!cancelled && !running) {
		if (lsched_lane() == 0) {
			lsched_st(&j->next_root, 0u, rlx, dev);
			lsched_i_job_add_units(j, again);
		}
		if (!lsched_i_jobs_push_one(w, lsched_i_job_first_ticket(w->a, job))) {
			if (lsched_lane() == 0)
				lsched_i_job_add_units(j, 0u - again);
			return; /* the queue is full; the next sweep tries again */
		}
	}
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		j->timed = again && !cancelled;
		if (j->timed) /* times that are over are left out */
			j->next_ns += ((now - j->next_ns) / j->period_ns + 1u) * j->period_ns;
	}
	lsched_sync_worker();
	if (cancelled)
		lsched_i_job_release(w, job);
}

/* What a sweep has found in the job of this lane: ENDED, or any of the others. */
#define LSCHED_I_SWEEP_ENDED  1u
#define LSCHED_I_SWEEP_UNPARK 2u
#define LSCHED_I_SWEEP_FIRE   4u

/* A job of a sweep: cancels it if its time limit has passed, writes its progress to the host. It
 * may have been admitted after `now`. */
LSCHED_WORKER_FN uint32_t lsched_i_job_sweep(const lsched_i_args *a, uint32_t job, uint64_t now)
{
	lsched_i_job *j = lsched_i_job_record(a, job);
	lsched_i_job_answer *r = a->jobs_shared->answer + job;
	const uint64_t done = lsched_ld(&j->done, rlx, dev);
	const uint64_t of = lsched_ld(&j->of, rlx, dev);
	/* acquire: what the body that has resumed the job has written */
	uint32_t flags = lsched_ld(&j->flags, acq, dev), found = 0;

	if (!j->listed)
		return 0;
	if (lsched_ld(&j->units, rlx, dev) == 0)
		return LSCHED_I_SWEEP_ENDED;
	if (j->limit_ns && (int64_t)(now - j->admit_ns) > (int64_t)j->limit_ns) {
		const uint32_t limited = LSCHED_I_JOB_CANCELLED | LSCHED_I_JOB_LIMITED;

		flags = lsched_or(&j->flags, limited, acq, dev) | limited;
	}
	if (done != j->sent_done || of != j->sent_of) {
		j->sent_done = done;
		j->sent_of = of;
		lsched_st(&r->live_done, done, rlx, sys);
		lsched_st(&r->live_of, of, rlx, sys);
		if (j->sent_generation != j->generation)
			lsched_st(&r->live_generation, (uint64_t)j->generation, rel, sys);
		j->sent_generation = j->generation;
	}
	if ((flags & (LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_CANCELLED)) == LSCHED_I_JOB_PAUSED ||
		(flags & LSCHED_I_JOB_BEGINS))
		return 0;
	if (j->timed && ((flags & LSCHED_I_JOB_CANCELLED) || (int64_t)(now - j->next_ns) >= 0))
		found |= LSCHED_I_SWEEP_FIRE;
	if (j->unparked || lsched_ld(&j->parked, rlx, dev) ||
		lsched_ld(&j->parked_tickets, rlx, dev))
		found |= LSCHED_I_SWEEP_UNPARK;
	return found;
}

/* Makes room for messages where the host has received some. Leader. */
LSCHED_WORKER_FN void lsched_i_jobs_receive(const lsched_i_args *a)
{
	lsched_i_jobs_state *s = a->jobs;
	const uint32_t received = lsched_ld(&a->jobs_shared->received.v, acq, sys);

	if (received != s->received)
		(void)lsched_add(&s->used.v, s->received - received, rel, dev);
	s->received = received;
}

/* Whether the job is listed and has one of the flags. */
LSCHED_WORKER_FN uint32_t lsched_i_job_has(const lsched_i_args *a, uint32_t job, uint32_t flags)
{
	lsched_i_job *j = lsched_i_job_record(a, job);

	return j->listed && (lsched_ld(&j->flags, rlx, dev) & flags);
}

/* Visits all jobs, now and then. Removes those that have ended from the order. Returns whether any
 * has one of the flags; *timed: whether any waits for its time. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_sweep(
	lsched_worker *w, uint64_t now, uint32_t flags, uint32_t *timed)
{
	const lsched_i_args *a = w->a;
	const uint32_t places = a->jobs->places;
	uint32_t has = 0;

	*timed = 0;
	if (lsched_lane() == 0)
		lsched_i_jobs_receive(a);
	for (uint32_t base = 0; base < places; base += LSCHED_LANES) {
		const uint32_t job = base + lsched_lane();
		const uint32_t found = job < places ? lsched_i_job_sweep(a, job, now) : 0;
		lsched_lane_mask some = lsched_ballot(found == LSCHED_I_SWEEP_ENDED);

		for (; some; some &= some - 1u)
			lsched_i_job_list(a, base + lsched_i_lowest_bit(some), NULL);
		some = lsched_ballot((found & LSCHED_I_SWEEP_UNPARK) != 0);
		for (; some; some &= some - 1u)
			lsched_i_job_unpark(w, base + lsched_i_lowest_bit(some));
		some = lsched_ballot((found & LSCHED_I_SWEEP_FIRE) != 0);
		for (; some; some &= some - 1u)
			lsched_i_job_fire(w, base + lsched_i_lowest_bit(some), now);
		has |= lsched_ballot(job < places && lsched_i_job_has(a, job, flags)) != 0;
		*timed |= lsched_ballot(job < places && lsched_i_job_record(a, job)->listed &&
					lsched_i_job_record(a, job)->timed) != 0;
	}
	return has;
}

#endif
