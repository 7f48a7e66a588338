/* The device text of item programs on threads, each of them a warp of 32 lanes: the tests of the
 * common suite without joins, and those of games, which reserve joins for all lanes. Block items
 * run on one warp. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"
#include "tests/common/host_memory.h"
#include "tests/common/testmain.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)

int main(void)
{
	puts("skipped: sanitizers do not follow from lane to lane");
	return TEST_EXIT_SKIP;
}

#else

#define ITEMS_X(name) extern const lsched_program name##_lanes_program;
ITEMS_ALL(ITEMS_X)
#undef ITEMS_X

/* The CPU backend has joins for one lane of a worker only. */
static const char *const with_joins[] = { "values are returned through joins",
	"continuations read the values of their join",
	"minimum, maximum and a user's function reduce",
	"an error names the pool that is too small", "items that spawn without end are cancelled",
	"continuations have their own type" };
enum { WITH_JOINS = sizeof(with_joins) / sizeof(with_joins[0]), TESTS_MAX = 64 };

static CU_TestInfo tests[TESTS_MAX];
static uint32_t count, left_out;

/* Appends the tests of a suite that need no joins. */
static void append(const CU_TestInfo *from)
{
	for (; from->pName && count + 1 < TESTS_MAX; from++) {
		uint32_t joins = 0;

		for (size_t k = 0; k < WITH_JOINS; k++)
			joins |= strcmp(from->pName, with_joins[k]) == 0;
		left_out += joins;
		if (!joins)
			tests[count++] = *from;
	}
}

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 8 };
	CU_SuiteInfo suites[] = { { "items on emulated warps", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };
	int rc;

	append(items_tests);
	append(procs_tests);
	append(items_payload_tests);
	append(items_game_tests);
	if (left_out != WITH_JOINS) {
		fprintf(stderr, "%u tests with joins, not %d\n", left_out, (int)WITH_JOINS);
		return 1;
	}
	rc = test_open(&iplace.ctx, LSCHED_BACKEND_CPU, 8);
	if (rc)
		return rc;
	rc = test_open(&iplace.wide, LSCHED_BACKEND_CPU, 8 * 32);
	if (rc)
		return rc;
#define ITEMS_X(name) iplace.name = &name##_lanes_program;
	ITEMS_ALL(ITEMS_X)
#undef ITEMS_X
	iplace.workers = workers;
	iplace.worker_counts = sizeof(workers) / sizeof(workers[0]);
	iplace.nodes = 1000;
	iplace.games = 7;
	iplace.lanes = 32;
	iplace.flow_workers = 1;
	iplace.flow_ratio = 20;
	iplace.alloc = host_alloc;
	iplace.release = free;
	iplace.zero = host_zero;
	iplace.read = host_read;
	rc = test_run(suites);
	lsched_close(&iplace.wide);
	lsched_close(&iplace.ctx);
	return rc;
}

#endif
