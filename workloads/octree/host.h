/* The workload `octree` on the host: its options, particles and truth. */
#ifndef WORKLOADS_OCTREE_HOST_H
#define WORKLOADS_OCTREE_HOST_H

#include "workloads/common/workload.h"
#include "workloads/octree/octree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --law. */
enum { OCT_UNIFORM, OCT_PLUMMER, OCT_CLUMPS };

typedef struct octree_options {
	uint64_t n;
	uint32_t bound, seed;
	int law;
} octree_options;

/* A tree by recursion on sorted codes. */
typedef struct oct_truth {
	uint64_t inner, leaves;
	uint64_t moves; /* sum of the particles of the inner cells */
	uint64_t sum;   /* of the cells' hashes */
	uint32_t depth;
} oct_truth;

typedef struct oct_host {
	octree_options o;
	oct_ctx ctx;
	uint64_t *code;   /* of the particles, as the input */
	uint64_t *sorted; /* the same, ascending */
	oct_truth truth;
} oct_host;

/* Quantises a position in the unit cube to 21 bits an axis. Returns 0, or -1 with msg that names
 * the particle: a coordinate is not a number or outside. */
int oct_quantise(uint64_t particle, const double xyz[3], uint64_t *code, char *msg, size_t n);

/* Writes the particles' codes. Returns 0, or -1 with msg. */
int oct_generate(const octree_options *o, uint64_t *code, char *msg, size_t n);

/* Sorts codes, and names with them unless these are NULL, with the help of arrays of the same
 * length; by eight passes of eight bits. */
void oct_radix_sort(uint64_t *code, uint64_t *code2, uint32_t *name, uint32_t *name2, size_t n);

/* Hash of a cell without the numbers of its relatives. */
uint64_t oct_cell_hash(
	uint64_t code, uint32_t first, uint32_t count, uint32_t level, uint32_t octants);

/* Walks the tree of sorted codes. With `cell` writes its cells, up to `room`. */
void oct_walk(const uint64_t *sorted, uint32_t n, uint32_t bound, oct_truth *truth, oct_cell *cell,
	uint32_t room);

/* Compare the result of an execution, in host memory, with the truth. Return 0, or -1 with why. */
int oct_check_cells(const oct_host *h, const oct_cell *cell, uint32_t cells, char *why, size_t n);
int oct_check_particles(const oct_host *h, const oct_cell *cell, uint32_t cells,
	const uint64_t *code, const uint32_t *name, char *why, size_t n);

/* By one CPU thread: radix sort of the codes, and recursion. As wl_work.plain. */
int oct_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

WL_PROGRAM(octree);

/* By kernels: radix sort of the codes, and a launch for each level. As wl_work.plain. */
int oct_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

#ifdef __cplusplus
}
#endif
#endif
