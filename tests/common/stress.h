/* How often the largest loads of the device's tests run: once, or as often as SCHED_STRESS in the
 * environment says. */
#ifndef TESTS_STRESS_H
#define TESTS_STRESS_H

#include <stdlib.h>

static inline int stress_times(void)
{
	const char *text = getenv("SCHED_STRESS");
	const int n = text ? atoi(text) : 0;

	return n > 0 ? n : 1;
}

#endif
