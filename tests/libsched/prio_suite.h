/* Tests of the queue prio that run on either executor: prio_test.c on threads, prio_gpu_test.c on a
 * device. They use the graph and CHECK() of sched_suite.h. */
#ifndef TESTS_PRIO_SUITE_H
#define TESTS_PRIO_SUITE_H

#include "tests/libsched/prio_program.h"
#include "tests/libsched/sched_suite.h"

typedef struct prio_programs {
	const lsched_program *order, *urgent, *sack;
} prio_programs;

extern prio_programs prio_place; /* beside `place`, whose graph is prio_place.urgent */

/* place.alloc and the like, by the memory of place.ctx; the default stream. */
void *prio_alloc(size_t bytes);
void prio_release(void *p);
void prio_zero(void *p, size_t bytes);
void prio_read(void *to, const void *from, size_t bytes);
void *prio_stream(uint32_t i);

extern CU_TestInfo suite_prio_tests[];
#endif
