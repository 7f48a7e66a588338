/* Cancelling a run and reading its progress from other threads, with every queue and scheme, on
 * either backend. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include "tests/libsched/sched_suite.h"

/* A task of this graph waits until the run is cancelled, since the task that opens its gate is
 * missing. There are more tasks than the workers run between two checks for a cancel. */
static int waiting_graph(graph *g)
{
	if (!graph_open(g, 400, 2, 1, 1))
		return 0;
	g->c.gated = 1;
	return 1;
}

/* ---- one cancel ---- */

typedef struct canceller {
	pthread_t id;
	lsched_run *run;
	uint64_t after_ns; /* time to wait before that */
	lsched_status status;
	lsched_run_progress_info seen;
} canceller;

/* Waits, cancels. */
static void *cancel_main(void *arg)
{
	canceller *c = (canceller *)arg;

	do {
		sched_yield();
		c->status = lsched_run_progress(c->run, &c->seen);
	} while (c->status == LSCHED_OK && c->seen.executing && c->seen.elapsed_ns < c->after_ns);
	if (c->status == LSCHED_OK)
		c->status = lsched_run_cancel(c->run);
	return NULL;
}

static int cancel_soon(canceller *c, lsched_run *run, uint64_t after_ns)
{
	memset(c, 0, sizeof(*c));
	lsched_run_progress_info_init(&c->seen);
	c->run = run;
	c->after_ns = after_ns;
	return pthread_create(&c->id, NULL, cancel_main, c) == 0;
}

static void a_run_that_waits_is_cancelled_and_usable_again(void)
{
	static const uint32_t workers[] = { 1, 5 };
	lsched_run_options o;

	for (uint32_t k = 0; suite_way(k / 2, &o); k++) {
		lsched_run_progress_info p;
		lsched_stats s;
		lsched_run *run;
		canceller c;
		graph g;

		lsched_stats_init(&s);
		lsched_run_progress_info_init(&p);
		CHECK(waiting_graph(&g), "memory");
		o.max_tasks = g.tasks;
		o.workers = workers[k % 2];
		o.timeout_ms = LSCHED_NO_LIMIT_MS;
		CREATE(&run, place.ctx, place.graph, &o);
		for (int again = 0; again < 2; again++) {
			g.c.gated = 1;
			graph_renew(&g);
			CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) ==
					LSCHED_OK,
				"%s", lsched_run_error(run));
			CHECK(cancel_soon(&c, run, again ? 0 : 5000000), "a thread");
			CHECK(lsched_run_finish(run, &s) == LSCHED_ERR_CANCELLED, "%s: %s",
				suite_way_name(&o), lsched_run_error(run));
			pthread_join(c.id, NULL);
			CHECK(c.status == LSCHED_OK, "%s: %s", suite_way_name(&o),
				lsched_strstatus(c.status));
			CHECK(strstr(lsched_run_error(run), "was cancelled after"), "%s",
				lsched_run_error(run));
			/* on a GPU the scheme epoch reports whole windows of tasks */
			CHECK(c.seen.finished <= s.tasks &&
					(s.tasks < g.tasks || o.scheme == LSCHED_SCHEME_EPOCH),
				"%s, %u workers: %llu tasks, %llu seen", suite_way_name(&o),
				o.workers, (unsigned long long)s.tasks,
				(unsigned long long)c.seen.finished);
			CHECK(lsched_run_progress(run, &p) == LSCHED_OK && !p.executing &&
					p.cancelled && p.finished == s.tasks &&
					p.outstanding == g.tasks - s.tasks && p.elapsed_ns > 0,
				"%s: %llu of %llu", suite_way_name(&o),
				(unsigned long long)p.finished, (unsigned long long)s.tasks);
		}
		g.c.gated = 0;
		graph_renew(&g);
		CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_finish(run, &s) == LSCHED_OK && graph_wrong(&g) == 0, "%s: %s",
			suite_way_name(&o), lsched_run_error(run));
		CHECK(lsched_run_progress(run, &p) == LSCHED_OK && !p.executing && !p.cancelled &&
				p.finished == g.tasks && p.outstanding == 0,
			"%s", suite_way_name(&o));
		graph_run_close(&run, &g);
	}
}

/* ---- cancels at any time ---- */

enum { CANCEL_ROUNDS = 40 };

/* One thread cancels each start once, after a random time; one reads the progress in a loop. */
typedef struct disturbers {
	pthread_t cancels, looks;
	lsched_run *run;
	uint32_t tasks;
	uint32_t started, cancelled; /* starts made; starts cancelled */
	uint32_t end;
	lsched_status status[CANCEL_ROUNDS];
	uint32_t wrong; /* looks */
} disturbers;

static void *cancels_main(void *arg)
{
	disturbers *d = (disturbers *)arg;

	for (uint32_t k = 0; k < CANCEL_ROUNDS; k++) {
		uint32_t delay = graph_hash(k + d->tasks) % (k % 3 == 0 ? 20000 : 200);

		while (lsched_ld(&d->started, acq, dev) <= k)
			sched_yield();
		while (delay--)
			(void)lsched_ld(&d->started, acq, dev);
		d->status[k] = lsched_run_cancel(d->run);
		lsched_st(&d->cancelled, k + 1, rel, dev);
	}
	return NULL;
}

static void *looks_main(void *arg)
{
	disturbers *d = (disturbers *)arg;
	lsched_run_progress_info p;

	lsched_run_progress_info_init(&p);
	while (!lsched_ld(&d->end, acq, dev)) {
		if (lsched_run_progress(d->run, &p) != LSCHED_OK || p.finished > d->tasks ||
			p.outstanding > d->tasks)
			lsched_add(&d->wrong, 1u, rlx, dev);
		sched_yield();
	}
	return NULL;
}

static void a_run_can_be_cancelled_at_any_time(void)
{
	static disturbers d;
	lsched_run_options o;
	uint32_t cancelled = 0;

	for (uint32_t way = 0; suite_way(way, &o); way++) {
		const uint32_t rounds = CANCEL_ROUNDS;
		graph g;

		memset(&d, 0, sizeof(d));
		CHECK(graph_open(&g, 24, 18, 2, 2), "memory");
		g.c.work = 50;
		d.tasks = o.max_tasks = g.tasks;
		o.workers = 4;
		CREATE(&d.run, place.ctx, place.graph, &o);
		CHECK(pthread_create(&d.cancels, NULL, cancels_main, &d) == 0 &&
				pthread_create(&d.looks, NULL, looks_main, &d) == 0,
			"threads");
		for (uint32_t k = 0; k < rounds; k++) {
			lsched_status st;

			graph_renew(&g);
			CHECK(lsched_run_start(d.run, &g.c, g.tasks, suite_stream(&o, 0)) ==
					LSCHED_OK,
				"%s", lsched_run_error(d.run));
			lsched_st(&d.started, k + 1, rel, dev);
			if (k % 4 == 3)
				while (!lsched_run_done(d.run))
					sched_yield();
			st = lsched_run_finish(d.run, NULL);
			while (lsched_ld(&d.cancelled, acq, dev) <= k)
				sched_yield();
			CHECK(st == (d.status[k] == LSCHED_OK ? LSCHED_ERR_CANCELLED : LSCHED_OK),
				"%s, start %u: cancel says %s, finish %s", suite_way_name(&o), k,
				lsched_strstatus(d.status[k]), lsched_strstatus(st));
			CHECK(d.status[k] == LSCHED_OK || d.status[k] == LSCHED_ERR_STATE, "%s",
				lsched_strstatus(d.status[k]));
			CHECK(st != LSCHED_OK || graph_wrong(&g) == 0, "%s, start %u",
				suite_way_name(&o), k);
			cancelled += st != LSCHED_OK;
		}
		lsched_st(&d.end, 1u, rel, dev);
		pthread_join(d.cancels, NULL);
		pthread_join(d.looks, NULL);
		CHECK(d.wrong == 0, "%s: %u looks were wrong", suite_way_name(&o), d.wrong);
		lsched_run_destroy(&d.run);
		graph_close(&g);
	}
	CHECK(cancelled > 0, "no cancel was in time");
}

/* ---- cancels before the workers start the run ---- */

static void a_run_behind_another_is_cancelled_before_it_begins(void)
{
	const int cpu = lsched_ctx_backend(place.ctx) == LSCHED_BACKEND_CPU;
	lsched_ctx *ctx = place.ctx;
	lsched_run_options o;

	/* on the CPU runs overlap while there are threads for them */
	CHECK(!cpu || !test_open(&ctx, LSCHED_BACKEND_CPU, 2), "a context of two threads");
	for (uint32_t way = 0; suite_way(way, &o); way++) {
		lsched_run *front, *behind;
		lsched_stats s;
		graph g, h;

		lsched_stats_init(&s);
		CHECK(waiting_graph(&g) && graph_open(&h, 24, 18, 2, 2), "memory");
		o.timeout_ms = LSCHED_NO_LIMIT_MS;
		o.max_tasks = h.tasks;
		o.workers = 2;
		CHECK(lsched_run_create(&front, ctx, place.graph, &o) == LSCHED_OK &&
				lsched_run_create(&behind, ctx, place.graph, &o) == LSCHED_OK,
			"%s", lsched_last_error(ctx));
		/* the second start clears its memory first, which must not clear the cancel */
		for (int k = 0; k < 2; k++) {
			graph_renew(&g);
			graph_renew(&h);
			CHECK(lsched_run_start(front, &g.c, g.tasks, suite_stream(&o, 0)) ==
					LSCHED_OK,
				"%s", lsched_run_error(front));
			CHECK(lsched_run_start(behind, &h.c, h.tasks, suite_stream(&o, 0)) ==
					LSCHED_OK,
				"%s", lsched_run_error(behind));
			CHECK(lsched_run_cancel(behind) == LSCHED_OK, "behind");
			CHECK(lsched_run_cancel(front) == LSCHED_OK, "in front");
			CHECK(lsched_run_cancel(front) == LSCHED_OK, "once more");
			CHECK(lsched_run_finish(front, NULL) == LSCHED_ERR_CANCELLED, "%s",
				lsched_run_error(front));
			CHECK(lsched_run_finish(behind, &s) == LSCHED_ERR_CANCELLED, "%s",
				lsched_run_error(behind));
			CHECK(s.tasks < h.tasks, "%s: all tasks ran", suite_way_name(&o));
		}
		graph_renew(&h);
		CHECK(lsched_run_start(behind, &h.c, h.tasks, suite_stream(&o, 0)) == LSCHED_OK &&
				lsched_run_finish(behind, NULL) == LSCHED_OK &&
				graph_wrong(&h) == 0,
			"%s: %s", suite_way_name(&o), lsched_run_error(behind));
		lsched_run_destroy(&front);
		lsched_run_destroy(&behind);
		graph_close(&g);
		graph_close(&h);
	}
	if (cpu)
		lsched_close(&ctx);
}

static void a_cancel_without_an_execution_has_no_effect(void)
{
	lsched_run_progress_info p;
	lsched_run_options o;
	lsched_run *run;
	graph g;

	lsched_run_progress_info_init(&p);
	CHECK(lsched_run_cancel(NULL) == LSCHED_ERR_ARG, "NULL");
	CHECK(lsched_run_progress(NULL, &p) == LSCHED_ERR_ARG, "NULL");
	CHECK(graph_open(&g, 4, 4, 1, 1), "memory");
	o = RUN_OPTIONS(.max_tasks = g.tasks);
	CREATE(&run, place.ctx, place.graph, &o);
	CHECK(lsched_run_progress(run, NULL) == LSCHED_ERR_ARG, "NULL");
	CHECK(lsched_run_cancel(run) == LSCHED_ERR_STATE, "before the first start");
	CHECK(lsched_run_progress(run, &p) == LSCHED_OK && !p.executing && p.finished == 0 &&
			p.elapsed_ns == 0,
		"before the first start");
	for (int k = 0; k < 2; k++) {
		graph_renew(&g);
		CHECK(lsched_run_start(run, &g.c, g.tasks, place.stream(0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		if (k) {
			while (!lsched_run_done(run))
				sched_yield();
			CHECK(lsched_run_cancel(run) == LSCHED_ERR_STATE, "when it is over");
			CHECK(lsched_run_progress(run, &p) == LSCHED_OK && !p.executing &&
					p.finished == g.tasks,
				"when it is over");
		}
		CHECK(lsched_run_finish(run, NULL) == LSCHED_OK && graph_wrong(&g) == 0, "%s",
			lsched_run_error(run));
		if (k) { /* the time to the end of the execution, not to this call */
			const uint64_t before_ns = p.elapsed_ns;

			CHECK(lsched_run_progress(run, &p) == LSCHED_OK &&
					p.elapsed_ns == before_ns,
				"%llu ns, not %llu", (unsigned long long)p.elapsed_ns,
				(unsigned long long)before_ns);
		}
		CHECK(lsched_run_cancel(run) == LSCHED_ERR_STATE, "after the end");
	}
	CHECK(lsched_run_start(run, &g.c, 0, place.stream(0)) == LSCHED_OK, "no task");
	CHECK(lsched_run_cancel(run) == LSCHED_ERR_STATE, "no task");
	for (int k = 0; k < 2; k++) {
		CHECK(lsched_run_progress(run, &p) == LSCHED_OK && !p.executing && p.finished == 0,
			"no task");
		CHECK(p.elapsed_ns < UINT64_C(1000000000000), "no task took %llu ns",
			(unsigned long long)p.elapsed_ns);
		if (k == 0)
			CHECK(lsched_run_finish(run, NULL) == LSCHED_OK, "no task");
	}
	graph_run_close(&run, &g);
}

/* ---- programs without a rule ---- */

static lsched_status grow(lsched_run *run, const lsched_run_options *o, tree_ctx *c, uint32_t depth,
	canceller *k, lsched_stats *s)
{
	lsched_status st;

	c->depth = depth;
	place.zero(c->nodes, 4);
	st = lsched_run_start(run, c, 3, suite_stream(o, 0));
	if (st != LSCHED_OK)
		return st;
	if (k && !cancel_soon(k, run, 3000000))
		return LSCHED_ERR_NOMEM;
	st = lsched_run_finish(run, s);
	if (k)
		pthread_join(k->id, NULL);
	return st;
}

/* A tree that would grow for hours. */
static void a_tree_that_grows_is_cancelled(void)
{
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		lsched_run_progress_info p;
		lsched_run_options o;
		lsched_stats s, again;
		tree_ctx c = { 0, LSCHED_NONE, NULL };
		lsched_run *run;
		canceller k;

		lsched_stats_init(&s);
		lsched_stats_init(&again);
		lsched_run_progress_info_init(&p);
		o = RUN_OPTIONS(.queue = (lsched_queue)q, .max_tasks = 3, .queue_capacity = 4096,
			.overflow = LSCHED_OVERFLOW_INLINE, .inline_depth = 4096, .workers = 5);
		c.nodes = (uint32_t *)place.alloc(4);
		CREATE(&run, place.ctx, place.tree, &o);
		CHECK(grow(run, &o, &c, 9, NULL, &s) == LSCHED_OK, "%s", lsched_run_error(run));
		CHECK(grow(run, &o, &c, 63, &k, &again) == LSCHED_ERR_CANCELLED, "%s: %s",
			suite_way_name(&o), lsched_run_error(run));
		CHECK(k.status == LSCHED_OK && k.seen.finished == LSCHED_NOT_KNOWN, "%s",
			suite_way_name(&o));
		CHECK(lsched_run_progress(run, &p) == LSCHED_OK && p.finished == again.tasks,
			"%s: %llu, not %llu", suite_way_name(&o), (unsigned long long)p.finished,
			(unsigned long long)again.tasks);
		CHECK(grow(run, &o, &c, 9, NULL, &again) == LSCHED_OK && again.tasks == s.tasks,
			"%s: %s", suite_way_name(&o), lsched_run_error(run));
		lsched_run_destroy(&run);
		place.release(c.nodes);
	}
}

CU_TestInfo suite_control_tests[] = { { "a run that waits is cancelled, and usable again",
					      a_run_that_waits_is_cancelled_and_usable_again },
	{ "a run can be cancelled at any time", a_run_can_be_cancelled_at_any_time },
	{ "a run behind another is cancelled before it begins",
		a_run_behind_another_is_cancelled_before_it_begins },
	{ "a cancel without an execution has no effect",
		a_cancel_without_an_execution_has_no_effect },
	{ "a tree that grows is cancelled", a_tree_that_grows_is_cancelled }, CU_TEST_INFO_NULL };
