/* The litmus tests as a suite, on threads or on a device; main sets where. */
#ifndef TESTS_LIBSCHED_LITMUS_SUITE_H
#define TESTS_LIBSCHED_LITMUS_SUITE_H

#include <CUnit/CUnit.h>
#include "tests/libsched/litmus.h"

typedef struct litmus_stage {
	/* Allocates the memory of `a`, runs its rounds in its groups, and adds the outcomes to
	 * sum. */
	void (*run)(litmus_args *a, litmus_counts *sum);
	uint32_t workers; /* that run at once, divided into groups */
	uint32_t rounds, repeats;
	uint32_t jitter;
	int sound_only; /* weak variants are data races: not for ThreadSanitizer */
} litmus_stage;

extern litmus_stage litmus_on;
extern CU_TestInfo litmus_tests[];
#endif
