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
/* JOIN from NQ__JOIN_PAYS_N on: seconds of one CPU thread (an EPYC with AVX-512) and in an H200's kernels; at 22
 * estimated. Backtracking there takes 0.0077 s at n = 18, 0.055 at 19, 0.42 at 20, 3.4 at 21. */
static const struct {
	double cpu_s, gpu_s;
} join_cost[NQ_JOIN_MAX_N - NQ__JOIN_PAYS_N + 1] = { { 0.064, 0.0007 }, { 1.06, 0.0046 },
	{ 1.7, 0.0096 }, { 20, 0.077 }, { 85, 0.37 }, { 600, 2.8 }, { 5000, 25 } };
enum { JOIN_PAYS_GPU_N = 20 };
/* Descents for an estimate of the nodes: some milliseconds. */
enum { DESCENTS = 4000 };

nq_method nq__choose_method(const nq_plan_options *o)
{
	/* small boards are done before the lists of the quarters are made */
	if (o->plain || o->given_count || o->toroidal || o->cross || o->n < NQ__JOIN_PAYS_N ||
		o->n > NQ_JOIN_MAX_N)
		return NQ_METHOD_BACKTRACK;
	if (o->backend == SCHED_BACKEND_CUDA && o->n < JOIN_PAYS_GPU_N)
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
	if (p->method == NQ_METHOD_JOIN) {
		if (p->n < NQ__JOIN_PAYS_N)
			return SCHED_BACKEND_CPU;
		cpu_s = join_cost[p->n - NQ__JOIN_PAYS_N].cpu_s;
		gpu_s = join_cost[p->n - NQ__JOIN_PAYS_N].gpu_s;
	} else {
		if (nq_estimate_nodes(p, DESCENTS, 1, &e) != NQ_OK)
			return SCHED_BACKEND_CPU;
		cpu_s = e.nodes / (p->method == NQ_METHOD_TASKS ? CPU_TASK_NODES_S : CPU_NODES_S);
		gpu_s = e.nodes / (p->method == NQ_METHOD_TASKS ? GPU_TASK_NODES_S : GPU_NODES_S);
	}
	cpu_s *= share / threads(o);
	if (cpu_s < GPU_START_S)
		return SCHED_BACKEND_CPU;
	n = devices(o);
	if (n < 1)
		return SCHED_BACKEND_CPU;
	gpu_s = GPU_START_S + gpu_s * share / n;
	return gpu_s < cpu_s ? SCHED_BACKEND_CUDA : SCHED_BACKEND_CPU;
}
