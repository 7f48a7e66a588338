/* Pairs, trees and contacts on CPU threads. */
#include "tests/collide/pairs_suite.h"
#include "tests/common/testmain.h"

int main(void)
{
	CU_TestInfo tests[] = { COLLIDE_SUITE(COLLIDE_ENTRY) CU_TEST_INFO_NULL };

	return test_run_one("CPU threads", tests);
}
