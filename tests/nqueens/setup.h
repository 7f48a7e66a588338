/* Set-up that the suites of libnqueens share: the options of plans and of runs. */
#ifndef TESTS_NQUEENS_SETUP_H
#define TESTS_NQUEENS_SETUP_H

#include <CUnit/CUnit.h>
#include <nqueens/nqueens.h>

/* The options of a plan and of a run: the members given, and the defaults of all others
 * (api_test checks these):
 * po = PLAN_OPTIONS(.n = 8, .method = NQ_METHOD_JOIN). */
#define PLAN_OPTIONS(...) \
	((nq_plan_options){ .struct_bytes = sizeof(nq_plan_options), __VA_ARGS__ })
#define COUNT_OPTIONS(...)                                         \
	((nq_run_options){ .struct_bytes = sizeof(nq_run_options), \
		.device = NQ_CURRENT_DEVICE,                       \
		__VA_ARGS__ })

#endif
