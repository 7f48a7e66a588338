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

/* Figures of nq_i_sieve_count, or the message of an error. */
typedef struct nq_i_sieve_report {
	uint64_t kernel_ns, bytes; /* kernel_ns: of this call; bytes: device memory */
	char message[256];
} nq_i_sieve_report;

struct nq_i_join;
struct nq_i_sieve_task;
typedef struct nq_i_sieve_session nq_i_sieve_session;

/* Prepares a device, as *o names it (NQ_ALL_DEVICES: the first), to count items of a join by sorted
 * patterns (join/sieve.h). *o must stay; *o->cancel is polled. *out is NULL if this fails. The
 * thread that opens a session uses and closes it. This and the next three are defined as above. */
nq_status nq_i_sieve_open(nq_i_sieve_session **out, const struct nq_i_join *t,
	const nq_run_options *o, nq_i_sieve_report *report);
/* Counts items and adds their counts to counts[item.slot]. After an error the session can only be
 * closed, after NQ_CANCELLED it can go on. */
nq_status nq_i_sieve_count(nq_i_sieve_session *s, const struct nq_i_sieve_task *tasks,
	uint32_t count, uint64_t *counts, uint32_t slots, nq_i_sieve_report *report);
void nq_i_sieve_close(nq_i_sieve_session *s);
/* The three together. */
nq_status nq_i_sieve_cuda(const struct nq_i_join *t, const nq_run_options *o,
	const struct nq_i_sieve_task *tasks, uint32_t count, uint64_t *counts, uint32_t slots,
	nq_i_sieve_report *report);

#ifdef __cplusplus
}
#endif

#endif
