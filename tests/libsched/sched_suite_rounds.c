/* The queues that work in rounds: the number of rounds, small bins, starts of changing size. On
 * either backend; sched_suite_fan.c tests the distribution of tasks and full bins. */
#include <stdio.h>
#include <string.h>
#include "tests/libsched/sched_suite.h"

const lsched_queue round_queues[ROUND_QUEUES] = { LSCHED_QUEUE_RELAUNCH, LSCHED_QUEUE_COMPACT,
	LSCHED_QUEUE_BALANCE };

/* ---- the shared functions alone ---- */

static void positions_are_prefix_sums_of_the_counts(void)
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
		/* each item is found again, also after workers without items */
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

/* Ends a run that a faulty queue would not end. */
enum { SAFETY_LIMIT_MS = 30000 };

/* Starts the trees of the first items so many times in one run. */
static lsched_status grow(const lsched_run_options *options, uint32_t depth, uint32_t starts,
	lsched_stats *s, char text[512])
{
	tree_ctx c = { depth, LSCHED_NONE, NULL };
	lsched_run_options o = *options;
	lsched_status st = LSCHED_OK;
	const uint64_t expected = tree_nodes(&c);
	lsched_run *run;

	o.max_tasks = TREE_ROOTS;
	o.run_limit_ms = SAFETY_LIMIT_MS;
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

static void each_level_of_a_tree_is_one_round(void)
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
static void each_wavefront_of_a_graph_is_one_round(void)
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

/* ---- small bins, many starts ---- */

static void tiny_bins_lose_no_item(void)
{
	static const uint32_t sizes[] = { 2, 4, 64, 128 };
	uint64_t inlined = 0;

	for (size_t i = 0; i < place.worker_counts; i++) {
		for (int q = 0; q < ROUND_QUEUES; q++) {
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];

			o = RUN_OPTIONS(.queue = round_queues[q], .workers = place.workers[i]);
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

/* From 1 to 40 workers and back, and no memory is cleared in between. */
static void starts_of_changing_size_need_no_cleared_memory(void)
{
	for (int q = 0; q < ROUND_QUEUES; q++) {
		lsched_run_options o;
		lsched_run *run;
		graph g;

		CHECK(graph_open(&g, 10, 8, 2, 1), "memory");
		o = RUN_OPTIONS(.queue = round_queues[q], .max_tasks = g.tasks, .workers = 40);
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
		graph_run_close(&run, &g);
	}
}

/* ---- errors ---- */

/* No worker is idle in a launch, so a task that never becomes ready is detected when no task is
 * left to launch: at once, without a time limit. */
static void the_error_of_a_round_without_ready_tasks_names_the_waiting_task(void)
{
	for (int q = 0; q < ROUND_QUEUES; q++) {
		lsched_run_options o;
		char text[512];
		lsched_status st;
		graph g;

		CHECK(graph_open(&g, 16, 12, 2, 2), "memory");
		o = RUN_OPTIONS(.queue = round_queues[q], .workers = 5,
			.timeout_ms = LSCHED_NO_LIMIT_MS);
		g.c.hang_task = 100;
		st = graph_once(&g, &o, NULL, text, sizeof(text));
		graph_close(&g);
		CHECK(st == LSCHED_ERR_TIMEOUT && strstr(text, "task 100 ") &&
				strstr(text, lsched_queue_name(o.queue)),
			"%s", text);
	}
}

CU_TestInfo suite_rounds_tests[] = {
	{ "positions are prefix sums of the counts", positions_are_prefix_sums_of_the_counts },
	{ "shares are even and complete", shares_are_even_and_complete },
	{ "each level of a tree is one round", each_level_of_a_tree_is_one_round },
	{ "each wavefront of a graph is one round", each_wavefront_of_a_graph_is_one_round },
	{ "tiny bins lose no item", tiny_bins_lose_no_item },
	{ "starts of changing size need no cleared memory",
		starts_of_changing_size_need_no_cleared_memory },
	{ "the error of a round without ready tasks names the waiting task",
		the_error_of_a_round_without_ready_tasks_names_the_waiting_task },
	CU_TEST_INFO_NULL,
};
