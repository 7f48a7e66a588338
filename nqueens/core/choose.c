#include "nqueens/core/choose.h"
#include <unistd.h>
#include "nqueens/join/join.h"

/* The model: seconds = start + work / rate, where the work is a table or an estimate of the nodes. CPU figures are of
 * one thread of an x86-64 server with AVX-512, CUDA's of an H200, measured as bench/queens_bench does.
 * Only their relation to each other counts, and it decides wrongly only between things that are close. */
#define CPU_NODES_S      5e8 /* BACKTRACK: boards in a second */
#define CPU_TASK_NODES_S 1.4e7
#define GPU_NODES_S      5.8e11
#define GPU_TASK_NODES_S 5e10
#define GPU_CLOCKS_S     (132 * 1.98e9) /* multiprocessors times clock, for other devices than that */
/* A process's first touch of CUDA: driver, context, memory, kernels loaded. */
#define GPU_START_S 0.3

enum { DESCENTS = 4000, /* some milliseconds */ TABLE_FROM = 14 };

/* JOIN, n = 14 .. NQ_JOIN_MAX_N. At 22 estimated: a device was not done after 45 s. */
static const double join_cpu_s[] = { 0.005, 0.085, 0.06, 1.2, 1.7, 20, 85, 600, 5000 };
static const double join_gpu_s[] = { 0.001, 0.001, 0.001, 0.0046, 0.0096, 0.077, 0.37, 2.8, 60 };
/* BACKTRACK from the empty board, to compare with these; on the CPU from 19 on by nq_estimate_time and the growth. */
static const double backtrack_cpu_s[] = { 0.004, 0.02, 0.13, 0.83, 7.4, 54, 480, 4400, 42000 };
static const double backtrack_gpu_s[] = { 0.0004, 0.0005, 0.0006, 0.002, 0.0077, 0.055, 0.42, 3.4,
	23 };

static double of_table(const double *table, uint32_t n)
{
	return table[n < TABLE_FROM ? 0 : (n > NQ_JOIN_MAX_N ? NQ_JOIN_MAX_N : n) - TABLE_FROM];
}

static double threads(uint32_t wanted)
{
	const long n = wanted ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (double)n : 1;
}

/* Devices that would take part, counted in H200s; 0: there is none. */
static double devices(int device)
{
	const int count = lsched_device_count();
	double sum = 0;

	for (int i = 0; i < count; i++) {
		lsched_device_info info = { .struct_bytes = sizeof(info) };

		if (device != NQ_ALL_DEVICES && i != (device < 0 ? 0 : device))
			continue;
		if (lsched_device_get_info(i, &info) == LSCHED_OK)
			sum += (double)info.sm_count * info.clock_khz * 1e3 / GPU_CLOCKS_S;
	}
	return sum;
}

/* Small boards are done before the lists of the quarters are made. */
static int may_join(const nq_plan_options *o)
{
	return !o->plain && !o->given_count && !o->toroidal && !o->cross &&
	       o->n >= NQ_I_JOIN_PAYS_N && o->n <= NQ_JOIN_MAX_N;
}

nq_method nq_i_choose_method(const nq_plan_options *o)
{
	const double join_s = of_table(join_cpu_s, o->n);
	const double backtrack_s = of_table(backtrack_cpu_s, o->n);
	const double cpu_s = join_s < backtrack_s ? join_s : backtrack_s;

	if (!may_join(o))
		return NQ_METHOD_BACKTRACK;
	if (o->backend == NQ_BACKEND_CPU ||
		(o->backend == NQ_BACKEND_AUTO &&
			(cpu_s / threads(0) < GPU_START_S || devices(0) <= 0)))
		return join_s < backtrack_s ? NQ_METHOD_JOIN : NQ_METHOD_BACKTRACK;
	/* the plan does not know which of them will count */
	if (of_table(join_gpu_s, o->n) < of_table(backtrack_gpu_s, o->n) &&
		nq_i_cuda_joins(o->n, NQ_ALL_DEVICES))
		return NQ_METHOD_JOIN;
	return NQ_METHOD_BACKTRACK;
}

nq_backend nq_i_choose_backend(const nq_i_run *r)
{
	const nq_run_options *o = r->o;
	const nq_plan *p = r->plan;
	double share = 1, cpu_s, gpu_s, h200s;

	if (o->backend != NQ_BACKEND_AUTO)
		return o->backend;
	if (r->work)
		share = (double)(r->work - r->work_before) / (double)r->work;
	if (p->method == NQ_METHOD_JOIN) {
		cpu_s = of_table(join_cpu_s, p->n);
		gpu_s = of_table(join_gpu_s, p->n);
	} else {
		const int tasks = p->method == NQ_METHOD_TASKS;
		nq_estimate e;

		nq_estimate_init(&e);
		if (nq_estimate_nodes(p, DESCENTS, 1, &e) != NQ_OK)
			return NQ_BACKEND_CPU;
		cpu_s = e.nodes / (tasks ? CPU_TASK_NODES_S : CPU_NODES_S);
		gpu_s = e.nodes / (tasks ? GPU_TASK_NODES_S : GPU_NODES_S);
	}
	cpu_s *= share / threads(o->workers);
	if (cpu_s < GPU_START_S)
		return NQ_BACKEND_CPU;
	h200s = devices(o->device);
	if (h200s <= 0 || (p->method == NQ_METHOD_JOIN && !nq_i_cuda_joins(p->n, o->device)))
		return NQ_BACKEND_CPU;
	gpu_s = GPU_START_S + gpu_s * share / h200s;
	return gpu_s < cpu_s ? NQ_BACKEND_CUDA : NQ_BACKEND_CPU;
}
