/* nq_sample_join(): solutions and time of a join from random items of its units.
 *
 * An item is drawn with a probability p in proportion to its expected cost, with replacement, and
 * counted: the mean of count / p is the number of all solutions without bias (Hansen and Hurwitz
 * 1943), and since counts grow with costs it varies far less than with equal probabilities. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "libsched/core/clock.h"
#include "libsched/core/sized.h"
#include "nqueens/core/error.h"
#include "nqueens/core/random.h"
#include "nqueens/core/simd.h"
#include "nqueens/join/cost.h"
#include "nqueens/join/sieve.h"
#include "nqueens/run/backend.h"
#include "nqueens/run/options.h"
#include "nqueens/run/ratio.h"

/* Items that are counted together: a device needs many, a thread counts one after the other. Each
 * group takes about 1 / GROUPS of the time. From LONG_N on fewer fill a device, of LONGEST_N each
 * takes it about a second. The error of the time is that of the groups: two would tell little. */
enum {
	GROUPS = 8,
	GROUPS_MIN = 4,
	GROUP_MAX = 4096,
	GROUP_CUDA = 256,
	LONG_N = 26,
	GROUP_LONG = 32,
	LONGEST_N = 28,
	GROUP_LONGEST = 4
};

typedef struct sampler {
	const nq_plan *plan;
	const nq_run_options *o;
	nq_i_join_cost *cost;
	nq_i_siever *siever;         /* CPU */
	nq_i_sieve_session *session; /* CUDA */
	uint64_t *costs;             /* [items of a unit] */
	uint64_t *ends;              /* [units] sum of the work of a unit and of those before it */
	nq_i_sieve_task *tasks;
	uint64_t *counts;
	double *p;
	uint64_t random;
	double sum, squares; /* of count / p */
	/* The mean of an item's time / p is the time of all. A device counts the items of a group
	 * together: their time is divided by the sum of p, which weighs expensive items more. So
	 * the time of all is the ratio of two sums: of times / p and 1 of an item (CPU), or of
	 * times and p of a group. */
	nq_i_ratio time;
	nq_join_sample *out;
} sampler;

static void close_sampler(sampler *s)
{
	nq_i_sieve_close(s->session);
	nq_i_siever_destroy(s->siever);
	nq_i_join_cost_destroy(s->cost);
	free(s->costs);
	free(s->ends);
	free(s->tasks);
	free(s->counts);
	free(s->p);
}

static nq_status open_sampler(sampler *s)
{
	const nq_plan *plan = s->plan;
	uint64_t sum = 0;
	nq_i_sieve_report report = { 0, 0, "" };
	nq_status st = nq_i_join_cost_create(&s->cost, plan->join);

	if (st == NQ_OK && s->o->backend == NQ_BACKEND_CUDA) {
		st = nq_i_sieve_open(&s->session, plan->join, s->o, &report);
		snprintf(s->out->message, sizeof(s->out->message), "%s", report.message);
	} else if (st == NQ_OK)
		st = nq_i_siever_create(&s->siever, plan->join, nq_i_simd_resolve(s->o->simd),
			(const int *)s->o->cancel);
	if (st != NQ_OK)
		return st;
	s->costs = (uint64_t *)malloc(nq_i_join_items_max(plan->join) * sizeof(*s->costs));
	s->ends = (uint64_t *)malloc(plan->unit_count * sizeof(*s->ends));
	s->tasks = (nq_i_sieve_task *)malloc(GROUP_MAX * sizeof(*s->tasks));
	s->counts = (uint64_t *)malloc(GROUP_MAX * sizeof(*s->counts));
	s->p = (double *)malloc(GROUP_MAX * sizeof(*s->p));
	if (!s->costs || !s->ends || !s->tasks || !s->counts || !s->p)
		return NQ_ERR_NOMEM;
	for (size_t i = 0; i < plan->unit_count; i++)
		s->ends[i] = sum += plan->work[i];
	return NQ_OK;
}

/* Returns the first unit whose end is above x. */
static size_t unit_at(const sampler *s, uint64_t x)
{
	size_t low = 0, high = s->plan->unit_count - 1;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (s->ends[mid] > x)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Draws item `slot` of a group; a unit without items has no solution: the task counts nothing then.
 * Returns whether there is an item. */
static int draw(sampler *s, uint32_t slot)
{
	const uint64_t all = s->ends[s->plan->unit_count - 1];
	const size_t unit = unit_at(s, nq_i_random_below(&s->random, all));
	const nq_i_join_item *items;
	const uint32_t n = nq_i_join_cost_items(s->cost, &s->plan->units[unit], &items, s->costs);
	uint64_t sum = 0, x;
	uint32_t at = 0;

	s->p[slot] = (double)s->plan->work[unit] / (double)all;
	if (!n)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		sum += s->costs[i] + 1; /* no item is without a chance */
	x = nq_i_random_below(&s->random, sum);
	for (; x > s->costs[at]; at++)
		x -= s->costs[at] + 1;
	s->p[slot] *= (double)(s->costs[at] + 1) / (double)sum;
	s->tasks[slot].item = items[at];
	s->tasks[slot].item.slot = slot;
	for (uint32_t q = 0; q < 4; q++)
		s->tasks[slot].given.quarter[q] = NQ_I_SIEVE_NONE_GIVEN;
	return 1;
}

static nq_status count_on_device(sampler *s, uint32_t items)
{
	nq_i_sieve_report report = { 0, 0, "" };
	const nq_status st =
		nq_i_sieve_count(s->session, s->tasks, items, s->counts, GROUP_MAX, &report);
	double p = 0;

	snprintf(s->out->message, sizeof(s->out->message), "%s", report.message);
	for (uint32_t i = 0; i < items; i++)
		p += s->p[s->tasks[i].item.slot];
	nq_i_ratio_add(&s->time, (double)report.kernel_ns * 1e-9, p);
	if (report.bytes > s->out->device_bytes)
		s->out->device_bytes = report.bytes;
	return st;
}

static nq_status count_on_thread(sampler *s, uint32_t items)
{
	nq_status st = NQ_OK;

	for (uint32_t i = 0; i < items && st == NQ_OK; i++) {
		const nq_i_sieve_task *task = &s->tasks[i];
		const uint64_t begin = lsched_i_clock_ns();

		if (s->o->cancel && *s->o->cancel)
			return NQ_CANCELLED;
		st = nq_i_sieve_item(
			s->siever, &task->item, &task->given, &s->counts[task->item.slot]);
		nq_i_ratio_add(&s->time,
			(double)(lsched_i_clock_ns() - begin) * 1e-9 / s->p[task->item.slot], 1);
	}
	return st;
}

static nq_status sample_group(sampler *s, uint32_t size)
{
	const int on_device = s->o->backend == NQ_BACKEND_CUDA;
	uint32_t items = 0;
	nq_status st;

	for (uint32_t i = 0; i < size; i++) {
		s->counts[i] = 0;
		if (draw(s, i))
			s->tasks[items++] = s->tasks[i];
	}
	st = on_device ? count_on_device(s, items) : count_on_thread(s, items);
	if (st != NQ_OK)
		return st;
	for (uint32_t i = 0; i < size; i++) {
		const double x = (double)s->counts[i] / s->p[i];

		s->sum += x;
		s->squares += x * x;
	}
	for (uint32_t i = items; i < size && !on_device; i++)
		nq_i_ratio_add(&s->time, 0, 1); /* units without items */
	s->out->samples += size;
	return NQ_OK;
}

static void write_estimates(sampler *s)
{
	const double n = s->out->samples, mean = s->sum / n;
	const double variance = n > 1 ? (s->squares / n - mean * mean) / (n - 1) : 0;

	s->out->solutions = mean;
	s->out->solutions_error = variance > 0 ? sqrt(variance) : 0;
	if (s->plan->n >= NQ_I_SIEVE_PAYS_N && s->time.w > 0) {
		s->out->seconds = s->time.t / s->time.w;
		s->out->seconds_error = nq_i_ratio_error(&s->time);
	}
}

static nq_status sample(sampler *s, uint32_t most, uint32_t budget_ms)
{
	const uint64_t budget = (uint64_t)budget_ms * 1000000u, begin = lsched_i_clock_ns();
	const uint32_t n = s->plan->n;
	uint32_t size = s->o->backend != NQ_BACKEND_CUDA ? 1
			: n < LONG_N                     ? GROUP_CUDA
			: n < LONGEST_N                  ? GROUP_LONG
							 : GROUP_LONGEST;
	uint64_t now = begin;

	for (uint32_t groups = 0; (!most || s->out->samples < most) &&
				  (groups < GROUPS_MIN || !budget || now - begin < budget);
		groups++) {
		const uint32_t left = most ? most - s->out->samples : size;
		const uint64_t last = now;
		const nq_status st = sample_group(s, left < size ? left : size);

		if (st != NQ_OK)
			return st;
		now = lsched_i_clock_ns();
		if ((now - last) * GROUPS < budget / 2 && size < GROUP_MAX)
			size *= 2;
	}
	write_estimates(s);
	return NQ_OK;
}

static nq_status write_result(nq_join_sample *to, const nq_join_sample *from)
{
	return nq_i_write_sized("nq_join_sample", to, sizeof(*from),
		LSCHED_I_SIZE_TO(nq_join_sample, message), from);
}

nq_status nq_sample_join(const nq_plan *plan, const nq_run_options *options, uint32_t most,
	uint32_t budget_ms, uint64_t seed, nq_join_sample *out)
{
	nq_join_sample own;
	nq_run_options o;
	sampler s = { .plan = plan, .o = &o, .random = seed, .out = &own };
	nq_status st;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "nq_sample_join: out is NULL");
	nq_join_sample_init(&own);
	st = write_result(out, &own);
	if (st == NQ_OK)
		st = nq_i_join_options_read("nq_sample_join", &o, options, plan);
	if (st != NQ_OK)
		return st;
	if (!most && !budget_ms)
		return nq_i_fail(NQ_ERR_ARG, "nq_sample_join: neither most nor budget_ms is given");
	st = open_sampler(&s);
	if (st == NQ_OK)
		st = sample(&s, most, budget_ms);
	if (st < 0 && own.message[0])
		nq_i_fail(st, "%s", own.message);
	else if (st < 0)
		nq_i_fail(st, "%s", nq_strstatus(st));
	close_sampler(&s);
	(void)write_result(out, &own);
	return st;
}
