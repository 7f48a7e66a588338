/* What the join on a device works with; for both sides.
 *
 * The rows of a quarter are taken three at a time, lowest first: a *part* is a set of at most three rows,
 * its *entries* are all placements of a queen in each of them. A placement of a quarter is one entry of
 * each of its parts. */
#ifndef NQUEENS_CUDA_JOIN_LAYOUT_H
#define NQUEENS_CUDA_JOIN_LAYOUT_H

#include <stdint.h>
#include "nqueens/join/join.h"

enum {
	NQ__PART_ROWS = 3,
	NQ__PARTS_MAX = (NQ__JOIN_HALF_MAX + NQ__PART_ROWS - 1) / NQ__PART_ROWS,
	NQ__NO_SQUARE = NQ__JOIN_HALF_MAX * NQ__JOIN_HALF_MAX
};

/* squares: a byte a queen, u x NQ__JOIN_HALF_MAX + v, or NQ__NO_SQUARE. */
typedef struct nq__entry {
	uint32_t packed; /* as in join.h */
	uint32_t cols;
	uint32_t p; /* the diagonals u + v, all of them */
	uint32_t squares;
} nq__entry;

/* A placement as the entries of its parts, the first one lowest; 0 for parts it has not. */
typedef struct nq__choice {
	uint16_t entry[NQ__PARTS_MAX];
} nq__choice;

/* A set of rows of a unit: what a block counts at once. */
typedef struct nq__join_item {
	uint32_t slot; /* where the count is added */
	uint16_t north, south;
	uint8_t line;
	uint8_t weight;  /* of all */
	uint8_t classes; /* nonzero: pairs weigh by the main diagonals they occupy */
	uint8_t neither; /* the weight of those that occupy none, 0 to 2 */
} nq__join_item;

/* A line's crosses (nq__join), and what its queen in the middle column forbids west. The other queen of
 * each cross stands in the east: its diagonals belong to the patterns, so the crosses of a line share the
 * western rows. */
typedef struct nq__join_line {
	uint32_t first_cross, crosses;
	uint32_t south_rows, no_nw, no_sw;
} nq__join_line;

typedef struct nq__join_east {
	uint32_t cols; /* free ones */
	uint32_t no_ne, no_se;
	uint32_t queen; /* a bit of NQ__HIGH both ways: D1 and D2 of the queen in the middle row */
} nq__join_east;

/* A quarter's lists in the device's memory, in the order of nq__join. */
typedef struct nq__join_lists {
	uint32_t h, gap, field;
	const uint32_t *sets, *rank, *size_at, *base; /* as in nq__join */
	const uint32_t *part_at;                      /* [2^h] rows: their entries */
	const uint32_t *part_count;                   /* [2^h] */
	const nq__entry *entries;
	const uint32_t *first; /* [lists + 1] */
	const uint32_t *quiet; /* [lists] */
	const uint32_t *packed;
	const nq__choice *choices;
} nq__join_lists;

#endif
