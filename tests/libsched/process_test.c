/* libsched and the process: child processes, signals, the processors that it may use, and runs that
 * share the threads of a context. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#define BAD_PROGRAM
#include "tests/libsched/bad_program.h"
#undef BAD_PROGRAM
#include "libsched/core/backend.h"
#include "libsched/cpu/pool.h"
#include "libsched/cpu/processors.h"
#include "tests/common/sched_setup.h"
#include "tests/common/testmain.h"

/* ---- programs ---- */

typedef struct signal_ctx {
	sigset_t *blocked; /* of a worker's thread */
} signal_ctx;

LSCHED_TASK_FN lsched_result signal_body(
	lsched_worker *w, const signal_ctx *c, lsched_no_local *l, uint32_t task)
{
	(void)w, (void)l, (void)task;
	pthread_sigmask(SIG_BLOCK, NULL, c->blocked);
	return LSCHED_DONE;
}

#define LSCHED_NAME                 signals
#define LSCHED_CTX                  signal_ctx
#define LSCHED_BODY                 signal_body
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate.h>

typedef struct pair_ctx {
	uint32_t *begun; /* of each run */
	uint32_t own;
} pair_ctx;

/* Ends when the tasks of both runs have begun. */
LSCHED_TASK_FN lsched_result pair_body(
	lsched_worker *w, const pair_ctx *c, lsched_no_local *l, uint32_t task)
{
	(void)l, (void)task;
	lsched_st(&c->begun[c->own], 1u, rel, dev);
	while (!lsched_ld(&c->begun[!c->own], acq, dev)) {
		if (lsched_cancelled(w))
			return LSCHED_FAIL;
		sched_yield();
	}
	return LSCHED_DONE;
}

#define LSCHED_NAME                 pairs
#define LSCHED_CTX                  pair_ctx
#define LSCHED_BODY                 pair_body
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate.h>

enum { SLEEP_SPAWNS, SLEEP_FAILS, SLEEP_WAITS };

typedef struct sleep_ctx {
	uint32_t *ran;    /* items that the other worker has run */
	uint32_t *sleeps; /* 1: the other worker sleeps */
	uint32_t act, rounds;
} sleep_ctx;

/* Waits until the other worker sleeps, or is about to. Returns 0 if the run has failed. */
static int wait_for_sleeper(const lsched_worker *w)
{
	while (lsched_ld(&w->a->state->idle.sleepers.v, acq, dev) == 0) {
		if (lsched_cancelled(w))
			return 0;
		sched_yield();
	}
	return 1;
}

/* The root spawns an item at a time for the other worker: while that one polls, before it sleeps,
 * and while it sleeps. */
LSCHED_TASK_FN lsched_result sleep_body(
	lsched_worker *w, const sleep_ctx *c, lsched_no_local *l, uint32_t task)
{
	(void)l;
	if (task) {
		(void)lsched_add(c->ran, 1u, ar, dev);
		return LSCHED_DONE;
	}
	lsched_spawn(w, 1); /* most queues keep the first one for this worker */
	for (uint32_t k = 0; k < c->rounds; k++) {
		const uint32_t had = lsched_ld(c->ran, acq, dev);

		if (k % 3 && !wait_for_sleeper(w))
			return LSCHED_FAIL;
		if (k % 3 == 2)
			usleep(100);
		lsched_spawn(w, 1);
		while (lsched_ld(c->ran, acq, dev) == had) {
			if (lsched_cancelled(w))
				return LSCHED_FAIL;
			sched_yield();
		}
	}
	if (!wait_for_sleeper(w))
		return LSCHED_FAIL;
	if (c->act == SLEEP_SPAWNS)
		return LSCHED_DONE; /* the end wakes it */
	if (c->act == SLEEP_FAILS)
		return lsched_fail(w, 7);
	lsched_st(c->sleeps, 1u, rel, dev);
	while (!lsched_cancelled(w))
		sched_yield();
	return LSCHED_DONE;
}

#define LSCHED_NAME           sleepers
#define LSCHED_CTX            sleep_ctx
#define LSCHED_BODY           sleep_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>

/* defines the type `bad`, which the programs' texts have as a variable */
#include "tests/libsched/bad_common.h"

enum { CHILD_SECONDS = 60, W = 8 };

static uint32_t gate[3];

/* ---- a child process ---- */

/* In a child: a failure ends it with the line, after a message. */
#define MUST(cond, text)                                                                     \
	do {                                                                                 \
		if (!(cond)) {                                                               \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #cond, text); \
			_exit(1);                                                            \
		}                                                                            \
	} while (0)

static void use_in_child(bad *b, lsched_run *idle)
{
	lsched_run_progress_info p;
	lsched_run_options o = RUN_OPTIONS(.max_tasks = 1);
	lsched_run *run;
	void *m;

	lsched_run_progress_info_init(&p);
	alarm(CHILD_SECONDS);
	MUST(lsched_run_progress(b->run, &p) == LSCHED_ERR_STATE, "progress");
	MUST(lsched_run_cancel(b->run) == LSCHED_ERR_STATE, "cancel");
	MUST(lsched_run_done(b->run), "nothing to wait for");
	MUST(lsched_run_finish(b->run, NULL) == LSCHED_ERR_STATE, lsched_run_error(b->run));
	MUST(strstr(lsched_run_error(b->run), "child process"), lsched_run_error(b->run));
	MUST(lsched_run_start(b->run, &b->c, W, NULL) == LSCHED_ERR_STATE, "start");
	MUST(lsched_run_start(idle, &b->c, W, NULL) == LSCHED_ERR_STATE, "start");
	MUST(strstr(lsched_run_error(idle), "child process"), lsched_run_error(idle));
	MUST(lsched_run_create(&run, b->ctx, &bad_cpu_program, &o) == LSCHED_ERR_STATE && !run,
		lsched_last_error(b->ctx));
	MUST(lsched_mem_alloc(b->ctx, &m, 4) == LSCHED_ERR_STATE && !m, "memory");
	MUST(lsched_mem_zero(b->ctx, gate, 4) == LSCHED_ERR_STATE, "memory");
	lsched_run_destroy(&idle);
	bad_close(b);
	MUST(!b->ctx && !b->run && !idle, "closed");
#ifndef __SANITIZE_THREAD__ /* which supports no threads there */
	MUST(!test_open(&b->ctx, LSCHED_BACKEND_CPU, 2), "a context of its own");
	lsched_close(&b->ctx);
#endif
	_exit(0);
}

/* The run waits for the gate while the process forks. */
static void a_child_process_gets_an_error(void)
{
	lsched_run_options o = RUN_OPTIONS(.timeout_ms = LSCHED_NO_LIMIT_MS);
	lsched_run *idle;
	int status = -1;
	pid_t pid;
	bad b;

	if (getenv("TEST_EMULATED")) {
		printf("(left out: qemu-user ends where a process with threads forks) ");
		return;
	}
	CHECK(bad_open(&b, W, 1, &o), "a context, a graph and a run");
	o.max_tasks = W;
	CREATE(&idle, b.ctx, &bad_cpu_program, &o);
	b.c.act = BAD_STUCK;
	b.c.act_task = 0;
	CHECK(lsched_run_start(b.run, &b.c, W, NULL) == LSCHED_OK, "%s", lsched_run_error(b.run));
	while (lsched_ld(&gate[1], acq, dev) == 0)
		sched_yield();
	pid = fork();
	if (pid == 0)
		use_in_child(&b, idle);
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid, "a child process");
	lsched_st(&gate[0], 1u, rel, dev);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %x",
		(unsigned)status);
	CHECK(lsched_run_finish(b.run, NULL) == LSCHED_OK, "%s", lsched_run_error(b.run));
	lsched_run_destroy(&idle);
	bad_close(&b);
}

/* ---- signals ---- */

static void workers_block_asynchronous_signals_only(void)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT,
		SIGPROF };
	static const int others[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGCHLD };
	sigset_t blocked;
	const signal_ctx c = { &blocked };
	char msg[256];

	sigemptyset(&blocked);
	CHECK(lsched_run_once(&signals_cpu_program, &c, 1, NULL, msg, sizeof(msg)) == LSCHED_OK,
		"%s", msg);
	for (size_t k = 0; k < sizeof(own) / sizeof(own[0]); k++)
		CHECK(!sigismember(&blocked, own[k]), "signal %d is blocked", own[k]);
	for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
		CHECK(sigismember(&blocked, others[k]), "signal %d is not blocked", others[k]);
}

/* ---- processors ---- */

static void the_affinity_bounds_the_workers(void)
{
	cpu_set_t all, one;
	lsched_ctx *ctx = NULL;
	int cpu = 0, failed;

	CHECK(lsched_processor_count() >= 1, "at least one");
	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return; /* more processors than the set has */
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0, "bound to processor %d", cpu);
	failed = test_open(&ctx, LSCHED_BACKEND_CPU, 0);
	CHECK(lsched_processor_count() == 1, "%u processors", lsched_processor_count());
	CHECK(sched_setaffinity(0, sizeof(all), &all) == 0, "bound to all");
	CHECK(!failed && lsched_ctx_workers(ctx) == 1, "%u workers", lsched_ctx_workers(ctx));
	lsched_close(&ctx);
}

/* Writes a file below `base`, whose directories are created. */
static int put_file(const char *base, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", base, name);
	for (char *p = path + strlen(base) + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
		*p = '\0';
		(void)mkdir(path, 0700);
	}
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0) {
		if (f)
			fclose(f);
		return 0;
	}
	return fclose(f) == 0;
}

static void the_quotas_of_control_groups_bound_the_workers(void)
{
	static const struct {
		const char *groups;
		uint32_t limit;
	} cases[] = { { "0::/a/b\n", 2 }, { "0::/a\n", 4 }, { "0::/\n", 0 }, { "0::/none\n", 0 },
		{ "0::/a/c/d\n", 4 }, { "0::/../../a/b\n", 0 }, { "0::/a/b", 2 }, { "", 0 },
		{ "nonsense\n1:cpu\n", 0 }, { "4:cpuset:/q\n3:cpu,cpuacct:/q\n0::/\n", 3 },
		{ "3:cpuacct,cpu:/q/r\n0::/a/b\n", 1 }, { "2:cpuacct:/q/r\n", 0 } };
	char base[] = "/tmp/process_test.XXXXXX", v2[64], v1[64], groups[64], command[96];
	int ok;

	CHECK(mkdtemp(base) != NULL, "a directory");
	snprintf(v2, sizeof(v2), "%s/v2", base);
	snprintf(v1, sizeof(v1), "%s/v1", base);
	snprintf(groups, sizeof(groups), "%s/groups", base);
	ok = put_file(base, "/v2/cpu.max", "max 100000\n") &&
	     put_file(base, "/v2/a/cpu.max", "400000 100000\n") &&
	     put_file(base, "/v2/a/b/cpu.max", "150000 100000\n") &&
	     put_file(base, "/v2/a/c/cpu.max", "max 100000\n") &&
	     put_file(base, "/v1/cpu.cfs_quota_us", "-1\n") &&
	     put_file(base, "/v1/cpu.cfs_period_us", "100000\n") &&
	     put_file(base, "/v1/q/cpu.cfs_quota_us", "300000\n") &&
	     put_file(base, "/v1/q/cpu.cfs_period_us", "100000\n") &&
	     put_file(base, "/v1/q/r/cpu.cfs_quota_us", "1000\n") &&
	     put_file(base, "/v1/q/r/cpu.cfs_period_us", "100000\n");
	for (size_t k = 0; ok && k < sizeof(cases) / sizeof(cases[0]); k++) {
		ok = put_file(base, "/groups", cases[k].groups);
		CU_ASSERT_EQUAL(lsched_i_group_processors(groups, v2, v1), cases[k].limit);
	}
	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	CHECK(system(command) == 0 && ok, "files below %s", base);
	CHECK(lsched_i_group_processors(groups, v2, v1) == 0, "no such file");
}

/* ---- runs that share the threads ---- */

static void runs_of_one_worker_are_executed_together(void)
{
	lsched_run_options o = RUN_OPTIONS(.max_tasks = 1, .workers = 1, .timeout_ms = 20000);
	uint32_t begun[2] = { 0, 0 };
	lsched_run *run[2];
	lsched_ctx *ctx;

	CHECK(!test_open(&ctx, LSCHED_BACKEND_CPU, 4), "a context");
	for (uint32_t k = 0; k < 2; k++) {
		const pair_ctx c = { begun, k };

		CREATE(&run[k], ctx, &pairs_cpu_program, &o);
		CHECK(lsched_run_start(run[k], &c, 1, NULL) == LSCHED_OK, "%s",
			lsched_run_error(run[k]));
	}
	for (uint32_t k = 0; k < 2; k++)
		CHECK(lsched_run_finish(run[k], NULL) == LSCHED_OK, "%s", lsched_run_error(run[k]));
	for (uint32_t k = 0; k < 2; k++)
		lsched_run_destroy(&run[k]);
	lsched_close(&ctx);
}

/* A sleep has no end of its own here, so a lost wake is a hang. */
static void check_sleepers(lsched_ctx *ctx, lsched_queue q, uint32_t act, uint32_t rounds)
{
	lsched_run_options o = RUN_OPTIONS(.max_tasks = 64, .workers = 2, .queue = q,
		.timeout_ms = LSCHED_NO_LIMIT_MS);
	uint32_t ran = 0, sleeps = 0;
	const sleep_ctx c = { &ran, &sleeps, act, rounds };
	lsched_status st;
	lsched_stats s;
	lsched_run *run;

	lsched_stats_init(&s);
	CREATE(&run, ctx, &sleepers_cpu_program, &o);
	run->args.idle_sleep_ns = UINT64_C(3600000000000);
	CHECK(lsched_run_start(run, &c, 1, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
	while (act == SLEEP_WAITS && !lsched_ld(&sleeps, acq, dev))
		sched_yield();
	if (act == SLEEP_WAITS)
		CHECK(lsched_run_cancel(run) == LSCHED_OK, "cancelled");
	st = lsched_run_finish(run, &s);
	if (act == SLEEP_SPAWNS)
		CHECK(st == LSCHED_OK && s.tasks == rounds + 2, "%s: %s, %llu tasks",
			lsched_queue_name(q), lsched_run_error(run), (unsigned long long)s.tasks);
	else
		CHECK(st == (act == SLEEP_FAILS ? LSCHED_ERR_TASK_FAILED : LSCHED_ERR_CANCELLED),
			"%s: %s", lsched_queue_name(q), lsched_run_error(run));
	lsched_run_destroy(&run);
}

static void an_idle_worker_sleeps_and_is_woken(void)
{
	lsched_ctx *ctx;

	if (!lsched_i_cpu_may_sleep())
		return; /* an old kernel: workers poll */
	CHECK(!test_open(&ctx, LSCHED_BACKEND_CPU, 2), "a context");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		/* workers of dist share no items; the others do not sleep */
		if (q == LSCHED_QUEUE_DIST ||
			lsched_i_queue_has((uint32_t)q, LSCHED_I_CAP_ROUNDS | LSCHED_I_CAP_SORTED))
			continue;
		check_sleepers(ctx, (lsched_queue)q, SLEEP_SPAWNS, 60);
		check_sleepers(ctx, (lsched_queue)q, SLEEP_FAILS, 2);
		check_sleepers(ctx, (lsched_queue)q, SLEEP_WAITS, 2);
	}
	lsched_close(&ctx);
}

/* Of all waits: also where workers do not sleep until they are woken. */
static void check_rare_polls(lsched_scheme scheme, lsched_queue q)
{
	enum { WORKERS = 16, WAIT_MS = 200, FIRST_POLLS = 240 };
	lsched_run_options o =
		RUN_OPTIONS(.scheme = scheme, .queue = q, .workers = WORKERS, .timeout_ms = 60000);
	uint64_t begin_ns, waited_ms;
	struct rusage before, after;
	bad b;

	CHECK(bad_open(&b, W, WORKERS, &o), "a context, a graph and a run");
	b.c.act = BAD_STUCK;
	b.c.act_task = 0;
	CHECK(lsched_run_start(b.run, &b.c, b.c.graph.tasks, NULL) == LSCHED_OK, "%s",
		lsched_run_error(b.run));
	while (lsched_ld(&b.c.gate[1], acq, dev) == 0)
		sched_yield();
	begin_ns = lsched_now_ns();
	getrusage(RUSAGE_SELF, &before);
	while ((waited_ms = (lsched_now_ns() - begin_ns) / 1000000) < WAIT_MS)
		usleep(20000);
	getrusage(RUSAGE_SELF, &after);
	lsched_st(&b.c.gate[0], 1u, rel, dev);
	CHECK(lsched_run_finish(b.run, NULL) == LSCHED_OK, "%s", lsched_run_error(b.run));
	CHECK(after.ru_nvcsw - before.ru_nvcsw <= (long)(WORKERS * (FIRST_POLLS + waited_ms)),
		"%s, %s: %ld switches in %d ms", lsched_scheme_name(scheme), lsched_queue_name(q),
		after.ru_nvcsw - before.ru_nvcsw, (int)waited_ms);
	bad_close(&b);
}

static void waiting_workers_poll_ever_more_rarely(void)
{
	const uint32_t workers = bad_place.workers;

	bad_place.workers = 16;
	for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme <= LSCHED_SCHEME_SYNC; scheme++)
		check_rare_polls((lsched_scheme)scheme, LSCHED_QUEUE_RING);
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		check_rare_polls(LSCHED_SCHEME_DYNAMIC, (lsched_queue)q);
	bad_place.workers = workers;
}

static CU_TestInfo tests[] = {
	{ "waiting workers poll ever more rarely", waiting_workers_poll_ever_more_rarely },
	{ "an idle worker sleeps and is woken", an_idle_worker_sleeps_and_is_woken },
	{ "a child process gets an error", a_child_process_gets_an_error },
	{ "workers block asynchronous signals only", workers_block_asynchronous_signals_only },
	{ "the affinity bounds the workers", the_affinity_bounds_the_workers },
	{ "the quotas of control groups bound the workers",
		the_quotas_of_control_groups_bound_the_workers },
	{ "runs of one worker are executed together", runs_of_one_worker_are_executed_together },
	CU_TEST_INFO_NULL,
};

int main(void)
{

	bad_place.backend = LSCHED_BACKEND_CPU;
	bad_place.workers = 4;
	bad_place.program = &bad_cpu_program;
	bad_place.gate = gate;
	return test_run_one("the process", tests);
}
