/* What a backend provides to a run. */
#ifndef NQUEENS_RUN_BACKEND_H
#define NQUEENS_RUN_BACKEND_H

#include "nqueens/run/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each counts r->todo and records finished units until the list is empty or nq_i_run_stopped()
 * holds; errors go to r->result->message. */
nq_status nq_i_run_cpu(nq_i_run *r);
/* Defined in cuda/run_cuda.c, or cuda/none.c in a build without CUDA. */
nq_status nq_i_run_cuda(nq_i_run *r);

/* Figures of nq_i_sieve_cuda, or the message of its error. */
typedef struct nq_i_sieve_report {
	uint64_t kernel_ns, bytes; /* bytes: device memory */
	char message[256];
} nq_i_sieve_report;

/* Counts items of a join by sorted patterns (join/sieve.h) on a device, as nq_run_options names it
 * (NQ_ALL_DEVICES: the first), and adds their counts to counts[item.slot]. Defined as above. */
struct nq_i_join;
struct nq_i_sieve_task;
nq_status nq_i_sieve_cuda(const struct nq_i_join *t, const nq_run_options *o,
	const struct nq_i_sieve_task *tasks, uint32_t count, uint64_t *counts, uint32_t slots,
	nq_i_sieve_report *report);

#ifdef __cplusplus
}
#endif

#endif
