/* Selection of the backend of a run. */
#ifndef NQUEENS_RUN_CHOOSE_BACKEND_H
#define NQUEENS_RUN_CHOOSE_BACKEND_H

#include <nqueens/nqueens.h>

/* Returns the backend of o, or resolves AUTO. share: 0 .. 1, the part of the plan's work that is
 * left to count. Queries devices only if the CPU would take longer than a GPU takes to start. */
nq_backend nq_i_choose_backend(const nq_plan *p, const nq_run_options *o, double share);

#endif
