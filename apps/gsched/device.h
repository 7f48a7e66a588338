/* Where the loads run: a context of libsched with room for the most workers asked for, and memory. */
#ifndef APPS_GSCHED_DEVICE_H
#define APPS_GSCHED_DEVICE_H

#include <libsched/sched.h>
#include "apps/gsched/options.h"

typedef struct gs_device {
	lsched_ctx *ctx;
	lsched_backend backend;
	uint32_t max_workers; /* of any start: arrays with a line a worker are so long */
} gs_device;

/* 0, or -1 with msg. *d is closed by device_close in both cases. */
int device_open(gs_device *d, const gs_options *o, char *msg, size_t msg_bytes);
void device_close(gs_device *d);

/* Memory that tasks can reach, zeroed. NULL with the reason in msg. */
void *device_alloc(gs_device *d, size_t bytes, char *msg, size_t msg_bytes);
void device_free(gs_device *d, void *memory);
/* 0 or -1. No run may be going on. */
int device_zero(gs_device *d, void *memory, size_t bytes);
int device_read(gs_device *d, void *to, const void *memory, size_t bytes);
#endif
