/* Graphs and a best-first search through the queue prio, on either backend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/common/effort.h"
#include "tests/libsched/prio_suite.h"

/* ---- a graph ---- */

static void graphs_keep_their_order_under_priorities(void)
{
	static const uint32_t capacity[] = { 0, 1, 5 };

	for (size_t i = 0; i < place.worker_counts; i++) {
		for (int k = 0; k < 3; k++) {
			lsched_run_options o;
			lsched_status st;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];
			uint32_t wrong;
			graph g;

			CHECK(graph_open(&g, 30, 24, 3, 3), "memory");
			o = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .queue_capacity = capacity[k],
				.overflow = k ? LSCHED_OVERFLOW_INLINE : LSCHED_OVERFLOW_FAIL,
				.workers = place.workers[i]);
			st = graph_once(&g, &o, &s, text, sizeof(text));
			wrong = graph_wrong(&g);
			graph_close(&g);
			CHECK(st == LSCHED_OK && wrong == 0,
				"capacity %u, %u workers: %s, %u wrong", capacity[k],
				place.workers[i], text, wrong);
			CHECK(s.pops + s.inlined == s.tasks && s.kept == 0, "%llu pops",
				(unsigned long long)s.pops);
		}
	}
}

static void a_run_with_priorities_can_be_started_many_times(void)
{
	lsched_run_options o;
	lsched_run *run;
	graph g;

	CHECK(graph_open(&g, 24, 18, 3, 2), "memory");
	o = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .max_tasks = g.tasks);
	CREATE(&run, place.ctx, place.graph, &o);
	for (uint32_t k = 0; k < 60; k++) {
		g.c.frames = 1 + k % 2;
		g.c.slices = 1 + k % 5;
		g.c.w = k % 7 ? 24 - k % 3 : 1;
		g.tasks = g.c.w * g.c.h * g.c.frames;
		graph_renew(&g);
		CHECK(lsched_run_start(run, &g.c, g.tasks, place.stream(0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_finish(run, NULL) == LSCHED_OK, "start %u: %s", k,
			lsched_run_error(run));
		CHECK(graph_wrong(&g) == 0, "start %u", k);
	}
	graph_run_close(&run, &g);
}

static void a_hang_is_found_under_a_controller(void)
{
	static const uint32_t workers[] = { 1, 5 };

	for (int i = 0; i < 2; i++) {
		lsched_run_options o;
		lsched_run *run;
		graph g;

		CHECK(graph_open(&g, 16, 12, 2, 2), "memory");
		o = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .max_tasks = g.tasks, .timeout_ms = 150,
			.workers = workers[i]);
		CREATE(&run, place.ctx, place.graph, &o);
		g.c.hang_task = 100;
		CHECK(lsched_run_start(run, &g.c, g.tasks, place.stream(0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_finish(run, NULL) == LSCHED_ERR_TIMEOUT, "%s",
			lsched_run_error(run));
		CHECK(strstr(lsched_run_error(run), "task 100 ") &&
				strstr(lsched_run_error(run), "queue prio"),
			"%s", lsched_run_error(run));
		g.c.hang_task = LSCHED_NONE;
		graph_renew(&g);
		CHECK(lsched_run_start(run, &g.c, g.tasks, place.stream(0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_finish(run, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
		CHECK(graph_wrong(&g) == 0, "after a hang");
		graph_run_close(&run, &g);
	}
}

/* ---- the search ---- */

/* The optimum, by dynamic programming. */
static uint32_t knapsack_optimum(const knapsack_ctx *c)
{
	uint32_t *best = (uint32_t *)calloc(c->room + 1, sizeof(*best)), value;

	if (!best)
		return 0;
	for (uint32_t i = 0; i < KNAPSACK_ITEMS; i++)
		for (uint32_t r = c->room; r >= c->weight[i]; r--)
			if (best[r - c->weight[i]] + c->value[i] > best[r])
				best[r] = best[r - c->weight[i]] + c->value[i];
	value = best[c->room];
	free(best);
	return value;
}

/* Weights 20 to 219, values close to them: a hard instance. */
static void knapsack_fill(knapsack_ctx *c, uint32_t seed)
{
	c->room = 0;
	for (uint32_t i = 0; i < KNAPSACK_ITEMS; i++) {
		const uint32_t weight = 20 + graph_hash(seed + 2 * i) % 200;
		const uint32_t value = weight + graph_hash(seed + 2 * i + 1) % 30;
		uint32_t k = i;

		for (; k && value * c->weight[k - 1] > c->value[k - 1] * weight; k--) {
			c->value[k] = c->value[k - 1];
			c->weight[k] = c->weight[k - 1];
		}
		c->value[k] = value;
		c->weight[k] = weight;
		c->room += weight;
	}
	c->room /= 2;
}

/* Returns the number of expanded nodes; on failure prints a line and returns 0. */
static uint32_t knapsack_search(
	knapsack_ctx *c, lsched_queue queue, uint32_t workers, uint32_t *best)
{
	uint32_t word[KNAPSACK_WORDS] = { 0 };
	lsched_run_options o;
	lsched_run *run;
	lsched_status st;

	o = RUN_OPTIONS(.queue = queue, .workers = workers, .max_tasks = 1,
		.queue_capacity = c->node_max);
	/* with shorter tasks the controller is too slow, and the order is that of a FIFO */
	c->work = workers == 1 ? 0 : 5000;
	place.zero(c->word, KNAPSACK_WORDS * 4);
	st = lsched_run_create(&run, place.ctx, prio_place.knapsack, &o);
	if (st == LSCHED_OK)
		st = lsched_run_start(run, c, 1, place.stream(0));
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, NULL);
	if (st != LSCHED_OK)
		fprintf(stderr, "%s, %u workers: %s\n", lsched_queue_name(queue), workers,
			lsched_run_error(run));
	lsched_run_destroy(&run);
	place.read(word, c->word, sizeof(word));
	*best = word[KNAPSACK_BEST];
	return st == LSCHED_OK ? word[KNAPSACK_EXPANDED] : 0;
}

static void a_best_first_search_finds_the_optimum_with_fewer_nodes(void)
{
	knapsack_ctx c;

	memset(&c, 0, sizeof(c));
	c.node_max = 1u << 18;
	c.node = (knapsack_node *)place.alloc(c.node_max * sizeof(*c.node));
	c.word = (uint32_t *)place.alloc(KNAPSACK_WORDS * 4);
	CHECK(c.node && c.word, "memory");
	printf("\n");
	for (uint32_t seed = 1; seed < 4; seed++) {
		uint32_t optimum, best, alone, fifo;

		knapsack_fill(&c, seed * 1000);
		optimum = knapsack_optimum(&c);
		alone = knapsack_search(&c, LSCHED_QUEUE_PRIO, 1, &best);
		CHECK(alone && best == optimum, "seed %u: %u, not %u", seed, best, optimum);
		fifo = knapsack_search(&c, LSCHED_QUEUE_RING, 1, &best);
		CHECK(fifo && best == optimum, "seed %u: %u, not %u", seed, best, optimum);
		printf("seed %u: %u nodes best first, %u first come\n", seed, alone, fifo);
		CHECK(alone * 2 < fifo, "seed %u: %u nodes, %u", seed, alone, fifo);
		for (size_t i = 0; i < place.worker_counts; i++) {
			const uint32_t threads = (uint32_t)test_effort(8, 8, 2);
			const uint32_t most = place.lanes == 1 ? threads : 65;
			uint32_t n;

			/* With many threads on few processors a controller runs too rarely;
			 * hundreds of warps are faster than their controller, search in breadth,
			 * and run out of nodes. */
			if (place.workers[i] > most || place.workers[i] == 0)
				continue;
			n = knapsack_search(&c, LSCHED_QUEUE_PRIO, place.workers[i], &best);
			CHECK(n && best == optimum, "seed %u, %u workers: %u, not %u", seed,
				place.workers[i], best, optimum);
		}
	}
	place.release(c.node);
	place.release(c.word);
}

CU_TestInfo suite_prio_graph_tests[] = {
	{ "graphs keep their order under priorities", graphs_keep_their_order_under_priorities },
	{ "a run with priorities can be started many times",
		a_run_with_priorities_can_be_started_many_times },
	{ "a hang is found under a controller", a_hang_is_found_under_a_controller },
	{ "a best-first search finds the optimum with fewer nodes",
		a_best_first_search_finds_the_optimum_with_fewer_nodes },
	CU_TEST_INFO_NULL,
};
