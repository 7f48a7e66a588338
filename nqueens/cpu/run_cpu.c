/* The CPU backend: runs on threads of libsched. */
#include "libsched/core/clock.h"
#include "nqueens/cpu/run_cpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "nqueens/core/board_items.h"
#include "nqueens/join/sieve.h"
#include "nqueens/run/backend.h"

enum {
	POLL_MIN_NS = 20000, /* interval of polling: 1/30 of the elapsed time in these limits */
	POLL_MAX_NS = 20000000,
	QUEUE_ITEMS = 1 << 16, /* TASKS: far more than are ever outstanding */
	BATCH_N = 16,          /* TASKS: smaller n need no batches */
	BATCH_UNITS = 16       /* TASKS: the first batch */
};

#define BATCH_NS 2000000000u

static uint64_t nodes_so_far(const nq_i_cpu_ctx *c, uint32_t workers)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < workers; i++)
		sum += __atomic_load_n(&c->workers[i].nodes, __ATOMIC_RELAXED);
	return sum;
}

/* Polls clock, cancel flag and progress until the run has ended; cancels the run when
 * one of them stops it. */
static void watch(nq_i_run *r, lsched_run *run, const nq_i_cpu_ctx *c, uint32_t workers)
{
	if (!r->o->cancel && !r->o->time_limit_ms && !r->o->progress)
		return;
	while (!lsched_run_done(run)) {
		const uint64_t part = (lsched_i_clock_ns() - r->begin_ns) / 30;
		const struct timespec pause = { 0, part < POLL_MIN_NS   ? POLL_MIN_NS
						   : part > POLL_MAX_NS ? POLL_MAX_NS
									: (long)part };

		nq_i_run_poll(r, nodes_so_far(c, workers));
		if (nq_i_run_stopped(r))
			(void)lsched_run_cancel(run);
		nanosleep(&pause, NULL);
	}
}

static nq_status sched_error(nq_i_run *r, lsched_status st, const char *message)
{
	snprintf(r->result->message, sizeof(r->result->message), "%s",
		message && *message ? message : lsched_strstatus(st));
	return st == LSCHED_ERR_NOMEM ? NQ_ERR_NOMEM : NQ_ERR_SCHED;
}

static lsched_status run_once(
	nq_i_run *r, lsched_run *run, const void *ctx, const nq_i_cpu_ctx *c, uint32_t tasks)
{
	lsched_status st = lsched_run_start(run, ctx, tasks, NULL);

	if (st == LSCHED_OK) {
		watch(r, run, c, r->result->workers);
		st = lsched_run_finish(run, NULL);
	}
	/* nq_run() returns the reason */
	return st == LSCHED_ERR_CANCELLED ? LSCHED_OK : st;
}

/* TASKS: the count of a unit is known at the end of an execution. Batches of units with about
 * BATCH_NS limit the loss when a long run is stopped. */
static lsched_status run_boards(nq_i_run *r, lsched_run *run, nq_i_cpu_ctx *c)
{
	uint32_t *const roots = c->roots;
	nq_i_boards bc = { r->plan->tasks, roots, c->found, &c->workers->nodes,
		sizeof(*c->workers) / sizeof(uint64_t), r->plan->n };
	uint32_t most = r->plan->n < BATCH_N ? r->todo_count : BATCH_UNITS;
	lsched_status st = LSCHED_OK;

	for (uint32_t first = 0, last; first < r->todo_count && st == LSCHED_OK; first = last) {
		const uint64_t begin = lsched_i_clock_ns();
		uint64_t scaled;

		c->root_count = 0;
		for (last = first; last < r->todo_count && last - first < most; last++)
			c->root_count += r->plan->units[r->todo[last]].count;
		bc.roots = c->roots;
		st = run_once(r, run, &bc, c, c->root_count);
		if (nq_i_run_stopped(r))
			break;
		for (uint32_t i = first; i < last && st == LSCHED_OK; i++)
			nq_i_run_enter(r, r->todo[i], c->found[r->todo[i]]);
		c->roots += c->root_count;
		scaled = (uint64_t)most * BATCH_NS / (lsched_i_clock_ns() - begin + 1);
		most = scaled > 4u * (uint64_t)most ? 4 * most : scaled ? (uint32_t)scaled : 1;
	}
	c->roots = roots;
	return st;
}

static nq_status execute(nq_i_run *r, lsched_ctx *ctx, nq_i_cpu_ctx *c)
{
	const int boards = r->plan->method == NQ_METHOD_TASKS;
	lsched_run_options ro;
	lsched_run *run = NULL;
	lsched_status st;
	nq_status result = NQ_OK;

	lsched_run_options_init(&ro);
	ro.queue = r->queue;
	ro.max_tasks = boards ? c->root_count : r->todo_count;
	ro.timeout_ms = LSCHED_NO_LIMIT_MS;
	if (boards) {
		ro.queue_capacity = QUEUE_ITEMS;
		ro.overflow = LSCHED_OVERFLOW_INLINE;
	}
	st = lsched_run_create(
		&run, ctx, boards ? &nq_i_boards_cpu_program : &nq_i_units_cpu_program, &ro);
	if (st != LSCHED_OK)
		return sched_error(r, st, lsched_last_error(ctx));
	st = boards ? run_boards(r, run, c) : run_once(r, run, c, c, r->todo_count);
	if (st != LSCHED_OK)
		result = sched_error(r, st, lsched_run_error(run));
	r->result->nodes = nodes_so_far(c, lsched_ctx_workers(ctx));
	for (uint32_t i = 0; i < lsched_ctx_workers(ctx) && result == NQ_OK; i++)
		if (c->workers[i].status < 0)
			result = c->workers[i].status;
	lsched_run_destroy(&run);
	return result;
}

static void free_workers(nq_i_cpu_ctx *c, uint32_t workers)
{
	for (uint32_t i = 0; c->workers && i < workers; i++) {
		nq_i_joiner_destroy(c->workers[i].joiner);
		nq_i_siever_destroy(c->workers[i].siever);
	}
	free(c->workers);
	free(c->found);
	free(c->roots);
}

/* nq_i_join_poll_fn */
static int poll_run(void *opaque)
{
	nq_i_run *r = (nq_i_run *)opaque;

	nq_i_run_poll(r, 0);
	return nq_i_run_stopped(r);
}

static nq_status make_joiners(nq_i_run *r, nq_i_cpu_ctx *c, uint32_t workers)
{
	nq_status st = NQ_OK;

	if (r->plan->n > NQ_I_JOIN_FILL_MAX_N) {
		for (uint32_t i = 0; i < workers && st == NQ_OK; i++)
			st = nq_i_siever_create(
				&c->workers[i].siever, r->plan->join, r->result->simd, &r->stop);
		return st;
	}
	st = nq_i_join_fill(r->plan->join, poll_run, r);
	for (uint32_t i = 0; i < workers && st == NQ_OK; i++)
		st = nq_i_joiner_create(
			&c->workers[i].joiner, r->plan->join, r->result->simd, &r->stop);
	return st;
}

static nq_status make_workers(nq_i_run *r, nq_i_cpu_ctx *c, uint32_t workers)
{
	c->workers = (nq_i_cpu_worker *)aligned_alloc(128, workers * sizeof(*c->workers));
	c->found = (uint64_t *)calloc(r->plan->unit_count + 1, sizeof(*c->found));
	c->roots = (uint32_t *)malloc((r->plan->task_count + 1) * sizeof(*c->roots));
	for (uint32_t i = 0; c->workers && i < workers; i++) {
		c->workers[i].walk.nodes = 0;
		c->workers[i].walk.stop = &r->stop;
		c->workers[i].nodes = 0;
		c->workers[i].joiner = NULL;
		c->workers[i].siever = NULL;
		c->workers[i].status = NQ_OK;
	}
	if (!c->workers || !c->found || !c->roots)
		return NQ_ERR_NOMEM;
	for (uint32_t i = 0; i < r->todo_count && r->plan->method == NQ_METHOD_TASKS; i++) {
		const nq_unit *u = &r->plan->units[r->todo[i]];

		for (uint32_t k = 0; k < u->count; k++)
			c->roots[c->root_count++] = u->first + k;
	}
	return r->plan->method == NQ_METHOD_JOIN ? make_joiners(r, c, workers) : NQ_OK;
}

nq_status nq_i_run_cpu(nq_i_run *r)
{
	nq_i_cpu_ctx c = { r, NULL, nq_i_walk_of(r->result->simd, r->plan->toroidal), NULL, NULL,
		0 };
	lsched_options so;
	lsched_ctx *ctx = NULL;
	lsched_status st;
	nq_status result;

	lsched_options_init(&so);
	so.backend = LSCHED_BACKEND_CPU;
	so.workers = r->o->workers;
	/* a unit occupies one worker, except with TASKS */
	if (r->plan->method != NQ_METHOD_TASKS && !so.workers && r->todo_count == 1)
		so.workers = 1;
	st = lsched_open(&ctx, &so, r->result->message, sizeof(r->result->message));
	if (st != LSCHED_OK)
		return st == LSCHED_ERR_NOMEM ? NQ_ERR_NOMEM : NQ_ERR_SCHED;
	r->result->workers = lsched_ctx_workers(ctx);
	result = make_workers(r, &c, r->result->workers);
	if (result == NQ_OK)
		result = execute(r, ctx, &c);
	if (result == NQ_CANCELLED)
		result = NQ_OK; /* count_units() of run.c returns the reason */
	free_workers(&c, r->result->workers);
	lsched_close(&ctx);
	return result;
}
