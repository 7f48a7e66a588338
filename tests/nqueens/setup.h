/* Set-up that the suites of libnqueens share: options, plans, ledgers, published totals. */
#ifndef TESTS_NQUEENS_SETUP_H
#define TESTS_NQUEENS_SETUP_H

#include <CUnit/CUnit.h>
#include <nqueens/nqueens.h>
#include "nqueens/known.h"

/* The options of a plan and of a run: the members given, and the defaults of all others
 * (api_test checks these):
 * po = PLAN_OPTIONS(.n = 8, .method = NQ_METHOD_JOIN). */
#define PLAN_OPTIONS(...) \
	((nq_plan_options){ .struct_bytes = sizeof(nq_plan_options), __VA_ARGS__ })
#define COUNT_OPTIONS(...)                                         \
	((nq_run_options){ .struct_bytes = sizeof(nq_run_options), \
		.device = NQ_CURRENT_DEVICE,                       \
		__VA_ARGS__ })

static inline nq_plan *plan_of(uint32_t n, nq_method method)
{
	nq_plan_options o;
	nq_plan *plan = NULL;

	o = PLAN_OPTIONS(.n = n, .method = method);
	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &o), NQ_OK);
	return plan;
}

static inline nq_ledger *ledger_of(const nq_plan *plan)
{
	nq_ledger *ledger = NULL;

	CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&ledger, plan), NQ_OK);
	return ledger;
}

/* Returns nonzero if every work unit is counted and the sum is the published count. */
static inline int total_is_published(const nq_plan *plan, const nq_ledger *ledger)
{
	nq_count total, published;

	return nq_ledger_total(ledger, plan, &total) == NQ_OK &&
	       nq_known_count(nq_plan_n(plan), &published) == NQ_OK &&
	       nq_count_cmp(total, published) == 0;
}

#endif
