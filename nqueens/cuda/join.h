/* The quadrant join (join/join.h) on a CUDA device.
 *
 * The CPU ors two rows of bits for each western pair and counts. A GPU has a faster way: the
 * western pairs of a split of the columns are all pairs of a NW and a SW placement, so the numbers
 * of eastern patterns that they share no diagonal with are a product of two matrices of bits, NW x
 * patterns and patterns x SW, and tensor cores make such products (mma .b1 .and.popc: 16 x 8 x 256
 * tests an instruction). Pairs that are illegal among themselves are left out of the sum.
 *
 * A block counts an item, a set of rows. It lists the eastern patterns and the western rows that
 * the queens on the middle lines allow, and goes over the patterns in chunks. For a chunk it makes
 * a table in shared memory: for each entry of a part which patterns it shares diagonals with. A
 * matrix row is then one look-up a part, made in the registers where the tensor core wants it.
 * These look-ups bound the speed: a row of bits is read twice and used for as many tests as its
 * list has partners, 40 or so. (On an H200 at n = 20 the first cache with shared memory is 74 %
 * busy.) Sorting the patterns, so that rows that hit what a chunk's patterns have in common can be
 * left out, saved a quarter of the rows at n = 20, and took longer than it saved. */
#ifndef NQUEENS_CUDA_JOIN_H
#define NQUEENS_CUDA_JOIN_H

#include <cuda_runtime_api.h>
#include "nqueens/cuda/join_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- lists, in the device's memory ---- */

typedef struct nq_i_join_memory {
	nq_i_join_lists lists; /* pointers of the device */
	void *owned[16];
	uint32_t owned_count;
	uint32_t most_rows;     /* placements of all lists of a set of rows */
	uint32_t most_patterns; /* of an item, before the test */
} nq_i_join_memory;

/* On the current device. Ends when the lists are made. */
cudaError_t nq_i_join_memory_create(
	nq_i_join_memory *m, const nq_i_join *t, const nq_i_join_parts *parts);
void nq_i_join_memory_destroy(nq_i_join_memory *m);

/* ---- counting ---- */

typedef struct nq_i_join_counter nq_i_join_counter;

/* Memory of the blocks that count. cudaErrorNotSupported: the device has no such tensor cores, or
 * too little shared memory for this n. */
cudaError_t nq_i_join_counter_create(nq_i_join_counter **out, const nq_i_join *t,
	const nq_i_join_parts *parts, const nq_i_join_memory *m);
void nq_i_join_counter_destroy(nq_i_join_counter *c);
uint32_t nq_i_join_counter_warps(const nq_i_join_counter *c);
/* Counts items on a stream: adds to counts[slot]. cursor: a word, zero before. All of the
 * device. */
cudaError_t nq_i_join_count(nq_i_join_counter *c, const nq_i_join_item *items, uint32_t count,
	uint32_t *cursor, unsigned long long *counts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
