/* One test for each litmus test: with libsched's orders the forbidden outcome must not occur in any
 * round, and rounds where it was possible must occur. The counts of the weak variants are
 * printed. */
#include "tests/libsched/litmus_suite.h"
#include <stdio.h>
#include <string.h>

litmus_stage litmus_on;

static litmus_counts run_all(uint32_t which, uint32_t weak, uint64_t *rounds)
{
	litmus_counts sum = { 0, 0, 0 };

	*rounds = 0;
	for (uint32_t k = 0; k < litmus_on.repeats && !sum.late; k++) {
		litmus_args a;

		memset(&a, 0, sizeof(a));
		a.which = which;
		a.weak = weak;
		a.groups = litmus_on.workers / litmus_roles(which);
		if (a.groups == 0)
			a.groups = 1;
		a.rounds = litmus_on.rounds;
		a.seed = 1000003u * (k + 1) + which;
		a.jitter = litmus_on.jitter >> k % 4;
		a.budget_ns = UINT64_C(20000000000);
		litmus_on.run(&a, &sum);
		*rounds += (uint64_t)a.groups * a.rounds;
	}
	return sum;
}

static void litmus(uint32_t which, uint32_t weak_variants)
{
	uint64_t rounds;
	litmus_counts n = run_all(which, 0, &rounds);

	printf("\n    %u of %llu, %u conclusive", n.forbidden, (unsigned long long)rounds,
		n.conclusive);
	CU_ASSERT(n.late == 0);
	CU_ASSERT(n.forbidden == 0);
	CU_ASSERT(n.conclusive > 0);
	for (uint32_t weak = 1; !litmus_on.sound_only && weak <= weak_variants; weak++) {
		n = run_all(which, weak, &rounds);
		printf("; weak%s: %u, %u conclusive", weak == 2 ? " in another place" : "",
			n.forbidden, n.conclusive);
		CU_ASSERT(n.late == 0);
	}
	printf(" ");
}

#define LITMUS_X(name, roles, weaker, text)    \
	static void test_##name(void)          \
	{                                      \
		litmus(LITMUS_##name, weaker); \
	}
LITMUS_TESTS(LITMUS_X)
#undef LITMUS_X

CU_TestInfo litmus_tests[] = {
#define LITMUS_X(name, roles, weaker, text) { #name ": " text, test_##name },
	LITMUS_TESTS(LITMUS_X)
#undef LITMUS_X
		CU_TEST_INFO_NULL
};
