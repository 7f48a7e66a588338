/* libsched's device text on threads, each of them a warp of 32 lanes: the common suite. */
#include <stdio.h>
#include <string.h>
#include "tests/libsched/sched_suite.h"
#include "tests/common/testmain.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)

int main(void)
{
	puts("skipped: sanitizers do not follow from lane to lane");
	return TEST_EXIT_SKIP;
}

#else

uint32_t lanes_places(const uint32_t *count, uint32_t *place, uint32_t n);
extern const lsched_program graph_lanes_program, tree_lanes_program, fan_lanes_program,
	grid_lanes_program, message_lanes_program, line_lanes_program;

/* Graphs under dynamic, through every queue, under static and under epoch. Under sync the device's
 * text ends after each wavefront, which the CPU backend does not support. */
static void each_task_once_after_its_predecessors(void)
{
	for (size_t i = 0; i < place.worker_counts; i++) {
		for (uint32_t q = 0; q <= LSCHED_QUEUE_COUNT + 1; q++) {
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];
			lsched_status st;
			uint32_t wrong;
			graph g;

			CHECK(graph_open(&g, 14, 9, 2, 2), "memory");
			o = RUN_OPTIONS(.workers = place.workers[i],
				.never_keep = (uint32_t)(i + q) % 2);
			o.queue_capacity = o.bin_size = 4u << q % LSCHED_QUEUE_COUNT;
			o.overflow = LSCHED_OVERFLOW_INLINE;
			if (q < LSCHED_QUEUE_COUNT)
				o.queue = (lsched_queue)q;
			else
				o.scheme = q == LSCHED_QUEUE_COUNT ? LSCHED_SCHEME_STATIC
								   : LSCHED_SCHEME_EPOCH;
			st = graph_once(&g, &o, &s, text, sizeof(text));
			wrong = graph_wrong(&g);
			graph_close(&g);
			CHECK(st == LSCHED_OK && wrong == 0 && s.pushes == s.pops,
				"%s, %s, %u workers: %s, %u tasks wrong",
				lsched_scheme_name(o.scheme), lsched_queue_name(o.queue), o.workers,
				text, wrong);
		}
	}
}

static void lanes_32_lanes_compute_prefix_sums_together(void)
{
	enum { MOST = 300 };
	uint32_t count[MOST], at[MOST + 1], x = 1;

	for (uint32_t n = 0; n <= MOST; n++) {
		uint32_t sum;

		for (uint32_t k = 0; k < n; k++) {
			x = graph_hash(x + k);
			count[k] = x % 4 ? x % 100 : 0;
		}
		at[n] = 0xeeeeeeeeu;
		sum = lanes_places(count, at, n);
		CHECK(at[n] == 0xeeeeeeeeu, "nothing is written behind the last of %u", n);
		for (uint32_t k = n; k-- > 0;) {
			sum -= count[k];
			CHECK(at[k] == sum, "place %u of %u: %u", k, n, at[k]);
		}
		CHECK(sum == 0, "the sum of %u is too large by %u", n, sum);
	}
}

/* As on a device: a worker without work draws a ticket before there is an item for it. */
static void an_idle_worker_draws_a_ticket_of_the_ring(void)
{
	const uint32_t ctx = 0;
	lsched_run_options o;
	lsched_status st = LSCHED_OK;
	lsched_run *run = NULL;

	o = RUN_OPTIONS(.workers = 2, .max_tasks = 1);
	CREATE(&run, place.ctx, &line_lanes_program, &o);
	st = lsched_run_start(run, &ctx, 1, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, NULL);
	CHECK(st == LSCHED_OK, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
}

static CU_TestInfo lanes_tests[] = { { "32 lanes compute prefix sums together",
					     lanes_32_lanes_compute_prefix_sums_together },
	{ "each task once, after its predecessors, in every lane",
		each_task_once_after_its_predecessors },
	{ "an idle worker draws a ticket of the ring", an_idle_worker_draws_a_ticket_of_the_ring },
	CU_TEST_INFO_NULL };

/* Removes the tests that need the scheme sync, by their names. */
static void leave_out_sync(CU_TestInfo *t)
{
	CU_TestInfo *to = t;

	for (; t->pName; t++)
		if (!strstr(t->pName, "statistics") && !strstr(t->pName, "sync"))
			*to++ = *t;
	*to = *t;
}

int main(void)
{
	const uint32_t workers[] = { 1, (uint32_t)test_effort(17, 5, 5) };
	CU_SuiteInfo suites[] = {
		TEST_SUITE("flow in lanes", suite_flow_tests),
		TEST_SUITE("spawned work in lanes", suite_spawn_tests),
		TEST_SUITE("rounds in lanes", suite_rounds_tests),
		TEST_SUITE("distribution in lanes", suite_fan_tests),
		TEST_SUITE("messages in lanes", suite_message_tests),
		TEST_SUITE("graphs in lanes", lanes_tests),
		CU_SUITE_INFO_NULL,
	};
	int rc;

	rc = test_open(&place.ctx, LSCHED_BACKEND_CPU, 64);
	if (rc)
		return rc;
	leave_out_sync(suite_flow_tests);
	leave_out_sync(suite_message_tests);
	place.graph = &graph_lanes_program;
	place.tree = &tree_lanes_program;
	place.fan = &fan_lanes_program;
	place.grid = &grid_lanes_program;
	place.message = &message_lanes_program;
	place.lanes = 32;
	place.scale = 8;
	suite_use_host_memory();
	return suite_run(suites, workers, sizeof(workers) / sizeof(workers[0]));
}

#endif
