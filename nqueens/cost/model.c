#include "nqueens/cost/model.h"
#include <libsched/sched.h>
#include "nqueens/cost/table.h"
#include "nqueens/join/join.h"

static double entry(const double *table, uint32_t n)
{
	const uint32_t last = n > NQ_JOIN_MAX_N ? NQ_JOIN_MAX_N : n;

	return table[n < COST_TABLE_FROM ? 0 : last - COST_TABLE_FROM];
}

nq_i_cost nq_i_cost_of_n(nq_method method, uint32_t n)
{
	const int join = method == NQ_METHOD_JOIN;
	const nq_i_cost c = { entry(join ? cost_join_cpu_s : cost_backtrack_cpu_s, n),
		entry(join ? cost_join_gpu_s : cost_backtrack_gpu_s, n) };

	return c;
}

nq_i_cost nq_i_cost_of_nodes(nq_method method, double nodes)
{
	const int tasks = method == NQ_METHOD_TASKS;
	const nq_i_cost c = { nodes / (tasks ? COST_TASKS_CPU_NODES_S : COST_BACKTRACK_CPU_NODES_S),
		nodes / (tasks ? COST_TASKS_GPU_NODES_S : COST_BACKTRACK_GPU_NODES_S) };

	return c;
}

double nq_i_cost_gpu_start_s(void)
{
	return COST_GPU_START_S;
}

double nq_i_cost_threads(uint32_t wanted)
{
	return wanted ? wanted : lsched_processor_count();
}

double nq_i_cost_gpus(int device)
{
	const int count = lsched_device_count();
	double sum = 0;

	for (int i = 0; i < count; i++) {
		lsched_device_info info = { .struct_bytes = sizeof(info) };

		if (device != NQ_ALL_DEVICES && i != (device < 0 ? 0 : device))
			continue;
		if (lsched_device_get_info(i, &info) == LSCHED_OK)
			sum += (double)info.sm_count * info.clock_khz * 1e3 / COST_GPU_CLOCKS_S;
	}
	return sum;
}

/* Below NQ_I_JOIN_PAYS_N backtracking ends before the quarter lists are complete. */
static int may_join(const nq_plan_options *o)
{
	return !o->plain && !o->given_count && !o->toroidal && !o->cross &&
	       o->n >= NQ_I_JOIN_PAYS_N && o->n <= NQ_JOIN_MAX_N;
}

nq_method nq_i_choose_method(const nq_plan_options *o)
{
	const nq_i_cost join = nq_i_cost_of_n(NQ_METHOD_JOIN, o->n);
	const nq_i_cost backtrack = nq_i_cost_of_n(NQ_METHOD_BACKTRACK, o->n);
	const double cpu_s = join.cpu_s < backtrack.cpu_s ? join.cpu_s : backtrack.cpu_s;

	if (!may_join(o))
		return NQ_METHOD_BACKTRACK;
	if (o->backend == NQ_BACKEND_CPU ||
		(o->backend == NQ_BACKEND_AUTO &&
			(cpu_s / nq_i_cost_threads(0) < COST_GPU_START_S ||
				nq_i_cost_gpus(0) <= 0)))
		return join.cpu_s < backtrack.cpu_s ? NQ_METHOD_JOIN : NQ_METHOD_BACKTRACK;
	/* the device of the run is not known yet, so all of them have to support the join */
	if (join.gpu_s < backtrack.gpu_s && nq_i_cuda_joins(o->n, NQ_ALL_DEVICES))
		return NQ_METHOD_JOIN;
	return NQ_METHOD_BACKTRACK;
}
