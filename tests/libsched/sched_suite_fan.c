/* The queues that work in rounds: distribution of tasks over workers, full bins, timeouts that no
 * idle worker finds. On either backend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/fan.h"
#include "tests/libsched/sched_suite.h"

/* Ends a run that a faulty queue would not end. */
enum { SAFETY_LIMIT_MS = 30000 };

/* Two starts of the fan; counts[] receives the tasks of each worker in the second. */
static lsched_status fan_once(fan_ctx *c, const lsched_run_options *options, uint32_t roots,
	lsched_stats *s, uint64_t counts[FAN_WORKERS], char text[512])
{
	const uint32_t items = FAN_ROOTS + roots * c->leaves;
	lsched_worker_stats each;
	lsched_run_options o = *options;
	lsched_run *run;
	lsched_status st;
	uint32_t *ran;

	o.max_tasks = FAN_ROOTS;
	o.worker_stats = 1;
	if (o.run_limit_ms == 0)
		o.run_limit_ms = SAFETY_LIMIT_MS;
	st = lsched_run_create(&run, place.ctx, place.fan, &o);
	snprintf(text, 512, "%s", st ? lsched_last_error(place.ctx) : "");
	if (st)
		return st;
	c->ran = (uint32_t *)place.alloc(items * 4);
	c->begun = (uint32_t *)place.alloc((1 + FAN_WORKERS) * 4);
	ran = (uint32_t *)malloc(items * 4);
	for (int k = 0; k < 2 && st == LSCHED_OK; k++) {
		place.zero(c->ran, items * 4);
		place.zero(c->begun, (1 + FAN_WORKERS) * 4);
		st = lsched_run_start(run, c, roots, suite_stream(&o, 0));
		if (st == LSCHED_OK)
			st = lsched_run_finish(run, s);
	}
	snprintf(text, 512, "%s", lsched_run_error(run));
	for (uint32_t k = 0; k < s->workers && k < FAN_WORKERS; k++) {
		lsched_worker_stats_init(&each);
		if (lsched_run_worker_stats(run, k, &each) != LSCHED_OK && st == LSCHED_OK)
			st = LSCHED_ERR_STATE;
		counts[k] = each.tasks;
	}
	place.read(ran, c->ran, items * 4);
	for (uint32_t k = 0; k < items && st == LSCHED_OK; k++) {
		if (ran[k] == (k < roots || k >= FAN_ROOTS))
			continue;
		snprintf(text, 512, "item %u ran %u times", k, ran[k]);
		st = LSCHED_ERR_STATE;
	}
	free(ran);
	place.release(c->ran);
	place.release(c->begun);
	lsched_run_destroy(&run);
	return st;
}

/* Without balancing each worker runs its share of a level. One worker also runs the start item. */
static void the_tasks_of_a_level_are_divided_evenly_between_the_workers(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 7, 8, 31, 64 };

	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
		for (int q = 0; q < 2; q++) {
			fan_ctx c = { .leaves = 500, .stuck = LSCHED_NONE };
			const uint32_t even = c.leaves / workers[i];
			uint64_t count[FAN_WORKERS];
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];

			o = RUN_OPTIONS(.queue = round_queues[q], .workers = workers[i]);
			o.queue_capacity = o.bin_size = 512;
			CHECK(fan_once(&c, &o, 1, &s, count, text) == LSCHED_OK, "%s", text);
			CHECK(s.rounds == (o.queue == LSCHED_QUEUE_COMPACT ? 3 : 2), "%u rounds",
				s.rounds);
			CHECK(s.queue_high_water == c.leaves, "%u", s.queue_high_water);
			for (uint32_t k = 0; k < workers[i]; k++)
				CHECK(count[k] >= even && count[k] <= even + 2,
					"%s: worker %u of %u ran %llu of 500 leaves",
					lsched_queue_name(o.queue), k, workers[i],
					(unsigned long long)count[k]);
		}
	}
}

/* The worker of the start item waits until the others are counted as idle. Then it runs one leaf,
 * since every launch runs at least one task, and the others are distributed; workers go in step, so
 * none is idle again. */
static void balancing_distributes_evenly(void)
{
	static const uint32_t workers[] = { 2, 3, 5, 8 };

	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
		for (uint32_t leaves = 120; leaves < 124; leaves++) {
			fan_ctx c = { .leaves = leaves, .hold = 1, .stuck = LSCHED_NONE };
			const uint32_t even = (leaves - 1) / workers[i];
			uint64_t count[FAN_WORKERS], most = 0;
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];

			c.exempt = FAN_ROOTS + leaves - 1;
			c.in_step = workers[i];
			c.steps = even;
			o = RUN_OPTIONS(.queue = LSCHED_QUEUE_BALANCE, .workers = workers[i],
				.bin_size = 128, .idle_percent = 1);
			CHECK(fan_once(&c, &o, 1, &s, count, text) == LSCHED_OK, "%s", text);
			CHECK(s.rounds == 2, "%u rounds", s.rounds);
			CHECK(s.steals >= leaves - 2 - even && s.steals < leaves - even,
				"%llu dealt out of %u", (unsigned long long)s.steals, leaves - 1);
			for (uint32_t k = 0; k < workers[i]; k++) {
				CHECK(count[k] >= even && count[k] <= even + 3,
					"worker %u of %u ran %llu of %u", k, workers[i],
					(unsigned long long)count[k], leaves);
				most += count[k] > even + 1; /* start item, first leaf */
			}
			CHECK(most <= 1, "%llu workers with more", (unsigned long long)most);
		}
	}
}

/* Eight workers; a launch ends when half are idle. With five start items, held until the other
 * three workers are idle, all runs in one launch; with four there is another one. */
static void a_launch_ends_when_half_of_the_workers_are_idle(void)
{
	for (uint32_t roots = 4; roots <= 5; roots++) {
		fan_ctx c = { .leaves = 40, .stuck = LSCHED_NONE };
		uint64_t count[FAN_WORKERS];
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];

		c.exempt = LSCHED_NONE;
		if (roots == 5) {
			c.hold_idle = 3;
			c.in_step = 5;
			c.steps = c.leaves;
		} else {
			c.hold = 1;
		}
		o = RUN_OPTIONS(.queue = LSCHED_QUEUE_BALANCE, .workers = 8, .idle_percent = 50);
		CHECK(fan_once(&c, &o, roots, &s, count, text) == LSCHED_OK, "%s", text);
		CHECK(roots == 5 ? s.rounds == 1 && s.steals == 0 : s.rounds > 1 && s.steals > 0,
			"%u start items: %u rounds, %llu dealt out", roots, s.rounds,
			(unsigned long long)s.steals);
	}
}

/* ---- full bins, timeouts, statistics ---- */

static void a_full_bin_under_the_policy_fail_is_an_error_that_names_it(void)
{
	for (int q = 0; q < ROUND_QUEUES; q++) {
		fan_ctx c = { .leaves = 65, .stuck = LSCHED_NONE };
		uint64_t count[FAN_WORKERS];
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512], name[32];

		o = RUN_OPTIONS(.queue = round_queues[q], .workers = 3);
		o.queue_capacity = o.bin_size = 64;
		snprintf(name, sizeof(name), "queue %s ", lsched_queue_name(o.queue));
		CHECK(fan_once(&c, &o, 1, &s, count, text) == LSCHED_ERR_OVERFLOW, "%s", text);
		CHECK(strstr(text, name) && strstr(text, "64"), "%s", text);
		c.leaves = 64;
		CHECK(fan_once(&c, &o, 1, &s, count, text) == LSCHED_OK, "%s: %s", name, text);
	}
}

/* The start item, the first leaf, the last leaf: the timeout is detected also when the worker of
 * that task is the last one of a launch. */
static void a_task_that_does_not_end_is_found(void)
{
	for (int q = 0; q < ROUND_QUEUES; q++) {
		for (uint32_t k = 0; k < 3; k++) {
			fan_ctx c = { .leaves = 30 };
			uint64_t count[FAN_WORKERS];
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];

			c.stuck = k ? FAN_ROOTS + 29 * (k - 1) : 0;
			o = RUN_OPTIONS(.queue = round_queues[q], .workers = 3, .timeout_ms = 150);
			CHECK(fan_once(&c, &o, 1, &s, count, text) == LSCHED_ERR_TIMEOUT, "%s: %s",
				lsched_queue_name(o.queue), text);
			CHECK(strstr(text, "150 ms"), "%s", text);
		}
	}
}

static void the_run_limit_counts_all_rounds(void)
{
	for (int q = 0; q < ROUND_QUEUES; q++) {
		fan_ctx c = { .endless = 1, .stuck = LSCHED_NONE };
		uint64_t count[FAN_WORKERS];
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];

		o = RUN_OPTIONS(.queue = round_queues[q], .workers = 3, .run_limit_ms = 60);
		CHECK(fan_once(&c, &o, 2, &s, count, text) == LSCHED_ERR_TIMEOUT, "%s: %s",
			lsched_queue_name(o.queue), text);
		CHECK(strstr(text, "60 ms"), "%s", text);
		CHECK(s.tasks > 2, "%llu tasks", (unsigned long long)s.tasks);
	}
}

static void time_between_rounds_is_idle_time(void)
{
	for (int q = 0; q < ROUND_QUEUES; q++) {
		fan_ctx c = { .leaves = 60, .stuck = LSCHED_NONE };
		uint64_t count[FAN_WORKERS];
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];

		o = RUN_OPTIONS(.queue = round_queues[q], .workers = 4);
		o.queue_capacity = o.bin_size = 128;
		CHECK(fan_once(&c, &o, 2, &s, count, text) == LSCHED_OK, "%s", text);
		CHECK(s.busy_ns > 0 && s.busy_ns + s.idle_ns == 4 * s.elapsed_ns,
			"busy %llu, idle %llu, elapsed %llu", (unsigned long long)s.busy_ns,
			(unsigned long long)s.idle_ns, (unsigned long long)s.elapsed_ns);
	}
}

CU_TestInfo suite_fan_tests[] = {
	{ "the tasks of a level are divided evenly between the workers",
		the_tasks_of_a_level_are_divided_evenly_between_the_workers },
	{ "balancing distributes evenly", balancing_distributes_evenly },
	{ "a launch ends when half of the workers are idle",
		a_launch_ends_when_half_of_the_workers_are_idle },
	{ "a full bin under the policy fail is an error that names it",
		a_full_bin_under_the_policy_fail_is_an_error_that_names_it },
	{ "a task that does not end is found", a_task_that_does_not_end_is_found },
	{ "the run limit counts all rounds", the_run_limit_counts_all_rounds },
	{ "time between rounds is idle time", time_between_rounds_is_idle_time },
	CU_TEST_INFO_NULL,
};
