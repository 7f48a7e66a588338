/* Priorities of items: the order with one worker under the queue prio; every item runs once with
 * any number of workers and any queue. */
#include <stdlib.h>
#include "tests/libsched/items_suite.h"

typedef struct urge_log {
	uint32_t *log, *place; /* [all]: numbers in order; index of each number */
	uint32_t all, wrong;   /* items that did not run once */
} urge_log;

/* Runs a program and reads its log. Returns the status. */
static lsched_status urge_run(const lsched_program *program, const lsched_run_options *o,
	uint32_t roots, uint32_t children, urge_log *g)
{
	const uint32_t all = roots * (1 + children);
	const urge_ctx c = { roots, children, (uint32_t *)iplace.alloc((size_t)all * 4),
		(uint32_t *)iplace.alloc(4), (uint32_t *)iplace.alloc((size_t)all * 4) };
	lsched_run *run = NULL;
	lsched_status st = lsched_run_create(&run, iplace.ctx, program, o);

	g->all = all;
	g->log = (uint32_t *)malloc((size_t)all * 4);
	g->place = (uint32_t *)calloc(all, 4);
	st = st ? st : lsched_run_start(run, &c, roots, NULL);
	st = st ? st : lsched_run_finish(run, NULL);
	g->wrong = items_wrong(c.runs, all);
	iplace.read(g->log, c.log, (size_t)all * 4);
	for (uint32_t k = 0; k < all; k++)
		g->place[g->log[k] < all ? g->log[k] : 0] = k;
	lsched_run_destroy(&run);
	iplace.release(c.log);
	iplace.release(c.count);
	iplace.release(c.runs);
	return st;
}

static void urge_free(urge_log *g)
{
	free(g->log);
	free(g->place);
}

/* With one item a chunk the most urgent of all existing items is always next. Simulates that: after
 * each item its children exist. Returns the first place in the log that differs. */
static uint32_t first_difference(const urge_log *g, uint32_t roots, uint32_t children)
{
	unsigned char *exists = (unsigned char *)calloc(g->all, 1);
	uint32_t k = 0;

	for (uint32_t i = 0; exists && i < roots; i++)
		exists[i] = 1;
	for (; exists && k < g->all; k++) {
		uint32_t best = LSCHED_NONE;

		for (uint32_t i = 0; i < g->all; i++)
			if (exists[i] == 1 && (best == LSCHED_NONE || urge_of(i) > urge_of(best)))
				best = i;
		if (best != g->log[k])
			break;
		exists[best] = 2;
		for (uint32_t i = 0; best < roots && i < children; i++)
			exists[roots + best * children + i] = 1;
	}
	free(exists);
	return k;
}

static void one_worker_runs_the_most_urgent_item_first(void)
{
	const uint32_t sizes[][2] = { { 1, 0 }, { 50, 0 }, { 200, 0 }, { 40, 3 }, { 60, 2 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		lsched_run_options o = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .workers = 1,
			.max_tasks = 256, .queue_capacity = 32 * 1024);
		uint32_t first;
		urge_log g;

		CHECK(urge_run(iplace.urgewarp, &o, sizes[i][0], sizes[i][1], &g) == LSCHED_OK,
			"%s", lsched_last_error(iplace.ctx));
		first = first_difference(&g, sizes[i][0], sizes[i][1]);
		CHECK(g.wrong == 0 && first == g.all, "%u roots, %u children: item %u of %u",
			sizes[i][0], sizes[i][1], first, g.all);
		urge_free(&g);
	}
}

/* A chunk runs at the place of its most urgent item: chunks of 32 roots, by their best one. */
static void one_worker_runs_the_most_urgent_chunk_first(void)
{
	lsched_run_options o = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .workers = 1,
		.max_tasks = 1024, .queue_capacity = 32 * 1024);
	uint32_t last = 0xffffffffu;
	urge_log g;

	CHECK(urge_run(iplace.urgelane, &o, 960, 0, &g) == LSCHED_OK && g.wrong == 0, "%s",
		lsched_last_error(iplace.ctx));
	/* roots 32 k .. 32 k + 31 enter together, as chunks of 16 of each procedure */
	for (uint32_t k = 0; k < 960; k += 16) {
		uint32_t best = 0;

		for (uint32_t i = k; i < k + 16; i++) {
			best = urge_of(g.log[i]) > best ? urge_of(g.log[i]) : best;
			CHECK(g.log[i] / 32 == g.log[k] / 32 && g.log[i] % 2 == g.log[k] % 2,
				"item %u is %u, not of the chunk of %u", i, g.log[i], g.log[k]);
		}
		CHECK(best < last, "chunk at %u is more urgent than the one before", k);
		last = best;
	}
	urge_free(&g);
}

static void items_with_priorities_run_once_through_every_queue(void)
{
	const lsched_program *programs[] = { iplace.urgewarp, iplace.urgelane };

	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		for (size_t k = 0; k < 2 * iplace.worker_counts; k++) {
			lsched_run_options o = RUN_OPTIONS(.queue = (lsched_queue)q,
				.workers = iplace.workers[k / 2], .max_tasks = 2000);
			lsched_status st;
			urge_log g;

			/* the pool of prio is small, so that items run without a free chunk */
			o.queue_capacity = q == LSCHED_QUEUE_PRIO ? 0 : 1u << 18;
			o.bin_size = items_in_rounds((lsched_queue)q) ? 4096 : 0;
			st = urge_run(programs[k % 2], &o, 2000, 3, &g);
			CHECK(st == LSCHED_OK && g.wrong == 0, "%s, %u workers: %s; %u wrong",
				lsched_queue_name((lsched_queue)q), o.workers,
				lsched_last_error(iplace.ctx), g.wrong);
			urge_free(&g);
		}
	}
}

/* With workers and controllers the order is approximate: urgent items run earlier on average. */
static void several_workers_run_urgent_items_earlier(void)
{
	lsched_run_options o = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO, .workers = 3,
		.max_tasks = 2000, .queue_capacity = 32 * 8192);
	double early = 0, late = 0;
	urge_log g;

	CHECK(urge_run(iplace.urgewarp, &o, 2000, 0, &g) == LSCHED_OK && g.wrong == 0, "%s",
		lsched_last_error(iplace.ctx));
	for (uint32_t i = 0; i < 2000; i++)
		*(urge_of(i) >> 31 ? &early : &late) += g.place[i] / 1000.0;
	CHECK(early < late, "mean places %.0f and %.0f", early, late);
	urge_free(&g);
}

CU_TestInfo items_prio_tests[] = { { "one worker runs the most urgent item first",
					   one_worker_runs_the_most_urgent_item_first },
	{ "one worker runs the most urgent chunk first",
		one_worker_runs_the_most_urgent_chunk_first },
	{ "items with priorities run once, through every queue",
		items_with_priorities_run_once_through_every_queue },
	{ "several workers run urgent items earlier", several_workers_run_urgent_items_earlier },
	CU_TEST_INFO_NULL };
