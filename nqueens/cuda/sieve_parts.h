/* Entries of parts of two rows: sieve_layout.h. */
#ifndef NQUEENS_CUDA_SIEVE_PARTS_H
#define NQUEENS_CUDA_SIEVE_PARTS_H

#include "nqueens/cuda/sieve_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nq_i_sieve_parts {
	nq_i_sieve_entry *entries;
	uint32_t *at, *count; /* [2^h] rows of a part */
	uint32_t total;
	uint32_t most_entries; /* of all parts of two western quarters */
} nq_i_sieve_parts;

/* The length of the longest list of placements of a set of rows in a set of columns, if it is above
 * 8192, else 8192. */
uint32_t nq_i_sieve_longest_list(uint32_t h);

nq_status nq_i_sieve_parts_create(nq_i_sieve_parts *p, const nq_i_join *t);
void nq_i_sieve_parts_destroy(nq_i_sieve_parts *p);

#ifdef __cplusplus
}
#endif
#endif
