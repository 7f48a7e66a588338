/* nq_run_options and nq_result in the caller's version of the structs. */
#ifndef NQUEENS_RUN_OPTIONS_H
#define NQUEENS_RUN_OPTIONS_H

#include <libsched/sched.h>
#include <nqueens/nqueens.h>

/* Copies *from to *o, with defaults for members that the caller's version lacks, and
 * parses o->queue. */
nq_status nq_i_run_options_read(nq_run_options *o, lsched_queue *queue, const nq_run_options *from);

/* The same for the function `name`, which counts items of a JOIN plan in the calling thread or on a
 * device. ERR_ARG: no plan. UNSUPPORTED: another method, or o->simd. */
nq_status nq_i_join_options_read(
	const char *name, nq_run_options *o, const nq_run_options *from, const nq_plan *plan);

nq_status nq_i_result_write(nq_result *to, const nq_result *from);
/* Writes an empty result, so that no result of an earlier call remains; result may be NULL. */
nq_status nq_i_result_clear(nq_result *result);

#endif
