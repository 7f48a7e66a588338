/* Tasks that pass values on by messages (LSCHED_MESSAGES), under each scheme, on either backend. */
#include <stdio.h>
#include <string.h>
#include "libsched/core/backend.h"
#include "tests/common/effort.h"
#include "tests/libsched/sched_suite.h"

/* Enumerates the ways to run the program: two queues, then static. Returns 0 behind the last. */
static int message_way(uint32_t way, lsched_run_options *o)
{
	*o = RUN_OPTIONS(.scheme = way < 2 ? LSCHED_SCHEME_DYNAMIC : LSCHED_SCHEME_STATIC);
	if (way == 1)
		o->queue = LSCHED_QUEUE_STEAL;
	return way < 3;
}

/* Starts the run with other values than the starts before. */
static lsched_status message_start(lsched_run *run, graph *g, uint32_t stream)
{
	lsched_status st;

	graph_renew(g);
	st = lsched_run_start(run, &g->c, g->tasks, place.stream(stream));
	return st == LSCHED_OK ? lsched_run_finish(run, NULL) : st;
}

/* Several starts of one run, so that words of an older start are in its memory. */
static void check_starts(const lsched_run_options *way, const uint16_t shape[4], uint32_t workers)
{
	lsched_run_options o = *way;
	lsched_run *run;
	graph g;

	o.workers = workers;
	GRAPH_CREATE(&run, &g, shape[0], shape[1], shape[2], shape[3], place.message, &o);
	for (int k = 0; k < 3; k++) {
		const lsched_status st = message_start(run, &g, 0);

		CHECK(st == LSCHED_OK && graph_wrong(&g) == 0,
			"%ux%ux%ux%u, %u workers, %s, start %d: %s", shape[0], shape[1], shape[2],
			shape[3], workers, suite_way_name(&o), k, lsched_run_error(run));
	}
	graph_run_close(&run, &g);
}

static const uint16_t shapes[][4] = { /* w, h, slices, frames */
	{ 1, 1, 1, 1 }, { 1, 9, 1, 1 }, { 9, 1, 1, 1 }, { 2, 7, 3, 2 }, { 11, 9, 2, 3 },
	{ 20, 15, 4, 1 }, { 45, 30, 4, 3 }
};

static void check_shapes(const lsched_run_options *way)
{
	const size_t n = sizeof(shapes) / sizeof(shapes[0]) - (place.scale > 1 ? 1 : 0);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < place.worker_counts; k++)
			check_starts(way, shapes[i], place.workers[k]);
}

static void each_task_receives_what_its_predecessors_send(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; message_way(way, &o); way++)
		check_shapes(&o);
}

static void each_task_receives_what_its_predecessors_send_sync(void)
{
	lsched_run_options o = RUN_OPTIONS(.scheme = LSCHED_SCHEME_SYNC);

	check_shapes(&o);
}

/* The words of one run are not those of another one, whose epoch is the same. */
static void runs_in_flight_have_messages_of_their_own(void)
{
	enum { RUNS = 3, REPS = 10 };
	lsched_run_options o;

	for (uint32_t way = 0; message_way(way, &o); way++) {
		lsched_run *run[RUNS];
		graph g[RUNS];

		o.workers = 7;
		for (uint32_t k = 0; k < RUNS; k++) {
			CHECK(graph_open(&g[k], 20, 12, 2, 1), "memory");
			o.max_tasks = g[k].tasks;
			g[k].c.salt += 1000 * k;
			CREATE(&run[k], place.ctx, place.message, &o);
		}
		for (int rep = 0; rep < REPS; rep++) {
			for (uint32_t k = 0; k < RUNS; k++) {
				graph_renew(&g[k]);
				CHECK(lsched_run_start(run[k], &g[k].c, g[k].tasks,
					      place.stream(k)) == LSCHED_OK,
					"%s", lsched_run_error(run[k]));
			}
			for (uint32_t k = 0; k < RUNS; k++)
				CHECK(lsched_run_finish(run[k], NULL) == LSCHED_OK &&
						graph_wrong(&g[k]) == 0,
					"%s", lsched_run_error(run[k]));
		}
		for (uint32_t k = 0; k < RUNS; k++) {
			lsched_run_destroy(&run[k]);
			graph_close(&g[k]);
		}
	}
}

/* After 2^32 starts the epochs begin anew; words of the first starts must not be valid again: one
 * that is not sent is missing, then as before. */
static void a_wrapped_epoch_revives_no_words(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; message_way(way, &o); way++) {
		lsched_run *run;
		graph g;

		o.workers = 3;
		o.timeout_ms = (uint32_t)test_effort(100, 100, 400);
		GRAPH_CREATE(&run, &g, 16, 12, 2, 2, place.message, &o);
		CHECK(message_start(run, &g, 0) == LSCHED_OK && run->args.epoch == 1, "%s",
			lsched_run_error(run));
		run->args.epoch = UINT32_MAX;
		g.c.mute_task = 180;
		CHECK(message_start(run, &g, 0) == LSCHED_ERR_TIMEOUT && run->args.epoch == 1, "%s",
			lsched_run_error(run));
		g.c.mute_task = LSCHED_NONE;
		for (int k = 0; k < 2; k++)
			CHECK(message_start(run, &g, 0) == LSCHED_OK && graph_wrong(&g) == 0,
				"%s, start %d after the wrap: %s", suite_way_name(&o), k,
				lsched_run_error(run));
		graph_run_close(&run, &g);
	}
}

static void a_failed_task_ends_the_waits_for_messages(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; message_way(way, &o); way++) {
		static const uint32_t victims[] = { 0, 57, 431 };
		lsched_run *run;
		graph g;

		o.workers = 11;
		o.timeout_ms = LSCHED_NO_LIMIT_MS;
		GRAPH_CREATE(&run, &g, 24, 18, 2, 1, place.message, &o);
		for (size_t k = 0; k < 3; k++) {
			g.c.fail_task = victims[k];
			CHECK(message_start(run, &g, 0) == LSCHED_ERR_TASK_FAILED, "%s",
				lsched_run_error(run));
			CHECK(lsched_run_error_task(run) == victims[k] &&
					lsched_run_error_code(run) == 42,
				"%s", lsched_run_error(run));
			g.c.fail_task = LSCHED_NONE;
			CHECK(message_start(run, &g, 0) == LSCHED_OK && graph_wrong(&g) == 0,
				"after a failure, %s: %s", suite_way_name(&o),
				lsched_run_error(run));
		}
		graph_run_close(&run, &g);
	}
}

/* Starts a graph in which task 181, of the last row of a slice, waits for a word that LEFT never
 * sends. */
static void check_missing_word(lsched_run_options *o)
{
	lsched_run *run;
	const char *error;
	graph g;

	o->timeout_ms = (uint32_t)test_effort(150, 150, 400);
	GRAPH_CREATE(&run, &g, 16, 12, 2, 2, place.message, o);
	error = lsched_run_error(run);
	g.c.mute_task = 180;
	CHECK(message_start(run, &g, 0) == LSCHED_ERR_TIMEOUT, "%s: %s", suite_way_name(o), error);
	CHECK(strstr(error, "task 181 on worker ") &&
			strstr(error, "a word that task 180 has not sent"),
		"%s", error);
	CHECK(lsched_run_error_task(run) == 181, "%s", error);
	g.c.mute_task = LSCHED_NONE;
	CHECK(message_start(run, &g, 0) == LSCHED_OK && graph_wrong(&g) == 0, "after that: %s",
		error);
	graph_run_close(&run, &g);
}

/* Under dynamic one worker: others could report first that they wait for items of the queue. */
static void a_word_that_is_never_sent_ends_in_an_error(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; message_way(way, &o); way++) {
		o.workers = o.scheme == LSCHED_SCHEME_STATIC ? 5 : 1;
		check_missing_word(&o);
	}
}

/* The first worker is in a task of the first row that waits for the third row, which no worker has
 * begun. The second worker waits for a word of that task. */
static void a_wait_for_a_task_that_has_not_ended_names_it(void)
{
	lsched_run_options o = RUN_OPTIONS(.scheme = LSCHED_SCHEME_STATIC, .workers = 2);
	char text[64];
	lsched_run *run;
	graph g;

	snprintf(text, sizeof(text), "task %d blocks it", GATE_1);
	o.timeout_ms = (uint32_t)test_effort(50, 50, 200);
	GRAPH_CREATE(&run, &g, GATE_WIDTH, 3, 1, 1, place.message, &o);
	g.c.gated = 1;
	CHECK(message_start(run, &g, 0) == LSCHED_ERR_TIMEOUT &&
			lsched_run_error_task(run) == GATE_1 && strstr(lsched_run_error(run), text),
		"%s", lsched_run_error(run));
	g.c.gated = 0;
	CHECK(message_start(run, &g, 0) == LSCHED_OK && graph_wrong(&g) == 0, "after that: %s",
		lsched_run_error(run));
	graph_run_close(&run, &g);
}

static void a_word_that_is_never_sent_ends_in_an_error_sync(void)
{
	lsched_run_options o = RUN_OPTIONS(.scheme = LSCHED_SCHEME_SYNC);

	o.workers = 1;
	check_missing_word(&o);
}

/* The limit also ends a wait without a time limit. */
static void a_run_limit_ends_a_wait_for_a_word(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; message_way(way, &o); way++) {
		lsched_run *run;
		graph g;

		o.timeout_ms = LSCHED_NO_LIMIT_MS;
		o.run_limit_ms = 60;
		GRAPH_CREATE(&run, &g, 16, 12, 2, 2, place.message, &o);
		g.c.mute_task = 99;
		CHECK(message_start(run, &g, 0) == LSCHED_ERR_TIMEOUT &&
				strstr(lsched_run_error(run), "60 ms"),
			"%s", lsched_run_error(run));
		graph_run_close(&run, &g);
	}
}

CU_TestInfo suite_message_tests[] = { { "each task receives what its predecessors send",
					      each_task_receives_what_its_predecessors_send },
	{ "each task receives what its predecessors send, under sync",
		each_task_receives_what_its_predecessors_send_sync },
	{ "runs in flight have messages of their own", runs_in_flight_have_messages_of_their_own },
	{ "a wrapped epoch revives no words", a_wrapped_epoch_revives_no_words },
	{ "a failed task ends the waits for messages", a_failed_task_ends_the_waits_for_messages },
	{ "a word that is never sent ends in an error",
		a_word_that_is_never_sent_ends_in_an_error },
	{ "a word that is never sent ends in an error, under sync",
		a_word_that_is_never_sent_ends_in_an_error_sync },
	{ "a wait for a task that has not ended names it",
		a_wait_for_a_task_that_has_not_ended_names_it },
	{ "a run limit ends a wait for a word", a_run_limit_ends_a_wait_for_a_word },
	CU_TEST_INFO_NULL };
