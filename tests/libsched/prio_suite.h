/* Tests of the queue prio that run on either backend: prio_test.c on threads, prio_gpu_test.c on a
 * device. They use the graph and CHECK() of sched_suite.h. */
#ifndef TESTS_LIBSCHED_PRIO_SUITE_H
#define TESTS_LIBSCHED_PRIO_SUITE_H

#include "tests/libsched/prio_program.h"
#include "tests/libsched/sched_suite.h"

typedef struct prio_programs {
	const lsched_program *order, *urgent, *knapsack;
} prio_programs;

extern prio_programs prio_place; /* beside `place`, whose graph is prio_place.urgent */

extern CU_TestInfo suite_prio_tests[], suite_prio_graph_tests[];
#endif
