/* The CUDA backend of a build without CUDA. */
#include <stdio.h>
#include "nqueens/cost/model.h"
#include "nqueens/run/backend.h"

int nq_i_cuda_joins(uint32_t n, int device)
{
	(void)n;
	(void)device;
	return 0;
}

static nq_status unsupported(nq_i_sieve_report *report)
{
	snprintf(
		report->message, sizeof(report->message), "this libnqueens was built without CUDA");
	return NQ_ERR_UNSUPPORTED;
}

nq_status nq_i_sieve_open(nq_i_sieve_session **out, const struct nq_i_join *t,
	const nq_run_options *o, nq_i_sieve_report *report)
{
	(void)t;
	(void)o;
	*out = NULL;
	return unsupported(report);
}

nq_status nq_i_sieve_count(nq_i_sieve_session *s, const struct nq_i_sieve_task *tasks,
	uint32_t count, uint64_t *counts, uint32_t slots, nq_i_sieve_report *report)
{
	(void)s;
	(void)tasks;
	(void)count;
	(void)counts;
	(void)slots;
	return unsupported(report);
}

void nq_i_sieve_close(nq_i_sieve_session *s)
{
	(void)s;
}

nq_status nq_i_sieve_cuda(const struct nq_i_join *t, const nq_run_options *o,
	const struct nq_i_sieve_task *tasks, uint32_t count, uint64_t *counts, uint32_t slots,
	nq_i_sieve_report *report)
{
	nq_i_sieve_session *s;

	(void)tasks;
	(void)count;
	(void)counts;
	(void)slots;
	return nq_i_sieve_open(&s, t, o, report);
}

nq_status nq_i_run_cuda(nq_i_run *r)
{
	snprintf(r->result->message, sizeof(r->result->message),
		"this libnqueens was built without CUDA");
	return NQ_ERR_UNSUPPORTED;
}
