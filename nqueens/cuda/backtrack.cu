/* Backtracking on one device, in three stages: the plan's tasks are split into boards (spread.h, items of
 * libsched), these into many small subtrees in a list (cut.cuh), and these are walked (walk.cuh). A list
 * has to fit into memory, so the last two take turns until there is nothing left; each turn is a launch of
 * some 100 ms at most on an H200, after which the run may end. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libsched/sched.h>
#include "nqueens/cuda/cut.cuh"
#include "nqueens/cuda/run_cuda.h"
#include "nqueens/cuda/walk.cuh"
#include "nqueens/cuda/walk_tasks.h"

enum {
	WALK_WARPS = 4,
	SUBTREE_ROWS = 9,
	TASKS_ROOM = 1 << 17, /* tasks that are spread together */
	OPENS_ROOM = 1 << 22,
	WALK_BATCH = 2048, /* subtrees of a task under by_queue */
	SUBTREES_LEAST = 1 << 20,
	SUBTREES_MOST = 1 << 28,
	NODES_A_SUBTREE = 150 /* fewer than there are */
};

/* Boards in a chunk of units: some 0.3 s on an H200. */
#define CHUNK_NODES 1.5e11

#define LSCHED_NAME                 nq_i_spread_items
#define LSCHED_CTX                  nq_i_spread
#define LSCHED_ITEMS                nq_i_spread_items
#define LSCHED_ROOT                 nq_i_spread_root
#define LSCHED_BODY                 nq_i_spread_body
#define LSCHED_MAX_SPAWN            2
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

typedef struct walk_args {
	const uint4 *list;
	nq_i_counts *counts;
	uint64_t *found;
	uint32_t end;
} walk_args;

template <bool WIDE>
static __global__ void __launch_bounds__(32 * WALK_WARPS)
	walk_kernel(const __grid_constant__ walk_args a)
{
	extern __shared__ __align__(16) unsigned char walk_memory[];
	const walk_source s = { a.list, 0, a.end, &a.counts->subtrees_next };
	const uint64_t nodes =
		walk_all<WIDE>(s, walk_memory + threadIdx.x / 32u * walk_size<WIDE>::all, a.found);

	if (nodes)
		(void)lsched_add(&a.counts->nodes, nodes, rlx, dev);
}

typedef struct backtrack {
	nq_i_cuda *d;
	lsched_ctx *ctx;
	lsched_run *spread;
	lsched_run *walk; /* by_queue */
	cudaStream_t stream;
	cudaEvent_t begin, end;
	nq_task *d_tasks, *h_tasks;
	nq_i_open *d_opens, *d_spare; /* spare: as large, to move to */
	nq_i_subtree *d_subtrees;
	uint64_t *d_found, *h_found;
	nq_i_counts *d_counts, *h_counts;
	uint32_t subtrees_room;
	uint32_t opens_room,
		back_room; /* for boards; and for those that cut_kernel may give back */
	uint32_t chunk_units, cut_blocks, walk_blocks, walk_bytes;
	uint32_t wide;
} backtrack;

#define TRY(b, what, call)                                                                         \
	do {                                                                                       \
		cudaError_t try_e = (call);                                                        \
		if (try_e != cudaSuccess) {                                                        \
			(void)cudaGetLastError();                                                  \
			return nq_i_cuda_error((b)->d,                                             \
				try_e == cudaErrorMemoryAllocation ? NQ_ERR_NOMEM : NQ_ERR_DEVICE, \
				what, cudaGetErrorString(try_e));                                  \
		}                                                                                  \
	} while (0)

static nq_status lsched_failed(backtrack *b, lsched_status st, const char *message)
{
	return nq_i_cuda_error(b->d, st == LSCHED_ERR_NOMEM ? NQ_ERR_NOMEM : NQ_ERR_SCHED,
		"backtracking", message && *message ? message : lsched_strstatus(st));
}

static const void *walk_of(const backtrack *b)
{
	return b->wide ? (const void *)walk_kernel<true> : (const void *)walk_kernel<false>;
}

/* How many blocks are resident at once. */
static nq_status size_grids(backtrack *b)
{
	int sms = 0, cut = 0, walk = 0;

	b->walk_bytes = WALK_WARPS * (b->wide ? walk_size<true>::all : walk_size<false>::all);
	TRY(b, "device",
		cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, b->d->device));
	TRY(b, "occupancy",
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(&cut, cut_kernel, 32 * CUT_WARPS, 0));
	TRY(b, "occupancy",
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&walk, walk_of(b), 32 * WALK_WARPS, b->walk_bytes));
	if (!cut || !walk)
		return nq_i_cuda_error(b->d, NQ_ERR_UNSUPPORTED, "a block does not fit", "");
	b->cut_blocks = (uint32_t)(sms * cut);
	b->walk_blocks = (uint32_t)(sms * walk);
	b->back_room = b->cut_blocks * 32 * CUT_WARPS * (CUT_LEVELS + 1);
	return NQ_OK;
}

/* Subtrees are as large as a lane likes them; the boards before them so many rows larger that there are
 * enough of them for all lanes, and not too many. */
static uint32_t rows_of_opens(uint32_t n)
{
	return SUBTREE_ROWS + (n <= 18 ? 2 : n <= 19 ? 3 : n <= 21 ? 4 : n <= 23 ? 5 : 6);
}

static void size_lists(backtrack *b)
{
	const nq_i_run *r = b->d->run;
	nq_estimate e = { sizeof(e), 0, 0, 0, 0 };
	size_t free_bytes = 0, all = 0;
	double nodes, room;

	(void)nq_estimate_nodes(r->plan, 1000, 1, &e);
	nodes = e.nodes < 1 ? 1 : e.nodes;
	b->chunk_units = (uint32_t)(CHUNK_NODES / nodes * (double)r->plan->unit_count < 1 ? 1
				    : CHUNK_NODES / nodes * (double)r->plan->unit_count <
						    (double)UINT32_MAX / 2
					    ? CHUNK_NODES / nodes * (double)r->plan->unit_count
					    : UINT32_MAX / 2);
	room = (nodes < CHUNK_NODES ? nodes : CHUNK_NODES) / NODES_A_SUBTREE;
	if (cudaMemGetInfo(&free_bytes, &all) == cudaSuccess &&
		room > (double)free_bytes / 4 / sizeof(nq_i_subtree))
		room = (double)free_bytes / 4 / sizeof(nq_i_subtree);
	if (room < SUBTREES_LEAST)
		room = SUBTREES_LEAST;
	if (room > SUBTREES_MOST)
		room = SUBTREES_MOST;
	b->subtrees_room = (uint32_t)room / CUT_BLOCK * CUT_BLOCK;
	b->opens_room = OPENS_ROOM;
}

static nq_status make(backtrack *b)
{
	const nq_i_run *r = b->d->run;
	const size_t opens_bytes = ((size_t)b->opens_room + b->back_room) * sizeof(nq_i_open);
	const size_t units = r->plan->unit_count + 1;
	lsched_options so;
	lsched_run_options ro;
	lsched_status st;

	TRY(b, "stream", cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
	TRY(b, "event", cudaEventCreate(&b->begin));
	TRY(b, "event", cudaEventCreate(&b->end));
	TRY(b, "device memory", cudaMalloc((void **)&b->d_tasks, TASKS_ROOM * sizeof(*b->d_tasks)));
	TRY(b, "device memory", cudaMalloc((void **)&b->d_opens, opens_bytes));
	TRY(b, "device memory", cudaMalloc((void **)&b->d_spare, opens_bytes));
	TRY(b, "device memory",
		cudaMalloc((void **)&b->d_subtrees,
			(size_t)b->subtrees_room * sizeof(*b->d_subtrees)));
	TRY(b, "device memory", cudaMalloc((void **)&b->d_found, units * sizeof(*b->d_found)));
	TRY(b, "device memory", cudaMalloc((void **)&b->d_counts, sizeof(*b->d_counts)));
	TRY(b, "pinned memory",
		cudaHostAlloc((void **)&b->h_counts, sizeof(*b->h_counts), cudaHostAllocDefault));
	b->h_tasks = (nq_task *)malloc(TASKS_ROOM * sizeof(*b->h_tasks));
	b->h_found = (uint64_t *)malloc(units * sizeof(*b->h_found));
	if (!b->h_tasks || !b->h_found)
		return nq_i_cuda_error(b->d, NQ_ERR_NOMEM, "backtracking", "out of memory");
	lsched_options_init(&so);
	so.backend = LSCHED_BACKEND_CUDA;
	so.device = b->d->device;
	so.workers = r->o->workers;
	st = lsched_open(&b->ctx, &so, b->d->message, sizeof(b->d->message));
	if (st != LSCHED_OK)
		return lsched_failed(b, st, NULL);
	lsched_run_options_init(&ro);
	ro.max_tasks = TASKS_ROOM;
	ro.queue_capacity = 1 << 18;
	ro.overflow = LSCHED_OVERFLOW_INLINE;
	ro.timeout_ms = LSCHED_NO_LIMIT_MS;
	st = lsched_run_create(&b->spread, b->ctx, &nq_i_spread_items_cuda_program, &ro);
	if (st != LSCHED_OK)
		return lsched_failed(b, st, lsched_last_error(b->ctx));
	if (r->o->by_queue) {
		ro.queue = r->queue;
		ro.max_tasks = b->subtrees_room / WALK_BATCH + 1;
		ro.queue_capacity = 0;
		st = lsched_run_create(&b->walk, b->ctx,
			b->wide ? &nq_i_walk_wide_cuda_program : &nq_i_walk_narrow_cuda_program,
			&ro);
		if (st != LSCHED_OK)
			return lsched_failed(b, st, lsched_last_error(b->ctx));
	}
	if (r->o->workers && r->o->workers / WALK_WARPS < b->walk_blocks)
		b->walk_blocks = (r->o->workers + WALK_WARPS - 1) / WALK_WARPS;
	b->d->workers = b->walk_blocks * WALK_WARPS;
	return NQ_OK;
}

static void unmake(backtrack *b)
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

/* The device's counts, now. */
static nq_status read_counts(backtrack *b)
{
	TRY(b, "reading counts",
		cudaMemcpyAsync(b->h_counts, b->d_counts, sizeof(*b->h_counts),
			cudaMemcpyDeviceToHost, b->stream));
	TRY(b, "counting", cudaStreamSynchronize(b->stream));
	return NQ_OK;
}

static nq_status write_counts(backtrack *b)
{
	TRY(b, "writing counts",
		cudaMemcpyAsync(b->d_counts, b->h_counts, sizeof(*b->h_counts),
			cudaMemcpyHostToDevice, b->stream));
	return NQ_OK;
}

static nq_status walk_by_queue(backtrack *b, const walk_args *a)
{
	const nq_i_walks c = { a->list, a->counts, a->found, a->end, WALK_BATCH };
	/* read_counts() has left b->stream idle; and not every queue starts on a caller's stream */
	lsched_status st =
		lsched_run_start(b->walk, &c, (a->end + WALK_BATCH - 1) / WALK_BATCH, NULL);

	if (st == LSCHED_OK)
		st = lsched_run_finish(b->walk, NULL);
	return st == LSCHED_OK ? NQ_OK : lsched_failed(b, st, lsched_run_error(b->walk));
}

/* Boards in the list are cut into subtrees, as many as there is room for, and these walked. */
static nq_status cut_and_walk(backtrack *b)
{
	const uint32_t end = b->h_counts->opens;
	const cut_args ca = { b->d_opens, end, b->d_subtrees, b->subtrees_room, b->d_counts,
		b->d_found, b->d->run->plan->n, SUBTREE_ROWS };
	walk_args wa = { (const uint4 *)b->d_subtrees, b->d_counts, b->d_found, 0 };
	void *params[1] = { &wa };
	nq_status st;

	b->h_counts->subtrees = b->h_counts->subtrees_next = 0;
	st = write_counts(b);
	if (st != NQ_OK)
		return st;
	cut_kernel<<<b->cut_blocks, 32 * CUT_WARPS, 0, b->stream>>>(ca);
	TRY(b, "kernel launch", cudaGetLastError());
	st = read_counts(b);
	if (st != NQ_OK)
		return st;
	/* lanes that found nothing have counted on; the next turn begins where boards end */
	if (b->h_counts->opens_next > end)
		b->h_counts->opens_next = end;
	wa.end =
		b->h_counts->subtrees < b->subtrees_room ? b->h_counts->subtrees : b->subtrees_room;
	if (!wa.end)
		return NQ_OK;
	if (b->walk)
		return walk_by_queue(b, &wa);
	TRY(b, "kernel launch",
		cudaLaunchKernel(walk_of(b), dim3(b->walk_blocks), dim3(32 * WALK_WARPS), params,
			b->walk_bytes, b->stream));
	return NQ_OK;
}

/* Moves what is left of the list to its front, so that there is room for what the next turn gives back. */
static nq_status close_ranks(backtrack *b)
{
	nq_i_open *old = b->d_opens;
	const uint32_t left = b->h_counts->opens - b->h_counts->opens_next;

	if (left > b->opens_room)
		return nq_i_cuda_error(b->d, NQ_ERR_NOMEM, "backtracking", "too many boards");
	TRY(b, "moving boards",
		cudaMemcpyAsync(b->d_spare, old + b->h_counts->opens_next, left * sizeof(*old),
			cudaMemcpyDeviceToDevice, b->stream));
	b->d_opens = b->d_spare;
	b->d_spare = old;
	b->h_counts->opens = left;
	b->h_counts->opens_next = 0;
	return NQ_OK;
}

/* All of the boards in the list. */
static nq_status count_opens(backtrack *b)
{
	while (b->h_counts->opens && !nq_i_run_stopped(b->d->run)) {
		const uint64_t before = b->h_counts->nodes;
		uint32_t next, cut;
		nq_status st = cut_and_walk(b);

		next = b->h_counts->opens_next;
		cut = b->h_counts->subtrees;
		if (st == NQ_OK)
			st = read_counts(b);
		b->h_counts->opens_next = next;
		if (st == NQ_OK && next == 0 && cut == 0)
			st = nq_i_cuda_error(
				b->d, NQ_ERR_DEVICE, "backtracking", "no board was cut");
		if (st == NQ_OK)
			st = close_ranks(b);
		if (st != NQ_OK)
			return st;
		nq_i_cuda_tell(b->d, b->h_counts->nodes - before);
	}
	return NQ_OK;
}

/* Tasks first .. first+count-1 of the chunk. Where they make more boards than the list has room for, they go
 * by halves, and a single one makes fewer but larger boards. */
static nq_status count_tasks(backtrack *b, uint32_t first, uint32_t count, uint32_t rows)
{
	const nq_i_spread s = { b->d_tasks + first, b->d_opens, b->d_counts, b->d->run->plan->n,
		rows, b->opens_room };
	lsched_status sst;
	nq_status st;

	if (nq_i_run_stopped(b->d->run))
		return NQ_OK;
	memset(b->h_counts, 0, sizeof(*b->h_counts));
	st = write_counts(b);
	if (st != NQ_OK)
		return st;
	sst = lsched_run_start(b->spread, &s, count, b->stream);
	if (sst == LSCHED_OK)
		sst = lsched_run_finish(b->spread, NULL);
	if (sst != LSCHED_OK)
		return lsched_failed(b, sst, lsched_run_error(b->spread));
	st = read_counts(b);
	if (st != NQ_OK)
		return st;
	if (b->h_counts->opens <= b->opens_room)
		return count_opens(b);
	if (count > 1) {
		st = count_tasks(b, first, count / 2, rows);
		return st == NQ_OK ? count_tasks(b, first + count / 2, count - count / 2, rows)
				   : st;
	}
	if (rows - SUBTREE_ROWS >= CUT_LEVELS)
		return nq_i_cuda_error(b->d, NQ_ERR_NOMEM, "backtracking", "too many boards");
	return count_tasks(b, first, 1, rows + 1);
}

static nq_status count_piece(backtrack *b, uint32_t tasks)
{
	if (!tasks)
		return NQ_OK;
	TRY(b, "copying tasks",
		cudaMemcpyAsync(b->d_tasks, b->h_tasks, tasks * sizeof(*b->h_tasks),
			cudaMemcpyHostToDevice, b->stream));
	return count_tasks(b, 0, tasks, rows_of_opens(b->d->run->plan->n));
}

/* Units of the run's list, together. */
static nq_status count_units(backtrack *b, uint32_t first, uint32_t units)
{
	nq_i_run *r = b->d->run;
	const size_t found_bytes = units * sizeof(*b->d_found);
	uint32_t tasks = 0;
	float ms = 0;
	nq_status st = NQ_OK;

	TRY(b, "event", cudaEventRecord(b->begin, b->stream));
	memset(b->h_found, 0, found_bytes);
	for (uint32_t i = 0; i < units; i++) {
		const nq_unit *u = &r->plan->units[r->todo[first + i]];

		/* full boards: completions of themselves */
		for (uint32_t k = 0; k < u->count; k++)
			b->h_found[i] += r->plan->tasks[u->first + k].rows == 0;
	}
	TRY(b, "copying counts",
		cudaMemcpyAsync(
			b->d_found, b->h_found, found_bytes, cudaMemcpyHostToDevice, b->stream));
	for (uint32_t i = 0; i < units && st == NQ_OK; i++) {
		const nq_unit *u = &r->plan->units[r->todo[first + i]];

		for (uint32_t k = 0; k < u->count && st == NQ_OK; k++) {
			b->h_tasks[tasks] = r->plan->tasks[u->first + k];
			b->h_tasks[tasks].unit = i;
			tasks += b->h_tasks[tasks].rows != 0;
			if (tasks == TASKS_ROOM) {
				st = count_piece(b, tasks);
				tasks = 0;
			}
		}
	}
	if (st == NQ_OK)
		st = count_piece(b, tasks);
	if (st != NQ_OK)
		return st;
	TRY(b, "event", cudaEventRecord(b->end, b->stream));
	TRY(b, "reading counts",
		cudaMemcpyAsync(
			b->h_found, b->d_found, found_bytes, cudaMemcpyDeviceToHost, b->stream));
	TRY(b, "counting", cudaStreamSynchronize(b->stream));
	TRY(b, "event", cudaEventElapsedTime(&ms, b->begin, b->end));
	b->d->kernel_ns += (uint64_t)(ms * 1e6f);
	if (nq_i_run_stopped(r))
		return NQ_OK;
	for (uint32_t i = 0; i < units; i++)
		nq_i_run_enter(r, r->todo[first + i], b->h_found[i]);
	return NQ_OK;
}

extern "C" nq_status nq_i_cuda_backtrack(nq_i_cuda *d)
{
	backtrack b;
	uint32_t first, units;
	nq_status st;

	if (d->run->plan->toroidal || d->run->plan->n > NQ_I_WIDE_MAX_N)
		return nq_i_cuda_plain(d);
	memset(&b, 0, sizeof(b));
	b.d = d;
	b.wide = d->run->plan->n > NQ_I_NARROW_MAX_N;
	st = size_grids(&b);
	if (st == NQ_OK) {
		size_lists(&b);
		st = make(&b);
	}
	while (st == NQ_OK &&
		(units = nq_i_cuda_take(d, nq_i_cuda_portion(d, b.chunk_units), &first)) != 0)
		st = count_units(&b, first, units);
	unmake(&b);
	return st;
}
