/* Jobs on CPU threads. */
#define JOBS_PROGRAMS
#include "tests/libsched/jobs_suite.h"

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("jobs on threads", jobs_tests),
		TEST_SUITE("failed members", jobs_failure_tests),
		TEST_SUITE("the order of jobs", jobs_order_tests),
		TEST_SUITE("jobs that depend on others", jobs_depend_tests),
		TEST_SUITE("times and messages of jobs", jobs_time_tests),
		TEST_SUITE("statistics of jobs", jobs_stats_tests),
		TEST_SUITE("services of two members", jobs_member_tests),
		TEST_SUITE("jobs of several threads", jobs_random_tests), CU_SUITE_INFO_NULL };
	int rc;

	rc = test_open(&jobs_place.ctx, LSCHED_BACKEND_CPU, 5);
	rc = rc ? rc : test_open(&jobs_place.other, LSCHED_BACKEND_CPU, 3);
	if (rc)
		return rc;
	jobs_place.other_work = &jobwork_cpu_program;
	jobs_place.work = &jobwork_cpu_program;
	jobs_place.crew = &jobcrew_cpu_program;
	jobs_place.workers = 4;
	jobs_place.crew_threads = 1;
	jobs_place.posts = (uint32_t)test_effort(250000, 15000, 2000);
	jobs_place.returns = (uint32_t)test_effort(100000, 5000, 1000);
	rc = test_run(suites);
	lsched_close(&jobs_place.other);
	lsched_close(&jobs_place.ctx);
	return rc;
}
