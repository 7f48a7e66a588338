/* Memory of the tasks on a device. */
#include <string.h>
#include "libsched/cuda/context.cuh"

/* Waits for the operation that was enqueued on the context's stream; returns its outcome. */
static lsched_status memory_done(lsched_ctx *ctx, const char *what, cudaError_t e)
{
	if (e == cudaSuccess)
		e = cudaStreamSynchronize(((cuda_ctx *)ctx->impl)->memory);
	if (e == cudaSuccess)
		return LSCHED_OK;
	return lsched_i_cuda_fail(ctx, NULL, what, e);
}

lsched_status lsched_i_cuda_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes)
{
	const cudaStream_t stream = ((cuda_ctx *)ctx->impl)->memory;
	device_guard g;
	lsched_status st;
	cudaError_t e = guard_enter(&g, context_of(ctx));

	if (e != cudaSuccess)
		return memory_done(ctx, "device", e);
	e = cudaMalloc(out, bytes);
	if (e == cudaSuccess)
		e = cudaMemsetAsync(*out, 0, bytes, stream);
	st = memory_done(ctx, "device memory", e);
	if (st != LSCHED_OK) {
		(void)cudaFree(*out);
		*out = NULL;
	}
	guard_leave(&g);
	return st;
}

void lsched_i_cuda_mem_free(lsched_ctx *ctx, void *memory)
{
	device_guard g;

	/* freeing would wait for a kernel that hangs */
	if (lsched_i_keeps_device(ctx) || guard_enter(&g, context_of(ctx)) != cudaSuccess)
		return;
	(void)cudaFree(memory);
	guard_leave(&g);
}

static lsched_status copy(
	lsched_ctx *ctx, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	device_guard g;
	lsched_status st;
	cudaError_t e = guard_enter(&g, context_of(ctx));

	if (e != cudaSuccess)
		return memory_done(ctx, "device", e);
	st = memory_done(ctx, "copying",
		cudaMemcpyAsync(to, from, bytes, kind, ((cuda_ctx *)ctx->impl)->memory));
	guard_leave(&g);
	return st;
}

lsched_status lsched_i_cuda_mem_write(lsched_ctx *ctx, void *memory, const void *from, size_t bytes)
{
	return copy(ctx, memory, from, bytes, cudaMemcpyHostToDevice);
}

lsched_status lsched_i_cuda_mem_read(lsched_ctx *ctx, void *to, const void *memory, size_t bytes)
{
	return copy(ctx, to, memory, bytes, cudaMemcpyDeviceToHost);
}

lsched_status lsched_i_cuda_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes)
{
	device_guard g;
	lsched_status st;
	cudaError_t e = guard_enter(&g, context_of(ctx));

	if (e != cudaSuccess)
		return memory_done(ctx, "device", e);
	st = memory_done(ctx, "clearing",
		cudaMemsetAsync(memory, 0, bytes, ((cuda_ctx *)ctx->impl)->memory));
	guard_leave(&g);
	return st;
}

/* Mapped, so that kernels access it by the host's address, and portable, for all contexts. Pages of
 * managed memory would move between both sides. */
lsched_status lsched_i_cuda_shared_alloc(lsched_ctx *ctx, void **out, size_t bytes)
{
	device_guard g;
	cudaError_t e = guard_enter(&g, context_of(ctx));

	*out = NULL;
	if (e != cudaSuccess)
		return memory_done(ctx, "device", e);
	e = cudaHostAlloc(out, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
	if (e == cudaSuccess)
		memset(*out, 0, bytes);
	else
		*out = NULL;
	guard_leave(&g);
	return e == cudaSuccess ? LSCHED_OK : lsched_i_cuda_fail(ctx, NULL, "pinned memory", e);
}

void lsched_i_cuda_shared_free(lsched_ctx *ctx, void *memory)
{
	device_guard g;

	/* a kernel that hangs may access it */
	if (lsched_i_keeps_device(ctx) || guard_enter(&g, context_of(ctx)) != cudaSuccess)
		return;
	(void)cudaFreeHost(memory);
	guard_leave(&g);
}
