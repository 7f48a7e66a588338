/* Executions of a workload in tests: on CPU threads, each checked by the workload itself. */
#ifndef TESTS_WORKLOADS_HARNESS_H
#define TESTS_WORKLOADS_HARNESS_H

#include "workloads/common/workload.h"

typedef struct harness {
	const wl_type *type;
	wl_device d;
	wl_work w;
	uint32_t lanes; /* of a worker, where emulated lanes reserve joins; 0: one */
	char why[256];  /* of the last failure */
} harness;

/* Opens a context of `workers` CPU threads and makes the workload. Returns 0, or -1 with why; to be
 * closed in both cases. */
int harness_open(harness *h, const wl_type *type, const void *options, uint32_t workers);

/* Runs the work of h->w with its CPU program, up to as often as the workload asks for, and checks
 * it. A program that emulates h->lanes lanes a worker needs a context of so many times as many
 * workers. Returns 0, or -1 with why. */
int harness_run(harness *h, lsched_queue queue, uint32_t workers);

void harness_close(harness *h);
#endif
