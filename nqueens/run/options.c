#include "nqueens/run/options.h"
#include <string.h>
#include "libsched/core/sized.h"
#include "nqueens/core/error.h"

void nq_run_options_init_sized(nq_run_options *o, size_t struct_bytes)
{
	nq_run_options defaults = { .device = NQ_CURRENT_DEVICE };

	memset(o, 0, struct_bytes);
	memcpy(o, &defaults, struct_bytes < sizeof(defaults) ? struct_bytes : sizeof(defaults));
	o->struct_bytes = struct_bytes;
}

nq_status nq_i_run_options_read(nq_run_options *o, lsched_queue *queue, const nq_run_options *from)
{
	nq_status st;

	nq_run_options_init(o);
	*queue = LSCHED_QUEUE_RING;
	if (!from)
		return nq_i_fail(NQ_ERR_ARG, "nq_run: options is NULL");
	st = nq_i_read_sized("nq_run_options", o, sizeof(*o),
		LSCHED_I_SIZE_TO(nq_run_options, progress_ms), from);
	if (st == NQ_OK && o->queue && lsched_queue_parse(o->queue, queue))
		return nq_i_fail(NQ_ERR_ARG, "unknown queue \"%s\"", o->queue);
	return st;
}

nq_status nq_i_join_options_read(
	const char *name, nq_run_options *o, const nq_run_options *from, const nq_plan *plan)
{
	lsched_queue queue;
	const nq_status st = nq_i_run_options_read(o, &queue, from);

	if (st != NQ_OK)
		return st;
	if (!plan)
		return nq_i_fail(NQ_ERR_ARG, "%s: plan is NULL", name);
	if (nq_plan_method(plan) != NQ_METHOD_JOIN)
		return nq_i_fail(NQ_ERR_UNSUPPORTED, "%s needs a plan of method join", name);
	if (!nq_simd_usable(o->simd))
		return nq_i_fail(NQ_ERR_UNSUPPORTED, "this processor or build does not support %s",
			nq_simd_name(o->simd));
	return NQ_OK;
}

nq_status nq_i_result_write(nq_result *to, const nq_result *from)
{
	return nq_i_write_sized(
		"nq_result", to, sizeof(*from), LSCHED_I_SIZE_TO(nq_result, message), from);
}

nq_status nq_i_result_clear(nq_result *result)
{
	nq_result none;

	nq_result_init(&none);
	return result ? nq_i_result_write(result, &none) : NQ_OK;
}
