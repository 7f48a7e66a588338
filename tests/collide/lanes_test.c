/* Pairs, trees and contacts by the device text on emulated warps. */
#include <stdio.h>
#include "tests/collide/pairs_suite.h"
#include "tests/collide/setup.h"
#include "tests/common/effort.h"
#include "tests/common/testmain.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)

int main(void)
{
	puts("skipped: sanitizers do not follow from lane to lane");
	return TEST_EXIT_SKIP;
}

#else

int main(void)
{
	CU_TestInfo tests[] = { COLLIDE_SUITE(COLLIDE_ENTRY) CU_TEST_INFO_NULL };

	/* joins of the CPU backend serve lane 0 of the first worker */
	setup_workers = 1;
	setup_is_slow = !test_full();
	return test_run_one("emulated warps", tests);
}

#endif
