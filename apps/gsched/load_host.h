/* Host side of the loads: memory and checks that several commands need. The functions that may fail
 * write one line without a newline to msg. */
#ifndef APPS_GSCHED_LOAD_HOST_H
#define APPS_GSCHED_LOAD_HOST_H

#include "apps/gsched/device.h"
#include "apps/gsched/load_work.h"
#include "apps/gsched/options.h"

/* Returns zeroed host memory, or NULL with msg. */
void *host_alloc(size_t bytes, char *msg, size_t msg_bytes);

/* Returns a copy of memory that tasks have written, to be freed by the caller, or NULL with msg. */
void *host_copy(gs_device *d, const void *memory, size_t bytes, char *msg, size_t msg_bytes);

/* Sets memory that tasks use to zero. Returns 0, or -1 with msg. */
int host_clear(gs_device *d, void *memory, size_t bytes, char *msg, size_t msg_bytes);

/* Returns 0, or -1 with msg if arrays with one entry per worker are too short for `workers`. */
int host_check_workers(const gs_device *d, uint32_t workers, char *msg, size_t msg_bytes);

/* Returns the lengths of tasks that --work and --law select, with this seed. */
load_length host_length(const gs_options *o, uint32_t seed);
#endif
