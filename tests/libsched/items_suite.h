/* Tests of item programs that run on either backend: items_test.c runs them on threads,
 * items_gpu_test.c on a device. */
#ifndef TESTS_LIBSCHED_ITEMS_SUITE_H
#define TESTS_LIBSCHED_ITEMS_SUITE_H

#include <CUnit/CUnit.h>
#include <libsched/sched.h>
#include "tests/common/sched_setup.h"
#include "tests/libsched/items_programs.h"

/* X(program) */
#define ITEMS_ALL(X) \
	X(mlane)     \
	X(mone) X(mprocs) X(mwarp) X(mblock) X(fibup) X(fibthen) X(foldmin) X(foldmax) X(foldxor)

typedef struct items_place {
	lsched_ctx *ctx;
#define ITEMS_X(name) const lsched_program *name;
	ITEMS_ALL(ITEMS_X)
#undef ITEMS_X
	const uint32_t *workers; /* counts to try; 0 is the default */
	size_t worker_counts;
	uint32_t nodes; /* of a forest of marks */
	uint32_t fib;   /* n */
	uint32_t depth; /* of a fold */
	void *(*alloc)(size_t bytes);
	void (*release)(void *p);
	void (*zero)(void *p, size_t bytes);
	void (*read)(void *to, const void *from, size_t bytes);
} items_place;

extern items_place iplace;
extern CU_TestInfo items_tests[];
#endif
