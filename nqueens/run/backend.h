/* What a backend provides to a run. */
#ifndef NQUEENS_RUN_BACKEND_H
#define NQUEENS_RUN_BACKEND_H

#include "nqueens/run/run.h"

/* Each counts r->todo and records finished units until the list is empty or nq_i_run_stopped()
 * holds; errors go to r->result->message. */
nq_status nq_i_run_cpu(nq_i_run *r);
/* Defined in cuda/run_cuda.c, or cuda/none.c in a build without CUDA. */
nq_status nq_i_run_cuda(nq_i_run *r);

#endif
