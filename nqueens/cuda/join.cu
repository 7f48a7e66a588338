/* Counts the units of a run by the join on one device: launches of about LAUNCH_S, of which one
 * runs and the next one is queued. */
#include <stdlib.h>
#include <string.h>
#include "nqueens/cuda/join.h"
#include "nqueens/cuda/run_cuda.h"

#define LAUNCH_S 0.1

enum {
	SLOTS = 2,       /* launches in flight */
	FIRST_UNITS = 4, /* of the first launch, before the speed is known */
	MOST_UNITS = 1 << 14
};

/* A launch, its units and their items. */
typedef struct launch {
	uint32_t *units; /* [MOST_UNITS] */
	uint32_t unit_count, item_count;
	double work;
	nq_i_join_item *items, *d_items; /* [room] */
	size_t room;
	unsigned long long *counts, *d_counts; /* [units], then the cursor */
	cudaEvent_t begin, end, copied;
	int busy;
} launch;

typedef struct join_run {
	nq_i_cuda *d;
	const nq_i_join *t;
	nq_i_join_parts parts;
	nq_i_join_memory memory;
	nq_i_join_counter *counter;
	cudaStream_t stream;
	launch launches[SLOTS];
	double work_per_s; /* 0: not known */
} join_run;

#define TRY(call, what)                                              \
	do {                                                         \
		cudaError_t e_ = call;                               \
		if (e_ != cudaSuccess)                               \
			return nq_i_cuda_join_error(f->d, e_, what); \
	} while (0)

/* Returns the number of units of a launch, from the mean work of the previous one. */
static uint32_t units_wanted(const join_run *f, double last_work)
{
	double n = FIRST_UNITS;

	if (f->work_per_s > 0 && last_work > 0)
		n = LAUNCH_S * f->work_per_s / last_work;
	if (n > MOST_UNITS)
		n = MOST_UNITS;
	return n < 1 ? 1 : (uint32_t)n;
}

static nq_status make_room(join_run *f, launch *l, size_t items)
{
	nq_i_join_item *more;

	if (items <= l->room)
		return NQ_OK;
	more = (nq_i_join_item *)realloc(l->items, items * sizeof(*more));
	if (!more)
		return nq_i_cuda_error(f->d, NQ_ERR_NOMEM, "out of memory", "");
	l->items = more;
	(void)cudaFree(l->d_items);
	l->d_items = NULL;
	l->room = 0;
	TRY(cudaMalloc(&l->d_items, items * sizeof(*more)), "memory for items");
	l->room = items;
	return NQ_OK;
}

/* Starts a launch with the next units; without units it stays idle. */
static nq_status start(join_run *f, launch *l, double last_work)
{
	const nq_i_run *r = f->d->run;
	uint32_t first;
	nq_status st;

	l->unit_count = nq_i_cuda_fetch(f->d, units_wanted(f, last_work), &first);
	l->item_count = 0;
	l->work = 0;
	if (!l->unit_count)
		return NQ_OK;
	st = make_room(f, l, (size_t)l->unit_count * nq_i_join_items_max(f->t));
	if (st != NQ_OK)
		return st;
	for (uint32_t i = 0; i < l->unit_count; i++) {
		l->units[i] = r->todo[first + i];
		l->work += r->plan->work[l->units[i]];
		l->item_count += nq_i_join_items(
			f->t, &r->plan->units[l->units[i]], i, l->items + l->item_count);
	}
	TRY(cudaMemcpyAsync(l->d_items, l->items, l->item_count * sizeof(*l->items),
		    cudaMemcpyHostToDevice, f->stream),
		"items to the device");
	TRY(cudaMemsetAsync(l->d_counts, 0, (l->unit_count + 1) * sizeof(*l->counts), f->stream),
		"clearing counts");
	TRY(cudaEventRecord(l->begin, f->stream), "event");
	TRY(nq_i_join_count(f->counter, l->d_items, l->item_count,
		    (uint32_t *)(l->d_counts + l->unit_count), l->d_counts, f->stream),
		"starting the join");
	TRY(cudaEventRecord(l->end, f->stream), "event");
	TRY(cudaMemcpyAsync(l->counts, l->d_counts, l->unit_count * sizeof(*l->counts),
		    cudaMemcpyDeviceToHost, f->stream),
		"counts from the device");
	TRY(cudaEventRecord(l->copied, f->stream), "event");
	l->busy = 1;
	return NQ_OK;
}

/* Waits for a launch and records its units. */
static nq_status finish(join_run *f, launch *l)
{
	float ms = 0;

	if (!l->busy)
		return NQ_OK;
	l->busy = 0;
	TRY(cudaEventSynchronize(l->end), "the join");
	TRY(cudaEventElapsedTime(&ms, l->begin, l->end), "event");
	TRY(cudaEventSynchronize(l->copied), "the join");
	f->d->kernel_ns += (uint64_t)(ms * 1e6);
	if (ms > 0)
		f->work_per_s = l->work / (ms * 1e-3);
	for (uint32_t i = 0; i < l->unit_count; i++)
		nq_i_run_enter(f->d->run, l->units[i], l->counts[i]);
	return NQ_OK;
}

static nq_status open_launch(join_run *f, launch *l)
{
	l->units = (uint32_t *)malloc(MOST_UNITS * sizeof(*l->units));
	if (!l->units)
		return nq_i_cuda_error(f->d, NQ_ERR_NOMEM, "out of memory", "");
	TRY(cudaMallocHost(&l->counts, (MOST_UNITS + 1) * sizeof(*l->counts)), "memory for counts");
	TRY(cudaMalloc(&l->d_counts, (MOST_UNITS + 1) * sizeof(*l->counts)), "memory for counts");
	TRY(cudaEventCreate(&l->begin), "event");
	TRY(cudaEventCreate(&l->end), "event");
	TRY(cudaEventCreateWithFlags(&l->copied, cudaEventDisableTiming), "event");
	return NQ_OK;
}

static nq_status open_run(join_run *f)
{
	nq_status st = nq_i_join_parts_create(&f->parts, f->t);

	if (st != NQ_OK)
		return nq_i_cuda_error(f->d, st, "out of memory", "");
	TRY(cudaStreamCreateWithFlags(&f->stream, cudaStreamNonBlocking), "stream");
	TRY(nq_i_join_memory_create(&f->memory, f->t, &f->parts), "lists of the quarters");
	TRY(nq_i_join_counter_create(&f->counter, f->t, &f->parts, &f->memory),
		"preparing the join");
	f->d->workers = nq_i_join_counter_warps(f->counter);
	for (uint32_t i = 0; i < SLOTS; i++) {
		st = open_launch(f, &f->launches[i]);
		if (st != NQ_OK)
			return st;
	}
	return NQ_OK;
}

static void close_run(join_run *f)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		launch *l = &f->launches[i];

		if (l->begin)
			(void)cudaEventDestroy(l->begin);
		if (l->end)
			(void)cudaEventDestroy(l->end);
		if (l->copied)
			(void)cudaEventDestroy(l->copied);
		(void)cudaFree(l->d_items);
		(void)cudaFree(l->d_counts);
		(void)cudaFreeHost(l->counts);
		free(l->items);
		free(l->units);
	}
	if (f->stream)
		(void)cudaStreamDestroy(f->stream);
	nq_i_join_counter_destroy(f->counter);
	nq_i_join_memory_destroy(&f->memory);
	nq_i_join_parts_destroy(&f->parts);
}

/* Alternates between the launches until no units are left. */
static nq_status count_all(join_run *f)
{
	nq_status st = NQ_OK;

	for (uint32_t i = 0;; i = (i + 1) % SLOTS) {
		launch *l = &f->launches[i];
		const launch *before = &f->launches[(i + SLOTS - 1) % SLOTS];
		const double mean = before->unit_count ? before->work / before->unit_count : 0;

		if (st == NQ_OK)
			st = finish(f, l);
		if (st == NQ_OK)
			st = start(f, l, mean);
		if (st != NQ_OK || (!l->busy && !before->busy))
			break;
	}
	/* no kernel may run when its memory is freed */
	(void)cudaStreamSynchronize(f->stream);
	return st;
}

extern "C" nq_status nq_i_cuda_join(nq_i_cuda *d)
{
	join_run f;
	nq_status st;

	memset(&f, 0, sizeof(f));
	f.d = d;
	f.t = d->run->plan->join;
	st = open_run(&f);
	if (st == NQ_OK)
		st = count_all(&f);
	close_run(&f);
	return st;
}
