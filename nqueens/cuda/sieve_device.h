/* The state of a device that counts by sorted patterns: sieve_memory.cu makes it, sieve_device.cu
 * uses it. */
#ifndef NQUEENS_CUDA_SIEVE_DEVICE_H
#define NQUEENS_CUDA_SIEVE_DEVICE_H

#include "nqueens/cuda/sieve.h"

enum { NO_SHELF = 0xffffffff };

/* A set of rows with given queens that has a shelf. */
typedef struct shelf_key {
	uint32_t rows;
	uint64_t given;
} shelf_key;

struct nq_i_sieve_device {
	const nq_i_join *t;
	nq_i_sieve_parts parts;
	nq_i_sieve_lists lists;
	nq_i_sieve_line lines[NQ_I_JOIN_HALF_MAX + 2];
	nq_i_sieve_counter counter;
	nq_i_sieve_batch batch;
	void *owned[32];
	uint32_t owned_count;
	uint64_t left_bytes; /* of the limit */
	nq_i_sieve_figures figures;
	/* shelves: those of whole sets by their rows, then others */
	uint64_t *totals;   /* [2^h] placements of each set of rows */
	uint32_t *shelf_of; /* [2^h] rows: shelf without given queens, or NO_SHELF */
	shelf_key *keys;    /* [shelf_room] */
	uint32_t shelves, shelf_room, placement_room, head_room, placements, heads, made;
	nq_i_sieve_shelf *h_shelves; /* [shelf_room] */
	uint32_t *h_ids, *d_ids;     /* [shelf_room] shelves to make */
	uint32_t *d_longest, longest;
	uint32_t counter_longest;
	/* a batch */
	nq_i_sieve_work *h_works;
	uint32_t *h_totals, *h_ends;
	nq_i_sieve_range *h_ranges, *d_ranges;
	unsigned long long *d_counts, *h_counts;
	uint32_t count_room, item_room, items_wanted;
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

#define TRY(call)                      \
	do {                           \
		cudaError_t e_ = call; \
		if (e_ != cudaSuccess) \
			return e_;     \
	} while (0)

#endif
