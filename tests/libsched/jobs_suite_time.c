/* Jobs that begin at a time, the clock of bodies, and messages. */
#include <stdlib.h>
#include <string.h>
#include "libsched/core/jobs.h"
#include "libsched/cpu/relax.h"
#include "tests/libsched/jobs_suite.h"

static void bodies_read_the_clock_of_the_host(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	const uint64_t error = jobs_place.clock_error_ns;
	lsched_job job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 200; k++) {
		const uint64_t begin = lsched_i_cpu_now_ns(), deadline = begin + 1000000;
		uint64_t end;

		CHECK(service_post(&s, JOB(1, .deadline_ns = k % 4 ? deadline : 0), JOB_CLOCK, 0, 0,
			      &job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK,
			"%s", service_error(&s));
		end = lsched_i_cpu_now_ns();
		CHECK(r.done + error >= begin && r.done <= end + error,
			"%d ns after the post, %d ns before the end", (int)(r.done - begin),
			(int)(end - r.done));
		CHECK(r.start_ns + error >= begin && r.end_ns <= end + error &&
				r.start_ns <= r.end_ns,
			"start %d ns, end %d ns after the post", (int)(r.start_ns - begin),
			(int)(r.end_ns - begin));
		if (k % 4)
			CHECK((int64_t)r.of <= (int64_t)(deadline - r.done) &&
					(int64_t)r.of >= (int64_t)(deadline - end - error),
				"%d ns left, %d when it read the clock", (int)(int64_t)r.of,
				(int)(int64_t)(deadline - r.done));
		else
			CHECK(r.of == INT64_MAX, "%d ns left", (int)r.of);
	}
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* The offset that the member has. */
static int64_t read_offset(const jobs_service *s)
{
	return (int64_t)service_read(
		&s->jobs->member[0].run->args.jobs->offset_ns, sizeof(int64_t));
}

/* As of a device, also after a failure, which clears the member's memory. */
static void the_clock_of_a_member_is_measured(void)
{
	const uint64_t most = 2000000; /* of threads that compete for processors */
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_status st = LSCHED_ERR_UNSUPPORTED;
	lsched_job job;
	jobs_service s;
	const int64_t *offset;

	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	offset = &s.jobs->member[0].offset_ns; /* a wait may know it better */
	/* a loaded machine with emulated lanes needs several attempts for one short round trip */
	for (int k = 0; k < 200 && st != LSCHED_OK; k++)
		st = lsched_i_jobs_measure_clock(s.jobs, s.jobs->member);
	CHECK(st == LSCHED_OK, "%s", service_error(&s));
	CHECK(*offset != 0, "the clocks are equal");
	for (uint32_t k = 0; k < 4; k++) {
		const uint64_t begin = lsched_i_cpu_now_ns();

		CHECK(service_post(&s, JOB(1), JOB_CLOCK, 0, 0, &job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK,
			"%s", service_error(&s));
		CHECK(r.done + most >= begin && r.done <= lsched_i_cpu_now_ns() + most,
			"%d ns after the post", (int)(r.done - begin));
		while (read_offset(&s) != *offset &&
			lsched_i_cpu_now_ns() - begin < UINT64_C(10000000000))
			lsched_i_cpu_relax(1000);
		CHECK(read_offset(&s) == *offset, "the member has another offset");
		CHECK(service_post(&s, JOB(1), JOB_BREAK, 0, 0, &job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) ==
					LSCHED_ERR_TASK_FAILED,
			"%s", service_error(&s));
	}
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* The exchange after a failure has the number of the last one before. */
static void the_clock_is_not_that_of_a_failed_execution(void)
{
	const int64_t most = 2000000;
	lsched_status st = LSCHED_ERR_UNSUPPORTED;
	lsched_job job;
	jobs_service s;
	jobs_member *m;
	uint64_t number, begin;
	int64_t offset;

	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	m = s.jobs->member;
	for (int k = 0; k < 200 && st != LSCHED_OK; k++)
		st = lsched_i_jobs_measure_clock(s.jobs, m);
	CHECK(st == LSCHED_OK, "%s", service_error(&s));
	offset = m->offset_ns;
	number = m->shared->clock_number;
	CHECK(service_post(&s, JOB(1), JOB_BREAK, 0, 0, &job) == LSCHED_OK &&
			lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_TASK_FAILED,
		"%s", service_error(&s));
	begin = lsched_i_cpu_now_ns();
	while (lsched_i_cpu_now_ns() - begin < 20000000)
		lsched_i_cpu_relax(100);
	while (m->sent + 1u < number) {
		m->followed_ns = lsched_i_cpu_now_ns(); /* no other exchange */
		CHECK(service_post(&s, JOB(0), JOB_STEPS, 0, 0, &job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, NULL) == LSCHED_OK,
			"%s", service_error(&s));
	}
	st = LSCHED_ERR_UNSUPPORTED;
	for (int k = 0; k < 200 && st != LSCHED_OK; k++)
		st = lsched_i_jobs_measure_clock(s.jobs, m);
	CHECK(st == LSCHED_OK && m->offset_ns - offset < most && offset - m->offset_ns < most,
		"another offset, by %d ns: %s", (int)(m->offset_ns - offset), service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void jobs_begin_at_their_time(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job job[8], never;
	uint64_t start[8];
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 10, 0, JOBS_OPTIONS(.linger_us = 1)) == LSCHED_OK,
		"open");
	CHECK(service_post(&s, JOB(1, .start_ns = UINT64_MAX / 4), JOB_TREE, 9, 0, &never) ==
			LSCHED_OK,
		"%s", service_error(&s));
	for (uint32_t k = 0; k < 8; k++) {
		start[k] = lsched_i_cpu_now_ns() + k % 3 * 2000000;
		CHECK(service_post(&s, JOB(1, .start_ns = start[k]), JOB_TREE, k, 3, job + k) ==
				LSCHED_OK,
			"%s", service_error(&s));
	}
	for (uint32_t k = 0; k < 8; k++) {
		CHECK(lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
				r.value == 8,
			"%s", service_error(&s));
		CHECK(r.start_ns + jobs_place.clock_error_ns >= start[k], "%d ns early",
			(int)(start[k] - r.start_ns));
	}
	CHECK(lsched_job_cancel(s.jobs, never) == LSCHED_OK &&
			lsched_job_wait(s.jobs, never, LSCHED_NO_LIMIT_MS, &r) ==
				LSCHED_ERR_CANCELLED &&
			r.start_ns == 0,
		"%s", service_error(&s));
	CHECK(service_units(&s) == 0, "%u jobs have units", service_units(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* UINT64_MAX is a usual value for "never". */
static void the_largest_times_do_not_come(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job start, period, left;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 2, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(service_post(&s, JOB(1, .start_ns = UINT64_MAX), JOB_TREE, 0, 0, &start) ==
				LSCHED_OK &&
			service_post(&s, JOB(1, .period_ns = UINT64_MAX), JOB_TREE, 1, 0,
				&period) == LSCHED_OK &&
			service_post(&s, JOB(1, .deadline_ns = UINT64_MAX), JOB_CLOCK, 0, 0,
				&left) == LSCHED_OK,
		"%s", service_error(&s));
	CHECK(lsched_job_wait(s.jobs, left, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			(int64_t)r.of > 0,
		"after the deadline: %s", service_error(&s));
	service_wait_begun(&s, period);
	CHECK(lsched_job_wait(s.jobs, start, 5, &r) == LSCHED_ERR_TIMEOUT, "the start has come");
	CHECK(lsched_job_cancel(s.jobs, period) == LSCHED_OK &&
			lsched_job_wait(s.jobs, period, LSCHED_NO_LIMIT_MS, &r) ==
				LSCHED_ERR_CANCELLED &&
			r.value == 1,
		"%u runs: %s", (unsigned)r.value, service_error(&s));
	CHECK(lsched_job_cancel(s.jobs, start) == LSCHED_OK &&
			lsched_job_wait(s.jobs, start, LSCHED_NO_LIMIT_MS, &r) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void periodic_jobs_run_until_they_are_cancelled(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job_info info = { .struct_bytes = sizeof(info) };
	uint32_t runs[3];
	lsched_job job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 3, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(service_post(&s, JOB(3, .period_ns = 500000), JOB_TREE, 0, 1, &job) == LSCHED_OK,
		"%s", service_error(&s));
	while (info.done < 5 * 6)
		CHECK(lsched_job_progress(s.jobs, job, &info) == LSCHED_OK && !info.ended, "%s",
			service_error(&s));
	CHECK(lsched_job_cancel(s.jobs, job) == LSCHED_OK &&
			lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) ==
				LSCHED_ERR_CANCELLED &&
			r.value >= 5 * 6,
		"value %u: %s", (unsigned)r.value, service_error(&s));
	/* of the first one; the second may be late */
	CHECK(r.start_ns && r.end_ns + jobs_place.clock_error_ns - r.start_ns >= 2 * 500000,
		"began %d ns before the end", (int)(r.end_ns - r.start_ns));
	(void)lsched_mem_read(jobs_place.ctx, runs, s.c.runs, sizeof(runs));
	CHECK(runs[0] >= 5 && r.value == 2 * ((uint64_t)runs[0] + runs[1] + runs[2]),
		"%u, %u, %u runs", runs[0], runs[1], runs[2]);
	/* close cancels them, also where no wait can follow */
	CHECK(service_post(&s, JOB(1, .period_ns = 1, .detached = 1), JOB_TREE, 0, 1, NULL) ==
				LSCHED_OK &&
			service_post(&s, JOB(1, .period_ns = UINT64_MAX), JOB_TREE, 0, 1, &job) ==
				LSCHED_OK,
		"%s", service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* Of a period that has always passed. The host sends no change: a worker may park an item after the
 * controller has executed one, and only sweeps enqueue that item again. */
static void parked_items_of_a_periodic_job_go_on(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	const uint64_t begin = lsched_i_cpu_now_ns();
	lsched_i_job *j;
	lsched_job job;
	jobs_service s;

	if (!jobs_place.ctx->b->host_memory)
		return;
	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(service_post(&s, JOB(1, .period_ns = 1), JOB_GATE, 0, 0, &job) == LSCHED_OK, "%s",
		service_error(&s));
	j = s.jobs->member[0].run->args.jobs->job + (uint16_t)job.id;
	service_wait_begun(&s, job);
	CHECK(lsched_job_change(s.jobs, job, 0, 0, 1) == LSCHED_OK, "%s", service_error(&s));
	while (!service_read(&j->parked, 4))
		lsched_i_cpu_relax(100);
	__atomic_fetch_and(&j->flags, ~LSCHED_I_JOB_PAUSED, __ATOMIC_RELAXED);
	while (service_read(&j->parked, 4) && lsched_i_cpu_now_ns() - begin < UINT64_C(10000000000))
		lsched_i_cpu_relax(100);
	CHECK(!service_read(&j->parked, 4), "parked for ever");
	CHECK(lsched_job_cancel(s.jobs, job) == LSCHED_OK &&
			lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* Receives the messages of a job of `roots` roots that send `each`; those of a root are in order.
 * Returns how many were wrong. */
static uint32_t receive_all(jobs_service *s, lsched_job job, uint32_t roots, uint32_t each)
{
	uint32_t *seen = (uint32_t *)calloc(roots, sizeof(*seen)), wrong = 0;

	for (uint32_t n = 0; seen && n < roots * each;) {
		lsched_job_message m = { .struct_bytes = sizeof(m) };

		if (!lsched_jobs_receive(s->jobs, &m)) {
			lsched_i_cpu_relax(40);
			continue;
		}
		n++;
		if (m.job.id != job.id || m.kind >= roots) {
			wrong++;
			continue;
		}
		wrong += m.value != UINT64_MAX - (each - seen[m.kind]);
		seen[m.kind]++;
	}
	for (uint32_t k = 0; seen && k < roots; k++)
		wrong += seen[k] != each;
	free(seen);
	return wrong;
}

static void messages_arrive_once_and_in_order(void)
{
	static const uint32_t places[] = { 0, 8, 2, 4096 };
	lsched_job_message m = { .struct_bytes = sizeof(m) };

	for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
		lsched_job job;
		uint32_t wrong;
		jobs_service s;

		CHECK(service_open(&s, jobs_place.work, 1, 0,
			      JOBS_OPTIONS(.messages = places[k], .linger_us = 20)) == LSCHED_OK,
			"open");
		for (uint32_t n = 1; n < 6; n++) {
			CHECK(service_post(&s, JOB(7 * n), JOB_SEND, 0, 3 * n, &job) == LSCHED_OK,
				"%s", service_error(&s));
			wrong = receive_all(&s, job, 7 * n, 3 * n);
			CHECK(wrong == 0, "%u places: %u messages wrong", places[k], wrong);
			CHECK(lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, NULL) == LSCHED_OK,
				"%s", service_error(&s));
			CHECK(!lsched_jobs_receive(s.jobs, &m) && m.job.id == 0, "one too many");
		}
		/* all that have been sent have arrived when the wait returns */
		CHECK(service_post(&s, JOB(1), JOB_SEND, 0, 2, &job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, NULL) ==
					LSCHED_OK &&
				lsched_jobs_receive(s.jobs, &m) && lsched_jobs_receive(s.jobs, &m),
			"a message is late");
		CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
	}
	CHECK(!lsched_jobs_receive(NULL, &m), "no service");
}

CU_TestInfo jobs_time_tests[] = { { "bodies read the clock of the host",
					  bodies_read_the_clock_of_the_host },
	{ "the clock of a member is measured", the_clock_of_a_member_is_measured },
	{ "the clock is not that of a failed execution",
		the_clock_is_not_that_of_a_failed_execution },
	{ "jobs begin at their time", jobs_begin_at_their_time },
	{ "the largest times do not come", the_largest_times_do_not_come },
	{ "periodic jobs run until they are cancelled",
		periodic_jobs_run_until_they_are_cancelled },
	{ "parked items of a periodic job go on", parked_items_of_a_periodic_job_go_on },
	{ "messages arrive once and in order", messages_arrive_once_and_in_order },
	CU_TEST_INFO_NULL };
