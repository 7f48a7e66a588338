/* Runs in which no item stays with its worker (lsched_run_options.never_keep): each passes through
 * the queue once, in every grain and under every queue; joins and procedures, too. */
#include <stdlib.h>
#include <string.h>
#include "tests/common/effort.h"
#include "tests/libsched/items_suite.h"

enum { KEEP_NODES = TEST_SANITIZED ? 1000 : 3000 };

/* items_in_chunk: 1: each item has a chunk of its own; 32: a chunk has up to 32. */
static void check_all_pass(const lsched_program *p, uint32_t items_in_chunk)
{
	const uint32_t roots[] = { 1, 2, 33, KEEP_NODES };
	marks_ctx c = { 0 };

	c.nodes = KEEP_NODES;
	c.fail_node = c.excess = LSCHED_NONE;
	c.runs = (uint32_t *)iplace.alloc((size_t)KEEP_NODES * 4);
	CHECK(c.runs, "memory");
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++)
		for (size_t k = 0; k < iplace.worker_counts; k++) {
			lsched_run_options o =
				RUN_OPTIONS(.queue = (lsched_queue)q, .workers = iplace.workers[k]);
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];
			lsched_status st;

			c.roots = roots[(k + (size_t)q) % 4];
			iplace.zero(c.runs, (size_t)KEEP_NODES * 4);
			items_keep_options(&o, KEEP_NODES);
			st = items_once(p, &o, &c, c.roots, &s, text, sizeof(text));
			CHECK(st == LSCHED_OK && items_wrong(c.runs, KEEP_NODES) == 0 &&
					s.tasks == KEEP_NODES,
				"%s, %u workers: %s, %llu ran", lsched_queue_name(o.queue),
				o.workers, text, (unsigned long long)s.tasks);
			CHECK(s.pushes == s.pops && s.inlined == 0 &&
					s.pushes * items_in_chunk >= KEEP_NODES - c.roots &&
					s.pushes <= KEEP_NODES - c.roots,
				"%s, %u workers, %u roots: %llu chunks in, %llu out",
				lsched_queue_name(o.queue), o.workers, c.roots,
				(unsigned long long)s.pushes, (unsigned long long)s.pops);
			/* a chunk is a batch, the others are roots */
			CHECK(items_in_chunk == 1 ||
					(s.batches > s.pops && s.batches <= s.pops + c.roots),
				"%s: %llu batches of %llu chunks", lsched_queue_name(o.queue),
				(unsigned long long)s.batches, (unsigned long long)s.pops);
		}
	iplace.release(c.runs);
}

static void lane_items_pass_through_every_queue(void)
{
	check_all_pass(iplace.mlane, 32);
}

static void warp_items_pass_through_every_queue(void)
{
	check_all_pass(iplace.mwarp, 1);
}

static void block_items_pass_through_every_queue(void)
{
	check_all_pass(iplace.mblock, 1);
}

static void joins_return_under_every_queue(void)
{
	const lsched_program *const programs[] = { iplace.fibup, iplace.fibthen };
	const fib_ctx c = { 15 };

	for (int p = 0; p < 2; p++)
		for (int q = 0; lsched_queue_name((lsched_queue)q); q++)
			for (size_t k = 0; k < iplace.worker_counts; k++) {
				lsched_run_options o = RUN_OPTIONS(.queue = (lsched_queue)q,
					.workers = iplace.workers[k], .max_joins = 1 << 16);
				lsched_stats s = { .struct_bytes = sizeof(s) };
				char text[512];

				if (q > 0 && p == 1)
					continue;
				items_keep_options(&o, 4000);
				CHECK(items_once(programs[p], &o, &c, 1, &s, text, sizeof(text)) ==
						LSCHED_OK,
					"%s: %s", lsched_queue_name(o.queue), text);
				CHECK(s.value == 610, "%s: fib(15) = %llu",
					lsched_queue_name(o.queue), (unsigned long long)s.value);
			}
}

static void too_few_chunks_are_an_error(void)
{
	marks_ctx c = { 0 };
	lsched_run_options o = RUN_OPTIONS(.workers = 1, .queue_capacity = 1);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];

	c.nodes = KEEP_NODES;
	c.roots = 1;
	c.fail_node = c.excess = LSCHED_NONE;
	c.runs = (uint32_t *)iplace.alloc((size_t)KEEP_NODES * 4);
	CHECK(c.runs, "memory");
	CHECK(items_once(iplace.mwarp, &o, &c, 1, &s, text, sizeof(text)) == LSCHED_ERR_OVERFLOW &&
			strstr(text, "increase queue_capacity"),
		"%s", text);
	/* with the policy INLINE the worker runs the items that have no chunk */
	c.nodes = 60;
	o.overflow = LSCHED_OVERFLOW_INLINE;
	iplace.zero(c.runs, (size_t)KEEP_NODES * 4);
	CHECK(items_once(iplace.mwarp, &o, &c, 1, &s, text, sizeof(text)) == LSCHED_OK, "%s", text);
	CHECK(items_wrong(c.runs, 60) == 0 && s.inlined > 0, "%llu inline",
		(unsigned long long)s.inlined);
	iplace.release(c.runs);
}

CU_TestInfo items_keep_tests[] = { { "lane items pass through every queue",
					   lane_items_pass_through_every_queue },
	{ "warp items pass through every queue", warp_items_pass_through_every_queue },
	{ "block items pass through every queue", block_items_pass_through_every_queue },
	{ "joins return under every queue", joins_return_under_every_queue },
	{ "too few chunks are an error", too_few_chunks_are_an_error }, CU_TEST_INFO_NULL };
