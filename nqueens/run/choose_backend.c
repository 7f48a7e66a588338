#include "nqueens/run/choose_backend.h"
#include "nqueens/cost/model.h"
#include "nqueens/plan/plan.h"

enum { DESCENTS = 4000 }; /* some milliseconds */

nq_backend nq_i_choose_backend(const nq_plan *p, const nq_run_options *o, double share)
{
	nq_i_cost cost;
	double cpu_s, gpu_s, gpus;

	if (o->backend != NQ_BACKEND_AUTO)
		return o->backend;
	if (p->method == NQ_METHOD_JOIN) {
		cost = nq_i_cost_of_n(p->method, p->n);
	} else {
		nq_estimate e;

		nq_estimate_init(&e);
		if (nq_estimate_nodes(p, DESCENTS, 1, &e) != NQ_OK)
			return NQ_BACKEND_CPU;
		cost = nq_i_cost_of_nodes(p->method, e.nodes);
	}
	cpu_s = cost.cpu_s * share / nq_i_cost_threads(o->workers);
	if (cpu_s < nq_i_cost_gpu_start_s())
		return NQ_BACKEND_CPU;
	gpus = nq_i_cost_gpus(o->device);
	if (gpus <= 0 || (p->method == NQ_METHOD_JOIN && !nq_i_cuda_joins(p->n, o->device)))
		return NQ_BACKEND_CPU;
	gpu_s = nq_i_cost_gpu_start_s() + cost.gpu_s * share / gpus;
	return gpu_s < cpu_s ? NQ_BACKEND_CUDA : NQ_BACKEND_CPU;
}
