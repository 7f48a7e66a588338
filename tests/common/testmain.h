/* The runner of every CUnit suite: exit code 0 pass, 77 skip, 1 fail. */
#ifndef TESTS_COMMON_TESTMAIN_H
#define TESTS_COMMON_TESTMAIN_H
#include <CUnit/CUnit.h>

enum { TEST_EXIT_SKIP = 77 };

/* Runs the suites and turns CUnit's result into Automake's exit code; zero tests run is a failure.
 * A test that does not end within TEST_TIME_LIMIT_S seconds of the environment (else 120; five
 * times that under a sanitizer) is named on standard error, and the program ends with 1. Uses
 * SIGALRM and pSetUpFunc. */
int test_run(CU_SuiteInfo *suites);
/* The same with one suite. */
int test_run_one(const char *suite, CU_TestInfo *tests);

/* A suite without functions before and after it or its tests. */
#define TEST_SUITE(name, tests)                     \
	{                                           \
		name, NULL, NULL, NULL, NULL, tests \
	}

/* Prints the reason and returns 77, or 1 if SCHED_REQUIRE_GPU=1 is in the environment. */
int test_skip_gpu(const char *why);

/* main() of a suite of GPU tests in a build without CUDA. */
#define TEST_WITHOUT_CUDA                                   \
	int main(void)                                      \
	{                                                   \
		return test_skip_gpu("built without CUDA"); \
	}
#endif
