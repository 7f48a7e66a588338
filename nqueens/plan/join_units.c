/* Plans of JOIN: work units and their expected cost. */
#include "nqueens/plan/plan.h"
#include <stdlib.h>
#include "nqueens/join/cost.h"
#include "nqueens/join/sieve.h"

/* Even boards of 22 queens and more have a few thousand sets of northern rows, whose costs differ
 * most. Their units are parts of these, each of about 1 / parts_of_cost() of the cost: 95 s at n =
 * 28, where none has more than 9/8 of it. Part of the hash of a plan. */
static uint32_t parts_of_cost(uint32_t n)
{
	return n == 22 ? 4096 : n == 24 ? 8192 : n == 26 ? 16384 : 90000;
}

/* Returns the cost of the most expensive part of a set of northern rows. */
static uint64_t largest_part(const nq_i_join *t, nq_i_join_cost *c, uint32_t north)
{
	uint64_t most = 0;

	for (uint32_t part = 0; part < nq_i_join_part_count(t, north); part++) {
		const nq_unit u = { part * t->lines, north, 1 };
		const uint64_t cost = nq_i_join_cost_of(c, &u);

		most = cost > most ? cost : most;
	}
	return most;
}

/* Divides the southern sets of each set of northern rows. */
static nq_status divide(nq_i_join *t, nq_i_join_cost *c)
{
	const uint32_t sets = 1u << t->h;
	uint64_t *costs, sum = 0;
	uint16_t *parts;

	if (t->n < NQ_I_SIEVE_PAYS_N || t->n % 2)
		return NQ_OK;
	costs = (uint64_t *)malloc(sets * sizeof(*costs));
	parts = (uint16_t *)malloc(sets * sizeof(*parts));
	for (uint32_t north = 0; costs && parts && north < sets; north++) {
		const nq_unit all = { 0, north, 1 };

		costs[north] = nq_i_join_cost_of(c, &all);
		sum += costs[north];
	}
	for (uint32_t north = 0; costs && parts && north < sets; north++) {
		parts[north] = (uint16_t)(costs[north] / (sum / parts_of_cost(t->n) + 1) + 1);
	}
	t->parts = parts; /* t owns it, also after an error */
	for (uint32_t north = 0; costs && parts && north < sets; north++) {
		while (t->n == 28 && parts[north] < UINT16_MAX &&
			largest_part(t, c, north) > sum / parts_of_cost(t->n) / 8 * 9)
			parts[north]++;
		if (parts[north] > t->most_parts)
			t->most_parts = parts[north];
	}
	free(costs);
	return costs && parts ? NQ_OK : NQ_ERR_NOMEM;
}

/* Writes the units to p->units, or counts them if it is NULL. */
static void list_units(nq_plan *p)
{
	const nq_i_join *t = p->join;
	const uint32_t sets = 1u << t->h;

	p->unit_count = 0;
	for (uint32_t first = 0; first < t->lines * t->most_parts; first++)
		for (uint32_t north = 0; north < sets; north++) {
			const nq_unit u = { first, north, 1 };

			if (nq_i_join_part_of(t, &u) >= nq_i_join_part_count(t, north) ||
				!nq_i_join_has_items(t, nq_i_join_line_of(t, &u), north))
				continue;
			if (p->units)
				p->units[p->unit_count] = u;
			p->unit_count++;
		}
}

static nq_status estimate_work(nq_plan *p, nq_i_join_cost *c)
{
	const double scale = 1e6; /* work of the most expensive unit */
	uint64_t *costs = (uint64_t *)malloc(p->unit_count * sizeof(*costs)), most = 1;

	p->work = (uint32_t *)malloc(p->unit_count * sizeof(*p->work));
	for (size_t i = 0; costs && i < p->unit_count; i++) {
		costs[i] = nq_i_join_cost_of(c, &p->units[i]);
		most = costs[i] > most ? costs[i] : most;
	}
	for (size_t i = 0; costs && p->work && i < p->unit_count; i++)
		p->work[i] = (uint32_t)(scale * (double)costs[i] / (double)most) + 1;
	free(costs);
	return costs && p->work ? NQ_OK : NQ_ERR_NOMEM;
}

nq_status nq_i_plan_join(nq_plan *p)
{
	nq_status st = nq_i_join_create(&p->join, p->n);
	nq_i_join_cost *c = NULL;

	if (st == NQ_OK)
		st = nq_i_join_cost_create(&c, p->join);
	if (st == NQ_OK)
		st = divide(p->join, c);
	if (st == NQ_OK) {
		list_units(p);
		p->units = (nq_unit *)calloc(p->unit_count, sizeof(*p->units));
		st = p->units ? NQ_OK : NQ_ERR_NOMEM;
	}
	if (st == NQ_OK) {
		list_units(p);
		st = estimate_work(p, c);
	}
	nq_i_join_cost_destroy(c);
	return st;
}
