/* In place of cuda/backend_cuda.cu in builds without CUDA. */
#include "h264intra/core/backend.h"

#include <stdio.h>

const h264i_backend_ops *h264i_i_backend_cuda(void)
{
	return NULL;
}

int h264i_cuda_usable(char *why, size_t why_bytes)
{
	if (why && why_bytes)
		snprintf(why, why_bytes, "built without CUDA");
	return 0;
}
