/* Repetitions of the largest loads of the device's tests: SCHED_STRESS of the environment, else
 * 1. */
#ifndef TESTS_COMMON_STRESS_H
#define TESTS_COMMON_STRESS_H

#include <stdlib.h>

static inline int stress_times(void)
{
	const char *text = getenv("SCHED_STRESS");
	const int n = text ? atoi(text) : 0;

	return n > 0 ? n : 1;
}

#endif
