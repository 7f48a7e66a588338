/* Posts and waits after failures of members. */
#include <string.h>
#include "libsched/core/jobs.h"
#include "libsched/cpu/relax.h"
#include "tests/libsched/jobs_suite.h"

/* The post that finds the ring full of commands detects the failure. */
static void a_job_posted_to_a_failed_member_runs_or_fails(void)
{
	enum { JOBS = LSCHED_I_COMMAND_SLOTS + 16 };
	uint32_t runs[JOBS], failed = 0, wrong = 0;
	lsched_job job[JOBS], bad;
	lsched_status st[JOBS];
	work_ctx c;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, JOBS, 0, JOBS_OPTIONS(.max_jobs = 2 * JOBS)) ==
			LSCHED_OK,
		"open");
	c = s.c;
	CHECK(service_post(&s, JOB(1), JOB_BREAK, 0, 0, &bad) == LSCHED_OK, "%s",
		service_error(&s));
	while (!lsched_run_done(s.jobs->member[0].run))
		lsched_i_cpu_relax(100);
	/* those that run still do when their waits begin */
	for (uint32_t k = 0; k < JOBS; k++)
		CHECK(service_post(&s, JOB(1), JOB_STEPS, k, k < JOBS - 20 ? 0 : 20000, job + k) ==
				LSCHED_OK,
			"%s", service_error(&s));
	for (uint32_t k = 0; k < JOBS; k++) {
		st[k] = lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, NULL);
		failed += st[k] == LSCHED_ERR_TASK_FAILED;
	}
	/* the end of all executions */
	CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_OK, "close");
	(void)lsched_mem_read(jobs_place.ctx, runs, c.runs, sizeof(runs));
	for (uint32_t k = 0; k < JOBS; k++)
		wrong += runs[k] != (st[k] == LSCHED_OK);
	CHECK(failed && failed < JOBS && wrong == 0, "%u jobs failed, %u wrong", failed, wrong);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "closed twice");
}

/* No wait detects the failure. */
static void detached_jobs_start_a_failed_member_again(void)
{
	lsched_status st = LSCHED_OK;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(.max_jobs = 4)) == LSCHED_OK,
		"open");
	CHECK(service_post(&s, JOB(1, .detached = 1), JOB_BREAK, 0, 0, NULL) == LSCHED_OK, "%s",
		service_error(&s));
	while (!lsched_run_done(s.jobs->member[0].run))
		lsched_i_cpu_relax(100);
	/* jobs of the failed execution are lost until all places are in use */
	for (uint32_t k = 0; k < 4 && st == LSCHED_OK; k++)
		st = service_post(&s, JOB(1, .detached = 1), JOB_TREE, 0, 0, NULL);
	CHECK(st == LSCHED_OK, "%s", service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static lsched_job_desc on_member(int32_t member)
{
	lsched_job_desc d = JOB(1);

	d.member = member;
	return d;
}

/* A thread that does not return makes its context unusable. */
static void a_lost_member_gets_no_jobs(void)
{
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .timeout_ms = 100);
	lsched_options o;
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	work_ctx c = { NULL, NULL, NULL };
	lsched_job_member m[2] = { { NULL, jobs_place.other_work, &c, NULL, 2 },
		{ jobs_place.other, jobs_place.other_work, &c, NULL, 3 } };
	lsched_job hang, gate, job;
	jobs_service s = { 0 };
	char msg[512];

	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = 2;
	CHECK(lsched_open(&m[0].ctx, &o, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	CHECK(lsched_jobs_open(&s.jobs, m, 2, &ro, NULL, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	CHECK(service_post(&s, on_member(0), JOB_HANG, 0, 2000, &hang) == LSCHED_OK &&
			lsched_job_wait(s.jobs, hang, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_TASK_FAILED &&
			strstr(service_error(&s), "the context is lost") &&
			!strstr(service_error(&s), "the next post"),
		"%s", service_error(&s));
	/* the other one has the larger load */
	CHECK(service_post(&s, on_member(1), JOB_GATE, 0, 0, &gate) == LSCHED_OK, "%s",
		service_error(&s));
	for (uint32_t k = 0; k < 10; k++)
		CHECK(service_post(&s, JOB(1), JOB_CLOCK, 0, 0, &job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
				r.member == 1,
			"%s", service_error(&s));
	CHECK(service_post(&s, on_member(0), JOB_CLOCK, 0, 0, &job) != LSCHED_OK && job.id == 0 &&
			strstr(service_error(&s), "cannot be started"),
		"%s", service_error(&s));
	CHECK(lsched_job_cancel(s.jobs, gate) == LSCHED_OK &&
			lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_OK, "close");
	lsched_close(&m[0].ctx);
}

/* As after an error of the device by another program's kernel, while the member is not there. */
static void close_returns_where_a_paused_job_cannot_go_on(void)
{
	lsched_ctx *ctx = jobs_place.other;
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO);
	work_ctx c = { NULL, NULL, NULL };
	lsched_job_member m = { ctx, jobs_place.other_work, &c, NULL, 2 };
	lsched_job gate, later;
	jobs_service s = { 0 };
	char msg[512];

	CHECK(lsched_jobs_open(&s.jobs, &m, 1, &ro, NULL, msg, sizeof(msg)) == LSCHED_OK, "%s",
		msg);
	CHECK(service_post(&s, JOB(1), JOB_GATE, 0, 0, &gate) == LSCHED_OK &&
			lsched_job_change(s.jobs, gate, 0, 0, 1) == LSCHED_OK &&
			service_post(&s, JOB(1), JOB_GATE, 0, 0, &later) == LSCHED_OK &&
			lsched_job_change(s.jobs, later, 0, 0, 1) == LSCHED_OK,
		"%s", service_error(&s));
	while (!lsched_run_done(s.jobs->member[0].run))
		lsched_i_cpu_relax(100);
	CHECK(lsched_job_wait(s.jobs, gate, 0, NULL) == LSCHED_ERR_TIMEOUT &&
			!s.jobs->member[0].running,
		"the member has not left");
	ctx->lost = LSCHED_I_LOST_ERROR;
	CHECK(lsched_job_change(s.jobs, gate, 0, 0, 0) == LSCHED_ERR_STATE, "%s",
		service_error(&s));
	CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_ERR_STATE && !s.jobs, "close");
	ctx->lost = 0;
}

/* The members of its program are at other places. */
static void a_program_of_another_version_is_refused(void)
{
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO);
	work_ctx c = { NULL, NULL, NULL };
	lsched_program p = *jobs_place.other_work;
	lsched_job_member m = { jobs_place.other, &p, &c, NULL, 2 };
	lsched_jobs *jobs;
	char msg[512];

	p.abi = LSCHED_ABI + 1;
	p.ctx_bytes = UINT32_MAX;
	CHECK(lsched_jobs_open(&jobs, &m, 1, &ro, NULL, msg, sizeof(msg)) == LSCHED_ERR_ARG &&
			!jobs && strstr(msg, "another version"),
		"%s", msg);
}

CU_TestInfo jobs_failure_tests[] = { { "a job posted to a failed member runs or fails",
					     a_job_posted_to_a_failed_member_runs_or_fails },
	{ "detached jobs start a failed member again", detached_jobs_start_a_failed_member_again },
	{ "a lost member gets no jobs", a_lost_member_gets_no_jobs },
	{ "close returns where a paused job cannot go on",
		close_returns_where_a_paused_job_cannot_go_on },
	{ "a program of another version is refused", a_program_of_another_version_is_refused },
	CU_TEST_INFO_NULL };
