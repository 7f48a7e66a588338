/* The backend CUDA in a build without it: it has no device, and opening it fails. */
#include "libsched/core/backend.h"

static int none_device_count(void)
{
	return 0;
}

static lsched_status none_device_info(int device, lsched_device_info *info)
{
	(void)device;
	(void)info;
	return LSCHED_ERR_UNSUPPORTED;
}

static lsched_status none_open(lsched_ctx *ctx)
{
	return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
		"this libsched was built without CUDA; select the CPU backend");
}

const lsched_i_backend lsched_i_backend_cuda = {
	.kind = LSCHED_BACKEND_CUDA,
	.device_count = none_device_count,
	.device_info = none_device_info,
	.open = none_open,
};
