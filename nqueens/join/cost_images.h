/* Shares of patterns and western placements that remain when images.h chooses the boards. */
#ifndef NQUEENS_JOIN_COST_IMAGES_H
#define NQUEENS_JOIN_COST_IMAGES_H

#include "nqueens/join/items.h"

typedef struct nq_i_cost_images nq_i_cost_images;

/* east, west: those of cost.c, of sets of rows. By the reflections at the diagonals they hold for
 * sets of columns, too. */
nq_status nq_i_cost_images_create(
	nq_i_cost_images **out, const nq_i_join *t, const double *east, const double *west);
void nq_i_cost_images_destroy(nq_i_cost_images *c);

/* Returns the share of the patterns of all images that are those of the item. */
double nq_i_cost_images_east(const nq_i_cost_images *c, const nq_i_join_item *item);

/* The shares of the placements of NW and SW that the item counts. */
typedef struct nq_i_cost_west {
	double nw, sw;
} nq_i_cost_west;

nq_i_cost_west nq_i_cost_images_west(const nq_i_cost_images *c, const nq_i_join_item *item);

#endif
