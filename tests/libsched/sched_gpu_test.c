/* libsched on a CUDA device: the common suite with the same programs as on threads. Skipped without
 * a device; SCHED_REQUIRE_GPU=1 makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <string.h>
#include "tests/libsched/sched_suite.h"
#include "tests/common/testmain.h"

#ifdef HAVE_CUDA
#include "tests/libsched/sched_gpu.h"

enum { LANES = 32 }; /* of the device's workers */

/* Many more workers than can be resident: workers draw tickets in order when they start, so static
 * must not wait for a worker that never starts. */
static void runs_with_more_workers_than_are_resident_are_correct(void)
{
	static const uint32_t workers[] = { 20000, 60000 };

	for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme < LSCHED_SCHEME_COUNT; scheme++) {
		for (int k = 0; k < 2; k++) {
			lsched_run_options o;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			char text[512];
			lsched_status st;
			uint32_t wrong;
			graph g;

			/* one column: 65,536 chains of one task */
			CHECK(graph_open(&g, k ? 1 : 3, 32768 / (k ? 1 : 2), k ? 1024 : 64, 2),
				"memory");
			o = RUN_OPTIONS(.scheme = (lsched_scheme)scheme, .workers = workers[k]);
			st = graph_once(&g, &o, &s, text, sizeof(text));
			wrong = graph_wrong(&g);
			graph_close(&g);
			CHECK(st == LSCHED_OK && wrong == 0, "%u workers, scheme %d: %s, %u wrong",
				workers[k], scheme, text, wrong);
			CHECK(s.workers == workers[k], "%u workers", s.workers);
		}
	}
}

/* An item donated to a worker that is not resident would never run. */
static void a_queue_that_donates_needs_resident_workers(void)
{
	lsched_run_options o;
	lsched_run *run;

	o = RUN_OPTIONS(.queue = LSCHED_QUEUE_DONATE, .max_tasks = 100000, .bin_size = 4,
		.workers = 60000);
	CHECK(lsched_run_create(&run, place.ctx, place.tree, &o) == LSCHED_ERR_ARG && !run,
		"60,000 warps");
	CHECK(strstr(lsched_last_error(place.ctx), "donate needs all workers to be resident"), "%s",
		lsched_last_error(place.ctx));
	o.workers = 0;
	CREATE(&run, place.ctx, place.tree, &o);
	lsched_run_destroy(&run);
}

static void missing_devices_and_wrong_programs_are_errors(void)
{
	lsched_device_info info = { .struct_bytes = sizeof(info) };
	lsched_run_options ro;
	lsched_options o;
	lsched_ctx *ctx;
	lsched_run *run;
	char msg[256];

	CHECK(lsched_device_count() > 0, "there is one");
	CHECK(lsched_device_get_info(lsched_ctx_device(place.ctx), &info) == LSCHED_OK, "info");
	CHECK(info.sm_count > 0 && info.cc_major >= 8 && info.memory_bytes > 0 &&
			info.clock_khz > 0 && info.name[0],
		"%s", info.name);
	CHECK(strcmp(info.name, lsched_ctx_device_name(place.ctx)) == 0, "%s", info.name);
	printf("%s, %d SMs, %d kHz\n", info.name, info.sm_count, info.clock_khz);
	CHECK(lsched_ctx_backend(place.ctx) == LSCHED_BACKEND_CUDA, "auto takes the device");
	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CUDA;
	o.device = lsched_device_count();
	CHECK(lsched_open(&ctx, &o, msg, sizeof(msg)) == LSCHED_ERR_NO_DEVICE && !ctx && msg[0],
		"%s", msg);
	o.backend = LSCHED_BACKEND_CPU;
	o.device = -1;
	CHECK(lsched_open(&ctx, &o, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	ro = RUN_OPTIONS(.max_tasks = 1);
	CHECK(lsched_run_create(&run, ctx, &graph_cuda_program, &ro) == LSCHED_ERR_ARG && !run,
		"a CUDA program on the CPU");
	lsched_close(&ctx);
}

/* One frame's graph with empty tasks, start after start: time of a start and of a wavefront
 * step. */
static void report_speed(lsched_scheme scheme, uint32_t w, uint32_t h, uint32_t workers)
{
	enum { REPS = 30 };
	uint64_t best = UINT64_MAX;
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;
	graph g;

	CHECK(graph_open(&g, w, h, 1, 1), "memory");
	o = RUN_OPTIONS(.scheme = scheme, .max_tasks = g.tasks, .workers = workers);
	CREATE(&run, place.ctx, place.graph, &o);
	for (int k = 0; k < REPS; k++) {
		graph_renew(&g);
		CHECK(lsched_run_start(run, &g.c, g.tasks, place.stream(0)) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_finish(run, &s) == LSCHED_OK, "%s", lsched_run_error(run));
		best = s.elapsed_ns < best ? s.elapsed_ns : best;
	}
	CHECK(graph_wrong(&g) == 0, "values");
	printf("%s %ux%u, %u workers: %.1f us, %.2f us a step\n", lsched_scheme_name(scheme), w, h,
		s.workers, (double)best * 1e-3, (double)best * 1e-3 / (w + 2 * (h - 1)));
	graph_run_close(&run, &g);
}

static void short_tasks_through_a_queue_with_times(void)
{
	static const uint32_t workers[] = { 132, 528, 2112, 0 };

	printf("\n");
	for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme <= LSCHED_SCHEME_STATIC; scheme++)
		for (int k = 0; k < 4; k++)
			report_speed((lsched_scheme)scheme, 120, 68, workers[k]);
	report_speed(LSCHED_SCHEME_SYNC, 120, 68, 0);
}

/* Returns the sum of the values that all lanes of all tasks must write. */
static uint64_t graph_sum(const graph *g)
{
	uint64_t sum = 0;

	for (uint32_t t = 0; t < g->tasks; t++)
		sum += (uint64_t)LANES * graph_value(&g->c, t);
	return sum;
}

/* A kernel that is enqueued behind a start reads all results, before lsched_run_finish(). Queues
 * and schemes that need the host between kernels refuse the stream; a start without a stream
 * succeeds. */
static void a_kernel_enqueued_behind_a_start_reads_its_results(void)
{
	lsched_run_options o;

	for (uint32_t way = 0; suite_way(way, &o); way++) {
		const int in_rounds = !suite_stream(&o, 0);
		void *const streams[] = { place.stream(0), place.stream(1), gpu_stream_legacy() };

		for (size_t k = 0; k < sizeof(streams) / sizeof(streams[0]); k++) {
			lsched_status st;
			lsched_run *run;
			uint64_t sum;
			graph g;

			CHECK(graph_open(&g, 60, 40, 2, 4), "memory");
			g.c.work = 2000; /* some milliseconds for the whole graph */
			o.max_tasks = g.tasks;
			CREATE(&run, place.ctx, place.graph, &o);
			st = lsched_run_start(run, &g.c, g.tasks, streams[k]);
			if (in_rounds) {
				CHECK(st == LSCHED_ERR_UNSUPPORTED &&
						strstr(lsched_run_error(run),
							"on a caller's stream") &&
						strstr(lsched_run_error(run), "pass NULL"),
					"%s: %s", suite_way_name(&o), lsched_run_error(run));
				CHECK(lsched_run_start(run, &g.c, g.tasks, NULL) == LSCHED_OK, "%s",
					lsched_run_error(run));
			} else {
				CHECK(st == LSCHED_OK, "%s", lsched_run_error(run));
				gpu_sum_add(streams[k], g.c.value, g.tasks * LANES);
				sum = gpu_sum_get(streams[k]);
				CHECK(sum == graph_sum(&g), "%s, stream %zu: %llu, not %llu",
					suite_way_name(&o), k, (unsigned long long)sum,
					(unsigned long long)graph_sum(&g));
			}
			CHECK(lsched_run_finish(run, NULL) == LSCHED_OK && graph_wrong(&g) == 0,
				"%s: %s", suite_way_name(&o), lsched_run_error(run));
			graph_run_close(&run, &g);
		}
	}
}

static void a_stream_that_is_captured_is_refused(void)
{
	lsched_run_options o;
	lsched_status st;
	lsched_run *run;
	graph g;

	CHECK(graph_open(&g, 10, 10, 1, 1), "memory");
	o = RUN_OPTIONS(.max_tasks = g.tasks);
	CREATE(&run, place.ctx, place.graph, &o);
	gpu_capture_begin(place.stream(2));
	st = lsched_run_start(run, &g.c, g.tasks, place.stream(2));
	gpu_capture_end(place.stream(2)); /* still valid: the start has enqueued nothing */
	CHECK(st == LSCHED_ERR_UNSUPPORTED &&
			strstr(lsched_run_error(run), "being captured into a CUDA graph"),
		"%s", lsched_run_error(run));
	CHECK(lsched_run_start(run, &g.c, g.tasks, place.stream(2)) == LSCHED_OK &&
			lsched_run_finish(run, NULL) == LSCHED_OK && graph_wrong(&g) == 0,
		"%s", lsched_run_error(run));
	graph_run_close(&run, &g);
}

static CU_TestInfo gpu_tests[] = { { "runs with more workers than are resident are correct",
					   runs_with_more_workers_than_are_resident_are_correct },
	{ "a queue that donates needs resident workers",
		a_queue_that_donates_needs_resident_workers },
	{ "missing devices and wrong programs are errors",
		missing_devices_and_wrong_programs_are_errors },
	{ "a kernel enqueued behind a start reads its results",
		a_kernel_enqueued_behind_a_start_reads_its_results },
	{ "a stream that is captured is refused", a_stream_that_is_captured_is_refused },
	{ "short tasks through a queue, with times", short_tasks_through_a_queue_with_times },
	CU_TEST_INFO_NULL };

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 5, 8, 33, 132, 528, 1056, 2112, 4224, 8448,
		0 };
	CU_SuiteInfo suites[] = {
		TEST_SUITE("graphs on the device", suite_graph_tests),
		TEST_SUITE("flow on the device", suite_flow_tests),
		TEST_SUITE("spawned work on the device", suite_spawn_tests),
		TEST_SUITE("timelines on the device", suite_trace_tests),
		TEST_SUITE("rounds on the device", suite_rounds_tests),
		TEST_SUITE("distribution on the device", suite_fan_tests),
		TEST_SUITE("control on the device", suite_control_tests),
		TEST_SUITE("messages on the device", suite_message_tests),
		TEST_SUITE("device only", gpu_tests),
		CU_SUITE_INFO_NULL,
	};
	int rc;

	rc = test_open_gpu(&place.ctx);
	if (rc)
		return rc;
	lsched_close(&place.ctx);
	rc = test_open(&place.ctx, LSCHED_BACKEND_AUTO, 0);
	if (rc)
		return rc;
	place.graph = &graph_cuda_program;
	place.tree = &tree_cuda_program;
	place.fan = &fan_cuda_program;
	place.grid = &grid_cuda_program;
	place.message = &message_cuda_program;
	place.lanes = 32;
	place.scale = 1;
	place.alloc = gpu_alloc;
	place.release = gpu_free;
	place.zero = gpu_zero;
	place.read = gpu_read;
	place.stream = gpu_stream;
	return suite_run(suites, workers, sizeof(workers) / sizeof(workers[0]));
}

#else
TEST_WITHOUT_CUDA
#endif
