/* Task memory and graphs given as data, on a CUDA device. Skipped without one; SCHED_REQUIRE_GPU=1
 * makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include "tests/libsched/csr_suite.h"
#include "tests/common/stress.h"
#include "tests/common/testmain.h"

#ifdef HAVE_CUDA

extern const lsched_program csr_cuda_program;

int main(void)
{
	static const uint32_t workers[] = { 1, 0, 3, 33, 528, 4224, 8448 };
	CU_SuiteInfo suites[] = {
		TEST_SUITE("graphs as data on the device", suite_csr_tests),
		TEST_SUITE("memory, and making of graphs on the device", suite_csr_build_tests),
		CU_SUITE_INFO_NULL,
	};
	int rc;

	rc = test_open_gpu(&csr_place.ctx);
	if (rc)
		return rc;
	csr_place.program = &csr_cuda_program;
	csr_place.workers = workers;
	csr_place.worker_counts = sizeof(workers) / sizeof(workers[0]);
	csr_place.scale = 1;
	csr_place.times = stress_times();
	rc = test_run(suites);
	lsched_close(&csr_place.ctx);
	return rc;
}

#else
TEST_WITHOUT_CUDA
#endif
