/* One test for each litmus: the correct variant must never show the forbidden outcome, in rounds
 * where it was possible; the counts of the weak ones are printed. */
#include "tests/libsched/litmus_suite.h"
#include <stdio.h>
#include <string.h>

litmus_stage litmus_on;

static litmus_counts play(uint32_t which, uint32_t weak, uint64_t *rounds)
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

static void litmus(uint32_t which, uint32_t weak_variants, const char *text)
{
	uint64_t rounds;
	litmus_counts n = play(which, 0, &rounds);

	printf("\n    %s: %u of %llu, %u telling", text, n.forbidden, (unsigned long long)rounds,
		n.telling);
	CU_ASSERT(n.late == 0);
	CU_ASSERT(n.forbidden == 0);
	CU_ASSERT(n.telling > 0);
	for (uint32_t weak = 1; !litmus_on.sound_only && weak <= weak_variants; weak++) {
		n = play(which, weak, &rounds);
		printf("; weak%s: %u, %u telling", weak == 2 ? " in another place" : "",
			n.forbidden, n.telling);
		CU_ASSERT(n.late == 0);
	}
	printf(" ");
}

#define LITMUS_X(name, roles, weaker, text)          \
	static void test_##name(void)                \
	{                                            \
		litmus(LITMUS_##name, weaker, text); \
	}
LITMUS_TESTS(LITMUS_X)
#undef LITMUS_X

CU_TestInfo litmus_tests[] = {
#define LITMUS_X(name, roles, weaker, text) { #name, test_##name },
	LITMUS_TESTS(LITMUS_X)
#undef LITMUS_X
		CU_TEST_INFO_NULL
};
