/* Bad use of libsched on a CUDA device: tasks that hang, trap, or are counted wrongly. A process
 * cannot use a lost device any more, so every case runs in a child process: this program with the
 * name of the case. Skipped without a device; SCHED_REQUIRE_GPU=1 makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <signal.h>
#include "tests/libsched/bad_common.h"
#include "tests/common/sched_setup.h"
#include "tests/common/seconds.h"
#include "tests/common/testmain.h"

#ifdef HAVE_CUDA

extern const lsched_program bad_cuda_program;

enum { W = 64, H = 32, TASKS = W * H, LIMIT_MS = 300, CHILD_SECONDS = 90 };

/* In a child: prints the error and exits without CUDA's exit handlers, which might hang. */
#define MUST(cond, ...)                                                            \
	do {                                                                       \
		if (!(cond)) {                                                     \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond); \
			fprintf(stderr, __VA_ARGS__);                              \
			fprintf(stderr, "\n");                                     \
			_exit(1);                                                  \
		}                                                                  \
	} while (0)

static void open_with(bad *b, uint32_t w, uint32_t h, lsched_scheme scheme, uint32_t trace)
{
	lsched_run_options o;

	o = RUN_OPTIONS(.scheme = scheme, .trace = trace, .timeout_ms = LIMIT_MS);
	MUST(bad_open(b, w, h, &o), "%s", b->ctx ? lsched_last_error(b->ctx) : "no context");
}

/* All calls on a context that was lost, with an error that contains `word`, return at once with
 * that error. */
static void check_lost(bad *b, const char *word)
{
	lsched_run_options o;
	lsched_run *run;
	void *m = b;

	MUST(lsched_run_start(b->run, &b->c, b->c.graph.tasks, NULL) == LSCHED_ERR_DEVICE &&
			strstr(lsched_run_error(b->run), "the context is lost") &&
			strstr(lsched_run_error(b->run), word),
		"%s", lsched_run_error(b->run));
	MUST(lsched_run_done(b->run), "nothing is left to wait for");
	o = RUN_OPTIONS(.max_tasks = 1);
	MUST(lsched_run_create(&run, b->ctx, bad_place.program, &o) == LSCHED_ERR_DEVICE && !run,
		"%s", lsched_last_error(b->ctx));
	MUST(lsched_mem_alloc(b->ctx, &m, 4) == LSCHED_ERR_DEVICE && !m, "%s",
		lsched_last_error(b->ctx));
	MUST(lsched_mem_zero(b->ctx, b->c.runs, 4) == LSCHED_ERR_DEVICE, "%s",
		lsched_last_error(b->ctx));
	bad_close(b);
	MUST(!b->ctx && !b->run && !b->g, "closed");
}

static void check_stuck(lsched_scheme scheme, uint32_t trace, int ask)
{
	lsched_status st;
	bad b;

	open_with(&b, W, H, scheme, trace);
	MUST(bad_good_again(&b), "%s", lsched_run_error(b.run));
	b.c.act = BAD_STUCK;
	b.c.act_task = 3 * W + 7;
	MUST(lsched_run_start(b.run, &b.c, TASKS, NULL) == LSCHED_OK, "%s",
		lsched_run_error(b.run));
	while (ask && !lsched_run_done(b.run))
		;
	st = lsched_run_finish(b.run, NULL);
	MUST(st == LSCHED_ERR_TIMEOUT, "%s", lsched_run_error(b.run));
	MUST(strstr(lsched_run_error(b.run), "does not return") &&
			strstr(lsched_run_error(b.run), "the context is lost"),
		"%s", lsched_run_error(b.run));
	if (trace)
		MUST(strstr(lsched_run_error(b.run), "task 199 on worker ") &&
				lsched_run_error_task(b.run) == 199,
			"%s", lsched_run_error(b.run));
	check_lost(&b, "does not return");
}

static void stuck_dynamic(void)
{
	check_stuck(LSCHED_SCHEME_DYNAMIC, 0, 0);
}

static void stuck_static(void)
{
	check_stuck(LSCHED_SCHEME_STATIC, 0, 0);
}

static void stuck_sync(void)
{
	check_stuck(LSCHED_SCHEME_SYNC, 0, 0);
}

static void stuck_named(void)
{
	check_stuck(LSCHED_SCHEME_DYNAMIC, 4, 0);
}

static void stuck_asked(void)
{
	check_stuck(LSCHED_SCHEME_DYNAMIC, 0, 1);
}

/* One worker: none is idle, so only the host finds the timeout. */
static void stuck_alone(void)
{
	bad_place.workers = 1;
	check_stuck(LSCHED_SCHEME_DYNAMIC, 4, 0);
}

/* A run in the same stream behind one that hangs can never begin. */
static void stuck_before(void)
{
	lsched_run_options o;
	lsched_run *behind;
	bad_ctx good;
	bad b;

	open_with(&b, W, H, LSCHED_SCHEME_STATIC, 0);
	o = RUN_OPTIONS(.max_tasks = TASKS, .timeout_ms = LIMIT_MS);
	MUST(lsched_run_create(&behind, b.ctx, bad_place.program, &o) == LSCHED_OK, "%s",
		lsched_last_error(b.ctx));
	good = b.c;
	b.c.act = BAD_STUCK;
	b.c.act_task = 0;
	MUST(lsched_run_start(b.run, &b.c, TASKS, NULL) == LSCHED_OK, "%s",
		lsched_run_error(b.run));
	MUST(lsched_run_start(behind, &good, TASKS, NULL) == LSCHED_OK, "%s",
		lsched_run_error(behind));
	MUST(lsched_run_finish(behind, NULL) == LSCHED_ERR_DEVICE, "%s", lsched_run_error(behind));
	MUST(lsched_run_finish(b.run, NULL) == LSCHED_ERR_TIMEOUT, "%s", lsched_run_error(b.run));
	lsched_run_destroy(&behind);
	check_lost(&b, "does not return");
}

/* No worker is idle, so the host cancels; the task returns, and all is usable again. */
static void returning(void)
{
	for (uint32_t workers = 1; workers <= 64; workers += 63) {
		bad b;

		bad_place.workers = workers;
		open_with(&b, W, H, LSCHED_SCHEME_DYNAMIC, 0);
		b.c.act = BAD_RETURNS;
		b.c.act_task = 100;
		MUST(bad_once(&b) == LSCHED_ERR_TIMEOUT &&
				strstr(lsched_run_error(b.run), "no progress for 300 ms"),
			"%s", lsched_run_error(b.run));
		MUST(bad_good_again(&b), "%s", lsched_run_error(b.run));
		bad_close(&b);
	}
}

static void trapping(void)
{
	bad b;

	open_with(&b, W, H, LSCHED_SCHEME_DYNAMIC, 0);
	MUST(bad_good_again(&b), "%s", lsched_run_error(b.run));
	b.c.act = BAD_TRAP;
	b.c.act_task = 100;
	MUST(bad_once(&b) == LSCHED_ERR_DEVICE &&
			strstr(lsched_run_error(b.run), "bad: execution: "),
		"%s", lsched_run_error(b.run));
	check_lost(&b, "execution: ");
}

/* A chain of tasks, each much shorter than the limit, all together much longer; and a run behind it
 * in the same stream, which begins only after more than the limit. */
static void long_tasks(void)
{
	enum { LONG_MS = 12, ROW = 60 };

	for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme <= LSCHED_SCHEME_SYNC; scheme++) {
		lsched_run_options o;
		lsched_run *behind;
		bad_ctx good;
		bad b;

		open_with(&b, ROW, 1, (lsched_scheme)scheme, 0);
		o = RUN_OPTIONS(.max_tasks = ROW, .timeout_ms = LIMIT_MS);
		MUST(lsched_run_create(&behind, b.ctx, bad_place.program, &o) == LSCHED_OK, "%s",
			lsched_last_error(b.ctx));
		good = b.c;
		MUST(lsched_mem_alloc_array(b.ctx, (void **)&good.runs, ROW, 4) == LSCHED_OK,
			"memory");
		b.c.act = BAD_LONG;
		b.c.long_ns = LONG_MS * 1000000;
		MUST(lsched_run_start(b.run, &b.c, ROW, NULL) == LSCHED_OK, "%s",
			lsched_run_error(b.run));
		MUST(lsched_run_start(behind, &good, ROW, NULL) == LSCHED_OK, "%s",
			lsched_run_error(behind));
		MUST(lsched_run_finish(behind, NULL) == LSCHED_OK, "%s", lsched_run_error(behind));
		MUST(lsched_run_finish(b.run, NULL) == LSCHED_OK, "%s", lsched_run_error(b.run));
		MUST(bad_wrong(&b) == 0, "%u", bad_wrong(&b));
		lsched_run_destroy(&behind);
		lsched_mem_free(b.ctx, good.runs);
		bad_close(&b);
	}
}

/* A task four times as long as the limit that reports its progress; 1 worker, or others idle. */
static void reporting(void)
{
	for (uint32_t workers = 1; workers <= 64; workers += 63) {
		bad b;

		bad_place.workers = workers;
		open_with(&b, 2, 1, LSCHED_SCHEME_DYNAMIC, 0);
		b.c.act = BAD_LONG;
		b.c.long_ns = 4 * LIMIT_MS * 1000000u;
		b.c.reports = 1;
		MUST(bad_once(&b) == LSCHED_OK && bad_wrong(&b) == 0, "%s",
			lsched_run_error(b.run));
		bad_close(&b);
	}
}

static void counters(void)
{
	bad b;

	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		lsched_run_options o;

		o = RUN_OPTIONS(.queue = (lsched_queue)q, .timeout_ms = 10000);
		MUST(bad_open(&b, W, H, &o), "%s", lsched_last_error(b.ctx));
		b.c.lie_task = 7 * W + 5;
		b.c.lie_count = 1;
		MUST(bad_once(&b) == LSCHED_ERR_ARG, "%s: %s", lsched_queue_name((lsched_queue)q),
			lsched_run_error(b.run));
		MUST(bad_good_again(&b), "%s", lsched_run_error(b.run));
		b.c.lie_task = BAD_ALL;
		MUST(bad_once(&b) == LSCHED_ERR_ARG &&
				strstr(lsched_run_error(b.run), "a counter fell below zero"),
			"%s: %s", lsched_queue_name((lsched_queue)q), lsched_run_error(b.run));
		MUST(bad_good_again(&b), "%s", lsched_run_error(b.run));
		bad_close(&b);
	}
}

static void residency(void)
{
	lsched_run_options o;
	lsched_run *run;
	bad b;

	open_with(&b, W, H, LSCHED_SCHEME_DYNAMIC, 0);
	o = RUN_OPTIONS(.max_tasks = 1000000, .all_resident = 1);
	MUST(lsched_run_create(&run, b.ctx, bad_place.program, &o) == LSCHED_OK, "%s",
		lsched_last_error(b.ctx));
	lsched_run_destroy(&run);
	o.workers = 900000; /* no device has room for so many */
	MUST(lsched_run_create(&run, b.ctx, bad_place.program, &o) == LSCHED_ERR_ARG && !run &&
			strstr(lsched_last_error(b.ctx), "all_resident"),
		"%s", lsched_last_error(b.ctx));
	o.all_resident = 0;
	MUST(lsched_run_create(&run, b.ctx, bad_place.program, &o) == LSCHED_OK, "%s",
		lsched_last_error(b.ctx));
	lsched_run_destroy(&run);
	bad_close(&b);
}

/* Both use the whole device at the same time; one is closed while the other runs. */
static void two_contexts(void)
{
	bad one, two;

	bad_place.workers = 0;
	open_with(&one, W, H, LSCHED_SCHEME_DYNAMIC, 0);
	open_with(&two, W, H, LSCHED_SCHEME_STATIC, 0);
	for (int k = 0; k < 50; k++) {
		MUST(lsched_mem_zero(one.ctx, one.c.runs, TASKS * 4) == LSCHED_OK, "zero");
		MUST(lsched_run_start(one.run, &one.c, TASKS, NULL) == LSCHED_OK, "%s",
			lsched_run_error(one.run));
		MUST(bad_once(&two) == LSCHED_OK && bad_wrong(&two) == 0, "%s",
			lsched_run_error(two.run));
		if (k == 49)
			bad_close(&two);
		MUST(lsched_run_finish(one.run, NULL) == LSCHED_OK && bad_wrong(&one) == 0, "%s",
			lsched_run_error(one.run));
	}
	bad_close(&one);
}

static void probe(void)
{
	lsched_options o;
	lsched_ctx *ctx;
	char msg[256];

	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CUDA;
	if (lsched_open(&ctx, &o, msg, sizeof(msg)) == LSCHED_OK)
		_exit(0);
	printf("%s\n", msg);
	fflush(stdout);
	_exit(TEST_EXIT_SKIP);
}

static const struct child {
	const char *name;
	void (*run)(void);
} children[] = { { "probe", probe }, { "stuck_dynamic", stuck_dynamic },
	{ "stuck_static", stuck_static }, { "stuck_sync", stuck_sync },
	{ "stuck_named", stuck_named }, { "stuck_asked", stuck_asked },
	{ "stuck_alone", stuck_alone }, { "stuck_before", stuck_before },
	{ "returning", returning }, { "trapping", trapping }, { "long_tasks", long_tasks },
	{ "reporting", reporting }, { "counters", counters }, { "residency", residency },
	{ "two_contexts", two_contexts } };

static int be_child(const char *name)
{
	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		if (strcmp(children[i].name, name) == 0) {
			bad_place.backend = LSCHED_BACKEND_CUDA;
			bad_place.workers = 64;
			bad_place.program = &bad_cuda_program;
			children[i].run();
			/* a kernel may still hang, and CUDA's exit handlers might wait for it */
			_exit(0);
		}
	return 2;
}

/* Returns the child's exit code, or -1 when it was killed. */
static int run_child(const char *name)
{
	const struct timespec nap = { 0, 10000000 };
	const time_t end = test_seconds() + CHILD_SECONDS;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execl("/proc/self/exe", "lost_test", name, (char *)NULL);
		_exit(126);
	}
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (test_seconds() > end) {
			fprintf(stderr, "%s: still not over after %d s\n", name, CHILD_SECONDS);
			kill(pid, SIGKILL);
			(void)waitpid(pid, &status, 0);
			return -1;
		}
		(void)nanosleep(&nap, NULL);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CASE(name)                                    \
	static void name##_case(void)                 \
	{                                             \
		CU_ASSERT_EQUAL(run_child(#name), 0); \
	}
CASE(stuck_dynamic)
CASE(stuck_static)
CASE(stuck_sync)
CASE(stuck_named)
CASE(stuck_asked)
CASE(stuck_alone)
CASE(stuck_before)
CASE(returning)
CASE(trapping)
CASE(long_tasks)
CASE(reporting)
CASE(counters)
CASE(residency)
CASE(two_contexts)

static CU_TestInfo cases[] = { { "a task that never returns is an error: dynamic",
				       stuck_dynamic_case },
	{ "a task that never returns is an error: static", stuck_static_case },
	{ "a task that never returns is an error: sync", stuck_sync_case },
	{ "with a timeline the error names the task", stuck_named_case },
	{ "a poll for the end detects the timeout, too", stuck_asked_case },
	{ "the host detects the timeout when no worker is idle", stuck_alone_case },
	{ "a run behind it in the stream fails, too", stuck_before_case },
	{ "a task that returns when cancelled leaves all usable", returning_case },
	{ "a task that traps is an error, and closing works", trapping_case },
	{ "a chain of long tasks, and a run behind it, are no timeout", long_tasks_case },
	{ "a long task that reports progress is no timeout", reporting_case },
	{ "a counter below zero is an error", counters_case },
	{ "more workers than are resident are refused where all must run", residency_case },
	{ "two contexts on one device are independent", two_contexts_case }, CU_TEST_INFO_NULL };

int main(int argc, char **argv)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("bad use of a device", cases), CU_SUITE_INFO_NULL };

	if (argc == 2)
		return be_child(argv[1]);
	if (run_child("probe") != 0)
		return test_skip_gpu("no usable CUDA device");
	return test_run(suites);
}

#else
TEST_WITHOUT_CUDA
#endif
