/* The size of a suite's load. `make check` uses a short one, and a smaller one under a sanitizer;
 * `make check-long` runs the suites of tests/common/full_long.sh at full size. */
#ifndef TESTS_COMMON_EFFORT_H
#define TESTS_COMMON_EFFORT_H

#include <stdlib.h>
#include <string.h>

/* Nonzero under a sanitizer that makes threads several times slower. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { TEST_SANITIZED = 1 };
#else
enum { TEST_SANITIZED = 0 };
#endif

/* Nonzero if TEST_FULL=1 is in the environment. */
static inline int test_full(void)
{
	const char *text = getenv("TEST_FULL");

	return text && strcmp(text, "1") == 0;
}

/* Returns the argument for the load of this run. */
static inline int test_effort(int full, int normal, int sanitized)
{
	return test_full() ? full : TEST_SANITIZED ? sanitized : normal;
}

#endif
