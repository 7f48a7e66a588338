/* Stands in for backend_cuda.cu in a build without CUDA. */
#include "libsched/core/backend.h"

int sched__cuda_device_count(void)
{
	return 0;
}

sched_status sched__cuda_device_info(int device, sched_device_info *info)
{
	(void)device;
	(void)info;
	return SCHED_ERR_UNSUPPORTED;
}

static sched_status none_open(sched_ctx *ctx)
{
	return sched__error(
		ctx, NULL, SCHED_ERR_UNSUPPORTED, "this libsched was built without CUDA");
}

const sched__backend sched__backend_cuda = { SCHED_BACKEND_CUDA, none_open, NULL, NULL, NULL, NULL,
	NULL, NULL, NULL, NULL, NULL, NULL, NULL };
