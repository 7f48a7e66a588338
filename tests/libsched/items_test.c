/* Item programs on CPU threads, some of them with 32 emulated lanes. */
#include <stdlib.h>
#define ITEMS_PROGRAMS
#include "tests/libsched/items_chunks.h"
#include "tests/libsched/items_suite.h"
#include "tests/common/effort.h"
#include "tests/common/host_memory.h"
#include "tests/common/testmain.h"

#define ITEMS_X(name) extern const lsched_program name##_cpu_program;
ITEMS_ALL(ITEMS_X)
#undef ITEMS_X

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 8, 64 };
	CU_SuiteInfo suites[] = { TEST_SUITE("items on threads", items_tests),
		TEST_SUITE("procedures on threads", procs_tests),
		TEST_SUITE("statistics of procedures on threads", procs_stats_tests),
		TEST_SUITE("items that are run again on threads", items_again_tests),
		TEST_SUITE("priorities on threads", items_prio_tests),
		TEST_SUITE("output streams on threads", items_stream_tests),
		TEST_SUITE("games on threads", items_game_tests),
		TEST_SUITE("wrong items on threads", items_wrong_tests),
		TEST_SUITE("single calls on threads", items_once_tests),
		TEST_SUITE("chunks", items_chunk_tests),
		{ "all items through the queue", items_never_keep, items_keep, NULL, NULL,
			items_keep_tests },
		{ "procedures, all through the queue", items_never_keep, items_keep, NULL, NULL,
			procs_keep_tests },
		{ "items that are run again, all through the queue", items_never_keep, items_keep,
			NULL, NULL, items_again_keep_tests },
		CU_SUITE_INFO_NULL };
	const CU_SuiteInfo end = CU_SUITE_INFO_NULL;
	int rc;

	/* a sanitizer has seen the tests of the last suite above */
	if (TEST_SANITIZED)
		suites[sizeof(suites) / sizeof(suites[0]) - 2] = end;

	rc = test_open(&iplace.ctx, LSCHED_BACKEND_CPU, 64);
	if (rc)
		return rc;
#define ITEMS_X(name) iplace.name = &name##_cpu_program;
	ITEMS_ALL(ITEMS_X)
#undef ITEMS_X
	iplace.workers = workers;
	iplace.worker_counts = sizeof(workers) / sizeof(workers[0]);
	iplace.nodes = (uint32_t)test_effort(30000, 5000, 3000);
	iplace.fib = (uint32_t)test_effort(18, 15, 14);
	iplace.depth = (uint32_t)test_effort(11, 9, 8);
	iplace.games = (uint32_t)test_effort(21, 8, 5);
	iplace.lanes = 1;
	iplace.wide = iplace.ctx;
	iplace.groups = 1;
	iplace.flow_workers = 1;
	iplace.flow_ratio = 1000;
	iplace.alloc = host_alloc;
	iplace.release = free;
	iplace.zero = host_zero;
	iplace.read = host_read;
	rc = test_run(suites);
	lsched_close(&iplace.ctx);
	return rc;
}
