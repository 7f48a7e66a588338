/* The third stage as tasks of libsched: a task is a batch of subtrees, which a warp walks.
 *
 * At a batch's end the lanes that are done first wait for the last one. On an H200 that costs 5 %
 * at n = 20 (0.439 s of kernels instead of 0.418) and 13 % at 18, where there are few batches for
 * each warp; batches of 512 cost 12 and 15 %, of 8,192 6 and 114 %. So a counter that all warps
 * share gives subtrees out, unless the run's options want to see a queue do it. */
#ifndef NQUEENS_CUDA_WALK_TASKS_H
#define NQUEENS_CUDA_WALK_TASKS_H

#include "nqueens/cuda/spread.h"

/* LSCHED_CTX. Task k: subtrees k * batch and on, before `end`. */
typedef struct nq_i_walks {
	const uint4 *list; /* two a subtree */
	nq_i_counts *counts;
	uint64_t *found;
	uint32_t end, batch;
} nq_i_walks;

extern "C" const lsched_program nq_i_walk_narrow_cuda_program, nq_i_walk_wide_cuda_program;

#endif
