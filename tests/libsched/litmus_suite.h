/* The litmus tests as a suite: what runs them is filled in by main, threads or a device. */
#ifndef TESTS_SCHED_LITMUS_SUITE_H
#define TESTS_SCHED_LITMUS_SUITE_H

#include <CUnit/CUnit.h>
#include "tests/libsched/litmus.h"

typedef struct litmus_stage {
	/* Plays a->rounds rounds in a->groups groups on fresh memory, and adds the judgements. a
	 * has no memory yet. */
	void (*run)(litmus_args *a, litmus_counts *sum);
	uint32_t workers; /* that may play at once: groups are made of them */
	uint32_t rounds, repeats;
	uint32_t jitter;
	int sound_only; /* weak variants are data races: not for ThreadSanitizer */
} litmus_stage;

extern litmus_stage litmus_on;
extern CU_TestInfo litmus_tests[];
#endif
