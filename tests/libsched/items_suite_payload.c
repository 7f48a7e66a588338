/* The payload pool of item programs: exclusive blocks, bounded memory, changes of sizes, stops, bad
 * use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"

enum { PAGE = 16384 };

static int pay_open(pay_ctx *c, uint32_t makers, uint32_t sizes, uint32_t max_bytes)
{
	memset(c, 0, sizeof(*c));
	c->makers = makers;
	c->sizes = sizes;
	c->max_bytes = max_bytes;
	c->twice = c->foreign = LSCHED_NONE;
	c->keep = LSCHED_NONE;
	c->runs = (uint32_t *)iplace.alloc((size_t)makers * 4);
	c->refused = (uint32_t *)iplace.alloc(4);
	return c->runs && c->refused;
}

static void pay_close(const pay_ctx *c)
{
	iplace.release(c->runs);
	iplace.release(c->refused);
}

/* Users that did not run exactly once. */
static uint32_t pay_wrong(const pay_ctx *c)
{
	uint32_t *runs = (uint32_t *)malloc((size_t)c->makers * 4), bad = 0;

	if (!runs)
		return c->makers;
	iplace.read(runs, c->runs, (size_t)c->makers * 4);
	for (uint32_t k = 0; k < c->makers; k++)
		bad += runs[k] != 1;
	free(runs);
	return bad;
}

static lsched_run_options pay_options(lsched_queue q, uint32_t workers, uint32_t makers)
{
	lsched_run_options o = RUN_OPTIONS(.queue = q, .workers = workers, .max_tasks = makers);

	if (q == LSCHED_QUEUE_RELAUNCH || q == LSCHED_QUEUE_COMPACT || q == LSCHED_QUEUE_BALANCE) {
		o.queue_capacity = 4 * makers + 65536;
		o.bin_size = makers / 8 + 256;
	}
	items_keep_options(&o, makers * 8);
	return o;
}

/* Runs makers with a pool of so many pages, stopping after stop_after items. */
static void check_pay(const lsched_program *program, const lsched_run_options *options,
	const pay_ctx *c, uint64_t pages, int must_refuse)
{
	lsched_run_options o = *options;
	uint64_t ran = 0, most = 0;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	uint32_t parts = 0, refused = 0;
	lsched_status st;
	lsched_run *run;

	o.payload_bytes = pages * PAGE;
	CREATE(&run, iplace.ctx, program, &o);
	st = lsched_run_start(run, c, c->makers, NULL);
	while (st == LSCHED_OK) {
		st = lsched_run_finish(run, &s);
		ran += s.tasks;
		parts++;
		most = s.payload_high_water > most ? s.payload_high_water : most;
		if (st != LSCHED_OK || !s.stopped)
			break;
		st = lsched_run_continue(run, c, 0, NULL);
	}
	iplace.read(&refused, c->refused, 4);
	CHECK(st == LSCHED_OK && ran == 2 * (uint64_t)c->makers && pay_wrong(c) == 0,
		"%s, %u workers: %s (code %d), %llu ran in %u parts", lsched_queue_name(o.queue),
		o.workers, lsched_run_error(run), lsched_run_error_code(run),
		(unsigned long long)ran, parts);
	CHECK(s.payload_left == 0 && most > 0 && most <= pages * PAGE,
		"%llu bytes left, %llu at most", (unsigned long long)s.payload_left,
		(unsigned long long)most);
	CHECK(!must_refuse || refused > 0, "the pool was never full");
	CHECK(!o.stop_after || parts > 1, "%u parts", parts);
	lsched_run_destroy(&run);
}

static void blocks_are_exclusive_through_every_queue(void)
{
	const uint32_t makers = iplace.nodes / 15;

	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		for (size_t k = 0; k < iplace.worker_counts; k++) {
			lsched_run_options o =
				pay_options((lsched_queue)q, iplace.workers[k], makers);
			pay_ctx c;

			CHECK(pay_open(&c, makers, PAY_MIXED, PAGE), "memory");
			check_pay(iplace.paylane, &o, &c, 40, 0);
			iplace.zero(c.runs, (size_t)makers * 4);
			/* so few that makers must wait for users */
			check_pay(iplace.paylane, &o, &c, 3, 0);
			iplace.zero(c.runs, (size_t)makers * 4);
			o.stop_after = makers / 2;
			check_pay(iplace.paylane, &o, &c, 12, 0);
			pay_close(&c);
		}
	}
}

/* The users that a stop has left hold blocks for which the makers that are run first wait. */
static void users_left_by_a_stop_free_blocks_for_makers(void)
{
	const uint32_t makers = 2000;

	for (uint32_t workers = 1; workers <= 2; workers++) {
		for (uint32_t stop_after = 100; stop_after < 1500; stop_after += 97) {
			lsched_run_options o = pay_options(LSCHED_QUEUE_RING, workers, makers);
			pay_ctx c;

			o.stop_after = stop_after;
			CHECK(pay_open(&c, makers, PAY_MIXED, PAGE), "memory");
			check_pay(iplace.paylane, &o, &c, 3, 0);
			pay_close(&c);
		}
	}
}

static void blocks_are_exclusive_in_every_grain(void)
{
	const uint32_t makers = iplace.nodes / 5;

	for (size_t k = 0; k < iplace.worker_counts; k++) {
		lsched_run_options o = pay_options(LSCHED_QUEUE_RING, iplace.workers[k], makers);
		pay_ctx c;

		CHECK(pay_open(&c, makers, PAY_MIXED, PAGE), "memory");
		check_pay(iplace.paywarp, &o, &c, 40, 0);
		iplace.zero(c.runs, (size_t)makers * 4);
		check_pay(iplace.payblock, &o, &c, 5, 0);
		iplace.zero(c.runs, (size_t)makers * 4);
		o.queue = LSCHED_QUEUE_DONATE;
		check_pay(iplace.paywarp, &o, &c, 2, 0);
		pay_close(&c);
	}
}

/* Empty slabs return to the pool: after small blocks all memory is available to large ones. */
static void a_change_of_sizes_does_not_starve(void)
{
	const uint32_t makers = 4000;
	lsched_run_options o = pay_options(LSCHED_QUEUE_RING, 3, makers);
	pay_ctx c;

	CHECK(pay_open(&c, makers, PAY_CHANGE, PAGE), "memory");
	check_pay(iplace.paylane, &o, &c, 2, 0);
	pay_close(&c);
	/* one block fills the pool */
	CHECK(pay_open(&c, 100, PAY_ONE, PAGE), "memory");
	check_pay(iplace.paylane, &o, &c, 1, 1);
	pay_close(&c);
	/* large pages, and blocks of all sizes in them */
	CHECK(pay_open(&c, makers, PAY_MIXED, 16 * PAGE), "memory");
	o.payload_max_bytes = 16 * PAGE;
	check_pay(iplace.paylane, &o, &c, 160, 0);
	pay_close(&c);
}

/* Runs makers once; returns the status. */
static lsched_status pay_once(
	const lsched_program *p, const lsched_run_options *o, const pay_ctx *c, char *text)
{
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;
	lsched_status st = lsched_run_create(&run, iplace.ctx, p, o);

	snprintf(text, 512, "%s", st ? lsched_last_error(iplace.ctx) : "");
	if (st)
		return st;
	st = lsched_run_start(run, c, c->makers, NULL);
	st = st ? st : lsched_run_finish(run, &s);
	snprintf(text, 512, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	return st;
}

static void bad_use_of_the_pool_is_an_error(void)
{
	lsched_run_options o = pay_options(LSCHED_QUEUE_RING, 2, 100);
	char text[512];
	pay_ctx c;

	CHECK(pay_open(&c, 100, PAY_MIXED, PAGE), "memory");
	o.payload_bytes = 100 * PAGE;
	c.twice = 50;
	CHECK(pay_once(iplace.paylane, &o, &c, text) == LSCHED_ERR_ARG &&
			strstr(text, "not of a payload block in use"),
		"%s", text);
	c.twice = LSCHED_NONE;
	c.foreign = 70;
	CHECK(pay_once(iplace.paylane, &o, &c, text) == LSCHED_ERR_ARG &&
			strstr(text, "not of a payload block in use"),
		"%s", text);
	c.foreign = LSCHED_NONE;
	c.sizes = PAY_ONE;
	c.max_bytes = PAGE + 1;
	CHECK(pay_once(iplace.paylane, &o, &c, text) == LSCHED_ERR_ARG &&
			strstr(text, "payload_max_bytes"),
		"%s", text);
	c.max_bytes = PAGE;
	o.payload_bytes = o.payload_max_bytes = 0;
	CHECK(pay_once(iplace.paynone, &o, &c, text) == LSCHED_ERR_UNSUPPORTED &&
			strstr(text, "LSCHED_PAYLOADS"),
		"%s", text);
	o.payload_bytes = 1;
	CHECK(pay_once(iplace.paynone, &o, &c, text) == LSCHED_ERR_UNSUPPORTED &&
			strstr(text, "LSCHED_PAYLOADS"),
		"%s", text);
	o.payload_bytes = UINT64_C(1) << 36;
	CHECK(pay_once(iplace.paylane, &o, &c, text) == LSCHED_ERR_ARG &&
			strstr(text, "payload_bytes"),
		"%s", text);
	o.payload_bytes = 0;
	o.payload_max_bytes = (1u << 24) + 1;
	CHECK(pay_once(iplace.paylane, &o, &c, text) == LSCHED_ERR_ARG &&
			strstr(text, "payload_max_bytes"),
		"%s", text);
	pay_close(&c);
}

static void blocks_that_are_not_freed_are_counted_and_freed_by_the_next_start(void)
{
	lsched_run_options o = pay_options(LSCHED_QUEUE_STEAL, 3, 64);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;
	pay_ctx c;

	CHECK(pay_open(&c, 64, PAY_ONE, PAGE), "memory");
	o.payload_bytes = 64 * PAGE;
	c.keep = 10;
	CREATE(&run, iplace.ctx, iplace.paylane, &o);
	for (int k = 0; k < 3; k++) {
		CHECK(lsched_run_start(run, &c, 64, NULL) == LSCHED_OK &&
				lsched_run_finish(run, &s) == LSCHED_OK,
			"%s", lsched_run_error(run));
		CHECK(s.payload_left == 54 * PAGE && s.payload_high_water >= 54 * PAGE, "%llu left",
			(unsigned long long)s.payload_left);
	}
	lsched_run_destroy(&run);
	pay_close(&c);
}

/* Reports a rate, for the GPU; fails only if blocks are lost. */
static void workers_reserve_and_free_blocks_all_the_time(void)
{
	const uint32_t items = TEST_SANITIZED ? 64 : 1u << 14;
	lsched_run_options o = pay_options(LSCHED_QUEUE_STEAL, 0, items);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	uint32_t refused = 0;
	lsched_run *run;
	pay_ctx c;

	CHECK(pay_open(&c, items, PAY_ONE, 64), "memory");
	o.payload_bytes = UINT64_C(1) << 28;
	CREATE(&run, iplace.ctx, iplace.payspin, &o);
	for (int k = 0; k < 2; k++)
		CHECK(lsched_run_start(run, &c, items, NULL) == LSCHED_OK &&
				lsched_run_finish(run, &s) == LSCHED_OK && s.payload_left == 0,
			"%s", lsched_run_error(run));
	iplace.read(&refused, c.refused, 4);
	printf("\n    %.1f M blocks of 512 to 1,023 bytes reserved and freed a second, "
	       "%u workers, %u refused",
		items * 64.0 / (double)s.elapsed_ns * 1e3, s.workers, refused);
	lsched_run_destroy(&run);
	pay_close(&c);
}

/* Those of runs whose items all pass through the queue. */
CU_TestInfo items_payload_keep_tests[] = { { "blocks are exclusive, through every queue",
						   blocks_are_exclusive_through_every_queue },
	CU_TEST_INFO_NULL };

CU_TestInfo items_payload_tests[] = { { "blocks are exclusive, through every queue",
					      blocks_are_exclusive_through_every_queue },
	{ "users left by a stop free blocks for makers",
		users_left_by_a_stop_free_blocks_for_makers },
	{ "blocks are exclusive in every grain", blocks_are_exclusive_in_every_grain },
	{ "a change of sizes does not starve", a_change_of_sizes_does_not_starve },
	{ "bad use of the pool is an error", bad_use_of_the_pool_is_an_error },
	{ "blocks that are not freed are counted, and freed by the next start",
		blocks_that_are_not_freed_are_counted_and_freed_by_the_next_start },
	{ "workers reserve and free blocks all the time",
		workers_reserve_and_free_blocks_all_the_time },
	CU_TEST_INFO_NULL };
