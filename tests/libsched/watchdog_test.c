/* The watchdogs and the time limit of a run, on CPU threads with a clock of this test: tasks take
 * time by setting it forward, so no result depends on the speed of the machine. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <libsched/items.h>
#include <libsched/task.h>
#include "libsched/core/backend.h"
#include "libsched/core/bits.h"
#include "libsched/cpu/relax.h"
#include "tests/common/sched_setup.h"
#include "tests/common/testmain.h"

enum { TIMEOUT_MS = 16, STEP_NS = 1000000, MS = 1000000 };

/* ---- the clock: replaces the one of libsched.a ---- */

static uint64_t clock_ns = UINT64_C(1000000000000);
static uint32_t idle_reads;    /* by threads that are neither in a body nor the caller */
static _Thread_local int busy; /* this thread is one of those */

uint64_t lsched_i_cpu_now_ns(void)
{
	if (!busy)
		(void)__atomic_fetch_add(&idle_reads, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&clock_ns, __ATOMIC_SEQ_CST);
}

static void clock_advance(uint64_t ns)
{
	(void)__atomic_fetch_add(&clock_ns, ns, __ATOMIC_SEQ_CST);
}

/* ---- slow: a chain of tasks ---- */

enum {
	SLOW_WATCHED = 1, /* each step waits until an idle worker has read the clock */
	SLOW_SPAWNS = 2,  /* each task spawns the next one */
	SLOW_JUMPS = 4,   /* the clock is set forward by an hour after the first steps */
	SLOW_POLLS = 8    /* a body returns when lsched_cancelled() is true */
};

typedef struct slow_ctx {
	uint32_t flags, tasks;
	uint32_t first, count; /* tasks that take time; the flags are for them */
	uint32_t steps;        /* of each of them, of STEP_NS */
} slow_ctx;

/* Waits until idle workers have read the clock n times. */
static void wait_for_reads(const lsched_worker *w, uint32_t n)
{
	const uint32_t from = __atomic_load_n(&idle_reads, __ATOMIC_SEQ_CST);

	while (__atomic_load_n(&idle_reads, __ATOMIC_SEQ_CST) - from < n && !lsched_cancelled(w))
		sched_yield();
}

static void slow_run(lsched_worker *w, const slow_ctx *c, uint32_t task)
{
	if (task - c->first >= c->count)
		return;
	busy = 1;
	for (uint32_t k = 0; k < c->steps; k++) {
		clock_advance(STEP_NS);
		if (c->flags & SLOW_WATCHED)
			wait_for_reads(w, 2);
	}
	if (c->flags & SLOW_JUMPS) {
		clock_advance(UINT64_C(3600000000000));
		wait_for_reads(w, 4);
	}
	while ((c->flags & SLOW_POLLS) && !lsched_cancelled(w))
		sched_yield();
	busy = 0;
}

LSCHED_TASK_FN lsched_result slow_body(
	lsched_worker *w, const slow_ctx *c, lsched_no_local *l, uint32_t task)
{
	(void)l;
	slow_run(w, c, task);
	if ((c->flags & SLOW_SPAWNS) && task + 1 < c->tasks)
		lsched_spawn(w, task + 1);
	return LSCHED_DONE;
}

#define LSCHED_NAME           spawner
#define LSCHED_CTX            slow_ctx
#define LSCHED_BODY           slow_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>

LSCHED_TASK_FN lsched_result slow_word(
	lsched_worker *w, const slow_ctx *c, lsched_no_local *l, uint32_t task, uint32_t *word)
{
	(void)l;
	*word = task;
	slow_run(w, c, task);
	return LSCHED_DONE;
}

/* The rule: each task waits for the one before. */
LSCHED_FN uint32_t line_pred_count(const slow_ctx *c, uint32_t task)
{
	(void)c;
	return task > 0;
}

LSCHED_FN uint32_t line_pred(const slow_ctx *c, uint32_t task, uint32_t k)
{
	(void)c, (void)k;
	return task - 1;
}

LSCHED_FN uint32_t line_succ_count(const slow_ctx *c, uint32_t task)
{
	return task + 1 < c->tasks;
}

LSCHED_FN uint32_t line_succ(const slow_ctx *c, uint32_t task, uint32_t k)
{
	(void)c, (void)k;
	return task + 1;
}

LSCHED_FN uint32_t line_root_count(const slow_ctx *c)
{
	return c->tasks > 0;
}

LSCHED_FN uint32_t line_root(const slow_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

/* Two chains, of the first half and of the rest, so that two workers execute it. */
LSCHED_FN uint32_t line_chain_count(const slow_ctx *c)
{
	return c->tasks > 1 ? 2 : 1;
}

LSCHED_FN uint32_t line_chain_head(const slow_ctx *c, uint32_t i)
{
	return i * (c->tasks / 2);
}

LSCHED_FN uint32_t line_chain_next(const slow_ctx *c, uint32_t task)
{
	return task + 1 == c->tasks / 2 || task + 1 == c->tasks ? LSCHED_NONE : task + 1;
}

LSCHED_FN uint32_t line_wave_count(const slow_ctx *c)
{
	return c->tasks;
}

LSCHED_FN uint32_t line_wave_size(const slow_ctx *c, uint32_t wave)
{
	(void)c, (void)wave;
	return 1;
}

LSCHED_FN uint32_t line_wave_task(const slow_ctx *c, uint32_t wave, uint32_t i)
{
	(void)c, (void)i;
	return wave;
}

#define LSCHED_NAME           liner
#define LSCHED_CTX            slow_ctx
#define LSCHED_BODY           slow_body
#define LSCHED_WORD_BODY      slow_word
#define LSCHED_RULE           line
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>

/* ---- the same as items ---- */

typedef struct slow_item {
	uint32_t number;
} slow_item;

LSCHED_DECLARE_ITEMS(slow_items, slow_item);

LSCHED_FN uint32_t slow_root(const slow_ctx *c, uint32_t i, slow_item *it)
{
	(void)c;
	it->number = i;
	return 0;
}

LSCHED_TASK_FN lsched_result slow_item_body(
	slow_items *x, const slow_ctx *c, lsched_no_local *l, uint32_t proc, slow_item it)
{
	const slow_item next = { it.number + 1 };

	(void)l, (void)proc;
	slow_run(x->any.w, c, it.number);
	if (next.number < c->tasks)
		lsched_emit(x, 0, &next);
	return LSCHED_DONE;
}

#define LSCHED_NAME      itemer
#define LSCHED_CTX       slow_ctx
#define LSCHED_ITEMS     slow_items
#define LSCHED_ROOT      slow_root
#define LSCHED_BODY      slow_item_body
#define LSCHED_MAX_SPAWN 1
#include <libsched/generate_items.h>

/* ---- tests ---- */

#include "tests/libsched/queue_room.h"

static lsched_ctx *ctx;

static int has_rounds(lsched_queue q)
{
	return lsched_i_queue_has((uint32_t)q, LSCHED_I_CAP_ROUNDS) != 0;
}

/* Executes a chain. text (may be NULL) receives the error. */
static lsched_status once(const lsched_program *program, lsched_run_options *o, const slow_ctx *c,
	lsched_stats *s, char *text)
{
	lsched_run *run;
	lsched_status st;

	lsched_stats_init(s);
	o->max_tasks = c->tasks;
	st = lsched_run_create(&run, ctx, program, o);
	if (st == LSCHED_OK)
		st = lsched_run_start(run, c, program->has_rule ? c->tasks : 1, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, s);
	snprintf(text, 256, "%s", run ? lsched_run_error(run) : lsched_last_error(ctx));
	lsched_run_destroy(&run);
	return st;
}

/* Children take the place of finished tasks in the outstanding count, and short tasks are reported
 * in groups; both are progress. In a queue with rounds no idle worker watches. */
static void check_progress(const lsched_program *program, lsched_run_options o, uint32_t flags)
{
	slow_ctx c = { flags, 206, 97, 6, 12 }; /* in the first chain */
	lsched_status st;
	lsched_stats s;
	char text[256];

	if (!has_rounds(o.queue))
		c.flags |= SLOW_WATCHED;
	o.workers = 2;
	o.timeout_ms = TIMEOUT_MS;
	st = once(program, &o, &c, &s, text);
	CHECK(st == LSCHED_OK && s.tasks == c.tasks, "%s, %s, %s: %s, %llu tasks", program->name,
		lsched_scheme_name(o.scheme), lsched_queue_name(o.queue), text,
		(unsigned long long)s.tasks);
}

static void each_finished_task_is_progress(void)
{
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		check_progress(
			&spawner_cpu_program, RUN_OPTIONS(.queue = (lsched_queue)q), SLOW_SPAWNS);
	for (int scheme = 0; scheme < LSCHED_SCHEME_COUNT; scheme++)
		check_progress(&liner_cpu_program, RUN_OPTIONS(.scheme = (lsched_scheme)scheme), 0);
	check_progress(&itemer_cpu_program, RUN_OPTIONS(.queue = LSCHED_QUEUE_RING), 0);
}

/* As after SIGSTOP and SIGCONT. */
static void a_process_that_was_stopped_has_no_timeout(void)
{
	const slow_ctx c = { SLOW_WATCHED | SLOW_JUMPS, 4, 0, 1, 4 };

	for (int scheme = 0; scheme < LSCHED_SCHEME_COUNT; scheme++) {
		lsched_run_options o = RUN_OPTIONS(.scheme = (lsched_scheme)scheme, .workers = 2,
			.timeout_ms = TIMEOUT_MS);
		lsched_stats s;
		char text[256];

		CHECK(once(&liner_cpu_program, &o, &c, &s, text) == LSCHED_OK, "%s: %s",
			lsched_scheme_name((lsched_scheme)scheme), text);
	}
}

static void a_wait_inside_a_queue_counts_its_steps_only(void)
{
	room *r = room_open(LSCHED_QUEUE_RING, 4, 4, 1);
	uint64_t waited = 0;
	uint32_t steps = 0;

	CHECK(r != NULL, "memory");
	r->a.timeout_ns = TIMEOUT_MS * MS;
	room_begin(r, 1);
	for (int k = 0; k < 3; k++) {
		CHECK(!lsched_i_spin_expired(&r->worker[0], 63, &waited), "step %d", k);
		clock_advance(UINT64_C(3600000000000));
	}
	while (!lsched_i_spin_expired(&r->worker[0], 63, &waited) && steps++ < 100)
		clock_advance(STEP_NS);
	CHECK(steps > 4 && steps <= TIMEOUT_MS, "%u steps of 1 ms", steps);
	room_close(r);
}

/* The host stops a run without progress after `least` to `most` ms: one worker waits, and its
 * watchdog steps every 200 ms, as where it rarely has the processor, before time `until`. */
static void check_stop(uint32_t until, uint32_t least, uint32_t most)
{
	lsched_run run = { .args.timeout_ns = TIMEOUT_MS * MS };
	room *r = room_open(LSCHED_QUEUE_RING, 4, 4, 1);
	uint32_t stopped = 0, abandoned = 0;

	CHECK(r != NULL, "memory");
	r->a.timeout_ns = run.args.timeout_ns;
	room_begin(r, 1);
	run.args = r->a;
	lsched_i_watchdog_begin(&run);
	for (uint32_t ms = 0; ms < 5000 && !abandoned; ms++) {
		int action;

		if (ms < until && ms % 200 == 0)
			lsched_i_mark_waiting(&r->worker[0]);
		action = lsched_i_watchdog_check(&run, clock_ns, 1, 0,
			lsched_i_wait_steps(r->a.marks, r->a.mark_words, r->a.workers),
			stopped != 0);
		if (action == LSCHED_I_STOP_WORKERS)
			stopped = ms;
		if (action == LSCHED_I_ABANDON)
			abandoned = ms;
		clock_advance(STEP_NS);
	}
	CHECK(stopped >= least && stopped <= most, "stopped after %u ms", stopped);
	CHECK(abandoned > stopped && abandoned < stopped + 400,
		"stopped after %u ms, abandoned after %u", stopped, abandoned);
	room_close(r);
}

/* A worker that waits reports a hang with its reason; while one does, the host does not, but not
 * for ever: a body may begin a wait again and again. */
static void a_worker_that_waits_is_seen_by_the_host(void)
{
	check_stop(1, TIMEOUT_MS, 400);
	check_stop(1100, 1000, 1500);
	check_stop(UINT32_MAX, 1500, 3000);
}

/* One worker: none is idle. */
static void check_limit(const lsched_program *program, lsched_run_options o, uint32_t flags)
{
	const slow_ctx c = { flags, 100, 30, 70, 1 };
	lsched_status st;
	lsched_stats s;
	char text[256];

	o.workers = 1;
	o.timeout_ms = LSCHED_NO_LIMIT_MS;
	o.run_limit_ms = 10;
	st = once(program, &o, &c, &s, text);
	CHECK(st == LSCHED_ERR_TIMEOUT && strstr(text, "run_limit_ms of 10 ms") && s.tasks >= 40 &&
			s.tasks <= 42,
		"%s, %s, %s: %s, %llu tasks", program->name, lsched_scheme_name(o.scheme),
		lsched_queue_name(o.queue), text, (unsigned long long)s.tasks);
	o.run_limit_ms = 1000;
	st = once(program, &o, &c, &s, text);
	CHECK(st == LSCHED_OK && s.tasks == c.tasks, "%s, %llu tasks", text,
		(unsigned long long)s.tasks);
}

static void the_time_limit_ends_a_run_at_the_next_task(void)
{
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		check_limit(
			&spawner_cpu_program, RUN_OPTIONS(.queue = (lsched_queue)q), SLOW_SPAWNS);
	for (int scheme = 0; scheme < LSCHED_SCHEME_COUNT; scheme++)
		check_limit(&liner_cpu_program, RUN_OPTIONS(.scheme = (lsched_scheme)scheme), 0);
	check_limit(&itemer_cpu_program, RUN_OPTIONS(.queue = LSCHED_QUEUE_RING), 0);
}

/* The caller sets the flag that the body polls, in its wait or when it asks for the end. The limit
 * is that of the creation, or set later. */
static void the_time_limit_ends_a_task_that_polls(void)
{
	const slow_ctx c = { SLOW_POLLS, 2, 0, 2, 20 };

	for (int asks = 0; asks < 2; asks++) {
		lsched_run_options o = RUN_OPTIONS(.workers = 1, .max_tasks = 2,
			.timeout_ms = LSCHED_NO_LIMIT_MS, .run_limit_ms = asks ? 0 : 10);
		lsched_run *run;

		CREATE(&run, ctx, &liner_cpu_program, &o);
		CHECK(!asks || lsched_run_set_limit(run, 10) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_start(run, &c, c.tasks, NULL) == LSCHED_OK, "%s",
			lsched_run_error(run));
		CHECK(lsched_run_set_limit(run, 0) == LSCHED_ERR_STATE, "set while started");
		while (asks && !lsched_run_done(run)) {
			clock_advance(STEP_NS);
			sched_yield();
		}
		CHECK(lsched_run_finish(run, NULL) == LSCHED_ERR_TIMEOUT &&
				strstr(lsched_run_error(run), "run_limit_ms of 10 ms"),
			"%s", lsched_run_error(run));
		lsched_run_destroy(&run);
	}
}

/* A worker finishes 1,000 tasks around the wrap of its 32-bit counter. */
static void the_number_of_tasks_has_64_bits(void)
{
	const uint64_t before = UINT32_MAX - UINT64_C(499);
	room *r = room_open(LSCHED_QUEUE_RING, 4, 4, 1);
	lsched_worker *w;

	CHECK(r != NULL, "memory");
	room_begin(r, 1);
	w = &r->worker[0];
	w->finished = (uint32_t)before;
	w->next_report_at = w->finished + 1;
	w->priv->flushed = w->priv->settled = w->priv->reported = w->finished;
	w->priv->count[LSCHED_I_N_TASKS] = before;
	for (int k = 0; k < 1000; k++)
		CHECK(lsched_i_task_finished(w), "task %d", k);
	lsched_i_settle_counts(w);
	CHECK(w->priv->count[LSCHED_I_N_TASKS] == before + 1000, "%llu",
		(unsigned long long)w->priv->count[LSCHED_I_N_TASKS]);
	CHECK(r->marks[0][0] == (uint32_t)(before + 1000), "%u", r->marks[0][0]);
	room_close(r);
}

/* rounds, queue_high_water and trace_dropped of the statistics do not begin again at 0. */
static void fields_of_32_bits_keep_the_largest_value(void)
{
	CHECK(lsched_i_at_most_u32(UINT32_MAX - 1) == UINT32_MAX - 1, "below");
	CHECK(lsched_i_at_most_u32(UINT32_MAX) == UINT32_MAX, "at");
	CHECK(lsched_i_at_most_u32(UINT64_C(1) << 32) == UINT32_MAX, "above");
}

static CU_TestInfo tests[] = {
	{ "each finished task is progress", each_finished_task_is_progress },
	{ "a process that was stopped has no timeout", a_process_that_was_stopped_has_no_timeout },
	{ "a wait inside a queue counts its steps only",
		a_wait_inside_a_queue_counts_its_steps_only },
	{ "a worker that waits is seen by the host", a_worker_that_waits_is_seen_by_the_host },
	{ "the time limit ends a run at the next task",
		the_time_limit_ends_a_run_at_the_next_task },
	{ "the time limit ends a task that polls", the_time_limit_ends_a_task_that_polls },
	{ "the number of tasks has 64 bits", the_number_of_tasks_has_64_bits },
	{ "fields of 32 bits keep the largest value", fields_of_32_bits_keep_the_largest_value },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	int failed;

	busy = 1;
	if (test_open(&ctx, LSCHED_BACKEND_CPU, 2))
		return 1;
	failed = test_run_one("watchdogs and limits", tests);
	lsched_close(&ctx);
	return failed;
}
