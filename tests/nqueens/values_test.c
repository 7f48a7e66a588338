/* Values that the interface returns: 128-bit counts, names, estimates. */
#include <math.h>
#include <string.h>
#include <nqueens/nqueens.h>
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

/* ---- counts and names ---- */

static void counts_of_128_bits_are_parsed_printed_and_computed_with(void)
{
	static const char *const most = "340282366920938463463374607431768211455";
	char text[NQ_COUNT_TEXT_BYTES];
	nq_count a, b;
	uint64_t rest;

	CU_ASSERT_EQUAL(nq_count_parse(most, &a), NQ_OK);
	CU_ASSERT_TRUE(a.lo == UINT64_MAX && a.hi == UINT64_MAX);
	CU_ASSERT_STRING_EQUAL(nq_count_text(a, text), most);
	CU_ASSERT_EQUAL(nq_count_parse("340282366920938463463374607431768211456", &b), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_count_parse("", &b), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_count_parse("12a", &b), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_count_parse("-1", &b), NQ_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "'-1'"));
	CU_ASSERT_EQUAL(nq_count_parse(NULL, &b), NQ_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "NULL"));
	CU_ASSERT_EQUAL(nq_count_parse("1", NULL), NQ_ERR_ARG);
	CU_ASSERT_STRING_EQUAL(nq_count_text(nq_count_of(0), text), "0");
	a = nq_count_mul(nq_count_of(UINT64_MAX), UINT64_MAX);
	CU_ASSERT_STRING_EQUAL(nq_count_text(a, text), "340282366920938463426481119284349108225");
	b = nq_count_div(a, 10, &rest);
	CU_ASSERT_EQUAL(rest, 5);
	CU_ASSERT_STRING_EQUAL(nq_count_text(b, text), "34028236692093846342648111928434910822");
	CU_ASSERT_EQUAL(nq_count_cmp(nq_count_add(nq_count_mul(b, 10), nq_count_of(5)), a), 0);
	CU_ASSERT_TRUE(nq_count_cmp(b, a) < 0 && nq_count_cmp(a, b) > 0);
	a = nq_count_add(nq_count_of(UINT64_MAX), nq_count_of(1));
	CU_ASSERT_TRUE(a.lo == 0 && a.hi == 1);
	CU_ASSERT_EQUAL(nq_count_double(a), 18446744073709551616.0);
}

static void names_of_methods_and_instructions_are_parsed_and_printed(void)
{
	nq_method m;
	nq_simd s;

	for (int i = 0; nq_method_name((nq_method)i); i++) {
		CU_ASSERT_EQUAL(nq_method_parse(nq_method_name((nq_method)i), &m), 0);
		CU_ASSERT_EQUAL(m, (nq_method)i);
	}
	for (int i = 0; nq_simd_name((nq_simd)i); i++) {
		CU_ASSERT_EQUAL(nq_simd_parse(nq_simd_name((nq_simd)i), &s), 0);
		CU_ASSERT_EQUAL(s, (nq_simd)i);
	}
	CU_ASSERT_EQUAL(nq_method_parse("guess", &m), -1);
	CU_ASSERT_EQUAL(nq_simd_parse("mmx", &s), -1);
	CU_ASSERT_STRING_EQUAL(nq_strstatus(NQ_OK), "success");
	CU_ASSERT_STRING_EQUAL(nq_strstatus((nq_status)99), "unknown status");
}

/* ---- estimates ---- */

static void estimates_are_within_five_standard_errors(void)
{
	for (nq_method m = NQ_METHOD_BACKTRACK; m <= NQ_METHOD_JOIN; m++) {
		nq_plan_options po;
		nq_plan *plan;
		nq_ledger *ledger;
		nq_run_options ro;
		nq_result result = { .struct_bytes = sizeof(result) };
		nq_estimate e = { .struct_bytes = sizeof(e) };
		nq_time_estimate t = { .struct_bytes = sizeof(t) };

		po = PLAN_OPTIONS();
		ro = COUNT_OPTIONS();
		po.n = 13;
		po.method = m;
		CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &po), NQ_OK);
		CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&ledger, plan), NQ_OK);
		CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, &result), NQ_OK);
		CU_ASSERT_EQUAL(nq_estimate_nodes(plan, 200000, 7, &e), NQ_OK);
		if (m == NQ_METHOD_JOIN) {
			CU_ASSERT_EQUAL(e.nodes, 0);
		} else {
			CU_ASSERT_TRUE(e.nodes_error > 0);
			CU_ASSERT_TRUE(fabs(e.nodes - (double)result.nodes) < 5 * e.nodes_error);
			CU_ASSERT_TRUE(e.nodes_error < 0.02 * e.nodes);
			CU_ASSERT_TRUE(fabs(e.solutions - 73712) < 5 * e.solutions_error);
			CU_ASSERT_TRUE(e.solutions_error < 0.1 * e.solutions);
		}
		CU_ASSERT_EQUAL(nq_estimate_time(plan, NQ_SIMD_AUTO, 1, 7, &t), NQ_OK);
		CU_ASSERT_TRUE(t.units >= 2 && t.cpu_s > 0);
		CU_ASSERT_EQUAL(nq_estimate_nodes(plan, 0, 7, &e), NQ_ERR_ARG);
		nq_ledger_destroy(&ledger);
		nq_plan_destroy(&plan);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "counts of 128 bits are parsed, printed and computed with",
			counts_of_128_bits_are_parsed_printed_and_computed_with },
		{ "names of methods and instructions are parsed and printed",
			names_of_methods_and_instructions_are_parsed_and_printed },
		{ "estimates are within five standard errors",
			estimates_are_within_five_standard_errors },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("values", tests);
}
