/* Predictions of a join on the CPU: the costs of units against exact numbers of patterns and pairs,
 * totals from some units and from random sets of rows against published ones. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include "nqueens/core/random.h"
#include "nqueens/join/sides.h"
#include "nqueens/join/sieve.h"
#include "nqueens/plan/plan.h"
#include "nqueens/run/ratio.h"
#include <nqueens/nqueens.h>
#include "tests/common/check.h"
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

/* Returns the number of eastern patterns of an item, by listing them. */
static double patterns_of(const nq_i_join *t, const nq_i_join_item *item)
{
	const nq_i_sieve_line w = nq_i_sieve_line_of(t, item->line);
	const uint32_t size = (uint32_t)__builtin_popcount(item->north);
	double n = 0;

	for (uint32_t x = w.first_cross; x < w.first_cross + w.crosses; x++)
		for (uint32_t i = t->size_at[size]; i < t->size_at[size + 1]; i++) {
			const nq_i_join_cross c = nq_i_join_cross_of(t, x);
			nq_i_list a, b;

			if (t->sets[i] & ~c.east_cols)
				continue;
			a = nq_i_join_list(t, item->north, t->sets[i]);
			b = nq_i_join_list(t, item->south, c.east_cols & ~t->sets[i]);
			for (uint32_t j = 0; j < (item->classes ? a.off_main : a.count); j++)
				for (uint32_t k = 0; k < (item->classes ? b.off_main : b.count);
					k++)
					n += !(a.at[j] & c.no_ne) && !(b.at[k] & c.no_se) &&
					     !(nq_i_upper(a.at[j]) & nq_i_lower(b.at[k]));
		}
	return n;
}

/* The western placements of an item, and the pairs of them that are compatible and counted. */
typedef struct west {
	double placements, pairs;
} west;

static west west_of(const nq_i_join *t, const nq_i_join_item *item)
{
	const uint32_t full = (1u << t->h) - 1, north = full & ~item->north;
	const uint32_t south = nq_i_sieve_line_of(t, item->line).south_rows & ~item->south;
	const uint32_t size = (uint32_t)__builtin_popcount(north);
	west w = { 0, 0 };

	for (uint32_t i = t->size_at[size]; i < t->size_at[size + 1]; i++) {
		const nq_i_list a = nq_i_join_list(t, north, t->sets[i]);
		const nq_i_list b = nq_i_join_list(t, south, full & ~t->sets[i]);

		w.placements += a.count + b.count;
		for (uint32_t j = 0; j < a.count; j++)
			for (uint32_t k = 0; k < b.count; k++)
				w.pairs += !(nq_i_upper(a.at[j]) & nq_i_lower(b.at[k])) &&
					   (!item->classes || item->neither ||
						   (a.at[j] | b.at[k]) >> NQ_I_ON_MAIN);
	}
	return w;
}

/* Returns the root of the mean square of the relative difference between the expected costs of
 * units and those by the exact numbers, weighted by cost. */
static double cost_error(uint32_t n)
{
	nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
	const nq_i_join *t = plan->join;
	nq_i_join_item *items = (nq_i_join_item *)malloc(nq_i_join_items_max(t) * sizeof(*items));
	double *exact = (double *)calloc(plan->unit_count, sizeof(*exact)), sum = 0, work = 0;
	double squares = 0;

	CU_ASSERT_TRUE_FATAL(items && exact);
	CU_ASSERT_EQUAL_FATAL(nq_i_join_fill(plan->join, NULL, NULL), NQ_OK);
	for (size_t i = 0; i < plan->unit_count; i++) {
		const uint32_t k = nq_i_join_items(t, &plan->units[i], 0, items);

		for (uint32_t j = 0; j < k; j++) {
			const uint32_t line = items[j].line;
			const double crosses = t->line_at[line + 1] - t->line_at[line];
			const double blocks = patterns_of(t, &items[j]) / 512;
			const west w = west_of(t, &items[j]);

			exact[i] += blocks * w.pairs + 9 * w.placements * (blocks + crosses / 2) +
				    1e4 * crosses;
		}
		sum += exact[i];
		work += plan->work[i];
	}
	for (size_t i = 0; i < plan->unit_count; i++) {
		const double off = plan->work[i] / work - exact[i] / sum;

		squares += exact[i] > 0 ? off * off / (exact[i] / sum) : 0;
	}
	free(items);
	free(exact);
	nq_plan_destroy(&plan);
	return sqrt(squares);
}

static void expected_costs_follow_the_exact_numbers(void)
{
	for (uint32_t n = 13; n <= (uint32_t)test_effort(16, 16, 15); n++) {
		const double error = cost_error(n);

		CHECK(error < 0.1, "n %u: the costs of units differ by %.3f", n, error);
	}
}

static void a_part_of_the_units_predicts_the_total(void)
{
	nq_plan *plan = plan_of(16, NQ_METHOD_JOIN);
	nq_ledger *ledger = ledger_of(plan);
	nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CPU, .part = 1, .parts = 3);
	double total, error;
	nq_count known;

	CU_ASSERT_EQUAL(nq_ledger_estimate(ledger, plan, &total, &error), NQ_ERR_MISSING);
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &o, NULL), NQ_OK);
	CU_ASSERT_EQUAL(nq_ledger_estimate(ledger, plan, &total, &error), NQ_OK);
	CU_ASSERT_EQUAL(nq_known_count(16, &known), NQ_OK);
	CU_ASSERT_TRUE(error > 0 && error < 0.2 * nq_count_double(known));
	CU_ASSERT_DOUBLE_EQUAL(total, nq_count_double(known), 3 * error);
	o.part = o.parts = 0;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &o, NULL), NQ_OK);
	CU_ASSERT_EQUAL(nq_ledger_estimate(ledger, plan, &total, &error), NQ_OK);
	CU_ASSERT_DOUBLE_EQUAL(total, nq_count_double(known), 1);
	CU_ASSERT_DOUBLE_EQUAL(error, 0, 1);
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
}

/* Random sets of rows predict the published count without bias, and their error is right: over the
 * seeds the squares of the distances in standard errors have a mean of about 1. */
static void random_sets_of_rows_predict_the_total(void)
{
	enum { SEEDS = 24, SAMPLES = 300 };

	for (uint32_t n = 6; n <= (uint32_t)test_effort(16, 14, 14); n++) {
		nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
		const nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CPU);
		double squares = 0, mean = 0, error = 0, exact;
		nq_count known;

		CU_ASSERT_EQUAL(nq_known_count(n, &known), NQ_OK);
		exact = nq_count_double(known);
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			nq_join_sample s;
			double z;

			nq_join_sample_init(&s);
			CU_ASSERT_EQUAL(nq_sample_join(plan, &o, SAMPLES, 0, seed, &s), NQ_OK);
			CU_ASSERT_EQUAL(s.samples, SAMPLES);
			CU_ASSERT_EQUAL(s.seconds, 0);
			z = (s.solutions - exact) / s.solutions_error;
			squares += z * z / SEEDS;
			mean += s.solutions / SEEDS;
			error += s.solutions_error / SEEDS;
		}
		CHECK(squares > 0.3 && squares < 2.5 &&
				fabs(mean - exact) < 3 * error / sqrt((double)SEEDS),
			"n %u: mean square of %g standard errors, mean %g of %g, error %g", n,
			squares, mean, exact, error);
		nq_plan_destroy(&plan);
	}
}

/* No sample is lost on boards of few items, and one seed gives one result. */
static void samples_of_small_boards_are_exact(void)
{
	static const double exact[] = { 2, 10, 4 };
	const nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CPU);

	for (uint32_t n = 4; n <= 6; n++) {
		nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
		nq_join_sample a, b;

		nq_join_sample_init(&a);
		nq_join_sample_init(&b);
		CU_ASSERT_EQUAL(nq_sample_join(plan, &o, 4000, 0, 1, &a), NQ_OK);
		CU_ASSERT_EQUAL(nq_sample_join(plan, &o, 4000, 0, 1, &b), NQ_OK);
		CHECK(a.solutions == b.solutions &&
				fabs(a.solutions - exact[n - 4]) < 4 * a.solutions_error + 1e-9,
			"n %u: %g +- %g and %g of %g", n, a.solutions, a.solutions_error,
			b.solutions, exact[n - 4]);
		nq_plan_destroy(&plan);
	}
}

/* Over many samples of ten pairs the squares of the distances in standard errors have a mean of
 * 9 / 7, the variance of Student's distribution of nine degrees of freedom. */
static void the_error_of_a_ratio_is_that_of_its_distances(void)
{
	enum { SAMPLES = 4000, PAIRS = 10, STEPS = 1000 };
	nq_i_ratio one = { 0 }, equal = { 0 };
	uint64_t random = 1;
	double squares = 0;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		nq_i_ratio r = { 0 };
		double z;

		for (uint32_t k = 0; k < PAIRS; k++) {
			const double w = 1 + (double)nq_i_random_below(&random, STEPS) / STEPS;
			const double noise =
				(double)nq_i_random_below(&random, 2 * STEPS + 1) / STEPS - 1;

			nq_i_ratio_add(&r, 3 * w + noise, w);
		}
		z = (r.t / r.w - 3) / nq_i_ratio_error(&r);
		squares += z * z / SAMPLES;
	}
	CHECK(squares > 1.1 && squares < 1.5, "mean square %g", squares);
	nq_i_ratio_add(&one, 5, 2);
	CU_ASSERT_EQUAL(nq_i_ratio_error(&one), 0);
	for (uint32_t k = 1; k <= PAIRS; k++)
		nq_i_ratio_add(&equal, 3.0 * k, k);
	CU_ASSERT_TRUE(nq_i_ratio_error(&equal) < 1e-6);
}

static void bad_samples_are_refused(void)
{
	nq_plan *join = plan_of(12, NQ_METHOD_JOIN), *tasks = plan_of(12, NQ_METHOD_TASKS);
	const volatile int stop = 1;
	const nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CPU, .cancel = &stop);
	const nq_run_options any = COUNT_OPTIONS(.backend = NQ_BACKEND_CPU);
	nq_join_sample s;

	nq_join_sample_init(&s);
	CU_ASSERT_EQUAL(nq_sample_join(join, &any, 1, 0, 1, NULL), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_sample_join(NULL, &any, 1, 0, 1, &s), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_sample_join(tasks, &any, 1, 0, 1, &s), NQ_ERR_UNSUPPORTED);
	CU_ASSERT_EQUAL(nq_sample_join(join, &o, 0, 1000, 1, &s), NQ_CANCELLED);
	CU_ASSERT_EQUAL(nq_sample_join(join, &any, 1, 0, 1, &s), NQ_OK);
	CU_ASSERT_TRUE(s.samples == 1 && s.solutions >= 0 && s.solutions_error == 0);
	CU_ASSERT_EQUAL(nq_sample_join(join, &any, 0, 0, 1, &s), NQ_ERR_ARG);
	/* a program that was compiled before the struct had its last member */
	s.struct_bytes = offsetof(nq_join_sample, seconds_error);
	s.seconds_error = 7;
	CU_ASSERT_EQUAL(nq_sample_join(join, &any, 1, 0, 1, &s), NQ_OK);
	CU_ASSERT_EQUAL(s.seconds_error, 7);
	s.struct_bytes = 0;
	CU_ASSERT_EQUAL(nq_sample_join(join, &any, 1, 0, 1, &s), NQ_ERR_ARG);
	nq_plan_destroy(&join);
	nq_plan_destroy(&tasks);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "expected costs follow the exact numbers",
			expected_costs_follow_the_exact_numbers },
		{ "a part of the units predicts the total",
			a_part_of_the_units_predicts_the_total },
		{ "random sets of rows predict the total", random_sets_of_rows_predict_the_total },
		{ "samples of small boards are exact", samples_of_small_boards_are_exact },
		{ "the error of a ratio is that of its distances",
			the_error_of_a_ratio_is_that_of_its_distances },
		{ "bad samples are refused", bad_samples_are_refused },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("predictions of a join", tests);
}
