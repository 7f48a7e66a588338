/* A run on CUDA devices: a host thread a device, which takes units from the run's list and counts
 * them, while the thread that called nq_run looks at the clock, the caller's flag and the
 * progress. */
#ifndef NQUEENS_CUDA_RUN_CUDA_H
#define NQUEENS_CUDA_RUN_CUDA_H

#include <nqueens/nqueens.h>
#include "nqueens/run/run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nq_i_cuda_share;

/* What a device's thread works with. */
typedef struct nq_i_cuda {
	nq_i_run *run;
	struct nq_i_cuda_share *share;
	int device;            /* a number; the thread's current one already */
	uint64_t nodes;        /* so far; by nq_i_cuda_add_nodes */
	uint64_t kernel_ns;    /* time in kernels, added to by the method */
	uint32_t workers;      /* that took part, set by the method */
	lsched_run *to_cancel; /* executing now, or NULL; under share's lock */
	nq_status status;
	char name[256];
	char message[256]; /* of an error */
} nq_i_cuda;

/* The next units to count: run->todo[*first] and those behind it. At most `most`; 0: nothing is
 * left, or the run is to end. Units taken must be entered (nq_i_run_enter) unless
 * nq_i_run_stopped. */
uint32_t nq_i_cuda_take(nq_i_cuda *d, uint32_t most, uint32_t *first);

/* How many units to take when `most` at a time are good for a device: fewer where several devices
 * share the last ones; 1 at least. */
uint32_t nq_i_cuda_portion(const nq_i_cuda *d, uint32_t most);

/* Adds to the nodes that the progress tells of. */
static inline void nq_i_cuda_add_nodes(nq_i_cuda *d, uint64_t nodes)
{
	__atomic_fetch_add(&d->nodes, nodes, __ATOMIC_RELAXED);
}

/* Names the execution that a stop of the run cancels. The device's thread calls it after
 * lsched_run_start(), and with NULL after lsched_run_finish(). */
void nq_i_cuda_set_cancel(nq_i_cuda *d, lsched_run *run);

/* Takes down what went wrong, for nq_result.message. Returns status. */
nq_status nq_i_cuda_error(nq_i_cuda *d, nq_status status, const char *what, const char *why);

/* The methods. Each counts units until nq_i_cuda_take gives none or nq_i_run_stopped, at which it
 * looks every 50 to 200 ms at the latest. */
nq_status nq_i_cuda_tasks(nq_i_cuda *d);
nq_status nq_i_cuda_backtrack(nq_i_cuda *d);
nq_status nq_i_cuda_join(nq_i_cuda *d);
/* Nonzero if the device has the instructions and the shared memory that the join of n queens needs:
 * 20 queens need 110 KB a block, which many a device has not. */
int nq_i_cuda_join_fits(uint32_t n, int device);
/* BACKTRACK where its fast form does not go: toroidal boards and large n. */
nq_status nq_i_cuda_plain(nq_i_cuda *d);

/* cuda/device.cu. The calling thread's current device, or -1. */
int nq_i_cuda_current(void);
/* Makes it the calling thread's, and its context if there is none. NULL, or what is wrong. */
const char *nq_i_cuda_use(int device);

#ifdef __cplusplus
}
#endif
#endif
