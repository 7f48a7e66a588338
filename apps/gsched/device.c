#include "apps/gsched/device.h"

#include <stdio.h>
#include <string.h>

/* On the CPU the context starts its threads, so it has to know the largest number of workers; on the
 * GPU 0 lets each run have as many warps as are resident, at most 64 an SM on any device so far. */
int device_open(gs_device *d, const gs_options *o, char *msg, size_t msg_bytes)
{
	enum { WARPS_OF_AN_SM = 64 };
	uint32_t workers[GS_MOST_LISTED], most = 0, open_ended = 0;
	const size_t n = gs_list_workers(o, workers);
	sched_device_info info;
	sched_options so;
	sched_status st;

	memset(d, 0, sizeof(*d));
	for (size_t i = 0; i < n; i++) {
		most = workers[i] > most ? workers[i] : most;
		open_ended |= workers[i] == 0;
	}
	sched_options_init(&so);
	so.backend = (sched_backend)o->backend;
	so.device = o->device;
	so.timeout_ms = o->timeout_ms;
	if (so.backend == SCHED_BACKEND_AUTO)
		so.backend = sched_device_count() > 0 ? SCHED_BACKEND_CUDA : SCHED_BACKEND_CPU;
	if (so.backend == SCHED_BACKEND_CPU)
		so.workers = most;
	st = sched_open(&d->ctx, &so, msg, msg_bytes);
	if (st != SCHED_OK)
		return -1;
	d->backend = sched_ctx_backend(d->ctx);
	d->most_workers = most;
	if (d->backend == SCHED_BACKEND_CPU)
		d->most_workers = sched_ctx_workers(d->ctx);
	else if (open_ended && sched_device_get_info(sched_ctx_device(d->ctx), &info) == SCHED_OK &&
		 (uint32_t)info.sm_count * WARPS_OF_AN_SM > most)
		d->most_workers = (uint32_t)info.sm_count * WARPS_OF_AN_SM;
	return 0;
}

void device_close(gs_device *d)
{
	sched_close(&d->ctx);
}

void *device_alloc(gs_device *d, size_t bytes, char *msg, size_t msg_bytes)
{
	void *memory;

	if (sched_mem_alloc(d->ctx, &memory, bytes) != SCHED_OK) {
		snprintf(msg, msg_bytes, "%s", sched_last_error(d->ctx));
		return NULL;
	}
	return memory;
}

void device_free(gs_device *d, void *memory)
{
	sched_mem_free(d->ctx, memory);
}

int device_zero(gs_device *d, void *memory, size_t bytes)
{
	return sched_mem_zero(d->ctx, memory, bytes) == SCHED_OK ? 0 : -1;
}

int device_read(gs_device *d, void *to, const void *memory, size_t bytes)
{
	return sched_mem_read(d->ctx, to, memory, bytes) == SCHED_OK ? 0 : -1;
}
