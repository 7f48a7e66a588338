/* The state of backtracking on one device. */
#ifndef NQUEENS_CUDA_BACKTRACK_H
#define NQUEENS_CUDA_BACKTRACK_H

#include <cuda_runtime.h>
#include <libsched/sched.h>
#include "nqueens/cuda/run_cuda.h"
#include "nqueens/cuda/spread.h"

enum {
	NQ_I_SUBTREE_ROWS = 9,       /* empty rows of a subtree at most */
	NQ_I_TASKS_ROOM = 1 << 17,   /* tasks that are split together */
	NQ_I_WALK_BATCH = 2048,      /* subtrees of a task under by_queue */
	NQ_I_SUBTREES_ALIGNMENT = 64 /* subtrees_room is a multiple */
};

typedef struct nq_i_backtrack {
	nq_i_cuda *d;
	lsched_ctx *ctx;
	lsched_run *spread;
	lsched_run *walk; /* by_queue */
	cudaStream_t stream;
	cudaEvent_t begin, end;
	nq_task *d_tasks, *h_tasks;
	nq_i_open *d_opens, *d_spare; /* spare: second buffer of the same size */
	nq_i_subtree *d_subtrees;
	uint64_t *d_found, *h_found;
	nq_i_counts *d_counts, *h_counts;
	uint32_t subtrees_room;
	uint32_t opens_room; /* open nodes that the first stage may list */
	uint32_t back_room;  /* further open nodes that cut_kernel may return */
	uint32_t chunk_units, cut_blocks, walk_blocks, walk_bytes;
	uint32_t wide;
} nq_i_backtrack;

#ifdef __cplusplus
extern "C" {
#endif

extern const lsched_program nq_i_spread_items_cuda_program;

/* Records a failed CUDA call; e is not cudaSuccess. */
nq_status nq_i_backtrack_cuda_failed(nq_i_backtrack *b, const char *what, cudaError_t e);
/* message: of libsched; NULL or "": the text of st. */
nq_status nq_i_backtrack_sched_failed(nq_i_backtrack *b, lsched_status st, const char *message);

/* Sizes the lists (back_room and wide are set), then allocates. unmake follows in any case. */
nq_status nq_i_backtrack_make(nq_i_backtrack *b);
void nq_i_backtrack_unmake(nq_i_backtrack *b);

#ifdef __cplusplus
}
#endif

#define BACKTRACK_TRY(b, what, call)                                         \
	do {                                                                 \
		cudaError_t try_e = (call);                                  \
		if (try_e != cudaSuccess)                                    \
			return nq_i_backtrack_cuda_failed((b), what, try_e); \
	} while (0)

#endif
