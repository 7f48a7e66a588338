/* Method TASKS on one device: one execution of libsched per chunk of units. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>
#include <libsched/sched.h>
#include "nqueens/core/board_items.h"
#include "nqueens/cuda/run_cuda.h"

enum {
	TASKS_MOST = 1 << 16,  /* roots of an execution at most */
	QUEUE_ITEMS = 1 << 22, /* capacity of the queue */
	ROUND_ITEMS = 1 << 24, /* of a queue that holds all items of a round */
	BIN_CHUNKS = 1024,
	KEPT_CHUNKS = 4096
};

/* Nodes of a chunk of units: 0.2 s on an H200 with queue ring, some seconds with the
 * slowest queue. */
#define CHUNK_NODES 1e10

#define LSCHED_NAME           nq_i_boards
#define LSCHED_CTX            nq_i_boards
#define LSCHED_ITEMS          nq_i_boards_items
#define LSCHED_ROOT           nq_i_boards_root
#define LSCHED_BODY           nq_i_boards_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

typedef struct tasks_run {
	nq_i_cuda *d;
	lsched_ctx *ctx;
	lsched_run *run;
	nq_task *h_tasks;
	nq_task *d_tasks;
	uint64_t *h_found, *d_found;
	size_t task_room;
	uint32_t chunk_units;
} tasks_run;

static nq_status failed(tasks_run *t, lsched_status st, const char *message)
{
	return nq_i_cuda_error(t->d,
		st == LSCHED_ERR_NOMEM    ? NQ_ERR_NOMEM
		: st == LSCHED_ERR_DEVICE ? NQ_ERR_DEVICE
					  : NQ_ERR_SCHED,
		"method tasks", message && *message ? message : lsched_strstatus(st));
}

/* Sets the units of a chunk by the room for tasks and by CHUNK_NODES, since a run
 * stops between chunks only. */
static void size_chunks(tasks_run *t)
{
	const nq_plan *p = t->d->run->plan;
	nq_estimate e = { sizeof(e), 0, 0, 0, 0 };
	uint32_t most = 1;
	double units;

	for (size_t i = 0; i < p->unit_count; i++)
		most = p->units[i].count > most ? p->units[i].count : most;
	(void)nq_estimate_nodes(p, 1000, 1, &e);
	units = CHUNK_NODES / (e.nodes < 1 ? 1 : e.nodes) * (double)p->unit_count;
	if (units > TASKS_MOST / most)
		units = TASKS_MOST / most;
	if (units > (double)p->unit_count)
		units = (double)p->unit_count;
	t->chunk_units = units < 1 ? 1 : (uint32_t)units;
	t->task_room = (size_t)t->chunk_units * most;
}

static nq_status make(tasks_run *t)
{
	const nq_run_options *o = t->d->run->o;
	const lsched_queue queue = t->d->run->queue;
	const int rounds = lsched_i_queue_has((uint32_t)queue, LSCHED_I_CAP_ROUNDS) != 0;
	lsched_options so;
	lsched_run_options ro;
	lsched_status st;

	lsched_options_init(&so);
	so.backend = LSCHED_BACKEND_CUDA;
	so.device = t->d->device;
	so.workers = o->workers;
	st = lsched_open(&t->ctx, &so, t->d->message, sizeof(t->d->message));
	if (st != LSCHED_OK)
		return failed(t, st, NULL);
	t->h_tasks = (nq_task *)malloc((t->task_room + 1) * sizeof(*t->h_tasks));
	t->h_found = (uint64_t *)malloc((t->chunk_units + 1) * sizeof(*t->h_found));
	if (!t->h_tasks || !t->h_found)
		return nq_i_cuda_error(t->d, NQ_ERR_NOMEM, "method tasks", "out of memory");
	st = lsched_mem_alloc_array(
		t->ctx, (void **)&t->d_tasks, t->task_room, sizeof(*t->d_tasks));
	if (st == LSCHED_OK)
		st = lsched_mem_alloc_array(
			t->ctx, (void **)&t->d_found, t->chunk_units, sizeof(*t->d_found));
	lsched_run_options_init(&ro);
	ro.queue = queue;
	ro.max_tasks = (uint32_t)t->task_room;
	ro.queue_capacity = rounds ? ROUND_ITEMS : QUEUE_ITEMS;
	ro.bin_size = BIN_CHUNKS;
	ro.inline_depth = KEPT_CHUNKS;
	ro.overflow = LSCHED_OVERFLOW_INLINE;
	ro.timeout_ms = LSCHED_NO_LIMIT_MS;
	if (st == LSCHED_OK)
		st = lsched_run_create(&t->run, t->ctx, &nq_i_boards_cuda_program, &ro);
	return st == LSCHED_OK ? NQ_OK : failed(t, st, lsched_last_error(t->ctx));
}

static void unmake(tasks_run *t)
{
	lsched_run_destroy(&t->run);
	if (t->ctx) {
		lsched_mem_free(t->ctx, t->d_found);
		lsched_mem_free(t->ctx, t->d_tasks);
	}
	lsched_close(&t->ctx);
	free(t->h_found);
	free(t->h_tasks);
}

/* Waits for the execution, which the thread that called nq_run cancels when the run stops. */
static lsched_status finish(tasks_run *t, lsched_stats *stats)
{
	lsched_status st;

	nq_i_cuda_set_cancel(t->d, t->run);
	st = lsched_run_finish(t->run, stats);
	nq_i_cuda_set_cancel(t->d, NULL);
	return st == LSCHED_ERR_CANCELLED ? LSCHED_OK : st;
}

static nq_status count_units(tasks_run *t, uint32_t first, uint32_t units)
{
	nq_i_run *r = t->d->run;
	nq_i_boards c = { t->d_tasks, NULL, t->d_found, NULL, 0, r->plan->n };
	const size_t found_bytes = units * sizeof(*t->h_found);
	uint32_t tasks = 0;
	lsched_stats stats;
	lsched_status st;

	for (uint32_t i = 0; i < units; i++) {
		const nq_unit *u = &r->plan->units[r->todo[first + i]];

		for (uint32_t k = 0; k < u->count; k++) {
			t->h_tasks[tasks] = r->plan->tasks[u->first + k];
			t->h_tasks[tasks++].unit = i;
		}
	}
	lsched_stats_init(&stats);
	st = lsched_mem_write(t->ctx, t->d_tasks, t->h_tasks, tasks * sizeof(*t->h_tasks));
	if (st == LSCHED_OK)
		st = lsched_mem_zero(t->ctx, t->d_found, found_bytes);
	if (st == LSCHED_OK)
		st = lsched_run_start(t->run, &c, tasks, NULL);
	if (st == LSCHED_OK)
		st = finish(t, &stats);
	if (st != LSCHED_OK)
		return failed(t, st, lsched_run_error(t->run));
	st = lsched_mem_read(t->ctx, t->h_found, t->d_found, found_bytes);
	if (st != LSCHED_OK)
		return failed(t, st, lsched_last_error(t->ctx));
	t->d->kernel_ns += stats.elapsed_ns;
	t->d->workers = stats.workers;
	nq_i_cuda_add_nodes(t->d, stats.value);
	if (nq_i_run_stopped(r))
		return NQ_OK;
	for (uint32_t i = 0; i < units; i++)
		nq_i_run_enter(r, r->todo[first + i], t->h_found[i]);
	return NQ_OK;
}

extern "C" nq_status nq_i_cuda_tasks(nq_i_cuda *d)
{
	tasks_run t;
	uint32_t first, units;
	nq_status st;

	memset(&t, 0, sizeof(t));
	t.d = d;
	size_chunks(&t);
	st = make(&t);
	while (st == NQ_OK &&
		(units = nq_i_cuda_fetch(d, nq_i_cuda_batch_size(d, t.chunk_units), &first)) != 0)
		st = count_units(&t, first, units);
	unmake(&t);
	return st;
}
