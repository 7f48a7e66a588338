/* What the sides of the join hand to the hot loop. */
#ifndef NQUEENS_JOIN_JOINER_H
#define NQUEENS_JOIN_JOINER_H

#include "nqueens/join/join.h"
#include "nqueens/join/sides.h"

/* Western placements are made of NW and SW placements, each known by its place in its batch. A batch is
 * small enough that the bits of all its placements stay in the first cache. */
enum { NQ_I_BATCH = 192, NQ_I_CLASSES = 3 };

/* Where a batch ends; it begins where the one before ended. Class k: pairs that occupy k main diagonals. */
typedef struct nq_i_batch {
	uint32_t nw_end, sw_end;
	uint32_t pairs_end[NQ_I_CLASSES];
} nq_i_batch;

/* What a split of the columns leaves to the upper quarter: its placements, and the other columns. */
typedef struct nq_i_split {
	uint32_t first, count;
	uint32_t other_cols;
} nq_i_split;

/* Adds the pairs of patterns and placements that share no diagonal to hits, by class. */
typedef void nq_i_join_block_fn(
	nq_i_joiner *j, const uint64_t *patterns, uint32_t count, uint64_t *hits);
nq_i_join_block_fn nq_i_join_block_scalar, nq_i_join_block_avx2, nq_i_join_block_avx512;

struct nq_i_joiner {
	const nq_i_join *t;
	const int *stop;
	nq_i_join_block_fn *block;
	nq_i_patterns_fn *patterns;
	nq_i_pairs_fn *pair_up;
	uint32_t block_patterns;
	/* of the unit's northern rows */
	uint64_t *ne; /* as patterns */
	uint32_t *nw;
	nq_i_split *east_splits, *west_splits;
	uint32_t east_count, west_count;
	/* of the southern rows */
	uint64_t *east; /* patterns */
	size_t pattern_count;
	uint32_t *sw, *lower; /* nq_i_lower of these */
	nq_i_pair *pairs[NQ_I_CLASSES];
	nq_i_batch *batches;
	uint32_t batch_count;
	void *nw_rows, *sw_rows; /* a batch's placements as bits of patterns */
	void *tables;            /* of the block's patterns */
};

/* The tables: for each field all sets of its diagonals. With 512 patterns and n = 20 that is 128 KiB, for
 * the second cache, and still better than two small tables a field: what is looked up is more than what is
 * tabled. */
enum { NQ_I_TABLE_ENTRIES = 4 << NQ_I_FIELD_BITS };

#endif
