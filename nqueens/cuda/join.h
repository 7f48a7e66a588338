/* The quadrant join (join/join.h) on a CUDA device.
 *
 * The CPU combines two rows of bits for each western pair by OR and counts. A GPU is faster with
 * matrices: the western pairs of a split of the columns are all pairs of a NW and a SW placement,
 * so the numbers of eastern patterns without a common diagonal are a product of two bit matrices,
 * NW x patterns and patterns x SW. Tensor cores compute it (mma .b1 .and.popc: 16 x 8 x 256 tests
 * per instruction). Incompatible pairs are omitted from the sum.
 *
 * A block counts an item, a set of rows. It lists the eastern patterns and the western rows that
 * the queens on the middle lines allow, and processes the patterns in chunks. For a chunk it fills
 * a table in shared memory: for each entry of a part the patterns without a common diagonal. A
 * matrix row is then one lookup per part, into the registers that the tensor core reads. These
 * lookups bound the speed: a row of bits is read twice and used for about 40 tests, the length of
 * the other list. (H200, n = 20: the L1 cache with the shared memory is 74 % busy.) Sorting the
 * patterns, so that rows that attack all patterns of a chunk can be omitted, saved a quarter of the
 * rows at n = 20, but took longer than it saved. */
#ifndef NQUEENS_CUDA_JOIN_H
#define NQUEENS_CUDA_JOIN_H

#include <cuda_runtime_api.h>
#include "nqueens/cuda/join_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- lists in device memory ---- */

typedef struct nq_i_join_memory {
	nq_i_join_lists lists; /* device pointers */
	void *owned[16];
	uint32_t owned_count;
	uint32_t most_rows;     /* bound: placements of all lists of a set of rows */
	uint32_t most_patterns; /* bound: eastern pairs of an item, compatible or not */
} nq_i_join_memory;

/* Makes the lists on the current device and waits for them. */
cudaError_t nq_i_join_memory_create(
	nq_i_join_memory *m, const nq_i_join *t, const nq_i_join_parts *parts);
void nq_i_join_memory_destroy(nq_i_join_memory *m);

/* ---- counting ---- */

typedef struct nq_i_join_counter nq_i_join_counter;

/* Allocates the memory of the blocks. cudaErrorNotSupported: the device lacks these tensor cores,
 * or has too little shared memory for this n. */
cudaError_t nq_i_join_counter_create(nq_i_join_counter **out, const nq_i_join *t,
	const nq_i_join_parts *parts, const nq_i_join_memory *m);
void nq_i_join_counter_destroy(nq_i_join_counter *c);
uint32_t nq_i_join_counter_warps(const nq_i_join_counter *c);
/* Starts counting items on a stream, which adds to counts[slot]. All pointers are device pointers;
 * *cursor is zero. */
cudaError_t nq_i_join_count(nq_i_join_counter *c, const nq_i_join_item *items, uint32_t count,
	uint32_t *cursor, unsigned long long *counts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
