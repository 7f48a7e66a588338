/* Pairs on CPU threads. */
#include "tests/collide/pairs_suite.h"
#include "tests/common/testmain.h"

int main(void)
{
	CU_TestInfo tests[] = { PAIRS_SUITE, CU_TEST_INFO_NULL };
	CU_SuiteInfo suites[] = { { "pairs", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
