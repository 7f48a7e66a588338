/* The memory of a worker of the join: inputs of the hot loop and buffers. */
#ifndef NQUEENS_JOIN_JOINER_H
#define NQUEENS_JOIN_JOINER_H

#include "nqueens/join/items.h"
#include "nqueens/join/sides.h"

/* Western placements are pairs of NW and SW placements, each given by its index in a batch. The
 * rows of bits of all placements of a batch fit into the first-level cache. */
enum { NQ_I_BATCH = 192, NQ_I_CLASSES = 3 };

/* The end of a batch, which begins at the end of the previous one. Class k: pairs that occupy k
 * main diagonals, or pairs of weight k of an item. */
typedef struct nq_i_batch {
	uint32_t nw_end, sw_end;
	uint32_t pairs_end[NQ_I_CLASSES];
} nq_i_batch;

/* A split of the columns: the placements of the northern quarter, and the columns of
 * the southern one. */
typedef struct nq_i_split {
	uint32_t first, count;
	uint32_t other_cols;
} nq_i_split;

/* Adds the number of pairs of patterns and placements without a common diagonal to
 * hits[], by class. */
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
	/* for the northern rows of the unit */
	uint64_t *ne; /* as patterns */
	uint32_t *nw;
	nq_i_split *east_splits, *west_splits;
	uint32_t east_count, west_count;
	/* boards of images.h: the items of the unit; no item has columns before place `least` */
	nq_i_join_item *items; /* [nq_i_join_items_max()] */
	uint32_t least;
	int32_t ahead; /* of a cross */
	/* the item that is counted, and the weights of its classes; NULL: other boards */
	const nq_i_join_item *item;
	uint32_t weights[NQ_I_CLASSES];
	/* for one set of southern rows */
	uint64_t *east; /* patterns */
	size_t pattern_count;
	uint32_t *sw, *lower; /* lower: nq_i_lower of sw */
	nq_i_pair *pairs[NQ_I_CLASSES];
	nq_i_batch *batches;
	uint32_t batch_count;
	void *nw_rows, *sw_rows; /* placements of a batch as rows of bits, one per pattern */
	void *tables;            /* of the block's patterns */
};

/* Entries of the lookup tables: all subsets of the diagonals of each field. With 512 patterns and n
 * = 20 they have 128 KiB, in the second-level cache; two smaller tables per field are slower,
 * because there are more lookups than entries. */
enum { NQ_I_TABLE_ENTRIES = 4 << NQ_I_FIELD_BITS };

#endif
