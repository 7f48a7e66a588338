/* Memory of workloads: of the host, and memory that tasks access. What wl_own and wl_alloc return
 * belongs to the work: wl_destroy releases it. */
#ifndef WORKLOADS_COMMON_MEMORY_H
#define WORKLOADS_COMMON_MEMORY_H

#include "workloads/common/workload.h"

/* Returns 0 if the host has less memory than so many bytes: Linux grants more, and kills a process
 * that uses it. 1 if it has, or where it does not say so. */
int wl_host_has(uint64_t bytes);

/* Makes msg say that so many bytes of host memory are not there, and what to do. Returns -1. */
int wl_no_memory(size_t bytes, char *msg, size_t n);

/* Makes msg say that `what` cannot be allocated, by an error of libsched, and what to do. Returns
 * -1. */
int wl_cannot_allocate(const wl_device *d, lsched_status st, const char *what, char *msg, size_t n);

/* Returns zeroed host memory to be freed by free(), or NULL with msg. */
void *wl_host_alloc(size_t bytes, char *msg, size_t n);

/* The same, of the work. */
void *wl_own(wl_device *d, size_t bytes, char *msg, size_t n);

/* Returns zeroed memory of the work that tasks can access, or NULL with msg that names the size. */
void *wl_alloc(wl_device *d, size_t bytes, char *msg, size_t n);
/* Releases memory of wl_own or wl_alloc before the work ends. NULL is allowed. */
void wl_free(wl_device *d, void *memory);

/* Set memory of tasks to zero, copy it to the host, copy host memory to it. No run may be
 * executing. Return 0, or -1 with msg. wl_zero fails when wl_stopped(): gigabytes take seconds. */
int wl_zero(wl_device *d, void *memory, size_t bytes, char *msg, size_t n);
int wl_read(wl_device *d, void *to, const void *memory, size_t bytes, char *msg, size_t n);
int wl_write(wl_device *d, void *memory, const void *from, size_t bytes, char *msg, size_t n);

/* Returns a copy of host memory that tasks can access, of the work, or NULL with msg. */
void *wl_upload(wl_device *d, const void *from, size_t bytes, char *msg, size_t n);

/* Returns a copy of memory that tasks have written, to be freed by free(), or NULL with msg. */
void *wl_host_copy(wl_device *d, const void *memory, size_t bytes, char *msg, size_t n);

/* Returns 0, or -1 with msg if arrays with one entry per worker are too short for `workers`. */
int wl_check_workers(const wl_device *d, uint32_t workers, char *msg, size_t n);
#endif
