/* Calls on jobs: post, cancel, change, progress, messages. core/jobs_wait.c has the wait. */
#include <inttypes.h>
#include <string.h>
#include "libsched/core/jobs.h"
#include "libsched/core/shared.h"

#define DESC_LEAST_BYTES    LSCHED_I_SIZE_TO(lsched_job_desc, kind)
#define MESSAGE_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_job_message, value)
#define INFO_LEAST_BYTES    LSCHED_I_SIZE_TO(lsched_job_info, member)

/* Age of the clock's offset at which it is measured again: after a post, while the job begins;
 * before a post, after a long time without any. */
#define POST_CLOCK_NS   UINT64_C(250000000)
#define BEFORE_CLOCK_NS UINT64_C(1000000000)

jobs_slot *lsched_i_jobs_slot_of(lsched_jobs *jobs, lsched_job job, jobs_member **m, uint32_t *slot)
{
	const uint32_t member = (uint32_t)(job.id >> 16) & 0xffffu;
	jobs_slot *s;

	*slot = (uint32_t)job.id & 0xffffu;
	if (member >= jobs->member_count || *slot >= jobs->max_jobs)
		return NULL;
	*m = jobs->member + member;
	s = (*m)->slot + *slot;
	return s->open && !s->detached && s->generation == (uint32_t)(job.id >> 32) ? s : NULL;
}

lsched_status lsched_i_jobs_no_such(lsched_jobs *jobs, lsched_job job)
{
	return lsched_i_jobs_error(jobs, LSCHED_ERR_STATE,
		"job 0x%" PRIx64
		" is not open: it is detached, was returned by an earlier lsched_job_wait(), or is "
		"not of this service",
		job.id);
}

void lsched_i_jobs_free_slot(jobs_member *m, uint32_t slot)
{
	m->slot[slot].open = 0;
	m->free_slots[m->free_count++] = slot;
}

void lsched_i_jobs_free_detached(lsched_jobs *jobs, jobs_member *m)
{
	/* detects a failure: no wait does so where all jobs are detached */
	lsched_i_jobs_check(jobs, m);
	for (uint32_t k = 0; k < jobs->max_jobs; k++) {
		const jobs_slot *s = m->slot + k;
		uint32_t end;

		if (!s->open || !s->detached)
			continue;
		end = lsched_i_jobs_ended(m, k, s->generation);
		if (!end && s->broken == LSCHED_OK)
			continue;
		lsched_i_jobs_count(jobs, m, k, end);
		lsched_i_jobs_free_slot(m, k);
	}
}

/* Checks a description and copies it to *d. */
static lsched_status check_desc(
	lsched_jobs *jobs, const lsched_job_desc *desc, lsched_job_desc *d, const lsched_job *job)
{
	const char *why =
		desc ? lsched_i_sized_in(d, sizeof(*d), DESC_LEAST_BYTES, desc) : "is NULL";

	if (why)
		return lsched_i_jobs_error(jobs, LSCHED_ERR_ARG, "lsched_job_desc %s", why);
	if (d->roots > LSCHED_MAX_TASKS || d->first + d->roots < d->first)
		return lsched_i_jobs_error(jobs, LSCHED_ERR_ARG,
			"lsched_job_desc: roots must be 0 to %u, and first + roots below 2^32; "
			"they "
			"are %" PRIu32 " from %" PRIu32 " on",
			LSCHED_MAX_TASKS, d->roots, d->first);
	if (d->arg_bytes > LSCHED_JOB_ARG_BYTES || (d->arg_bytes && !d->args))
		return lsched_i_jobs_error(jobs, LSCHED_ERR_ARG,
			"lsched_job_desc: arg_bytes must be 0 to %d, not %" PRIu32
			", and args not NULL",
			LSCHED_JOB_ARG_BYTES, d->arg_bytes);
	if (d->member < -1 || (d->member >= 0 && (uint32_t)d->member >= jobs->member_count))
		return lsched_i_jobs_error(jobs, LSCHED_ERR_ARG,
			"lsched_job_desc.member must be -1 to %" PRIu32 ", not %" PRId32,
			jobs->member_count - 1, d->member);
	if (d->kind >= LSCHED_JOB_KINDS)
		return lsched_i_jobs_error(jobs, LSCHED_ERR_ARG,
			"lsched_job_desc.kind must be 0 to %d, not %" PRIu32, LSCHED_JOB_KINDS - 1,
			d->kind);
	if (!job && !d->detached)
		return lsched_i_jobs_error(jobs, LSCHED_ERR_ARG,
			"lsched_job_post: job is NULL, and lsched_job_desc.detached is 0");
	return LSCHED_OK;
}

static void fill_long(jobs_command *c, uint32_t at, uint64_t v)
{
	c->word[at] = (uint32_t)v;
	c->word[at + 1] = (uint32_t)(v >> 32);
}

/* Members compare times by the sign of their difference: a time or a period of 2^63 ns or more, in
 * 292 years, would be in the past. */
static void fill_time(jobs_command *c, uint32_t at, uint64_t ns, uint64_t offset_ns)
{
	fill_long(c, at, (ns < INT64_MAX ? ns : INT64_MAX) + offset_ns);
}

/* offset_ns: of the member's time. */
static void fill_post(jobs_command *c, const lsched_job_desc *d, uint32_t slot, uint32_t generation,
	int64_t offset_ns)
{
	const uint64_t start = d->start_ns || !d->period_ns ? d->start_ns : lsched_i_cpu_now_ns();

	memset(c, 0, sizeof(*c));
	c->word[LSCHED_I_COMMAND_WHAT] = LSCHED_I_COMMAND_POST;
	c->word[LSCHED_I_COMMAND_SLOT] = slot;
	c->word[LSCHED_I_COMMAND_GENERATION] = generation;
	c->word[LSCHED_I_COMMAND_FIRST] = d->first;
	c->word[LSCHED_I_COMMAND_ROOTS] = d->roots;
	c->word[LSCHED_I_COMMAND_PRIORITY] = d->priority;
	fill_time(c, LSCHED_I_COMMAND_DEADLINE, d->deadline_ns, 0);
	fill_time(c, LSCHED_I_COMMAND_START, start, start ? (uint64_t)offset_ns : 0);
	fill_time(c, LSCHED_I_COMMAND_PERIOD, d->period_ns, 0);
	c->word[LSCHED_I_COMMAND_LIMIT_MS] = d->limit_ms;
	c->word[LSCHED_I_COMMAND_PAUSED] = d->paused != 0;
	if (d->arg_bytes)
		memcpy(c->word + LSCHED_I_COMMAND_ARGS, d->args, d->arg_bytes);
}

/* Posts a checked job. */
static lsched_status post(
	lsched_jobs *jobs, const lsched_job_desc *d, uint64_t now, lsched_job *job)
{
	const uint32_t member = d->member < 0 ? lsched_i_jobs_least(jobs) : (uint32_t)d->member;
	jobs_member *m = jobs->member + member;
	jobs_command c;
	jobs_slot *s;
	uint32_t slot;
	lsched_status st;

	if (m->free_count == 0)
		lsched_i_jobs_free_detached(jobs, m);
	if (m->free_count == 0)
		return lsched_i_jobs_error(jobs, LSCHED_ERR_OVERFLOW,
			"%" PRIu32
			" jobs are open, as many as lsched_jobs_options.max_jobs; wait for "
			"one of them by lsched_job_wait(), or increase it",
			jobs->max_jobs);
	st = lsched_i_jobs_follow_clock(jobs, m, BEFORE_CLOCK_NS);
	if (st != LSCHED_OK)
		return st;
	slot = m->free_slots[--m->free_count];
	s = m->slot + slot;
	if (++s->generation == 0)
		s->generation = 1;
	s->open = 1;
	s->detached = d->detached != 0;
	s->kind = d->kind;
	s->roots = d->roots;
	s->broken = LSCHED_OK;
	s->post_ns = now;
	s->due_ns = d->start_ns > now ? d->start_ns : now;
	s->deadline_ns = d->deadline_ns;
	fill_post(&c, d, slot, s->generation, m->offset_ns);
	c.word[LSCHED_I_COMMAND_MEMBER] = member;
	st = lsched_i_jobs_send(jobs, m, &c);
	if (st != LSCHED_OK) {
		lsched_i_jobs_free_slot(m, slot);
		return st;
	}
	/* the failure of an earlier execution, which the send has detected, is not the job's */
	s->broken = LSCHED_OK;
	jobs->kind[d->kind].posted++;
	if (job)
		job->id = lsched_i_jobs_id(jobs, m, slot);
	(void)lsched_i_jobs_follow_clock(
		jobs, m, POST_CLOCK_NS); /* the job's wait finds an error */
	return LSCHED_OK;
}

lsched_status lsched_job_post(lsched_jobs *jobs, const lsched_job_desc *desc, lsched_job *job)
{
	const uint64_t now = lsched_i_cpu_now_ns();
	lsched_job_desc d;
	lsched_status st;

	if (job)
		job->id = 0;
	if (!jobs)
		return LSCHED_ERR_ARG;
	lsched_job_desc_init(&d);
	pthread_mutex_lock(&jobs->lock);
	st = check_desc(jobs, desc, &d, job);
	if (st == LSCHED_OK)
		st = post(jobs, &d, now, job);
	pthread_mutex_unlock(&jobs->lock);
	return st;
}

/* Sends a command about a job that has not ended. */
static lsched_status command_job(lsched_jobs *jobs, lsched_job job, jobs_command *c)
{
	const uint32_t *w = c->word + LSCHED_I_COMMAND_DEADLINE;
	lsched_status st = LSCHED_OK;
	jobs_member *m;
	jobs_slot *s;
	uint32_t slot;

	if (!jobs)
		return LSCHED_ERR_ARG;
	pthread_mutex_lock(&jobs->lock);
	s = lsched_i_jobs_slot_of(jobs, job, &m, &slot);
	if (!s)
		st = lsched_i_jobs_no_such(jobs, job);
	else if (s->broken == LSCHED_OK && !lsched_i_jobs_ended(m, slot, s->generation)) {
		c->word[LSCHED_I_COMMAND_SLOT] = slot;
		c->word[LSCHED_I_COMMAND_GENERATION] = s->generation;
		st = lsched_i_jobs_send(jobs, m, c);
		if (st == LSCHED_OK && c->word[LSCHED_I_COMMAND_WHAT] == LSCHED_I_COMMAND_CHANGE)
			s->deadline_ns = w[0] | (uint64_t)w[1] << 32;
	}
	pthread_mutex_unlock(&jobs->lock);
	return st;
}

lsched_status lsched_job_cancel(lsched_jobs *jobs, lsched_job job)
{
	jobs_command c = { { LSCHED_I_COMMAND_CANCEL } };

	return command_job(jobs, job, &c);
}

lsched_status lsched_job_change(
	lsched_jobs *jobs, lsched_job job, uint32_t priority, uint64_t deadline_ns, int paused)
{
	jobs_command c = { { LSCHED_I_COMMAND_CHANGE } };

	c.word[LSCHED_I_COMMAND_PRIORITY] = priority;
	fill_time(&c, LSCHED_I_COMMAND_DEADLINE, deadline_ns, 0);
	c.word[LSCHED_I_COMMAND_PAUSED] = paused != 0;
	return command_job(jobs, job, &c);
}

lsched_status lsched_job_progress(lsched_jobs *jobs, lsched_job job, lsched_job_info *info)
{
	lsched_job_info known = { 0 };
	lsched_status st = LSCHED_OK;
	jobs_member *m;
	jobs_slot *s;
	uint32_t slot;

	if (!jobs || !info || lsched_i_sized_out(info, sizeof(known), INFO_LEAST_BYTES, &known))
		return LSCHED_ERR_ARG;
	pthread_mutex_lock(&jobs->lock);
	s = lsched_i_jobs_slot_of(jobs, job, &m, &slot);
	if (s) {
		lsched_i_job_answer *a = m->shared->answer + slot;

		known.member = (uint32_t)(m - jobs->member);
		known.ended = lsched_i_jobs_ended(m, slot, s->generation) != 0;
		if (known.ended) {
			known.done = lsched_ld(&a->done, rlx, sys);
			known.of = lsched_ld(&a->of, rlx, sys);
		} else if (lsched_ld(&a->live_generation, acq, sys) == s->generation) {
			known.done = lsched_ld(&a->live_done, rlx, sys);
			known.of = lsched_ld(&a->live_of, rlx, sys);
		}
		known.ended |= s->broken != LSCHED_OK;
	} else {
		st = lsched_i_jobs_no_such(jobs, job);
	}
	pthread_mutex_unlock(&jobs->lock);
	(void)lsched_i_sized_out(info, sizeof(known), INFO_LEAST_BYTES, &known);
	return st;
}

/* Receives the next message of a member. Returns 0 if none has arrived completely. */
static int receive_from(lsched_jobs *jobs, uint32_t member, lsched_job_message *message)
{
	jobs_member *m = jobs->member + member;
	uint64_t v[LSCHED_I_MESSAGE_USED_WORDS];

	if (!lsched_i_jobs_read_message(m, m->received, v))
		return 0;
	if (m->counted == m->received)
		lsched_i_jobs_count_messages(jobs, m);
	message->kind = (uint32_t)v[LSCHED_I_MESSAGE_KIND];
	message->value = (uint32_t)v[LSCHED_I_MESSAGE_VALUE] | v[LSCHED_I_MESSAGE_VALUE + 1] << 32;
	message->job.id = v[LSCHED_I_MESSAGE_GENERATION] << 32 | (uint64_t)member << 16 |
			  (uint32_t)v[LSCHED_I_MESSAGE_SLOT];
	m->received++;
	lsched_st(&m->shared->received.v, m->received, rel, sys);
	return 1;
}

int lsched_jobs_receive(lsched_jobs *jobs, lsched_job_message *message)
{
	lsched_job_message known = { 0 };
	int got = 0;

	if (!jobs || !message ||
		lsched_i_sized_out(message, sizeof(known), MESSAGE_LEAST_BYTES, &known))
		return 0;
	pthread_mutex_lock(&jobs->lock);
	for (uint32_t k = 0; k < jobs->member_count && !got; k++)
		got = receive_from(jobs, k, &known);
	if (got)
		lsched_i_jobs_trace_message(jobs, &known);
	pthread_mutex_unlock(&jobs->lock);
	(void)lsched_i_sized_out(message, sizeof(known), MESSAGE_LEAST_BYTES, &known);
	return got;
}
