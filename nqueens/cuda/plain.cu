/* Backtracking with one task per lane, by the functions of core/board.h: for toroidal boards, and
 * for n above NQ_I_WIDE_MAX_N. Stacks are in local memory, rows in the order of the plan. About ten
 * times slower than the three stages of backtrack.cu. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "nqueens/core/board.h"
#include "nqueens/cuda/run_cuda.h"
#include "libsched/core/shared.h"

enum { THREADS = 128, CHUNK_UNITS = 1024, POLL_STEPS = 4096, POLL_NS = 500000 };

/* Arguments of the kernel. */
typedef struct plain_args {
	const nq_task *tasks; /* unit: index into found */
	uint32_t count, n, toroidal;
	uint32_t *next;
	uint64_t *found, *nodes;
	uint32_t *stop; /* host memory */
} plain_args;

static __device__ uint32_t plain_free(const plain_args *a, const nq_task *t, uint32_t row)
{
	return a->toroidal ? nq_i_free_toroidal(t, a->n, row) : nq_i_free(t, a->n, row);
}

/* Returns the completions of a task with at least one empty row; 0 if *a->stop becomes nonzero. */
static __device__ uint64_t plain_walk(const plain_args *a, const nq_task *t, uint64_t *nodes)
{
	nq_task stack[NQ_MAX_N];
	uint32_t free_cols[NQ_MAX_N];
	uint8_t order[NQ_MAX_N];
	const uint32_t rows = nq_i_row_order(t->rows, a->n, order);
	uint64_t found = 0;
	uint32_t depth = 0;

	stack[0] = *t;
	free_cols[0] = plain_free(a, t, order[0]);
	for (uint32_t step = 1;; step++) {
		const uint32_t bit = free_cols[depth] & (0u - free_cols[depth]);
		nq_task child;

		if (step % POLL_STEPS == 0 && lsched_ld(a->stop, rlx, sys))
			return 0;
		if (!bit) {
			if (depth == 0)
				return found;
			depth--;
			continue;
		}
		free_cols[depth] ^= bit;
		if (depth + 1 == rows) {
			found++;
			continue;
		}
		child = stack[depth];
		if (a->toroidal)
			nq_i_place_toroidal(&child, a->n, order[depth], bit);
		else
			nq_i_place(&child, a->n, order[depth], bit);
		depth++;
		stack[depth] = child;
		free_cols[depth] = plain_free(a, &child, order[depth]);
		*nodes += free_cols[depth] != 0;
	}
}

static __global__ void __launch_bounds__(THREADS) plain_kernel(const __grid_constant__ plain_args a)
{
	uint64_t nodes = 0;

	for (;;) {
		const uint32_t i = lsched_add(a.next, 1u, rlx, dev);
		uint64_t found;

		if (i >= a.count || lsched_ld(a.stop, rlx, sys))
			break;
		found = plain_walk(&a, &a.tasks[i], &nodes);
		if (found)
			(void)lsched_add(&a.found[a.tasks[i].unit], found, rlx, dev);
	}
	if (nodes)
		(void)lsched_add(a.nodes, nodes, rlx, dev);
}

typedef struct plain {
	nq_i_cuda *d;
	cudaStream_t stream;
	cudaEvent_t begin, end;
	nq_task *h_tasks, *d_tasks;
	size_t task_room;
	uint64_t *h_found, *d_found; /* [CHUNK_UNITS] by unit, then the nodes */
	uint32_t *d_next, *h_stop;   /* h_stop: pinned, polled by the kernel */
	int blocks;
} plain;

#define TRY(p, what, call)                                                                         \
	do {                                                                                       \
		cudaError_t try_e = (call);                                                        \
		if (try_e != cudaSuccess) {                                                        \
			(void)cudaGetLastError();                                                  \
			return nq_i_cuda_error((p)->d,                                             \
				try_e == cudaErrorMemoryAllocation ? NQ_ERR_NOMEM : NQ_ERR_DEVICE, \
				what, cudaGetErrorString(try_e));                                  \
		}                                                                                  \
	} while (0)

static nq_status make(plain *p)
{
	const nq_plan *plan = p->d->run->plan;
	const size_t found_bytes = (CHUNK_UNITS + 1) * sizeof(uint64_t);
	uint32_t most = 0;
	int sms = 0, blocks = 0;

	for (size_t i = 0; i < plan->unit_count; i++)
		most = plan->units[i].count > most ? plan->units[i].count : most;
	p->task_room = (size_t)most * CHUNK_UNITS + 1;
	TRY(p, "device",
		cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, p->d->device));
	TRY(p, "occupancy",
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain_kernel, THREADS, 0));
	p->blocks = sms * (blocks ? blocks : 1);
	TRY(p, "stream", cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
	TRY(p, "event", cudaEventCreate(&p->begin));
	TRY(p, "event", cudaEventCreate(&p->end));
	TRY(p, "device memory", cudaMalloc((void **)&p->d_tasks, p->task_room * sizeof(nq_task)));
	TRY(p, "device memory", cudaMalloc((void **)&p->d_found, found_bytes));
	TRY(p, "device memory", cudaMalloc((void **)&p->d_next, sizeof(uint32_t)));
	TRY(p, "pinned memory",
		cudaHostAlloc((void **)&p->h_stop, sizeof(uint32_t), cudaHostAllocMapped));
	*p->h_stop = 0;
	p->h_tasks = (nq_task *)malloc(p->task_room * sizeof(nq_task));
	p->h_found = (uint64_t *)calloc(1, found_bytes);
	if (!p->h_tasks || !p->h_found)
		return nq_i_cuda_error(p->d, NQ_ERR_NOMEM, "backtracking", "out of memory");
	return NQ_OK;
}

static void unmake(plain *p)
{
	free(p->h_found);
	free(p->h_tasks);
	(void)cudaFreeHost(p->h_stop);
	(void)cudaFree(p->d_next);
	(void)cudaFree(p->d_found);
	(void)cudaFree(p->d_tasks);
	if (p->begin)
		(void)cudaEventDestroy(p->begin);
	if (p->end)
		(void)cudaEventDestroy(p->end);
	if (p->stream)
		(void)cudaStreamDestroy(p->stream);
}

/* Waits for the launch; sets *h_stop when the run is stopped. */
static nq_status wait_for_launch(plain *p)
{
	const struct timespec pause = { 0, POLL_NS };
	cudaError_t e;

	while ((e = cudaEventQuery(p->end)) == cudaErrorNotReady) {
		if (nq_i_run_stopped(p->d->run))
			__atomic_store_n(p->h_stop, 1u, __ATOMIC_RELAXED);
		nanosleep(&pause, NULL);
	}
	TRY(p, "counting", e);
	return NQ_OK;
}

/* Copies the tasks of the units to h_tasks; returns their number. Tasks without an empty row are
 * solutions themselves and are counted here. */
static uint32_t load_tasks(plain *p, uint32_t first, uint32_t units)
{
	const nq_i_run *r = p->d->run;
	uint32_t count = 0;

	memset(p->h_found, 0, (CHUNK_UNITS + 1) * sizeof(*p->h_found));
	for (uint32_t i = 0; i < units; i++) {
		const nq_unit *u = &r->plan->units[r->todo[first + i]];

		for (uint32_t k = 0; k < u->count; k++) {
			nq_task *t = &p->h_tasks[count];

			*t = r->plan->tasks[u->first + k];
			t->unit = i;
			p->h_found[i] += t->rows == 0;
			count += t->rows != 0;
		}
	}
	return count;
}

static nq_status launch(plain *p, uint32_t tasks)
{
	const nq_plan *plan = p->d->run->plan;
	const size_t found_bytes = (CHUNK_UNITS + 1) * sizeof(uint64_t);
	const plain_args a = { p->d_tasks, tasks, plan->n, plan->toroidal, p->d_next, p->d_found,
		p->d_found + CHUNK_UNITS, p->h_stop };

	TRY(p, "event", cudaEventRecord(p->begin, p->stream));
	TRY(p, "copying", cudaMemsetAsync(p->d_next, 0, sizeof(uint32_t), p->stream));
	TRY(p, "copying",
		cudaMemcpyAsync(p->d_tasks, p->h_tasks, tasks * sizeof(nq_task),
			cudaMemcpyHostToDevice, p->stream));
	TRY(p, "copying",
		cudaMemcpyAsync(
			p->d_found, p->h_found, found_bytes, cudaMemcpyHostToDevice, p->stream));
	plain_kernel<<<p->blocks, THREADS, 0, p->stream>>>(a);
	TRY(p, "kernel launch", cudaGetLastError());
	TRY(p, "event", cudaEventRecord(p->end, p->stream));
	return NQ_OK;
}

static nq_status count_units(plain *p, uint32_t first, uint32_t units)
{
	nq_i_run *r = p->d->run;
	const size_t found_bytes = (CHUNK_UNITS + 1) * sizeof(uint64_t);
	float ms = 0;
	nq_status st = launch(p, load_tasks(p, first, units));

	if (st == NQ_OK)
		st = wait_for_launch(p);
	if (st != NQ_OK)
		return st;
	TRY(p, "reading counts",
		cudaMemcpyAsync(
			p->h_found, p->d_found, found_bytes, cudaMemcpyDeviceToHost, p->stream));
	TRY(p, "counting", cudaStreamSynchronize(p->stream));
	TRY(p, "event", cudaEventElapsedTime(&ms, p->begin, p->end));
	p->d->kernel_ns += (uint64_t)(ms * 1e6f);
	nq_i_cuda_add_nodes(p->d, p->h_found[CHUNK_UNITS]);
	if (nq_i_run_stopped(r))
		return NQ_OK;
	for (uint32_t i = 0; i < units; i++)
		nq_i_run_enter(r, r->todo[first + i], p->h_found[i]);
	return NQ_OK;
}

extern "C" nq_status nq_i_cuda_plain(nq_i_cuda *d)
{
	plain p;
	uint32_t first, units;
	nq_status st;

	memset(&p, 0, sizeof(p));
	p.d = d;
	st = make(&p);
	d->workers = (uint32_t)p.blocks * THREADS / 32;
	while (st == NQ_OK && (units = nq_i_cuda_fetch(d, CHUNK_UNITS, &first)) != 0)
		st = count_units(&p, first, units);
	unmake(&p);
	return st;
}
