/* Programs and rules with faults, on CPU threads: an error, never a hang. */
#include <stdio.h>
#include <string.h>
#define BAD_PROGRAM
#include "tests/libsched/bad_program.h"
#undef BAD_PROGRAM
#include "tests/libsched/bad_common.h"
#include "tests/common/effort.h"
#include "tests/common/sched_setup.h"
#include "tests/common/testmain.h"

enum { W = 24, H = 20, TASKS = W * H, THREADS = 4 };

/* A task that never returned uses it after its context is gone. */
static uint32_t gate[3];

/* With the smallest queues every run ends, in success or with an overflow error that names the
 * queue. */
static void the_smallest_queues_do_not_hang(void)
{
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		for (int policy = LSCHED_OVERFLOW_FAIL; policy <= LSCHED_OVERFLOW_INLINE;
			policy++) {
			lsched_run_options o;
			lsched_status st;
			lsched_run *run;
			bad b;

			o = RUN_OPTIONS();
			CHECK(bad_open(&b, W, H, &o), "a context, a graph and a run");
			o.max_tasks = TASKS;
			o.queue = (lsched_queue)q;
			o.overflow = (lsched_overflow)policy;
			o.queue_capacity = o.bin_size = 1;
			o.never_keep = 1;
			CREATE(&run, b.ctx, &bad_cpu_program, &o);
			CHECK(lsched_run_start(run, &b.c, TASKS, NULL) == LSCHED_OK, "%s",
				lsched_run_error(run));
			st = lsched_run_finish(run, NULL);
			if (policy == LSCHED_OVERFLOW_INLINE || st == LSCHED_OK)
				CHECK(st == LSCHED_OK && bad_wrong(&b) == 0, "%s: %s",
					lsched_queue_name((lsched_queue)q), lsched_run_error(run));
			else
				CHECK(st == LSCHED_ERR_OVERFLOW &&
						strstr(lsched_run_error(run),
							lsched_queue_name((lsched_queue)q)),
					"%s", lsched_run_error(run));
			lsched_run_destroy(&run);
			bad_close(&b);
		}
	}
}

/* A rule with which tasks start too often or too early is an error that names the task, if it is
 * one task; the run is usable afterwards. */
static void a_counter_below_zero_is_an_error(void)
{
	const uint32_t task = 7 * W + 5; /* has two predecessors */

	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		lsched_run_options o;
		bad b;

		o = RUN_OPTIONS(.queue = (lsched_queue)q, .timeout_ms = 20000);
		CHECK(bad_open(&b, W, H, &o), "a context, a graph and a run");
		b.c.lie_task =
			task; /* each arrival makes it ready: it and its successors run twice */
		b.c.lie_count = 1;
		CHECK(bad_once(&b) == LSCHED_ERR_ARG, "%s: %s", lsched_queue_name((lsched_queue)q),
			lsched_run_error(b.run));
		CHECK(strstr(lsched_run_error(b.run), "counter of task") ||
				strstr(lsched_run_error(b.run), "a counter fell below zero") ||
				strstr(lsched_run_error(b.run), "of 480 tasks"),
			"%s", lsched_run_error(b.run));
		CHECK(bad_good_again(&b), "%s", lsched_run_error(b.run));
		/* each arrival starts a task, so the counts of starts are binomial coefficients */
		b.c.lie_task = BAD_ALL;
		CHECK(bad_once(&b) == LSCHED_ERR_ARG &&
				strstr(lsched_run_error(b.run), "a counter fell below zero"),
			"%s: %s", lsched_queue_name((lsched_queue)q), lsched_run_error(b.run));
		CHECK(bad_good_again(&b), "%s", lsched_run_error(b.run));
		b.c.lie_task = 0; /* a root without predecessors: valid, no task arrives */
		b.c.lie_count = 0;
		CHECK(bad_once(&b) == LSCHED_OK, "%s", lsched_run_error(b.run));
		bad_close(&b);
	}
}

/* Three predecessors arrive at a count of two: all tasks run once, and one counter ends at one. */
static void the_error_of_a_counter_with_a_remainder_names_its_task(void)
{
	static const lsched_csr_edge e[] = { { 0, 3 }, { 1, 3 }, { 2, 3 }, { 3, 4 } };

	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		lsched_run_options o;
		lsched_csr *g;
		bad b;

		o = RUN_OPTIONS(.queue = (lsched_queue)q);
		CHECK(bad_open(&b, 5, 1, &o), "a context, a graph and a run");
		CHECK(lsched_csr_from_edges(&g, b.ctx, 5, e, 4) == LSCHED_OK, "%s",
			lsched_last_error(b.ctx));
		b.c.graph = *lsched_csr_get(g);
		CHECK(bad_good_again(&b), "%s", lsched_run_error(b.run));
		b.c.lie_task = 3;
		b.c.lie_count = 2;
		/* The second arrival resets the counter; when the third comes just before that, the
		 * error names no task. */
		for (int k = 0, named = 0; k < 20 && !named; k++) {
			CHECK(bad_once(&b) == LSCHED_ERR_ARG &&
					strstr(lsched_run_error(b.run), "fell below zero"),
				"%s: %s", lsched_queue_name((lsched_queue)q),
				lsched_run_error(b.run));
			named = strstr(lsched_run_error(b.run), "counter of task 3 ") &&
				lsched_run_error_task(b.run) == 3;
			CHECK(named || k < 19, "%s", lsched_run_error(b.run));
		}
		CHECK(bad_good_again(&b), "%s", lsched_run_error(b.run));
		lsched_csr_destroy(&g);
		bad_close(&b);
	}
}

/* One worker runs a chain of tasks, each much shorter than the time limit; for the others no task
 * becomes ready for much longer than the limit. */
static void a_chain_of_long_tasks_is_no_timeout(void)
{
	enum { LONG_MS = 12, ROW = 60, LIMIT_MS = 300 };

	for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme <= LSCHED_SCHEME_SYNC; scheme++) {
		lsched_run_options o;
		bad b;

		o = RUN_OPTIONS(.scheme = (lsched_scheme)scheme, .timeout_ms = LIMIT_MS);
		CHECK(bad_open(&b, ROW, 1, &o), "a context, a graph and a run");
		b.c.act = BAD_LONG;
		b.c.long_ns = LONG_MS * 1000000;
		CHECK(bad_once(&b) == LSCHED_OK && bad_wrong(&b) == 0, "%s: %s",
			lsched_scheme_name((lsched_scheme)scheme), lsched_run_error(b.run));
		bad_close(&b);
	}
}

/* One task, four times as long as the limit: neither the caller nor an idle worker stops it. */
static void a_long_task_that_reports_progress_is_no_timeout(void)
{
	for (uint32_t workers = 1; workers <= 3; workers += 2) {
		lsched_run_options o = RUN_OPTIONS(.timeout_ms = 300, .workers = workers);
		bad b;

		CHECK(bad_open(&b, 2, 1, &o), "a context, a graph and a run");
		b.c.act = BAD_LONG;
		b.c.long_ns = 1200000000;
		b.c.reports = 1;
		CHECK(bad_once(&b) == LSCHED_OK && bad_wrong(&b) == 0, "%s",
			lsched_run_error(b.run));
		bad_close(&b);
	}
}

/* No worker is idle, so only the caller's wait finds the timeout. The task polls
 * lsched_cancelled() and returns. */
static void a_task_that_returns_when_cancelled_leaves_all_usable(void)
{
	for (uint32_t workers = 1; workers <= 3; workers += 2) {
		lsched_run_options o;
		bad b;

		o = RUN_OPTIONS(.timeout_ms = 100, .workers = workers);
		CHECK(bad_open(&b, W, H, &o), "a context, a graph and a run");
		b.c.act = BAD_RETURNS;
		b.c.act_task = 100;
		CHECK(bad_once(&b) == LSCHED_ERR_TIMEOUT &&
				strstr(lsched_run_error(b.run), "no progress for 100 ms"),
			"%s", lsched_run_error(b.run));
		CHECK(bad_good_again(&b), "%s", lsched_run_error(b.run));
		bad_close(&b);
	}
}

/* Every call on a lost context is refused, and destroying and closing work. */
static void check_lost_context(bad *b, lsched_run **behind, const lsched_run_options *o)
{
	lsched_run *none;
	void *m;

	CHECK(lsched_run_start(b->run, &b->c, 2 * W, NULL) == LSCHED_ERR_STATE &&
			strstr(lsched_run_error(b->run), "task 30 "),
		"%s", lsched_run_error(b->run));
	none = *behind;
	CHECK(lsched_run_create(&none, b->ctx, &bad_cpu_program, o) == LSCHED_ERR_STATE && !none,
		"%s", lsched_last_error(b->ctx));
	m = b;
	CHECK(lsched_mem_alloc(b->ctx, &m, 4) == LSCHED_ERR_STATE && !m, "memory");
	CHECK(lsched_mem_zero(b->ctx, gate, 4) == LSCHED_ERR_STATE, "memory");
	lsched_run_destroy(behind);
	lsched_run_destroy(&b->run);
	lsched_csr_destroy(&b->g);
	lsched_mem_free(b->ctx, b->c.runs);
	CHECK(!*behind && !b->run, "destroyed");
	lsched_close(&b->ctx);
	CHECK(!b->ctx, "closed");
}

/* The caller or an idle worker finds the timeout, with every scheme and queue. Sets *begun to 0 if
 * a busy machine kept the threads from running for the time limit before the task began. */
static void check_stuck(lsched_scheme scheme, lsched_queue queue, uint32_t workers, int *begun)
{
	static uint32_t later[3]; /* of the later run; static, as gate is */
	lsched_run_options o;
	lsched_run *behind = NULL;
	bad_ctx c;
	bad b;

	o = RUN_OPTIONS(.scheme = scheme, .queue = queue, .workers = workers, .timeout_ms = 60);
	CHECK(bad_open(&b, W, 2, &o), "a context, a graph and a run");
	o.max_tasks = 2 * W;
	o.workers = 0;
	o.timeout_ms = 20000; /* it is healthy, also where its threads get no processor for long */
	CREATE(&behind, b.ctx, &bad_cpu_program, &o);
	b.c.act = BAD_STUCK;
	b.c.act_task = 30;
	c = b.c;
	c.act = BAD_NOTHING;
	c.gate = later;
	CHECK(lsched_run_start(b.run, &b.c, 2 * W, NULL) == LSCHED_OK, "%s",
		lsched_run_error(b.run));
	CHECK(lsched_run_start(behind, &c, 2 * W, NULL) == LSCHED_OK, "%s",
		lsched_run_error(behind));
	if (workers == 2) { /* waits for the later run first, which needs all threads or not */
		const lsched_status st = lsched_run_finish(behind, NULL);

		CHECK(st == LSCHED_OK || st == LSCHED_ERR_STATE, "%s", lsched_run_error(behind));
	} else if (workers == 3) { /* asking is enough */
		while (!lsched_run_done(b.run))
			lsched_i_relax(0, 1);
	}
	CHECK(lsched_run_finish(b.run, NULL) == LSCHED_ERR_TIMEOUT, "%s", lsched_run_error(b.run));
	if (lsched_ld(&gate[1], acq, dev) == 0) {
		(void)lsched_run_finish(behind, NULL);
		lsched_run_destroy(&behind);
		bad_close(&b);
		*begun = 0;
		return;
	}
	CHECK(lsched_run_error_task(b.run) == 30, "%s", lsched_run_error(b.run));
	CHECK(strstr(lsched_run_error(b.run), "task 30 on worker ") &&
			strstr(lsched_run_error(b.run), "does not return") &&
			strstr(lsched_run_error(b.run), "the context is lost"),
		"%s", lsched_run_error(b.run));
	CHECK(lsched_ld(&gate[1], acq, dev) == 1, "it was entered once");
	CHECK(lsched_run_done(behind), "a lost run needs no waiting");
	if (workers != 2)
		CHECK(lsched_run_finish(behind, NULL) == LSCHED_ERR_STATE, "%s",
			lsched_run_error(behind));
	check_lost_context(&b, &behind, &o);
	/* The task returns now, and the memory of its context is freed. */
	lsched_st(&gate[0], 1u, rel, dev);
	for (uint32_t spins = 0; lsched_ld(&gate[2], acq, dev) == 0; spins++)
		lsched_i_relax(spins, 2);
}

static void a_task_that_never_returns_ends_in_an_error(void)
{
	/* each run waits for its limits: every scheme with one number of workers, or with all */
	for (uint32_t workers = 1; workers <= THREADS; workers++)
		for (int k = 0; k < LSCHED_QUEUE_COUNT + 2; k++) {
			if (!test_full() && workers != 1 + (uint32_t)k % THREADS)
				continue;
			for (int begun = 0; !begun;) {
				begun = 1;
				check_stuck(k < LSCHED_QUEUE_COUNT    ? LSCHED_SCHEME_DYNAMIC
					    : k == LSCHED_QUEUE_COUNT ? LSCHED_SCHEME_STATIC
								      : LSCHED_SCHEME_SYNC,
					k < LSCHED_QUEUE_COUNT ? (lsched_queue)k
							       : LSCHED_QUEUE_RING,
					workers, &begun);
			}
		}
}

/* A lost context does not affect another one. */
static void a_lost_context_does_not_affect_another(void)
{
	lsched_run_options o;
	bad lost, good;

	o = RUN_OPTIONS(.timeout_ms = 60);
	CHECK(bad_open(&good, W, 2, &o), "a context, a graph and a run");
	CHECK(bad_open(&lost, W, 2, &o), "a context, a graph and a run");
	lost.c.act = BAD_STUCK;
	lost.c.act_task = 0;
	CHECK(bad_once(&lost) == LSCHED_ERR_TIMEOUT, "%s", lsched_run_error(lost.run));
	CHECK(bad_good_again(&good), "%s", lsched_run_error(good.run));
	lsched_st(&gate[0], 1u, rel, dev);
	bad_close(&lost);
	CHECK(bad_good_again(&good), "%s", lsched_run_error(good.run));
	bad_close(&good);
}

static CU_TestInfo tests[] = {
	{ "the smallest queues do not hang", the_smallest_queues_do_not_hang },
	{ "a counter below zero is an error", a_counter_below_zero_is_an_error },
	{ "the error of a counter with a remainder names its task",
		the_error_of_a_counter_with_a_remainder_names_its_task },
	{ "a chain of long tasks is no timeout", a_chain_of_long_tasks_is_no_timeout },
	{ "a long task that reports progress is no timeout",
		a_long_task_that_reports_progress_is_no_timeout },
	{ "a task that returns when cancelled leaves all usable",
		a_task_that_returns_when_cancelled_leaves_all_usable },
	{ "a task that never returns ends in an error",
		a_task_that_never_returns_ends_in_an_error },
	{ "a lost context does not affect another", a_lost_context_does_not_affect_another },
	CU_TEST_INFO_NULL,
};

int main(void)
{

	bad_place.backend = LSCHED_BACKEND_CPU;
	bad_place.workers = THREADS;
	bad_place.program = &bad_cpu_program;
	bad_place.gate = gate;
	return test_run_one("bad use on threads", tests);
}
