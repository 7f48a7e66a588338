/* Order, completeness and failure of wavefront graphs, on either backend. */
#include <stdio.h>
#include <string.h>
#include "tests/common/effort.h"
#include "tests/libsched/sched_suite.h"

static const uint16_t shapes[][4] = { /* w, h, slices, frames */
	{ 1, 1, 1, 1 }, { 1, 9, 1, 1 }, { 9, 1, 1, 1 }, { 2, 2, 1, 1 }, { 2, 7, 3, 2 },
	{ 1, 8, 8, 2 }, { 11, 9, 2, 3 }, { 20, 15, 4, 1 }, { 45, 30, 4, 3 }, { 80, 45, 1, 2 }
};

/* Every shape with one number of workers; the two large ones with the default queue alone. */
static void check_shapes(const lsched_run_options *way, uint32_t workers)
{
	const int small = place.scale > 1 || way->queue != LSCHED_QUEUE_RING;
	const size_t n = sizeof(shapes) / sizeof(shapes[0]) - (small ? 2 : 0);

	for (size_t i = 0; i < n; i++) {
		lsched_run_options o = *way;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];
		graph g;
		lsched_status st;
		uint32_t wrong;

		CHECK(graph_open(&g, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]),
			"memory");
		o.workers = workers;
		st = graph_once(&g, &o, &s, text, sizeof(text));
		wrong = graph_wrong(&g);
		graph_close(&g);
		if (suite_refused(st, text))
			continue;
		CHECK(st == LSCHED_OK && wrong == 0,
			"shape %zu, %u workers, %s: %s, %u tasks wrong", i, workers,
			suite_way_name(&o), text, wrong);
		CHECK(s.tasks == g.tasks, "shape %zu: %llu of %u tasks", i,
			(unsigned long long)s.tasks, g.tasks);
	}
}

static void check_workers(lsched_scheme scheme)
{
	lsched_run_options o;

	for (uint32_t way = 0; suite_way(way, &o); way++)
		for (size_t i = 0; i < place.worker_counts && o.scheme == scheme; i++)
			check_shapes(&o, place.workers[i]);
}

static void each_task_once_after_its_predecessors_dynamic(void)
{
	check_workers(LSCHED_SCHEME_DYNAMIC);
}

static void each_task_once_after_its_predecessors_static(void)
{
	check_workers(LSCHED_SCHEME_STATIC);
}

static void each_task_once_after_its_predecessors_sync(void)
{
	check_workers(LSCHED_SCHEME_SYNC);
}

static void each_task_once_after_its_predecessors_epoch(void)
{
	check_workers(LSCHED_SCHEME_EPOCH);
}

/* One run, many starts of changing size, and no memory is cleared in between. */
static void a_run_can_be_started_fifty_times(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; suite_way(way, &o); way++) {
		lsched_run *run;
		graph g;

		/* full queues leave more state to reset */
		o.queue_capacity = way % 2 ? 4 : 0;
		o.bin_size = 4;
		o.overflow = LSCHED_OVERFLOW_INLINE;
		o.workers = 6;
		GRAPH_CREATE(&run, &g, 24, 18, 3, 2, place.graph, &o);
		for (uint32_t k = 0; k < 50; k++) {
			g.c.frames = 1 + k % 2;
			g.c.slices = 1 + k % 5;
			g.c.w = 24 - k % 3;
			g.tasks = g.c.w * g.c.h * g.c.frames;
			graph_renew(&g);
			CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) ==
					LSCHED_OK,
				"%s", lsched_run_error(run));
			CHECK(lsched_run_finish(run, NULL) == LSCHED_OK, "start %u, %s: %s", k,
				suite_way_name(&o), lsched_run_error(run));
			CHECK(graph_wrong(&g) == 0, "start %u, %s", k, suite_way_name(&o));
		}
		CHECK(lsched_run_start(run, &g.c, 0, suite_stream(&o, 0)) == LSCHED_OK,
			"no task at all");
		CHECK(lsched_run_done(run), "no task at all");
		CHECK(lsched_run_finish(run, NULL) == LSCHED_OK, "no task at all");
		lsched_run_destroy(&run);
		CHECK(run == NULL, "destroy");
		graph_close(&g);
	}
}

static void several_runs_are_in_flight_together(void)
{
	enum { RUNS = 3 };
	lsched_run *run[RUNS];
	graph g[RUNS];

	for (uint32_t k = 0; k < RUNS; k++) {
		lsched_run_options o;

		CHECK(graph_open(&g[k], 40, 20, 1 + k, 2), "memory");
		o = RUN_OPTIONS(.scheme = (lsched_scheme)k, .max_tasks = g[k].tasks,
			.workers = 1 + 2 * k);
		CREATE(&run[k], place.ctx, place.graph, &o);
	}
	for (uint32_t rep = 0; rep < 10; rep++) {
		for (uint32_t k = 0; k < RUNS; k++) {
			graph_renew(&g[k]);
			CHECK(lsched_run_start(run[k], &g[k].c, g[k].tasks, place.stream(k)) ==
					LSCHED_OK,
				"%s", lsched_run_error(run[k]));
		}
		CHECK(lsched_run_start(run[0], &g[0].c, g[0].tasks, place.stream(0)) ==
				LSCHED_ERR_STATE,
			"a second start");
		for (uint32_t k = RUNS; k-- > 0;) { /* not in order of start */
			if (rep % 2)
				while (!lsched_run_done(run[k]))
					;
			CHECK(lsched_run_finish(run[k], NULL) == LSCHED_OK, "%s",
				lsched_run_error(run[k]));
			CHECK(graph_wrong(&g[k]) == 0, "run %u", k);
		}
	}
	for (uint32_t k = 0; k < RUNS; k++) {
		lsched_run_destroy(&run[k]);
		graph_close(&g[k]);
	}
}

static void a_failed_task_is_named_and_the_run_usable_afterwards(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; suite_way(way, &o); way++) {
		static const uint32_t victims[] = { 0, 57, 431 };
		lsched_run *run;
		graph g;

		GRAPH_CREATE(&run, &g, 24, 18, 2, 1, place.graph, &o);
		for (size_t k = 0; k < 3; k++) {
			char name[32];
			lsched_stats s = { .struct_bytes = sizeof(s) };

			snprintf(name, sizeof(name), "task %u ", victims[k]);
			g.c.fail_task = victims[k];
			graph_renew(&g);
			CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) ==
					LSCHED_OK,
				"%s", lsched_run_error(run));
			CHECK(lsched_run_finish(run, &s) == LSCHED_ERR_TASK_FAILED, "%s",
				lsched_run_error(run));
			CHECK(lsched_run_error_task(run) == victims[k], "%u",
				lsched_run_error_task(run));
			CHECK(lsched_run_error_code(run) == 42, "%d", lsched_run_error_code(run));
			CHECK(strstr(lsched_run_error(run), name) &&
					strstr(lsched_run_error(run), "worker "),
				"%s", lsched_run_error(run));
			CHECK(s.tasks < g.tasks, "the others have stopped");
			g.c.fail_task = LSCHED_NONE;
			graph_renew(&g);
			CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) ==
					LSCHED_OK,
				"%s", lsched_run_error(run));
			CHECK(lsched_run_finish(run, &s) == LSCHED_OK, "%s", lsched_run_error(run));
			CHECK(graph_wrong(&g) == 0, "after a failure, %s", suite_way_name(&o));
		}
		graph_run_close(&run, &g);
	}
}

static void a_hang_ends_in_an_error_that_names_task_worker_and_queue(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; suite_way(way, &o) && o.scheme != LSCHED_SCHEME_SYNC; way++) {
		char where[32];
		lsched_run *run;
		graph g;

		snprintf(where, sizeof(where), "%s%s",
			o.scheme == LSCHED_SCHEME_DYNAMIC ? "queue " : "", suite_way_name(&o));
		o.timeout_ms = (uint32_t)test_effort(150, 150, 400);
		o.workers = 5;
		GRAPH_CREATE(&run, &g, 16, 12, 2, 2, place.graph, &o);
		g.c.hang_task = 100;
		CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_finish(run, NULL) == LSCHED_ERR_TIMEOUT, "%s",
			lsched_run_error(run));
		CHECK(strstr(lsched_run_error(run), "task 100 "), "%s", lsched_run_error(run));
		CHECK(strstr(lsched_run_error(run), "worker "), "%s", lsched_run_error(run));
		CHECK(strstr(lsched_run_error(run), where), "%s", lsched_run_error(run));
		CHECK(lsched_run_error_task(run) == 100, "%u", lsched_run_error_task(run));
		g.c.hang_task = LSCHED_NONE;
		graph_renew(&g);
		CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_finish(run, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
		CHECK(graph_wrong(&g) == 0, "after a hang, %s", suite_way_name(&o));
		graph_run_close(&run, &g);
	}
}

static void a_run_limit_ends_a_run_without_a_time_limit(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; suite_way(way, &o) && o.scheme != LSCHED_SCHEME_SYNC; way++) {
		char text[512];
		lsched_status st;
		graph g;

		if (lsched_i_queue_has((uint32_t)o.queue, LSCHED_I_CAP_ROUNDS))
			continue; /* detects at the end of a round that no task is left */
		CHECK(graph_open(&g, 8, 6, 1, 1), "memory");
		o.timeout_ms = LSCHED_NO_LIMIT_MS;
		o.run_limit_ms = 60;
		g.c.hang_task = 20;
		st = graph_once(&g, &o, NULL, text, sizeof(text));
		graph_close(&g);
		CHECK(st == LSCHED_ERR_TIMEOUT && strstr(text, "60 ms"), "%s", text);
	}
}

/* More tasks announced than the rule leads to. */
static void a_rule_that_misses_tasks_is_an_error(void)
{
	for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme < LSCHED_SCHEME_COUNT; scheme++) {
		lsched_run_options o;
		char text[512];
		lsched_status st;
		graph g;

		CHECK(graph_open(&g, 8, 6, 1, 1), "memory");
		o = RUN_OPTIONS(.scheme = (lsched_scheme)scheme);
		/* only dynamic ends by this limit; with the other schemes it must not expire first
		 * on a busy machine */
		o.timeout_ms = scheme == LSCHED_SCHEME_DYNAMIC ? 60 : 60000;
		g.tasks += 5;
		o.max_tasks = g.tasks;
		st = graph_once(&g, &o, NULL, text, sizeof(text));
		graph_close(&g);
		CHECK(st == (scheme == LSCHED_SCHEME_DYNAMIC ? LSCHED_ERR_TIMEOUT : LSCHED_ERR_ARG),
			"%d %s", (int)st, text);
	}
}

CU_TestInfo suite_graph_tests[] = {
	{ "dynamic runs every task once, after its predecessors, with any number of workers",
		each_task_once_after_its_predecessors_dynamic },
	{ "static runs every task once, after its predecessors, with any number of workers",
		each_task_once_after_its_predecessors_static },
	{ "sync runs every task once, after its predecessors, with any number of workers",
		each_task_once_after_its_predecessors_sync },
	{ "epoch runs every task once, after its predecessors, with any number of workers",
		each_task_once_after_its_predecessors_epoch },
	{ "a run can be started fifty times", a_run_can_be_started_fifty_times },
	{ "several runs are in flight together", several_runs_are_in_flight_together },
	{ "a failed task is named, and the run usable afterwards",
		a_failed_task_is_named_and_the_run_usable_afterwards },
	{ "a hang ends in an error that names task, worker and queue",
		a_hang_ends_in_an_error_that_names_task_worker_and_queue },
	{ "a run limit ends a run without a time limit",
		a_run_limit_ends_a_run_without_a_time_limit },
	{ "a rule that misses tasks is an error", a_rule_that_misses_tasks_is_an_error },
	CU_TEST_INFO_NULL
};
