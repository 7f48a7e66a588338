#include "tests/testmain.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int test_run(CU_SuiteInfo *suites)
{
	unsigned failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
		fprintf(stderr, "CUnit: %s\n", CU_get_error_msg());
		return 1;
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	failed = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
	if (CU_get_number_of_tests_run() == 0) {
		fprintf(stderr, "no test was run\n");
		failed++;
	}
	CU_cleanup_registry();
	return failed ? 1 : 0;
}

int test_skip_gpu(const char *why)
{
	const char *required = getenv("SCHED_REQUIRE_GPU");

	printf("SKIP: %s\n", why);
	return required && strcmp(required, "1") == 0 ? 1 : TEST_EXIT_SKIP;
}
