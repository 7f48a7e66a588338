/* Set-up that the suites of libsched share: contexts, options of runs, runs. */
#ifndef TESTS_COMMON_SCHED_SETUP_H
#define TESTS_COMMON_SCHED_SETUP_H

#include <libsched/sched.h>
#include <stdio.h>
#include "tests/common/check.h"
#include "tests/common/effort.h"
#include "tests/common/testmain.h"

/* The members given, and 0 for all others, which is the default of each (sized_test checks that):
 * o = RUN_OPTIONS(.queue = q, .workers = 3). */
#define RUN_OPTIONS(...) \
	((lsched_run_options){ .struct_bytes = sizeof(lsched_run_options), __VA_ARGS__ })

/* Creates a run; a failure ends the test with the context's error. */
#define CREATE(run, ctx, program, options)                                      \
	CHECK(lsched_run_create(run, ctx, program, options) == LSCHED_OK, "%s", \
		lsched_last_error(ctx))

static inline lsched_status test_try_open(
	lsched_ctx **ctx, lsched_backend backend, uint32_t workers, char *msg, size_t bytes)
{
	lsched_options o;

	lsched_options_init(&o);
	o.backend = backend;
	o.workers = workers;
	return lsched_open(ctx, &o, msg, bytes);
}

/* Opens a backend with so many workers; 0: the default. Returns 0; on failure prints the
 * error and returns 1. */
static inline int test_open(lsched_ctx **ctx, lsched_backend backend, uint32_t workers)
{
	char msg[256];

	if (test_try_open(ctx, backend, workers, msg, sizeof(msg)) == LSCHED_OK)
		return 0;
	fprintf(stderr, "%s\n", msg);
	return 1;
}

/* Opens the first device. Returns 0, or what test_skip_gpu returns. */
static inline int test_open_gpu(lsched_ctx **ctx)
{
	char msg[256];

	if (test_try_open(ctx, LSCHED_BACKEND_CUDA, 0, msg, sizeof(msg)) == LSCHED_OK)
		return 0;
	return test_skip_gpu(msg);
}

#endif
