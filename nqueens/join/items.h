/* Items of a unit of the join: the sets of southern rows that are joined with its northern rows. */
#ifndef NQUEENS_JOIN_ITEMS_H
#define NQUEENS_JOIN_ITEMS_H

#include "nqueens/join/join.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A set of rows of a unit. On a device one block, or all blocks together, count it. */
typedef struct nq_i_join_item {
	uint32_t slot; /* index into counts */
	uint16_t north, south;
	uint8_t line;
	uint8_t weight;  /* of all, but for same and opposite */
	uint8_t classes; /* nonzero: the weight of a pair depends on its main diagonals */
	uint8_t neither; /* weight of pairs without a main diagonal, 0 to 2 */
	/* images.h: the patterns, and the weights of western pairs with the first columns in SW:
	 * the rows of NE, and other ones in the same place */
	uint8_t east, same, opposite;
} nq_i_join_item;

/* Writes the items of a unit, whose counts add up to that of the unit, to
 * to[nq_i_join_items_max()]; returns their number. */
uint32_t nq_i_join_items(const nq_i_join *t, const nq_unit *u, uint32_t slot, nq_i_join_item *to);
uint32_t nq_i_join_items_max(const nq_i_join *t);
/* Returns whether units of a line and a set of northern rows may have items. */
int nq_i_join_has_items(const nq_i_join *t, uint32_t line, uint32_t north);

#ifdef __cplusplus
}
#endif
#endif
