/* What the host makes for a join on a device: entries of parts, and items of units. */
#ifndef NQUEENS_CUDA_JOIN_PARTS_H
#define NQUEENS_CUDA_JOIN_PARTS_H

#include "nqueens/cuda/join_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nq__join_parts {
	nq__entry *entries;
	uint32_t *at, *count; /* [2^h] */
	uint32_t total;
	uint32_t *size; /* [2^h] rows: entries of all their parts */
} nq__join_parts;

nq_status nq__join_parts_create(nq__join_parts *p, const nq__join *t);
void nq__join_parts_destroy(nq__join_parts *p);

/* The items of a unit, which add up to its count; returns how many. to: [nq__join_items_max]. */
uint32_t nq__join_items(const nq__join *t, const nq_unit *u, uint32_t slot, nq__join_item *to);
uint32_t nq__join_items_max(const nq__join *t);

#ifdef __cplusplus
}
#endif
#endif
