/* A run on CUDA devices: one host thread per device fetches units from the run's list and counts
 * them, while the thread that called nq_run polls the run. */
#ifndef NQUEENS_CUDA_RUN_CUDA_H
#define NQUEENS_CUDA_RUN_CUDA_H

#include <nqueens/nqueens.h>
#include "nqueens/run/run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nq_i_cuda_share;

/* The state of a device's thread. */
typedef struct nq_i_cuda {
	nq_i_run *run;
	struct nq_i_cuda_share *share;
	int device;            /* a device number; current in the thread */
	uint64_t nodes;        /* visited so far, see nq_i_cuda_add_nodes */
	uint64_t kernel_ns;    /* time in kernels, added to by the method */
	uint32_t workers;      /* used; set by the method */
	lsched_run *to_cancel; /* executing now, or NULL; under share's lock */
	nq_status status;
	char name[256];
	char message[256]; /* of an error */
} nq_i_cuda;

/* Fetches the next units, run->todo[*first] and on. Returns their number, at most `most`; 0: none
 * are left, or the run has stopped. The caller records them with nq_i_run_enter() unless
 * nq_i_run_stopped(). */
uint32_t nq_i_cuda_fetch(nq_i_cuda *d, uint32_t most, uint32_t *first);

/* Returns nonzero if the run has stopped or another device has failed, after which no unit of this
 * one would be of use but those that are complete. */
int nq_i_cuda_stopped(const nq_i_cuda *d);

/* Returns the number of units to fetch at once, 1 .. most: fewer than most when several devices
 * share the last units. */
uint32_t nq_i_cuda_batch_size(const nq_i_cuda *d, uint32_t most);

/* Adds to the nodes that the progress reports. */
static inline void nq_i_cuda_add_nodes(nq_i_cuda *d, uint64_t nodes)
{
	__atomic_fetch_add(&d->nodes, nodes, __ATOMIC_RELAXED);
}

/* Names the execution that a stop of the run cancels. The device's thread calls it after
 * lsched_run_start(), and with NULL after lsched_run_finish(). */
void nq_i_cuda_set_cancel(nq_i_cuda *d, lsched_run *run);

/* Sets the message for nq_result and returns status. */
nq_status nq_i_cuda_error(nq_i_cuda *d, nq_status status, const char *what, const char *why);
/* cuda/device.cu. The same for an error of a join; error: a cudaError_t. */
nq_status nq_i_cuda_join_error(nq_i_cuda *d, int error, const char *what);

/* The methods. Each counts units until nq_i_cuda_fetch() returns 0 and polls nq_i_run_stopped(), in
 * intervals of 50 to 200 ms at most. */
nq_status nq_i_cuda_tasks(nq_i_cuda *d);
nq_status nq_i_cuda_backtrack(nq_i_cuda *d);
nq_status nq_i_cuda_join(nq_i_cuda *d);
nq_status nq_i_cuda_sieve(nq_i_cuda *d); /* join of n from NQ_I_SIEVE_PAYS_N on */
/* Returns nonzero if the device has the instructions and the shared memory for a join of n queens
 * (110 KB per block at n = 20). */
int nq_i_cuda_join_fits(uint32_t n, int device);
int nq_i_cuda_sieve_fits(uint32_t n, int device);
/* BACKTRACK of toroidal boards and of n above NQ_I_WIDE_MAX_N. */
nq_status nq_i_cuda_plain(nq_i_cuda *d);

/* cuda/device.cu. Returns the current device of the calling thread, or -1. */
int nq_i_cuda_current(void);
/* Makes the device current in the calling thread, one of the library, creates its context, and
 * leaves the thread in the relaxed capture mode (libsched/cuda/current.cuh). Returns
 * NULL, or the error text. */
const char *nq_i_cuda_use(int device);

#ifdef __cplusplus
}
#endif
#endif
