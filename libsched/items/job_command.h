/* Commands of the host, as the controller of a member reads them, and the order of its jobs. The
 * controller is one worker, whose lanes call these functions together. */
#ifndef LIBSCHED_ITEMS_JOB_COMMAND_H
#define LIBSCHED_ITEMS_JOB_COMMAND_H

#include "libsched/items/job_unpark.h"

/* A command that was read: on a GPU lane k has the words k and k + 32, on the CPU all are in an
 * array. */
typedef struct lsched_i_command {
	uint32_t v[LSCHED_I_COMMAND_WORDS / LSCHED_LANES];
	uint32_t other; /* of this lane's words: nonzero: one has another number */
} lsched_i_command;

/* Loads command number `head`. The loads have the order fnc, for the last read before the member
 * leaves; on the CPU from the last word on, because the host stores that one last. On a GPU they
 * are in flight together, until lsched_i_command_complete(). */
LSCHED_WORKER_FN void lsched_i_command_load(
	const lsched_i_args *a, uint32_t head, lsched_i_command *command)
{
	uint64_t *slot = LSCHED_I_JOBS_SHARED(a)->ring[head % LSCHED_I_COMMAND_SLOTS];

#if LSCHED_LANES > 1
	const uint64_t low = lsched_ld(&slot[lsched_lane()], fnc, sys);
	const uint64_t high = lsched_ld(&slot[LSCHED_LANES + lsched_lane()], fnc, sys);

	command->v[0] = (uint32_t)low;
	command->v[1] = (uint32_t)high;
	command->other =
		((uint32_t)(low >> 32) ^ (head + 1u)) | ((uint32_t)(high >> 32) ^ (head + 1u));
#else
	command->other = 0;
	for (uint32_t k = LSCHED_I_COMMAND_WORDS; k-- > 0 && !command->other;) {
		const uint64_t v = lsched_ld(&slot[k], fnc, sys);

		command->other = (uint32_t)(v >> 32) ^ (head + 1u);
		command->v[k] = (uint32_t)v;
	}
#endif
}

/* Returns whether all words of the command had its number. */
LSCHED_WORKER_FN uint32_t lsched_i_command_complete(const lsched_i_command *command)
{
	return !lsched_ballot(command->other != 0);
}

/* Returns header word j, a constant or the same in all lanes. */
LSCHED_WORKER_FN uint32_t lsched_i_command_word(const lsched_i_command *command, uint32_t j)
{
#if LSCHED_LANES > 1
	return lsched_i_shfl(command->v[0], j);
#else
	return command->v[j];
#endif
}

LSCHED_WORKER_FN uint64_t lsched_i_command_long(const lsched_i_command *command, uint32_t j)
{
	return lsched_i_command_word(command, j) | (uint64_t)lsched_i_command_word(command, j + 1u)
							   << 32;
}

/* Whether job x is more urgent than y: larger priority, earlier deadline (none: last), earlier
 * post. */
LSCHED_WORKER_FN uint32_t lsched_i_job_before(const lsched_i_job *x, const lsched_i_job *y)
{
	if (x->priority != y->priority)
		return x->priority > y->priority;
	if (x->deadline_ns != y->deadline_ns)
		return x->deadline_ns - 1u < y->deadline_ns - 1u; /* 0 becomes the largest */
	return (int64_t)(x->order - y->order) < 0;
}

/* Adds a job to the order: computes its rank, and increments those of more urgent jobs. */
LSCHED_WORKER_FN void lsched_i_job_list(const lsched_i_args *a, uint32_t job)
{
	lsched_i_job *j = lsched_i_job_record(a, job);
	uint32_t below = 0;

	lsched_sync_worker(); /* lane 0 has written the record */
	for (uint32_t k = lsched_lane(); k < LSCHED_I_JOBS_PLACES(a); k += LSCHED_LANES) {
		lsched_i_job *other = lsched_i_job_record(a, k);

		if (k == job || !other->listed)
			continue;
		if (lsched_i_job_before(j, other))
			below++;
		else
			lsched_st(&other->rank, lsched_ld(&other->rank, rlx, dev) + 1u, rlx, dev);
	}
	below = lsched_i_sum(below);
	if (lsched_lane() == 0) {
		lsched_st(&j->rank, below, rlx, dev);
		j->listed = 1;
	}
	lsched_sync_worker();
}

/* Removes a job from the order. */
LSCHED_WORKER_FN void lsched_i_job_unlist(const lsched_i_args *a, uint32_t job)
{
	lsched_i_job *j = lsched_i_job_record(a, job);

	for (uint32_t k = lsched_lane(); k < LSCHED_I_JOBS_PLACES(a); k += LSCHED_LANES) {
		lsched_i_job *other = lsched_i_job_record(a, k);

		if (k != job && other->listed && lsched_i_job_before(other, j))
			lsched_st(&other->rank, lsched_ld(&other->rank, rlx, dev) - 1u, rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0)
		j->listed = 0;
	lsched_sync_worker();
}

/* Writes the record of a posted job. `workers`: those that execute items; at_once: roots that one
 * of them runs in a turn at most. */
LSCHED_WORKER_FN void lsched_i_job_admit(
	const lsched_i_args *a, const lsched_i_command *command, uint64_t order, uint32_t at_once)
{
	const uint32_t job = lsched_i_command_word(command, LSCHED_I_COMMAND_SLOT);
	const uint32_t generation = lsched_i_command_word(command, LSCHED_I_COMMAND_GENERATION);
	const uint32_t first = lsched_i_command_word(command, LSCHED_I_COMMAND_FIRST);
	const uint32_t roots = lsched_i_command_word(command, LSCHED_I_COMMAND_ROOTS);
	const uint32_t priority = lsched_i_command_word(command, LSCHED_I_COMMAND_PRIORITY);
	const uint64_t deadline = lsched_i_command_long(command, LSCHED_I_COMMAND_DEADLINE);
	const uint32_t limit_ms = lsched_i_command_word(command, LSCHED_I_COMMAND_LIMIT_MS);
	const uint64_t start = lsched_i_command_long(command, LSCHED_I_COMMAND_START);
	const uint64_t period = lsched_i_command_long(command, LSCHED_I_COMMAND_PERIOD);
	const uint32_t each = roots / (a->workers - 1u);
	lsched_i_job *j = lsched_i_job_record(a, job);

	/* The worker that has ended the job before this one in the record, the host, which then
	 * posted this one, and this worker synchronise in this order. */
	lsched_i_fence_ar_sys();
	if (j->listed) /* its end was not observed yet */
		lsched_i_job_unlist(a, job);
	for (uint32_t k = lsched_lane(); k < LSCHED_I_JOB_ARG_WORDS; k += LSCHED_LANES)
		j->args[k] = command->v[LSCHED_I_COMMAND_ARGS / LSCHED_LANES + k / LSCHED_LANES];
	if (lsched_lane() == 0) {
		lsched_i_job_answer *r = LSCHED_I_JOBS_SHARED(a)->answer + job;

		lsched_st(&j->next_root, 0u, rlx, dev);
		lsched_st(&j->flags, 0u, rlx, dev);
		lsched_st(&j->failed, 0u, rlx, dev);
		lsched_st(&j->code, 0u, rlx, dev);
		lsched_st(&j->value, (uint64_t)0, rlx, dev);
		lsched_st(&j->done, (uint64_t)0, rlx, dev);
		lsched_st(&j->of, (uint64_t)0, rlx, dev);
		lsched_st(&j->start_ns, (uint64_t)0, rlx, dev);
		j->generation = generation;
		j->first = first;
		j->roots = roots;
		j->each = each < 1u ? 1u : each < at_once ? each : at_once;
		j->priority = priority;
		lsched_st(&j->deadline_ns, deadline, rlx, dev);
		j->order = order;
		j->timed = start != 0 || period != 0;
		j->next_ns = start;
		j->period_ns = period;
		j->admit_ns = lsched_now_ns();
		j->limit_ns = limit_ms * UINT64_C(1000000);
		j->sent_done = j->sent_of = 0;
		lsched_st(&r->live_done, (uint64_t)0, rlx, sys);
		lsched_st(&r->live_of, (uint64_t)0, rlx, sys);
		lsched_st(&r->live_generation, (uint64_t)generation, rel, sys);
		lsched_st(&j->units, 1u, rlx, dev); /* of the first ticket, or the controller's */
	}
	lsched_i_job_list(a, job);
}

/* Marks a job as cancelled, if it is the one that was posted with this generation. */
LSCHED_WORKER_FN void lsched_i_job_cancel(lsched_worker *w, const lsched_i_command *command)
{
	const uint32_t job = lsched_i_command_word(command, LSCHED_I_COMMAND_SLOT);
	const uint32_t generation = lsched_i_command_word(command, LSCHED_I_COMMAND_GENERATION);
	lsched_i_job *j = lsched_i_job_record(w->a, job);

	if (j->generation != generation || !j->listed)
		return;
	if (lsched_lane() == 0)
		(void)lsched_or(&j->flags, LSCHED_I_JOB_CANCELLED, rlx, dev);
	lsched_i_job_unpark(w, job);
}

/* Changes priority and deadline of a job, and so its rank, which moves all its items in the queue;
 * pauses or resumes it. */
LSCHED_WORKER_FN void lsched_i_job_change(lsched_worker *w, const lsched_i_command *command)
{
	const lsched_i_args *a = w->a;
	const uint32_t job = lsched_i_command_word(command, LSCHED_I_COMMAND_SLOT);
	const uint32_t generation = lsched_i_command_word(command, LSCHED_I_COMMAND_GENERATION);
	const uint32_t priority = lsched_i_command_word(command, LSCHED_I_COMMAND_PRIORITY);
	const uint32_t paused = lsched_i_command_word(command, LSCHED_I_COMMAND_PAUSED);
	const uint64_t deadline = lsched_i_command_long(command, LSCHED_I_COMMAND_DEADLINE);
	lsched_i_job *j = lsched_i_job_record(a, job);

	if (j->generation != generation || !j->listed)
		return;
	lsched_i_job_unlist(a, job);
	if (lsched_lane() == 0) {
		j->priority = priority;
		lsched_st(&j->deadline_ns, deadline, rlx, dev);
		if (paused)
			(void)lsched_or(&j->flags, LSCHED_I_JOB_PAUSED, rlx, dev);
		else
			(void)lsched_and(&j->flags, ~LSCHED_I_JOB_PAUSED, rlx, dev);
	}
	lsched_i_job_list(a, job);
	if (!paused)
		lsched_i_job_unpark(w, job);
}

#endif
