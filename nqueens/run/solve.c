/* nq_solve(): plan, ledger and run in one call. */
#include <string.h>
#include "nqueens/core/error.h"
#include "nqueens/run/options.h"

static nq_status solve_plan(
	const nq_plan *plan, const nq_run_options *o, nq_count *out, nq_result *result)
{
	nq_ledger *ledger = NULL;
	nq_status st = nq_ledger_create(&ledger, plan);

	if (st == NQ_OK)
		st = nq_run(plan, ledger, o, result);
	if (st == NQ_OK)
		st = nq_ledger_total(ledger, plan, out);
	nq_ledger_destroy(&ledger);
	return st;
}

static nq_status solve(uint32_t n, const nq_run_options *options, nq_count *out, nq_result *result)
{
	nq_plan_options po;
	nq_run_options o;
	lsched_queue queue;
	nq_plan *plan;
	nq_status st;

	nq_run_options_init(&o);
	st = options ? nq_i_run_options_read(&o, &queue, options) : NQ_OK;
	if (st == NQ_OK && o.parts)
		st = nq_i_fail(NQ_ERR_ARG,
			"nq_solve counts all units, not part %u of %u; use nq_run", o.part,
			o.parts);
	if (st != NQ_OK)
		return st;
	nq_plan_options_init(&po);
	po.n = n;
	po.backend = o.backend;
	st = nq_plan_create(&plan, &po);
	if (st != NQ_OK)
		return st;
	st = solve_plan(plan, &o, out, result);
	nq_plan_destroy(&plan);
	return st;
}

nq_status nq_solve(uint32_t n, const nq_run_options *options, nq_count *out, nq_result *result)
{
	nq_status st;

	if (out)
		*out = nq_count_of(0);
	st = nq_i_result_clear(result);
	if (st != NQ_OK)
		return st;
	st = out ? solve(n, options, out, result) : nq_i_fail(NQ_ERR_ARG, "nq_solve: out is NULL");
	/* covers calls that failed before nq_run(); every version of nq_result has this member */
	if (st < 0 && result)
		memcpy(result->message, nq_last_error(), sizeof(result->message));
	return st;
}
