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

nq_status nq_i_run_cuda(nq_i_run *r)
{
	snprintf(r->result->message, sizeof(r->result->message),
		"this libnqueens was built without CUDA");
	return NQ_ERR_UNSUPPORTED;
}
