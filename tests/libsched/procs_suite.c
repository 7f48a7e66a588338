/* Programs with LSCHED_PROCEDURES: grains, choice of the procedure, capacities, back-pressure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"

enum { FLOW_PRODUCERS = 32, LEAST_ITEMS_EACH = 1024, NUMBERS_MOST = 50000 };

/* Numbers of a run that is repeated for many options: one worker takes microseconds for each. */
static uint32_t numbers(void)
{
	return iplace.nodes < NUMBERS_MOST ? iplace.nodes : NUMBERS_MOST;
}

static void lane_warp_and_block_items_run_once(void)
{
	const uint32_t sizes[][2] = { { 1, 1 }, { 500, 500 }, { iplace.nodes, 3 } };

	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			for (size_t k = 0; k < iplace.worker_counts; k++) {
				mixed_ctx c = { sizes[i][0], sizes[i][1], LSCHED_NONE, NULL };
				lsched_run_options o = RUN_OPTIONS(.queue = (lsched_queue)q,
					.workers = iplace.workers[k]);
				lsched_stats s = { .struct_bytes = sizeof(s) };
				char text[512];
				lsched_status st;
				uint32_t bad;

				c.runs = (uint32_t *)iplace.alloc((size_t)c.nodes * 4);
				CHECK(c.runs, "memory");
				st = items_once(
					iplace.mixed, &o, &c, c.roots, &s, text, sizeof(text));
				bad = items_wrong(c.runs, c.nodes);
				iplace.release(c.runs);
				CHECK(st == LSCHED_OK && bad == 0 && s.tasks == c.nodes &&
						s.value == c.nodes * (c.nodes - UINT64_C(1)) / 2,
					"%s, %u nodes, %u workers: %s, %u wrong, %llu ran",
					lsched_queue_name((lsched_queue)q), c.nodes, o.workers,
					text, bad, (unsigned long long)s.tasks);
			}
		}
	}
}

/* A run of producers; what it found out. */
typedef struct flow_result {
	lsched_status st;
	lsched_stats s;
	uint32_t wrong; /* numbers that were not consumed exactly once */
	uint32_t live;  /* numbers not consumed at the end */
	uint32_t most;  /* high-water mark of these */
	char text[512];
} flow_result;

static int flow_run(const lsched_program *p, const lsched_run_options *o, uint32_t producers,
	uint32_t each, uint32_t parts, flow_result *r)
{
	flow_ctx c = { each, NULL, NULL };
	const uint32_t n = producers * each * parts;
	uint32_t live[2];

	memset(r, 0, sizeof(*r));
	r->s.struct_bytes = sizeof(r->s);
	c.runs = (uint32_t *)iplace.alloc((size_t)n * 4);
	c.live = (uint32_t *)iplace.alloc(sizeof(live));
	if (!c.runs || !c.live)
		return 0;
	r->st = items_once(p, o, &c, producers, &r->s, r->text, sizeof(r->text));
	r->wrong = items_wrong(c.runs, n);
	iplace.read(live, c.live, sizeof(live));
	r->live = live[0];
	r->most = live[1];
	iplace.release(c.runs);
	iplace.release(c.live);
	return 1;
}

/* Without back-pressure the run needs a chunk for every number. With it, it ends in a thousandth of
 * this memory, though the program prefers producers, under every queue. */
static void producers_wait_for_consumers_in_a_thousandth_of_the_memory(void)
{
	const uint32_t small = iplace.flow_workers * LEAST_ITEMS_EACH;
	const uint32_t each = small * iplace.flow_ratio / FLOW_PRODUCERS;
	lsched_run_options o = RUN_OPTIONS(.workers = iplace.flow_workers,
		.queue_capacity = small * iplace.flow_ratio);
	flow_result r;

	CHECK(flow_run(iplace.deluge, &o, FLOW_PRODUCERS, each, 1, &r), "memory");
	CHECK(r.st == LSCHED_OK && r.wrong == 0, "%s, %u wrong", r.text, r.wrong);
	o.queue_capacity = small * iplace.flow_ratio / 2;
	CHECK(flow_run(iplace.deluge, &o, FLOW_PRODUCERS, each, 1, &r), "memory");
	CHECK(r.st == LSCHED_ERR_OVERFLOW && strstr(r.text, "chunks of 32 items"), "%s", r.text);
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		o.queue = (lsched_queue)q;
		o.queue_capacity = small;
		CHECK(flow_run(iplace.flow, &o, FLOW_PRODUCERS, each, 1, &r), "memory");
		CHECK(r.st == LSCHED_OK && r.wrong == 0 && r.live == 0, "%s: %s, %u wrong",
			lsched_queue_name((lsched_queue)q), r.text, r.wrong);
		CHECK(r.most <= small + iplace.flow_workers * 128, "%s: %u numbers at once",
			lsched_queue_name((lsched_queue)q), r.most);
	}
}

static void many_workers_wait_for_room_in_the_smallest_pool(void)
{
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		for (size_t k = 0; k < iplace.worker_counts; k++) {
			for (uint32_t producers = 1; producers <= 700; producers += 233) {
				lsched_run_options o = RUN_OPTIONS(.queue = (lsched_queue)q,
					.workers = iplace.workers[k], .queue_capacity = 1);
				flow_result r;

				CHECK(flow_run(iplace.flow, &o, producers, numbers() / producers, 1,
					      &r),
					"memory");
				CHECK(r.st == LSCHED_OK && r.wrong == 0 && r.live == 0,
					"%s, %u workers: %s, %u wrong",
					lsched_queue_name((lsched_queue)q), o.workers, r.text,
					r.wrong);
			}
		}
	}
}

/* The bound of <libsched/generate_items.h>: capacity, and for each worker 32 and a turn's outputs,
 * here at most those that a stack holds. */
static void a_capacity_bounds_the_items_of_a_procedure(void)
{
	const uint32_t capacities[] = { 1, 100, 3000 };

	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++) {
			const uint32_t workers = iplace.workers[i % 2];
			const uint32_t bound = capacities[i] + workers * (32 + 128);
			lsched_run_options o =
				RUN_OPTIONS(.queue = (lsched_queue)q, .workers = workers);
			flow_result r;

			o.procedure_capacity[flow_proc_consume] = capacities[i];
			CHECK(flow_run(iplace.flow, &o, 40, numbers() / 40, 1, &r), "memory");
			CHECK(r.st == LSCHED_OK && r.wrong == 0 && r.live == 0, "%s: %s, %u wrong",
				lsched_queue_name((lsched_queue)q), r.text, r.wrong);
			CHECK(r.most <= bound, "%s, capacity %u, %u workers: %u numbers at once",
				lsched_queue_name((lsched_queue)q), capacities[i], workers, r.most);
		}
	}
}

/* Three grains, capacities on both consumers, consumers first. */
static void stages_of_three_grains_end_with_any_capacity(void)
{
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		for (size_t k = 0; k < iplace.worker_counts; k++) {
			for (uint32_t full = 0; full < 3; full++) {
				lsched_run_options o = RUN_OPTIONS(.queue = (lsched_queue)q,
					.workers = iplace.workers[k], .queue_capacity = 1);
				flow_result r;

				o.procedure_capacity[stages_proc_number] = full == 1 ? 2 : 0;
				o.procedure_capacity[stages_proc_part] = full ? STAGES_PARTS : 0;
				CHECK(flow_run(iplace.stages, &o, 100, numbers() / 500,
					      STAGES_PARTS, &r),
					"memory");
				CHECK(r.st == LSCHED_OK && r.wrong == 0 && r.live == 0,
					"%s, %u workers: %s, %u wrong",
					lsched_queue_name((lsched_queue)q), o.workers, r.text,
					r.wrong);
			}
		}
	}
}

/* Downstream first, one worker has no more numbers than one turn of 32 sources makes. */
static void downstream_first_keeps_few_items(void)
{
	lsched_run_options o = RUN_OPTIONS(.workers = 1);
	flow_result r;

	CHECK(flow_run(iplace.stages, &o, 100, 50, STAGES_PARTS, &r), "memory");
	CHECK(r.st == LSCHED_OK && r.wrong == 0, "%s, %u wrong", r.text, r.wrong);
	CHECK(r.most >= 1 && r.most <= 2 * 32, "%u numbers at once", r.most);
}

#define STUCK_X(X, ENUM, name) LSCHED_QUEUE_##ENUM,
static const lsched_queue stuck_queues[] = { STUCK_QUEUES(STUCK_X, 0) };

static void a_deadlock_is_an_error_that_names_procedure_and_capacity(void)
{
	for (size_t i = 0; i < sizeof(stuck_queues) / sizeof(stuck_queues[0]); i++) {
		const lsched_queue q = stuck_queues[i];

		for (uint32_t capacity = 0; capacity <= 5; capacity += 5) {
			const stuck_ctx c = { 0 };
			lsched_run_options o = RUN_OPTIONS(.queue = q, .workers = 1,
				.queue_capacity = 1, .timeout_ms = 100);
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];
			lsched_status st;

			o.procedure_capacity[stuck_proc_grow] = capacity;
			st = items_once(iplace.stuck, &o, &c, 3, &s, text, sizeof(text));
			CHECK(st == LSCHED_ERR_OVERFLOW && strstr(text, "procedure seed"), "%s: %s",
				lsched_queue_name(q), text);
			CHECK(strstr(text, capacity ? "procedure grow, which is at its capacity of "
						      "5 items"
						    : "all 32 chunks of 32 items"),
				"%s: %s", lsched_queue_name(q), text);
		}
	}
}

/* Idle workers, and workers that wait for room, report the same. */
static void a_deadlock_of_many_workers_is_an_error(void)
{
	for (size_t i = 0; i < sizeof(stuck_queues) / sizeof(stuck_queues[0]); i++) {
		const lsched_queue q = stuck_queues[i];
		const stuck_ctx c = { 0 };
		lsched_run_options o = RUN_OPTIONS(.queue = q, .workers = 8, .queue_capacity = 1,
			.timeout_ms = 400);
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];
		lsched_status st;

		st = items_once(iplace.stuck, &o, &c, 2, &s, text, sizeof(text));
		CHECK(st == LSCHED_ERR_OVERFLOW && strstr(text, "all 256 chunks of 32 items"),
			"%s: %s", lsched_queue_name(q), text);
	}
}

static void workers_that_wait_for_room_are_cancelled(void)
{
	const stuck_ctx c = { 1 };
	lsched_run_options o = RUN_OPTIONS(.max_tasks = 40, .workers = 2, .queue_capacity = 1);
	lsched_run_progress_info p;
	lsched_run *run;

	CREATE(&run, iplace.ctx, iplace.stuck, &o);
	CHECK(lsched_run_start(run, &c, 40, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
	lsched_run_progress_info_init(&p);
	do
		CHECK(lsched_run_progress(run, &p) == LSCHED_OK, "progress");
	while (p.executing && p.elapsed_ns < 20000000);
	CHECK(lsched_run_cancel(run) == LSCHED_OK, "%s", lsched_run_error(run));
	CHECK(lsched_run_finish(run, NULL) == LSCHED_ERR_CANCELLED, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
}

static void too_many_outputs_are_an_error(void)
{
	mixed_ctx c = { 200, 1, 100, NULL };
	lsched_run_options o = RUN_OPTIONS();
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];
	lsched_status st;

	c.runs = (uint32_t *)iplace.alloc((size_t)c.nodes * 4);
	CHECK(c.runs, "memory");
	st = items_once(iplace.mixed, &o, &c, 1, &s, text, sizeof(text));
	iplace.release(c.runs);
	CHECK(st == LSCHED_ERR_TASK_FAILED && strstr(text, "procedure warp created more items") &&
			strstr(text, "LSCHED_TO"),
		"%s", text);
}

static void a_capacity_below_the_outputs_of_an_item_is_refused(void)
{
	lsched_run_options o = RUN_OPTIONS(.max_tasks = 1);
	lsched_run *run;

	o.procedure_capacity[stages_proc_part] = STAGES_PARTS - 1;
	CHECK(lsched_run_create(&run, iplace.ctx, iplace.stages, &o) == LSCHED_ERR_ARG, "created");
	CHECK(strstr(lsched_last_error(iplace.ctx), "procedure part must be 0 or 3"), "%s",
		lsched_last_error(iplace.ctx));
	o.procedure_capacity[stages_proc_part] = 0;
	o.procedure_capacity[stages_procs] = 9;
	CHECK(lsched_run_create(&run, iplace.ctx, iplace.stages, &o) == LSCHED_ERR_ARG, "created");
	CHECK(lsched_run_create(&run, iplace.ctx, iplace.mlane, &o) == LSCHED_ERR_ARG, "created");
	CHECK(strstr(lsched_last_error(iplace.ctx), "procedure_capacity[3] is set"), "%s",
		lsched_last_error(iplace.ctx));
}

static void continuations_have_their_own_type(void)
{
	for (size_t k = 0; k < iplace.worker_counts; k++) {
		const pfib_ctx c = { iplace.fib };
		/* a warp alone has more joins in use than the default for one worker */
		lsched_run_options o =
			RUN_OPTIONS(.workers = iplace.workers[k], .max_joins = 1 << 16);
		lsched_stats s = { .struct_bytes = sizeof(s) };
		uint64_t a = 0, b = 1;
		char text[512];

		for (uint32_t n = 0; n < c.n; n++) {
			const uint64_t next = a + b;

			a = b;
			b = next;
		}
		CHECK(items_once(iplace.pfib, &o, &c, 1, &s, text, sizeof(text)) == LSCHED_OK, "%s",
			text);
		CHECK(s.value == a, "%u workers: fib(%u) = %llu", o.workers, c.n,
			(unsigned long long)s.value);
	}
}

/* Executes walks; *fill: the items of a batch on average. */
static void check_walks(const lsched_program *p, lsched_queue queue, uint32_t workers, double *fill)
{
	const walk_ctx c = { 20 };
	const uint32_t roots = 2000;
	const lsched_run_options o = RUN_OPTIONS(.queue = queue, .workers = workers);
	const uint64_t steps = (uint64_t)roots * c.steps;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];
	const lsched_status st = items_once(p, &o, &c, roots, &s, text, sizeof(text));

	*fill = s.batches ? (double)s.batch_items / (double)s.batches : 0;
	CHECK(st == LSCHED_OK && s.value == steps && s.tasks == steps && s.batch_items == steps,
		"%s, %u workers: %s, %llu steps", lsched_queue_name(queue), workers, text,
		(unsigned long long)s.value);
}

static void batches_wait_for_more_items(void)
{
	double any, full, fill;

	check_walks(iplace.walkany, LSCHED_QUEUE_RING, 1, &any);
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		check_walks(iplace.walkfull, (lsched_queue)q, 1, &full);
		CHECK(any < 24 && full > 30, "%s: %.1f items in a batch, not %.1f",
			lsched_queue_name((lsched_queue)q), full, any);
		for (size_t k = 0; k < iplace.worker_counts; k++)
			check_walks(iplace.walkfull, (lsched_queue)q, iplace.workers[k], &fill);
	}
}

/* One run, many starts: counts and pools are as at first. */
static void a_run_with_capacities_can_be_started_many_times(void)
{
	const uint32_t producers = 50, each = 200;
	flow_ctx c = { each, NULL, NULL };
	lsched_run_options o =
		RUN_OPTIONS(.max_tasks = producers, .workers = 7, .queue_capacity = 1);
	lsched_run *run;

	o.procedure_capacity[flow_proc_consume] = 300;
	c.runs = (uint32_t *)iplace.alloc((size_t)producers * each * 4);
	c.live = (uint32_t *)iplace.alloc(8);
	CHECK(c.runs && c.live, "memory");
	CREATE(&run, iplace.ctx, iplace.flow, &o);
	for (uint32_t k = 0; k < (iplace.lanes > 1 ? 10 : 30); k++) {
		iplace.zero(c.runs, (size_t)producers * each * 4);
		iplace.zero(c.live, 8);
		CHECK(lsched_run_start(run, &c, producers, NULL) == LSCHED_OK &&
				lsched_run_finish(run, NULL) == LSCHED_OK,
			"start %u: %s", k, lsched_run_error(run));
		CHECK(items_wrong(c.runs, producers * each) == 0, "start %u", k);
	}
	lsched_run_destroy(&run);
	iplace.release(c.runs);
	iplace.release(c.live);
}

/* Those that hold as well when all items pass through the queue. */
CU_TestInfo procs_keep_tests[] = { { "lane, warp and block items run once",
					   lane_warp_and_block_items_run_once },
	{ "many workers wait for room in the smallest pool",
		many_workers_wait_for_room_in_the_smallest_pool },
	{ "a capacity bounds the items of a procedure",
		a_capacity_bounds_the_items_of_a_procedure },
	{ "stages of three grains end with any capacity",
		stages_of_three_grains_end_with_any_capacity },
	{ "continuations have their own type", continuations_have_their_own_type },
	CU_TEST_INFO_NULL };

CU_TestInfo procs_tests[] = { { "lane, warp and block items run once",
				      lane_warp_and_block_items_run_once },
	{ "producers wait for consumers in a thousandth of the memory",
		producers_wait_for_consumers_in_a_thousandth_of_the_memory },
	{ "many workers wait for room in the smallest pool",
		many_workers_wait_for_room_in_the_smallest_pool },
	{ "a capacity bounds the items of a procedure",
		a_capacity_bounds_the_items_of_a_procedure },
	{ "stages of three grains end with any capacity",
		stages_of_three_grains_end_with_any_capacity },
	{ "downstream first keeps few items", downstream_first_keeps_few_items },
	{ "a deadlock is an error that names procedure and capacity",
		a_deadlock_is_an_error_that_names_procedure_and_capacity },
	{ "a deadlock of many workers is an error", a_deadlock_of_many_workers_is_an_error },
	{ "workers that wait for room are cancelled", workers_that_wait_for_room_are_cancelled },
	{ "too many outputs are an error", too_many_outputs_are_an_error },
	{ "a capacity below the outputs of an item is refused",
		a_capacity_below_the_outputs_of_an_item_is_refused },
	{ "continuations have their own type", continuations_have_their_own_type },
	{ "batches wait for more items", batches_wait_for_more_items },
	{ "a run with capacities can be started many times",
		a_run_with_capacities_can_be_started_many_times },
	CU_TEST_INFO_NULL };
