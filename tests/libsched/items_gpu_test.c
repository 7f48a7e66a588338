/* Item programs on a CUDA device: the common suite. Skipped without a device; SCHED_REQUIRE_GPU=1
 * makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"
#include "tests/common/stress.h"
#include "tests/common/testmain.h"

#ifdef HAVE_CUDA
#include "tests/libsched/sched_gpu.h"

#define ITEMS_X(name) extern const lsched_program name##_cuda_program;
ITEMS_ALL(ITEMS_X)
#undef ITEMS_X

/* Returns whether SCHED_STRESS_ONLY selects this queue or grain; it is a name, and all are selected
 * without it. */
static int wanted(const char *grain, const char *queue)
{
	const char *only = getenv("SCHED_STRESS_ONLY");

	return !only || !strcmp(only, grain) || !strcmp(only, queue);
}

/* Ten million nodes; one run is started several times, each time with another number of roots. The
 * queues that work in rounds proceed breadth first and have a smaller forest. */
static void stress(const char *grain, const lsched_program *p)
{
	const int times = stress_times();

	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		const int rounds = q == LSCHED_QUEUE_RELAUNCH || q == LSCHED_QUEUE_COMPACT ||
				   q == LSCHED_QUEUE_BALANCE;
		const uint32_t nodes = rounds ? 1000000 : 10000000;
		marks_ctx c = { nodes, 1, LSCHED_NONE, LSCHED_NONE, NULL, NULL };
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		lsched_run *run;
		uint32_t *runs;

		if (!wanted(grain, lsched_queue_name((lsched_queue)q)))
			continue;
		o = RUN_OPTIONS(.queue = (lsched_queue)q, .max_tasks = 20000);
		if (rounds) {
			o.queue_capacity = 8 * nodes;
			o.bin_size = 4096;
		}
		CU_ASSERT_FATAL(lsched_run_create(&run, iplace.ctx, p, &o) == LSCHED_OK);
		c.runs = (uint32_t *)gpu_alloc((size_t)nodes * 4);
		runs = (uint32_t *)malloc((size_t)nodes * 4);
		CU_ASSERT_FATAL(runs != NULL);
		for (int k = 0; k < times; k++) {
			uint32_t wrong = 0;

			/* dist never moves items, so every worker needs roots */
			c.roots = q == LSCHED_QUEUE_DIST ? 20000 : 1 + (uint32_t)k * 977 % 20000;
			gpu_zero(c.runs, (size_t)nodes * 4);
			if (lsched_run_start(run, &c, c.roots, NULL) != LSCHED_OK ||
				lsched_run_finish(run, &s) != LSCHED_OK) {
				printf("%s, %s: %s\n", grain, lsched_queue_name((lsched_queue)q),
					lsched_run_error(run));
				CU_FAIL_FATAL("the run failed");
			}
			gpu_read(runs, c.runs, (size_t)nodes * 4);
			for (uint32_t i = 0; i < nodes; i++)
				wrong += runs[i] != 1;
			CU_ASSERT(wrong == 0);
			CU_ASSERT(s.tasks == nodes && s.pushes == s.pops);
		}
		printf("\n    %-5s %-9s %d times %u nodes: %.2f ms the last", grain,
			lsched_queue_name((lsched_queue)q), times, nodes,
			(double)s.elapsed_ns * 1e-6);
		fflush(stdout);
		free(runs);
		gpu_free(c.runs);
		lsched_run_destroy(&run);
	}
}

static void ten_million_items_run_once_again_and_again(void)
{
	stress("lane", iplace.mlane);
	stress("warp", iplace.mwarp);
	stress("block", iplace.mblock);
}

static CU_TestInfo stress_tests[] = { { "ten million items run once, again and again",
					      ten_million_items_run_once_again_and_again },
	CU_TEST_INFO_NULL };

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 33, 264, 0 };
	CU_SuiteInfo suites[] = { TEST_SUITE("items on a device", items_tests),
		TEST_SUITE("procedures on a device", procs_tests),
		TEST_SUITE("statistics of procedures on a device", procs_stats_tests),
		TEST_SUITE("items that are run again on a device", items_again_tests),
		TEST_SUITE("priorities on a device", items_prio_tests),
		TEST_SUITE("output streams on a device", items_stream_tests),
		{ "all items through the queue", items_never_keep, items_keep, NULL, NULL,
			items_keep_tests },
		{ "procedures, all through the queue", items_never_keep, items_keep, NULL, NULL,
			procs_keep_tests },
		{ "items that are run again, all through the queue", items_never_keep, items_keep,
			NULL, NULL, items_again_keep_tests },
		TEST_SUITE("games on a device", items_game_tests),
		TEST_SUITE("wrong items on a device", items_wrong_tests),
		TEST_SUITE("single calls on a device", items_once_tests),
		TEST_SUITE("many items on a device", stress_tests), CU_SUITE_INFO_NULL };
	int rc;

	rc = test_open_gpu(&iplace.ctx);
	if (rc)
		return rc;
#define ITEMS_X(name) iplace.name = &name##_cuda_program;
	ITEMS_ALL(ITEMS_X)
#undef ITEMS_X
	iplace.workers = workers;
	iplace.worker_counts = sizeof(workers) / sizeof(workers[0]);
	iplace.nodes = 50000; /* block items of one worker take 5 us each */
	iplace.fib = 24;
	iplace.depth = 16;
	iplace.games = 21;
	iplace.lanes = 1;
	iplace.wide = iplace.ctx;
	iplace.groups = 1;
	iplace.flow_workers = 4;
	iplace.flow_ratio = 1000;
	iplace.alloc = gpu_alloc;
	iplace.release = gpu_free;
	iplace.zero = gpu_zero;
	iplace.read = gpu_read;
	rc = test_run(suites);
	lsched_close(&iplace.ctx);
	return rc;
}
#else
TEST_WITHOUT_CUDA
#endif
