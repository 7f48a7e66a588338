/* Data of the join on a device, for host and device.
 *
 * A set of rows of a quarter is divided into *parts* of three rows, lowest first; the last one may
 * have fewer. The *entries* of a part are all placements of a queen in each of its rows. A
 * placement of the quarter consists of one entry of each part. */
#ifndef NQUEENS_CUDA_JOIN_LAYOUT_H
#define NQUEENS_CUDA_JOIN_LAYOUT_H

#include <stdint.h>
#include "nqueens/join/items.h"

enum {
	NQ_I_PART_ROWS = 3,
	NQ_I_PART_HALF_MAX = NQ_I_JOIN_FILL_MAX_N / 2,
	NQ_I_PARTS_MAX = (NQ_I_PART_HALF_MAX + NQ_I_PART_ROWS - 1) / NQ_I_PART_ROWS,
	NQ_I_NO_SQUARE = NQ_I_PART_HALF_MAX * NQ_I_PART_HALF_MAX
};

/* squares: one byte per queen, u x NQ_I_PART_HALF_MAX + v, or NQ_I_NO_SQUARE. */
typedef struct nq_i_entry {
	uint32_t packed; /* a placement as in join.h */
	uint32_t cols;
	uint32_t p; /* occupied diagonals u + v */
	uint32_t squares;
} nq_i_entry;

/* A placement as the entries of its parts; 0 for parts that it does not have. */
typedef struct nq_i_choice {
	uint16_t entry[NQ_I_PARTS_MAX];
} nq_i_choice;

/* The crosses of a line (nq_i_join), and the restrictions of the western quarters by its queen in
 * the middle column. The other queen of each cross is in the east: its diagonals are part of the
 * patterns, so the crosses of a line have the same western rows. */
typedef struct nq_i_join_line {
	uint32_t first_cross, crosses;
	uint32_t south_rows, no_nw, no_sw;
} nq_i_join_line;

typedef struct nq_i_join_east {
	uint32_t cols; /* free columns */
	uint32_t no_ne, no_se;
	uint32_t queen; /* D1 and D2 of the queen in the middle row, a bit of NQ_I_HIGH in both */
} nq_i_join_east;

/* The lists of a quarter in device memory, indexed as in nq_i_join. */
typedef struct nq_i_join_lists {
	uint32_t h, gap, field;
	const uint32_t *sets, *rank, *size_at, *base; /* as in nq_i_join */
	const uint32_t *part_at;                      /* [2^h] rows: their first entry */
	const uint32_t *part_count;                   /* [2^h] */
	const nq_i_entry *entries;
	const uint32_t *first;    /* [lists + 1] */
	const uint32_t *off_main; /* [lists] */
	const uint32_t *packed;
	const nq_i_choice *choices;
} nq_i_join_lists;

#endif
