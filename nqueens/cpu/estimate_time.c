/* Estimate of the CPU time of a plan from a random sample of its units. */
#include <math.h>
#include <nqueens/nqueens.h>
#include "libsched/core/clock.h"
#include "libsched/core/sized.h"
#include "nqueens/core/error.h"
#include "nqueens/core/random.h"
#include "nqueens/cost/model.h"
#include "nqueens/cpu/unit.h"
#include "nqueens/join/join.h"
#include "nqueens/plan/plan.h"

enum { SAMPLE_MAX_N = 20 };

/* Sums over a sample of times t and expected costs w. The estimate is total cost x sum t / sum w
 * (ratio estimator; Cochran 1977, Sampling Techniques, 6.3), because t / w varies less than t. */
typedef struct ratio {
	double count, t, w, tt, tw, ww;
} ratio;

static void ratio_add(ratio *r, double t, double w)
{
	r->count += 1;
	r->t += t;
	r->w += w;
	r->tt += t * t;
	r->tw += t * w;
	r->ww += w * w;
}

/* Returns the standard error of the mean time of a unit. */
static double ratio_error(const ratio *r)
{
	const double q = r->t / r->w;
	const double rest = r->tt - 2 * q * r->tw + q * q * r->ww;

	return rest > 0 ? sqrt(rest / (r->count - 1) / r->count) : 0;
}

static nq_status write_time(nq_time_estimate *out, const nq_time_estimate *e)
{
	return nq_i_write_sized(
		"nq_time_estimate", out, sizeof(*e), LSCHED_I_SIZE_TO(nq_time_estimate, units), e);
}

/* Counts random units for budget_ms, two at least. */
static nq_status sample(
	nq_i_unit_counter *c, uint32_t budget_ms, uint64_t seed, nq_time_estimate *e)
{
	const nq_plan *plan = c->plan;
	const uint64_t begin = lsched_i_clock_ns();
	uint64_t state = seed, last = begin;
	ratio r = { 0, 0, 0, 0, 0, 0 };
	double work = 0;

	for (size_t i = 0; i < plan->unit_count; i++)
		work += plan->work[i];
	do {
		const size_t unit = nq_i_random_below(&state, plan->unit_count);
		uint64_t now, count;
		const nq_status st = nq_i_unit_count(c, unit, &count);

		if (st != NQ_OK)
			return st;
		now = lsched_i_clock_ns();
		ratio_add(&r, (double)(now - last) * 1e-9, plan->work[unit]);
		last = now;
		e->units++;
	} while (e->units < 2 || last - begin < (uint64_t)budget_ms * 1000000u);
	e->cpu_s = r.t / r.w * work;
	e->cpu_s_error = ratio_error(&r) * (double)plan->unit_count;
	return NQ_OK;
}

nq_status nq_estimate_time(
	const nq_plan *plan, nq_simd simd, uint32_t budget_ms, uint64_t seed, nq_time_estimate *out)
{
	nq_time_estimate e = { sizeof(e), 0, 0, 0 };
	nq_i_unit_counter c;
	nq_status st;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "nq_estimate_time: out is NULL");
	st = write_time(out, &e);
	if (st != NQ_OK)
		return st;
	if (!plan)
		return nq_i_fail(NQ_ERR_ARG, "nq_estimate_time: plan is NULL");
	if (!plan->unit_count)
		return NQ_OK;
	if (plan->method == NQ_METHOD_JOIN && plan->n > SAMPLE_MAX_N) {
		/* a unit takes seconds to hours: the table's value, which is an estimate itself */
		e.cpu_s = nq_i_cost_of_n(plan->method, plan->n).cpu_s;
		e.cpu_s_error = e.cpu_s / 2;
		return write_time(out, &e);
	}
	st = nq_i_unit_counter_open(&c, plan, simd);
	if (st == NQ_OK)
		st = sample(&c, budget_ms, seed, &e);
	nq_i_unit_counter_close(&c);
	return st == NQ_OK ? write_time(out, &e) : st;
}
