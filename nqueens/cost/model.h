/* Cost model: the expected seconds of a method on a backend, from the measured values of table.h.
 *	seconds = start + work / rate
 * The choice of method and backend compares the results; it errs only where they are close. */
#ifndef NQUEENS_COST_MODEL_H
#define NQUEENS_COST_MODEL_H

#include <nqueens/nqueens.h>

/* Seconds of all units on one CPU thread and on one reference GPU, without start. */
typedef struct nq_i_cost {
	double cpu_s, gpu_s;
} nq_i_cost;

/* JOIN and BACKTRACK of the empty board; n beyond the table: the nearest entry. */
nq_i_cost nq_i_cost_of_n(nq_method method, uint32_t n);
/* TASKS and BACKTRACK, by the number of nodes. */
nq_i_cost nq_i_cost_of_nodes(nq_method method, double nodes);

/* Returns the speed of `device` (nq_run_options.device) in reference GPUs; 0: there is none. */
double nq_i_cost_gpus(int device);

/* Returns the threads that a run with this option starts: 0 means all processors. */
double nq_i_cost_threads(uint32_t wanted);

/* Returns the start time of a GPU process in seconds. */
double nq_i_cost_gpu_start_s(void);

/* Resolves nq_plan_options.method AUTO. Reads device properties; creates no CUDA context. */
nq_method nq_i_choose_method(const nq_plan_options *o);

/* Returns nonzero if the device (a number, NQ_CURRENT_DEVICE: the first, NQ_ALL_DEVICES: each) can
 * count a join of n queens, n at most NQ_JOIN_MAX_N. Creates no CUDA context. Defined in
 * cuda/run_cuda.c or cuda/none.c. */
int nq_i_cuda_joins(uint32_t n, int device);

#endif
