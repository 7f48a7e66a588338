/* Memory and executions of backtracking on one device. */
#include "nqueens/cuda/backtrack.h"
#include <stdlib.h>
#include "nqueens/cuda/walk_tasks.h"

enum {
	OPENS_ROOM = 1 << 22,
	SUBTREES_LEAST = 1 << 20,
	SUBTREES_MOST = 1 << 28,
	NODES_PER_SUBTREE = 150 /* lower bound */
};

/* Nodes of a chunk of units: about 0.3 s on an H200. */
#define CHUNK_NODES 1.5e11

extern "C" nq_status nq_i_backtrack_cuda_failed(nq_i_backtrack *b, const char *what, cudaError_t e)
{
	(void)cudaGetLastError();
	return nq_i_cuda_error(b->d, e == cudaErrorMemoryAllocation ? NQ_ERR_NOMEM : NQ_ERR_DEVICE,
		what, cudaGetErrorString(e));
}

extern "C" nq_status nq_i_backtrack_sched_failed(
	nq_i_backtrack *b, lsched_status st, const char *message)
{
	return nq_i_cuda_error(b->d, st == LSCHED_ERR_NOMEM ? NQ_ERR_NOMEM : NQ_ERR_SCHED,
		"backtracking", message && *message ? message : lsched_strstatus(st));
}

static uint32_t units_of_chunk(const nq_plan *plan, double nodes)
{
	const double units = CHUNK_NODES / nodes * (double)plan->unit_count;
	const double most = (double)(UINT32_MAX / 2);

	return (uint32_t)(units < 1 ? 1 : units < most ? units : most);
}

static void size_lists(nq_i_backtrack *b)
{
	const nq_plan *plan = b->d->run->plan;
	nq_estimate e = { sizeof(e), 0, 0, 0, 0 };
	size_t free_bytes = 0, all = 0;
	double nodes, room;

	(void)nq_estimate_nodes(plan, 1000, 1, &e);
	nodes = e.nodes < 1 ? 1 : e.nodes;
	b->chunk_units = units_of_chunk(plan, nodes);
	room = (nodes < CHUNK_NODES ? nodes : CHUNK_NODES) / NODES_PER_SUBTREE;
	if (cudaMemGetInfo(&free_bytes, &all) == cudaSuccess &&
		room > (double)free_bytes / 4 / sizeof(nq_i_subtree))
		room = (double)free_bytes / 4 / sizeof(nq_i_subtree);
	if (room < SUBTREES_LEAST)
		room = SUBTREES_LEAST;
	if (room > SUBTREES_MOST)
		room = SUBTREES_MOST;
	b->subtrees_room = (uint32_t)room / NQ_I_SUBTREES_ALIGNMENT * NQ_I_SUBTREES_ALIGNMENT;
	b->opens_room = OPENS_ROOM;
}

static nq_status make_buffers(nq_i_backtrack *b)
{
	const size_t opens_bytes = ((size_t)b->opens_room + b->back_room) * sizeof(nq_i_open);
	const size_t units = b->d->run->plan->unit_count + 1;

	BACKTRACK_TRY(b, "stream", cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
	BACKTRACK_TRY(b, "event", cudaEventCreate(&b->begin));
	BACKTRACK_TRY(b, "event", cudaEventCreate(&b->end));
	BACKTRACK_TRY(b, "device memory",
		cudaMalloc((void **)&b->d_tasks, NQ_I_TASKS_ROOM * sizeof(*b->d_tasks)));
	BACKTRACK_TRY(b, "device memory", cudaMalloc((void **)&b->d_opens, opens_bytes));
	BACKTRACK_TRY(b, "device memory", cudaMalloc((void **)&b->d_spare, opens_bytes));
	BACKTRACK_TRY(b, "device memory",
		cudaMalloc((void **)&b->d_subtrees,
			(size_t)b->subtrees_room * sizeof(*b->d_subtrees)));
	BACKTRACK_TRY(
		b, "device memory", cudaMalloc((void **)&b->d_found, units * sizeof(*b->d_found)));
	BACKTRACK_TRY(b, "device memory", cudaMalloc((void **)&b->d_counts, sizeof(*b->d_counts)));
	BACKTRACK_TRY(b, "pinned memory",
		cudaHostAlloc((void **)&b->h_counts, sizeof(*b->h_counts), cudaHostAllocDefault));
	b->h_tasks = (nq_task *)malloc(NQ_I_TASKS_ROOM * sizeof(*b->h_tasks));
	b->h_found = (uint64_t *)malloc(units * sizeof(*b->h_found));
	if (!b->h_tasks || !b->h_found)
		return nq_i_cuda_error(b->d, NQ_ERR_NOMEM, "backtracking", "out of memory");
	return NQ_OK;
}

static nq_status make_executions(nq_i_backtrack *b)
{
	const nq_i_run *r = b->d->run;
	lsched_options so;
	lsched_run_options ro;
	lsched_status st;

	lsched_options_init(&so);
	so.backend = LSCHED_BACKEND_CUDA;
	so.device = b->d->device;
	so.workers = r->o->workers;
	st = lsched_open(&b->ctx, &so, b->d->message, sizeof(b->d->message));
	if (st != LSCHED_OK)
		return nq_i_backtrack_sched_failed(b, st, NULL);
	lsched_run_options_init(&ro);
	ro.max_tasks = NQ_I_TASKS_ROOM;
	ro.queue_capacity = 1 << 18;
	ro.overflow = LSCHED_OVERFLOW_INLINE;
	ro.timeout_ms = LSCHED_NO_LIMIT_MS;
	st = lsched_run_create(&b->spread, b->ctx, &nq_i_spread_items_cuda_program, &ro);
	if (st == LSCHED_OK && r->o->by_queue) {
		ro.queue = r->queue;
		ro.max_tasks = b->subtrees_room / NQ_I_WALK_BATCH + 1;
		ro.queue_capacity = 0;
		st = lsched_run_create(&b->walk, b->ctx,
			b->wide ? &nq_i_walk_wide_cuda_program : &nq_i_walk_narrow_cuda_program,
			&ro);
	}
	return st == LSCHED_OK ? NQ_OK
			       : nq_i_backtrack_sched_failed(b, st, lsched_last_error(b->ctx));
}

extern "C" nq_status nq_i_backtrack_make(nq_i_backtrack *b)
{
	nq_status st;

	size_lists(b);
	st = make_buffers(b);
	return st == NQ_OK ? make_executions(b) : st;
}

extern "C" void nq_i_backtrack_unmake(nq_i_backtrack *b)
{
	lsched_run_destroy(&b->walk);
	lsched_run_destroy(&b->spread);
	lsched_close(&b->ctx);
	free(b->h_found);
	free(b->h_tasks);
	(void)cudaFreeHost(b->h_counts);
	(void)cudaFree(b->d_counts);
	(void)cudaFree(b->d_found);
	(void)cudaFree(b->d_subtrees);
	(void)cudaFree(b->d_spare);
	(void)cudaFree(b->d_opens);
	(void)cudaFree(b->d_tasks);
	if (b->begin)
		(void)cudaEventDestroy(b->begin);
	if (b->end)
		(void)cudaEventDestroy(b->end);
	if (b->stream)
		(void)cudaStreamDestroy(b->stream);
}
