/* Stands in for backend_cuda.cu in a build without CUDA. */
#include "libsched/core/backend.h"

int lsched_i_cuda_device_count(void)
{
	return 0;
}

lsched_status lsched_i_cuda_device_info(int device, lsched_device_info *info)
{
	(void)device;
	(void)info;
	return LSCHED_ERR_UNSUPPORTED;
}

static lsched_status none_open(lsched_ctx *ctx)
{
	return lsched_i_error(
		ctx, NULL, LSCHED_ERR_UNSUPPORTED, "this libsched was built without CUDA");
}

const lsched_i_backend lsched_i_backend_cuda = { LSCHED_BACKEND_CUDA, none_open, NULL, NULL, NULL,
	NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL };
