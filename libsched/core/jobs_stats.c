/* Statistics of jobs: counts and times of each kind, from the answers that the host reads. */
#include "libsched/core/jobs.h"
#include "libsched/core/shared.h"

#define STATS_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_job_stats, messages_lost)

void lsched_i_jobs_times(const jobs_member *m, uint32_t slot, uint64_t *start_ns, uint64_t *end_ns)
{
	lsched_i_job_answer *a = m->shared->answer + slot;
	const uint64_t start = lsched_ld(&a->start_ns, rlx, sys);

	*start_ns = start ? start - (uint64_t)m->offset_ns : 0;
	*end_ns = lsched_ld(&a->end_ns, rlx, sys) - (uint64_t)m->offset_ns;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The clock of a device is known within an error: a time before `from` counts as it. */
static uint64_t since(uint64_t to, uint64_t from)
{
	return larger(to, from) - from;
}

void lsched_i_jobs_count(lsched_jobs *jobs, jobs_member *m, uint32_t slot, uint32_t end)
{
	const jobs_slot *s = m->slot + slot;
	lsched_job_stats *k = jobs->kind + s->kind;
	jobs_span span = { .id = lsched_i_jobs_id(jobs, m, slot),
		.due_ns = s->due_ns,
		.end_ns = s->broken_ns,
		.kind = (uint8_t)s->kind,
		.end = (uint8_t)end };

	/* while the kinds of the messages' jobs are known */
	lsched_i_jobs_count_messages(jobs, m);
	if (end)
		lsched_i_jobs_times(m, slot, &span.start_ns, &span.end_ns);
	span.late = s->deadline_ns && span.end_ns > s->deadline_ns;
	k->done += end == LSCHED_I_JOB_DONE;
	k->cancelled += end == LSCHED_I_JOB_WAS_CANCELLED || end == LSCHED_I_JOB_WAS_LIMITED;
	k->failed += end == LSCHED_I_JOB_HAS_FAILED || end == 0;
	k->late += span.late;
	if (span.start_ns) {
		const uint64_t wait_ns = since(span.start_ns, s->due_ns);
		const uint64_t run_ns = since(span.end_ns, span.start_ns);

		k->begun++;
		k->wait_ns += wait_ns;
		k->run_ns += run_ns;
		k->wait_max_ns = larger(k->wait_max_ns, wait_ns);
		k->run_max_ns = larger(k->run_max_ns, run_ns);
	}
	lsched_i_jobs_trace_span(jobs, &span);
}

/* Relaxed: all that belongs to a message is in its words. */
int lsched_i_jobs_read_message(const jobs_member *m, uint32_t n, uint64_t *words)
{
	const uint64_t *w =
		m->messages + (size_t)(n & m->message_mask) * LSCHED_I_JOB_MESSAGE_WORDS;

	for (uint32_t k = 0; k < LSCHED_I_MESSAGE_USED_WORDS; k++) {
		words[k] = lsched_ld(&w[k], rlx, sys);
		if ((uint32_t)(words[k] >> 32) != n + 1u)
			return 0;
	}
	return 1;
}

void lsched_i_jobs_count_messages(lsched_jobs *jobs, jobs_member *m)
{
	uint64_t v[LSCHED_I_MESSAGE_USED_WORDS];

	while (lsched_i_jobs_read_message(m, m->counted, v)) {
		const uint32_t kind = m->slot[(uint32_t)v[LSCHED_I_MESSAGE_SLOT]].kind;

		jobs->kind[kind].messages++;
		m->message_kind[m->counted++ & m->message_mask] = (uint8_t)kind;
	}
}

void lsched_i_jobs_count_lost(lsched_jobs *jobs, jobs_member *m)
{
	lsched_i_jobs_count_messages(jobs, m);
	for (uint32_t n = m->received; n != m->counted; n++)
		jobs->kind[m->message_kind[n & m->message_mask]].messages_lost++;
}

void lsched_i_jobs_count_all(lsched_jobs *jobs)
{
	for (uint32_t k = 0; k < jobs->member_count; k++) {
		lsched_i_jobs_free_detached(jobs, jobs->member + k);
		lsched_i_jobs_count_messages(jobs, jobs->member + k);
	}
}

static void add(lsched_job_stats *sum, const lsched_job_stats *s)
{
	sum->posted += s->posted;
	sum->done += s->done;
	sum->cancelled += s->cancelled;
	sum->failed += s->failed;
	sum->late += s->late;
	sum->begun += s->begun;
	sum->wait_ns += s->wait_ns;
	sum->wait_max_ns = larger(sum->wait_max_ns, s->wait_max_ns);
	sum->run_ns += s->run_ns;
	sum->run_max_ns = larger(sum->run_max_ns, s->run_max_ns);
	sum->messages += s->messages;
	sum->messages_lost += s->messages_lost;
}

lsched_status lsched_jobs_stats(lsched_jobs *jobs, uint32_t kind, lsched_job_stats *stats)
{
	lsched_job_stats known = { 0 };

	if (!stats || lsched_i_sized_out(stats, sizeof(known), STATS_LEAST_BYTES, &known) ||
		!jobs || kind > LSCHED_JOB_KINDS)
		return LSCHED_ERR_ARG;
	pthread_mutex_lock(&jobs->lock);
	lsched_i_jobs_count_all(jobs);
	for (uint32_t k = 0; k < LSCHED_JOB_KINDS; k++)
		if (kind == k || kind == LSCHED_JOB_KINDS)
			add(&known, jobs->kind + k);
	pthread_mutex_unlock(&jobs->lock);
	(void)lsched_i_sized_out(stats, sizeof(known), STATS_LEAST_BYTES, &known);
	return LSCHED_OK;
}
