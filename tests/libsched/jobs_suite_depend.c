/* Jobs that other jobs resume or begin. */
#include "tests/libsched/jobs_suite.h"

/* Posts a job of JOB_RESUME or JOB_BEGIN with another job as argument. */
static lsched_status post_about(jobs_service *s, lsched_job_desc d, uint32_t what, uint32_t number,
	lsched_job other, lsched_job *job)
{
	const work_args args = { what, number, 4, ~number,
		{ (uint32_t)other.id, (uint32_t)(other.id >> 32) } };

	d.args = &args;
	d.arg_bytes = sizeof(args);
	return lsched_job_post(s->jobs, &d, job);
}

static lsched_status post_resume(
	jobs_service *s, lsched_job_desc d, uint32_t number, lsched_job other, lsched_job *job)
{
	return post_about(s, d, JOB_RESUME, number, other, job);
}

/* Posts a job of JOB_BEGIN; returns what its call has returned, -1: it has failed. */
static int begun(jobs_service *s, uint32_t number, lsched_job other)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job job;

	return post_about(s, JOB(1), JOB_BEGIN, number, other, &job) == LSCHED_OK &&
			       lsched_job_wait(s->jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK
		       ? (int)r.value
		       : -1;
}

/* Once, while nothing has resumed or cancelled it. */
static void a_body_begins_a_job(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job place[5], none = { 0 };
	uint32_t runs[24];
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 24, 0, JOBS_OPTIONS(.linger_us = 50)) == LSCHED_OK,
		"open");
	for (uint32_t k = 0; k < 5; k++) /* the last one is at its time, if that is over */
		CHECK(service_post(&s, JOB(2, .paused = 1, .start_ns = k == 4), JOB_TREE, 16, 2,
			      place + k) == LSCHED_OK,
			"%s", service_error(&s));
	CHECK(begun(&s, 0, place[0]) == 1 && begun(&s, 8, place[0]) == 0, "%s", service_error(&s));
	CHECK(lsched_job_wait(s.jobs, place[0], LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			r.value == 48,
		"value %u: %s", (unsigned)r.value, service_error(&s));
	CHECK(begun(&s, 8, place[0]) == 0 && begun(&s, 8, none) == 0, "%s", service_error(&s));
	CHECK(lsched_job_cancel(s.jobs, place[1]) == LSCHED_OK && begun(&s, 8, place[1]) == 0 &&
			lsched_job_wait(s.jobs, place[1], LSCHED_NO_LIMIT_MS, &r) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	/* resumed by the host, paused again */
	CHECK(lsched_job_change(s.jobs, place[2], 1, 0, 0) == LSCHED_OK &&
			lsched_job_change(s.jobs, place[2], 1, 0, 1) == LSCHED_OK &&
			begun(&s, 8, place[2]) == 0 &&
			lsched_job_change(s.jobs, place[2], 1, 0, 0) == LSCHED_OK &&
			lsched_job_wait(s.jobs, place[2], LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			r.value == 8,
		"value %u: %s", (unsigned)r.value, service_error(&s));
	/* changed while it is paused */
	CHECK(lsched_job_change(s.jobs, place[3], 3, 1, 1) == LSCHED_OK &&
			begun(&s, 3, place[3]) == 1 &&
			lsched_job_wait(s.jobs, place[3], LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			r.value == 48,
		"value %u: %s", (unsigned)r.value, service_error(&s));
	CHECK(begun(&s, 6, place[4]) == 1 &&
			lsched_job_wait(s.jobs, place[4], LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			r.value == 48,
		"value %u: %s", (unsigned)r.value, service_error(&s));
	CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_OK, "close");
	(void)lsched_mem_read(jobs_place.ctx, runs, s.c.runs, sizeof(runs));
	for (uint32_t k = 0; k < 24; k++)
		CHECK(runs[k] == (uint32_t)((k >= 5 && k < 14) || (k >= 16 && k < 18)),
			"number %u ran %u times", k, runs[k]);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "closed twice");
}

/* Pairs of bodies begin the same jobs, some of which the host cancels at the same time: one of a
 * pair at most does, and a job that none has begun was cancelled. The places are used again at
 * once. */
static void bodies_begin_jobs_that_are_cancelled(void)
{
	enum { ROUNDS = 200, PLACES = 8 };
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job place[PLACES], by[2 * PLACES];
	jobs_service s;
	uint32_t begun_jobs = 0;

	CHECK(service_open(&s, jobs_place.work, 8, 0, JOBS_OPTIONS(.max_jobs = 3 * PLACES)) ==
			LSCHED_OK,
		"open");
	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t k = 0; k < PLACES; k++)
			CHECK(service_post(&s, JOB(1, .paused = 1), JOB_TREE, 0, 1, place + k) ==
					LSCHED_OK,
				"%s", service_error(&s));
		for (uint32_t k = 0; k < 2 * PLACES; k++)
			CHECK(post_about(&s, JOB(1), JOB_BEGIN, 0, place[k / 2], by + k) ==
					LSCHED_OK,
				"%s", service_error(&s));
		for (uint32_t k = round % 2; k < PLACES; k += 2)
			CHECK(lsched_job_cancel(s.jobs, place[k]) == LSCHED_OK, "%s",
				service_error(&s));
		for (uint32_t k = 0; k < PLACES; k++) {
			const uint32_t cancelled = k % 2 == round % 2;
			uint64_t once = 0;
			lsched_status st;

			for (uint32_t n = 0; n < 2; n++) {
				CHECK(lsched_job_wait(s.jobs, by[2 * k + n], LSCHED_NO_LIMIT_MS,
					      &r) == LSCHED_OK,
					"%s", service_error(&s));
				once += r.value;
			}
			st = lsched_job_wait(s.jobs, place[k], LSCHED_NO_LIMIT_MS, &r);
			CHECK(once == 1 || (cancelled && once == 0), "%u of 2 bodies began it",
				(unsigned)once);
			CHECK(st == (cancelled ? LSCHED_ERR_CANCELLED : LSCHED_OK) ||
					(cancelled && once && st == LSCHED_OK),
				"%s", service_error(&s));
			CHECK(st != LSCHED_OK || r.value == 48, "value %u", (unsigned)r.value);
			begun_jobs += st == LSCHED_OK;
		}
	}
	CHECK(begun_jobs >= ROUNDS * PLACES / 2, "%u jobs were begun", begun_jobs);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* Jobs that begin paused, each resumed by the one that was posted after it; the last one begins at
 * once. Without waits close observes that others are left to be resumed. */
static void jobs_resume_each_other(void)
{
	enum { CHAIN = 24 };

	for (uint32_t waits = 0; waits < 2; waits++) {
		lsched_job job[CHAIN] = { { 0 } };
		uint32_t runs[CHAIN];
		jobs_service s;

		CHECK(service_open(&s, jobs_place.work, CHAIN + 1, 0,
			      JOBS_OPTIONS(.linger_us = 50)) == LSCHED_OK,
			"open");
		for (uint32_t k = 0; k < CHAIN; k++)
			CHECK(post_resume(&s, JOB(1, .paused = k < CHAIN - 1), k,
				      k ? job[k - 1] : job[0], job + k) == LSCHED_OK,
				"%s", service_error(&s));
		for (uint32_t k = CHAIN; waits && k-- > 0;) {
			lsched_job_result r = { .struct_bytes = sizeof(r) };

			CHECK(lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK,
				"job %u: %s", k, service_error(&s));
			CHECK((r.value & 1) == (k > 0), "job %u resumed %u", k, (unsigned)r.value);
			CHECK(r.value >> 1 == (k < CHAIN - 1 ? k + 2 : 0),
				"job %u observed %u of the one that has resumed it", k,
				(unsigned)(r.value >> 1));
		}
		/* not freed before the count is read */
		CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_OK, "close");
		(void)lsched_mem_read(jobs_place.ctx, runs, s.c.runs, sizeof(runs));
		for (uint32_t k = 0; k < CHAIN; k++)
			CHECK(runs[k] == 1, "job %u ran %u times", k, runs[k]);
		CHECK(service_close(&s, NULL) == LSCHED_OK, "closed twice");
	}
}

/* No effect: not paused, ended, of another member, none. The host resumes a job that began paused;
 * a time does not begin one. */
static void a_job_that_begins_paused_waits(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job waiting, timed, job, other;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 8, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(service_post(&s, JOB(3, .paused = 1), JOB_TREE, 0, 4, &waiting) == LSCHED_OK &&
			service_post(&s, JOB(1, .paused = 1, .start_ns = 1), JOB_TREE, 4, 4,
				&timed) == LSCHED_OK,
		"%s", service_error(&s));
	for (uint32_t k = 0; k < 4; k++) {
		other.id = k == 0   ? waiting.id ^ UINT64_C(1) << 32
			   : k == 1 ? waiting.id ^ 1u << 16
			   : k == 2 ? (waiting.id | 0xffffu)
				    : 0;
		CHECK(post_resume(&s, JOB(1), 5, other, &job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK,
			"%s", service_error(&s));
		CHECK((r.value & 1) == 0, "0x%llx was resumed", (unsigned long long)other.id);
	}
	CHECK(lsched_job_wait(s.jobs, waiting, 20, &r) == LSCHED_ERR_TIMEOUT &&
			lsched_job_wait(s.jobs, timed, 0, &r) == LSCHED_ERR_TIMEOUT,
		"a paused job ended");
	CHECK(lsched_job_change(s.jobs, waiting, 0, 0, 0) == LSCHED_OK, "%s", service_error(&s));
	CHECK(lsched_job_wait(s.jobs, waiting, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			r.value == 48,
		"value %u", (unsigned)r.value);
	CHECK(post_resume(&s, JOB(1), 6, timed, &job) == LSCHED_OK &&
			lsched_job_wait(s.jobs, timed, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			r.value == 16,
		"%s", service_error(&s));
	/* cancelled while it was paused */
	CHECK(service_post(&s, JOB(1, .paused = 1), JOB_TREE, 7, 4, &other) == LSCHED_OK &&
			lsched_job_cancel(s.jobs, other) == LSCHED_OK &&
			post_resume(&s, JOB(1), 5, other, &job) == LSCHED_OK &&
			lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			(r.value & 1) == 0,
		"value %u: %s", (unsigned)r.value, service_error(&s));
	CHECK(service_post(&s, JOB(1, .paused = 1, .period_ns = 1000), JOB_TREE, 4, 4, &timed) ==
			LSCHED_OK,
		"%s", service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

CU_TestInfo jobs_depend_tests[] = { { "jobs resume each other", jobs_resume_each_other },
	{ "a job that begins paused waits", a_job_that_begins_paused_waits },
	{ "a body begins a job", a_body_begins_a_job },
	{ "bodies begin jobs that are cancelled", bodies_begin_jobs_that_are_cancelled },
	CU_TEST_INFO_NULL };
