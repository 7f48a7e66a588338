/* Plans: options, hash, accessors. */
#include "libsched/core/sized.h"
#include "nqueens/core/error.h"
#include "nqueens/plan/plan.h"
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/board.h"
#include "nqueens/cost/model.h"
#include "nqueens/core/random.h"
#include "nqueens/plan/cross.h"
#include "nqueens/join/join.h"

/* Part of the hash, as all units are: raise it when a unit gets another meaning. */
enum { PLAN_VERSION = 1 };

void nq_plan_options_init_sized(nq_plan_options *o, size_t struct_bytes)
{
	memset(o, 0, struct_bytes);
	o->struct_bytes = struct_bytes;
}

static nq_status check_given(const nq_plan_options *o)
{
	if (!o->given)
		return nq_i_fail(
			NQ_ERR_ARG, "given_count is %zu, but given is NULL", o->given_count);
	if (o->toroidal)
		return nq_i_fail(NQ_ERR_ARG, "given queens cannot be combined with toroidal");
	for (size_t i = 0; i < o->given_count; i++)
		if (o->given[i].row >= o->n || o->given[i].col >= o->n)
			return nq_i_fail(NQ_ERR_ARG,
				"given queen %zu is in row %u, column %u; both must be below n = "
				"%u",
				i, o->given[i].row, o->given[i].col, o->n);
	return NQ_OK;
}

static nq_status check(const nq_plan_options *o)
{
	const int own_root = o->plain || o->given_count || o->toroidal;
	nq_status st;

	if (o->n < 1 || o->n > NQ_MAX_N)
		return nq_i_fail(NQ_ERR_ARG, "n is %u; it must be 1 to %d", o->n, NQ_MAX_N);
	if (o->min_tasks > NQ_MIN_TASKS_MAX)
		return nq_i_fail(NQ_ERR_ARG, "min_tasks is %u; it must be at most %u", o->min_tasks,
			NQ_MIN_TASKS_MAX);
	if ((unsigned)o->method > NQ_METHOD_JOIN || (unsigned)o->backend > NQ_BACKEND_CUDA)
		return nq_i_fail(NQ_ERR_ARG, "unknown method or backend");
	if (o->cross && (o->cross > NQ_I_CROSS_MAX || o->cross > o->n || (o->n - o->cross) % 2))
		return nq_i_fail(NQ_ERR_ARG,
			"cross is %u; it must be at most %d and as even or odd as n = %u", o->cross,
			NQ_I_CROSS_MAX, o->n);
	if (o->cross && own_root)
		return nq_i_fail(NQ_ERR_ARG,
			"cross cannot be combined with plain, given queens or toroidal");
	st = o->given_count ? check_given(o) : NQ_OK;
	if (st != NQ_OK)
		return st;
	if (o->method == NQ_METHOD_JOIN &&
		(own_root || o->cross || o->n < NQ_I_JOIN_MIN_N || o->n > NQ_JOIN_MAX_N))
		return nq_i_fail(NQ_ERR_UNSUPPORTED,
			"method join supports %d to %d queens, without plain, cross, given queens "
			"and toroidal",
			NQ_I_JOIN_MIN_N, NQ_JOIN_MAX_N);
	if (o->method == NQ_METHOD_TASKS && o->toroidal)
		return nq_i_fail(
			NQ_ERR_UNSUPPORTED, "method tasks cannot be combined with toroidal");
	return NQ_OK;
}

static uint64_t hash_of(const nq_plan *p)
{
	uint64_t h = nq_i_mix(PLAN_VERSION, p->n);

	/* TASKS and BACKTRACK have the same units: either may continue a ledger of the other */
	h = nq_i_mix(h, p->method == NQ_METHOD_JOIN);
	h = nq_i_mix(h, p->toroidal);
	for (size_t i = 0; i < p->task_count; i++) {
		const nq_task *t = &p->tasks[i];

		h = nq_i_mix(h, t->d1);
		h = nq_i_mix(h, t->d2);
		h = nq_i_mix(h, (uint64_t)t->rows << 32 | t->cols);
	}
	for (size_t i = 0; i < p->unit_count; i++) {
		const nq_unit *u = &p->units[i];

		h = nq_i_mix(h, (uint64_t)u->first << 32 | u->count);
		h = nq_i_mix(h, u->weight);
	}
	return h;
}

nq_status nq_plan_create(nq_plan **out, const nq_plan_options *options)
{
	nq_plan_options known, *const o = &known;
	nq_plan *p;
	nq_status st;

	if (out)
		*out = NULL;
	if (!out || !options)
		return nq_i_fail(NQ_ERR_ARG, "nq_plan_create: out or options is NULL");
	nq_plan_options_init(o);
	st = nq_i_read_sized("nq_plan_options", o, sizeof(*o),
		LSCHED_I_SIZE_TO(nq_plan_options, given_count), options);
	if (st == NQ_OK)
		st = check(o);
	if (st != NQ_OK)
		return st;
	p = (nq_plan *)calloc(1, sizeof(*p));
	if (!p)
		return nq_i_fail(NQ_ERR_NOMEM, "out of memory for a plan");
	p->n = o->n;
	p->toroidal = o->toroidal != 0;
	p->method = o->method == NQ_METHOD_AUTO ? nq_i_choose_method(o) : o->method;
	st = p->method == NQ_METHOD_JOIN ? nq_i_plan_join(p) : nq_i_plan_trees(p, o);
	if (st != NQ_OK) {
		nq_plan_destroy(&p);
		return nq_i_fail(st, "a plan of %u queens: %s", o->n, nq_strstatus(st));
	}
	p->hash = hash_of(p);
	*out = p;
	return NQ_OK;
}

void nq_plan_destroy(nq_plan **plan)
{
	if (!plan || !*plan)
		return;
	nq_i_join_destroy((*plan)->join);
	free((*plan)->tasks);
	free((*plan)->units);
	free((*plan)->work);
	free(*plan);
	*plan = NULL;
}

uint32_t nq_plan_n(const nq_plan *plan)
{
	return plan->n;
}

nq_method nq_plan_method(const nq_plan *plan)
{
	return plan->method;
}

uint64_t nq_plan_hash(const nq_plan *plan)
{
	return plan->hash;
}

size_t nq_plan_units(const nq_plan *plan, const nq_unit **units)
{
	if (units)
		*units = plan->units;
	return plan->unit_count;
}

size_t nq_plan_tasks(const nq_plan *plan, const nq_task **tasks)
{
	if (tasks)
		*tasks = plan->tasks;
	return plan->task_count;
}
