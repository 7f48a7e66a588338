/* Timelines, on either backend: their events, and the file made of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/common/json.h"
#include "tests/common/text.h"
#include "tests/libsched/sched_suite.h"

/* Runs a graph with tasks of random length and keeps the run for its timeline. */
static lsched_run *traced(graph *g, lsched_scheme scheme, uint32_t workers, uint32_t events)
{
	lsched_run_options o;
	lsched_run *run;

	o = RUN_OPTIONS(.scheme = scheme, .workers = workers, .max_tasks = g->tasks,
		.trace = events);
	if (lsched_run_create(&run, place.ctx, place.graph, &o) != LSCHED_OK)
		return NULL;
	if (lsched_run_start(run, &g->c, g->tasks, suite_stream(&o, 0)) != LSCHED_OK ||
		lsched_run_finish(run, NULL) != LSCHED_OK)
		lsched_run_destroy(&run);
	return run;
}

static void events_have_a_possible_order(void)
{
	for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme < LSCHED_SCHEME_COUNT; scheme++) {
		enum { WORKERS = 5 };
		uint64_t *end, worker_end[WORKERS] = { 0 };
		const lsched_event *e = NULL;
		lsched_run *run;
		size_t n;
		graph g;

		CHECK(graph_open(&g, 20, 16, 2, 2), "memory");
		g.c.work = 300;
		run = traced(&g, (lsched_scheme)scheme, WORKERS, g.tasks);
		CHECK(run != NULL, "%s", lsched_last_error(place.ctx));
		n = lsched_run_events(run, &e);
		CHECK(n == g.tasks, "%zu events, %u tasks", n, g.tasks);
		end = (uint64_t *)calloc(g.tasks, sizeof(*end));
		CHECK(end != NULL, "memory");
		for (size_t i = 0; i < n; i++) {
			CHECK(e[i].task < g.tasks && end[e[i].task] == 0, "task %u again",
				e[i].task);
			CHECK(e[i].worker < WORKERS, "worker %u", e[i].worker);
			CHECK(e[i].start_ns <= e[i].end_ns && e[i].start_ns > 0, "event %zu", i);
			CHECK(worker_end[e[i].worker] <= e[i].start_ns,
				"a worker does two things at once");
			CHECK(i == 0 || e[i - 1].start_ns <= e[i].start_ns, "sorted");
			worker_end[e[i].worker] = end[e[i].task] = e[i].end_ns;
		}
		for (size_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < graph_rule_pred_count(&g.c, e[i].task); k++)
				CHECK(end[graph_rule_pred(&g.c, e[i].task, k)] <= e[i].start_ns,
					"task %u is early", e[i].task);
		free(end);
		graph_run_close(&run, &g);
	}
}

/* Tasks that a worker ran after a task of a later row of the same slice, of a later slice of the
 * same frame, of a later frame. */
typedef struct steps_back {
	uint32_t rows, slices, frames;
} steps_back;

enum { WORKERS = 7, FRAMES_MAX = 4, SLICES_MAX = 4 };

static void add_steps_back(steps_back *b, const graph *g, const lsched_event *e, size_t n)
{
	/* 1 + the largest so far, of each worker */
	uint32_t row[WORKERS][FRAMES_MAX][SLICES_MAX], slice[WORKERS][FRAMES_MAX], frame[WORKERS];

	memset(row, 0, sizeof(row));
	memset(slice, 0, sizeof(slice));
	memset(frame, 0, sizeof(frame));
	for (size_t i = 0; i < n; i++) {
		const uint32_t k = e[i].worker, f = e[i].task / (g->c.w * g->c.h);
		const graph_pos p = graph_where(&g->c, e[i].task);
		const uint32_t s = p.top * g->c.slices / g->c.h;

		b->frames += f + 1 < frame[k];
		b->slices += s + 1 < slice[k][f];
		b->rows += p.y + 1 < row[k][f][s];
		if (f + 1 > frame[k])
			frame[k] = f + 1;
		if (s + 1 > slice[k][f])
			slice[k][f] = s + 1;
		if (p.y + 1 > row[k][f][s])
			row[k][f][s] = p.y + 1;
	}
}

static steps_back traced_steps_back(graph *g, lsched_scheme scheme, uint32_t workers)
{
	steps_back b = { LSCHED_NONE, LSCHED_NONE, LSCHED_NONE };
	const lsched_event *e = NULL;
	lsched_run *run;

	graph_renew(g);
	run = traced(g, scheme, workers, g->tasks);
	if (run && lsched_run_events(run, &e) == g->tasks) {
		memset(&b, 0, sizeof(b));
		add_steps_back(&b, g, e, g->tasks);
	}
	lsched_run_destroy(&run);
	return b;
}

/* Under static a worker runs its tasks in the fixed order (frame, row, column). Under dynamic it
 * runs ready tasks: with tasks of random length it returns to earlier frames and slices, and a
 * row that had to wait for the row above is continued by any idle worker, perhaps one from a
 * later row. */
static void dynamic_runs_out_of_order_and_static_does_not(void)
{
	steps_back sum = { 0, 0, 0 }, b;
	uint32_t rep;
	graph g;

	CHECK(graph_open(&g, 24, 36, 3, FRAMES_MAX), "memory");
	g.c.work = 1000;
	for (rep = 0; rep < 50 && !(rep >= 3 && sum.slices && sum.frames); rep++) {
		b = traced_steps_back(&g, LSCHED_SCHEME_STATIC, WORKERS);
		CHECK(b.rows + b.slices + b.frames == 0,
			"static went back: %u rows, %u slices, %u frames", b.rows, b.slices,
			b.frames);
		b = traced_steps_back(&g, LSCHED_SCHEME_DYNAMIC, WORKERS);
		CHECK(b.rows != LSCHED_NONE, "%s", lsched_last_error(place.ctx));
		sum.rows += b.rows;
		sum.slices += b.slices;
		sum.frames += b.frames;
	}
	graph_close(&g);
	CHECK(sum.slices && sum.frames, "dynamic kept the order: %u slices, %u frames back",
		sum.slices, sum.frames);
	printf("tasks out of order in %u pairs of runs: dynamic %u over rows, %u over slices, %u "
	       "over frames; static 0\n",
		rep, sum.rows, sum.slices, sum.frames);
}

static void dynamic_lets_a_worker_go_back_to_an_earlier_row(void)
{
	steps_back b;
	graph g;

	CHECK(graph_open(&g, GATE_WIDTH, 8, 1, 1), "memory");
	g.c.gated = 1;
	b = traced_steps_back(&g, LSCHED_SCHEME_DYNAMIC, 2);
	CHECK(graph_wrong(&g) == 0, "values");
	graph_close(&g);
	CHECK(b.rows > 0 && b.rows != LSCHED_NONE, "%u tasks, %s", b.rows,
		lsched_last_error(place.ctx));
}

static void the_timeline_file_is_json_with_every_event(void)
{
	test_text t = { 0 };
	lsched_run *run[2];
	const char *end;
	graph g;

	CHECK(graph_open(&g, 12, 10, 2, 2), "memory");
	g.c.work = 100;
	run[0] = traced(&g, LSCHED_SCHEME_DYNAMIC, 3, g.tasks);
	graph_renew(&g);
	run[1] = traced(&g, LSCHED_SCHEME_STATIC, 2, g.tasks);
	CHECK(run[0] && run[1], "%s", lsched_last_error(place.ctx));
	CHECK(lsched_trace_write(run, 2, test_text_append, &t) == LSCHED_OK, "write");
	end = json_value(t.s);
	CHECK(end && *json_space(end) == '\0', "not JSON at byte %td", end ? end - t.s : -1);
	CHECK(occurrences(t.s, "\"ph\":\"X\"") == 2 * (size_t)g.tasks, "events");
	CHECK(occurrences(t.s, "\"thread_name\"") == 5, "workers");
	CHECK(occurrences(t.s, "\"name\":\"graph\"") == 2 * (size_t)g.tasks, "program");
	CHECK(occurrences(t.s, "\"ts\":0.000,") >= 1, "time starts at 0");
	t.limit = 1000;
	t.bytes = 0;
	CHECK(lsched_trace_write(run, 2, test_text_append, &t) != LSCHED_OK,
		"a writer that refuses");
	free(t.s);
	lsched_run_destroy(&run[0]);
	lsched_run_destroy(&run[1]);
	graph_close(&g);
}

static void a_run_names_program_device_and_workers_of_its_events(void)
{
	lsched_run_info info;
	lsched_run *run;
	graph g;

	CHECK(graph_open(&g, 12, 10, 2, 1), "memory");
	run = traced(&g, LSCHED_SCHEME_DYNAMIC, 3, g.tasks);
	CHECK(run, "%s", lsched_last_error(place.ctx));
	lsched_run_info_init(&info);
	CHECK(lsched_run_get_info(run, &info) == LSCHED_OK, "info");
	CHECK(strcmp(info.program, "graph") == 0, "program");
	CHECK(strcmp(info.device_name, lsched_ctx_device_name(place.ctx)) == 0, "device");
	CHECK(info.backend == lsched_ctx_backend(place.ctx), "backend");
	CHECK(!info.items && !info.started && info.trace_dropped == 0, "state");
	CHECK(info.workers == 3, "%u workers", info.workers);
	CHECK(lsched_run_get_info(NULL, &info) == LSCHED_ERR_ARG, "no run");
	CHECK(lsched_run_get_info(run, NULL) == LSCHED_ERR_ARG, "no info");
	info.struct_bytes = 0;
	CHECK(lsched_run_get_info(run, &info) == LSCHED_ERR_ARG, "no init");
	graph_run_close(&run, &g);
}

static void events_beyond_the_trace_capacity_are_counted(void)
{
	lsched_run_options o;
	lsched_run_info info;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;
	graph g;

	o = RUN_OPTIONS();
	lsched_run_info_init(&info);
	o.workers = 2;
	o.trace = 10;
	GRAPH_CREATE(&run, &g, 12, 10, 2, 2, place.graph, &o);
	CHECK(lsched_run_start(run, &g.c, g.tasks, NULL) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_OK,
		"%s", lsched_run_error(run));
	CHECK(s.trace_dropped >= g.tasks - 20 && s.trace_dropped < g.tasks, "%u", s.trace_dropped);
	CHECK(lsched_run_get_info(run, &info) == LSCHED_OK && info.workers == 2 &&
			info.trace_dropped == s.trace_dropped,
		"%llu", (unsigned long long)info.trace_dropped);
	/* a start without tasks clears the events */
	CHECK(lsched_run_start(run, &g.c, 0, NULL) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_OK,
		"%s", lsched_run_error(run));
	CHECK(lsched_run_get_info(run, &info) == LSCHED_OK && info.workers == 0 &&
			info.trace_dropped == 0,
		"%llu", (unsigned long long)info.trace_dropped);
	graph_run_close(&run, &g);
}

CU_TestInfo suite_trace_tests[] = { { "events have a possible order",
					    events_have_a_possible_order },
	{ "dynamic runs out of order over rows, slices and frames; static does not",
		dynamic_runs_out_of_order_and_static_does_not },
	{ "dynamic lets a worker go back to an earlier row",
		dynamic_lets_a_worker_go_back_to_an_earlier_row },
	{ "the timeline file is JSON with every event",
		the_timeline_file_is_json_with_every_event },
	{ "a run names program, device and workers of its events",
		a_run_names_program_device_and_workers_of_its_events },
	{ "events beyond the trace capacity are counted",
		events_beyond_the_trace_capacity_are_counted },
	CU_TEST_INFO_NULL };
