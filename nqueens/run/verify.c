/* nq_verify_join(): random parts of units of a join, counted again by backtracking. */
#include <stdio.h>
#include <stdlib.h>
#include "libsched/core/sized.h"
#include "nqueens/core/error.h"
#include "nqueens/core/random.h"
#include "nqueens/core/simd.h"
#include "nqueens/join/sieve.h"
#include "nqueens/run/backend.h"
#include "nqueens/run/options.h"

/* Rows without a given queen: backtracking of one sample takes less than a second. */
enum { FREE_ROWS = 20, TRIES = 1000 };

typedef struct verification {
	const nq_plan *plan;
	const nq_run_options *o;
	nq_i_sieve_task *tasks; /* [samples] */
	uint64_t *counts;       /* [samples] */
	nq_i_join_item *items;  /* of a unit */
	nq_verification *out;
} verification;

/* Selects a random item of a random unit with random queens. Returns 0 if it finds none. */
static int choose(const verification *v, uint64_t *random, uint32_t slot, nq_i_sieve_task *task)
{
	const nq_i_join *t = v->plan->join;
	const uint32_t lines = t->n % 2 ? 2 : 0, rows = t->n - lines;

	for (uint32_t i = 0; i < TRIES; i++) {
		const size_t unit = nq_i_random_below(random, v->plan->unit_count);
		const uint32_t n = nq_i_join_items(t, &v->plan->units[unit], slot, v->items);

		if (!n)
			continue;
		task->item = v->items[nq_i_random_below(random, n)];
		if (nq_i_item_give(t, &task->item, rows > FREE_ROWS ? rows - FREE_ROWS : 0, random,
			    &task->given))
			return 1;
	}
	return 0;
}

static nq_status join_on_cpu(const verification *v, uint32_t samples)
{
	nq_i_siever *s;
	nq_status st = nq_i_siever_create(
		&s, v->plan->join, nq_i_simd_resolve(v->o->simd), (const int *)v->o->cancel);

	for (uint32_t i = 0; i < samples && st == NQ_OK; i++) {
		if (v->o->cancel && *v->o->cancel)
			st = NQ_CANCELLED;
		else
			st = nq_i_sieve_item(
				s, &v->tasks[i].item, &v->tasks[i].given, &v->counts[i]);
	}
	nq_i_siever_destroy(s);
	return st;
}

static void compare(const verification *v, uint32_t sample)
{
	const nq_i_sieve_task *task = &v->tasks[sample];
	const uint64_t count = nq_i_item_walk(v->plan->join, &task->item, &task->given);

	v->out->samples++;
	v->out->with_solutions += count != 0;
	v->out->solutions = nq_count_add(v->out->solutions, nq_count_of(count));
	if (count == v->counts[sample] || v->out->wrong++)
		return;
	snprintf(v->out->message, sizeof(v->out->message),
		"line %u, northern rows 0x%x, southern rows 0x%x: the join counted %llu, "
		"backtracking %llu",
		task->item.line, task->item.north, task->item.south,
		(unsigned long long)v->counts[sample], (unsigned long long)count);
}

static nq_status verify(verification *v, uint32_t samples, uint64_t seed)
{
	nq_i_sieve_report report = { 0, 0, "" };
	nq_status st = NQ_OK;

	for (uint32_t i = 0; i < samples; i++)
		if (!choose(v, &seed, i, &v->tasks[i]))
			return nq_i_fail(NQ_ERR_UNSUPPORTED, "no sample found on this board");
	if (v->o->backend == NQ_BACKEND_CUDA) {
		st = nq_i_sieve_cuda(
			v->plan->join, v->o, v->tasks, samples, v->counts, samples, &report);
		snprintf(v->out->message, sizeof(v->out->message), "%s", report.message);
	} else {
		st = join_on_cpu(v, samples);
	}
	for (uint32_t i = 0; i < samples && st == NQ_OK; i++) {
		if (v->o->cancel && *v->o->cancel)
			return NQ_CANCELLED;
		compare(v, i);
	}
	return st;
}

static nq_status write_result(nq_verification *to, const nq_verification *from)
{
	return nq_i_write_sized("nq_verification", to, sizeof(*from),
		LSCHED_I_SIZE_TO(nq_verification, message), from);
}

nq_status nq_verify_join(const nq_plan *plan, const nq_run_options *options, uint32_t samples,
	uint64_t seed, nq_verification *out)
{
	nq_verification own;
	nq_run_options o;
	verification v = { .plan = plan, .o = &o, .out = &own };
	nq_status st;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "nq_verify_join: out is NULL");
	nq_verification_init(&own);
	st = write_result(out, &own);
	if (st == NQ_OK)
		st = nq_i_join_options_read("nq_verify_join", &o, options, plan);
	if (st != NQ_OK)
		return st;
	v.tasks = (nq_i_sieve_task *)calloc(samples + 1u, sizeof(*v.tasks));
	v.counts = (uint64_t *)calloc(samples + 1u, sizeof(*v.counts));
	v.items = (nq_i_join_item *)malloc(nq_i_join_items_max(plan->join) * sizeof(*v.items));
	st = NQ_ERR_NOMEM;
	if (v.tasks && v.counts && v.items)
		st = verify(&v, samples, seed);
	if (st < 0)
		nq_i_fail(st, "%s", own.message[0] ? own.message : nq_strstatus(st));
	free(v.tasks);
	free(v.counts);
	free(v.items);
	(void)write_result(out, &own);
	return st;
}
