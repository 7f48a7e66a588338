/* A suite whose second test never ends: time_limit_test.sh proves that the time limit names it. */
#include "tests/common/testmain.h"

#include <unistd.h>

static void test_ends(void)
{
	CU_ASSERT(1);
}

static void test_hangs(void)
{
	for (;;)
		pause();
}

int main(void)
{
	CU_TestInfo tests[] = { { "this test ends", test_ends },
		{ "this test never ends", test_hangs }, CU_TEST_INFO_NULL };

	return test_run_one("hangs on purpose", tests);
}
