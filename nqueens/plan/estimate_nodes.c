/* Estimate of the nodes and solutions of a plan by random descents (Knuth 1975, Estimating the
 * efficiency of backtrack programs). */
#include <math.h>
#include <nqueens/nqueens.h>
#include "libsched/core/sized.h"
#include "nqueens/core/board.h"
#include "nqueens/core/error.h"
#include "nqueens/core/random.h"
#include "nqueens/plan/plan.h"

/* Mean and variance of a sequence (Welford 1962). */
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

/* Returns the standard error of the mean; of one value the value itself. */
static double mean_error(const mean *m)
{
	if (m->count < 2)
		return m->mean;
	return sqrt(m->squares / (m->count - 1) / m->count);
}

/* Returns the bit of a random free column; count: the bits of cols. */
static uint32_t pick(uint64_t *state, uint32_t cols, uint32_t count)
{
	for (uint64_t skip = nq_i_random_below(state, count); skip; skip--)
		cols &= cols - 1;
	return cols & (0u - cols);
}

/* One random descent: a node counts as many times as the product of the branching
 * factors above it. */
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
		return nq_i_fail(NQ_ERR_ARG, "nq_estimate_nodes: out is NULL");
	st = write_nodes(out, &e);
	if (st != NQ_OK)
		return st;
	if (!plan || !descents)
		return nq_i_fail(NQ_ERR_ARG, "nq_estimate_nodes: plan is NULL or descents is 0");
	if (!plan->task_count)
		return NQ_OK;
	for (uint32_t i = 0; i < descents; i++) {
		const nq_task *t = &plan->tasks[nq_i_random_below(&state, plan->task_count)];
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
