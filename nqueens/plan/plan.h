/* A plan: the subtrees or sets to count, divided into work units. It is made once and
 * then read only. */
#ifndef NQUEENS_PLAN_PLAN_H
#define NQUEENS_PLAN_PLAN_H

#include <nqueens/nqueens.h>

struct nq_i_join;

struct nq_plan {
	uint32_t n;
	nq_method method;
	uint32_t toroidal;
	nq_task *tasks;
	size_t task_count;
	nq_unit *units;
	size_t unit_count;
	uint32_t *work; /* [unit_count] expected cost; the scale differs between plans */
	uint64_t hash;
	struct nq_i_join *join; /* JOIN: sets, and the lists of quarter placements once filled */
};

/* plan/trees.c: fills in tasks and units of TASKS and BACKTRACK. */
nq_status nq_i_plan_trees(nq_plan *plan, const nq_plan_options *o);

/* plan/join_units.c: fills in units and sets of JOIN. */
nq_status nq_i_plan_join(nq_plan *plan);

#endif
