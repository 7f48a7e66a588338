/* Data of the join with sorted patterns (join/sieve.h) on a device, for host and device.
 *
 * A set of rows of a quarter is divided into *parts* of two rows, lowest first; the last one may
 * have one row. The *entries* of a part are all placements of a queen in each of its rows. */
#ifndef NQUEENS_CUDA_SIEVE_LAYOUT_H
#define NQUEENS_CUDA_SIEVE_LAYOUT_H

#include <stdint.h>
#include "nqueens/join/sieve.h"

enum {
	NQ_I_SIEVE_PARTS = (NQ_I_JOIN_HALF_MAX + 1) / 2, /* of a quarter at most */
	NQ_I_SIEVE_ZERO_ROW = NQ_I_SIEVE_DIAGONALS,      /* a diagonal without patterns */
	NQ_I_SIEVE_KEY_MAX = 14                          /* diagonals of a key at most */
};

/* nw, sw: four bytes, the diagonals of both queens in the western quarters, or ZERO_ROW. v: the
 * columns of the queens, a byte each. */
typedef struct nq_i_sieve_entry {
	uint64_t packed; /* a placement as in sieve.h */
	uint32_t cols;
	uint32_t p; /* occupied diagonals u + v */
	uint32_t nw, sw, v, unused;
} nq_i_sieve_entry;

/* The placements of a set of rows in device memory: heads is the index of its first list in first
 * and off_main. */
typedef struct nq_i_sieve_quarter {
	uint64_t given;
	uint32_t rows, heads, base; /* base: index of its first placement */
	uint32_t unused;
} nq_i_sieve_quarter;

/* All that the kernels read. A placement is also stored as the entries of its parts, a byte
 * each. */
typedef struct nq_i_sieve_lists {
	uint32_t n, h, gap, field;
	const uint32_t *sets, *rank, *size_at, *order; /* as in nq_i_join */
	const uint32_t *part_at, *part_count;          /* [2^h] rows of a part: its entries */
	const nq_i_sieve_entry *entries;
	nq_i_sieve_quarter *quarters;
	uint32_t *first, *off_main; /* lists; one more than lists in each quarter */
	uint32_t *off_at, *on_at;   /* next free placement of each list while it is made */
	uint64_t *packed, *choices;
	const nq_i_sieve_line *lines;
	const nq_i_sieve_east *east;
} nq_i_sieve_lists;

/* An item of a batch. */
typedef struct nq_i_sieve_work {
	nq_i_join_item item;
	uint32_t quarter[4]; /* NE, SE, NW, SW */
	uint8_t key[NQ_I_SIEVE_KEY_MAX + 1];
	uint8_t key_bits;
	/* for each diagonal: the fractions of NW and of SW placements that occupy it, added, times
	 * 127.5 */
	uint8_t weight[NQ_I_SIEVE_DIAGONALS];
} nq_i_sieve_work;

/* The patterns of an item that are sorted in one round: keys from .. end - 1. */
typedef struct nq_i_sieve_range {
	uint32_t work; /* index of the item */
	uint32_t from, end;
	uint32_t base; /* of the first one among the sorted patterns */
} nq_i_sieve_range;

/* A group of patterns that one block counts. */
typedef struct nq_i_sieve_job {
	uint32_t work, first, count;
} nq_i_sieve_job;

#endif
