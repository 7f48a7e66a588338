#include "nqueens/core/choose.h"
#include <unistd.h>
#include "nqueens/join/join.h"

/* Where the figures are from: CPU on one thread of an Emerald Rapids Xeon with AVX-512, CUDA on an H200,
 * as bench/queens_bench prints them. Only their relation to each other counts, and it decides between
 * things that are close where it decides wrongly. */
#define CPU_NODES_S      2.5e8 /* BACKTRACK: boards a thread looks at in a second */
#define CPU_TASK_NODES_S 2.5e7
#define GPU_NODES_S      5e11
#define GPU_TASK_NODES_S 2e9
/* A process's first touch of CUDA: driver, context, memory, kernels loaded. */
#define GPU_START_S 0.3
/* Descents for an estimate of the nodes: some milliseconds. */
enum { DESCENTS = 4000 };

nq_method nq__choose_method(const nq_plan_options *o)
{
	/* small boards are done before the lists of the quarters are made */
	if (o->plain || o->given_count || o->toroidal || o->cross || o->n < NQ__JOIN_PAYS_N ||
		o->n > NQ_JOIN_MAX_N)
		return NQ_METHOD_BACKTRACK;
	if (o->backend == SCHED_BACKEND_CUDA)
		return NQ_METHOD_BACKTRACK;
	return NQ_METHOD_JOIN;
}

static double threads(const nq_run_options *o)
{
	const long n = o->workers ? (long)o->workers : sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (double)n : 1;
}

static double devices(const nq_run_options *o)
{
	const int n = sched_device_count();

	return n > 0 && o->device != NQ_ALL_DEVICES ? 1 : n;
}

sched_backend nq__choose_backend(const nq__run *r)
{
	const nq_run_options *o = r->o;
	const nq_plan *p = r->plan;
	double share = 1, cpu_s, gpu_s, n;
	nq_estimate e;

	if (o->backend != SCHED_BACKEND_AUTO)
		return o->backend;
	/* the expected cost, which nobody has to know exactly: units done are cheaper than the rest */
	if (r->work)
		share = (double)(r->work - r->work_before) / (double)r->work;
	if (p->method == NQ_METHOD_JOIN || nq_estimate_nodes(p, DESCENTS, 1, &e) != NQ_OK)
		return SCHED_BACKEND_CPU;
	cpu_s = share * e.nodes / threads(o) /
		(p->method == NQ_METHOD_TASKS ? CPU_TASK_NODES_S : CPU_NODES_S);
	if (cpu_s < GPU_START_S)
		return SCHED_BACKEND_CPU;
	n = devices(o);
	if (n < 1)
		return SCHED_BACKEND_CPU;
	gpu_s = GPU_START_S +
		share * e.nodes / n /
			(p->method == NQ_METHOD_TASKS ? GPU_TASK_NODES_S : GPU_NODES_S);
	return gpu_s < cpu_s ? SCHED_BACKEND_CUDA : SCHED_BACKEND_CPU;
}
