/* The wait for a job. */
#include <inttypes.h>
#include "libsched/core/jobs.h"
#include "libsched/core/shared.h"

#define RESULT_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_job_result, limited)

/* Interval at which a waiting thread checks the member's execution. */
#define CHECK_EVERY_NS UINT64_C(1000000)

/* Age of the clock's offset at which it is measured again. */
#define WAIT_CLOCK_NS UINT64_C(100000000)

/* Reads the answer of a job that has ended; returns its status. */
static lsched_status read_answer(
	lsched_jobs *jobs, jobs_member *m, uint32_t slot, uint32_t end, lsched_job_result *r)
{
	lsched_i_job_answer *a = m->shared->answer + slot;
	const uint64_t value = lsched_ld(&a->value, rlx, sys);
	const lsched_program *p = m->run->program;

	r->value = p->reduce_op == LSCHED_I_OP_MIN ? ~value : value;
	r->done = lsched_ld(&a->done, rlx, sys);
	r->of = lsched_ld(&a->of, rlx, sys);
	r->post_ns = m->slot[slot].post_ns;
	lsched_i_jobs_times(m, slot, &r->start_ns, &r->end_ns);
	r->member = (uint32_t)(m - jobs->member);
	r->code = (int32_t)(uint32_t)lsched_ld(&a->code, rlx, sys);
	r->limited = end == LSCHED_I_JOB_WAS_LIMITED;
	switch (end) {
	case LSCHED_I_JOB_DONE:
		lsched_i_jobs_measure(m, m->slot[slot].kind, lsched_ld(&a->roots, rlx, sys),
			r->end_ns - r->start_ns);
		return LSCHED_OK;
	case LSCHED_I_JOB_HAS_FAILED:
		return lsched_i_jobs_error(jobs, LSCHED_ERR_TASK_FAILED,
			"%s: job 0x%" PRIx64 " has failed by lsched_job_fail() with code %" PRId32,
			p->name, lsched_i_jobs_id(jobs, m, slot), r->code);
	default:
		return LSCHED_ERR_CANCELLED;
	}
}

/* Returns the outcome of a job and frees its place, if it has ended; TIMEOUT if it has not. check:
 * also checks the execution, which takes a microsecond or two. */
static lsched_status collect(lsched_jobs *jobs, lsched_job job, int check, lsched_job_result *r)
{
	jobs_member *m;
	uint32_t slot, end;
	jobs_slot *s = lsched_i_jobs_slot_of(jobs, job, &m, &slot);
	lsched_status st;

	if (!s)
		return lsched_i_jobs_no_such(jobs, job);
	end = lsched_i_jobs_ended(m, slot, s->generation);
	if (check && !end && s->broken == LSCHED_OK) {
		lsched_i_jobs_check(jobs, m);
		if (m->running)
			(void)lsched_i_jobs_follow_clock(jobs, m, WAIT_CLOCK_NS);
		end = lsched_i_jobs_ended(m, slot, s->generation);
	}
	if (end)
		st = read_answer(jobs, m, slot, end, r);
	else
		st = s->broken;
	if (!end && st == LSCHED_OK)
		return LSCHED_ERR_TIMEOUT;
	lsched_i_jobs_count(jobs, m, slot, end);
	lsched_i_jobs_free_slot(m, slot);
	return st;
}

/* A device answers within microseconds where its jobs are short: so long a waiting thread keeps its
 * processor, and so long it yields it, before it sleeps, which takes 50 us or more. */
#define KEEP_NS  UINT64_C(20000)
#define YIELD_NS UINT64_C(200000)

/* The most spins of lsched_i_cpu_relax() after `ns` of waiting. */
static uint32_t spins_most(const jobs_member *m, uint64_t ns)
{
	if (m->ctx->b->host_memory) /* its workers may need the processor */
		return UINT32_MAX;
	return ns < KEEP_NS    ? LSCHED_I_FAST_POLLS - 1u
	       : ns < YIELD_NS ? LSCHED_I_FAST_POLLS
			       : UINT32_MAX;
}

/* Polls until the job has ended, a check of the execution is due, or the time is over. The job
 * is, or was, open. */
static void poll_answer(const lsched_jobs *jobs, lsched_job job, uint64_t begin_ns,
	uint64_t until_ns, uint32_t *spins)
{
	const jobs_member *m = jobs->member + ((uint32_t)(job.id >> 16) & 0xffffu);
	const uint32_t slot = (uint32_t)job.id & 0xffffu;

	for (; !lsched_i_jobs_ended(m, slot, (uint32_t)(job.id >> 32)); ++*spins) {
		if (lsched_i_clock_due(*spins, LSCHED_I_FAST_POLLS)) {
			const uint64_t now = lsched_i_cpu_now_ns();
			const uint32_t most = spins_most(m, now - begin_ns);

			if (now >= until_ns)
				break;
			*spins = *spins < most ? *spins : most;
		}
		lsched_i_cpu_relax(*spins);
	}
}

lsched_status lsched_job_wait(
	lsched_jobs *jobs, lsched_job job, uint32_t timeout_ms, lsched_job_result *result)
{
	const uint64_t begin = lsched_i_cpu_now_ns();
	const uint64_t end = timeout_ms == LSCHED_NO_LIMIT_MS
				     ? UINT64_MAX
				     : begin + timeout_ms * UINT64_C(1000000);
	lsched_job_result known = { 0 };
	uint32_t spins = 0;
	int check = timeout_ms == 0;
	lsched_status st;

	if (!jobs ||
		(result && lsched_i_sized_out(result, sizeof(known), RESULT_LEAST_BYTES, &known)))
		return LSCHED_ERR_ARG;
	for (;;) {
		const uint64_t now = lsched_i_cpu_now_ns();

		pthread_mutex_lock(&jobs->lock);
		st = collect(jobs, job, check, &known);
		check = 1;
		if (st == LSCHED_ERR_TIMEOUT && now >= end && timeout_ms) /* not of a poll */
			(void)lsched_i_jobs_error(jobs, st,
				"job 0x%" PRIx64 " has not ended within %" PRIu32
				" ms; wait again, or call lsched_job_cancel()",
				job.id, timeout_ms);
		pthread_mutex_unlock(&jobs->lock);
		if (st != LSCHED_ERR_TIMEOUT || now >= end)
			break;
		poll_answer(jobs, job, begin,
			end - now < CHECK_EVERY_NS ? end : now + CHECK_EVERY_NS, &spins);
	}
	if (result)
		(void)lsched_i_sized_out(result, sizeof(known), RESULT_LEAST_BYTES, &known);
	return st;
}
