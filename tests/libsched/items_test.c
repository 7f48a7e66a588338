/* Item programs on CPU threads, some of them with 32 emulated lanes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ITEMS_PROGRAMS
#include "tests/libsched/items_suite.h"
#include "tests/common/testmain.h"

static void *cpu_alloc(size_t bytes)
{
	return calloc(1, bytes);
}

static void cpu_zero(void *p, size_t bytes)
{
	memset(p, 0, bytes);
}

static void cpu_read(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 8, 64 };
	CU_SuiteInfo suites[] = { { "items on threads", NULL, NULL, NULL, NULL, items_tests },
		CU_SUITE_INFO_NULL };
	int rc;

	rc = test_open(&iplace.ctx, LSCHED_BACKEND_CPU, 64);
	if (rc)
		return rc;
#define ITEMS_X(name) iplace.name = &name##_cpu_program;
	ITEMS_ALL(ITEMS_X)
#undef ITEMS_X
	iplace.workers = workers;
	iplace.worker_counts = sizeof(workers) / sizeof(workers[0]);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	iplace.nodes = 5000;
	iplace.fib = 14;
	iplace.depth = 8;
#else
	iplace.nodes = 30000;
	iplace.fib = 18;
	iplace.depth = 11;
#endif
	iplace.alloc = cpu_alloc;
	iplace.release = free;
	iplace.zero = cpu_zero;
	iplace.read = cpu_read;
	rc = test_run(suites);
	lsched_close(&iplace.ctx);
	return rc;
}
