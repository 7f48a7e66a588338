/* The litmus tests as a suite, on threads or on a device; main sets where. */
#ifndef TESTS_SCHED_LITMUS_SUITE_H
#define TESTS_SCHED_LITMUS_SUITE_H

#include <CUnit/CUnit.h>
#include "tests/libsched/litmus.h"

typedef struct litmus_stage {
	/* Runs a->rounds rounds in a->groups groups on new memory, and adds the outcomes. a has no
	 * memory yet. */
	void (*run)(litmus_args *a, litmus_counts *sum);
	uint32_t workers; /* that run at once; groups are made of them */
	uint32_t rounds, repeats;
	uint32_t jitter;
	int sound_only; /* weak variants are data races: not for ThreadSanitizer */
} litmus_stage;

extern litmus_stage litmus_on;
extern CU_TestInfo litmus_tests[];
#endif
