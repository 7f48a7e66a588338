/* Connect four by tasks, the four-in-a-row of Cederman and Tsigas (2011, section 35.4.1): the tree
 * of N moves, a position an item, valued by joins that return complements; and a solver. Compiled
 * for CPU and GPU. */
#ifndef WORKLOADS_FOURROW_FOURROW_H
#define WORKLOADS_FOURROW_FOURROW_H

#include <libsched/items.h>
#include "workloads/fourrow/board.h"

/* A position that the solver has split, or a move of one. Zero bytes: none. See nodes.h. */
typedef struct fr_node {
	uint64_t position; /* as in the table */
	uint64_t numbers;
	uint32_t busy; /* workers below it */
	uint32_t unused[3];
} fr_node;

typedef struct fr_ctx {
	fr_board board;
	uint64_t root;   /* fr_pack of the first position */
	uint32_t stones; /* of it */
	uint32_t over;   /* the last stone of it made four in a row */
	/* the tree of N moves */
	uint32_t plies, bounds;
	uint32_t serial; /* the last plies that one lane searches */
	/* the solver */
	uint64_t *table;     /* [1 << table_bits], see table.h */
	uint64_t *visited;   /* positions that are no items; by additions */
	uint32_t table_bits; /* at least 10, or all bits of a position */
	uint32_t budget;     /* a leaf at which so many positions were visited is split */
	fr_node *nodes;      /* [1 << node_bits] */
	uint32_t node_bits, walkers;
} fr_ctx;

/* A position. Of the tree: info is the number of moves since the root. Of the solver: see solve.h.
 */
typedef struct fr_item {
	uint64_t position; /* fr_pack */
	uint32_t join, info;
} fr_item;
LSCHED_DECLARE_ITEMS(fr_items, fr_item);

/* Values of the tree: a win of the player to move, rows of the heuristic below it. */
enum { FR_WIN = 1000000 };

/* Values as joins have them: the complement of v is the code of -v. */
LSCHED_FN uint64_t fr_encode(int32_t v)
{
	return (UINT64_C(1) << 63) + (uint64_t)(2 * (int64_t)v);
}

LSCHED_FN int32_t fr_decode(uint64_t code)
{
	const int64_t v = (int64_t)(code - (UINT64_C(1) << 63)) + 1;

	return (int32_t)((v - (v & 1)) / 2);
}

/* The value of a position at which the tree ends, for the player to move. */
LSCHED_FN int32_t fr_leaf(const fr_board *b, fr_position p)
{
	return fr_four(b, p.own ^ p.both) ? -FR_WIN : fr_rows(b, p);
}

#endif
