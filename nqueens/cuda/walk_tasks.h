/* The third stage as tasks of libsched: a task is a batch of subtrees, which one warp walks.
 *
 * At the end of a batch idle lanes wait for the last one. On an H200 that takes 5 % more time at n
 * = 20 (0.439 s of kernels instead of 0.418) and 13 % at 18, where there are few batches per warp;
 * batches of 512 take 12 and 15 % more, of 8,192 6 and 114 %. So a counter distributes the subtrees
 * unless nq_run_options.by_queue is set. */
#ifndef NQUEENS_CUDA_WALK_TASKS_H
#define NQUEENS_CUDA_WALK_TASKS_H

#include "nqueens/cuda/spread.h"

/* LSCHED_CTX. Task k: subtrees k * batch .. (k + 1) * batch - 1, below `end`. */
typedef struct nq_i_walks {
	const uint4 *list; /* two a subtree */
	nq_i_counts *counts;
	uint64_t *found;
	uint32_t end, batch;
} nq_i_walks;

extern "C" const lsched_program nq_i_walk_narrow_cuda_program, nq_i_walk_wide_cuda_program;

#endif
