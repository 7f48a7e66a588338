/* Quarters and batches of items on a device: sieve.h. */
#include <string.h>
#include <time.h>
#include "nqueens/core/board.h"
#include "nqueens/cuda/sieve_device.h"

enum { POLL_NS = 100000 };

/* Milliseconds of a batch. */
#define LEAST_MS 200
#define MOST_MS  1000

/* ---- totals of sets of rows ---- */

/* The set with its rows in reverse order, which has as many placements. */
static uint32_t reversed(const nq_i_sieve_device *d, uint32_t rows)
{
	uint32_t other = 0;

	for (uint32_t u = 0; u < d->t->h; u++)
		other |= (rows >> u & 1) << (d->t->h - 1 - u);
	return other;
}

static void set_total(nq_i_sieve_device *d, uint32_t rows, uint64_t total)
{
	d->set_totals[rows] = d->set_totals[reversed(d, rows)] = total;
}

void nq_i_sieve_want_total(nq_i_sieve_device *d, uint32_t rows)
{
	if (d->set_totals[rows] != NO_TOTAL)
		return;
	set_total(d, rows, 0); /* noted once */
	d->h_ids[d->wanted++] = rows;
}

static cudaError_t count_sets(nq_i_sieve_device *d, uint32_t count)
{
	float ms = 0;

	TRY(cudaEventRecord(d->begin, d->stream));
	TRY(cudaMemcpyAsync(
		d->d_ids, d->h_ids, count * sizeof(*d->h_ids), cudaMemcpyHostToDevice, d->stream));
	TRY(nq_i_sieve_count_sets(
		&d->lists, d->d_ids, count, d->d_totals_of, d->d_stop, d->stream));
	TRY(cudaMemcpyAsync(d->h_totals_of, d->d_totals_of, count * sizeof(*d->h_totals_of),
		cudaMemcpyDeviceToHost, d->stream));
	TRY(nq_i_sieve_device_wait(d));
	TRY(cudaEventElapsedTime(&ms, d->begin, d->end));
	d->figures.kernel_ns += (uint64_t)((double)ms * 1e6);
	return cudaSuccess;
}

cudaError_t nq_i_sieve_count_wanted(nq_i_sieve_device *d)
{
	const uint32_t count = d->wanted;
	cudaError_t e = cudaSuccess;

	d->wanted = 0;
	if (count)
		e = count_sets(d, count);
	for (uint32_t i = 0; i < count; i++)
		set_total(d, d->h_ids[i],
			e == cudaSuccess && !d->stopped ? d->h_totals_of[i] : NO_TOTAL);
	return e;
}

/* ---- quarters ---- */

static void forget_quarters(nq_i_sieve_device *d)
{
	memset(d->quarter_of, 0xff, sizeof(*d->quarter_of) << d->t->h);
	d->quarters = d->placements = d->heads = d->made = 0;
}

/* Returns the quarter of a set of rows, which is made later, or NO_QUARTER: no room. */
static uint32_t quarter_for(nq_i_sieve_device *d, uint32_t rows, uint64_t given)
{
	const uint32_t heads = lists_of(d->t, rows) + 1;
	const int whole = given == NQ_I_SIEVE_NONE_GIVEN;
	nq_i_sieve_quarter *s;

	if (whole && d->quarter_of[rows] != NO_QUARTER)
		return d->quarter_of[rows];
	/* those with given queens are few, and belong to the latest items */
	for (uint32_t i = d->quarters; !whole && i-- > 0;)
		if (d->keys[i].rows == rows && d->keys[i].given == given)
			return i;
	if (d->quarters == d->quarter_room || heads > d->head_room - d->heads ||
		d->set_totals[rows] > d->placement_room - d->placements)
		return NO_QUARTER;
	s = &d->h_quarters[d->quarters];
	s->rows = rows;
	s->given = given;
	s->heads = d->heads;
	s->base = d->placements;
	s->unused = 0;
	d->keys[d->quarters].rows = rows;
	d->keys[d->quarters].given = given;
	d->heads += heads;
	d->placements += (uint32_t)d->set_totals[rows];
	if (whole)
		d->quarter_of[rows] = d->quarters;
	return d->quarters++;
}

/* Makes the quarters that are not made. */
static cudaError_t make_quarters(nq_i_sieve_device *d)
{
	const uint32_t count = d->quarters - d->made;

	if (!count)
		return cudaSuccess;
	for (uint32_t i = 0; i < count; i++)
		d->h_ids[i] = d->made + i;
	TRY(cudaMemcpyAsync(d->lists.quarters + d->made, d->h_quarters + d->made,
		count * sizeof(*d->h_quarters), cudaMemcpyHostToDevice, d->stream));
	TRY(cudaMemcpyAsync(
		d->d_ids, d->h_ids, count * sizeof(*d->h_ids), cudaMemcpyHostToDevice, d->stream));
	TRY(nq_i_sieve_make_quarters(&d->lists, d->d_ids, count, d->d_longest, d->stream));
	TRY(cudaMemcpyAsync(&d->h_answers->longest, d->d_longest, sizeof(*d->d_longest),
		cudaMemcpyDeviceToHost, d->stream));
	d->made = d->quarters;
	d->figures.quarters += count;
	return cudaSuccess;
}

/* ---- batches ---- */

/* The sets of rows of an item's four quarters. */
static void rows_of(const nq_i_sieve_device *d, const nq_i_sieve_task *task, uint32_t rows[4])
{
	const nq_i_join_item *item = &task->item;

	rows[0] = item->north;
	rows[1] = item->south;
	rows[2] = nq_i_full(d->t->h) & ~(uint32_t)item->north;
	rows[3] = d->lines[item->line].south_rows & ~item->south;
}

/* Adds an item to the batch; returns 0 if its quarters have no room. */
static int add_item(nq_i_sieve_device *d, const nq_i_sieve_task *task)
{
	nq_i_sieve_work *w = &d->h_works[d->batch.count];
	uint32_t rows[4];

	rows_of(d, task, rows);
	memset(w, 0, sizeof(*w));
	w->item = task->item;
	for (uint32_t i = 0; i < 4; i++) {
		w->quarter[i] = quarter_for(d, rows[i], task->given.quarter[i]);
		if (w->quarter[i] == NO_QUARTER)
			return 0;
	}
	d->batch.count++;
	return 1;
}

/* Counts the placements of the sets that the tasks need and whose number is unknown. */
static cudaError_t know_totals(nq_i_sieve_device *d, const nq_i_sieve_task *tasks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t rows[4];

		rows_of(d, &tasks[i], rows);
		for (uint32_t q = 0; q < 4; q++)
			nq_i_sieve_want_total(d, rows[q]);
	}
	return nq_i_sieve_count_wanted(d);
}

/* Fills the batch with tasks from the first on. Forgets all quarters if none or few find room. */
static cudaError_t fill_batch(nq_i_sieve_device *d, const nq_i_sieve_task *tasks, uint32_t count)
{
	const uint32_t wanted = count < d->items_wanted ? count : d->items_wanted;

	TRY(know_totals(d, tasks, wanted));
	for (int again = 0; again < 2 && !d->stopped; again++) {
		d->batch.count = 0;
		while (d->batch.count < wanted && add_item(d, &tasks[d->batch.count]))
			;
		if (d->batch.count == wanted || (again && d->batch.count))
			return cudaSuccess;
		if (!again)
			forget_quarters(d);
	}
	return d->stopped ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Selects the keys of the next round: as many as the memory has room for. *work, *key: the first
 * one, advanced. Returns the number of ranges; 0: a single key has too many patterns. */
static uint32_t next_round(nq_i_sieve_device *d, uint32_t *work, uint32_t *key, cudaError_t *e)
{
	nq_i_sieve_batch *b = &d->batch;
	uint32_t n = 0, used = 0;

	while (*work < b->count) {
		nq_i_sieve_range *r = &d->h_ranges[n];
		uint32_t left = b->pattern_room - used, last;

		*r = { *work, *key, b->stride, used };
		if (*key == 0 && d->h_totals[*work] <= left) {
			used += d->h_totals[(*work)++];
			n += d->h_totals[r->work] != 0;
			continue;
		}
		/* the item alone is larger than the memory, or begins a new round */
		if (n && *key == 0)
			break;
		*e = cudaMemcpyAsync(d->h_ends, b->ends + (size_t)*work * (b->stride + 1),
			(b->stride + 1) * sizeof(*d->h_ends), cudaMemcpyDeviceToHost, d->stream);
		if (*e == cudaSuccess)
			*e = cudaStreamSynchronize(d->stream);
		if (*e != cudaSuccess)
			return 0;
		for (last = *key;
			last < b->stride && d->h_ends[last + 1] - d->h_ends[*key] <= left;)
			last++;
		if (last == *key)
			return n;
		r->end = last;
		n++;
		*key = last < b->stride ? last : 0;
		*work += last == b->stride;
		break;
	}
	return n;
}

cudaError_t nq_i_sieve_device_wait(nq_i_sieve_device *d)
{
	const struct timespec pause = { 0, POLL_NS };
	cudaError_t e = cudaEventRecord(d->end, d->stream);

	if (e != cudaSuccess)
		return e;
	while ((e = cudaEventQuery(d->end)) == cudaErrorNotReady) {
		if (d->o.stop && !d->stopped && d->o.stop(d->o.opaque)) {
			d->stopped = 1;
			__atomic_store_n(d->h_stop, 1, __ATOMIC_RELAXED);
		}
		nanosleep(&pause, NULL);
	}
	return e;
}

/* Longer lists than before need longer blocks' memory. */
static cudaError_t fit_counter(nq_i_sieve_device *d, const char **why)
{
	const uint32_t most = d->h_answers->longest, all = nq_i_sieve_longest_list(d->t->h);
	const uint32_t longest = most + most / 8 < all || most > all ? most + most / 8 : all;
	uint64_t had, need;

	if (most <= d->counter_longest)
		return cudaSuccess;
	had = nq_i_sieve_counter_bytes(&d->counter, d->counter_longest);
	need = nq_i_sieve_counter_bytes(&d->counter, longest);
	if (need - had > d->left_bytes) {
		*why = "the limit of the memory is too small for a unit";
		return cudaErrorMemoryAllocation;
	}
	d->left_bytes -= need - had;
	d->figures.bytes += need - had;
	d->counter_longest = longest;
	return nq_i_sieve_counter_allocate(&d->counter, longest);
}

/* Runs the rounds of the batch. */
static cudaError_t run_rounds(nq_i_sieve_device *d, float *sum_ms, const char **why)
{
	nq_i_sieve_batch *b = &d->batch;
	sieve_answers *a = d->h_answers;
	uint32_t work = 0, key = 0;

	while (work < b->count && !d->stopped) {
		cudaError_t e = cudaSuccess;
		const uint32_t ranges = next_round(d, &work, &key, &e);
		float ms = 0;

		TRY(e);
		if (!ranges) {
			if (work == b->count)
				break;
			*why = "the limit of the memory is too small for the patterns of one key";
			return cudaErrorMemoryAllocation;
		}
		TRY(cudaMemcpyAsync(d->d_ranges, d->h_ranges, ranges * sizeof(*d->h_ranges),
			cudaMemcpyHostToDevice, d->stream));
		TRY(cudaEventRecord(d->begin, d->stream));
		TRY(nq_i_sieve_sort(&d->lists, b, ranges, d->stream));
		TRY(cudaEventRecord(d->sorted, d->stream));
		TRY(nq_i_sieve_count_jobs(
			&d->counter, &d->lists, b, d->d_counts, d->d_stop, d->stream));
		TRY(cudaMemcpyAsync(&a->jobs, b->job_count, sizeof(a->jobs), cudaMemcpyDeviceToHost,
			d->stream));
		TRY(cudaMemcpyAsync(
			a->done, b->next_job, sizeof(a->done), cudaMemcpyDeviceToHost, d->stream));
		TRY(nq_i_sieve_device_wait(d));
		TRY(cudaEventElapsedTime(&ms, d->begin, d->end));
		*sum_ms += ms;
		TRY(cudaEventElapsedTime(&ms, d->sorted, d->end));
		d->figures.west_ns += (uint64_t)((double)ms * 1e6);
		d->figures.rounds++;
		d->figures.jobs += a->jobs;
		if (!d->stopped && a->done[1] != a->jobs) {
			*why = "a job did not fit into the memory of its block";
			return cudaErrorLaunchFailure;
		}
	}
	return cudaSuccess;
}

/* Steps 1 to 5 for the items of the batch. */
static cudaError_t run_batch(nq_i_sieve_device *d, const char **why)
{
	nq_i_sieve_batch *b = &d->batch;
	float ms = 0;

	*why = "the join";
	TRY(cudaEventRecord(d->begin, d->stream));
	TRY(make_quarters(d));
	TRY(cudaMemcpyAsync(b->works, d->h_works, b->count * sizeof(*d->h_works),
		cudaMemcpyHostToDevice, d->stream));
	TRY(nq_i_sieve_count_keys(&d->lists, b, d->stream));
	TRY(cudaMemcpyAsync(d->h_totals, b->totals, b->count * sizeof(*d->h_totals),
		cudaMemcpyDeviceToHost, d->stream));
	TRY(nq_i_sieve_device_wait(d));
	if (d->stopped)
		return cudaSuccess;
	TRY(cudaEventElapsedTime(&ms, d->begin, d->end));
	for (uint32_t i = 0; i < b->count; i++)
		d->figures.patterns += d->h_totals[i];
	TRY(fit_counter(d, why));
	TRY(run_rounds(d, &ms, why));
	d->figures.kernel_ns += (uint64_t)((double)ms * 1e6);
	d->figures.batches++;
	if (ms < LEAST_MS && b->count == d->items_wanted && d->items_wanted < d->item_room)
		d->items_wanted *= 2;
	if (ms > MOST_MS && d->items_wanted > 1)
		d->items_wanted /= 2;
	return cudaSuccess;
}

static cudaError_t make_counts(nq_i_sieve_device *d, uint32_t slots)
{
	if (slots > d->count_room) {
		(void)cudaFree(d->d_counts);
		(void)cudaFreeHost(d->h_counts);
		d->d_counts = d->h_counts = NULL;
		d->count_room = 0;
		TRY(cudaHostAlloc(
			&d->h_counts, slots * sizeof(*d->h_counts), cudaHostAllocDefault));
		TRY(cudaMalloc(&d->d_counts, slots * sizeof(*d->d_counts)));
		d->count_room = slots;
	}
	return cudaMemsetAsync(d->d_counts, 0, slots * sizeof(*d->d_counts), d->stream);
}

cudaError_t nq_i_sieve_device_count(nq_i_sieve_device *d, const nq_i_sieve_task *tasks,
	uint32_t count, uint64_t *counts, uint32_t slots, uint32_t *done, const char **why)
{
	*done = 0;
	d->stopped = 0;
	*d->h_stop = 0;
	*why = "memory for counts";
	TRY(make_counts(d, slots));
	*why = "the limit of the memory is too small for the placements of a unit";
	TRY(fill_batch(d, tasks, count));
	if (!d->stopped)
		TRY(run_batch(d, why));
	if (d->stopped)
		return cudaSuccess;
	TRY(cudaMemcpyAsync(d->h_counts, d->d_counts, slots * sizeof(*d->h_counts),
		cudaMemcpyDeviceToHost, d->stream));
	TRY(cudaStreamSynchronize(d->stream));
	for (uint32_t i = 0; i < slots; i++)
		counts[i] += d->h_counts[i];
	*done = d->batch.count;
	return cudaSuccess;
}
