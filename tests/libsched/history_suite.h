/* The queues under the history program, on threads or on a device; main sets where. */
#ifndef TESTS_LIBSCHED_HISTORY_SUITE_H
#define TESTS_LIBSCHED_HISTORY_SUITE_H

#include <CUnit/CUnit.h>
#include <libsched/sched.h>
#include "tests/common/sched_setup.h"
#include "tests/libsched/history_check.h"
#include "tests/libsched/spread.h"

typedef struct history_stage {
	lsched_ctx *ctx;
	const lsched_program *program, *spread;
	const uint32_t *workers; /* ends with 0 */
	uint32_t ops;            /* of all workers together, about */
	uint32_t repeats;
	void *(*alloc)(size_t bytes); /* memory of the tasks, zeroed */
	void (*release)(void *p);
	void (*read)(void *to, const void *from, size_t bytes);
} history_stage;

extern history_stage history_on;
extern CU_TestInfo history_tests[];
#endif
