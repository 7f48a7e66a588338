/* Plans of JOIN: work units and their expected cost. */
#include "nqueens/plan/plan.h"
#include <stdlib.h>
#include "nqueens/join/join.h"

/* Computes the mean length of the lists by the size of their sets. */
static void mean_lengths(const nq_i_join *t, double *mean)
{
	for (uint32_t k = 0; k <= t->h; k++) {
		const double sets = t->size_at[k + 1] - t->size_at[k];

		mean[k] = nq_i_join_placements(t->h, k) / sets / sets;
	}
}

static double sets_of(const nq_i_join *t, uint32_t size)
{
	return t->size_at[size + 1] - t->size_at[size];
}

/* Returns patterns times western pairs of one set of rows with `north` and `south` rows in the
 * eastern half, if all lists had mean length. */
static double mean_tests(const nq_i_join *t, const double *mean, uint32_t north, uint32_t south)
{
	const double east = sets_of(t, north) * mean[north] * mean[south];
	const double west = sets_of(t, north) * mean[t->h - north] * mean[t->h - south];

	return east * west;
}

/* Returns the expected tests of a unit: southern sets x tests of each x crosses. */
static double unit_tests(const nq_i_join *t, const double *mean, const nq_unit *u)
{
	const uint32_t crosses = t->line_at[u->first + 1] - t->line_at[u->first];
	const uint32_t north = (uint32_t)__builtin_popcount(u->count);
	uint32_t south = t->h - north, sets = 0;

	if (u->first == 0) {
		for (uint32_t i = t->size_at[south]; i < t->size_at[south + 1]; i++)
			sets += t->sets[i] >= u->count;
		return sets * mean_tests(t, mean, north, south);
	}
	if (north == t->h)
		return 0;
	south--;
	/* the queen of the middle column occupies one of h rows */
	return crosses * sets_of(t, south) * (t->h - south) / t->h *
	       mean_tests(t, mean, north, south);
}

static nq_status estimate_work(nq_plan *p)
{
	const double scale = 1e6; /* work of the most expensive unit */
	double mean[NQ_I_JOIN_HALF_MAX + 1], most = 1;

	p->work = (uint32_t *)malloc(p->unit_count * sizeof(*p->work));
	if (!p->work)
		return NQ_ERR_NOMEM;
	mean_lengths(p->join, mean);
	for (size_t i = 0; i < p->unit_count; i++) {
		const double tests = unit_tests(p->join, mean, &p->units[i]);

		most = tests > most ? tests : most;
	}
	for (size_t i = 0; i < p->unit_count; i++)
		p->work[i] = (uint32_t)(scale * unit_tests(p->join, mean, &p->units[i]) / most) + 1;
	return NQ_OK;
}

nq_status nq_i_plan_join(nq_plan *p)
{
	const nq_status st = nq_i_join_create(&p->join, p->n);
	uint32_t sets;

	if (st != NQ_OK)
		return st;
	sets = 1u << p->join->h;
	p->unit_count = (size_t)p->join->lines * sets;
	p->units = (nq_unit *)calloc(p->unit_count, sizeof(*p->units));
	if (!p->units)
		return NQ_ERR_NOMEM;
	for (size_t i = 0; i < p->unit_count; i++) {
		p->units[i].first = (uint32_t)(i / sets);
		p->units[i].count = (uint32_t)(i % sets);
		p->units[i].weight = 1;
	}
	return estimate_work(p);
}
