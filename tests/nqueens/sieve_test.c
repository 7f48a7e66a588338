/* The join with sorted patterns (nqueens/join/sieve.h) on the CPU: units of small boards against
 * joiner.c and published totals, items of large boards against backtracking. */
#include <stdlib.h>
#include "nqueens/join/sieve.h"
#include "nqueens/plan/plan.h"
#include <nqueens/nqueens.h>
#include "tests/common/check.h"
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

static void units_have_the_counts_of_the_lists_of_all_rows(void)
{
	for (uint32_t n = 4; n <= 14; n++) {
		nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
		nq_count total = nq_count_of(0), published;
		nq_i_siever *s;
		size_t wrong = 0;

		CU_ASSERT_EQUAL_FATAL(
			nq_i_siever_create(&s, plan->join, NQ_SIMD_SCALAR, NULL), NQ_OK);
		for (size_t i = 0; i < plan->unit_count; i++) {
			uint64_t mine, theirs;

			CU_ASSERT_EQUAL(nq_i_sieve_unit(s, &plan->units[i], &mine), NQ_OK);
			CU_ASSERT_EQUAL(nq_run_unit(plan, i, NQ_SIMD_AUTO, &theirs, NULL), NQ_OK);
			wrong += mine != theirs;
			total = nq_count_add(total, nq_count_of(mine));
		}
		CU_ASSERT_EQUAL(wrong, 0);
		CU_ASSERT_EQUAL(nq_known_count(n, &published), NQ_OK);
		CU_ASSERT_EQUAL(nq_count_cmp(total, published), 0);
		nq_i_siever_destroy(s);
		nq_plan_destroy(&plan);
	}
}

/* Counts all items of n queens by chosen images (join.h); *wrong: those that
 * backtracking counts differently. */
static nq_count count_by_images(uint32_t n, uint32_t *wrong)
{
	nq_count total = nq_count_of(0);
	nq_i_join_item *items;
	nq_i_siever *s;
	nq_i_join *t;

	*wrong = 0;
	CU_ASSERT_EQUAL_FATAL(nq_i_join_create_by(&t, n, 1), NQ_OK);
	CU_ASSERT_EQUAL_FATAL(nq_i_siever_create(&s, t, NQ_SIMD_SCALAR, NULL), NQ_OK);
	items = (nq_i_join_item *)malloc(nq_i_join_items_max(t) * sizeof(*items));
	CU_ASSERT_PTR_NOT_NULL_FATAL(items);
	for (uint32_t line = 0; line < t->lines; line++)
		for (uint32_t north = 0; north < 1u << t->h; north++) {
			const nq_unit u = { line, north, 1 };
			const uint32_t k = nq_i_join_items(t, &u, 0, items);

			CU_ASSERT_TRUE(!k || nq_i_join_has_items(t, line, north));
			CU_ASSERT_TRUE(k <= nq_i_join_items_max(t));
			for (uint32_t i = 0; i < k; i++) {
				uint64_t count;

				CU_ASSERT_EQUAL(nq_i_sieve_item(s, &items[i], NULL, &count), NQ_OK);
				*wrong += n <= 10 && nq_i_item_walk(t, &items[i], NULL) != count;
				total = nq_count_add(total, nq_count_of(count));
			}
		}
	free(items);
	nq_i_siever_destroy(s);
	nq_i_join_destroy(t);
	return total;
}

/* Quarters of an even and of an odd number of rows have other images; small sets are often equal to
 * others or their complements. */
static void the_chosen_images_of_all_boards_are_the_published_count(void)
{
	for (uint32_t n = 4; n <= (uint32_t)test_effort(16, 14, 12); n++) {
		uint32_t wrong;
		const nq_count total = count_by_images(n, &wrong);
		nq_count published;

		CU_ASSERT_EQUAL(nq_known_count(n, &published), NQ_OK);
		CHECK(nq_count_cmp(total, published) == 0 && wrong == 0,
			"n %u: %.0f boards, %u items differ from backtracking", n,
			nq_count_double(total), wrong);
	}
}

/* A unit of 18 queens has enough patterns for several blocks with different keys. */
static void every_instruction_set_gives_the_same_count(void)
{
	nq_plan *plan = plan_of(18, NQ_METHOD_JOIN);
	const size_t unit = 0x5a;
	uint64_t expected;

	CU_ASSERT_EQUAL(nq_run_unit(plan, unit, NQ_SIMD_AUTO, &expected, NULL), NQ_OK);
	CU_ASSERT_TRUE(expected > 0);
	for (int simd = NQ_SIMD_SCALAR; simd <= NQ_SIMD_AVX512; simd++) {
		nq_i_siever *s;
		uint64_t count;

		if (!nq_simd_usable((nq_simd)simd))
			continue;
		CU_ASSERT_EQUAL_FATAL(
			nq_i_siever_create(&s, plan->join, (nq_simd)simd, NULL), NQ_OK);
		CU_ASSERT_EQUAL(nq_i_sieve_unit(s, &plan->units[unit], &count), NQ_OK);
		CU_ASSERT_EQUAL(count, expected);
		nq_i_siever_destroy(s);
	}
	nq_plan_destroy(&plan);
}

/* The backtracking that verifies joins adds up to the published count. */
static void backtracking_over_all_items_gives_the_published_count(void)
{
	for (uint32_t n = 6; n <= 11; n++) {
		nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
		nq_i_join_item *items =
			(nq_i_join_item *)malloc(nq_i_join_items_max(plan->join) * sizeof(*items));
		nq_count total = nq_count_of(0), published;

		CU_ASSERT_PTR_NOT_NULL_FATAL(items);
		for (size_t i = 0; i < plan->unit_count; i++) {
			const uint32_t k = nq_i_join_items(plan->join, &plan->units[i], 0, items);

			for (uint32_t j = 0; j < k; j++)
				total = nq_count_add(total,
					nq_count_of(nq_i_item_walk(plan->join, &items[j], NULL)));
		}
		CU_ASSERT_EQUAL(nq_known_count(n, &published), NQ_OK);
		CU_ASSERT_EQUAL(nq_count_cmp(total, published), 0);
		free(items);
		nq_plan_destroy(&plan);
	}
}

static void parts_of_large_boards_have_the_counts_of_backtracking(void)
{
	const uint32_t samples = (uint32_t)test_effort(6, 6, 2);
	uint32_t with_solutions = 0, verified = 0;

	for (uint32_t n = 21; n <= NQ_JOIN_MAX_N; n += (uint32_t)test_effort(1, 3, 3)) {
		nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
		nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CPU);
		nq_verification v;

		nq_verification_init(&v);
		CU_ASSERT_EQUAL(nq_verify_join(plan, &o, samples, n, &v), NQ_OK);
		CU_ASSERT_EQUAL(v.samples, samples);
		CU_ASSERT_EQUAL(v.wrong, 0);
		with_solutions += v.with_solutions;
		verified += samples;
		nq_plan_destroy(&plan);
	}
	/* else the comparison proves little */
	CU_ASSERT_TRUE(8 * with_solutions > 3 * verified);
}

static void only_joins_are_verified(void)
{
	nq_plan *plan = plan_of(8, NQ_METHOD_BACKTRACK);
	nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CPU);
	nq_verification v;

	nq_verification_init(&v);
	CU_ASSERT_EQUAL(nq_verify_join(plan, &o, 1, 1, &v), NQ_ERR_UNSUPPORTED);
	CU_ASSERT_EQUAL(nq_verify_join(NULL, &o, 1, 1, &v), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_verify_join(plan, NULL, 1, 1, &v), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_verify_join(plan, &o, 1, 1, NULL), NQ_ERR_ARG);
	v.struct_bytes = 0;
	CU_ASSERT_EQUAL(nq_verify_join(plan, &o, 1, 1, &v), NQ_ERR_ARG);
	nq_plan_destroy(&plan);
}

/* All units of 28 queens together have the items of all sets of rows, and take about as long. */
static void the_parts_of_28_queens_cover_all_sets(void)
{
	nq_plan *plan = plan_of(28, NQ_METHOD_JOIN);
	const nq_i_join *t = plan->join;
	nq_i_join_item *items = (nq_i_join_item *)malloc(nq_i_join_items_max(t) * sizeof(*items));
	uint64_t found = 0, expected = 0, work = 0, most = 0, in_short = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(items);
	for (size_t i = 0; i < plan->unit_count; i++) {
		found += nq_i_join_items(t, &plan->units[i], 0, items);
		work += plan->work[i];
		most = plan->work[i] > most ? plan->work[i] : most;
	}
	for (size_t i = 0; i < plan->unit_count; i++)
		in_short += plan->work[i] < 0.6 * (double)most ? plan->work[i] : 0;
	/* the longest unit takes 1.19 times the mean, and few are much shorter */
	CU_ASSERT_TRUE((double)most < 1.2 * (double)work / (double)plan->unit_count);
	CU_ASSERT_TRUE((double)in_short < 0.02 * (double)work);
	/* a checkpoint of another division is refused by the hash */
	CU_ASSERT_EQUAL(nq_plan_hash(plan), UINT64_C(0xe9cef11f14f3f68c));
	for (uint32_t north = 0; north < 1u << t->h; north++) {
		const uint32_t size = (uint32_t)__builtin_popcount(north);

		/* two items of each later set; a third one of the same set if halves are equal */
		for (uint32_t i = t->size_at[size];
			i < t->size_at[size + 1] && nq_i_join_has_items(t, 0, north); i++)
			expected += 2 * (nq_i_place_of(t->order, t->sets[i]) >=
						nq_i_place_of(t->order, north)) +
				    (t->sets[i] == north && 2 * size == t->h);
	}
	CU_ASSERT_EQUAL(found, expected);
	free(items);
	nq_plan_destroy(&plan);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the chosen images of all boards are the published count",
			the_chosen_images_of_all_boards_are_the_published_count },
		{ "units have the counts of the lists of all rows",
			units_have_the_counts_of_the_lists_of_all_rows },
		{ "every instruction set gives the same count",
			every_instruction_set_gives_the_same_count },
		{ "backtracking over all items gives the published count",
			backtracking_over_all_items_gives_the_published_count },
		{ "parts of large boards have the counts of backtracking",
			parts_of_large_boards_have_the_counts_of_backtracking },
		{ "only joins are verified", only_joins_are_verified },
		{ "the parts of 28 queens cover all sets", the_parts_of_28_queens_cover_all_sets },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("join with sorted patterns", tests);
}
