/* CUDA devices, and the CUDA part of a context: open and close. */
#include <stdio.h>
#include <stdlib.h>
#include "libsched/cuda/context.cuh"

int lsched_i_cuda_device_count(void)
{
	int n = 0;

	if (cudaGetDeviceCount(&n) != cudaSuccess) {
		(void)cudaGetLastError();
		return 0;
	}
	return n;
}

lsched_status lsched_i_cuda_device_info(int device, lsched_device_info *info)
{
	struct cudaDeviceProp p;
	int khz = 0;

	if (device < 0 || device >= lsched_i_cuda_device_count())
		return LSCHED_ERR_NO_DEVICE;
	if (cudaGetDeviceProperties(&p, device) != cudaSuccess ||
		cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device) != cudaSuccess) {
		(void)cudaGetLastError();
		return LSCHED_ERR_DEVICE;
	}
	snprintf(info->name, sizeof(info->name), "%s", p.name);
	info->sm_count = p.multiProcessorCount;
	info->cc_major = p.major;
	info->cc_minor = p.minor;
	info->memory_bytes = p.totalGlobalMem;
	info->clock_khz = khz;
	return LSCHED_OK;
}

void lsched_i_cuda_close(lsched_ctx *ctx)
{
	cuda_ctx *c = (cuda_ctx *)ctx->impl;
	device_guard g;

	/* destroying a stream may wait for a kernel that hangs */
	if (!lsched_i_keeps_device(ctx) && guard_enter(&g, context_of(ctx)) == cudaSuccess) {
		if (c->memory)
			(void)cudaStreamDestroy(c->memory);
		if (c->work)
			(void)cudaStreamDestroy(c->work);
		guard_leave(&g);
	}
	free(c);
	ctx->impl = NULL;
}

lsched_status lsched_i_cuda_open(lsched_ctx *ctx)
{
	lsched_device_info info;
	device_context context;
	device_guard g;
	cuda_ctx *c;
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e == cudaSuccess && n == 0)
		e = cudaErrorNoDevice;
	if (e != cudaSuccess) {
		(void)cudaGetLastError();
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NO_DEVICE, "no usable CUDA device: %s",
			cudaGetErrorString(e));
	}
	ctx->device = ctx->o.device;
	if (ctx->device < 0)
		e = cudaGetDevice(&ctx->device);
	if (e == cudaSuccess && ctx->device >= n)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NO_DEVICE,
			"there is no CUDA device %d: devices are 0 to %d", ctx->device, n - 1);
	if (e == cudaSuccess)
		e = device_context_find(&context, ctx->device);
	if (e != cudaSuccess || lsched_i_cuda_device_info(ctx->device, &info) != LSCHED_OK) {
		(void)cudaGetLastError();
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NO_DEVICE,
			"CUDA device %d cannot be used: %s", ctx->device, cudaGetErrorString(e));
	}
	c = (cuda_ctx *)calloc(1, sizeof(*c));
	if (!c)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM, "out of memory");
	c->context = context;
	c->sm_count = info.sm_count;
	ctx->impl = c;
	e = guard_enter(&g, &context);
	if (e == cudaSuccess) {
		e = cudaStreamCreateWithFlags(&c->memory, cudaStreamNonBlocking);
		if (e == cudaSuccess)
			e = cudaStreamCreateWithFlags(&c->work, cudaStreamNonBlocking);
		guard_leave(&g);
	}
	if (e != cudaSuccess) {
		(void)cudaGetLastError();
		lsched_i_cuda_close(ctx);
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NO_DEVICE,
			"CUDA device %d cannot be used: %s", ctx->device, cudaGetErrorString(e));
	}
	ctx->workers = ctx->o.workers;
	snprintf(ctx->device_name, sizeof(ctx->device_name), "%s", info.name);
	return LSCHED_OK;
}
