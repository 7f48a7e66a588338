/* Items that are run again (LSCHED_AGAIN), of every grain and through every queue. */
#include <stdlib.h>
#include "tests/libsched/items_suite.h"

static int turns_open(turns_ctx *c, uint32_t size, uint32_t roots)
{
	const turns_ctx made = { size, (uint32_t *)iplace.alloc(4),
		(uint32_t *)iplace.alloc((size_t)roots * 4), (uint32_t *)iplace.alloc(4) };

	*c = made;
	return c->used && c->runs && c->most;
}

static void turns_close(const turns_ctx *c)
{
	iplace.release(c->used);
	iplace.release(c->runs);
	iplace.release(c->most);
}

/* Queues that proceed breadth first need more slots. */
static lsched_run_options turns_options(lsched_queue q, uint32_t workers, uint32_t roots)
{
	lsched_run_options o = RUN_OPTIONS(.queue = q, .workers = workers, .max_tasks = roots);

	if (items_in_rounds(q)) {
		o.queue_capacity = 4 * roots + 65536;
		o.bin_size = roots / 8 + 256;
	}
	items_keep_options(&o, roots);
	return o;
}

static void check_turns(
	const lsched_program *program, lsched_queue q, uint32_t size, uint32_t roots)
{
	const lsched_run_options o = turns_options(q, 3, roots);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	uint32_t most = 0, wrong;
	char text[512] = "";
	lsched_status st;
	turns_ctx c;

	CHECK(turns_open(&c, size, roots), "memory");
	st = items_once(program, &o, &c, roots, &s, text, sizeof(text));
	wrong = items_wrong(c.runs, roots);
	iplace.read(&most, c.most, 4);
	CHECK(st == LSCHED_OK && wrong == 0 && s.tasks == 2 * (uint64_t)roots && most >= 1 &&
			most <= size,
		"%s, %u places: %s; %u wrong, %llu ran, at most %u", lsched_queue_name(q), size,
		text, wrong, (unsigned long long)s.tasks, most);
	turns_close(&c);
}

static void check_all_turns(const lsched_program *program, const lsched_queue *queues, size_t n)
{
	for (size_t q = 0; q < n; q++)
		for (uint32_t size = 1; size <= 64; size *= 8)
			check_turns(program, queues[q], size, TEST_SANITIZED ? 500 : 3000);
}

static const lsched_queue every_queue[] = {
#define QUEUE_Y(X, ENUM, name) LSCHED_QUEUE_##ENUM,
	LSCHED_QUEUES(QUEUE_Y, 0)
#undef QUEUE_Y
};

static void lane_items_wait_for_room_that_other_procedures_make(void)
{
	static const lsched_queue batches[] = { LSCHED_QUEUE_RING, LSCHED_QUEUE_STEAL };

	check_all_turns(iplace.turns, every_queue, LSCHED_QUEUE_COUNT);
	check_all_turns(iplace.turnsbatch, batches, 2);
}

static void warp_and_block_items_wait_for_room(void)
{
	static const lsched_queue blocks[] = { LSCHED_QUEUE_RING, LSCHED_QUEUE_DONATE };

	check_all_turns(iplace.turnswarp, every_queue, LSCHED_QUEUE_COUNT);
	check_all_turns(iplace.turnsblock, blocks, 2);
}

static void items_of_a_table_wait_for_room(void)
{
	check_all_turns(iplace.turnstable, every_queue, LSCHED_QUEUE_COUNT);
}

static void a_run_whose_items_all_wait_is_an_error(void)
{
	lsched_run_options o = turns_options(LSCHED_QUEUE_RING, 3, 100);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;
	turns_ctx c;

	CHECK(turns_open(&c, 0, 100), "memory");
	o.timeout_ms = 300;
	CREATE(&run, iplace.ctx, iplace.turns, &o);
	CHECK(lsched_run_start(run, &c, 100, NULL) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_ERR_TIMEOUT,
		"%s", lsched_run_error(run));
	c.size = 5;
	CHECK(lsched_run_start(run, &c, 100, NULL) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_OK && s.tasks == 200,
		"%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	turns_close(&c);
}

CU_TestInfo items_again_tests[] = {
	{ "lane items wait for room that other procedures make, through every queue",
		lane_items_wait_for_room_that_other_procedures_make },
	{ "warp and block items wait for room", warp_and_block_items_wait_for_room },
	{ "items of a table wait for room, through every queue", items_of_a_table_wait_for_room },
	{ "a run whose items all wait is an error", a_run_whose_items_all_wait_is_an_error },
	CU_TEST_INFO_NULL
};

/* Without the table: under the deques the newest chunk of a worker, which it dequeues first, may
 * be of items that wait, for ever. */
CU_TestInfo items_again_keep_tests[] = {
	{ "lane items wait for room that other procedures make, through every queue",
		lane_items_wait_for_room_that_other_procedures_make },
	{ "warp and block items wait for room", warp_and_block_items_wait_for_room },
	CU_TEST_INFO_NULL
};
