/* The litmus tests on a CUDA device, many pairs of SMs at a time. Skipped without a device;
 * SCHED_REQUIRE_GPU=1 makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <libsched/sched.h>
#include "tests/common/testmain.h"

#ifdef HAVE_CUDA
#include "tests/libsched/litmus_suite.h"

void litmus_gpu_run(litmus_args *a, litmus_counts *sum); /* litmus.cu */

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("orderings on the device", litmus_tests),
		CU_SUITE_INFO_NULL };
	lsched_device_info info = { .struct_bytes = sizeof(info) };

	if (lsched_device_count() == 0)
		return test_skip_gpu("no usable CUDA device");
	if (lsched_device_get_info(0, &info) != LSCHED_OK)
		return 1;
	printf("%s\n", info.name);
	litmus_on.run = litmus_gpu_run;
	/* two a multiprocessor: all resident, as the barrier requires */
	litmus_on.workers = 2 * (uint32_t)info.sm_count;
	litmus_on.rounds = 500;
	litmus_on.repeats = 20;
	litmus_on.jitter = 3000;
	return test_run(suites);
}

#else
TEST_WITHOUT_CUDA
#endif
