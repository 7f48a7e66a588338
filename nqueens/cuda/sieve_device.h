/* The state of a device that counts by sorted patterns: sieve_memory.cu makes it, sieve_device.cu
 * uses it. */
#ifndef NQUEENS_CUDA_SIEVE_DEVICE_H
#define NQUEENS_CUDA_SIEVE_DEVICE_H

#include "nqueens/cuda/sieve.h"
#include "nqueens/cuda/try.cuh"

enum { NO_QUARTER = 0xffffffff };
#define NO_TOTAL UINT64_MAX

/* A set of rows with given queens that has a quarter. */
typedef struct quarter_key {
	uint32_t rows;
	uint64_t given;
} quarter_key;

/* What the host reads back. */
typedef struct sieve_answers {
	uint32_t longest; /* list of the quarters */
	uint32_t jobs;    /* of a round */
	uint32_t done[2]; /* next job, and the number of counted ones */
} sieve_answers;

/* Host memory with the prefix h_ is page-locked: the host would wait for the whole stream in a copy
 * from or to other memory, instead of polling. */
struct nq_i_sieve_device {
	const nq_i_join *t;
	nq_i_sieve_parts parts;
	nq_i_sieve_lists lists;
	nq_i_sieve_line lines[NQ_I_JOIN_HALF_MAX + 2];
	nq_i_sieve_counter counter;
	nq_i_sieve_batch batch;
	void *owned[32], *h_owned[16];
	uint32_t owned_count, h_owned_count;
	uint64_t left_bytes; /* of the limit */
	nq_i_sieve_figures figures;
	/* quarters: those of whole sets by their rows, then others */
	uint64_t *set_totals; /* [2^h] placements of each set of rows, or NO_TOTAL */
	uint32_t *quarter_of; /* [2^h] rows: quarter without given queens, or NO_QUARTER */
	quarter_key *keys;    /* [quarter_room] */
	uint32_t quarters, quarter_room, placement_room, head_room, placements, heads, made;
	nq_i_sieve_quarter *h_quarters; /* [quarter_room] */
	uint32_t *h_ids, *d_ids;        /* [quarter_room] quarters to make, or sets to count */
	uint32_t wanted;                /* sets in h_ids, to count */
	unsigned long long *h_totals_of, *d_totals_of; /* [2^h] of the sets in h_ids */
	uint32_t *d_longest, counter_longest;
	sieve_answers *h_answers;
	/* a batch */
	nq_i_sieve_work *h_works;
	uint32_t *h_totals, *h_ends;
	nq_i_sieve_range *h_ranges, *d_ranges;
	unsigned long long *d_counts, *h_counts;
	uint32_t count_room, item_room, items_wanted;
	/* *h_stop, which kernels read as *d_stop, is set when o.stop() has returned nonzero, and
	 * stopped, too */
	nq_i_sieve_options o;
	int stopped;
	uint32_t *h_stop, *d_stop;
	cudaStream_t stream;
	cudaEvent_t begin, sorted, end;
};

/* Returns the number of lists of a set of rows. */
static inline uint32_t lists_of(const nq_i_join *t, uint32_t rows)
{
	const uint32_t size = (uint32_t)__builtin_popcount(rows);

	return t->size_at[size + 1] - t->size_at[size];
}

/* Notes that the number of placements of a set of rows will be needed. */
void nq_i_sieve_want_total(nq_i_sieve_device *d, uint32_t rows);
/* Counts the placements of the sets that are noted. If the device is stopped, their totals stay
 * unknown. */
cudaError_t nq_i_sieve_count_wanted(nq_i_sieve_device *d);

/* Waits until the stream has reached d->end, which is recorded here, and polls d->o.stop. */
cudaError_t nq_i_sieve_device_wait(nq_i_sieve_device *d);

#endif
