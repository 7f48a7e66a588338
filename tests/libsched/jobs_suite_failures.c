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

CU_TestInfo jobs_failure_tests[] = { { "a job posted to a failed member runs or fails",
					     a_job_posted_to_a_failed_member_runs_or_fails },
	{ "detached jobs start a failed member again", detached_jobs_start_a_failed_member_again },
	CU_TEST_INFO_NULL };
