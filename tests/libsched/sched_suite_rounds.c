/* The queues that work in rounds: number of rounds, distribution of tasks, small bins, and timeouts
 * that no idle worker finds. On either executor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/fan.h"
#include "tests/libsched/sched_suite.h"

static const lsched_queue rounds[] = { LSCHED_QUEUE_RELAUNCH, LSCHED_QUEUE_COMPACT,
	LSCHED_QUEUE_BALANCE };
enum { KINDS = sizeof(rounds) / sizeof(rounds[0]) };

/* ---- the shared functions alone ---- */

static void places_are_sums_of_the_counts_before(void)
{
	enum { MOST = 200 };
	uint32_t count[MOST], at[MOST + 1], sum, x = 1;

	for (uint32_t n = 0; n <= MOST; n++) {
		for (uint32_t k = 0; k < n; k++) {
			x = graph_hash(x + k);
			count[k] = x % 4 ? x % 100 : 0;
		}
		memset(at, 0xee, sizeof(at));
		sum = lsched_i_prefix_sum(count, at, n);
		CHECK(at[n] == 0xeeeeeeeeu, "nothing is written behind the last of %u", n);
		for (uint32_t k = n; k-- > 0;) {
			sum -= count[k];
			CHECK(at[k] == sum, "place %u of %u: %u", k, n, at[k]);
		}
		CHECK(sum == 0, "the sum of %u is too large by %u", n, sum);
		/* each item is found again, also behind workers with none */
		for (uint32_t k = 0, i = 0; k < n; k++)
			for (uint32_t j = 0; j < count[k]; j++, i++)
				CHECK(lsched_i_balance_owner(at, n, i) == k, "item %u of %u", i, n);
	}
}

static void shares_are_even_and_complete(void)
{
	static const uint32_t things[] = { 0, 1, 2, 63, 64, 65, 1000, 0xfffffffdu };

	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		for (uint32_t workers = 1; workers < 70; workers++) {
			uint32_t end = 0;

			for (uint32_t k = 0; k < workers; k++) {
				const uint32_t first = lsched_i_share(things[i], k, workers);

				CHECK(first == end, "a gap before share %u", k);
				end = lsched_i_share(things[i], k + 1, workers);
				CHECK(end - first == things[i] / workers ||
						end - first == things[i] / workers + 1,
					"%u of %u for %u", end - first, things[i], workers);
			}
			CHECK(end == things[i], "%u of %u", end, things[i]);
		}
	}
}

/* ---- how many rounds ---- */

static uint32_t levels(const tree_ctx *c, uint32_t item)
{
	const uint32_t n = tree_children(c, item);
	uint32_t most = 0;

	for (uint32_t k = 0; k < n; k++) {
		const uint32_t below = levels(c, tree_child(item, k));

		most = below > most ? below : most;
	}
	return most + 1;
}

static uint64_t nodes(const tree_ctx *c, uint32_t item)
{
	const uint32_t n = tree_children(c, item);
	uint64_t sum = 1;

	for (uint32_t k = 0; k < n; k++)
		sum += nodes(c, tree_child(item, k));
	return sum;
}

/* A wrong queue may never end. */
enum { TREE_ROOTS = 3, AT_LAST_MS = 30000 };

/* The trees of the first items, with so many starts of one run. */
static lsched_status grow(const lsched_run_options *options, uint32_t depth, uint32_t starts,
	lsched_stats *s, char text[512])
{
	tree_ctx c = { depth, LSCHED_NONE, NULL };
	lsched_run_options o = *options;
	lsched_status st = LSCHED_OK;
	uint64_t expected = 0;
	lsched_run *run;

	o.max_tasks = TREE_ROOTS;
	o.run_limit_ms = AT_LAST_MS;
	for (uint32_t i = 0; i < TREE_ROOTS; i++)
		expected += nodes(&c, i);
	if (lsched_run_create(&run, place.ctx, place.tree, &o) != LSCHED_OK) {
		snprintf(text, 512, "%s", lsched_last_error(place.ctx));
		return LSCHED_ERR_ARG;
	}
	c.nodes = (uint32_t *)place.alloc(4);
	for (uint32_t k = 0; k < starts && st == LSCHED_OK; k++) {
		uint32_t n = 0;

		place.zero(c.nodes, 4);
		st = lsched_run_start(run, &c, TREE_ROOTS, suite_stream(&o, 0));
		if (st == LSCHED_OK)
			st = lsched_run_finish(run, s);
		place.read(&n, c.nodes, 4);
		snprintf(text, 512, "start %u: %u nodes of %llu, %llu pushes, %llu pops: %s", k, n,
			(unsigned long long)expected, (unsigned long long)s->pushes,
			(unsigned long long)s->pops, lsched_run_error(run));
		if (st == LSCHED_OK && (n != expected || s->tasks != expected ||
					       s->pushes + s->inlined != expected - TREE_ROOTS ||
					       s->pops != s->pushes))
			st = LSCHED_ERR_STATE;
	}
	lsched_run_destroy(&run);
	place.release(c.nodes);
	return st;
}

static void a_level_of_a_tree_is_a_round(void)
{
	tree_ctx c = { 0, LSCHED_NONE, NULL };

	for (size_t i = 0; i < place.worker_counts; i++) {
		const uint32_t depth = 3 + (uint32_t)i % 8;
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];
		uint32_t high = 0;

		c.depth = depth;
		for (uint32_t k = 0; k < TREE_ROOTS; k++)
			high = levels(&c, k) > high ? levels(&c, k) : high;
		o = RUN_OPTIONS(.workers = place.workers[i]);
		o.queue_capacity = o.bin_size = 1u << 14;
		o.queue = LSCHED_QUEUE_RELAUNCH;
		CHECK(grow(&o, depth, 2, &s, text) == LSCHED_OK, "%s", text);
		CHECK(s.rounds == high, "%u rounds for %u levels, %u workers", s.rounds, high,
			o.workers);
		o.queue = LSCHED_QUEUE_COMPACT;
		CHECK(grow(&o, depth, 2, &s, text) == LSCHED_OK, "%s", text);
		CHECK(s.rounds == 2 * high - 1, "%u rounds for %u levels and the copies between",
			s.rounds, high);
		o.queue = LSCHED_QUEUE_BALANCE;
		o.idle_percent = 100;
		CHECK(grow(&o, depth, 2, &s, text) == LSCHED_OK, "%s", text);
		CHECK(s.rounds == 1 && s.steals == 0, "%u rounds, %llu items dealt out", s.rounds,
			(unsigned long long)s.steals);
	}
}

/* A task becomes ready in the round of its last predecessor. */
static void a_wavefront_of_a_graph_is_a_round(void)
{
	for (size_t i = 0; i < place.worker_counts; i++) {
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		lsched_status st;
		char text[512];
		uint32_t wrong, waves;
		graph g;

		CHECK(graph_open(&g, 12, 9, 2, 2), "memory");
		o = RUN_OPTIONS(.workers = place.workers[i], .queue = LSCHED_QUEUE_RELAUNCH);
		st = graph_once(&g, &o, &s, text, sizeof(text));
		waves = graph_rule_wave_count(&g.c);
		wrong = graph_wrong(&g);
		graph_close(&g);
		CHECK(st == LSCHED_OK && wrong == 0, "%u workers: %s, %u wrong", o.workers, text,
			wrong);
		CHECK(s.rounds == waves, "%u rounds for %u wavefronts", s.rounds, waves);
	}
}

/* ---- distribution of tasks over workers ---- */

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
		o.run_limit_ms = AT_LAST_MS;
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

/* Without balancing: the workers' shares of a level. One worker has also run the start item. */
static void a_level_is_divided_evenly(void)
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

			o = RUN_OPTIONS(.queue = rounds[q], .workers = workers[i]);
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
static void half_the_workers_idle_end_a_launch(void)
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

/* ---- small bins, many starts ---- */

static void tiny_bins_lose_nothing(void)
{
	static const uint32_t sizes[] = { 2, 4, 64, 128 };
	uint64_t inlined = 0;

	for (size_t i = 0; i < place.worker_counts; i++) {
		for (int q = 0; q < KINDS; q++) {
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];

			o = RUN_OPTIONS(.queue = rounds[q], .workers = place.workers[i]);
			o.queue_capacity = o.bin_size = sizes[(i + (size_t)q) % 4];
			o.overflow = LSCHED_OVERFLOW_INLINE;
			CHECK(grow(&o, place.scale > 1 ? 9 : 11, 4, &s, text) == LSCHED_OK,
				"%s of %u, %u workers: %s", lsched_queue_name(o.queue), o.bin_size,
				o.workers, text);
			CHECK(s.queue_high_water <= o.bin_size, "%u", s.queue_high_water);
			inlined += s.inlined;
		}
	}
	CHECK(inlined > 0, "none was ever full");
}

static void a_full_bin_under_fail_is_an_error_naming_it(void)
{
	for (int q = 0; q < KINDS; q++) {
		fan_ctx c = { .leaves = 65, .stuck = LSCHED_NONE };
		uint64_t count[FAN_WORKERS];
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512], name[32];

		o = RUN_OPTIONS(.queue = rounds[q], .workers = 3);
		o.queue_capacity = o.bin_size = 64;
		snprintf(name, sizeof(name), "queue %s ", lsched_queue_name(o.queue));
		CHECK(fan_once(&c, &o, 1, &s, count, text) == LSCHED_ERR_OVERFLOW, "%s", text);
		CHECK(strstr(text, name) && strstr(text, "64"), "%s", text);
		c.leaves = 64;
		CHECK(fan_once(&c, &o, 1, &s, count, text) == LSCHED_OK, "%s: %s", name, text);
	}
}

/* From 1 to 40 workers and back, nothing cleared in between. */
static void starts_of_changing_size_need_no_clearing(void)
{
	for (int q = 0; q < KINDS; q++) {
		lsched_run_options o;
		lsched_run *run;
		graph g;

		CHECK(graph_open(&g, 10, 8, 2, 1), "memory");
		o = RUN_OPTIONS(.queue = rounds[q], .max_tasks = g.tasks, .workers = 40);
		o.queue_capacity = o.bin_size = 4;
		o.overflow = LSCHED_OVERFLOW_INLINE;
		CREATE(&run, place.ctx, place.graph, &o);
		for (uint32_t k = 0; k < 24; k++) {
			lsched_stats s = { .struct_bytes = sizeof(s) };

			g.c.w = 1 + k * 7 % 10;
			g.c.h = 1 + k * 5 % 8;
			g.c.slices = 1 + k % g.c.h % 2;
			g.tasks = g.c.w * g.c.h;
			graph_renew(&g);
			CHECK(lsched_run_start(run, &g.c, g.tasks, suite_stream(&o, 0)) ==
					LSCHED_OK,
				"%s", lsched_run_error(run));
			CHECK(lsched_run_finish(run, &s) == LSCHED_OK, "%s", lsched_run_error(run));
			CHECK(graph_wrong(&g) == 0, "%s, start %u", lsched_queue_name(o.queue), k);
			CHECK(s.workers == (g.tasks < 40 ? g.tasks : 40), "%u", s.workers);
		}
		lsched_run_destroy(&run);
		graph_close(&g);
	}
}

/* ---- errors that no idle worker finds ---- */

/* No worker is idle in a launch, so a task that is never ready is found when there is nothing left
 * to launch: at once, without a time limit. */
static void a_round_with_nothing_ready_names_the_task(void)
{
	for (int q = 0; q < KINDS; q++) {
		lsched_run_options o;
		char text[512];
		lsched_status st;
		graph g;

		CHECK(graph_open(&g, 16, 12, 2, 2), "memory");
		o = RUN_OPTIONS(.queue = rounds[q], .workers = 5, .timeout_ms = LSCHED_NO_LIMIT_MS);
		g.c.hang_task = 100;
		st = graph_once(&g, &o, NULL, text, sizeof(text));
		graph_close(&g);
		CHECK(st == LSCHED_ERR_TIMEOUT && strstr(text, "task 100 ") &&
				strstr(text, lsched_queue_name(o.queue)),
			"%s", text);
	}
}

/* Also when the worker of that task is the last in a launch, whichever it is. */
static void a_task_that_does_not_end_is_found(void)
{
	for (int q = 0; q < KINDS; q++) {
		for (uint32_t k = 0; k < 3; k++) {
			fan_ctx c = { .leaves = 30 };
			uint64_t count[FAN_WORKERS];
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];

			c.stuck = k ? FAN_ROOTS + 29 * (k - 1) : 0;
			o = RUN_OPTIONS(.queue = rounds[q], .workers = 3, .timeout_ms = 150);
			CHECK(fan_once(&c, &o, 1, &s, count, text) == LSCHED_ERR_TIMEOUT, "%s: %s",
				lsched_queue_name(o.queue), text);
			CHECK(strstr(text, "150 ms"), "%s", text);
		}
	}
}

static void the_run_limit_counts_all_rounds(void)
{
	for (int q = 0; q < KINDS; q++) {
		fan_ctx c = { .endless = 1, .stuck = LSCHED_NONE };
		uint64_t count[FAN_WORKERS];
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];

		o = RUN_OPTIONS(.queue = rounds[q], .workers = 3, .run_limit_ms = 60);
		CHECK(fan_once(&c, &o, 2, &s, count, text) == LSCHED_ERR_TIMEOUT, "%s: %s",
			lsched_queue_name(o.queue), text);
		CHECK(strstr(text, "60 ms"), "%s", text);
		CHECK(s.tasks > 2, "%llu tasks", (unsigned long long)s.tasks);
	}
}

static void time_between_rounds_is_idle_time(void)
{
	for (int q = 0; q < KINDS; q++) {
		fan_ctx c = { .leaves = 60, .stuck = LSCHED_NONE };
		uint64_t count[FAN_WORKERS];
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];

		o = RUN_OPTIONS(.queue = rounds[q], .workers = 4);
		o.queue_capacity = o.bin_size = 128;
		CHECK(fan_once(&c, &o, 2, &s, count, text) == LSCHED_OK, "%s", text);
		CHECK(s.busy_ns > 0 && s.busy_ns + s.idle_ns == 4 * s.elapsed_ns,
			"busy %llu, idle %llu, elapsed %llu", (unsigned long long)s.busy_ns,
			(unsigned long long)s.idle_ns, (unsigned long long)s.elapsed_ns);
	}
}

CU_TestInfo suite_rounds_tests[] = {
	{ "places are sums of the counts before", places_are_sums_of_the_counts_before },
	{ "shares are even and complete", shares_are_even_and_complete },
	{ "a level of a tree is a round", a_level_of_a_tree_is_a_round },
	{ "a wavefront of a graph is a round", a_wavefront_of_a_graph_is_a_round },
	{ "a level is divided evenly", a_level_is_divided_evenly },
	{ "balancing distributes evenly", balancing_distributes_evenly },
	{ "half the workers idle end a launch", half_the_workers_idle_end_a_launch },
	{ "tiny bins lose nothing", tiny_bins_lose_nothing },
	{ "a full bin under fail is an error naming it",
		a_full_bin_under_fail_is_an_error_naming_it },
	{ "starts of changing size need no clearing", starts_of_changing_size_need_no_clearing },
	{ "a round with nothing ready names the task", a_round_with_nothing_ready_names_the_task },
	{ "a task that does not end is found", a_task_that_does_not_end_is_found },
	{ "the run limit counts all rounds", the_run_limit_counts_all_rounds },
	{ "time between rounds is idle time", time_between_rounds_is_idle_time }, CU_TEST_INFO_NULL
};
