/* Every method has the published count. */
#include <string.h>
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "nqueens/known.h"
#include "tests/nqueens/brute.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

/* Returns the count, or all ones after an error. */
static nq_count count_with(
	const nq_plan_options *po, const nq_run_options *ro, uint64_t *nodes, size_t *units)
{
	nq_count total = { UINT64_MAX, UINT64_MAX };
	nq_plan *plan = NULL;
	nq_ledger *ledger = NULL;
	nq_result result = { .struct_bytes = sizeof(result) };

	CU_ASSERT_EQUAL(nq_plan_create(&plan, po), NQ_OK);
	if (plan)
		CU_ASSERT_EQUAL(nq_ledger_create(&ledger, plan), NQ_OK);
	if (ledger) {
		CU_ASSERT_EQUAL(nq_run(plan, ledger, ro, &result), NQ_OK);
		CU_ASSERT_EQUAL(result.units_done, nq_plan_units(plan, NULL));
		CU_ASSERT_EQUAL(nq_ledger_total(ledger, plan, &total), NQ_OK);
		if (nodes)
			*nodes = result.nodes;
		if (units)
			*units = result.units;
	}
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
	CU_ASSERT_PTR_NULL(plan);
	return total;
}

static int known(uint32_t n, nq_count count)
{
	nq_count right;

	CU_ASSERT_EQUAL(nq_known_count(n, &right), NQ_OK);
	return nq_count_cmp(count, right) == 0;
}

static void the_published_counts_are_those_of_brute_force(void)
{
	for (uint32_t n = 1; n <= 10; n++)
		CU_ASSERT_TRUE(known(n, nq_count_of(brute_count(n, 0, NULL, 0))));
}

static void a_method_with_all_instructions(nq_method method, uint32_t from, uint32_t to)
{
	for (uint32_t n = from; n <= to; n++)
		for (nq_simd simd = NQ_SIMD_SCALAR; simd <= NQ_SIMD_AVX512; simd++) {
			const nq_plan_options po = PLAN_OPTIONS(.n = n, .method = method);
			nq_run_options ro;

			ro = COUNT_OPTIONS(.simd = simd, .workers = 1 + n % 3);
			if (nq_simd_usable(simd))
				CU_ASSERT_TRUE(known(n, count_with(&po, &ro, NULL, NULL)));
		}
}

static void backtracking_counts_to_14(void)
{
	a_method_with_all_instructions(NQ_METHOD_BACKTRACK, 1, 14);
}

static void joining_counts_to_14(void)
{
	a_method_with_all_instructions(NQ_METHOD_JOIN, 4, 14);
}

static void boards_as_tasks_count_under_every_queue(void)
{
	for (int queue = 0; queue < LSCHED_QUEUE_COUNT; queue++)
		for (uint32_t n = 1; n <= (queue == 0 ? 13 : 11); n += queue == 0 ? 1 : 5) {
			nq_plan_options po = PLAN_OPTIONS(.n = n, .method = NQ_METHOD_TASKS);
			nq_run_options ro;

			ro = COUNT_OPTIONS(.workers = 3,
				.queue = lsched_queue_name((lsched_queue)queue));
			CU_ASSERT_TRUE(known(n, count_with(&po, &ro, NULL, NULL)));
			if (n > 10)
				continue;
			po.plain = 1;
			CU_ASSERT_TRUE(known(n, count_with(&po, &ro, NULL, NULL)));
		}
}

static void units_count_under_every_queue(void)
{
	for (int queue = 0; queue < LSCHED_QUEUE_COUNT; queue++) {
		const nq_plan_options po = PLAN_OPTIONS(.n = 11, .method = NQ_METHOD_BACKTRACK);
		nq_run_options ro;

		ro = COUNT_OPTIONS(.workers = 2, .queue = lsched_queue_name((lsched_queue)queue));
		CU_ASSERT_TRUE(known(11, count_with(&po, &ro, NULL, NULL)));
	}
}

static void sixteen_queens_by_the_fast_methods(void)
{
	nq_run_options ro;
	nq_plan_options po = PLAN_OPTIONS(.n = 16, .method = NQ_METHOD_BACKTRACK);

	ro = COUNT_OPTIONS();
	CU_ASSERT_TRUE(known(16, count_with(&po, &ro, NULL, NULL)));
	po = PLAN_OPTIONS(.n = 16, .method = NQ_METHOD_JOIN);
	CU_ASSERT_TRUE(known(16, count_with(&po, &ro, NULL, NULL)));
}

static void the_count_does_not_depend_on_the_split(void)
{
	static const uint32_t min_tasks[] = { 0, 1, 500, 100000 };

	for (uint32_t n = 11; n <= 12; n++)
		for (size_t i = 0; i < sizeof(min_tasks) / sizeof(*min_tasks); i++)
			for (uint32_t cross = 0; cross <= 4; cross++) {
				nq_plan_options po =
					PLAN_OPTIONS(.n = n, .method = NQ_METHOD_BACKTRACK);
				nq_run_options ro;
				size_t units;

				if (cross && (n - cross) % 2)
					continue;
				ro = COUNT_OPTIONS(.workers = 2);
				po.min_tasks = min_tasks[i];
				po.cross = cross;
				po.unit_tasks = 1 + (uint32_t)i * 3;
				CU_ASSERT_TRUE(known(n, count_with(&po, &ro, NULL, &units)));
				CU_ASSERT_TRUE(units > 3);
				po.cross = 0;
				po.plain = 1;
				if (cross == 0)
					CU_ASSERT_TRUE(known(n, count_with(&po, &ro, NULL, NULL)));
			}
}

static void all_instructions_look_at_the_same_boards(void)
{
	for (uint32_t n = 5; n <= 12; n++) {
		const nq_plan_options po = PLAN_OPTIONS(.n = n, .method = NQ_METHOD_BACKTRACK);
		const nq_plan_options tasks = PLAN_OPTIONS(.n = n, .method = NQ_METHOD_TASKS);
		nq_run_options ro;
		uint64_t first, nodes;

		ro = COUNT_OPTIONS(.simd = NQ_SIMD_SCALAR);
		count_with(&po, &ro, &first, NULL);
		CU_ASSERT_TRUE(n < 6 || first > 0);
		for (nq_simd simd = NQ_SIMD_AVX2; simd <= NQ_SIMD_AVX512; simd++) {
			if (!nq_simd_usable(simd))
				continue;
			ro.simd = simd;
			ro.workers = (uint32_t)simd;
			count_with(&po, &ro, &nodes, NULL);
			CU_ASSERT_EQUAL(nodes, first);
		}
		count_with(&tasks, &ro, &nodes, NULL);
		CU_ASSERT_EQUAL(nodes, first);
	}
}

static void nq_solve_selects_method_and_backend(void)
{
	nq_count total;

	for (uint32_t n = 1; n <= 14; n++) {
		CU_ASSERT_EQUAL(nq_solve(n, NULL, &total, NULL), NQ_OK);
		CU_ASSERT_TRUE(known(n, total));
	}
	/* from here on it joins */
	CU_ASSERT_EQUAL(nq_solve(16, NULL, &total, NULL), NQ_OK);
	CU_ASSERT_TRUE(known(16, total));
	CU_ASSERT_EQUAL(nq_solve(0, NULL, &total, NULL), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_solve(33, NULL, &total, NULL), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(total.lo, 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the published counts are those of brute force",
			the_published_counts_are_those_of_brute_force },
		{ "backtracking counts to 14", backtracking_counts_to_14 },
		{ "joining counts to 14", joining_counts_to_14 },
		{ "boards as tasks count under every queue",
			boards_as_tasks_count_under_every_queue },
		{ "units count under every queue", units_count_under_every_queue },
		{ "sixteen queens by the fast methods", sixteen_queens_by_the_fast_methods },
		{ "the count does not depend on the split",
			the_count_does_not_depend_on_the_split },
		{ "all instructions look at the same boards",
			all_instructions_look_at_the_same_boards },
		{ "nq_solve selects method and backend", nq_solve_selects_method_and_backend },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("queens", tests);
}
