/* Host data of a join on a device: entries of parts. */
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

#ifdef __cplusplus
}
#endif
#endif
