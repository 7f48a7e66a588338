/* The queues under the history program on a CUDA device; the host checks. Skipped without a device;
 * SCHED_REQUIRE_GPU=1 makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <libsched/sched.h>
#include "tests/common/testmain.h"

#ifdef HAVE_CUDA
#include "tests/libsched/sched_gpu.h"
#include "tests/libsched/history_suite.h"

extern const lsched_program history_cuda_program, spread_cuda_program; /* history.cu */

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("histories on the device", history_tests),
		CU_SUITE_INFO_NULL };
	uint32_t workers[] = { 1, 2, 33, 1, 4, 16, 0 };
	lsched_device_info info = { .struct_bytes = sizeof(info) };
	int rc;

	rc = test_open_gpu(&history_on.ctx);
	if (rc)
		return rc;
	if (lsched_device_get_info(lsched_ctx_device(history_on.ctx), &info) != LSCHED_OK)
		return 1;
	/* all resident, since the workers wait for each other */
	for (int k = 3; k < 6; k++)
		workers[k] *= (uint32_t)info.sm_count;
	history_on.program = &history_cuda_program;
	history_on.spread = &spread_cuda_program;
	history_on.workers = workers;
	history_on.ops = 20000;
	history_on.repeats = 2;
	history_on.alloc = gpu_alloc;
	history_on.release = gpu_free;
	history_on.read = gpu_read;
	rc = test_run(suites);
	lsched_close(&history_on.ctx);
	return rc;
}

#else
TEST_WITHOUT_CUDA
#endif
