/* Jobs on a CUDA device. Skipped without one; SCHED_REQUIRE_GPU=1 makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include "tests/common/stress.h"
#define JOBS_PROGRAMS /* those of CPU threads, for the second member */
#include "tests/libsched/jobs_suite.h"

#ifdef HAVE_CUDA
extern const lsched_program jobwork_cuda_program, jobcrew_cuda_program;

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("jobs on a device", jobs_tests),
		TEST_SUITE("the order of jobs", jobs_order_tests),
		TEST_SUITE("times and messages of jobs", jobs_time_tests),
		TEST_SUITE("services of two members", jobs_member_tests),
		TEST_SUITE("jobs of several threads", jobs_random_tests), CU_SUITE_INFO_NULL };
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
