#include "nqueens/plan/ledger.h"
#include <math.h>
#include <stdlib.h>
#include "nqueens/core/error.h"
#include "nqueens/plan/plan.h"

nq_status nq_ledger_create(nq_ledger **out, const nq_plan *plan)
{
	nq_ledger *l;

	if (out)
		*out = NULL;
	if (!out || !plan)
		return nq_i_fail(NQ_ERR_ARG, "nq_ledger_create: out or plan is NULL");
	l = (nq_ledger *)calloc(1, sizeof(*l));
	if (!l)
		return nq_i_fail(NQ_ERR_NOMEM, "out of memory for a ledger");
	l->hash = plan->hash;
	l->units = plan->unit_count;
	l->counts = (uint64_t *)calloc(l->units + 1, sizeof(*l->counts));
	l->done = (uint8_t *)calloc(l->units + 1, 1);
	if (!l->counts || !l->done) {
		nq_ledger_destroy(&l);
		return nq_i_fail(
			NQ_ERR_NOMEM, "out of memory for a ledger of %zu units", plan->unit_count);
	}
	*out = l;
	return NQ_OK;
}

void nq_ledger_destroy(nq_ledger **ledger)
{
	if (!ledger || !*ledger)
		return;
	free((*ledger)->counts);
	free((*ledger)->done);
	free(*ledger);
	*ledger = NULL;
}

uint64_t nq_ledger_hash(const nq_ledger *ledger)
{
	return ledger->hash;
}

size_t nq_ledger_units(const nq_ledger *ledger)
{
	return ledger->units;
}

int nq_ledger_done(const nq_ledger *ledger, size_t unit)
{
	return unit < ledger->units && __atomic_load_n(&ledger->done[unit], __ATOMIC_ACQUIRE);
}

size_t nq_ledger_done_count(const nq_ledger *ledger)
{
	size_t n = 0;

	for (size_t i = 0; i < ledger->units; i++)
		n += nq_ledger_done(ledger, i) != 0;
	return n;
}

uint64_t nq_ledger_unit_count(const nq_ledger *ledger, size_t unit)
{
	if (!nq_ledger_done(ledger, unit))
		return 0;
	return __atomic_load_n(&ledger->counts[unit], __ATOMIC_RELAXED);
}

nq_status nq_ledger_set(nq_ledger *ledger, size_t unit, uint64_t count)
{
	if (unit >= ledger->units)
		return nq_i_fail(
			NQ_ERR_ARG, "unit is %zu, but the plan has %zu units", unit, ledger->units);
	if (nq_ledger_done(ledger, unit))
		return nq_i_fail(NQ_ERR_TWICE, "unit %zu is finished already", unit);
	nq_i_ledger_enter(ledger, unit, count);
	return NQ_OK;
}

nq_status nq_ledger_merge(nq_ledger *into, const nq_ledger *from)
{
	if (into->hash != from->hash || into->units != from->units)
		return nq_i_fail(NQ_ERR_FOREIGN, "the ledgers belong to different plans");
	for (size_t i = 0; i < into->units; i++)
		if (nq_ledger_done(into, i) && nq_ledger_done(from, i))
			return nq_i_fail(NQ_ERR_TWICE, "unit %zu is finished in both ledgers", i);
	for (size_t i = 0; i < into->units; i++)
		if (nq_ledger_done(from, i))
			nq_i_ledger_enter(into, i, nq_ledger_unit_count(from, i));
	return NQ_OK;
}

nq_status nq_ledger_total(const nq_ledger *ledger, const nq_plan *plan, nq_count *out)
{
	size_t missing = 0;

	*out = nq_count_of(0);
	if (ledger->hash != plan->hash || ledger->units != plan->unit_count)
		return nq_i_fail(NQ_ERR_FOREIGN, "the ledger belongs to another plan");
	for (size_t i = 0; i < ledger->units; i++) {
		missing += !nq_ledger_done(ledger, i);
		*out = nq_count_add(*out, nq_count_mul(nq_count_of(nq_ledger_unit_count(ledger, i)),
						  plan->units[i].weight));
	}
	return missing ? nq_i_fail(NQ_ERR_MISSING, "%zu of %zu units are not finished", missing,
				 ledger->units)
		       : NQ_OK;
}

/* Sums over the finished units of their counts c and expected costs w. */
typedef struct ratio {
	double n, c, w, cc, cw, ww;
} ratio;

/* The counts of units vary as their costs do: total cost x sum c / sum w (ratio estimator; Cochran
 * 1977, Sampling Techniques, 6.3). */
nq_status nq_ledger_estimate(
	const nq_ledger *ledger, const nq_plan *plan, double *total, double *error)
{
	ratio r = { 0, 0, 0, 0, 0, 0 };
	double work = 0, q, rest;

	if (total)
		*total = 0;
	if (error)
		*error = 0;
	if (!ledger || !plan || !total || !error)
		return nq_i_fail(NQ_ERR_ARG, "nq_ledger_estimate: an argument is NULL");
	if (ledger->hash != plan->hash || ledger->units != plan->unit_count)
		return nq_i_fail(NQ_ERR_FOREIGN, "the ledger belongs to another plan");
	for (size_t i = 0; i < ledger->units; i++) {
		const double w = plan->work[i], u = plan->units[i].weight;
		const double c = u * (double)nq_ledger_unit_count(ledger, i);

		work += w;
		if (!nq_ledger_done(ledger, i))
			continue;
		r.n += 1;
		r.c += c;
		r.w += w;
		r.cc += c * c;
		r.cw += c * w;
		r.ww += w * w;
	}
	if (r.n < 2)
		return nq_i_fail(NQ_ERR_MISSING, "an estimate needs 2 finished units");
	q = r.c / r.w;
	rest = r.cc - 2 * q * r.cw + q * q * r.ww;
	*total = q * work;
	/* finite population: no error if all units are finished */
	if (rest > 0)
		*error = (double)ledger->units *
			 sqrt(rest / (r.n - 1) / r.n * (1 - r.n / (double)ledger->units));
	return NQ_OK;
}
