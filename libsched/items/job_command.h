/* Commands of the host, as the controller of a member reads them, and the order of its jobs. The
 * controller is one worker, whose lanes call these functions together. */
#ifndef LIBSCHED_ITEMS_JOB_COMMAND_H
#define LIBSCHED_ITEMS_JOB_COMMAND_H

#include "libsched/items/job_unpark.h"

/* A command that was read: on a GPU lane k has the words k and k + 32, with their numbers; on the
 * CPU all are in an array. */
typedef struct lsched_i_command {
#if LSCHED_LANES > 1
	uint64_t raw[LSCHED_I_COMMAND_WORDS / LSCHED_LANES];
#else
	uint32_t v[LSCHED_I_COMMAND_WORDS];
	uint32_t other; /* nonzero: a word has another number */
#endif
} lsched_i_command;

/* Loads command number `head`. The loads have the order fnc, for the last read before the member
 * leaves; on the CPU from the last word on, because the host stores that one last. On a GPU they
 * are in flight together, until lsched_i_command_complete(). */
LSCHED_WORKER_FN void lsched_i_command_load(
	const lsched_i_args *a, uint32_t head, lsched_i_command *command)
{
	uint64_t *slot = a->jobs_shared->ring[head % LSCHED_I_COMMAND_SLOTS];

#if LSCHED_LANES > 1
	command->raw[0] = lsched_ld(&slot[lsched_lane()], fnc, sys);
	command->raw[1] = lsched_ld(&slot[LSCHED_LANES + lsched_lane()], fnc, sys);
#else
	command->other = 0;
	for (uint32_t k = LSCHED_I_COMMAND_WORDS; k-- > 0 && !command->other;) {
		const uint64_t v = lsched_ld(&slot[k], fnc, sys);

		command->other = (uint32_t)(v >> 32) ^ (head + 1u);
		command->v[k] = (uint32_t)v;
	}
#endif
}

/* Returns whether all words of command number `head` have arrived. */
LSCHED_WORKER_FN uint32_t lsched_i_command_complete(const lsched_i_command *command, uint32_t head)
{
#if LSCHED_LANES > 1
	return !lsched_ballot((uint32_t)(command->raw[0] >> 32) != head + 1u ||
			      (uint32_t)(command->raw[1] >> 32) != head + 1u);
#else
	(void)head;
	return !command->other;
#endif
}

/* This lane's word k of the arguments. */
LSCHED_WORKER_FN uint32_t lsched_i_command_arg(const lsched_i_command *command, uint32_t k)
{
#if LSCHED_LANES > 1
	(void)k; /* the lane's number */
	return (uint32_t)command->raw[LSCHED_I_COMMAND_ARGS / LSCHED_LANES];
#else
	return command->v[LSCHED_I_COMMAND_ARGS + k];
#endif
}

/* Returns header word j, a constant or the same in all lanes. */
LSCHED_WORKER_FN uint32_t lsched_i_command_word(const lsched_i_command *command, uint32_t j)
{
#if LSCHED_LANES > 1
	return lsched_i_shfl((uint32_t)command->raw[0], j);
#else
	return command->v[j];
#endif
}

LSCHED_WORKER_FN uint64_t lsched_i_command_long(const lsched_i_command *command, uint32_t j)
{
	return lsched_i_command_word(command, j) | (uint64_t)lsched_i_command_word(command, j + 1u)
							   << 32;
}

/* What decides how urgent a job is. */
typedef struct lsched_i_job_place {
	uint32_t priority;
	uint64_t deadline_ns, order;
} lsched_i_job_place;

LSCHED_WORKER_FN lsched_i_job_place lsched_i_job_place_of(lsched_i_job *j)
{
	const lsched_i_job_place p = { j->priority, lsched_ld(&j->deadline_ns, rlx, dev),
		j->order };

	return p;
}

/* Whether a job at x is more urgent than one at y: larger priority, earlier deadline (none: last),
 * earlier post. */
LSCHED_WORKER_FN uint32_t lsched_i_job_before(
	const lsched_i_job_place *x, const lsched_i_job_place *y)
{
	if (x->priority != y->priority)
		return x->priority > y->priority;
	if (x->deadline_ns != y->deadline_ns)
		return x->deadline_ns - 1u < y->deadline_ns - 1u; /* 0 becomes the largest */
	return (int64_t)(x->order - y->order) < 0;
}

/* Moves a job to another place in the order, or adds it, or, without a place, removes it. Computes
 * its rank, and changes those of the jobs that it passes. */
LSCHED_WORKER_FN void lsched_i_job_list(
	const lsched_i_args *a, uint32_t job, const lsched_i_job_place *to)
{
	lsched_i_job *j = lsched_i_job_record(a, job);
	const lsched_i_job_place from = lsched_i_job_place_of(j);
	const uint32_t was = j->listed;
	uint32_t below = 0;

	for (uint32_t k = lsched_lane(); k < a->jobs->places; k += LSCHED_LANES) {
		lsched_i_job *other = lsched_i_job_record(a, k);
		const lsched_i_job_place at = lsched_i_job_place_of(other);
		const uint32_t first = to && lsched_i_job_before(&at, to);
		const uint32_t was_first = was && lsched_i_job_before(&at, &from);

		if (k == job || !other->listed)
			continue;
		below += to && !first;
		if (first != was_first)
			lsched_st(&other->rank,
				lsched_ld(&other->rank, rlx, dev) + first - was_first, rlx, dev);
	}
	below = lsched_i_sum(below);
	if (lsched_lane() == 0) {
		j->listed = to != NULL;
		if (to) {
			j->priority = to->priority;
			lsched_st(&j->deadline_ns, to->deadline_ns, rlx, dev);
			j->order = to->order;
			lsched_st(&j->rank, below, rlx, dev);
		}
	}
	lsched_sync_worker();
}

/* Waits until the job before this one in the record has its answer, which the host may have read
 * already: then no worker accesses the record. */
LSCHED_WORKER_FN void lsched_i_job_await_end(lsched_worker *w, lsched_i_job *j)
{
	uint64_t t0 = 0;

	for (uint32_t spins = 0; lsched_lane() == 0 && lsched_ld(&j->busy, acq, dev); spins++)
		if (lsched_i_spin_expired(w, spins, &t0))
			break;
	lsched_sync_worker();
}

/* Writes the record of a posted job and returns its first ticket. at_once: roots that a worker runs
 * in a turn at most. */
LSCHED_WORKER_FN uint32_t lsched_i_job_admit(
	lsched_worker *w, const lsched_i_command *command, uint64_t order, uint32_t at_once)
{
	const uint32_t job = lsched_i_command_word(command, LSCHED_I_COMMAND_SLOT);
	const uint32_t generation = lsched_i_command_word(command, LSCHED_I_COMMAND_GENERATION);
	const uint32_t first = lsched_i_command_word(command, LSCHED_I_COMMAND_FIRST);
	const uint32_t roots = lsched_i_command_word(command, LSCHED_I_COMMAND_ROOTS);
	const lsched_i_job_place place = { lsched_i_command_word(
						   command, LSCHED_I_COMMAND_PRIORITY),
		lsched_i_command_long(command, LSCHED_I_COMMAND_DEADLINE), order };
	const uint32_t limit_ms = lsched_i_command_word(command, LSCHED_I_COMMAND_LIMIT_MS);
	const uint64_t start = lsched_i_command_long(command, LSCHED_I_COMMAND_START);
	const uint64_t period = lsched_i_command_long(command, LSCHED_I_COMMAND_PERIOD);
	const uint32_t member = lsched_i_command_word(command, LSCHED_I_COMMAND_MEMBER);
	const uint32_t paused = lsched_i_command_word(command, LSCHED_I_COMMAND_PAUSED);
	const uint32_t each = lsched_i_job_each(w->a, roots, at_once);
	lsched_i_job *j = lsched_i_job_record(w->a, job);

	/* what the host has written before the post is visible to the bodies; not later, because a
	 * fence waits for earlier stores */
	lsched_i_fence_ar_sys();
	lsched_i_job_list(w->a, job, &place); /* from its old place, if that was not removed yet */
	lsched_i_job_await_end(w, j);
	for (uint32_t k = lsched_lane(); k < LSCHED_I_JOB_ARG_WORDS; k += LSCHED_LANES)
		j->args[k] = lsched_i_command_arg(command, k);
	if (lsched_lane() == 0) {
		if (job >= w->a->jobs->places)
			w->a->jobs->places = job + 1u;
		lsched_st(&j->busy, 1u, rlx, dev);
		lsched_st(&j->next_root, 0u, rlx, dev);
		lsched_st(&j->flags, paused ? LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_POSTPONED : 0u,
			rlx, dev);
		lsched_st(&j->failed, 0u, rlx, dev);
		lsched_st(&j->code, 0u, rlx, dev);
		lsched_st(&j->value, (uint64_t)0, rlx, dev);
		lsched_st(&j->done, (uint64_t)0, rlx, dev);
		lsched_st(&j->of, (uint64_t)0, rlx, dev);
		lsched_st(&j->start_ns, (uint64_t)0, rlx, dev);
		lsched_st(&j->generation, generation, rlx, dev);
		lsched_st(&j->member, member, rlx, dev);
		j->first = first;
		j->roots = roots;
		j->each = each;
		j->at_once = at_once;
		j->timed = start != 0 || period != 0;
		j->next_ns = start;
		j->period_ns = period;
		j->admit_ns = lsched_now_ns();
		j->limit_ns = limit_ms * UINT64_C(1000000);
		j->sent_done = j->sent_of = 0;
		lsched_st(&j->units, 1u, rlx, dev); /* of the first ticket, or the controller's */
	}
	lsched_sync_worker();
	return lsched_i_job_ticket_for(w->a, job, roots, each);
}

/* Marks a job as cancelled, if it is the one that was posted with this generation. */
LSCHED_WORKER_FN void lsched_i_job_cancel(lsched_worker *w, const lsched_i_command *command)
{
	const uint32_t job = lsched_i_command_word(command, LSCHED_I_COMMAND_SLOT);
	const uint32_t generation = lsched_i_command_word(command, LSCHED_I_COMMAND_GENERATION);
	lsched_i_job *j = lsched_i_job_record(w->a, job);
	uint32_t flags = 0;

	if (j->generation != generation || !j->listed)
		return;
	if (lsched_lane() == 0)
		flags = lsched_or(&j->flags, LSCHED_I_JOB_CANCELLED, acq, dev);
	if (!(lsched_bcast(flags) & LSCHED_I_JOB_BEGINS)) /* else the next sweep does it */
		lsched_i_job_unpark(w, job);
}

/* Cancels all jobs that do not end by themselves: the periodic ones, or, with `paused`, the paused
 * ones, unless another job waits for its time, which may resume them. Returns whether there were
 * any. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_cancel_endless(const lsched_i_args *a, uint32_t paused)
{
	const uint32_t places = a->jobs->places;
	uint32_t others = 0, some = 0;

	for (uint32_t k = lsched_lane(); paused && k < places; k += LSCHED_LANES) {
		lsched_i_job *j = lsched_i_job_record(a, k);

		others |= j->listed && j->timed &&
			  !(lsched_ld(&j->flags, rlx, dev) & LSCHED_I_JOB_PAUSED);
	}
	if (lsched_ballot(others))
		return 0;
	for (uint32_t k = lsched_lane(); k < places; k += LSCHED_LANES) {
		lsched_i_job *j = lsched_i_job_record(a, k);
		const uint32_t endless =
			paused ? (lsched_ld(&j->flags, rlx, dev) & LSCHED_I_JOB_PAUSED) != 0
			       : j->period_ns != 0;

		if (!j->listed || !endless)
			continue;
		some = 1;
		(void)lsched_or(&j->flags, LSCHED_I_JOB_CANCELLED, rlx, dev);
	}
	return lsched_ballot(some) != 0;
}

/* Changes priority and deadline of a job, and so its rank, which moves all its items in the queue;
 * pauses or resumes it. */
LSCHED_WORKER_FN void lsched_i_job_change(lsched_worker *w, const lsched_i_command *command)
{
	const lsched_i_args *a = w->a;
	const uint32_t job = lsched_i_command_word(command, LSCHED_I_COMMAND_SLOT);
	const uint32_t generation = lsched_i_command_word(command, LSCHED_I_COMMAND_GENERATION);
	const uint32_t paused = lsched_i_command_word(command, LSCHED_I_COMMAND_PAUSED);
	lsched_i_job *j = lsched_i_job_record(a, job);
	const lsched_i_job_place place = { lsched_i_command_word(
						   command, LSCHED_I_COMMAND_PRIORITY),
		lsched_i_command_long(command, LSCHED_I_COMMAND_DEADLINE), j->order };
	uint32_t flags = LSCHED_I_JOB_PAUSED;

	if (j->generation != generation || !j->listed)
		return;
	if (lsched_lane() == 0 && paused) {
		(void)lsched_or(&j->flags, LSCHED_I_JOB_PAUSED, rlx, dev);
	} else if (lsched_lane() == 0) {
		(void)lsched_i_job_clear_pause(j);
		flags = lsched_ld(&j->flags, acq, dev); /* a body may have resumed it */
	}
	lsched_i_job_list(a, job, &place);
	if (!(lsched_bcast(flags) & (LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_BEGINS)))
		lsched_i_job_unpark(w, job);
}

#endif
