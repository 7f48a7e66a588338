/* Expected cost of the units of a join, from the rows of their items.
 *
 * Two queens in rows of distance d attack each other with probability p = 2(h - d) / h(h - 1). If
 * the pairs of rows were independent, a set of rows would have h! times the product of 1 - p
 * placements. For placements of a quarter this is right within 5 %; eastern patterns, whose queens
 * occupy all columns, follow the power 21/16 of the product. Patterns and placements together are
 * within 6 % (even n) and 9 % (odd n) of the exact numbers of a unit, n = 14 to 19.
 *
 * From NQ_I_SIEVE_PAYS_N on the cost of an item is its number of patterns (cost_images.h) times the
 * look-ups of its western rows, of which groups keep 0.6 for each queen: for items of 22 to 24
 * queens it differs from the exact numbers by 15 to 17 % (root mean square). It is the same on all
 * machines, because the division into parts depends on it: IEEE 754 rounds its products, quotients
 * and square roots in one way. Below, it is what joiner.c does; the time of a unit of 16 to 20
 * queens differs by 15 to 25 % (root mean square, bench/queens_units_bench). */
#ifndef NQUEENS_JOIN_COST_H
#define NQUEENS_JOIN_COST_H

#include "nqueens/join/items.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nq_i_join_cost nq_i_join_cost;

nq_status nq_i_join_cost_create(nq_i_join_cost **out, const nq_i_join *t);
void nq_i_join_cost_destroy(nq_i_join_cost *c);

/* Returns the expected cost of a unit; units of another n have another scale. */
uint64_t nq_i_join_cost_of(nq_i_join_cost *c, const nq_unit *u);
/* Sets *items to the items of a unit, valid until the next call, and writes their expected costs to
 * costs[nq_i_join_items_max()]; returns their number. */
uint32_t nq_i_join_cost_items(
	nq_i_join_cost *c, const nq_unit *u, const nq_i_join_item **items, uint64_t costs[]);

#ifdef __cplusplus
}
#endif
#endif
