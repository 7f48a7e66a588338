/* Memory of the tasks on a device. */
#include "libsched/cuda/context.cuh"

/* What an operation on the context's own stream came to, waited for. */
static sched_status memory_done(sched_ctx *ctx, const char *what, cudaError_t e)
{
	if (e == cudaSuccess)
		e = cudaStreamSynchronize(((cuda_ctx *)ctx->impl)->memory);
	if (e == cudaSuccess)
		return SCHED_OK;
	return sched__cuda_fail(ctx, NULL, what, e);
}

sched_status sched__cuda_mem_alloc(sched_ctx *ctx, void **out, size_t bytes)
{
	const cudaStream_t stream = ((cuda_ctx *)ctx->impl)->memory;
	device_guard g;
	sched_status st;
	cudaError_t e = guard_enter(&g, ctx->device);

	if (e != cudaSuccess)
		return memory_done(ctx, "device", e);
	e = cudaMalloc(out, bytes);
	if (e == cudaSuccess)
		e = cudaMemsetAsync(*out, 0, bytes, stream);
	st = memory_done(ctx, "device memory", e);
	if (st != SCHED_OK) {
		(void)cudaFree(*out);
		*out = NULL;
	}
	guard_leave(&g);
	return st;
}

void sched__cuda_mem_free(sched_ctx *ctx, void *memory)
{
	device_guard g;

	/* freeing would wait for a kernel that hangs */
	if (ctx->lost == SCHED__LOST_HANG || guard_enter(&g, ctx->device) != cudaSuccess)
		return;
	(void)cudaFree(memory);
	guard_leave(&g);
}

static sched_status copy(
	sched_ctx *ctx, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	device_guard g;
	sched_status st;
	cudaError_t e = guard_enter(&g, ctx->device);

	if (e != cudaSuccess)
		return memory_done(ctx, "device", e);
	st = memory_done(ctx, "copying",
		cudaMemcpyAsync(to, from, bytes, kind, ((cuda_ctx *)ctx->impl)->memory));
	guard_leave(&g);
	return st;
}

sched_status sched__cuda_mem_write(sched_ctx *ctx, void *memory, const void *from, size_t bytes)
{
	return copy(ctx, memory, from, bytes, cudaMemcpyHostToDevice);
}

sched_status sched__cuda_mem_read(sched_ctx *ctx, void *to, const void *memory, size_t bytes)
{
	return copy(ctx, to, memory, bytes, cudaMemcpyDeviceToHost);
}

sched_status sched__cuda_mem_zero(sched_ctx *ctx, void *memory, size_t bytes)
{
	device_guard g;
	sched_status st;
	cudaError_t e = guard_enter(&g, ctx->device);

	if (e != cudaSuccess)
		return memory_done(ctx, "device", e);
	st = memory_done(ctx, "clearing",
		cudaMemsetAsync(memory, 0, bytes, ((cuda_ctx *)ctx->impl)->memory));
	guard_leave(&g);
	return st;
}
