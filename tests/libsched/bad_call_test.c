/* Calls of libsched with wrong arguments, on CPU threads: an error and a message. */
#include <stdio.h>
#include <string.h>
#define BAD_PROGRAM
#include "tests/libsched/bad_program.h"
#undef BAD_PROGRAM

/* Programs with the default queues, and with one queue. */
#define LSCHED_NAME usual
#define LSCHED_CTX  bad_ctx
#define LSCHED_BODY bad_body
#include <libsched/generate.h>
#define LSCHED_NAME                 only
#define LSCHED_CTX                  bad_ctx
#define LSCHED_BODY                 bad_body
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, ABP, abp)
#include <libsched/generate.h>

extern const lsched_program stub_cpu_program; /* bad_stub.c: the code of one queue */

#include "tests/libsched/bad_common.h"
#include "tests/common/sched_setup.h"
#include "tests/common/testmain.h"

enum { W = 24, H = 20, TASKS = W * H, THREADS = 4 };

static uint32_t gate[3];

static void lsched_run_once_reports_errors(void)
{
	char msg[256] = "";
	lsched_stats stats = { .struct_bytes = sizeof(stats), .tasks = 7 };

	CHECK(lsched_run_once(NULL, &gate, 1, &stats, msg, sizeof(msg)) == LSCHED_ERR_ARG,
		"no program");
	CHECK(msg[0] && stats.tasks == 0, "'%s', %d tasks", msg, (int)stats.tasks);
	CHECK(lsched_run_once(&bad_cpu_program, NULL, 1, NULL, msg, sizeof(msg)) == LSCHED_ERR_ARG,
		"no program context");
	CHECK(lsched_run_once(&bad_cpu_program, NULL, 1, NULL, NULL, 0) == LSCHED_ERR_ARG,
		"no text");
}

static void unknown_enumerators_and_options_without_room_are_refused(void)
{
	lsched_run_options o;
	lsched_run *run;
	lsched_queue q;
	bad b;

	o = RUN_OPTIONS();
	CHECK(bad_open(&b, 4, 4, &o), "a context, a graph and a run");
	o.max_tasks = 0;
	CHECK(lsched_run_create(&run, b.ctx, &bad_cpu_program, &o) == LSCHED_ERR_ARG && !run,
		"no tasks");
	CHECK(strstr(lsched_last_error(b.ctx), "max_tasks must be 1"), "%s",
		lsched_last_error(b.ctx));
	o.max_tasks = 16;
	o.queue = LSCHED_QUEUE_COUNT;
	CHECK(lsched_run_create(&run, b.ctx, &bad_cpu_program, &o) == LSCHED_ERR_ARG && !run,
		"queue");
	CHECK(strstr(lsched_last_error(b.ctx), "unknown"), "%s", lsched_last_error(b.ctx));
	o.queue = LSCHED_QUEUE_RING;
	o.scheme = LSCHED_SCHEME_EPOCH;
	CHECK(lsched_run_create(&run, b.ctx, &bad_cpu_program, &o) == LSCHED_ERR_UNSUPPORTED &&
			strstr(lsched_last_error(b.ctx), "has no LSCHED_WORD_BODY"),
		"%s", lsched_last_error(b.ctx));
	o.scheme = LSCHED_SCHEME_DYNAMIC;
	o.overflow = (lsched_overflow)77;
	CHECK(lsched_run_create(&run, b.ctx, &bad_cpu_program, &o) == LSCHED_ERR_ARG && !run,
		"policy");
	o.overflow = LSCHED_OVERFLOW_FAIL;
	o.scheme = (lsched_scheme)-1;
	CHECK(lsched_run_create(&run, b.ctx, &bad_cpu_program, &o) == LSCHED_ERR_ARG && !run,
		"scheme");
	CHECK(lsched_queue_parse("", &q) == -1 && lsched_queue_parse("rings", &q) == -1, "names");
	bad_close(&b);
}

static void a_queue_that_the_program_does_not_name_is_refused(void)
{
	lsched_run_options o;
	lsched_ctx *ctx = NULL;
	char msg[256] = "";

	CHECK(lsched_open(&ctx, NULL, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	o = RUN_OPTIONS(.max_tasks = 1);
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		const int usual =
			q == LSCHED_QUEUE_RING || q == LSCHED_QUEUE_STEAL || q == LSCHED_QUEUE_PRIO;
		const struct {
			const lsched_program *program;
			int named;
		} tries[] = { { &usual_cpu_program, usual },
			{ &only_cpu_program, q == LSCHED_QUEUE_ABP }, { &bad_cpu_program, 1 },
			{ &stub_cpu_program, q == LSCHED_QUEUE_RING } };

		o.queue = (lsched_queue)q;
		for (size_t k = 0; k < sizeof(tries) / sizeof(tries[0]); k++) {
			lsched_run *run = NULL;
			const lsched_status st = lsched_run_create(&run, ctx, tries[k].program, &o);
			const char *text = lsched_last_error(ctx);

			CHECK(st == (tries[k].named ? LSCHED_OK : LSCHED_ERR_UNSUPPORTED),
				"program %zu, %s: %s", k, lsched_queue_name(o.queue), text);
			CHECK(tries[k].named || (strstr(text, lsched_queue_name(o.queue)) &&
							strstr(text, "LSCHED_PROGRAM_QUEUES")),
				"%s", text);
			lsched_run_destroy(&run);
		}
	}
	lsched_close(&ctx);
}

static int refuse_text(void *opaque, const char *text, size_t bytes)
{
	(void)opaque, (void)text, (void)bytes;
	return 1;
}

/* The texts that lsched_open() writes. */
static void check_open_messages(void)
{
	lsched_options co;
	lsched_ctx *ctx;
	char msg[256];

	lsched_options_init(&co);
	co.backend = LSCHED_BACKEND_CPU;
	CHECK(lsched_open(NULL, &co, msg, sizeof(msg)) == LSCHED_ERR_ARG &&
			strstr(msg, "place for the context"),
		"%s", msg);
	co.device = -2;
	CHECK(lsched_open(&ctx, &co, msg, sizeof(msg)) == LSCHED_ERR_ARG && strstr(msg, "device"),
		"%s", msg);
	co.device = -1;
	co.workers = (1u << 20) + 1;
	CHECK(lsched_open(&ctx, &co, msg, sizeof(msg)) == LSCHED_ERR_ARG &&
			strstr(msg, "workers must be 0 to 1048576"),
		"%s", msg);
}

#define SAYS(call, st, last, word) CHECK((call) == (st) && strstr(last, word), "%s", last)
#define RUN_SAYS(call, st, word)   SAYS(call, st, lsched_run_error(b.run), word)
#define CTX_SAYS(call, st, word)   SAYS(call, st, lsched_last_error(b.ctx), word)

/* A call that fails on an object stores an error message there that names the cause. */
static void every_call_that_fails_stores_a_message(void)
{
	const uint32_t first[] = { 0, 1 };
	static const lsched_csr_edge edge = { 0, 1 };
	lsched_worker_stats each;
	lsched_run_options o;
	lsched_run *run, *runs[2];
	lsched_csr *g;
	void *memory;
	bad b;

	lsched_worker_stats_init(&each);
	o = RUN_OPTIONS();
	check_open_messages();
	CHECK(bad_open(&b, W, H, &o), "a context, a graph and a run");
	RUN_SAYS(lsched_run_start(b.run, NULL, TASKS, NULL), LSCHED_ERR_ARG, "program_ctx is NULL");
	RUN_SAYS(lsched_run_start(b.run, &b.c, TASKS + 1, NULL), LSCHED_ERR_ARG,
		"481 tasks exceed max_tasks, which is 480");
	RUN_SAYS(lsched_run_finish(b.run, NULL), LSCHED_ERR_STATE, "finished without a start");
	RUN_SAYS(lsched_run_worker_stats(b.run, 0, &each), LSCHED_ERR_STATE, "worker_stats is 0");
	RUN_SAYS(lsched_run_worker_stats(b.run, 0, NULL), LSCHED_ERR_ARG, "is NULL");
	RUN_SAYS(lsched_run_set_workers(b.run, lsched_run_max_workers(b.run) + 1), LSCHED_ERR_ARG,
		"the run was created for");
	CTX_SAYS(lsched_run_create(NULL, b.ctx, &bad_cpu_program, &o), LSCHED_ERR_ARG,
		"out is NULL");
	CTX_SAYS(lsched_run_create(&run, b.ctx, NULL, &o), LSCHED_ERR_ARG,
		"program or options is NULL");
	o.max_tasks = 1;
	o.workers = (1u << 20) + 1;
	CTX_SAYS(lsched_run_create(&run, b.ctx, &bad_cpu_program, &o), LSCHED_ERR_ARG,
		"workers must be 0 to 1048576");
	CTX_SAYS(lsched_mem_alloc(b.ctx, NULL, 1), LSCHED_ERR_ARG, "place for the address");
	CTX_SAYS(lsched_mem_alloc(b.ctx, &memory, SIZE_MAX), LSCHED_ERR_NOMEM, "out of memory");
	CTX_SAYS(lsched_mem_read(b.ctx, NULL, b.c.runs, 4), LSCHED_ERR_ARG, "is NULL, for 4 bytes");
	CTX_SAYS(lsched_mem_zero(b.ctx, b.c.runs, SIZE_MAX), LSCHED_ERR_ARG, "more than a block");
	CTX_SAYS(lsched_csr_from_edges(NULL, b.ctx, 2, &edge, 1), LSCHED_ERR_ARG, "out is NULL");
	CTX_SAYS(lsched_csr_from_edges(&g, b.ctx, 2, NULL, 1), LSCHED_ERR_ARG, "edges is NULL");
	CTX_SAYS(lsched_csr_from_edges(&g, b.ctx, UINT32_MAX, &edge, 1), LSCHED_ERR_ARG,
		"4294967295 tasks");
	CTX_SAYS(lsched_csr_from_successors(&g, b.ctx, 1, NULL, NULL), LSCHED_ERR_ARG,
		"first is NULL");
	CTX_SAYS(lsched_csr_from_successors(&g, b.ctx, 1, first, NULL), LSCHED_ERR_ARG,
		"succ is NULL");
	runs[0] = b.run;
	runs[1] = NULL;
	RUN_SAYS(lsched_trace_write(runs, 2, refuse_text, NULL), LSCHED_ERR_ARG, "runs is NULL");
	RUN_SAYS(lsched_trace_write(runs, 1, NULL, NULL), LSCHED_ERR_ARG, "write function is NULL");
	RUN_SAYS(
		lsched_trace_write(runs, 1, refuse_text, NULL), LSCHED_ERR_ARG, "returned nonzero");
	CHECK(bad_good_again(&b), "%s", lsched_run_error(b.run));
	bad_close(&b);
}

static void more_workers_than_threads_are_refused_where_all_must_run(void)
{
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;
	bad b;

	o = RUN_OPTIONS();
	CHECK(bad_open(&b, W, H, &o), "a context, a graph and a run");
	o.max_tasks = TASKS;
	o.all_resident = 1;
	o.workers = THREADS + 1;
	CHECK(lsched_run_create(&run, b.ctx, &bad_cpu_program, &o) == LSCHED_ERR_ARG && !run,
		"too many");
	CHECK(strstr(lsched_last_error(b.ctx), "5 workers requested, but only 4 "), "%s",
		lsched_last_error(b.ctx));
	for (uint32_t all = 0; all < 2; all++) {
		o.all_resident = all;
		o.workers = THREADS + 1 - all; /* without all_resident the number is reduced */
		CREATE(&run, b.ctx, &bad_cpu_program, &o);
		CHECK(lsched_run_start(run, &b.c, TASKS, NULL) == LSCHED_OK &&
				lsched_run_finish(run, &s) == LSCHED_OK && s.workers == THREADS,
			"%s, %u workers", lsched_run_error(run), s.workers);
		lsched_run_destroy(&run);
	}
	bad_close(&b);
}

/* Without a device the error of a program for CUDA names that, and not only the other backend, if
 * the context is opened with AUTO, as in a program that is compiled for both. */
static void a_program_for_another_backend_is_refused(void)
{
	lsched_program cuda = bad_cpu_program;
	lsched_run_options ro;
	lsched_options co;
	lsched_ctx *ctx = NULL;
	lsched_run *run = NULL;
	char msg[256] = "";

	cuda.backend = LSCHED_BACKEND_CUDA;
	lsched_run_options_init(&ro);
	lsched_options_init(&co);
	co.backend = LSCHED_BACKEND_CPU;
	CHECK(lsched_open(&ctx, &co, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	SAYS(lsched_run_create(&run, ctx, &cuda, &ro), LSCHED_ERR_ARG, lsched_last_error(ctx),
		"is a program for cuda, the context is for cpu");
	lsched_close(&ctx);
	if (lsched_device_count() > 0)
		return;
	lsched_options_init(&co);
	CHECK(lsched_open(&ctx, &co, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	SAYS(lsched_run_create(&run, ctx, &cuda, &ro), LSCHED_ERR_NO_DEVICE, lsched_last_error(ctx),
		"no CUDA device: ");
	CU_ASSERT_PTR_NULL(run);
	lsched_close(&ctx);
}

static CU_TestInfo tests[] = {
	{ "unknown enumerators and options without room are refused",
		unknown_enumerators_and_options_without_room_are_refused },
	{ "a queue that the program does not name is refused",
		a_queue_that_the_program_does_not_name_is_refused },
	{ "a program for another backend is refused", a_program_for_another_backend_is_refused },
	{ "lsched_run_once reports errors", lsched_run_once_reports_errors },
	{ "every call that fails stores a message", every_call_that_fails_stores_a_message },
	{ "more workers than threads are refused where all must run",
		more_workers_than_threads_are_refused_where_all_must_run },
	CU_TEST_INFO_NULL,
};

int main(void)
{

	bad_place.backend = LSCHED_BACKEND_CPU;
	bad_place.workers = THREADS;
	bad_place.program = &bad_cpu_program;
	bad_place.gate = gate;
	return test_run_one("wrong calls on threads", tests);
}
