/* A libsched context that can run as many workers as the options request, and memory for tasks. */
#ifndef APPS_GSCHED_DEVICE_H
#define APPS_GSCHED_DEVICE_H

#include <libsched/sched.h>
#include "apps/gsched/options.h"

typedef struct gs_device {
	lsched_ctx *ctx;
	lsched_backend backend;
	uint32_t max_workers; /* of any execution: length of arrays with one entry per worker */
} gs_device;

/* Opens the backend and device that the options select. Returns 0, or -1 with msg. The caller calls
 * device_close() in both cases. */
int device_open(gs_device *d, const gs_options *o, char *msg, size_t msg_bytes);
void device_close(gs_device *d);

/* Returns zeroed memory that tasks can access, or NULL with the reason in msg. */
void *device_alloc(gs_device *d, size_t bytes, char *msg, size_t msg_bytes);
void device_free(gs_device *d, void *memory);
/* Set memory to zero; copy memory to the host. Return 0 or -1. No run may be executing. */
int device_zero(gs_device *d, void *memory, size_t bytes);
int device_read(gs_device *d, void *to, const void *memory, size_t bytes);
#endif
