/* Pairs, trees and contacts on a CUDA device. */
#include "tests/collide/pairs_suite.h"
#include "tests/collide/setup.h"
#include "tests/common/testmain.h"

/* cudaStreamPerThread, whose value is a part of CUDA's interface. */
static int on_stream(void)
{
	setup_stream = (void *)2;
	return 0;
}

int main(void)
{
	CU_TestInfo tests[] = { COLLIDE_SUITE(COLLIDE_ENTRY) CU_TEST_INFO_NULL };
	CU_SuiteInfo suites[] = { TEST_SUITE("a CUDA device", tests),
		{ "a stream of the caller", on_stream, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };
	collide_options o;
	collide_ctx *c;

	collide_options_init(&o);
	o.backend = setup_backend = COLLIDE_BACKEND_CUDA;
	if (collide_open(&c, &o) != COLLIDE_OK)
		return test_skip_gpu(collide_last_error());
	collide_close(&c);
	return test_run(suites);
}
