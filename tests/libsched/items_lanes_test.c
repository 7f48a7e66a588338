/* The device text of item programs on threads, each of them a warp of 32 lanes: the tests of the
 * common suite without joins, and those of games, which reserve joins for all lanes. Block items
 * run on one warp. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"
#include "tests/common/effort.h"
#include "tests/common/host_memory.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/libsched/stream_lanes.h"

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
	"continuations have their own type", "joins return under every queue",
	"continuations have their own type" };
enum { WITH_JOINS = sizeof(with_joins) / sizeof(with_joins[0]), TESTS_MAX = 64 };

typedef struct lanes_tests {
	CU_TestInfo test[TESTS_MAX];
	uint32_t count;
} lanes_tests;
static lanes_tests tests, keep_tests; /* the second with all items through the queue */
static uint32_t left_out;

/* Appends the tests of a suite that need no joins. */
static void append(lanes_tests *to, const CU_TestInfo *from)
{
	for (; from->pName && to->count + 1 < TESTS_MAX; from++) {
		uint32_t joins = 0;

		for (size_t k = 0; k < WITH_JOINS; k++)
			joins |= strcmp(from->pName, with_joins[k]) == 0;
		left_out += joins;
		if (!joins)
			to->test[to->count++] = *from;
	}
}

/* Any lanes, numbers and counts; a warp that appends together needs few additions. */
static void lanes_share_additions(void)
{
	uint32_t lanes = 0, additions = 0, used;

	for (int i = 0; i < 2000; i++) {
		stream_lanes_call c = { .active = i % 3 ? rng() : UINT32_MAX };
		const uint32_t counts = 1 + rng_below(3);

		for (uint32_t k = 0; k < 32; k++) {
			c.count[k] = rng_below(counts);
			c.n[k] = i % 7 == 0 ? rng_below(100000) : rng_below((uint32_t)i % 5 + 1);
			lanes += counts == 1 && (c.active >> k & 1u);
		}
		CHECK(stream_lanes_append(&c, &used), "places of call %d", i);
		additions += counts == 1 ? used : 0;
	}
	CHECK(additions && additions * 4 < lanes, "%u additions for %u lanes", additions, lanes);
}

static const CU_TestInfo stream_tests[] = {
	{ "lanes share additions to streams", lanes_share_additions }, CU_TEST_INFO_NULL
};

int main(void)
{
	static const uint32_t workers[] = { 3, 1, 2, 8 };
	CU_SuiteInfo suites[] = { { "items on emulated warps", NULL, NULL, NULL, NULL, tests.test },
		{ "all items through the queue", items_never_keep, items_keep, NULL, NULL,
			keep_tests.test },
		CU_SUITE_INFO_NULL };
	int rc;

	append(&tests, items_tests);
	append(&tests, procs_tests);
	append(&tests, procs_stats_tests);
	append(&tests, items_again_tests);
	append(&tests, items_game_tests);
	append(&tests, items_stream_tests);
	append(&tests, stream_tests);
	append(&tests, items_wrong_tests);
	append(&tests, items_once_tests);
	append(&keep_tests, items_keep_tests);
	append(&keep_tests, procs_keep_tests);
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
	iplace.worker_counts = (uint32_t)test_effort(4, 1, 1);
	iplace.nodes = (uint32_t)test_effort(1000, 700, 700);
	iplace.games = 7;
	iplace.lanes = 32;
	iplace.flow_workers = 1;
	iplace.flow_ratio = (uint32_t)test_effort(20, 8, 8);
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
