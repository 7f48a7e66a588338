/* The CUDA backend: creates and destroys runs. Memory is allocated and kernels are loaded when a
 * run is created, because both may wait for a running kernel. Files: device.cu devices and
 * contexts, launch.cu starts, wait.cu the end of an execution, memory.cu memory of the tasks. */
#include <stdlib.h>
#include <string.h>
#include "libsched/cuda/context.cuh"

/* Also frees a run whose creation failed, so each part may be missing. Ignores errors: no caller
 * could handle them. */
static lsched_status cuda_destroy(lsched_run *run)
{
	cuda_run *c = (cuda_run *)run->impl;
	device_guard g;

	if (!c)
		return LSCHED_OK;
	lsched_i_cuda_remove(run);
	/* freeing waits for kernels, and a kernel that hangs may still use the memory, which the
	 * end of the process then frees */
	if (!lsched_i_keeps_device(run->ctx) &&
		guard_enter(&g, context_of(run->ctx)) == cudaSuccess) {
		if (c->done)
			(void)cudaEventDestroy(c->done);
		if (c->cleared)
			(void)cudaEventDestroy(c->cleared);
		if (c->own)
			(void)cudaStreamDestroy(c->own);
		(void)cudaFree(run->memory);
		(void)cudaFree(c->d_events);
		(void)cudaFreeHost(c->h_result);
		(void)cudaFreeHost(run->events_raw);
		(void)cudaFreeHost(c->h_copy);
		(void)cudaFreeHost(c->h_current_task);
		(void)cudaFreeHost(c->h_marks);
		guard_leave(&g);
	}
	free(c->program_ctx);
	free(c);
	run->impl = NULL;
	run->memory = NULL;
	run->events_raw = NULL;
	return LSCHED_OK;
}

/* Computes the number of workers: the option, or as many as are resident at once. */
static lsched_status size_grid(lsched_run *run, cuda_run *c)
{
	const lsched_program *p = run->program;
	const void *kernel = p->kernel_handle(run->entry->kernel);
	struct cudaFuncAttributes attr;
	int blocks = 0;

	if (!kernel)
		return lsched_i_error(run->ctx, NULL, LSCHED_ERR_DEVICE,
			"%s: no kernel for scheme '%s' and queue '%s'; compile the program for the "
			"architecture of this device",
			p->name, lsched_scheme_name(run->entry->scheme),
			lsched_queue_name(run->entry->queue));
	c->kernel = kernel;
	c->block_threads = 32 * p->warps_per_block * (1 + p->helpers);
	c->shared_bytes = p->local_bytes * p->warps_per_block;
	/* also loads the kernel, because loading it at its first launch may wait for running
	 * kernels */
	TRY(run, "loading the kernel", cudaFuncGetAttributes(&attr, kernel));
	if (c->shared_bytes + attr.sharedSizeBytes > 48 * 1024)
		TRY(run, "shared memory of a block",
			cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				(int)c->shared_bytes));
	TRY(run, "occupancy",
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, kernel, (int)c->block_threads, c->shared_bytes));
	if (blocks == 0)
		return lsched_i_error(run->ctx, NULL, LSCHED_ERR_UNSUPPORTED,
			"%s: a block does not fit on this device", p->name);
	run->resident = (uint32_t)blocks * (uint32_t)((cuda_ctx *)run->ctx->impl)->sm_count *
			p->warps_per_block;
	run->max_workers = run->o.workers ? run->o.workers : run->resident;
	if (p->has_rule && run->max_workers > run->o.max_tasks)
		run->max_workers = run->o.max_tasks;
	lsched_i_log(run->ctx, LSCHED_LOG_DEBUG,
		"%s: %u workers, %d registers, %zu bytes of local memory, %d blocks an SM", p->name,
		(unsigned)run->max_workers, attr.numRegs, attr.localSizeBytes, blocks);
	return LSCHED_OK;
}

static lsched_status create_in_context(lsched_run *run, cuda_run *c)
{
	size_t event_bytes;
	lsched_status st = size_grid(run, c);

	if (st != LSCHED_OK)
		return st;
	st = lsched_i_plan_memory(run);
	if (st != LSCHED_OK)
		return st;
	TRY(run, "stream", cudaStreamCreateWithFlags(&c->own, cudaStreamNonBlocking));
	TRY(run, "device memory", cudaMalloc((void **)&run->memory, run->plan.bytes));
	TRY(run, "clearing device memory",
		cudaMemsetAsync(run->memory, 0, run->plan.bytes, c->own));
	TRY(run, "pinned memory",
		cudaHostAlloc((void **)&c->h_result, sizeof(*c->h_result), cudaHostAllocMapped));
	memset(c->h_result, 0, sizeof(*c->h_result));
	run->args.result = c->h_result;
	TRY(run, "pinned memory",
		cudaHostAlloc((void **)&c->h_copy, sizeof(*c->h_copy), cudaHostAllocDefault));
	TRY(run, "pinned memory",
		cudaHostAlloc((void **)&c->h_marks,
			(size_t)run->max_workers * run->args.mark_words * 4, cudaHostAllocDefault));
	TRY(run, "event", cudaEventCreateWithFlags(&c->done, cudaEventDisableTiming));
	TRY(run, "event", cudaEventCreateWithFlags(&c->cleared, cudaEventDisableTiming));
	if (run->o.trace) {
		event_bytes = (size_t)run->max_workers * run->o.trace * sizeof(lsched_event);
		TRY(run, "device memory for the timeline",
			cudaMalloc((void **)&c->d_events, event_bytes));
		TRY(run, "pinned memory for the timeline",
			cudaHostAlloc(
				(void **)&run->events_raw, event_bytes, cudaHostAllocDefault));
		run->args.events = c->d_events;
		TRY(run, "pinned memory",
			cudaHostAlloc((void **)&c->h_current_task, (size_t)run->max_workers * 4,
				cudaHostAllocDefault));
	}
	TRY(run, "clearing device memory", cudaStreamSynchronize(c->own));
	return LSCHED_OK;
}

static lsched_status cuda_create(lsched_run *run)
{
	cuda_run *c = (cuda_run *)calloc(1, sizeof(*c));
	device_guard g;
	lsched_status st;

	run->impl = c;
	if (c)
		c->program_ctx = (unsigned char *)malloc(run->program->ctx_bytes);
	if (!c || !c->program_ctx)
		return lsched_i_error(
			run->ctx, NULL, LSCHED_ERR_NOMEM, "%s: out of memory", run->program->name);
	TRY(run, "device", guard_enter(&g, context_of(run->ctx)));
	st = create_in_context(run, c);
	guard_leave(&g);
	return st;
}

extern "C" const lsched_i_backend lsched_i_backend_cuda = {
	LSCHED_BACKEND_CUDA,
	32,                /* lanes */
	0,                 /* host_memory */
	LSCHED_ERR_DEVICE, /* lost_status */
	lsched_i_cuda_device_count,
	lsched_i_cuda_device_info,
	lsched_i_cuda_open,
	lsched_i_cuda_close,
	cuda_create,
	cuda_destroy,
	lsched_i_cuda_start,
	lsched_i_cuda_done,
	lsched_i_cuda_wait,
	lsched_i_cuda_cancel,
	lsched_i_cuda_snapshot,
	lsched_i_cuda_mem_alloc,
	lsched_i_cuda_mem_free,
	lsched_i_cuda_mem_write,
	lsched_i_cuda_mem_read,
	lsched_i_cuda_mem_zero,
	lsched_i_cuda_shared_alloc,
	lsched_i_cuda_shared_free,
};
