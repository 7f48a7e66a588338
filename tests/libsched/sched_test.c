/* libsched on CPU threads: the common suites, the queues alone, argument errors, contexts. */
#include <stdio.h>
#include <string.h>
#define GRAPH_PROGRAMS
#define FAN_PROGRAMS
#include "tests/libsched/fan.h"
#define GRID_PROGRAMS
#include "tests/libsched/grid.h"
#include "tests/libsched/sched_suite.h"
#define MESSAGE_PROGRAMS
#include "tests/libsched/message.h"
#include "tests/common/testmain.h"

/* Arguments of lsched_open(). */
static void check_open_arguments(void)
{
	lsched_options o;
	lsched_ctx *ctx;
	char msg[128];

	CHECK(lsched_open(NULL, NULL, NULL, 0) == LSCHED_ERR_ARG, "no place for the context");
	lsched_options_init(&o);
	o.backend = (lsched_backend)7;
	CHECK(lsched_open(&ctx, &o, msg, sizeof(msg)) == LSCHED_ERR_ARG && !ctx && msg[0], "%s",
		msg);
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = 1000000;
	CHECK(lsched_open(&ctx, &o, msg, sizeof(msg)) == LSCHED_ERR_ARG && !ctx && msg[0], "%s",
		msg);
}

static void wrong_arguments_are_refused(void)
{
	lsched_run_options ro;
	lsched_run *run = NULL;
	lsched_program alien = graph_cpu_program;
	graph g;

	check_open_arguments();
	CHECK(graph_open(&g, 4, 4, 1, 1), "memory");
	ro = RUN_OPTIONS();
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"max_tasks 0");
	ro.max_tasks = LSCHED_MAX_TASKS + 1;
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"max_tasks too large");
	ro.max_tasks = g.tasks;
	CHECK(lsched_run_create(&run, place.ctx, NULL, &ro) == LSCHED_ERR_ARG && !run,
		"no program");
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, NULL) == LSCHED_ERR_ARG &&
			!run,
		"no options");
	CHECK(lsched_run_create(&run, NULL, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"no context");
	ro.scheme = (lsched_scheme)9;
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"scheme");
	ro.scheme = LSCHED_SCHEME_DYNAMIC;
	ro.queue = LSCHED_QUEUE_COUNT;
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"queue");
	ro.queue = LSCHED_QUEUE_RING;
	alien.backend = LSCHED_BACKEND_CUDA;
	CHECK(lsched_run_create(&run, place.ctx, &alien, &ro) == LSCHED_ERR_ARG && !run,
		"a program for CUDA");
	alien.backend = LSCHED_BACKEND_CPU;
	alien.abi++;
	CHECK(lsched_run_create(&run, place.ctx, &alien, &ro) == LSCHED_ERR_ARG && !run,
		"another ABI");
	CHECK(strstr(lsched_last_error(place.ctx), "version"), "%s", lsched_last_error(place.ctx));

	CREATE(&run, place.ctx, &graph_cpu_program, &ro);
	CHECK(lsched_run_finish(run, NULL) == LSCHED_ERR_STATE, "not started");
	CHECK(lsched_run_start(run, &g.c, g.tasks + 1, NULL) == LSCHED_ERR_ARG, "too many tasks");
	CHECK(lsched_run_start(run, NULL, g.tasks, NULL) == LSCHED_ERR_ARG,
		"no context of the program");
	CHECK(lsched_run_start(run, &g.c, g.tasks, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
	lsched_run_destroy(&run); /* waits for the execution */
	CHECK(graph_wrong(&g) == 0, "destroyed before it was over");
	lsched_run_destroy(&run);
	lsched_run_destroy(NULL);
	lsched_close(NULL);
	graph_close(&g);
}

static void errors_are_negative_and_have_a_sentence(void)
{
	static const struct {
		lsched_status st;
		const char *text;
	} all[] = {
#define LSCHED_X(name, number, text) { LSCHED_##name, text },
		LSCHED_STATUSES(LSCHED_X)
#undef LSCHED_X
	};
	static const int unknown[] = { 1, 99, -99, INT32_MAX, INT32_MIN };

	CHECK(LSCHED_OK == 0, "success is 0");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK((int)all[i].st < 0 || all[i].st == LSCHED_OK, "%s", all[i].text);
		CHECK(strcmp(lsched_strstatus(all[i].st), all[i].text) == 0, "%d: %s",
			(int)all[i].st, lsched_strstatus(all[i].st));
		for (size_t k = 0; k < i; k++)
			CHECK(all[k].st != all[i].st, "two have the number %d", (int)all[i].st);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		CHECK(strcmp(lsched_strstatus((lsched_status)unknown[i]), "unknown status") == 0,
			"%d", unknown[i]);
}

static void names_are_converted_to_values_and_back(void)
{
	lsched_scheme s = LSCHED_SCHEME_DYNAMIC;
	lsched_queue q = LSCHED_QUEUE_RING;
	lsched_backend b = LSCHED_BACKEND_AUTO;
	lsched_overflow v = LSCHED_OVERFLOW_FAIL;

	CHECK(lsched_scheme_parse("sync", &s) == 0 && s == LSCHED_SCHEME_SYNC, "sync");
	CHECK(lsched_scheme_parse("static", &s) == 0 && s == LSCHED_SCHEME_STATIC, "static");
	CHECK(lsched_scheme_parse("statik", &s) == -1 && s == LSCHED_SCHEME_STATIC, "statik");
	CHECK(lsched_scheme_parse(NULL, &s) == -1, "NULL");
	CHECK(lsched_queue_parse("ring", &q) == 0 && q == LSCHED_QUEUE_RING, "ring");
	CHECK(lsched_backend_parse("cuda", &b) == 0 && b == LSCHED_BACKEND_CUDA, "cuda");
	CHECK(lsched_overflow_parse("inline", &v) == 0 && v == LSCHED_OVERFLOW_INLINE, "inline");
	CHECK(strcmp(lsched_scheme_name(LSCHED_SCHEME_DYNAMIC), "dynamic") == 0, "dynamic");
	CHECK(lsched_queue_name(LSCHED_QUEUE_COUNT) == NULL, "the end of the list");
	errors_are_negative_and_have_a_sentence();
	CHECK(lsched_version() == LSCHED_VERSION &&
			strcmp(lsched_version_string(), LSCHED_VERSION_STRING) == 0,
		"version");
}

static void count_messages(void *opaque, lsched_log_level level, const char *message)
{
	if (level <= LSCHED_LOG_DEBUG && message[0] && message[strlen(message) - 1] != '\n')
		++*(int *)opaque;
}

/* Pools of exactly so many threads, several contexts at once, and the log. */
static void contexts_are_independent(void)
{
	static const uint32_t threads[] = { 1, 2, 64 };
	lsched_ctx *ctx[3], *usual = place.ctx;
	int messages = 0;

	for (int i = 0; i < 3; i++) {
		lsched_options o;

		lsched_options_init(&o);
		o.backend = LSCHED_BACKEND_CPU;
		o.workers = threads[i];
		o.log = count_messages;
		o.log_opaque = &messages;
		o.log_level = LSCHED_LOG_INFO;
		CHECK(lsched_open(&ctx[i], &o, NULL, 0) == LSCHED_OK, "%u threads", threads[i]);
		CHECK(lsched_ctx_workers(ctx[i]) == threads[i] &&
				lsched_ctx_backend(ctx[i]) == LSCHED_BACKEND_CPU,
			"%u", threads[i]);
		CHECK(lsched_ctx_device(ctx[i]) == -1 &&
				strstr(lsched_ctx_device_name(ctx[i]), "CPU"),
			"device");
	}
	CHECK(messages == 3, "%d messages", messages);
	for (int i = 0; i < 3; i++) {
		for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme < LSCHED_SCHEME_COUNT; scheme++) {
			lsched_run_options o;
			lsched_status st;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			uint32_t wrong;
			graph g;

			CHECK(graph_open(&g, 20, 70, 2, 1), "memory");
			o = RUN_OPTIONS(.scheme = (lsched_scheme)scheme);
			place.ctx = ctx[i];
			st = graph_once(&g, &o, &s, NULL, 0);
			place.ctx = usual;
			wrong = graph_wrong(&g);
			graph_close(&g);
			CHECK(st == LSCHED_OK && wrong == 0 && s.workers == threads[i],
				"%u threads, scheme %d", threads[i], scheme);
		}
	}
	for (int i = 0; i < 3; i++) {
		lsched_close(&ctx[i]);
		CHECK(ctx[i] == NULL, "close");
	}
}

static void devices_can_be_queried(void)
{
	const int n = lsched_device_count();
	lsched_device_info info = { .struct_bytes = sizeof(info) };

	CHECK(n >= 0, "%d", n);
	CHECK(lsched_device_get_info(n, &info) != LSCHED_OK && info.sm_count == 0,
		"beyond the last");
	CHECK(lsched_device_get_info(0, NULL) == LSCHED_ERR_ARG, "no place");
	if (n == 0) {
		lsched_options o;
		lsched_ctx *ctx;
		char msg[256];
		lsched_status st;

		lsched_options_init(&o);
		o.backend = LSCHED_BACKEND_CUDA;
		st = lsched_open(&ctx, &o, msg, sizeof(msg));
		CHECK((st == LSCHED_ERR_NO_DEVICE || st == LSCHED_ERR_UNSUPPORTED) && !ctx &&
				strstr(msg, "CUDA"),
			"%s", msg);
	}
}

static CU_TestInfo cpu_tests[] = {
	{ "wrong arguments are refused", wrong_arguments_are_refused },
	{ "names are converted to values and back", names_are_converted_to_values_and_back },
	{ "contexts are independent", contexts_are_independent },
	{ "devices can be queried", devices_can_be_queried },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 5, 8, 16, 33, 64 };
	CU_SuiteInfo suites[] = {
		TEST_SUITE("graphs on threads", suite_graph_tests),
		TEST_SUITE("flow on threads", suite_flow_tests),
		TEST_SUITE("spawned work on threads", suite_spawn_tests),
		TEST_SUITE("timelines on threads", suite_trace_tests),
		TEST_SUITE("queues alone", raw_tests),
		TEST_SUITE("queues step by step", raw_steps_tests),
		TEST_SUITE("ring alone", raw_ring_tests),
		TEST_SUITE("rounds on threads", suite_rounds_tests),
		TEST_SUITE("distribution on threads", suite_fan_tests),
		TEST_SUITE("control on threads", suite_control_tests),
		TEST_SUITE("messages on threads", suite_message_tests),
		TEST_SUITE("CPU only", cpu_tests),
		CU_SUITE_INFO_NULL,
	};
	int rc;

	rc = test_open(&place.ctx, LSCHED_BACKEND_CPU, 64);
	if (rc)
		return rc;
	place.graph = &graph_cpu_program;
	place.tree = &tree_cpu_program;
	place.fan = &fan_cpu_program;
	place.grid = &grid_cpu_program;
	place.message = &message_cpu_program;
	place.lanes = LSCHED_LANES;
	place.scale = TEST_SANITIZED ? 4 : 1;
	suite_use_host_memory();
	return suite_run(suites, workers, sizeof(workers) / sizeof(workers[0]));
}
