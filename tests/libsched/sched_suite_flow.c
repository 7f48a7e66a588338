/* Small queues, overflow policies, words that chains transfer, statistics, on either backend. */
#include <stdio.h>
#include <string.h>
#include "tests/libsched/grid.h"
#include "tests/libsched/sched_suite.h"

static const uint32_t tiny[] = { 1, 2, 3, 7 };
#define TINY (sizeof(tiny) / sizeof(tiny[0]))

/* One graph through a queue with very few slots. */
static void check_tiny(const lsched_run_options *with, uint64_t *inlined)
{
	const uint32_t roots = suite_roots(with, 12);
	lsched_run_options o = *with;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_status st;
	char text[512];
	uint32_t wrong;
	graph g;

	CHECK(graph_open(&g, 20, 24, 3, 4), "memory");
	st = graph_once(&g, &o, &s, text, sizeof(text));
	wrong = graph_wrong(&g);
	graph_close(&g);
	if (suite_refused(st, text))
		return;
	CHECK(st == LSCHED_OK && wrong == 0, "%s, capacity %u, %u workers: %s, %u wrong",
		suite_way_name(&o), o.queue_capacity, o.workers, text, wrong);
	CHECK(s.kept + s.pops + s.inlined + roots == s.tasks,
		"%s: kept %llu, pops %llu, inlined %llu, %u roots, tasks %llu", suite_way_name(&o),
		(unsigned long long)s.kept, (unsigned long long)s.pops,
		(unsigned long long)s.inlined, roots, (unsigned long long)s.tasks);
	CHECK(s.pushes == s.pops, "%s: all that goes in comes out", suite_way_name(&o));
	CHECK(s.queue_capacity == o.queue_capacity, "%u", s.queue_capacity);
	CHECK(!o.never_keep || s.kept == 0, "%s kept %llu", suite_way_name(&o),
		(unsigned long long)s.kept);
	*inlined += s.inlined;
}

static void tiny_queues_under_the_policy_inline_lose_no_task(void)
{
	lsched_run_options o;

	for (uint32_t q = 0; suite_queue(q, &o); q++) {
		uint64_t inlined = 0;

		o.overflow = LSCHED_OVERFLOW_INLINE;
		for (size_t i = 0; i < place.worker_counts; i++) {
			for (size_t k = 0; k < TINY; k++) {
				if (suite_leaves_out(q + i + k))
					continue;
				o.queue_capacity = o.bin_size = tiny[k];
				o.workers = place.workers[i];
				o.never_keep = (i + k) % 2;
				check_tiny(&o, &inlined);
			}
		}
		CHECK(inlined > 0, "%s was never full", suite_way_name(&o));
	}
}

static void a_full_queue_under_the_policy_fail_is_an_error_that_names_it(void)
{
	lsched_run_options o;

	for (uint32_t q = 0; suite_queue(q, &o); q++) {
		char where[64];
		lsched_run *run;
		graph g;

		/* one worker first runs all roots, and makes a row ready in each slice: more than
		 * two */
		o.queue_capacity = o.bin_size = 2;
		o.workers = 1;
		GRAPH_CREATE(&run, &g, 20, 24, 3, 4, place.graph, &o);
		CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_finish(run, NULL) == LSCHED_ERR_OVERFLOW, "%s: %s",
			suite_way_name(&o), lsched_run_error(run));
		snprintf(where, sizeof(where), "queue %s of 2 items", suite_way_name(&o));
		CHECK(strstr(lsched_run_error(run), where), "%s", lsched_run_error(run));
		CHECK(strstr(lsched_run_error(run), "worker 0"), "%s", lsched_run_error(run));
		/* one slice of one frame has one ready row at a time with one worker */
		g.c.slices = g.c.frames = 1;
		g.tasks = g.c.w * g.c.h;
		graph_renew(&g);
		CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		if (lsched_i_queue_has(q, LSCHED_I_CAP_KEEPS)) {
			CHECK(lsched_run_finish(run, NULL) == LSCHED_OK, "%s: %s",
				suite_way_name(&o), lsched_run_error(run));
			CHECK(graph_wrong(&g) == 0, "%s: after an overflow", suite_way_name(&o));
		}
		graph_run_close(&run, &g);
	}
}

/* The next start uses the queue's memory as the last one left it, whether that filled the queue or
 * not. */
static void starts_of_different_sizes_follow_each_other(void)
{
	static const uint32_t rows[] = { 3, 24, 3, 24, 24, 4 };
	lsched_run_options o;

	for (uint32_t q = 0; suite_queue(q, &o); q++)
		for (size_t i = 0; i < place.worker_counts; i++) {
			char text[512] = "";
			lsched_run *run;
			graph g;

			CHECK(graph_open(&g, 20, 24, 3, 2), "memory");
			o.max_tasks = g.tasks;
			o.queue_capacity = o.bin_size = 256;
			o.workers = place.workers[i];
			o.overflow = LSCHED_OVERFLOW_INLINE;
			o.never_keep = 1; /* all tasks go through the queue */
			if (lsched_run_create(&run, place.ctx, place.graph, &o) != LSCHED_OK) {
				snprintf(text, sizeof(text), "%s", lsched_last_error(place.ctx));
				graph_close(&g);
				CHECK(suite_refused(LSCHED_ERR_ARG, text), "%s", text);
				continue;
			}
			for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
				g.c.h = rows[k];
				g.tasks = g.c.w * g.c.h * g.c.frames;
				graph_renew(&g);
				CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) ==
						LSCHED_OK,
					"%s", lsched_run_error(run));
				CHECK(lsched_run_finish(run, NULL) == LSCHED_OK,
					"%s, start %zu, %u workers: %s", suite_way_name(&o), k,
					o.workers, lsched_run_error(run));
				CHECK(graph_wrong(&g) == 0, "%s, start %zu, %u workers",
					suite_way_name(&o), k, o.workers);
			}
			graph_run_close(&run, &g);
		}
}

/* Returns the number of places whose value differs from the host's. */
static uint32_t grid_wrong(const grid_ctx *c, const uint32_t *value)
{
	uint32_t wrong = 0;

	for (uint32_t p = 0; p < c->w * c->h; p++) {
		const uint32_t task = grid_mixed(c, p, c->mul);
		uint32_t sum = task;

		for (uint32_t k = 0; k < gridrule_pred_count(c, task); k++)
			sum = grid_next(sum, value[gridrule_pred(c, task, k)]);
		wrong += value[task] != sum;
	}
	return wrong;
}

/* Chains evenly spaced and not, shorter and longer than a window, and tasks with two and three
 * predecessors. The inverse of a number is found by trial. */
static void chains_of_any_shape_transfer_their_words(void)
{
	static const uint16_t shapes[][3] = { { 1, 1, 1 }, { 1, 40, 1 }, { 40, 1, 1 }, { 33, 2, 1 },
		{ 70, 9, 1 }, { 70, 9, 11 }, { 33, 20, 7 }, { 131, 14, 613 } };
	enum { MOST = 131 * 14 };
	uint32_t value[MOST];

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme < LSCHED_SCHEME_COUNT; scheme++) {
			grid_ctx c = { shapes[i][0], shapes[i][1], shapes[i][2], 1, NULL };
			const uint32_t tasks = c.w * c.h;
			lsched_run_options o;
			lsched_run *run;
			lsched_stats s = { .struct_bytes = sizeof(s) };

			if (scheme == LSCHED_SCHEME_SYNC)
				continue;
			while (grid_mixed(&c, c.inv, c.mul) != 1 % tasks)
				c.inv++;
			o = RUN_OPTIONS(.scheme = (lsched_scheme)scheme, .workers = i % 2 ? 3 : 9,
				.max_tasks = tasks);
			c.value = (uint32_t *)place.alloc(tasks * 4);
			CHECK(c.value && lsched_run_create(&run, place.ctx, place.grid, &o) ==
						 LSCHED_OK,
				"%s", lsched_last_error(place.ctx));
			for (int start = 0; start < 3; start++) {
				place.zero(c.value, tasks * 4);
				CHECK(lsched_run_start(run, &c, tasks, suite_stream(&o, 0)) ==
							LSCHED_OK &&
						lsched_run_finish(run, &s) == LSCHED_OK,
					"%s", lsched_run_error(run));
				place.read(value, c.value, tasks * 4);
				CHECK(s.tasks == tasks && grid_wrong(&c, value) == 0,
					"%s, shape %u: %u wrong", lsched_scheme_name(o.scheme),
					(unsigned)i, grid_wrong(&c, value));
			}
			lsched_run_destroy(&run);
			place.release(c.value);
		}
	}
}

static void a_program_without_a_rule_cannot_run_under_static_sync_or_epoch(void)
{
	lsched_run_options o;
	lsched_run *run;

	o = RUN_OPTIONS(.max_tasks = 1);
	for (int scheme = LSCHED_SCHEME_STATIC; scheme < LSCHED_SCHEME_COUNT; scheme++) {
		o.scheme = (lsched_scheme)scheme;
		CHECK(lsched_run_create(&run, place.ctx, place.tree, &o) ==
					LSCHED_ERR_UNSUPPORTED &&
				!run,
			"scheme %d", scheme);
		CHECK(strstr(lsched_last_error(place.ctx), "tree") != NULL, "%s",
			lsched_last_error(place.ctx));
	}
}

static void statistics_add_up(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; suite_way(way, &o); way++) {
		const uint32_t roots = suite_roots(&o, 6);
		lsched_stats s = { .struct_bytes = sizeof(s) };
		lsched_status st;
		char text[512];
		graph g;

		CHECK(graph_open(&g, 30, 20, 2, 3), "memory");
		o.workers = 3;
		g.c.work = 200;
		st = graph_once(&g, &o, &s, text, sizeof(text));
		graph_close(&g);
		CHECK(st == LSCHED_OK, "%s", text);
		CHECK(s.tasks == g.tasks && s.spawned == 0 && s.inlined == 0 &&
				s.trace_dropped == 0,
			"tasks %llu", (unsigned long long)s.tasks);
		CHECK(s.workers == 3, "%u", s.workers);
		CHECK(s.elapsed_ns > 0 && s.busy_ns > 0, "%llu", (unsigned long long)s.elapsed_ns);
		CHECK(s.busy_ns + s.idle_ns <= 3 * s.elapsed_ns,
			"busy %llu, idle %llu, elapsed %llu", (unsigned long long)s.busy_ns,
			(unsigned long long)s.idle_ns, (unsigned long long)s.elapsed_ns);
		if (o.scheme == LSCHED_SCHEME_DYNAMIC) {
			CHECK(s.kept + s.pops + roots == s.tasks && s.pushes == s.pops,
				"%s: kept %llu, pops %llu", suite_way_name(&o),
				(unsigned long long)s.kept, (unsigned long long)s.pops);
			CHECK(s.queue_high_water >= 1 && s.queue_high_water <= s.queue_capacity,
				"%u", s.queue_high_water);
			CHECK(s.queue_capacity == 2048, "%u for 1800 tasks", s.queue_capacity);
		} else {
			CHECK(s.kept + s.pops + s.pushes + s.queue_high_water + s.queue_capacity ==
					0,
				"no queue in use");
		}
	}
}

CU_TestInfo suite_flow_tests[] = {
	{ "tiny queues under the policy inline lose no task",
		tiny_queues_under_the_policy_inline_lose_no_task },
	{ "a full queue under the policy fail is an error that names it",
		a_full_queue_under_the_policy_fail_is_an_error_that_names_it },
	{ "starts of different sizes follow each other",
		starts_of_different_sizes_follow_each_other },
	{ "a program without a rule cannot run under static, sync or epoch",
		a_program_without_a_rule_cannot_run_under_static_sync_or_epoch },
	{ "chains of any shape transfer their words", chains_of_any_shape_transfer_their_words },
	{ "statistics add up", statistics_add_up },
	CU_TEST_INFO_NULL,
};
