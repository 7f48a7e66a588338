#include "tests/common/testmain.h"
#include "tests/common/check.h"

#include <CUnit/Basic.h>
#include <CUnit/TestRun.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Most tests take less than a second, the longest a few of them on one core. */
enum { LIMIT_S = 120, SANITIZER_SCALE = 5, STRESS_SCALE = 20 };

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LIMIT_SCALE SANITIZER_SCALE
#else
#define LIMIT_SCALE 1
#endif

static unsigned limit_s;
static char limit_text[32];

static void put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

/* Async-signal-safe: the test's thread may hold any lock. */
static void out_of_time(int signal_number)
{
	const CU_pSuite suite = CU_get_current_suite();
	const CU_pTest test = CU_get_current_test();

	(void)signal_number;
	put("\ntime limit: test '");
	put(test ? test->pName : "(before the first test)");
	put("' of suite '");
	put(suite ? suite->pName : "?");
	put("' did not end within ");
	put(limit_text);
	put(" s; set TEST_TIME_LIMIT_S to allow more\n");
	_exit(1);
}

/* Before each test: its time starts. */
static void start_clock(void)
{
	alarm(limit_s);
}

static void limit_time(CU_SuiteInfo *suites)
{
	const char *given = getenv("TEST_TIME_LIMIT_S");
	struct sigaction action = { .sa_handler = out_of_time };

	limit_s = given ? (unsigned)strtoul(given, NULL, 10) : 0;
	if (limit_s == 0)
		limit_s = LIMIT_S * LIMIT_SCALE * (getenv("SCHED_STRESS") ? STRESS_SCALE : 1);
	snprintf(limit_text, sizeof(limit_text), "%u", limit_s);
	sigaction(SIGALRM, &action, NULL);
	for (; suites->pName; suites++)
		if (!suites->pSetUpFunc)
			suites->pSetUpFunc = start_clock;
	start_clock();
}

int test_run(CU_SuiteInfo *suites)
{
	unsigned failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	limit_time(suites);
	if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
		fprintf(stderr, "CUnit: %s\n", CU_get_error_msg());
		return 1;
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	alarm(0);
	failed = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
	if (CU_get_number_of_tests_run() == 0) {
		fprintf(stderr, "no test was run\n");
		failed++;
	}
	CU_cleanup_registry();
	return failed ? 1 : 0;
}

int test_run_one(const char *suite, CU_TestInfo *tests)
{
	CU_SuiteInfo suites[] = { TEST_SUITE(suite, tests), CU_SUITE_INFO_NULL };

	return test_run(suites);
}

int test_skip_gpu(const char *why)
{
	const char *required = getenv("SCHED_REQUIRE_GPU");

	printf("SKIP: %s\n", why);
	return required && strcmp(required, "1") == 0 ? 1 : TEST_EXIT_SKIP;
}

int test_check(int ok, const char *expression, const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list ap;
	int n;

	if (!ok) {
		n = snprintf(text, sizeof(text), "%s: ", expression);
		if (n > (int)sizeof(text) - 1)
			n = (int)sizeof(text) - 1;
		va_start(ap, format);
		vsnprintf(text + n, sizeof(text) - (size_t)n, format, ap);
		va_end(ap);
		fprintf(stderr, "%s:%d: %s\n", file, line, text);
	}
	CU_assertImplementation(ok, (unsigned)line, expression, file, "", CU_FALSE);
	return ok;
}
