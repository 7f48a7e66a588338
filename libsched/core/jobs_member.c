/* Members of a service: commands, starts and returns, failures, clocks. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "libsched/core/jobs.h"
#include "libsched/core/shared.h"

/* DRIFT_PPM: more than was measured, 2. */
enum { CLOCK_EXCHANGES = 64, FOLLOW_EXCHANGES = 4, DRIFT_PPM = 5, FAILURES_MOST = 2 };
#define ROUND_TRIP_MOST_NS UINT64_C(1000000)
#define ANSWER_MOST_NS     UINT64_C(10000000000)

lsched_status lsched_i_jobs_error(lsched_jobs *jobs, lsched_status status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(jobs->error, sizeof(jobs->error), format, ap);
	va_end(ap);
	return status;
}

uint32_t lsched_i_jobs_ended(const jobs_member *m, uint32_t slot, uint32_t generation)
{
	const uint64_t v = lsched_ld(&m->shared->answer[slot].state, acq, sys);

	return (uint32_t)(v >> 32) == generation ? (uint32_t)v : 0;
}

/* After the execution has failed: all open jobs have, too, and the memory of the member is cleared
 * at its next start, so its commands begin anew. */
static void break_jobs(lsched_jobs *jobs, jobs_member *m, lsched_status st)
{
	char why[LSCHED_I_TEXT_BYTES - 128];
	const uint64_t now = lsched_i_cpu_now_ns();
	uint32_t open = 0, first = 0;

	memcpy(why, lsched_run_error(m->run), sizeof(why));
	why[sizeof(why) - 1] = '\0';
	for (uint32_t k = 0; k < jobs->max_jobs; k++) {
		jobs_slot *s = m->slot + k;

		if (!s->open || lsched_i_jobs_ended(m, k, s->generation))
			continue;
		/* a wait that returns TIMEOUT means that the job continues */
		s->broken = st == LSCHED_ERR_TIMEOUT ? LSCHED_ERR_TASK_FAILED : st;
		s->broken_ns = now;
		first = open++ ? first : k;
	}
	for (uint32_t n = 0; n < LSCHED_I_COMMAND_SLOTS; n++)
		for (uint32_t k = 0; k < LSCHED_I_COMMAND_WORDS; k++)
			lsched_st(&m->shared->ring[n][k], (uint64_t)0, rlx, sys);
	lsched_st(&m->shared->head.v, 0u, rlx, sys);
	m->sent = 0;
	lsched_i_jobs_count_lost(jobs, m);
	for (size_t k = 0; k < (m->message_mask + (size_t)1) * LSCHED_I_JOB_MESSAGE_WORDS; k++)
		lsched_st(&m->messages[k], (uint64_t)0, rlx, sys);
	lsched_st(&m->shared->received.v, 0u, rlx, sys);
	m->received = m->counted = 0;
	/* a new command may have the number of the last CLOCK */
	lsched_st(&m->shared->clock_number, (uint64_t)0, rlx, sys);
	m->must_send_offset = m->offset_ns != 0;
	if (open)
		(void)lsched_i_jobs_error(jobs, st,
			"%" PRIu32
			" open jobs have ended with their member, the first is 0x%" PRIx64 ": %s%s",
			open, lsched_i_jobs_id(jobs, m, first), why,
			lsched_i_ctx_lost(m->ctx) ? "" : "; the next post starts the member again");
	else
		(void)lsched_i_jobs_error(jobs, st, "%s", why);
}

/* Whether a job has not ended. */
int lsched_i_jobs_has_open(const lsched_jobs *jobs, const jobs_member *m)
{
	for (uint32_t k = 0; k < jobs->max_jobs; k++) {
		const jobs_slot *s = m->slot + k;

		if (s->open && s->broken == LSCHED_OK && !lsched_i_jobs_ended(m, k, s->generation))
			return 1;
	}
	return 0;
}

static void add_stats(lsched_stats *sum, const lsched_stats *s)
{
	sum->tasks += s->tasks;
	sum->pushes += s->pushes;
	sum->pops += s->pops;
	sum->failed_pops += s->failed_pops;
	sum->idle_ns += s->idle_ns;
	sum->busy_ns += s->busy_ns;
	sum->elapsed_ns += s->elapsed_ns;
	sum->batches += s->batches;
	sum->batch_items += s->batch_items;
	sum->rounds += s->rounds;
	sum->queue_capacity = s->queue_capacity;
	sum->workers = s->workers;
	if (s->queue_high_water > sum->queue_high_water)
		sum->queue_high_water = s->queue_high_water;
}

lsched_status lsched_i_jobs_finish(lsched_jobs *jobs, jobs_member *m)
{
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_status st;

	if (!m->running)
		return LSCHED_OK;
	st = lsched_run_finish(m->run, &s);
	m->running = 0;
	add_stats(&jobs->stats, &s);
	if (st == LSCHED_OK && !lsched_i_jobs_has_open(jobs, m)) {
		st = lsched_i_check_joins_closed(m->run, m->run->joins_open);
		if (st != LSCHED_OK)
			lsched_i_run_forget(m->run);
	}
	if (st != LSCHED_OK)
		break_jobs(jobs, m, st);
	return st;
}

void lsched_i_jobs_check(lsched_jobs *jobs, jobs_member *m)
{
	if (m->running && lsched_run_done(m->run))
		(void)lsched_i_jobs_finish(jobs, m);
}

static lsched_status start_member(lsched_jobs *jobs, jobs_member *m)
{
	lsched_status st;

	lsched_st(&m->shared->leaving.v, 0u, rlx, sys);
	st = lsched_run_start(m->run, m->program_ctx, 1, m->stream);
	if (st != LSCHED_OK)
		return lsched_i_jobs_error(jobs, st, "the member of the job cannot be started: %s",
			lsched_last_error(m->ctx));
	m->running = 1;
	return LSCHED_OK;
}

/* After a command was stored: makes sure that an execution reads it. The load of `leaving` is after
 * the stores of the command in the order of all sequentially consistent accesses, which the last of
 * these stores and the load are; items/job_control.h has the other side. */
static lsched_status wake_member(lsched_jobs *jobs, jobs_member *m)
{
	if (!m->running)
		return start_member(jobs, m);
	for (uint32_t spins = 0; lsched_ld(&m->shared->leaving.v, fnc, sys); spins++) {
		if (lsched_run_done(m->run)) {
			const lsched_status st = lsched_i_jobs_finish(jobs, m);

			return st == LSCHED_OK ? start_member(jobs, m) : st;
		}
		lsched_i_cpu_relax(spins);
	}
	return LSCHED_OK;
}

/* Waits until the ring has a free slot. */
static lsched_status wait_for_room(lsched_jobs *jobs, jobs_member *m)
{
	for (uint32_t spins = 0;
		m->sent - lsched_ld(&m->shared->head.v, acq, sys) >= LSCHED_I_COMMAND_SLOTS;
		spins++) {
		lsched_status st = LSCHED_OK;

		if (m->running && lsched_run_done(m->run))
			st = lsched_i_jobs_finish(jobs, m);
		if (st == LSCHED_OK && !m->running)
			st = start_member(jobs, m);
		if (st != LSCHED_OK)
			return st;
		lsched_i_cpu_relax(spins);
	}
	return LSCHED_OK;
}

/* Stores a command; the last word by a sequentially consistent store. */
static void store_command(jobs_member *m, const jobs_command *command)
{
	uint64_t *slot = m->shared->ring[m->sent % LSCHED_I_COMMAND_SLOTS];
	const uint64_t number = (uint64_t)(m->sent + 1u) << 32;
	const uint32_t last = LSCHED_I_COMMAND_WORDS - 1u;

	for (uint32_t k = 0; k < last; k++)
		lsched_st(&slot[k], number | command->word[k], rlx, sys);
	lsched_st(&slot[last], number | command->word[last], fnc, sys);
	m->sent++;
}

/* Removes the last command, which no execution has read. */
static void remove_command(jobs_member *m)
{
	m->sent--;
	for (uint32_t k = 0; k < LSCHED_I_COMMAND_WORDS; k++)
		lsched_st(&m->shared->ring[m->sent % LSCHED_I_COMMAND_SLOTS][k], (uint64_t)0, rlx,
			sys);
}

static void fill_offset(jobs_command *c, const jobs_member *m)
{
	memset(c, 0, sizeof(*c));
	c->word[LSCHED_I_COMMAND_WHAT] = LSCHED_I_COMMAND_OFFSET;
	c->word[LSCHED_I_COMMAND_START] = (uint32_t)m->offset_ns;
	c->word[LSCHED_I_COMMAND_START + 1] = (uint32_t)((uint64_t)m->offset_ns >> 32);
}

lsched_status lsched_i_jobs_send(lsched_jobs *jobs, jobs_member *m, const jobs_command *command)
{
	lsched_status st = LSCHED_OK;

	/* again after the failure of an earlier execution, which has cleared the ring */
	for (int failures = 0; failures < FAILURES_MOST; failures++) {
		if (m->must_send_offset) { /* the first command */
			jobs_command c;

			m->must_send_offset = 0;
			fill_offset(&c, m);
			store_command(m, &c);
		}
		st = wait_for_room(jobs, m);
		if (st != LSCHED_OK)
			continue;
		store_command(m, command);
		st = wake_member(jobs, m);
		if (st == LSCHED_OK)
			return st;
		if (m->sent)
			remove_command(m);
	}
	return st;
}

/* Sends CLOCK and waits for the answer. Returns the round trip, or 0 after a failure in *st. */
static uint64_t exchange_clocks(
	lsched_jobs *jobs, jobs_member *m, int64_t *offset_ns, lsched_status *st)
{
	jobs_command c = { { LSCHED_I_COMMAND_CLOCK } };
	uint64_t number, begin, end, time_ns;

	begin = lsched_i_cpu_now_ns();
	*st = lsched_i_jobs_send(jobs, m, &c);
	number = m->sent;
	for (uint32_t spins = 0; *st == LSCHED_OK; spins++) {
		if (lsched_ld(&m->shared->clock_number, acq, sys) == number)
			break;
		if (lsched_i_clock_due(spins, 1024u)) {
			if (m->running && lsched_run_done(m->run))
				*st = lsched_i_jobs_finish(jobs, m);
			else if (lsched_i_cpu_now_ns() - begin > ANSWER_MOST_NS)
				*st = lsched_i_jobs_error(jobs, LSCHED_ERR_DEVICE,
					"the member does not answer: another kernel may occupy the "
					"device");
		}
	}
	end = lsched_i_cpu_now_ns();
	time_ns = lsched_ld(&m->shared->clock_ns, rlx, sys);
	*offset_ns = (int64_t)(time_ns - (begin + (end - begin) / 2));
	return *st == LSCHED_OK ? end - begin + (end == begin) : 0;
}

/* Half of the round trip of the offset's exchange, and what the clocks may have drifted since. */
static uint64_t clock_error_ns(const jobs_member *m, uint64_t now)
{
	return m->trip_ns / 2 + (now - m->measured_ns) / 1000000 * DRIFT_PPM;
}

/* Measures the offset by a number of exchanges, and sends it if it is better known now. */
static lsched_status follow_clock(lsched_jobs *jobs, jobs_member *m, int exchanges)
{
	lsched_status st = LSCHED_OK;
	int64_t offset_ns;
	jobs_command c;
	int better = 0;

	for (int k = 0; k < exchanges; k++) {
		const uint64_t trip = exchange_clocks(jobs, m, &offset_ns, &st);
		const uint64_t now = lsched_i_cpu_now_ns();

		if (st != LSCHED_OK)
			return st;
		if (m->measured_ns && trip / 2 >= clock_error_ns(m, now))
			continue;
		better = 1;
		m->trip_ns = trip;
		m->offset_ns = offset_ns;
		m->measured_ns = now;
	}
	fill_offset(&c, m);
	return better ? lsched_i_jobs_send(jobs, m, &c) : LSCHED_OK;
}

lsched_status lsched_i_jobs_measure_clock(lsched_jobs *jobs, jobs_member *m)
{
	lsched_status st;

	m->measured_ns = 0;
	m->followed_ns = lsched_i_cpu_now_ns();
	st = follow_clock(jobs, m, CLOCK_EXCHANGES);
	if (st == LSCHED_OK && m->trip_ns > ROUND_TRIP_MOST_NS)
		return lsched_i_jobs_error(jobs, LSCHED_ERR_UNSUPPORTED,
			"a message to the device and back takes %" PRIu64
			" us, more than 1,000: memory that host and device share is slow here, as "
			"under confidential computing",
			m->trip_ns / 1000);
	return st;
}

lsched_status lsched_i_jobs_follow_clock(lsched_jobs *jobs, jobs_member *m, uint64_t interval_ns)
{
	const uint64_t now = lsched_i_cpu_now_ns();

	if (m->measured_ns == 0 || now - m->followed_ns < interval_ns)
		return LSCHED_OK;
	m->followed_ns = now;
	return follow_clock(jobs, m, FOLLOW_EXCHANGES);
}
