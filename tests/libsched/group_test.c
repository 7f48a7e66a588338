/* <libsched/group.h>: groups of CPU threads, and of emulated warps. items_test and items_gpu_test
 * run the same text in items of each grain. */
#include "tests/common/testmain.h"
#include "tests/libsched/group_run.h"

static void test_team(void)
{
	static const uint32_t threads[] = { 1, 2, 3, 7, 8, 31, 33, 64 };

	for (size_t k = 0; k < sizeof(threads) / sizeof(threads[0]); k++)
		for (uint32_t seed = 0; seed < 4; seed++)
			CU_ASSERT_EQUAL(group_run_team(threads[k], seed), 0);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
static void test_warps(void)
{
	for (uint32_t warps = 1; warps <= GROUP_WARPS_MOST; warps += warps < 4 ? 1 : 4)
		for (uint32_t seed = 0; seed < 4; seed++)
			CU_ASSERT_EQUAL(group_run_warps(warps, seed), 0);
}
#endif

int main(void)
{
	CU_TestInfo tests[] = {
		{ "threads agree with loops over their values", test_team },
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
		{ "warps agree with loops over their values", test_warps },
#endif
		CU_TEST_INFO_NULL
	};

	return test_run_one("functions of a group", tests);
}
