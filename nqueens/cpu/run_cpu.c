/* A run on CPU threads, through libsched. */
#include "nqueens/cpu/run_cpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "nqueens/core/boards.h"
#include "nqueens/join/join.h"

enum {
	LOOK_MIN_NS = 20000, /* how often the caller's thread looks at the clock and the flag: */
	LOOK_NS = 20000000,  /* after a thirtieth of the time gone, in these limits */
	CHUNKS = 1 << 16,    /* TASKS: room in the queue, in boards; far more than are ever open */
	BATCH_N = 16,        /* smaller boards are done before a batch would be */
	BATCH_UNITS = 16     /* the first one */
};

#define BATCH_NS 2000000000u

static uint64_t nodes_so_far(const nq__cpu_ctx *c, uint32_t workers)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < workers; i++)
		sum += __atomic_load_n(&c->workers[i].nodes, __ATOMIC_RELAXED);
	return sum;
}

/* Until the run is over. Without anybody to tell or to ask there is no need to look. */
static void watch(nq__run *r, sched_run *run, const nq__cpu_ctx *c, uint32_t workers)
{
	if (!r->o->cancel && !r->o->time_limit_ms && !r->o->progress)
		return;
	while (!sched_run_done(run)) {
		const uint64_t part = (nq__now_ns() - r->begin_ns) / 30;
		const struct timespec nap = { 0, part < LOOK_MIN_NS ? LOOK_MIN_NS
						 : part > LOOK_NS   ? LOOK_NS
								    : (long)part };

		nq__run_look(r, nodes_so_far(c, workers));
		nanosleep(&nap, NULL);
	}
}

static nq_status sched_error(nq__run *r, sched_status st, const char *message)
{
	snprintf(r->result->message, sizeof(r->result->message), "%s",
		message && *message ? message : sched_strstatus(st));
	return st == SCHED_ERR_NOMEM ? NQ_ERR_NOMEM : NQ_ERR_SCHED;
}

static sched_status run_once(
	nq__run *r, sched_run *run, const void *ctx, const nq__cpu_ctx *c, uint32_t tasks)
{
	sched_status st = sched_run_start(run, ctx, tasks, NULL);

	if (st == SCHED_OK) {
		watch(r, run, c, r->result->workers);
		st = sched_run_finish(run, NULL);
	}
	return st;
}

/* TASKS: the count of a unit is known when all boards are done. So that a long run loses little when it is
 * ended, units are taken in batches of about BATCH_NS. */
static sched_status run_boards(nq__run *r, sched_run *run, nq__cpu_ctx *c)
{
	uint32_t *const roots = c->roots;
	nq__boards bc = { r->plan->tasks, roots, c->found, (uint32_t *)&r->stop, &c->workers->nodes,
		sizeof(*c->workers) / sizeof(uint64_t), r->plan->n };
	uint32_t most = r->plan->n < BATCH_N ? r->todo_count : BATCH_UNITS;
	sched_status st = SCHED_OK;

	for (uint32_t first = 0, last; first < r->todo_count && st == SCHED_OK; first = last) {
		const uint64_t begin = nq__now_ns();
		uint64_t scaled;

		c->root_count = 0;
		for (last = first; last < r->todo_count && last - first < most; last++)
			c->root_count += r->plan->units[r->todo[last]].count;
		bc.roots = c->roots;
		st = run_once(r, run, &bc, c, c->root_count);
		if (nq__run_stopped(r))
			break;
		for (uint32_t i = first; i < last && st == SCHED_OK; i++)
			nq__run_enter(r, r->todo[i], c->found[r->todo[i]]);
		c->roots += c->root_count;
		scaled = (uint64_t)most * BATCH_NS / (nq__now_ns() - begin + 1);
		most = scaled > 4u * (uint64_t)most ? 4 * most : scaled ? (uint32_t)scaled : 1;
	}
	c->roots = roots;
	return st;
}

static nq_status execute(nq__run *r, sched_ctx *ctx, nq__cpu_ctx *c)
{
	const int boards = r->plan->method == NQ_METHOD_TASKS;
	sched_run_options ro;
	sched_run *run = NULL;
	sched_status st;
	nq_status result = NQ_OK;

	sched_run_options_init(&ro);
	ro.queue = r->o->queue;
	ro.max_tasks = boards ? c->root_count : r->todo_count;
	ro.timeout_ms = SCHED_NO_LIMIT_MS;
	if (boards) {
		ro.queue_capacity = CHUNKS;
		ro.overflow = SCHED_OVERFLOW_INLINE;
	}
	st = sched_run_create(
		&run, ctx, boards ? &nq__boards_cpu_program : &nq__units_cpu_program, &ro);
	if (st != SCHED_OK)
		return sched_error(r, st, sched_last_error(ctx));
	st = boards ? run_boards(r, run, c) : run_once(r, run, c, c, r->todo_count);
	if (st != SCHED_OK)
		result = sched_error(r, st, sched_run_error(run));
	r->result->nodes = nodes_so_far(c, sched_ctx_workers(ctx));
	sched_run_destroy(&run);
	return result;
}

static void free_workers(nq__cpu_ctx *c, uint32_t workers)
{
	for (uint32_t i = 0; c->workers && i < workers; i++)
		nq__joiner_destroy(c->workers[i].joiner);
	free(c->workers);
	free(c->found);
	free(c->roots);
}

static nq_status make_workers(nq__run *r, nq__cpu_ctx *c, uint32_t workers)
{
	c->workers = (nq__cpu_worker *)aligned_alloc(128, workers * sizeof(*c->workers));
	c->found = (uint64_t *)calloc(r->plan->unit_count + 1, sizeof(*c->found));
	c->roots = (uint32_t *)malloc((r->plan->task_count + 1) * sizeof(*c->roots));
	if (!c->workers || !c->found || !c->roots)
		return NQ_ERR_NOMEM;
	for (uint32_t i = 0; i < r->todo_count && r->plan->method == NQ_METHOD_TASKS; i++) {
		const nq_unit *u = &r->plan->units[r->todo[i]];

		for (uint32_t k = 0; k < u->count; k++)
			c->roots[c->root_count++] = u->first + k;
	}
	for (uint32_t i = 0; i < workers; i++) {
		c->workers[i].walk.nodes = 0;
		c->workers[i].walk.stop = &r->stop;
		c->workers[i].nodes = 0;
		c->workers[i].joiner = NULL;
	}
	for (uint32_t i = 0; i < workers && r->plan->method == NQ_METHOD_JOIN; i++) {
		c->workers[i].joiner = nq__joiner_create(r->plan->join, r->result->simd, &r->stop);
		if (!c->workers[i].joiner)
			return NQ_ERR_NOMEM;
	}
	return NQ_OK;
}

nq_status nq__run_cpu(nq__run *r)
{
	nq__cpu_ctx c = { r, NULL, nq__walk_of(r->result->simd, r->plan->toroidal), NULL, NULL, 0 };
	sched_options so;
	sched_ctx *ctx = NULL;
	sched_status st;
	nq_status result;

	sched_options_init(&so);
	so.backend = SCHED_BACKEND_CPU;
	so.workers = r->o->workers;
	/* a unit cannot be shared, but the boards of TASKS can */
	if (r->plan->method != NQ_METHOD_TASKS && !so.workers && r->todo_count == 1)
		so.workers = 1;
	st = sched_open(&ctx, &so, r->result->message, sizeof(r->result->message));
	if (st != SCHED_OK)
		return st == SCHED_ERR_NOMEM ? NQ_ERR_NOMEM : NQ_ERR_SCHED;
	r->result->workers = sched_ctx_workers(ctx);
	result = make_workers(r, &c, r->result->workers);
	if (result == NQ_OK)
		result = execute(r, ctx, &c);
	free_workers(&c, r->result->workers);
	sched_close(&ctx);
	return result;
}
