/* A libsched context that can run as many workers as the options request. */
#ifndef APPS_GSCHED_DEVICE_H
#define APPS_GSCHED_DEVICE_H

#include "apps/gsched/options.h"
#include "workloads/common/workload.h"

/* Opens the backend and device that the options select. Returns 0, or -1 with msg. The caller calls
 * device_close() in both cases. */
int device_open(wl_device *d, const gs_options *o, char *msg, size_t msg_bytes);
void device_close(wl_device *d);
#endif
