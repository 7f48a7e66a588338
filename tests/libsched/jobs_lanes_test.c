/* The device text of jobs on threads, each a warp of 32 lanes, without joins: the CPU backend has
 * joins for one lane of a worker only. Block items run on one warp. */
#include <stdio.h>
#define JOBS_PROGRAMS /* those of CPU threads, for the second member */
#include "tests/libsched/jobs_suite.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)

int main(void)
{
	puts("skipped: sanitizers do not follow from lane to lane");
	return TEST_EXIT_SKIP;
}

#else

extern const lsched_program jobwork_lanes_program, jobcrew_lanes_program;

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("jobs on emulated warps", jobs_tests),
		TEST_SUITE("failed members", jobs_failure_tests),
		TEST_SUITE("the order of jobs", jobs_order_tests),
		TEST_SUITE("jobs that depend on others", jobs_depend_tests),
		TEST_SUITE("times and messages of jobs", jobs_time_tests),
		TEST_SUITE("statistics of jobs", jobs_stats_tests),
		TEST_SUITE("services of two members", jobs_member_tests),
		TEST_SUITE("jobs of several threads", jobs_random_tests), CU_SUITE_INFO_NULL };
	int rc;

	rc = test_open(&jobs_place.ctx, LSCHED_BACKEND_CPU, 4);
	rc = rc ? rc : test_open(&jobs_place.other, LSCHED_BACKEND_CPU, 3);
	if (rc)
		return rc;
	jobs_place.other_work = &jobwork_cpu_program;
	jobs_place.work = &jobwork_lanes_program;
	jobs_place.crew = &jobcrew_lanes_program;
	jobs_place.workers = 3;
	jobs_place.crew_threads = 32;
	jobs_place.posts = (uint32_t)test_effort(5000, 100, 100);
	jobs_place.returns = (uint32_t)test_effort(2000, 60, 60);
	rc = test_run(suites);
	lsched_close(&jobs_place.other);
	lsched_close(&jobs_place.ctx);
	return rc;
}

#endif
