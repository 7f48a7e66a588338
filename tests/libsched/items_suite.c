/* Item programs: every item once, in every grain and through every queue; joins; bad use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"

items_place iplace;

int items_never_keep(void)
{
	iplace.never_keep = 1;
	return 0;
}

void items_keep_options(lsched_run_options *o, uint32_t nodes)
{
	if (!iplace.never_keep)
		return;
	o->never_keep = 1;
	o->queue_capacity = 32 * (2 * nodes + 1024);
	o->bin_size = (o->workers && o->workers <= 64 ? nodes : nodes / 8) + 256;
}

int items_keep(void)
{
	iplace.never_keep = 0;
	return 0;
}

lsched_status items_once(const lsched_program *p, const lsched_run_options *o, const void *ctx,
	uint32_t roots, lsched_stats *s, char *text, size_t bytes)
{
	lsched_run_options ro = *o;
	lsched_run *run;
	lsched_status st;

	if (ro.max_tasks == 0)
		ro.max_tasks = roots ? roots : 1;
	ro.never_keep |= iplace.never_keep;
	st = lsched_run_create(&run, iplace.ctx, p, &ro);
	snprintf(text, bytes, "%s", st ? lsched_last_error(iplace.ctx) : "");
	if (st)
		return st;
	st = lsched_run_start(run, ctx, roots, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, s);
	snprintf(text, bytes, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	return st;
}

lsched_status items_run_wide(const lsched_program *p, lsched_run_options o, const void *ctx,
	lsched_stats *s, char *text, size_t bytes)
{
	const uint32_t workers = o.workers;
	lsched_run *run = NULL;
	lsched_status st;

	o.max_tasks = 1;
	o.workers *= iplace.lanes;
	st = lsched_run_create(&run, iplace.wide, p, &o);
	snprintf(text, bytes, "%s", st ? lsched_last_error(iplace.wide) : "");
	if (st)
		return st;
	st = iplace.lanes > 1 ? lsched_run_set_workers(run, workers) : LSCHED_OK;
	st = st ? st : lsched_run_start(run, ctx, 1, NULL);
	st = st ? st : lsched_run_finish(run, s);
	snprintf(text, bytes, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	return st;
}

static marks_ctx forest(uint32_t nodes, uint32_t roots)
{
	marks_ctx c = { 0 };

	c.nodes = nodes;
	c.roots = roots;
	c.fail_node = c.excess = LSCHED_NONE;
	c.runs = (uint32_t *)iplace.alloc((size_t)(nodes ? nodes : 1) * 4);
	return c;
}

uint32_t items_wrong(const uint32_t *runs, uint32_t n)
{
	uint32_t *all = (uint32_t *)malloc((size_t)n * 4), bad = 0;

	if (!all)
		return n;
	iplace.read(all, runs, (size_t)n * 4);
	for (uint32_t k = 0; k < n; k++)
		bad += all[k] != 1;
	free(all);
	return bad;
}

/* Nodes that did not run exactly once. */
static uint32_t wrong(const marks_ctx *c)
{
	return items_wrong(c->runs, c->nodes);
}

static void check_marks(const lsched_program *p, int queues)
{
	const uint32_t sizes[][2] = { { 1, 1 }, { 2, 1 }, { 500, 1 }, { 500, 500 },
		{ iplace.nodes, 1 }, { iplace.nodes, 700 } };

	for (int q = 0; lsched_queue_name((lsched_queue)q) && (queues || q == 0); q++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			for (size_t k = 0; k < iplace.worker_counts; k++) {
				marks_ctx c = forest(sizes[i][0], sizes[i][1]);
				lsched_run_options o;
				lsched_stats s = { .struct_bytes = sizeof(s) };
				char text[512];
				lsched_status st;
				uint32_t bad;

				CHECK(c.runs, "memory");
				o = RUN_OPTIONS(.queue = (lsched_queue)q,
					.workers = iplace.workers[k]);
				if (items_in_rounds((lsched_queue)q)) {
					o.queue_capacity = 4 * c.nodes + 65536;
					o.bin_size = c.nodes / 8 + 256;
				}
				st = items_once(p, &o, &c, c.roots, &s, text, sizeof(text));
				bad = wrong(&c);
				iplace.release(c.runs);
				CHECK(st == LSCHED_OK && bad == 0 && s.tasks == c.nodes,
					"%s, %u nodes, %u roots, %u workers: %s, %u wrong, %llu "
					"ran",
					lsched_queue_name((lsched_queue)q), c.nodes, c.roots,
					o.workers, text, bad, (unsigned long long)s.tasks);
				CHECK(s.batch_items == (p == iplace.mwarp || p == iplace.mblock
								       ? 0
								       : s.tasks) &&
						s.batches <= s.batch_items &&
						s.batches * 32 >= s.batch_items,
					"%llu items in %llu batches",
					(unsigned long long)s.batch_items,
					(unsigned long long)s.batches);
				CHECK(s.pushes == s.pops, "%llu in, %llu out",
					(unsigned long long)s.pushes, (unsigned long long)s.pops);
			}
		}
	}
}

static void check_batches(uint32_t roots, uint32_t full, uint32_t batches)
{
	marks_ctx c = forest(roots, roots);
	lsched_run_options o = RUN_OPTIONS(.workers = 1);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];
	lsched_status st;

	CHECK(c.runs, "memory");
	st = items_once(full ? iplace.mlane : iplace.mwarp, &o, &c, roots, &s, text, sizeof(text));
	iplace.release(c.runs);
	CHECK(st == LSCHED_OK, "%s", text);
	CHECK(s.batches == batches && s.batch_items == full, "%llu items in %llu batches",
		(unsigned long long)s.batch_items, (unsigned long long)s.batches);
}

/* One worker draws 32 roots at once. */
static void batches_of_lane_items_are_counted(void)
{
	check_batches(0, 0, 0);
	check_batches(1, 1, 1);
	check_batches(31, 31, 1);
	check_batches(70, 70, 3);
	check_batches(70, 0, 0); /* warp items */
}

static void lane_items_run_once_through_every_queue(void)
{
	check_marks(iplace.mlane, 1);
}

static void lane_items_run_once_with_a_large_stack(void)
{
	check_marks(iplace.mone, 0);
}

static void procedures_are_not_mixed(void)
{
	check_marks(iplace.mprocs, 0);
}

static void warp_items_run_once_through_every_queue(void)
{
	check_marks(iplace.mwarp, 1);
}

static void block_items_run_once_through_every_queue(void)
{
	check_marks(iplace.mblock, 1);
}

/* In rounds no worker requests items: a worker that kept those of its stack would execute the whole
 * tree. */
static void block_items_are_divided_among_workers_in_rounds(void)
{
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		marks_ctx c = forest(2000, 1);
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];
		lsched_status st;

		CHECK(c.runs, "memory");
		o = RUN_OPTIONS(.queue = (lsched_queue)q, .queue_capacity = 65536 + 4 * c.nodes);
		st = items_in_rounds((lsched_queue)q)
			     ? items_once(iplace.mblock, &o, &c, c.roots, &s, text, sizeof(text))
			     : LSCHED_OK;
		iplace.release(c.runs);
		CHECK(st == LSCHED_OK, "%s", text);
		CHECK(!items_in_rounds((lsched_queue)q) || !iplace.groups || s.pushes > c.nodes / 4,
			"%s: %llu", lsched_queue_name((lsched_queue)q),
			(unsigned long long)s.pushes);
	}
}

/* `threads`: that may run an item; 0: any number of them. */
static void check_group(const lsched_program *p, uint32_t threads)
{
	enum { ROOTS = 100 };
	group_ctx c = { (uint32_t *)iplace.alloc(2 * sizeof(uint32_t)) };
	const lsched_run_options o = RUN_OPTIONS(.workers = iplace.workers[0]);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	uint32_t sums[2];
	char text[512];
	lsched_status st;

	CHECK(c.sums, "memory");
	st = items_once(p, &o, &c, ROOTS, &s, text, sizeof(text));
	iplace.read(sums, c.sums, sizeof(sums));
	iplace.release(c.sums);
	CHECK(st == LSCHED_OK && sums[0] == 0 && sums[1] % ROOTS == 0 && sums[1] &&
			(!threads || sums[1] == ROOTS * threads),
		"%s, %u wrong, %u threads", text, sums[0], sums[1]);
}

static void threads_of_an_item_sum_scan_and_split(void)
{
	check_group(iplace.glane, 1);
	check_group(iplace.gwarp, 0);
	check_group(iplace.gblock, 0);
}

static void check_fib(const lsched_program *p, uint32_t runs_a_node)
{
	uint64_t fib[64] = { 0, 1 };

	for (int k = 2; k < 64; k++)
		fib[k] = fib[k - 1] + fib[k - 2];
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		for (size_t k = 0; k < iplace.worker_counts; k++) {
			const uint32_t n = iplace.fib - (uint32_t)k % 3;
			/* of fib(n): 2 fib(n+1) - 1 calls, fib(n+1) - 1 of them fork */
			const uint64_t calls = 2 * fib[n + 1] - 1, forks = fib[n + 1] - 1;
			const fib_ctx c = { n };
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];
			lsched_status st;

			if (q > 0 && p == iplace.fibthen)
				continue;
			o = RUN_OPTIONS(.queue = (lsched_queue)q, .workers = iplace.workers[k]);
			if (items_in_rounds((lsched_queue)q)) {
				o.queue_capacity = 1u << 20;
				o.bin_size = 4096;
				o.max_joins = 1u << 20;
			}
			st = items_once(p, &o, &c, 1, &s, text, sizeof(text));
			CHECK(st == LSCHED_OK && s.value == fib[n],
				"%s, %u workers: %s, fib(%u) = %llu",
				lsched_queue_name((lsched_queue)q), o.workers, text, n,
				(unsigned long long)s.value);
			CHECK(s.tasks == calls + forks * (runs_a_node - 1), "%llu items",
				(unsigned long long)s.tasks);
		}
	}
}

static void values_are_returned_through_joins(void)
{
	check_fib(iplace.fibup, 1);
}

static void continuations_read_the_values_of_their_join(void)
{
	check_fib(iplace.fibthen, 2);
}

static void minimum_maximum_and_a_users_function_reduce(void)
{
	const fib_ctx c = { iplace.depth };
	uint64_t min = UINT64_MAX, max = 0, all = 0;
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];

	for (uint32_t k = 0; k < 3u << iplace.depth; k++) {
		const uint64_t v = fold_leaf(k);

		min = v < min ? v : min;
		max = v > max ? v : max;
		all ^= v;
	}
	o = RUN_OPTIONS();
	CHECK(items_once(iplace.foldmin, &o, &c, 3, &s, text, sizeof(text)) == LSCHED_OK, "%s",
		text);
	CHECK(s.value == min, "minimum %llx", (unsigned long long)s.value);
	CHECK(items_once(iplace.foldmax, &o, &c, 3, &s, text, sizeof(text)) == LSCHED_OK, "%s",
		text);
	CHECK(s.value == max, "maximum %llx", (unsigned long long)s.value);
	CHECK(items_once(iplace.foldxor, &o, &c, 3, &s, text, sizeof(text)) == LSCHED_OK, "%s",
		text);
	CHECK(s.value == all, "xor %llx", (unsigned long long)s.value);
}

/* One run, many starts; small pools, so that slots are reused many times. */
static void a_run_of_items_can_be_started_many_times(void)
{
	marks_ctx c = forest(iplace.nodes, 50);
	lsched_run_options o;
	lsched_run *run;

	CHECK(c.runs, "memory");
	o = RUN_OPTIONS(.max_tasks = 50, .workers = 7);
	CREATE(&run, iplace.ctx, iplace.mlane, &o);
	for (uint32_t k = 0; k < 30; k++) {
		lsched_stats s = { .struct_bytes = sizeof(s) };

		c.roots = 1 + k;
		c.fail_node = k % 7 == 3 ? 400 : LSCHED_NONE;
		iplace.zero(c.runs, (size_t)c.nodes * 4);
		CHECK(lsched_run_start(run, &c, c.roots, NULL) == LSCHED_OK, "%s",
			lsched_run_error(run));
		if (k % 7 == 3) {
			CHECK(lsched_run_finish(run, &s) == LSCHED_ERR_TASK_FAILED, "%s",
				lsched_run_error(run));
			CHECK(lsched_run_error_code(run) == ITEMS_ASKED_TO_FAIL, "code %d",
				lsched_run_error_code(run));
			continue;
		}
		CHECK(lsched_run_finish(run, &s) == LSCHED_OK, "%s", lsched_run_error(run));
		CHECK(wrong(&c) == 0 && s.tasks == c.nodes, "start %u", k);
	}
	CHECK(lsched_run_start(run, &c, 0, NULL) == LSCHED_OK, "no root");
	CHECK(lsched_run_finish(run, NULL) == LSCHED_OK, "no root");
	lsched_run_destroy(&run);
	iplace.release(c.runs);
}

static void an_error_names_the_pool_that_is_too_small(void)
{
	const fib_ctx f = { iplace.fib };
	marks_ctx c = forest(iplace.nodes, 1);
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];
	lsched_status st;

	CHECK(c.runs, "memory");
	o = RUN_OPTIONS(.workers = 1);
	/* rounded up to 32 for each thread, which is too few for the depth of 32 lanes */
	o.max_joins = 1;
	st = items_once(iplace.fibup, &o, &f, 1, &s, text, sizeof(text));
	CHECK(st == LSCHED_OK || (st == LSCHED_ERR_OVERFLOW && strstr(text, "max_joins")), "%s",
		text);
	o.max_joins = 0xffffffffu;
	st = items_once(iplace.fibup, &o, &f, 1, &s, text, sizeof(text));
	CHECK(st == LSCHED_ERR_ARG && strstr(text, "max_joins of 4294967295 is too large"), "%s",
		text);
	o.max_joins = 0;
	c.excess = 3;
	st = items_once(iplace.mlane, &o, &c, 1, &s, text, sizeof(text));
	CHECK(st == LSCHED_ERR_TASK_FAILED && strstr(text, "LSCHED_MAX_SPAWN"), "%s", text);
	iplace.release(c.runs);
}

static void a_failed_item_is_an_error(void)
{
	const lsched_program *programs[] = { iplace.mlane, iplace.mwarp, iplace.mblock };

	for (size_t k = 0; k < 3; k++) {
		marks_ctx c = forest(2000, 3);
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];
		lsched_status st;

		CHECK(c.runs, "memory");
		o = RUN_OPTIONS();
		c.fail_node = 777;
		st = items_once(programs[k], &o, &c, c.roots, &s, text, sizeof(text));
		iplace.release(c.runs);
		CHECK(st == LSCHED_ERR_TASK_FAILED &&
				strstr(text, "procedure 0 failed with code 63"),
			"%s", text);
	}
}

/* Workers with local items check for a cancel, too; otherwise this run would last hours. The queues
 * that work in rounds proceed breadth first and would run out of slots. */
static void items_that_spawn_without_end_are_cancelled(void)
{
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		lsched_run_progress_info p;
		lsched_run_options o;
		lsched_stats s = { .struct_bytes = sizeof(s) };
		lsched_run *run;
		fib_ctx f = { 64 };

		if (items_in_rounds((lsched_queue)q))
			continue;
		o = RUN_OPTIONS(.queue = (lsched_queue)q, .max_tasks = 1, .workers = 2,
			.queue_capacity = 1u << 16, .max_joins = 1u << 18);
		CREATE(&run, iplace.ctx, iplace.fibup, &o);
		CHECK(lsched_run_start(run, &f, 1, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
		lsched_run_progress_info_init(&p);
		do
			CHECK(lsched_run_progress(run, &p) == LSCHED_OK, "progress");
		while (p.executing && p.elapsed_ns < 5000000);
		CHECK(lsched_run_cancel(run) == LSCHED_OK, "%s",
			lsched_queue_name((lsched_queue)q));
		CHECK(lsched_run_finish(run, &s) == LSCHED_ERR_CANCELLED, "%s: %s",
			lsched_queue_name((lsched_queue)q), lsched_run_error(run));
		f.n = 10;
		CHECK(lsched_run_start(run, &f, 1, NULL) == LSCHED_OK &&
				lsched_run_finish(run, &s) == LSCHED_OK && s.value == 55,
			"%s: %s", lsched_queue_name((lsched_queue)q), lsched_run_error(run));
		lsched_run_destroy(&run);
	}
}

static void schemes_that_need_a_rule_are_refused(void)
{
	const fib_ctx f = { 3 };
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];

	o = RUN_OPTIONS(.scheme = LSCHED_SCHEME_STATIC);
	CHECK(items_once(iplace.fibup, &o, &f, 1, &s, text, sizeof(text)) == LSCHED_ERR_UNSUPPORTED,
		"%s", text);
}

CU_TestInfo items_tests[] = { { "lane items run once, through every queue",
				      lane_items_run_once_through_every_queue },
	{ "lane items run once with a large stack", lane_items_run_once_with_a_large_stack },
	{ "procedures are not mixed", procedures_are_not_mixed },
	{ "batches of lane items are counted", batches_of_lane_items_are_counted },
	{ "warp items run once, through every queue", warp_items_run_once_through_every_queue },
	{ "block items run once, through every queue", block_items_run_once_through_every_queue },
	{ "block items are divided among workers in rounds",
		block_items_are_divided_among_workers_in_rounds },
	{ "threads of an item sum, scan and split", threads_of_an_item_sum_scan_and_split },
	{ "values are returned through joins", values_are_returned_through_joins },
	{ "continuations read the values of their join",
		continuations_read_the_values_of_their_join },
	{ "minimum, maximum and a user's function reduce",
		minimum_maximum_and_a_users_function_reduce },
	{ "a run of items can be started many times", a_run_of_items_can_be_started_many_times },
	{ "an error names the pool that is too small", an_error_names_the_pool_that_is_too_small },
	{ "a failed item is an error", a_failed_item_is_an_error },
	{ "items that spawn without end are cancelled",
		items_that_spawn_without_end_are_cancelled },
	{ "schemes that need a rule are refused", schemes_that_need_a_rule_are_refused },
	CU_TEST_INFO_NULL };
