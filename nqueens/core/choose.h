/* Which method and which backend are done first: the model of what counting costs. */
#ifndef NQUEENS_CORE_CHOOSE_H
#define NQUEENS_CORE_CHOOSE_H

#include <nqueens/nqueens.h>
#include "nqueens/core/run.h"

/* For nq_plan_options.method AUTO. Asks devices what they can; makes no context. */
nq_method nq_i_choose_method(const nq_plan_options *o);

/* CPU or CUDA for a run's units; the caller's choice if it made one. Looks for a device only if the
 * processors would take longer than a device takes to be ready. */
nq_backend nq_i_choose_backend(const nq_i_run *r);

#endif
