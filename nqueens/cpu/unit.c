#include "nqueens/cpu/unit.h"
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/error.h"
#include "nqueens/core/simd.h"
#include "nqueens/join/sieve.h"
#include "nqueens/plan/plan.h"

static nq_status open_joiner(nq_i_unit_counter *c, nq_simd simd)
{
	nq_status st;

	if (c->plan->n > NQ_I_JOIN_FILL_MAX_N) {
		st = nq_i_siever_create(&c->siever, c->plan->join, simd, NULL);
		return st == NQ_OK ? NQ_OK : nq_i_fail(st, "out of memory for a join");
	}
	st = nq_i_join_fill(c->plan->join, NULL, NULL);
	if (st == NQ_OK)
		st = nq_i_joiner_create(&c->joiner, c->plan->join, simd, NULL);
	return st == NQ_OK ? NQ_OK : nq_i_fail(st, "out of memory for a join");
}

nq_status nq_i_unit_counter_open(nq_i_unit_counter *c, const nq_plan *plan, nq_simd simd)
{
	memset(c, 0, sizeof(*c));
	if ((unsigned)simd > NQ_SIMD_AVX512)
		return nq_i_fail(NQ_ERR_ARG, "unknown instruction set");
	if (!nq_simd_usable(simd))
		return nq_i_fail(NQ_ERR_UNSUPPORTED, "this processor or build does not support %s",
			nq_simd_name(simd));
	simd = nq_i_simd_resolve(simd);
	c->plan = plan;
	if (plan->method == NQ_METHOD_JOIN)
		return open_joiner(c, simd);
	c->walk = (nq_i_walk *)aligned_alloc(64, sizeof(*c->walk));
	if (!c->walk)
		return nq_i_fail(NQ_ERR_NOMEM, "out of memory for backtracking");
	c->walk->stop = NULL;
	c->walk->nodes = 0;
	c->fn = nq_i_walk_of(simd, plan->toroidal);
	return NQ_OK;
}

void nq_i_unit_counter_close(nq_i_unit_counter *c)
{
	free(c->walk);
	nq_i_joiner_destroy(c->joiner);
	nq_i_siever_destroy(c->siever);
}

nq_status nq_i_unit_count(nq_i_unit_counter *c, size_t unit, uint64_t *count)
{
	const nq_unit *u = &c->plan->units[unit];

	if (c->siever) {
		if (nq_i_sieve_unit(c->siever, u, count) != NQ_OK)
			return nq_i_fail(NQ_ERR_NOMEM, "out of memory for a join");
		return NQ_OK;
	}
	*count = c->joiner ? nq_i_join_unit(c->joiner, u)
			   : c->fn(c->walk, c->plan->tasks + u->first, u->count, c->plan->n);
	return NQ_OK;
}

nq_status nq_run_unit(
	const nq_plan *plan, size_t unit, nq_simd simd, uint64_t *count, uint64_t *nodes)
{
	nq_i_unit_counter c;
	nq_status st;

	if (count)
		*count = 0;
	if (nodes)
		*nodes = 0;
	if (!plan || !count)
		return nq_i_fail(NQ_ERR_ARG, "nq_run_unit: plan or count is NULL");
	if (unit >= plan->unit_count)
		return nq_i_fail(NQ_ERR_ARG, "nq_run_unit: unit is %zu, but the plan has %zu units",
			unit, plan->unit_count);
	st = nq_i_unit_counter_open(&c, plan, simd);
	if (st == NQ_OK)
		st = nq_i_unit_count(&c, unit, count);
	if (st == NQ_OK && nodes && c.walk)
		*nodes = c.walk->nodes;
	nq_i_unit_counter_close(&c);
	return st;
}
