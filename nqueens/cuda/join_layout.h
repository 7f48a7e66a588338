/* What the join on a device works with; for both sides.
 *
 * The rows of a quarter are taken three at a time, lowest first: a *part* is a set of at most three
 * rows, its *entries* are all placements of a queen in each of them. A placement of a quarter is
 * one entry of each of its parts. */
#ifndef NQUEENS_CUDA_JOIN_LAYOUT_H
#define NQUEENS_CUDA_JOIN_LAYOUT_H

#include <stdint.h>
#include "nqueens/join/join.h"

enum {
	NQ_I_PART_ROWS = 3,
	NQ_I_PARTS_MAX = (NQ_I_JOIN_HALF_MAX + NQ_I_PART_ROWS - 1) / NQ_I_PART_ROWS,
	NQ_I_NO_SQUARE = NQ_I_JOIN_HALF_MAX * NQ_I_JOIN_HALF_MAX
};

/* squares: a byte a queen, u x NQ_I_JOIN_HALF_MAX + v, or NQ_I_NO_SQUARE. */
typedef struct nq_i_entry {
	uint32_t packed; /* as in join.h */
	uint32_t cols;
	uint32_t p; /* the diagonals u + v, all of them */
	uint32_t squares;
} nq_i_entry;

/* A placement as the entries of its parts, the first one lowest; 0 for parts it has not. */
typedef struct nq_i_choice {
	uint16_t entry[NQ_I_PARTS_MAX];
} nq_i_choice;

/* A set of rows of a unit: what a block counts at once. */
typedef struct nq_i_join_item {
	uint32_t slot; /* where the count is added */
	uint16_t north, south;
	uint8_t line;
	uint8_t weight;  /* of all */
	uint8_t classes; /* nonzero: pairs weigh by the main diagonals they occupy */
	uint8_t neither; /* the weight of those that occupy none, 0 to 2 */
} nq_i_join_item;

/* A line's crosses (nq_i_join), and what its queen in the middle column forbids west. The other
 * queen of each cross stands in the east: its diagonals belong to the patterns, so the crosses of a
 * line share the western rows. */
typedef struct nq_i_join_line {
	uint32_t first_cross, crosses;
	uint32_t south_rows, no_nw, no_sw;
} nq_i_join_line;

typedef struct nq_i_join_east {
	uint32_t cols; /* free ones */
	uint32_t no_ne, no_se;
	uint32_t queen; /* a bit of NQ_I_HIGH both ways: D1 and D2 of the queen in the middle row */
} nq_i_join_east;

/* A quarter's lists in the device's memory, in the order of nq_i_join. */
typedef struct nq_i_join_lists {
	uint32_t h, gap, field;
	const uint32_t *sets, *rank, *size_at, *base; /* as in nq_i_join */
	const uint32_t *part_at;                      /* [2^h] rows: their entries */
	const uint32_t *part_count;                   /* [2^h] */
	const nq_i_entry *entries;
	const uint32_t *first; /* [lists + 1] */
	const uint32_t *quiet; /* [lists] */
	const uint32_t *packed;
	const nq_i_choice *choices;
} nq_i_join_lists;

#endif
