/* Jobs on a CUDA device. Skipped without one; SCHED_REQUIRE_GPU=1 makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include "libsched/core/jobs.h"
#include "tests/common/stress.h"
#define JOBS_PROGRAMS /* those of CPU threads, for the second member */
#include "tests/libsched/jobs_suite.h"

#ifdef HAVE_CUDA
extern const lsched_program jobwork_cuda_program, jobcrew_cuda_program;

enum { TIMES = 5000 };

static int compare_ns(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Posts jobs one after the other; prints the median and the 99th percentile from post to wait. */
static lsched_status time_jobs(jobs_service *s, const char *what, uint32_t roots, uint32_t priority)
{
	static uint64_t ns[TIMES];
	lsched_status st = LSCHED_OK;
	lsched_job job;

	for (uint32_t k = 0; k < TIMES && st == LSCHED_OK; k++) {
		const uint64_t begin = lsched_i_cpu_now_ns();

		st = service_post(s, JOB(roots, .priority = priority), JOB_TREE, 0, 0, &job);
		if (st == LSCHED_OK)
			st = lsched_job_wait(s->jobs, job, LSCHED_NO_LIMIT_MS, NULL);
		ns[k] = lsched_i_cpu_now_ns() - begin;
	}
	qsort(ns, TIMES, sizeof(ns[0]), compare_ns);
	printf("\n    %-32s %7.2f us, 99 %% %7.2f us", what, (double)ns[TIMES / 2] / 1000,
		(double)ns[TIMES * 99 / 100] / 1000);
	fflush(stdout);
	return st;
}

/* Prints the leaves a second that the job counts, over 0.2 s. */
static void print_rate(jobs_service *s, lsched_job job, const char *what)
{
	lsched_job_info a = { .struct_bytes = sizeof(a) }, b = { .struct_bytes = sizeof(b) };
	const uint64_t begin = lsched_i_cpu_now_ns();

	(void)lsched_job_progress(s->jobs, job, &a);
	while (lsched_i_cpu_now_ns() - begin < 200000000)
		(void)lsched_job_progress(s->jobs, job, &b);
	printf("\n    %-32s %7.3f G leaves/s", what, (double)(b.done - a.done) / 0.2e9);
}

/* Prints times, and checks only that the jobs end. One large job, whose only lasting data are the
 * counts of its leaves, and urgent ones beside it. */
static void times_from_post_to_wait(void)
{
	static const uint32_t workers[] = { 0, 264 };

	for (int k = 0; k < 2; k++) {
		lsched_job big;
		jobs_service s;

		CHECK(service_open(&s, jobs_place.work, 1u << 20, workers[k],
			      JOBS_OPTIONS(.linger_us = 100000)) == LSCHED_OK,
			"open");
		printf("\n    %u workers", lsched_run_max_workers(s.jobs->member[0].run));
		CHECK(time_jobs(&s, "job without roots", 0, 1) == LSCHED_OK &&
				time_jobs(&s, "job of one root", 1, 1) == LSCHED_OK &&
				time_jobs(&s, "job of 10,000 roots", 10000, 1) == LSCHED_OK,
			"%s", service_error(&s));
		CHECK(service_post(&s, JOB(1u << 20), JOB_TREE, 0, 20, &big) == LSCHED_OK, "%s",
			service_error(&s));
		service_wait_begun(&s, big);
		print_rate(&s, big, "long job alone");
		CHECK(time_jobs(&s, "job of one root beside it", 1, 1) == LSCHED_OK, "%s",
			service_error(&s));
		print_rate(&s, big, "long job after that");
		CHECK(lsched_job_cancel(s.jobs, big) == LSCHED_OK, "%s", service_error(&s));
		printf("\n    ");
		CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
	}
}

static CU_TestInfo times_tests[] = { { "times from post to wait", times_from_post_to_wait },
	CU_TEST_INFO_NULL };

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("jobs on a device", jobs_tests),
		TEST_SUITE("failed members", jobs_failure_tests),
		TEST_SUITE("the order of jobs", jobs_order_tests),
		TEST_SUITE("jobs that depend on others", jobs_depend_tests),
		TEST_SUITE("times and messages of jobs", jobs_time_tests),
		TEST_SUITE("statistics of jobs", jobs_stats_tests),
		TEST_SUITE("services of two members", jobs_member_tests),
		TEST_SUITE("jobs of several threads", jobs_random_tests),
		TEST_SUITE("times of jobs", times_tests), CU_SUITE_INFO_NULL };
	int rc;

	rc = test_open_gpu(&jobs_place.ctx);
	rc = rc ? rc : test_open(&jobs_place.other, LSCHED_BACKEND_CPU, 3);
	if (rc)
		return rc;
	jobs_place.other_work = &jobwork_cpu_program;
	jobs_place.work = &jobwork_cuda_program;
	jobs_place.crew = &jobcrew_cuda_program;
	jobs_place.crew_threads = 32 * ITEMS_GROUP_WARPS;
	jobs_place.clock_error_ns = 20000;
	jobs_place.posts = 5000 * (uint32_t)stress_times();
	jobs_place.returns = 10000 * (uint32_t)stress_times();
	rc = test_run(suites);
	lsched_close(&jobs_place.other);
	lsched_close(&jobs_place.ctx);
	return rc;
}
#else
TEST_WITHOUT_CUDA
#endif
