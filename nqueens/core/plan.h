/* A plan: what there is to count, cut into units. Made once, then only read. */
#ifndef NQUEENS_CORE_PLAN_H
#define NQUEENS_CORE_PLAN_H

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
	uint32_t *work; /* of each unit: its expected cost, in units of its plan */
	uint64_t hash;
	struct nq_i_join *join; /* JOIN: the lists of the quarters */
};

/* A list of subtrees that grows. Returns NQ_OK or NQ_ERR_NOMEM. */
typedef struct nq_i_tasks {
	nq_task *at;
	size_t count, room;
} nq_i_tasks;

nq_status nq_i_tasks_add(nq_i_tasks *l, const nq_task *t);

/* The units of a JOIN plan, and its tables. */
nq_status nq_i_plan_join(nq_plan *plan);

/* One step of a hash over numbers, the same on all machines (splitmix64's finaliser, Steele et al.
 * 2014). */
static inline uint64_t nq_i_mix(uint64_t hash, uint64_t value)
{
	uint64_t z = hash + 0x9e3779b97f4a7c15u + value;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#endif
