/* The join with sorted patterns (join/sieve.h) on a CUDA device.
 *
 * The device makes the placements of the sets of rows that the items of a batch need (*quarters*),
 * and keeps them while its memory has room. The items of a batch are processed together:
 *	1. choose the key of each item: the diagonals that divide its patterns best (sieve_east.cu);
 *	2. count the patterns of each key (sieve_pairs.cuh);
 *	3. sort patterns by key. All patterns of a batch need not fit into memory: it is done in
 *	   rounds of as many patterns as fit;
 *	4. divide the sorted patterns into jobs: subtrees of the tree of keys with few patterns;
 *	5. count the jobs (sieve_west.cu), as join.h explains: a block divides the job into groups
 *	   of patterns with common diagonals (sieve_groups.cuh), selects for some groups at once the
 *	   western placements without one of these (sieve_rows.cuh), then multiplies bit matrices on
 *	   the tensor cores (sieve_product.cuh).
 *
 * Look-ups in shared memory bound the speed: a row of bits is the AND of an entry for each two
 * queens of the quarter (sieve_table.cuh). Entries for three need fewer look-ups, but their table
 * does not fit. */
#ifndef NQUEENS_CUDA_SIEVE_H
#define NQUEENS_CUDA_SIEVE_H

#include <cuda_runtime_api.h>
#include "nqueens/cuda/sieve_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The host sets *stop to end kernels early: blocks that count the placements of a set do nothing if
 * they begin then, and those of step 5 take no further job (10 ms at 24 queens, 0.1 to 0.2 s at
 * 28). The counts of the batch are invalid. Kernels of steps 1 to 4, a fraction of a second a
 * batch, do not read it: *stop is memory of the host, and a read of it in each of their blocks made
 * 22 queens take 10.15 s instead of 9.48. */

/* ---- quarters (sieve_lists.cu) ---- */

/* Writes the number of placements of the set of rows sets[i] to totals[i], i < count (count > 0).
 * All pointers but l are device pointers. */
cudaError_t nq_i_sieve_count_sets(const nq_i_sieve_lists *l, const uint32_t *sets, uint32_t count,
	unsigned long long *totals, const volatile uint32_t *stop, cudaStream_t stream);
/* Makes the quarters ids[0 .. count - 1], whose rows, given, heads and base are set. *longest is
 * raised to the length of the longest list. All pointers are device pointers. */
cudaError_t nq_i_sieve_make_quarters(const nq_i_sieve_lists *l, const uint32_t *ids, uint32_t count,
	uint32_t *longest, cudaStream_t stream);

/* ---- eastern patterns (sieve_east.cu) ---- */

/* Memory of a batch; device pointers. An item has stride keys. */
typedef struct nq_i_sieve_batch {
	nq_i_sieve_work *works;
	uint32_t count, stride;
	uint32_t *ends;     /* [items][stride + 1] patterns with a lower key */
	uint32_t *cursors;  /* [items][stride] */
	uint32_t *totals;   /* [items] */
	uint64_t *patterns; /* [pattern_room] */
	uint32_t pattern_room, job_room;
	nq_i_sieve_job *jobs;
	uint32_t *job_count;
	uint32_t *next_job; /* and the number of counted jobs */
	const nq_i_sieve_range *ranges;
	uint32_t job_patterns; /* of a job, unless a key has more */
} nq_i_sieve_batch;

/* Steps 1 and 2. */
cudaError_t nq_i_sieve_count_keys(
	const nq_i_sieve_lists *l, const nq_i_sieve_batch *b, cudaStream_t stream);
/* Steps 3 and 4, for b->ranges[0 .. count - 1]. */
cudaError_t nq_i_sieve_sort(
	const nq_i_sieve_lists *l, const nq_i_sieve_batch *b, uint32_t count, cudaStream_t stream);

/* ---- counting (sieve_west.cu) ---- */

/* Memory of the blocks, and the shape of the kernel. */
typedef struct nq_i_sieve_counter {
	void *memory;
	size_t shared_bytes;
	uint32_t q, tiles, slot_room, blocks, threads;
	uint32_t most_patterns;        /* of a job */
	uint32_t splits;               /* of the columns at most */
	uint32_t rows_each, rows_more; /* rows_more: beyond those of the longest list */
} nq_i_sieve_counter;

/* Selects the shape. most_bytes: of shared memory of a block, 0: what the device has.
 * cudaErrorNotSupported: it lacks the instructions or has too little shared memory. */
cudaError_t nq_i_sieve_counter_shape(nq_i_sieve_counter *c, const nq_i_join *t,
	const nq_i_sieve_parts *parts, uint32_t most_bytes, int device);
size_t nq_i_sieve_counter_bytes(const nq_i_sieve_counter *c, uint32_t longest);
/* Allocates memory for lists of up to `longest` placements. */
cudaError_t nq_i_sieve_counter_allocate(nq_i_sieve_counter *c, uint32_t longest);
void nq_i_sieve_counter_free(nq_i_sieve_counter *c);
/* Step 5. Adds to counts[slot]; ends early if *stop, which the host may set, becomes nonzero. */
cudaError_t nq_i_sieve_count_jobs(const nq_i_sieve_counter *c, const nq_i_sieve_lists *l,
	const nq_i_sieve_batch *b, unsigned long long *counts, const volatile uint32_t *stop,
	cudaStream_t stream);

/* ---- a device (sieve_device.cu) ---- */

typedef struct nq_i_sieve_device nq_i_sieve_device;

/* Sums over all batches; bytes: allocated memory. west_ns: the part of kernel_ns in step 5. */
typedef struct nq_i_sieve_figures {
	uint64_t kernel_ns, west_ns, bytes, batches, rounds, quarters, jobs, patterns;
} nq_i_sieve_figures;

typedef struct nq_i_sieve_options {
	uint64_t memory_bytes; /* of the device; 0: what is free */
	/* Of a block at most; 0: what the device has. The tests select the shape of devices with
	 * less by it. */
	uint32_t shared_bytes;
	int (*stop)(void *); /* polled while the device works; nonzero: end. NULL: none */
	void *opaque;
} nq_i_sieve_options;

/* Makes the tables of t on the current device. *out is NULL, with
 * cudaSuccess, if o->stop() returned nonzero. *why: what failed. cudaErrorMemoryAllocation: the
 * limit is too small, or *why names host memory. */
cudaError_t nq_i_sieve_device_create(
	nq_i_sieve_device **out, const nq_i_join *t, const nq_i_sieve_options *o, const char **why);
void nq_i_sieve_device_destroy(nq_i_sieve_device *d);
uint32_t nq_i_sieve_device_warps(const nq_i_sieve_device *d);
uint32_t nq_i_sieve_device_items(const nq_i_sieve_device *d); /* of a batch, at most */
void nq_i_sieve_device_figures(const nq_i_sieve_device *d, nq_i_sieve_figures *out);
/* Patterns of a job; 0: the default. */
void nq_i_sieve_device_set_job(nq_i_sieve_device *d, uint32_t patterns);

/* Counts some of tasks[0 .. count - 1], from the first on, and adds their counts to counts[slot];
 * *done is their number, 0 if o->stop() returned nonzero: counts are unchanged then, and the device
 * may be used again. */
cudaError_t nq_i_sieve_device_count(nq_i_sieve_device *d, const nq_i_sieve_task *tasks,
	uint32_t count, uint64_t *counts, uint32_t slots, uint32_t *done, const char **why);

#ifdef __cplusplus
}
#endif
#endif
