/* Jobs one by one: results, failures, limits, full and idle services. */
#include <stdlib.h>
#include <string.h>
#include "libsched/core/jobs.h"
#include "tests/libsched/jobs_suite.h"

jobs_place_type jobs_place;

lsched_status service_open(jobs_service *s, const lsched_program *program, uint32_t numbers,
	uint32_t workers, lsched_jobs_options o)
{
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO);
	lsched_job_member m = { jobs_place.ctx, program, &s->c, NULL,
		workers ? workers : jobs_place.workers };
	char msg[LSCHED_I_TEXT_BYTES];
	lsched_status st;

	memset(s, 0, sizeof(*s));
	s->numbers = numbers;
	st = lsched_mem_alloc(jobs_place.ctx, (void **)&s->c.runs, numbers * sizeof(uint32_t));
	if (st == LSCHED_OK)
		st = lsched_mem_alloc(
			jobs_place.ctx, (void **)&s->c.log, numbers * sizeof(uint32_t));
	if (st == LSCHED_OK)
		st = lsched_mem_alloc(jobs_place.ctx, (void **)&s->c.logged, sizeof(uint32_t));
	if (st == LSCHED_OK)
		st = lsched_jobs_open(&s->jobs, &m, 1, &ro, &o, msg, sizeof(msg));
	if (st != LSCHED_OK)
		fprintf(stderr, "%s\n", msg);
	return st;
}

lsched_status service_close(jobs_service *s, lsched_stats *stats)
{
	const lsched_status st = lsched_jobs_close(&s->jobs, stats);

	lsched_mem_free(jobs_place.ctx, s->c.runs);
	lsched_mem_free(jobs_place.ctx, s->c.log);
	lsched_mem_free(jobs_place.ctx, s->c.logged);
	return st;
}

lsched_status service_post(jobs_service *s, lsched_job_desc d, uint32_t what, uint32_t base,
	uint32_t depth, lsched_job *job)
{
	const work_args args = { what, base, depth, ~base, { 0 } };

	d.args = &args;
	d.arg_bytes = sizeof(args);
	return lsched_job_post(s->jobs, &d, job);
}

void service_wait_begun(jobs_service *s, lsched_job job)
{
	lsched_job_info info = { .struct_bytes = sizeof(info) };

	while (lsched_job_progress(s->jobs, job, &info) == LSCHED_OK && info.done == 0 &&
		!info.ended)
		lsched_i_cpu_relax(100);
}

uint64_t service_read(const void *word, size_t bytes)
{
	uint64_t v = 0;

	if (!jobs_place.ctx->b->host_memory)
		(void)lsched_mem_read(jobs_place.ctx, &v, word, bytes);
	else if (bytes == sizeof(uint32_t))
		v = __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED);
	else
		v = __atomic_load_n((const uint64_t *)word, __ATOMIC_RELAXED);
	return v;
}

uint32_t service_units(const jobs_service *s)
{
	const lsched_run *run = s->jobs->member[0].run;
	uint32_t left = 0;

	for (uint32_t k = 0; k < s->jobs->max_jobs; k++)
		left += service_read(&run->args.jobs->job[k].units, 4) != 0;
	return left;
}

const char *service_error(jobs_service *s)
{
	static char text[LSCHED_I_TEXT_BYTES];

	lsched_jobs_error(s->jobs, text, sizeof(text));
	return text;
}

static void a_job_returns_the_value_of_its_roots(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	uint32_t runs[100];
	lsched_job job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 100, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 20; k++) {
		const uint32_t roots = 5 * k;

		CHECK(service_post(&s, JOB(roots), JOB_TREE, 0, 4, &job) == LSCHED_OK, "%s",
			service_error(&s));
		CHECK(lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK, "%s",
			service_error(&s));
		CHECK(r.value == roots * 16 && r.done == roots * 16 && r.of == 0,
			"%u roots: value %u", roots, (unsigned)r.value);
		CHECK(r.post_ns <= r.end_ns && r.start_ns <= r.end_ns && r.member == 0,
			"post %+d ns, start %+d ns before the end", (int)(r.end_ns - r.post_ns),
			(int)(r.end_ns - r.start_ns));
		CHECK(lsched_job_wait(s.jobs, job, 0, &r) == LSCHED_ERR_STATE && r.value == 0,
			"waited twice");
	}
	(void)lsched_mem_read(jobs_place.ctx, runs, s.c.runs, sizeof(runs));
	CHECK(runs[0] == 19 && runs[94] == 1 && runs[95] == 0, "root 0: %u, 94: %u", runs[0],
		runs[94]);
	CHECK(service_units(&s) == 0, "%u jobs have units", service_units(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void block_items_return_values_to_their_job(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job job[30];
	jobs_service s;

	CHECK(service_open(&s, jobs_place.crew, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 30; k++)
		CHECK(service_post(&s, JOB(3 * k, .priority = k % 4), 0, 0, 0, job + k) ==
				LSCHED_OK,
			"%s", service_error(&s));
	for (uint32_t k = 0; k < 30; k++) {
		CHECK(lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK, "%s",
			service_error(&s));
		CHECK(r.value == (uint64_t)6 * k * jobs_place.crew_threads, "job %u: value %u", k,
			(unsigned)r.value);
	}
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void a_failing_body_ends_its_job_only(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job fail, other;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 2000, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 20; k++) {
		CHECK(service_post(&s, JOB(100), JOB_FAIL, 0, k, &fail) == LSCHED_OK, "%s",
			service_error(&s));
		CHECK(service_post(&s, JOB(100), JOB_TREE, 100 * k, 3, &other) == LSCHED_OK, "%s",
			service_error(&s));
		CHECK(lsched_job_wait(s.jobs, fail, LSCHED_NO_LIMIT_MS, &r) ==
					LSCHED_ERR_TASK_FAILED &&
				r.code == 7 && strstr(service_error(&s), "code 7"),
			"code %d: %s", r.code, service_error(&s));
		CHECK(lsched_job_wait(s.jobs, other, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
				r.value == 800,
			"value %u: %s", (unsigned)r.value, service_error(&s));
	}
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void a_broken_execution_ends_all_jobs_and_the_next_post_starts_again(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job gate, bad, job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 100, 3, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 5; k++) {
		CHECK(service_post(&s, JOB(1), JOB_GATE, 0, 0, &gate) == LSCHED_OK, "%s",
			service_error(&s));
		CHECK(service_post(&s, JOB(1, .priority = 1), JOB_BREAK, 0, 0, &bad) == LSCHED_OK,
			"%s", service_error(&s));
		CHECK(lsched_job_wait(s.jobs, bad, LSCHED_NO_LIMIT_MS, &r) ==
					LSCHED_ERR_TASK_FAILED &&
				strstr(service_error(&s), "code 3") &&
				strstr(service_error(&s), "the next post starts"),
			"%s", service_error(&s));
		CHECK(lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, &r) ==
				LSCHED_ERR_TASK_FAILED,
			"%s", service_error(&s));
		CHECK(service_post(&s, JOB(10), JOB_TREE, 10 * k, 3, &job) == LSCHED_OK, "%s",
			service_error(&s));
		CHECK(lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
				r.value == 80,
			"value %u: %s", (unsigned)r.value, service_error(&s));
	}
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void a_job_without_end_is_cancelled_by_its_limit(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(service_post(&s, JOB(1), JOB_GATE, 0, 0, &job) == LSCHED_OK, "%s", service_error(&s));
	CHECK(lsched_job_wait(s.jobs, job, 3, &r) == LSCHED_ERR_TIMEOUT &&
			lsched_job_wait(s.jobs, job, 0, &r) == LSCHED_ERR_TIMEOUT &&
			strstr(service_error(&s), "lsched_job_cancel"),
		"%s", service_error(&s));
	CHECK(lsched_job_cancel(s.jobs, job) == LSCHED_OK &&
			lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) ==
				LSCHED_ERR_CANCELLED &&
			r.limited == 0,
		"%s", service_error(&s));
	for (uint32_t k = 0; k < 3; k++) {
		CHECK(service_post(&s, JOB(1, .limit_ms = 5 + k), JOB_GATE, 0, 0, &job) ==
				LSCHED_OK,
			"%s", service_error(&s));
		CHECK(lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) ==
					LSCHED_ERR_CANCELLED &&
				r.limited == 1 &&
				/* the clocks differ by some us */
				r.end_ns - r.post_ns >= 1000000 * (5 + k) - 100000,
			"%s", service_error(&s));
	}
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* Items that would run for hours. */
static void items_of_cancelled_jobs_are_discarded(void)
{
	const uint32_t roots[] = { 1, 40, 3000 };
	lsched_job job, after;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.crew, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 12; k++) {
		lsched_job_result r = { .struct_bytes = sizeof(r) };

		CHECK(service_post(&s, JOB(roots[k % 3]), 0, 0, 1u << 30, &job) == LSCHED_OK, "%s",
			service_error(&s));
		service_wait_begun(&s, job);
		CHECK(lsched_job_cancel(s.jobs, job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) ==
					LSCHED_ERR_CANCELLED,
			"%s", service_error(&s));
		CHECK(service_post(&s, JOB(3), 0, 0, 0, &after) == LSCHED_OK &&
				lsched_job_wait(s.jobs, after, LSCHED_NO_LIMIT_MS, &r) ==
					LSCHED_OK &&
				r.value == 6 * jobs_place.crew_threads,
			"value %u: %s", (unsigned)r.value, service_error(&s));
	}
	CHECK(service_units(&s) == 0, "%u jobs have units", service_units(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* Posts fall into sweeps of the controller, which check limits. */
static void a_limit_that_is_not_reached_has_no_effect(void)
{
	lsched_job job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 32, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 500; k++)
		CHECK(service_post(&s, JOB(32, .limit_ms = UINT32_MAX), JOB_TREE, 0, 3, &job) ==
					LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, NULL) == LSCHED_OK,
			"post %u: %s", k, service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void a_full_service_refuses_posts(void)
{
	lsched_job job[4], more;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 100, 0, JOBS_OPTIONS(.max_jobs = 4)) == LSCHED_OK,
		"open");
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t k = 0; k < 4; k++)
			CHECK(service_post(&s, JOB(1, .detached = k == 3 && round < 2), JOB_GATE, 0,
				      0, job + k) == LSCHED_OK,
				"%s", service_error(&s));
		CHECK(service_post(&s, JOB(1), JOB_TREE, 0, 0, &more) == LSCHED_ERR_OVERFLOW &&
				more.id == 0 && strstr(service_error(&s), "max_jobs"),
			"%s", service_error(&s));
		for (uint32_t k = 0; k < 3; k++)
			CHECK(lsched_job_cancel(s.jobs, job[k]) == LSCHED_OK &&
					lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, NULL) ==
						LSCHED_ERR_CANCELLED,
				"%s", service_error(&s));
		if (round == 2)
			break;
		/* a detached job cannot be cancelled by its number; the other jobs break it */
		CHECK(lsched_job_cancel(s.jobs, job[3]) == LSCHED_ERR_STATE, "detached");
		CHECK(service_post(&s, JOB(1, .priority = 1), JOB_BREAK, 0, 0, &more) ==
					LSCHED_OK &&
				lsched_job_wait(s.jobs, more, LSCHED_NO_LIMIT_MS, NULL) ==
					LSCHED_ERR_TASK_FAILED,
			"%s", service_error(&s));
	}
	CHECK(lsched_job_cancel(s.jobs, job[3]) == LSCHED_OK, "%s", service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void close_waits_for_open_jobs(void)
{
	lsched_stats stats = { .struct_bytes = sizeof(stats) };
	uint32_t runs[640], wrong = 0;
	work_ctx c;
	lsched_job job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 640, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	c = s.c;
	for (uint32_t k = 0; k < 64; k++)
		CHECK(service_post(&s, JOB(10, .detached = k % 2), JOB_STEPS, 10 * k, 1 + k,
			      k % 2 ? NULL : &job) == LSCHED_OK,
			"%s", service_error(&s));
	CHECK(lsched_jobs_close(&s.jobs, &stats) == LSCHED_OK && !s.jobs, "close");
	(void)lsched_mem_read(jobs_place.ctx, runs, c.runs, sizeof(runs));
	for (uint32_t k = 0; k < 640; k++)
		wrong += runs[k] != 1;
	CHECK(wrong == 0, "%u roots did not run once", wrong);
	CHECK(stats.tasks >= 640 && stats.workers >= 2, "%u items, %u workers",
		(unsigned)stats.tasks, stats.workers);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "closed twice");
}

/* A member without jobs for longer than the time limit does not hang. */
static void an_idle_member_is_no_hang(void)
{
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .timeout_ms = 100);
	const lsched_jobs_options o = JOBS_OPTIONS(.linger_us = 500000);
	work_ctx c = { NULL, NULL, NULL };
	lsched_job_member m = { jobs_place.ctx, jobs_place.crew, &c, NULL, jobs_place.workers };
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job_desc d = JOB(3);
	lsched_stats stats = { .struct_bytes = sizeof(stats) };
	char msg[256];
	lsched_jobs *jobs;
	lsched_job job;

	CHECK(lsched_jobs_open(&jobs, &m, 1, &ro, &o, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	for (uint32_t k = 0; k < 2; k++) {
		const uint64_t begin = lsched_i_cpu_now_ns();

		CHECK(lsched_job_post(jobs, &d, &job) == LSCHED_OK &&
				lsched_job_wait(jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK,
			"job %u: %s", k, (lsched_jobs_error(jobs, msg, sizeof(msg)), msg));
		/* its time limit passes three times, and the host looks */
		while (k == 0 && lsched_i_cpu_now_ns() - begin < 350000000) {
			CHECK(!lsched_run_done(jobs->member[0].run), "the member has left");
			lsched_i_cpu_relax(1000);
		}
	}
	CHECK(lsched_jobs_close(&jobs, &stats) == LSCHED_OK && stats.rounds == 1, "%u executions",
		stats.rounds);
}

/* Its jobs end, and the next post starts the member again. */
static void a_body_that_does_not_return_in_time_fails_the_execution(void)
{
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .timeout_ms = 800);
	work_ctx c = { NULL, NULL, NULL };
	lsched_job_member m = { jobs_place.ctx, jobs_place.work, &c, NULL, jobs_place.workers };
	lsched_job gate, hang, job;
	jobs_service s = { 0 };
	char msg[256];

	CHECK(lsched_jobs_open(&s.jobs, &m, 1, &ro, NULL, msg, sizeof(msg)) == LSCHED_OK, "%s",
		msg);
	CHECK(service_post(&s, JOB(1), JOB_HANG, 0, 1200, &hang) == LSCHED_OK &&
			lsched_job_wait(s.jobs, hang, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_TASK_FAILED &&
			strstr(service_error(&s), "no progress for 800 ms"),
		"%s", service_error(&s));
	CHECK(service_post(&s, JOB(0), JOB_STEPS, 0, 0, &job) == LSCHED_OK &&
			lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, NULL) == LSCHED_OK,
		"%s", service_error(&s));
	/* a job that goes on in turns is progress, however long it takes */
	CHECK(service_post(&s, JOB(1, .limit_ms = 1000), JOB_GATE, 0, 0, &gate) == LSCHED_OK &&
			lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_OK, "close");
}

CU_TestInfo jobs_tests[] = { { "a job returns the value of its roots",
				     a_job_returns_the_value_of_its_roots },
	{ "block items return values to their job", block_items_return_values_to_their_job },
	{ "a failing body ends its job only", a_failing_body_ends_its_job_only },
	{ "a broken execution ends all jobs, and the next post starts again",
		a_broken_execution_ends_all_jobs_and_the_next_post_starts_again },
	{ "a body that does not return in time fails the execution",
		a_body_that_does_not_return_in_time_fails_the_execution },
	{ "a job without end is cancelled by its limit",
		a_job_without_end_is_cancelled_by_its_limit },
	{ "items of cancelled jobs are discarded", items_of_cancelled_jobs_are_discarded },
	{ "a limit that is not reached has no effect", a_limit_that_is_not_reached_has_no_effect },
	{ "a full service refuses posts", a_full_service_refuses_posts },
	{ "close waits for open jobs", close_waits_for_open_jobs },
	{ "an idle member is no hang", an_idle_member_is_no_hang }, CU_TEST_INFO_NULL };
