#include "apps/gsched/device.h"
#include "apps/common/stop.h"

#include <string.h>

/* A CPU context starts its threads when it opens, so it needs the largest number of workers of all
 * runs. On a GPU 0 workers are all resident warps, at most 64 per SM on all devices so far. */
int device_open(wl_device *d, const gs_options *o, char *msg, size_t msg_bytes)
{
	enum { WARPS_PER_SM = 64 };
	uint32_t workers[GS_MAX_LISTED], most = 0, automatic = 0;
	const size_t n = gs_list_workers(o, workers);
	lsched_device_info info = { .struct_bytes = sizeof(info) };
	lsched_options so;
	lsched_status st;

	memset(d, 0, sizeof(*d));
	for (size_t i = 0; i < n; i++) {
		most = workers[i] > most ? workers[i] : most;
		automatic |= workers[i] == 0;
	}
	lsched_options_init(&so);
	so.backend = (lsched_backend)o->backend;
	so.device = o->device;
	so.timeout_ms = o->timeout_ms;
	if (so.backend == LSCHED_BACKEND_AUTO)
		so.backend = lsched_device_count() > 0 ? LSCHED_BACKEND_CUDA : LSCHED_BACKEND_CPU;
	if (so.backend == LSCHED_BACKEND_CPU)
		so.workers = most;
	st = lsched_open(&d->ctx, &so, msg, msg_bytes);
	if (st != LSCHED_OK)
		return -1;
	d->backend = lsched_ctx_backend(d->ctx);
	d->timeout_ms = o->timeout_ms;
	d->overwrite = o->overwrite;
	d->stop = stop_flag();
	d->max_workers = most;
	if (d->backend == LSCHED_BACKEND_CPU)
		d->max_workers = lsched_ctx_workers(d->ctx);
	else if (automatic &&
		 lsched_device_get_info(lsched_ctx_device(d->ctx), &info) == LSCHED_OK &&
		 (uint32_t)info.sm_count * WARPS_PER_SM > most)
		d->max_workers = (uint32_t)info.sm_count * WARPS_PER_SM;
	return 0;
}

void device_close(wl_device *d)
{
	lsched_close(&d->ctx);
}
