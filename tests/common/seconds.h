/* Deadlines of tests that wait for another process or thread. */
#ifndef TESTS_COMMON_SECONDS_H
#define TESTS_COMMON_SECONDS_H

#include <time.h>

/* Returns seconds of a clock that is never set. */
static inline time_t test_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

#endif
