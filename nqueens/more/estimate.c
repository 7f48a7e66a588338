/* How large a tree is, and how long it takes, before it is walked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <nqueens/nqueens.h>
#include "libsched/core/sized.h"
#include "nqueens/core/error.h"
#include "nqueens/core/board.h"
#include "nqueens/core/plan.h"
#include "nqueens/core/run.h"
#include "nqueens/cpu/walk.h"
#include "nqueens/join/join.h"

/* Mean and spread of values that come one by one (Welford 1962). */
typedef struct mean {
	double count, mean, squares;
} mean;

static void mean_add(mean *m, double x)
{
	const double off = x - m->mean;

	m->count += 1;
	m->mean += off / m->count;
	m->squares += off * (x - m->mean);
}

/* Of the mean; of one value the value itself. */
static double mean_error(const mean *m)
{
	if (m->count < 2)
		return m->mean;
	return sqrt(m->squares / (m->count - 1) / m->count);
}

/* splitmix64 (Steele et al. 2014) */
static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	return nq_i_mix(*state, 0);
}

static uint64_t below(uint64_t *state, uint64_t n)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((wide)next_random(state) * n >> 64);
}

/* A random one of the free columns. */
static uint32_t pick(uint64_t *state, uint32_t cols, uint32_t count)
{
	for (uint64_t skip = below(state, count); skip; skip--)
		cols &= cols - 1;
	return cols & (0u - cols);
}

/* One descent: each board it meets stands for as many as there were choices on the way. */
static void descend(const nq_plan *p, nq_task t, uint64_t *state, double *nodes, double *solutions)
{
	double weight = 1;

	*nodes = *solutions = 0;
	while (t.rows) {
		const uint32_t row = nq_i_next_row(t.rows, p->n);
		const uint32_t cols =
			p->toroidal ? nq_i_free_toroidal(&t, p->n, row) : nq_i_free(&t, p->n, row);
		const uint32_t count = (uint32_t)__builtin_popcount(cols);

		if (!count)
			return;
		if (t.rows & (t.rows - 1))
			*nodes += weight;
		weight *= count;
		if (p->toroidal)
			nq_i_place_toroidal(&t, p->n, row, pick(state, cols, count));
		else
			nq_i_place(&t, p->n, row, pick(state, cols, count));
	}
	*solutions = weight * t.weight;
}

static nq_status write_nodes(nq_estimate *out, const nq_estimate *e)
{
	return nq_i_write_sized(
		"nq_estimate", out, sizeof(*e), LSCHED_I_SIZE_TO(nq_estimate, solutions_error), e);
}

nq_status nq_estimate_nodes(const nq_plan *plan, uint32_t descents, uint64_t seed, nq_estimate *out)
{
	mean nodes = { 0, 0, 0 }, solutions = { 0, 0, 0 };
	nq_estimate e = { sizeof(e), 0, 0, 0, 0 };
	uint64_t state = seed;
	double tasks;
	nq_status st;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "nq_estimate_nodes: no place for the result");
	st = write_nodes(out, &e);
	if (st != NQ_OK)
		return st;
	if (!plan || !descents)
		return nq_i_fail(NQ_ERR_ARG, "nq_estimate_nodes needs a plan and descents");
	if (!plan->task_count)
		return NQ_OK;
	for (uint32_t i = 0; i < descents; i++) {
		const nq_task *t = &plan->tasks[below(&state, plan->task_count)];
		double n, s;

		descend(plan, *t, &state, &n, &s);
		mean_add(&nodes, n);
		mean_add(&solutions, s);
	}
	tasks = (double)plan->task_count;
	e.nodes = nodes.mean * tasks;
	e.nodes_error = mean_error(&nodes) * tasks;
	e.solutions = solutions.mean * tasks;
	e.solutions_error = mean_error(&solutions) * tasks;
	return write_nodes(out, &e);
}

/* ---- units one by one ---- */

typedef struct counter {
	const nq_plan *plan;
	nq_i_walk *walk;
	nq_i_walk_fn *fn;
	nq_i_joiner *joiner;
} counter;

static void close_counter(counter *c)
{
	free(c->walk);
	nq_i_joiner_destroy(c->joiner);
}

static nq_status open_counter(counter *c, const nq_plan *plan, nq_simd simd)
{
	memset(c, 0, sizeof(*c));
	if ((unsigned)simd > NQ_SIMD_AVX512)
		return nq_i_fail(NQ_ERR_ARG, "unknown instruction set");
	if (!nq_simd_usable(simd))
		return nq_i_fail(NQ_ERR_UNSUPPORTED, "this processor or build has no %s",
			nq_simd_name(simd));
	simd = nq_i_simd_resolve(simd);
	c->plan = plan;
	if (plan->method == NQ_METHOD_JOIN) {
		c->joiner = nq_i_joiner_create(plan->join, simd, NULL);
		return c->joiner ? NQ_OK : nq_i_fail(NQ_ERR_NOMEM, "out of memory for a join");
	}
	c->walk = (nq_i_walk *)aligned_alloc(64, sizeof(*c->walk));
	if (!c->walk)
		return NQ_ERR_NOMEM;
	c->walk->stop = NULL;
	c->walk->nodes = 0;
	c->fn = nq_i_walk_of(simd, plan->toroidal);
	return NQ_OK;
}

static uint64_t count_unit(counter *c, size_t unit)
{
	const nq_unit *u = &c->plan->units[unit];

	if (c->joiner)
		return nq_i_join_unit(c->joiner, u);
	return c->fn(c->walk, c->plan->tasks + u->first, u->count, c->plan->n);
}

nq_status nq_run_unit(
	const nq_plan *plan, size_t unit, nq_simd simd, uint64_t *count, uint64_t *nodes)
{
	counter c;
	nq_status st;

	if (count)
		*count = 0;
	if (nodes)
		*nodes = 0;
	if (!plan || !count || unit >= plan->unit_count)
		return nq_i_fail(NQ_ERR_ARG, "nq_run_unit needs a plan, one of its units and a "
					     "place for the count");
	st = open_counter(&c, plan, simd);
	if (st == NQ_OK)
		*count = count_unit(&c, unit);
	if (st == NQ_OK && nodes && c.walk)
		*nodes = c.walk->nodes;
	close_counter(&c);
	return st;
}

/* Times and expected costs of units: time is taken as costs times a rate (ratio estimator, Cochran 1977,
 * Sampling Techniques, 6.3), for the costs differ more than the rate does. */
typedef struct rate {
	double count, t, w, tt, tw, ww;
} rate;

static void rate_add(rate *r, double t, double w)
{
	r->count += 1;
	r->t += t;
	r->w += w;
	r->tt += t * t;
	r->tw += t * w;
	r->ww += w * w;
}

/* Of a mean unit. */
static double rate_error(const rate *r)
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

nq_status nq_estimate_time(
	const nq_plan *plan, nq_simd simd, uint32_t budget_ms, uint64_t seed, nq_time_estimate *out)
{
	rate r = { 0, 0, 0, 0, 0, 0 };
	uint64_t state = seed, begin, last;
	nq_time_estimate e = { sizeof(e), 0, 0, 0 };
	double work = 0;
	counter c;
	nq_status st;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "nq_estimate_time: no place for the result");
	st = write_time(out, &e);
	if (st != NQ_OK)
		return st;
	if (!plan)
		return nq_i_fail(NQ_ERR_ARG, "nq_estimate_time needs a plan");
	if (!plan->unit_count)
		return NQ_OK;
	for (size_t i = 0; i < plan->unit_count; i++)
		work += plan->work[i];
	st = open_counter(&c, plan, simd);
	if (st == NQ_OK) {
		begin = last = nq_i_now_ns();
		do {
			const size_t unit = below(&state, plan->unit_count);
			uint64_t now;

			count_unit(&c, unit);
			now = nq_i_now_ns();
			rate_add(&r, (double)(now - last) * 1e-9, plan->work[unit]);
			last = now;
			e.units++;
		} while (e.units < 2 || last - begin < (uint64_t)budget_ms * 1000000u);
		e.cpu_s = r.t / r.w * work;
		e.cpu_s_error = rate_error(&r) * (double)plan->unit_count;
	}
	close_counter(&c);
	return st == NQ_OK ? write_time(out, &e) : st;
}
