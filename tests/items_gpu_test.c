/* Item programs on a CUDA device: the common suite. Skipped without a device; SCHED_REQUIRE_GPU=1 makes
 * that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include "tests/items_suite.h"
#include "tests/testmain.h"

#ifdef HAVE_CUDA
#include "tests/sched_gpu.h"

#define ITEMS_X(name) extern const sched_program name##_cuda_program;
ITEMS_ALL(ITEMS_X)
#undef ITEMS_X

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 33, 264, 0 };
	CU_SuiteInfo suites[] = { { "items on a device", NULL, NULL, NULL, NULL, items_tests },
		CU_SUITE_INFO_NULL };
	sched_options o;
	char msg[256];
	int rc;

	sched_options_init(&o);
	o.backend = SCHED_BACKEND_CUDA;
	if (sched_open(&iplace.ctx, &o, msg, sizeof(msg)) != SCHED_OK)
		return test_skip_gpu(msg);
#define ITEMS_X(name) iplace.name = &name##_cuda_program;
	ITEMS_ALL(ITEMS_X)
#undef ITEMS_X
	iplace.workers = workers;
	iplace.worker_counts = sizeof(workers) / sizeof(workers[0]);
	iplace.nodes = 1000000;
	iplace.fib = 24;
	iplace.depth = 16;
	iplace.alloc = gpu_alloc;
	iplace.release = gpu_free;
	iplace.zero = gpu_zero;
	iplace.read = gpu_read;
	rc = test_run(suites);
	sched_close(&iplace.ctx);
	return rc;
}
#else
int main(void)
{
	return test_skip_gpu("built without CUDA");
}
#endif
