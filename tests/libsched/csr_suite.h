/* Tests of task memory and of graphs given as data, on either backend: csr_test.c runs them on
 * threads, csr_gpu_test.c on a device. */
#ifndef TESTS_LIBSCHED_CSR_SUITE_H
#define TESTS_LIBSCHED_CSR_SUITE_H

#include <CUnit/CUnit.h>
#include <libsched/sched.h>
#include "tests/common/sched_setup.h"
#include "tests/libsched/csr_program.h"

/* Where and on what the suite runs; filled in by main before the tests. */
typedef struct csr_setting {
	lsched_ctx *ctx;
	const lsched_program *program;
	const uint32_t *workers; /* counts to try; 0 is the default */
	size_t worker_counts;
	uint32_t scale; /* 1: full size; larger: smaller graphs */
	int times;      /* repetitions of the largest graph; 0: one */
} csr_setting;

extern csr_setting csr_place;
extern CU_TestInfo suite_csr_tests[], suite_csr_build_tests[];
#endif
