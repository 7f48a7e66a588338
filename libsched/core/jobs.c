/* Services: open and close. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/jobs.h"
#include "libsched/core/shared.h"

enum { DEFAULT_MAX_JOBS = 64, DEFAULT_LINGER_US = 1000, DEFAULT_MESSAGES = 1024 };
#define MESSAGES_MOST (1u << 20)

#define OPTIONS_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_jobs_options, messages)

/* Writes a message to the caller's buffer; returns the status. */
static lsched_status __attribute__((format(printf, 4, 5)))
refuse(char *msg, size_t msg_bytes, lsched_status st, const char *format, ...)
{
	va_list ap;

	if (!msg || !msg_bytes)
		return st;
	va_start(ap, format);
	vsnprintf(msg, msg_bytes, format, ap);
	va_end(ap);
	return st;
}

/* Checks the options of the service and copies them to *o. */
static lsched_status check_options(
	lsched_jobs_options *o, const lsched_jobs_options *options, char *msg, size_t msg_bytes)
{
	const char *why =
		options ? lsched_i_sized_in(o, sizeof(*o), OPTIONS_LEAST_BYTES, options) : NULL;

	if (why)
		return refuse(msg, msg_bytes, LSCHED_ERR_ARG, "lsched_jobs_options %s", why);
	if (o->max_jobs > LSCHED_I_JOBS_MAX)
		return refuse(msg, msg_bytes, LSCHED_ERR_ARG,
			"lsched_jobs_options.max_jobs must be 0 to %u, not %" PRIu32,
			LSCHED_I_JOBS_MAX, o->max_jobs);
	if (o->messages > MESSAGES_MOST)
		return refuse(msg, msg_bytes, LSCHED_ERR_ARG,
			"lsched_jobs_options.messages must be 0 to %u, not %" PRIu32, MESSAGES_MOST,
			o->messages);
	o->messages = lsched_i_pow2(o->messages ? o->messages : DEFAULT_MESSAGES);
	o->max_jobs = o->max_jobs ? o->max_jobs : DEFAULT_MAX_JOBS;
	o->linger_us = o->linger_us ? o->linger_us : DEFAULT_LINGER_US;
	return LSCHED_OK;
}

/* Returns the name of an option that must be 0, or NULL. */
static const char *excluded_option(const lsched_run_options *o)
{
	for (uint32_t k = 0; k < LSCHED_MAX_PROCEDURES; k++)
		if (o->procedure_capacity[k])
			return "procedure_capacity";
	return o->never_keep     ? "never_keep"
	       : o->trace        ? "trace"
	       : o->run_limit_ms ? "run_limit_ms"
				 : NULL;
}

/* Checks the options of the members' runs and copies them to *o. */
static lsched_status check_run_options(
	lsched_run_options *o, const lsched_run_options *options, char *msg, size_t msg_bytes)
{
	const char *why =
		options ? lsched_i_sized_in(o, sizeof(*o), LSCHED_I_RUN_OPTIONS_LEAST, options)
			: "is NULL: set its queue to prio";

	if (why)
		return refuse(msg, msg_bytes, LSCHED_ERR_ARG, "lsched_run_options %s", why);
	if (o->scheme != LSCHED_SCHEME_DYNAMIC || o->queue != LSCHED_QUEUE_PRIO)
		return refuse(msg, msg_bytes, LSCHED_ERR_UNSUPPORTED,
			"jobs need the scheme dynamic and the queue prio; set "
			"lsched_run_options.queue to LSCHED_QUEUE_PRIO");
	why = excluded_option(o);
	if (why)
		return refuse(msg, msg_bytes, LSCHED_ERR_UNSUPPORTED,
			"lsched_run_options.%s must be 0 with jobs%s", why,
			strcmp(why, "run_limit_ms") ? ""
						    : "; lsched_job_desc.limit_ms is of a job");
	o->max_tasks = 1;
	return LSCHED_OK;
}

/* Checks member number k without its options. Two members of one context would execute one after
 * the other. */
static lsched_status check_member(
	const lsched_job_member *members, uint32_t k, char *msg, size_t msg_bytes)
{
	const lsched_job_member *m = members + k;

	for (uint32_t other = 0; other < k; other++)
		if (members[other].ctx == m->ctx)
			return refuse(msg, msg_bytes, LSCHED_ERR_ARG,
				"members %" PRIu32 " and %" PRIu32
				" have the same context; open one for each",
				other, k);
	if (!m->ctx || !m->program || !m->program_ctx)
		return refuse(msg, msg_bytes, LSCHED_ERR_ARG,
			"a member needs ctx, program and program_ctx; one is NULL");
	if (m->program->abi == LSCHED_ABI && m->program->has_priority != LSCHED_I_IS_JOBS)
		return refuse(msg, msg_bytes, LSCHED_ERR_UNSUPPORTED,
			"%s was compiled without LSCHED_JOBS; define it before "
			"<libsched/generate_items.h>",
			m->program->name);
	if (m->workers == 1)
		return refuse(msg, msg_bytes, LSCHED_ERR_ARG,
			"lsched_job_member.workers must be 0 or at least 2, not 1: one of them is "
			"the controller");
	return LSCHED_OK;
}

/* Allocates the records of the timeline. */
static lsched_status allocate_trace(lsched_jobs *jobs)
{
	jobs_trace *t = &jobs->trace;

	if (t->most == 0)
		return LSCHED_OK;
	t->span = (jobs_span *)calloc(t->most, sizeof(*t->span));
	t->arrow = (jobs_arrow *)calloc(t->most, sizeof(*t->arrow));
	return t->span && t->arrow ? LSCHED_OK
				   : lsched_i_jobs_error(jobs, LSCHED_ERR_NOMEM,
					     "out of memory for lsched_jobs_options.trace");
}

/* Allocates the host's part of a member. */
static lsched_status allocate_member(
	lsched_jobs *jobs, jobs_member *m, const lsched_job_member *d, uint32_t messages)
{
	const size_t bytes = d->program->ctx_bytes;

	m->program_ctx = malloc(bytes ? bytes : 1);
	m->slot = (jobs_slot *)calloc(jobs->max_jobs, sizeof(*m->slot));
	m->free_slots = (uint32_t *)malloc(jobs->max_jobs * sizeof(*m->free_slots));
	m->message_kind = (uint8_t *)calloc(messages, 1);
	if (!m->program_ctx || !m->slot || !m->free_slots || !m->message_kind)
		return lsched_i_jobs_error(
			jobs, LSCHED_ERR_NOMEM, "out of memory for the jobs of a member");
	memcpy(m->program_ctx, d->program_ctx, bytes);
	for (uint32_t k = 0; k < jobs->max_jobs; k++)
		m->free_slots[k] = jobs->max_jobs - 1 - k;
	m->free_count = jobs->max_jobs;
	return LSCHED_OK;
}

/* Creates a member's run and its memory. */
static lsched_status open_member(lsched_jobs *jobs, jobs_member *m, const lsched_job_member *d,
	const lsched_run_options *run_options, const lsched_jobs_options *jo)
{
	const size_t answers_bytes = LSCHED_I_JOBS_SHARED_BYTES(jobs->max_jobs);
	const size_t message_bytes = LSCHED_I_JOB_MESSAGE_WORDS * sizeof(uint64_t);
	lsched_run_options o = *run_options;
	lsched_status st;

	m->ctx = d->ctx;
	m->stream = d->cuda_stream;
	o.workers = d->workers ? d->workers : o.workers;
	st = lsched_i_run_create_jobs(&m->run, m->ctx, d->program, &o, jobs->max_jobs);
	if (st != LSCHED_OK)
		return lsched_i_jobs_error(jobs, st, "%s", lsched_last_error(m->ctx));
	st = allocate_member(
		jobs, m, d, jo->messages); /* reads the program, whose ABI was checked */
	if (st != LSCHED_OK)
		return st;
	st = m->ctx->b->shared_alloc(
		m->ctx, (void **)&m->shared, answers_bytes + jo->messages * message_bytes);
	if (st != LSCHED_OK)
		return lsched_i_jobs_error(jobs, st, "%s", lsched_last_error(m->ctx));
	if (m->run->max_workers < 2)
		return lsched_i_jobs_error(jobs, LSCHED_ERR_ARG,
			"%s: a member needs at least 2 workers, one of which is the controller; "
			"open the context with more",
			d->program->name);
	m->run->args.jobs_shared = m->shared;
	m->run->args.jobs_linger_us = jo->linger_us;
	m->messages = (uint64_t *)(void *)((unsigned char *)m->shared + answers_bytes);
	m->run->args.jobs_messages = m->messages;
	m->run->args.jobs_mask = m->message_mask = jo->messages - 1;
	return LSCHED_OK;
}

/* Sends CLOSE: the member's controller cancels the jobs that are still paused when no other one is
 * open, and leaves. A member that has left is started for that if any job is open. */
static lsched_status send_close(lsched_jobs *jobs, jobs_member *m)
{
	const jobs_command c = { { LSCHED_I_COMMAND_CLOSE } };
	lsched_status st = LSCHED_OK;

	if (m->closing || !m->slot || (!m->running && !lsched_i_jobs_has_open(jobs, m)))
		return LSCHED_OK;
	st = lsched_i_jobs_send(jobs, m, &c);
	m->closing = st == LSCHED_OK;
	return st;
}

/* Ends the member's execution. */
static lsched_status end_member(lsched_jobs *jobs, jobs_member *m)
{
	const lsched_status st = send_close(jobs, m);

	return st == LSCHED_OK ? lsched_i_jobs_finish(jobs, m) : st;
}

/* Frees what open_member() has allocated. */
static void free_member(jobs_member *m)
{
	lsched_run_destroy(&m->run);
	if (m->shared)
		m->ctx->b->shared_free(m->ctx, m->shared);
	free(m->program_ctx);
	free(m->slot);
	free(m->free_slots);
	free(m->message_kind);
}

/* Ends all executions, then frees all memory: freeing may wait for a kernel that lingers. */
static lsched_status close_members(lsched_jobs *jobs)
{
	lsched_status st = LSCHED_OK;

	for (uint32_t k = 0; k < jobs->member_count; k++) {
		const lsched_status one = end_member(jobs, jobs->member + k);

		st = st ? st : one;
	}
	for (uint32_t k = 0; k < jobs->member_count; k++)
		free_member(jobs->member + k);
	return st;
}

static void free_service(lsched_jobs *jobs)
{
	pthread_mutex_destroy(&jobs->lock);
	free(jobs->trace.span);
	free(jobs->trace.arrow);
	free(jobs);
}

lsched_status lsched_jobs_open(lsched_jobs **out, const lsched_job_member *members,
	uint32_t member_count, const lsched_run_options *run_options,
	const lsched_jobs_options *options, char *msg, size_t msg_bytes)
{
	lsched_jobs_options o = { .struct_bytes = sizeof(o) };
	lsched_run_options ro = { 0 };
	lsched_jobs *jobs;
	lsched_status st;

	(void)refuse(msg, msg_bytes, LSCHED_OK, "%s", "");
	if (out)
		*out = NULL;
	if (!out || !members || member_count == 0 || member_count > JOBS_MEMBERS_MOST)
		return refuse(msg, msg_bytes, LSCHED_ERR_ARG,
			"lsched_jobs_open: out and members must not be NULL, and member_count must "
			"be 1 to %d, not %" PRIu32,
			JOBS_MEMBERS_MOST, member_count);
	st = check_options(&o, options, msg, msg_bytes);
	st = st ? st : check_run_options(&ro, run_options, msg, msg_bytes);
	for (uint32_t k = 0; k < member_count; k++)
		st = st ? st : check_member(members, k, msg, msg_bytes);
	if (st != LSCHED_OK)
		return st;
	jobs = (lsched_jobs *)calloc(1, sizeof(*jobs) + member_count * sizeof(jobs->member[0]));
	if (!jobs)
		return refuse(
			msg, msg_bytes, LSCHED_ERR_NOMEM, "%s", lsched_strstatus(LSCHED_ERR_NOMEM));
	pthread_mutex_init(&jobs->lock, NULL);
	jobs->max_jobs = o.max_jobs;
	jobs->member_count = member_count;
	jobs->stats.struct_bytes = sizeof(jobs->stats);
	jobs->trace.most = o.trace;
	jobs->last = member_count - 1;
	st = allocate_trace(jobs);
	for (uint32_t k = 0; k < member_count && st == LSCHED_OK; k++)
		st = open_member(jobs, jobs->member + k, members + k, &ro, &o);
	if (st == LSCHED_OK)
		lsched_i_jobs_find_alike(jobs);
	/* starts the members of devices; after all allocations, which may wait for a kernel */
	for (uint32_t k = 0; k < member_count && st == LSCHED_OK; k++)
		if (!members[k].ctx->b->host_memory)
			st = lsched_i_jobs_measure_clock(jobs, jobs->member + k);
	if (st == LSCHED_OK) {
		*out = jobs;
		return LSCHED_OK;
	}
	(void)refuse(msg, msg_bytes, st, "%s", jobs->error);
	(void)close_members(jobs);
	free_service(jobs);
	return st;
}

/* Waits for the open jobs of a member. No other thread uses the service. */
static void wait_for_all(lsched_jobs *jobs, jobs_member *m)
{
	for (uint32_t k = 0; k < jobs->max_jobs; k++) {
		const jobs_slot *s = m->slot + k;

		for (uint32_t spins = 0; s->open && s->broken == LSCHED_OK &&
					 !lsched_i_jobs_ended(m, k, s->generation);
			spins++) {
			if (lsched_i_clock_due(spins, 1024u))
				lsched_i_jobs_check(jobs, m);
			lsched_i_cpu_relax(spins);
		}
	}
}

lsched_status lsched_jobs_close(lsched_jobs **out, lsched_stats *stats)
{
	lsched_jobs *jobs = out ? *out : NULL;
	lsched_status st = LSCHED_OK;

	if (!jobs)
		return LSCHED_OK;
	*out = NULL;
	for (uint32_t k = 0; k < jobs->member_count; k++)
		(void)send_close(jobs, jobs->member + k);
	for (uint32_t k = 0; k < jobs->member_count; k++)
		if (jobs->member[k].closing) /* else close_members() has the error */
			wait_for_all(jobs, jobs->member + k);
	st = close_members(jobs);
	if (stats && lsched_i_stats_out(stats, &jobs->stats))
		st = st ? st : LSCHED_ERR_ARG;
	free_service(jobs);
	return st;
}

void lsched_jobs_error(lsched_jobs *jobs, char *msg, size_t msg_bytes)
{
	if (!msg || !msg_bytes)
		return;
	msg[0] = '\0';
	if (!jobs)
		return;
	pthread_mutex_lock(&jobs->lock);
	snprintf(msg, msg_bytes, "%s", jobs->error);
	pthread_mutex_unlock(&jobs->lock);
}
