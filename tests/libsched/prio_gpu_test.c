/* The queue prio on a CUDA device. Skipped without one; SCHED_REQUIRE_GPU=1 makes that a
 * failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include "tests/libsched/prio_suite.h"
#include "tests/common/testmain.h"

#ifdef HAVE_CUDA

extern const lsched_program order_cuda_program, urgent_cuda_program, knapsack_cuda_program;

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 5, 64, 65, 528, 4224, 0 };
	CU_SuiteInfo suites[] = {
		TEST_SUITE("priorities on the device", suite_prio_tests),
		TEST_SUITE("graphs with priorities on the device", suite_prio_graph_tests),
		CU_SUITE_INFO_NULL,
	};
	int rc;

	rc = test_open_gpu(&place.ctx);
	if (rc)
		return rc;
	prio_place.order = &order_cuda_program;
	prio_place.knapsack = &knapsack_cuda_program;
	place.graph = prio_place.urgent = &urgent_cuda_program;
	place.lanes = 32;
	place.scale = 1;
	suite_use_context_memory();
	return suite_run(suites, workers, sizeof(workers) / sizeof(workers[0]));
}

#else
TEST_WITHOUT_CUDA
#endif
