/* Split and dice alone on a CUDA device: the grids and the bits of the CPU. Skipped without a
 * device; SCHED_REQUIRE_GPU=1 makes that a failure. */
#include "tests/common/sched_setup.h"
#include "tests/reyes/alone_suite.h"

int main(void)
{
	static const uint32_t workers[] = { 0, 7, 200 };
	CU_SuiteInfo suites[] = { TEST_SUITE("split and dice alone on a device", alone_tests),
		CU_SUITE_INFO_NULL };
	int rc = test_open_gpu(&aplace.ctx);

	if (rc)
		return rc;
	aplace.workers = workers;
	aplace.worker_counts = sizeof(workers) / sizeof(workers[0]);
	aplace.side_px = 160; /* the form tasks has words for 10 halvings */
	rc = test_run(suites);
	lsched_close(&aplace.ctx);
	return rc;
}
