/* Counts allocations and fails one of them. */
#ifndef TESTS_REYES_COUNT_ALLOC_H
#define TESTS_REYES_COUNT_ALLOC_H

#include "tests/common/failing_alloc.h"

static int counting;
static size_t allocations, fail_at; /* fail_at 0: none */

static int fails_now(void)
{
	return counting && ++allocations == fail_at;
}

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);

char *__wrap_strdup(const char *s)
{
	return fails_now() ? NULL : __real_strdup(s);
}

#endif
