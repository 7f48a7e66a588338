/* Task memory and graphs given as data, on CPU threads. */
#include <stdio.h>
#define CSR_PROGRAM
#include "tests/libsched/csr_suite.h"
#include "tests/common/testmain.h"

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 5, 16, 33 };
	CU_SuiteInfo suites[] = {
		TEST_SUITE("graphs as data on threads", suite_csr_tests),
		TEST_SUITE("memory, and making of graphs on threads", suite_csr_build_tests),
		CU_SUITE_INFO_NULL,
	};
	int rc;

	rc = test_open(&csr_place.ctx, LSCHED_BACKEND_CPU, 33);
	if (rc)
		return rc;
	csr_place.program = &csr_cpu_program;
	csr_place.workers = workers;
	csr_place.worker_counts = sizeof(workers) / sizeof(workers[0]);
	csr_place.scale = (uint32_t)test_effort(1, 5, 10);
	rc = test_run(suites);
	lsched_close(&csr_place.ctx);
	return rc;
}
