/* Host data of a join on a device: entries of parts, and items of units. */
#ifndef NQUEENS_CUDA_JOIN_PARTS_H
#define NQUEENS_CUDA_JOIN_PARTS_H

#include "nqueens/cuda/join_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nq_i_join_parts {
	nq_i_entry *entries;
	uint32_t *at, *count; /* [2^h] */
	uint32_t total;
	uint32_t *size; /* [2^h] rows: number of entries of all their parts */
} nq_i_join_parts;

nq_status nq_i_join_parts_create(nq_i_join_parts *p, const nq_i_join *t);
void nq_i_join_parts_destroy(nq_i_join_parts *p);

/* Writes the items of a unit, whose counts add up to that of the unit, to
 * to[nq_i_join_items_max()]; returns their number. */
uint32_t nq_i_join_items(const nq_i_join *t, const nq_unit *u, uint32_t slot, nq_i_join_item *to);
uint32_t nq_i_join_items_max(const nq_i_join *t);

#ifdef __cplusplus
}
#endif
#endif
