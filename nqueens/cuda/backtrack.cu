/* Backtracking on one device, in three stages: tasks of the plan are expanded into open nodes
 * (spread.h, items of libsched), these into many small subtrees (cut.cuh), and lanes walk the
 * subtrees (walk.cuh). The lists have limited size, so the last two stages alternate until the list
 * of open nodes is empty; each launch takes about 100 ms at most on an H200, after which the run
 * may stop. */
#include <string.h>
#include "nqueens/cuda/backtrack.h"
#include "nqueens/cuda/cut.cuh"
#include "nqueens/cuda/walk.cuh"
#include "nqueens/cuda/walk_tasks.h"

enum { WALK_WARPS = 4 }; /* of a block */

static_assert(
	(int)CUT_BLOCK == (int)NQ_I_SUBTREES_ALIGNMENT, "the room is a multiple of CUT_BLOCK");

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

static const void *walk_of(const nq_i_backtrack *b)
{
	return b->wide ? (const void *)walk_kernel<true> : (const void *)walk_kernel<false>;
}

/* Determines the number of resident blocks of both kernels. */
static nq_status size_grids(nq_i_backtrack *b)
{
	const uint32_t workers = b->d->run->o->workers;
	int sms = 0, cut = 0, walk = 0;

	b->walk_bytes = WALK_WARPS * (b->wide ? walk_size<true>::all : walk_size<false>::all);
	BACKTRACK_TRY(b, "device",
		cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, b->d->device));
	BACKTRACK_TRY(b, "occupancy",
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(&cut, cut_kernel, 32 * CUT_WARPS, 0));
	BACKTRACK_TRY(b, "occupancy",
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&walk, walk_of(b), 32 * WALK_WARPS, b->walk_bytes));
	if (!cut || !walk)
		return nq_i_cuda_error(b->d, NQ_ERR_UNSUPPORTED, "a block does not fit", "");
	b->cut_blocks = (uint32_t)(sms * cut);
	b->walk_blocks = (uint32_t)(sms * walk);
	if (workers && workers / WALK_WARPS < b->walk_blocks)
		b->walk_blocks = (workers + WALK_WARPS - 1) / WALK_WARPS;
	b->d->workers = b->walk_blocks * WALK_WARPS;
	b->back_room = b->cut_blocks * 32 * CUT_WARPS * (CUT_LEVELS + 1);
	return NQ_OK;
}

/* Returns the empty rows of an open node: NQ_I_SUBTREE_ROWS plus so many that the list occupies all
 * lanes and still fits into memory. */
static uint32_t rows_of_opens(uint32_t n)
{
	return NQ_I_SUBTREE_ROWS + (n <= 18 ? 2 : n <= 19 ? 3 : n <= 21 ? 4 : n <= 23 ? 5 : 6);
}

/* Reads the counts of the device; waits for the stream. */
static nq_status read_counts(nq_i_backtrack *b)
{
	BACKTRACK_TRY(b, "reading counts",
		cudaMemcpyAsync(b->h_counts, b->d_counts, sizeof(*b->h_counts),
			cudaMemcpyDeviceToHost, b->stream));
	BACKTRACK_TRY(b, "counting", cudaStreamSynchronize(b->stream));
	return NQ_OK;
}

static nq_status write_counts(nq_i_backtrack *b)
{
	BACKTRACK_TRY(b, "writing counts",
		cudaMemcpyAsync(b->d_counts, b->h_counts, sizeof(*b->h_counts),
			cudaMemcpyHostToDevice, b->stream));
	return NQ_OK;
}

static nq_status walk_by_queue(nq_i_backtrack *b, const walk_args *a)
{
	const nq_i_walks c = { a->list, a->counts, a->found, a->end, NQ_I_WALK_BATCH };
	/* b->stream is idle after read_counts(); not every queue supports a stream of the caller */
	lsched_status st = lsched_run_start(
		b->walk, &c, (a->end + NQ_I_WALK_BATCH - 1) / NQ_I_WALK_BATCH, NULL);

	if (st == LSCHED_OK)
		st = lsched_run_finish(b->walk, NULL);
	return st == LSCHED_OK ? NQ_OK
			       : nq_i_backtrack_sched_failed(b, st, lsched_run_error(b->walk));
}

/* Expands open nodes into subtrees, as many as there is room for, and walks these. */
static nq_status cut_and_walk(nq_i_backtrack *b)
{
	const uint32_t end = b->h_counts->opens;
	const cut_args ca = { b->d_opens, end, b->d_subtrees, b->subtrees_room, b->d_counts,
		b->d_found, b->d->run->plan->n, NQ_I_SUBTREE_ROWS };
	walk_args wa = { (const uint4 *)b->d_subtrees, b->d_counts, b->d_found, 0 };
	void *params[1] = { &wa };
	nq_status st;

	b->h_counts->subtrees = b->h_counts->subtrees_next = 0;
	st = write_counts(b);
	if (st != NQ_OK)
		return st;
	cut_kernel<<<b->cut_blocks, 32 * CUT_WARPS, 0, b->stream>>>(ca);
	BACKTRACK_TRY(b, "kernel launch", cudaGetLastError());
	st = read_counts(b);
	if (st != NQ_OK)
		return st;
	/* lanes that found no open node have incremented the counter as well */
	if (b->h_counts->opens_next > end)
		b->h_counts->opens_next = end;
	wa.end =
		b->h_counts->subtrees < b->subtrees_room ? b->h_counts->subtrees : b->subtrees_room;
	if (!wa.end)
		return NQ_OK;
	if (b->walk)
		return walk_by_queue(b, &wa);
	BACKTRACK_TRY(b, "kernel launch",
		cudaLaunchKernel(walk_of(b), dim3(b->walk_blocks), dim3(32 * WALK_WARPS), params,
			b->walk_bytes, b->stream));
	return NQ_OK;
}

/* Moves the remaining open nodes to the front of the list, so that the next launch can
 * append to it. */
static nq_status compact_opens(nq_i_backtrack *b)
{
	nq_i_open *old = b->d_opens;
	const uint32_t left = b->h_counts->opens - b->h_counts->opens_next;

	if (left > b->opens_room)
		return nq_i_cuda_error(b->d, NQ_ERR_NOMEM, "backtracking", "too many open nodes");
	BACKTRACK_TRY(b, "moving open nodes",
		cudaMemcpyAsync(b->d_spare, old + b->h_counts->opens_next, left * sizeof(*old),
			cudaMemcpyDeviceToDevice, b->stream));
	b->d_opens = b->d_spare;
	b->d_spare = old;
	b->h_counts->opens = left;
	b->h_counts->opens_next = 0;
	return NQ_OK;
}

/* Counts all open nodes of the list. */
static nq_status count_opens(nq_i_backtrack *b)
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
				b->d, NQ_ERR_DEVICE, "backtracking", "no open node was expanded");
		if (st == NQ_OK)
			st = compact_opens(b);
		if (st != NQ_OK)
			return st;
		nq_i_cuda_add_nodes(b->d, b->h_counts->nodes - before);
	}
	return NQ_OK;
}

/* Counts tasks first .. first+count-1 of the device's array. If their open nodes exceed the list,
 * halves are counted one after the other, and a single task is expanded into fewer, larger open
 * nodes. */
static nq_status count_tasks(nq_i_backtrack *b, uint32_t first, uint32_t count, uint32_t rows)
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
		return nq_i_backtrack_sched_failed(b, sst, lsched_run_error(b->spread));
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
	if (rows - NQ_I_SUBTREE_ROWS >= CUT_LEVELS)
		return nq_i_cuda_error(b->d, NQ_ERR_NOMEM, "backtracking", "too many open nodes");
	return count_tasks(b, first, 1, rows + 1);
}

static nq_status count_batch(nq_i_backtrack *b, uint32_t tasks)
{
	if (!tasks)
		return NQ_OK;
	BACKTRACK_TRY(b, "copying tasks",
		cudaMemcpyAsync(b->d_tasks, b->h_tasks, tasks * sizeof(*b->h_tasks),
			cudaMemcpyHostToDevice, b->stream));
	return count_tasks(b, 0, tasks, rows_of_opens(b->d->run->plan->n));
}

/* Copies the tasks of the units to the device and counts them, NQ_I_TASKS_ROOM at a time. */
static nq_status count_all_tasks(nq_i_backtrack *b, uint32_t first, uint32_t units)
{
	const nq_i_run *r = b->d->run;
	uint32_t tasks = 0;
	nq_status st = NQ_OK;

	for (uint32_t i = 0; i < units && st == NQ_OK; i++) {
		const nq_unit *u = &r->plan->units[r->todo[first + i]];

		for (uint32_t k = 0; k < u->count && st == NQ_OK; k++) {
			b->h_tasks[tasks] = r->plan->tasks[u->first + k];
			b->h_tasks[tasks].unit = i;
			tasks += b->h_tasks[tasks].rows != 0;
			if (tasks == NQ_I_TASKS_ROOM) {
				st = count_batch(b, tasks);
				tasks = 0;
			}
		}
	}
	return st == NQ_OK ? count_batch(b, tasks) : st;
}

/* Tasks without an empty row are solutions themselves. */
static void count_full_boards(nq_i_backtrack *b, uint32_t first, uint32_t units)
{
	const nq_i_run *r = b->d->run;

	memset(b->h_found, 0, units * sizeof(*b->h_found));
	for (uint32_t i = 0; i < units; i++) {
		const nq_unit *u = &r->plan->units[r->todo[first + i]];

		for (uint32_t k = 0; k < u->count; k++)
			b->h_found[i] += r->plan->tasks[u->first + k].rows == 0;
	}
}

/* Counts units first .. first+units-1 of the run's list together. */
static nq_status count_units(nq_i_backtrack *b, uint32_t first, uint32_t units)
{
	nq_i_run *r = b->d->run;
	const size_t found_bytes = units * sizeof(*b->d_found);
	float ms = 0;
	nq_status st;

	BACKTRACK_TRY(b, "event", cudaEventRecord(b->begin, b->stream));
	count_full_boards(b, first, units);
	BACKTRACK_TRY(b, "copying counts",
		cudaMemcpyAsync(
			b->d_found, b->h_found, found_bytes, cudaMemcpyHostToDevice, b->stream));
	st = count_all_tasks(b, first, units);
	if (st != NQ_OK)
		return st;
	BACKTRACK_TRY(b, "event", cudaEventRecord(b->end, b->stream));
	BACKTRACK_TRY(b, "reading counts",
		cudaMemcpyAsync(
			b->h_found, b->d_found, found_bytes, cudaMemcpyDeviceToHost, b->stream));
	BACKTRACK_TRY(b, "counting", cudaStreamSynchronize(b->stream));
	BACKTRACK_TRY(b, "event", cudaEventElapsedTime(&ms, b->begin, b->end));
	b->d->kernel_ns += (uint64_t)(ms * 1e6f);
	if (nq_i_run_stopped(r))
		return NQ_OK;
	for (uint32_t i = 0; i < units; i++)
		nq_i_run_enter(r, r->todo[first + i], b->h_found[i]);
	return NQ_OK;
}

extern "C" nq_status nq_i_cuda_backtrack(nq_i_cuda *d)
{
	nq_i_backtrack b;
	uint32_t first, units;
	nq_status st;

	if (d->run->plan->toroidal || d->run->plan->n > NQ_I_WIDE_MAX_N)
		return nq_i_cuda_plain(d);
	memset(&b, 0, sizeof(b));
	b.d = d;
	b.wide = d->run->plan->n > NQ_I_NARROW_MAX_N;
	st = size_grids(&b);
	if (st == NQ_OK)
		st = nq_i_backtrack_make(&b);
	while (st == NQ_OK &&
		(units = nq_i_cuda_fetch(d, nq_i_cuda_batch_size(d, b.chunk_units), &first)) != 0)
		st = count_units(&b, first, units);
	nq_i_backtrack_unmake(&b);
	return st;
}
