/* Plans of JOIN: work units and their expected cost. */
#include "nqueens/plan/plan.h"
#include <stdlib.h>
#include "nqueens/join/sieve.h"

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
 * eastern half, if all lists had mean length. From NQ_I_SIEVE_PAYS_N on few pairs remain for a
 * pattern, and most time goes to their rows of bits: a look-up for each two queens. */
static double mean_tests(const nq_i_join *t, const double *mean, uint32_t north, uint32_t south)
{
	const uint32_t other_north = t->h - north, other_south = t->h - south;
	const double east = sets_of(t, north) * mean[north] * mean[south];

	if (t->n >= NQ_I_SIEVE_PAYS_N)
		return east * sets_of(t, north) *
		       (mean[other_north] * ((other_north + 1) / 2) +
			       mean[other_south] * ((other_south + 1) / 2));
	return east * sets_of(t, north) * mean[other_north] * mean[other_south];
}

/* Returns the expected tests of a unit: southern sets x tests of each x crosses. */
static double unit_tests(const nq_i_join *t, const double *mean, const nq_unit *u)
{
	const uint32_t line = nq_i_join_line_of(t, u), part = nq_i_join_part_of(t, u);
	const uint32_t crosses = t->line_at[line + 1] - t->line_at[line];
	const uint32_t north = (uint32_t)__builtin_popcount(u->count);
	uint32_t south = t->h - north, sets = 0;

	if (line == 0) {
		for (uint32_t i = t->size_at[south] + part; i < t->size_at[south + 1];
			i += t->parts)
			sets += t->sets[i] >= u->count;
		return sets * mean_tests(t, mean, north, south);
	}
	if (north == t->h)
		return 0;
	south--;
	/* the queen of the middle column occupies one of h rows */
	return crosses * sets_of(t, south) * (t->h - south) / t->h / t->parts *
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
	p->unit_count = (size_t)p->join->lines * p->join->parts * sets;
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
