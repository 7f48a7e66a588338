/* The device's text of split and dice alone on threads, each of them a warp of 32 lanes. */
#include <stdio.h>
#include "tests/common/sched_setup.h"
#include "tests/reyes/alone_suite.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)

int main(void)
{
	puts("skipped: sanitizers do not follow from lane to lane");
	return TEST_EXIT_SKIP;
}

#else

extern const lsched_program reyes_i_alone_list_lanes_program, reyes_i_alone_items_lanes_program,
	reyes_i_alone_tasks_lanes_program;

int main(void)
{
	static const uint32_t workers[] = { 1, 3 };
	CU_SuiteInfo suites[] = { TEST_SUITE("split and dice alone on emulated warps", alone_tests),
		CU_SUITE_INFO_NULL };
	int rc = test_open(&aplace.ctx, LSCHED_BACKEND_CPU, 3);

	if (rc)
		return rc;
	aplace.programs[REYES_I_ALONE_LIST] = &reyes_i_alone_list_lanes_program;
	aplace.programs[REYES_I_ALONE_ITEMS] = &reyes_i_alone_items_lanes_program;
	aplace.programs[REYES_I_ALONE_TASKS] = &reyes_i_alone_tasks_lanes_program;
	aplace.workers = workers;
	aplace.worker_counts = sizeof(workers) / sizeof(workers[0]);
	aplace.side_px = 50;
	rc = test_run(suites);
	lsched_close(&aplace.ctx);
	return rc;
}

#endif
