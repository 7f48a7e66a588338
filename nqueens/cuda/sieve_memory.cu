/* Allocates the memory of a device within a limit: sieve.h. */
#include <stdlib.h>
#include <string.h>
#include "libsched/cuda/current.cuh"
#include "nqueens/core/board.h"
#include "nqueens/cuda/sieve_device.h"

enum {
	SPARE_BYTES = 256 << 20, /* of free memory, for other allocations of the process */
	MOST_ITEMS = 1 << 13,    /* of a batch; from LONG_H on fewer, because they have more keys */
	LONG_ITEMS = 1 << 9,
	LONG_H = 13,
	FIRST_ITEMS = 256, /* of the first batch */
	LONG_FIRST_ITEMS = 32,
	LONGEST_FIRST_ITEMS = 4, /* of 28 queens: half a second each */
	COUNT_LATER_H = 14,
	MOST_HEADS = 1 << 24,
	MOST_PLACEMENTS = 0x3ffffff0,
	GIVEN_QUARTERS = 256,
	LEAST_LONGEST = 1 << 13,
	LEAST_PATTERNS = 1 << 20,
	MOST_PATTERNS = 1 << 30,
	LEAST_JOB = 512,
	/* Of a job. Longer jobs select western placements less often; with little memory a round
	 * would have too few of them for all blocks. */
	JOB_PATTERNS = 16384,
	SHORT_JOB_PATTERNS = 4096,
	LONG_JOBS_ROOM = 1 << 25, /* patterns of a round */
	/* Rows of a block, beyond its longest list. */
	ROWS_MORE = 1 << 18,
	FEW_ROWS_MORE = 1 << 14
};

/* Memory from which on blocks have ROWS_MORE rows, about 2 GB on an H100. */
#define LONG_ROWS_BYTES (8ull << 30)

/* Allocates device memory that d owns, within the limit. */
static cudaError_t allocate(nq_i_sieve_device *d, void *out, size_t bytes)
{
	void *p = NULL;
	cudaError_t e = bytes > d->left_bytes ? cudaErrorMemoryAllocation
					      : cudaMalloc(&p, bytes ? bytes : 1);

	if (e == cudaSuccess) {
		d->owned[d->owned_count++] = p;
		d->left_bytes -= bytes;
		d->figures.bytes += bytes;
	}
	*(void **)out = p;
	return e;
}

/* Allocates page-locked host memory that d owns. */
static cudaError_t allocate_pinned(nq_i_sieve_device *d, void *out, size_t bytes)
{
	void *p = NULL;
	const cudaError_t e = cudaHostAlloc(&p, bytes, cudaHostAllocMapped);

	if (e == cudaSuccess)
		d->h_owned[d->h_owned_count++] = p;
	*(void **)out = p;
	return e;
}

static cudaError_t upload(nq_i_sieve_device *d, const void *out, const void *from, size_t bytes)
{
	void **p = (void **)out;
	cudaError_t e = allocate(d, p, bytes);

	if (e == cudaSuccess)
		e = copy_now(*p, from, bytes);
	return e;
}

static cudaError_t upload_crosses(nq_i_sieve_device *d)
{
	const nq_i_join *t = d->t;
	nq_i_sieve_east *east = (nq_i_sieve_east *)malloc(t->crosses * sizeof(*east));
	cudaError_t e = cudaErrorMemoryAllocation;

	for (uint32_t i = 0; east && i < t->crosses; i++)
		east[i] = nq_i_sieve_east_of(t, i);
	for (uint32_t i = 0; i < t->lines; i++)
		d->lines[i] = nq_i_sieve_line_of(t, i);
	if (east)
		e = upload(d, &d->lists.east, east, t->crosses * sizeof(*east));
	free(east);
	if (e == cudaSuccess)
		e = upload(d, &d->lists.lines, d->lines, t->lines * sizeof(*d->lines));
	return e;
}

static cudaError_t upload_sets(nq_i_sieve_device *d)
{
	const nq_i_join *t = d->t;
	nq_i_sieve_lists *l = &d->lists;
	const size_t words = sizeof(uint32_t) << t->h;

	l->n = t->n;
	l->h = t->h;
	l->gap = t->gap;
	l->field = t->field;
	TRY(upload(d, &l->sets, t->sets, words));
	TRY(upload(d, &l->rank, t->rank, words));
	TRY(upload(d, &l->size_at, t->size_at, sizeof(t->size_at)));
	TRY(upload(d, &l->order, t->order, words));
	TRY(upload(d, &l->part_at, d->parts.at, words));
	TRY(upload(d, &l->part_count, d->parts.count, words));
	TRY(upload(d, &l->entries, d->parts.entries, d->parts.total * sizeof(*d->parts.entries)));
	return upload_crosses(d);
}

/* Counts the placements of each set of rows; from COUNT_LATER_H on batches count those that they
 * need, since all of them, 216 GB, fit into no device and take it half a minute. */
static cudaError_t count_placements(nq_i_sieve_device *d)
{
	const uint32_t sets = 1u << d->t->h;

	TRY(allocate(d, &d->d_ids, d->quarter_room * sizeof(*d->d_ids)));
	TRY(allocate(d, &d->d_totals_of, sets * sizeof(*d->d_totals_of)));
	for (uint32_t s = 0; s < sets && d->t->h < COUNT_LATER_H; s++)
		nq_i_sieve_want_total(d, s);
	return nq_i_sieve_count_wanted(d);
}

/* Returns the smaller one. */
static uint32_t at_most(uint64_t a, uint32_t b)
{
	return a < b ? (uint32_t)a : b;
}

/* Divides the limit: quarters and patterns get what the blocks and the keys leave. */
static cudaError_t allocate_quarters(nq_i_sieve_device *d)
{
	const nq_i_join *t = d->t;
	nq_i_sieve_lists *l = &d->lists;
	const uint32_t sets = 1u << t->h;
	uint64_t all = 0, heads = 0, room, each = 2 * sizeof(uint64_t);

	for (uint32_t s = 0; s < sets; s++) {
		all += t->h < COUNT_LATER_H ? d->set_totals[s] : (uint64_t)MOST_PLACEMENTS;
		heads += lists_of(t, s) + 1;
	}
	/* sets with given queens need quarters of their own */
	heads += GIVEN_QUARTERS * (lists_of(t, nq_i_full(t->h / 2)) + 1);
	d->head_room =
		at_most(heads, at_most(d->left_bytes / 8 / (4 * sizeof(uint32_t)), MOST_HEADS));
	room = d->left_bytes - (uint64_t)d->head_room * 4 * sizeof(uint32_t) -
	       d->quarter_room * sizeof(*l->quarters);
	room = room / 2 / each;
	all += all / 8 + 65536;
	d->placement_room = at_most(all < room ? all : room, MOST_PLACEMENTS);
	TRY(allocate(d, &l->first, d->head_room * sizeof(uint32_t)));
	TRY(allocate(d, &l->off_main, d->head_room * sizeof(uint32_t)));
	TRY(allocate(d, &l->off_at, d->head_room * sizeof(uint32_t)));
	TRY(allocate(d, &l->on_at, d->head_room * sizeof(uint32_t)));
	TRY(allocate(d, &l->quarters, d->quarter_room * sizeof(*l->quarters)));
	TRY(allocate(d, &d->d_longest, sizeof(*d->d_longest)));
	TRY(clear_now(d->d_longest, 0, sizeof(*d->d_longest)));
	TRY(allocate(d, &l->packed, (size_t)d->placement_room * sizeof(uint64_t)));
	return allocate(d, &l->choices, (size_t)d->placement_room * sizeof(uint64_t));
}

static uint32_t stride_of(uint32_t h)
{
	return h <= 10   ? 1u << 7
	       : h == 11 ? 1u << 9
	       : h == 12 ? 1u << 11
	       : h == 13 ? 1u << 13
			 : 1u << 14;
}

static cudaError_t allocate_keys(nq_i_sieve_device *d)
{
	nq_i_sieve_batch *b = &d->batch;
	const size_t items = d->item_room;

	TRY(allocate(d, &b->works, items * sizeof(*b->works)));
	TRY(allocate(d, &b->ends, items * (b->stride + 1) * sizeof(*b->ends)));
	TRY(allocate(d, &b->cursors, items * b->stride * sizeof(*b->cursors)));
	TRY(allocate(d, &b->totals, items * sizeof(*b->totals)));
	TRY(allocate(d, &b->job_count, sizeof(*b->job_count)));
	TRY(allocate(d, &b->next_job, 2 * sizeof(*b->next_job)));
	TRY(allocate(d, &d->d_ranges, items * sizeof(*d->d_ranges)));
	b->ranges = d->d_ranges;
	return cudaSuccess;
}

/* Device memory to keep for blocks, whose rows grow with the longest list of the quarters. */
static uint64_t for_longer_lists(const nq_i_sieve_device *d)
{
	const uint64_t most =
		nq_i_sieve_counter_bytes(&d->counter, nq_i_sieve_longest_list(d->t->h));
	const uint64_t had = nq_i_sieve_counter_bytes(&d->counter, d->counter_longest);
	const uint64_t more = most > had ? most - had : 0, part = d->left_bytes / 8;

	return more < part ? part : more < 4 * part ? more : 4 * part;
}

/* The rest of the limit, less that for longer lists. The parent of a job in the tree of keys
 * has more than job_patterns patterns, so a level has at most two jobs for each job_patterns
 * patterns. */
static cudaError_t allocate_patterns(nq_i_sieve_device *d)
{
	nq_i_sieve_batch *b = &d->batch;
	const uint64_t bytes = d->left_bytes - for_longer_lists(d);

	b->pattern_room = at_most(bytes / (sizeof(*b->patterns) + 1), MOST_PATTERNS);
	b->job_room = b->pattern_room / (LEAST_JOB / (2 * NQ_I_SIEVE_KEY_MAX + 1)) + d->item_room;
	if (b->pattern_room < LEAST_PATTERNS)
		return cudaErrorMemoryAllocation;
	nq_i_sieve_device_set_job(d, 0);
	TRY(allocate(d, &b->jobs, (size_t)b->job_room * sizeof(*b->jobs)));
	return allocate(d, &b->patterns, (size_t)b->pattern_room * sizeof(*b->patterns));
}

static cudaError_t allocate_host(nq_i_sieve_device *d)
{
	const uint32_t sets = 1u << d->t->h;
	const size_t items = d->item_room;

	d->batch.stride = stride_of(d->t->h);
	d->quarter_room = sets + 4 * d->item_room;
	d->quarter_of = (uint32_t *)malloc(sets * sizeof(*d->quarter_of));
	d->keys = (quarter_key *)malloc(d->quarter_room * sizeof(*d->keys));
	d->set_totals = (uint64_t *)malloc(sets * sizeof(*d->set_totals));
	if (!d->quarter_of || !d->keys || !d->set_totals)
		return cudaErrorMemoryAllocation;
	memset(d->quarter_of, 0xff, sets * sizeof(*d->quarter_of));
	memset(d->set_totals, 0xff, sets * sizeof(*d->set_totals));
	TRY(allocate_pinned(d, &d->h_totals_of, sets * sizeof(*d->h_totals_of)));
	TRY(allocate_pinned(d, &d->h_quarters, d->quarter_room * sizeof(*d->h_quarters)));
	TRY(allocate_pinned(d, &d->h_ids, d->quarter_room * sizeof(*d->h_ids)));
	TRY(allocate_pinned(d, &d->h_works, items * sizeof(*d->h_works)));
	TRY(allocate_pinned(d, &d->h_totals, items * sizeof(*d->h_totals)));
	TRY(allocate_pinned(d, &d->h_ranges, items * sizeof(*d->h_ranges)));
	TRY(allocate_pinned(d, &d->h_ends, (d->batch.stride + 1) * sizeof(*d->h_ends)));
	TRY(allocate_pinned(d, &d->h_answers, sizeof(*d->h_answers)));
	TRY(allocate_pinned(d, &d->h_stop, sizeof(*d->h_stop)));
	memset(d->h_answers, 0, sizeof(*d->h_answers));
	*d->h_stop = 0;
	return cudaHostGetDevicePointer(&d->d_stop, d->h_stop, 0);
}

static cudaError_t open_device(nq_i_sieve_device *d, const char **why)
{
	size_t free_bytes = 0, total_bytes = 0;
	int device = 0;

	*why = "preparing the join";
	TRY(cudaGetDevice(&device));
	TRY(nq_i_sieve_counter_shape(&d->counter, d->t, &d->parts, d->o.shared_bytes, device));
	TRY(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
	TRY(cudaEventCreate(&d->begin));
	TRY(cudaEventCreate(&d->sorted));
	TRY(cudaEventCreate(&d->end));
	*why = "page-locked host memory";
	TRY(allocate_host(d));
	*why = "preparing the join";
	TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
	d->left_bytes = free_bytes > SPARE_BYTES ? free_bytes - SPARE_BYTES : 0;
	if (d->o.memory_bytes && d->o.memory_bytes < d->left_bytes)
		d->left_bytes = d->o.memory_bytes;
	*why = "the limit of the memory is too small for the tables of the join";
	TRY(upload_sets(d));
	TRY(count_placements(d));
	if (d->stopped)
		return cudaSuccess;
	TRY(allocate_keys(d));
	*why = "the limit of the memory is too small for a unit";
	d->counter.rows_more = d->left_bytes < LONG_ROWS_BYTES ? FEW_ROWS_MORE : ROWS_MORE;
	if (nq_i_sieve_counter_bytes(&d->counter, LEAST_LONGEST) > d->left_bytes)
		return cudaErrorMemoryAllocation;
	d->left_bytes -= nq_i_sieve_counter_bytes(&d->counter, LEAST_LONGEST);
	d->figures.bytes += nq_i_sieve_counter_bytes(&d->counter, LEAST_LONGEST);
	TRY(nq_i_sieve_counter_allocate(&d->counter, LEAST_LONGEST));
	TRY(allocate_quarters(d));
	return allocate_patterns(d);
}

cudaError_t nq_i_sieve_device_create(
	nq_i_sieve_device **out, const nq_i_join *t, const nq_i_sieve_options *o, const char **why)
{
	nq_i_sieve_device *d = (nq_i_sieve_device *)calloc(1, sizeof(*d));
	cudaError_t e;

	*why = "out of memory";
	*out = NULL;
	if (!d)
		return cudaErrorMemoryAllocation;
	d->t = t;
	d->o = *o;
	d->items_wanted = t->h < LONG_H    ? FIRST_ITEMS
			  : t->h == LONG_H ? LONG_FIRST_ITEMS
					   : LONGEST_FIRST_ITEMS;
	d->counter_longest = LEAST_LONGEST;
	d->item_room = t->h < LONG_H ? MOST_ITEMS : LONG_ITEMS;
	e = nq_i_sieve_parts_create(&d->parts, t) == NQ_OK ? cudaSuccess
							   : cudaErrorMemoryAllocation;
	if (e == cudaSuccess)
		e = open_device(d, why);
	if (e != cudaSuccess || d->stopped) {
		nq_i_sieve_device_destroy(d);
		return e;
	}
	*out = d;
	return e;
}

void nq_i_sieve_device_destroy(nq_i_sieve_device *d)
{
	if (!d)
		return;
	if (d->stream) {
		(void)cudaStreamSynchronize(d->stream);
		(void)cudaStreamDestroy(d->stream);
	}
	if (d->begin)
		(void)cudaEventDestroy(d->begin);
	if (d->sorted)
		(void)cudaEventDestroy(d->sorted);
	if (d->end)
		(void)cudaEventDestroy(d->end);
	for (uint32_t i = 0; i < d->owned_count; i++)
		(void)cudaFree(d->owned[i]);
	(void)cudaFree(d->d_counts);
	for (uint32_t i = 0; i < d->h_owned_count; i++)
		(void)cudaFreeHost(d->h_owned[i]);
	(void)cudaFreeHost(d->h_counts);
	nq_i_sieve_counter_free(&d->counter);
	nq_i_sieve_parts_destroy(&d->parts);
	free(d->quarter_of);
	free(d->keys);
	free(d->set_totals);
	free(d);
}

uint32_t nq_i_sieve_device_items(const nq_i_sieve_device *d)
{
	return d->item_room;
}

uint32_t nq_i_sieve_device_warps(const nq_i_sieve_device *d)
{
	return d->counter.blocks * (d->counter.threads / 32);
}

void nq_i_sieve_device_figures(const nq_i_sieve_device *d, nq_i_sieve_figures *out)
{
	*out = d->figures;
}

void nq_i_sieve_device_set_job(nq_i_sieve_device *d, uint32_t patterns)
{
	const uint32_t preset = d->batch.pattern_room < LONG_JOBS_ROOM
					? (uint32_t)SHORT_JOB_PATTERNS
					: (uint32_t)JOB_PATTERNS;

	d->batch.job_patterns =
		at_most(patterns >= LEAST_JOB ? patterns : preset, d->counter.most_patterns);
}
