/* Tests of split and dice alone (reyes/alone) that run on every backend. */
#ifndef TESTS_REYES_ALONE_SUITE_H
#define TESTS_REYES_ALONE_SUITE_H

#include <CUnit/CUnit.h>
#include <libsched/sched.h>
#include "reyes/alone/alone.h"
#include <stdio.h>
#include "tests/common/check.h"

/* As CHECK, but ends the test from any function. */
#define NEED(condition, ...)                                                                    \
	do {                                                                                    \
		if (!test_check((condition) != 0, #condition, __FILE__, __LINE__, __VA_ARGS__)) \
			CU_FAIL_FATAL("see above");                                             \
	} while (0)

/* Where the suite runs. */
typedef struct alone_place {
	lsched_ctx *ctx;
	const lsched_program *programs[REYES_I_ALONE_FORMS]; /* NULL: those of the backend */
	const uint32_t *workers;                             /* numbers to test */
	size_t worker_counts;
	uint32_t side_px; /* of the pictures */
} alone_place;

extern alone_place aplace;
extern CU_TestInfo alone_tests[];

#endif
