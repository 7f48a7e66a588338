/* The CUDA executor: one kernel launch and one event record for a start (a launch per wavefront under
 * sync). Allocation and kernel loading happen at create time, for both can block behind a kernel that
 * is running. The last worker of a kernel writes the result to pinned host memory itself. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/backend.h"
#include "libsched/cuda/context.cuh"

extern "C" int lsched_i_cuda_device_count(void)
{
	int n = 0;

	if (cudaGetDeviceCount(&n) != cudaSuccess) {
		(void)cudaGetLastError();
		return 0;
	}
	return n;
}

extern "C" lsched_status lsched_i_cuda_device_info(int device, lsched_device_info *info)
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

static void cuda_close(lsched_ctx *ctx)
{
	cuda_ctx *c = (cuda_ctx *)ctx->impl;
	device_guard g;

	/* with a kernel that hangs even this might wait */
	if (ctx->lost != LSCHED_I_LOST_HANG && guard_enter(&g, home_of(ctx)) == cudaSuccess) {
		if (c->memory)
			(void)cudaStreamDestroy(c->memory);
		if (c->work)
			(void)cudaStreamDestroy(c->work);
		guard_leave(&g);
	}
	free(c);
	ctx->impl = NULL;
}

static lsched_status cuda_open(lsched_ctx *ctx)
{
	lsched_device_info info;
	cuda_home home;
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
			"there is no CUDA device %d: only %d found", ctx->device, n);
	if (e == cudaSuccess)
		e = home_find(&home, ctx->device);
	if (e != cudaSuccess || lsched_i_cuda_device_info(ctx->device, &info) != LSCHED_OK) {
		(void)cudaGetLastError();
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NO_DEVICE,
			"CUDA device %d cannot be used: %s", ctx->device, cudaGetErrorString(e));
	}
	c = (cuda_ctx *)calloc(1, sizeof(*c));
	if (!c)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM, "out of memory");
	c->home = home;
	c->sm_count = info.sm_count;
	ctx->impl = c;
	e = guard_enter(&g, &home);
	if (e == cudaSuccess) {
		e = cudaStreamCreateWithFlags(&c->memory, cudaStreamNonBlocking);
		if (e == cudaSuccess)
			e = cudaStreamCreateWithFlags(&c->work, cudaStreamNonBlocking);
		guard_leave(&g);
	}
	if (e != cudaSuccess) {
		(void)cudaGetLastError();
		cuda_close(ctx);
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NO_DEVICE,
			"CUDA device %d cannot be used: %s", ctx->device, cudaGetErrorString(e));
	}
	ctx->workers = ctx->o.workers;
	snprintf(ctx->device_name, sizeof(ctx->device_name), "%s", info.name);
	return LSCHED_OK;
}

/* Destroying is also the way out of a half made run, so every part may be missing. Nothing can be done
 * about errors here. */
static lsched_status cuda_destroy(lsched_run *run)
{
	cuda_run *c = (cuda_run *)run->impl;
	device_guard g;

	if (!c)
		return LSCHED_OK;
	lsched_i_cuda_over(run);
	/* freeing waits for kernels, and one that hangs may still use the memory: leave it to the end of
	 * the process */
	if (run->ctx->lost != LSCHED_I_LOST_HANG &&
		guard_enter(&g, home_of(run->ctx)) == cudaSuccess) {
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
		(void)cudaFreeHost(c->glimpse);
		(void)cudaFreeHost(c->now);
		guard_leave(&g);
	}
	free(c->program_ctx);
	free(c);
	run->impl = NULL;
	run->memory = NULL;
	run->events_raw = NULL;
	return LSCHED_OK;
}

/* How many workers: what the option says, or as many as are resident at once. */
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
	/* also loads the kernel: a first launch may wait for kernels that are running */
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

static lsched_status create_here(lsched_run *run, cuda_run *c)
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
		cudaHostAlloc((void **)&c->glimpse, sizeof(*c->glimpse), cudaHostAllocDefault));
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
			cudaHostAlloc((void **)&c->now, (size_t)run->max_workers * 4,
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
	TRY(run, "device", guard_enter(&g, home_of(run->ctx)));
	st = create_here(run, c);
	guard_leave(&g);
	return st;
}

static lsched_status launch(lsched_run *run, cuda_run *c, cudaStream_t stream)
{
	const uint32_t per_block = run->program->warps_per_block;
	void *params[2] = { &run->args, c->program_ctx };

	TRY(run, "kernel launch",
		cudaLaunchKernel(c->kernel, dim3((run->args.workers + per_block - 1) / per_block),
			dim3(c->block_threads), params, c->shared_bytes, stream));
	return LSCHED_OK;
}

/* A launch for each wavefront; only the last one's last worker publishes. */
static lsched_status launch_waves(lsched_run *run, cuda_run *c, cudaStream_t stream)
{
	lsched_i_args *a = &run->args;
	const uint32_t waves = a->sync_wave_end, all = a->workers;
	uint32_t end = waves;
	lsched_status st = LSCHED_OK;

	while (end > 0 &&
		run->program->count(c->program_ctx, LSCHED_I_COUNT_WAVE_SIZE, end - 1) == 0)
		end--;
	for (uint32_t k = 0; k < end && st == LSCHED_OK; k++) {
		const uint32_t size =
			run->program->count(c->program_ctx, LSCHED_I_COUNT_WAVE_SIZE, k);

		if (size == 0)
			continue;
		a->sync_wave = k;
		a->sync_wave_end = k + 1;
		a->last_launch = k + 1 == end;
		a->workers = size < all ? size : all;
		st = launch(run, c, stream);
	}
	a->workers = all;
	return st;
}

static lsched_status start_here(lsched_run *run, cuda_run *c, cudaStream_t stream)
{
	lsched_status st;

	c->clears = run->clear;
	if (run->clear) {
		TRY(run, "clearing device memory",
			cudaMemsetAsync(run->memory, 0, run->plan.bytes, stream));
		TRY(run, "event record", cudaEventRecord(c->cleared, stream));
	}
	if (run->o.trace)
		TRY(run, "clearing the timeline",
			cudaMemsetAsync(c->d_events, 0,
				(size_t)run->max_workers * run->o.trace * sizeof(lsched_event),
				stream));
	if (run->o.worker_stats)
		TRY(run, "clearing the workers' statistics",
			cudaMemsetAsync(run->args.worker_stats, 0,
				(size_t)run->max_workers * sizeof(*run->args.worker_stats),
				stream));
	memset(c->h_result, 0, sizeof(*c->h_result));
	c->stream = stream;
	st = run->o.scheme == LSCHED_SCHEME_SYNC ? launch_waves(run, c, stream)
						 : launch(run, c, stream);
	if (st != LSCHED_OK)
		return st;
	TRY(run, "event record", cudaEventRecord(c->done, stream));
	lsched_i_cuda_started(run);
	return LSCHED_OK;
}

/* Whether a start can be enqueued on a caller's stream. */
static lsched_status check_stream(lsched_run *run, cudaStream_t stream)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
	cudaError_t e;

	if (run->entry->rounds)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_UNSUPPORTED,
			"%s: queue %s cannot start on a caller's stream, for the host launches its "
			"rounds one after the other and later work on the stream would overtake "
			"them: give NULL and call lsched_run_finish() before that work, or choose "
			"another queue, as ring or steal",
			run->program->name, lsched_queue_name(run->o.queue));
	e = cudaStreamIsCapturing(stream, &capture);
	if (e == cudaSuccess && capture == cudaStreamCaptureStatusNone)
		return LSCHED_OK;
	if (e != cudaSuccess && e != cudaErrorStreamCaptureImplicit)
		return lsched_i_cuda_fail(run->ctx, run, "the start's stream", e);
	(void)cudaGetLastError();
	return lsched_i_error(run->ctx, run, LSCHED_ERR_UNSUPPORTED,
		"%s: the stream is being captured into a CUDA graph, which cannot hold a start, "
		"for "
		"each start has arguments of its own: end the capture before, or start on another "
		"stream",
		run->program->name);
}

static lsched_status cuda_start(lsched_run *run, const void *program_ctx, void *stream)
{
	cuda_run *c = (cuda_run *)run->impl;
	device_guard g;
	lsched_status st;

	memcpy(c->program_ctx, program_ctx, run->program->ctx_bytes);
	TRY(run, "device", guard_enter(&g, home_of(run->ctx)));
	st = stream ? check_stream(run, (cudaStream_t)stream) : LSCHED_OK;
	if (st == LSCHED_OK)
		st = start_here(
			run, c, stream ? (cudaStream_t)stream : ((cuda_ctx *)run->ctx->impl)->work);
	guard_leave(&g);
	return st;
}

static lsched_status launch_round(lsched_run *run, cuda_run *c)
{
	lsched_status st;

	c->h_result->again = 0;
	st = launch(run, c, c->stream);
	if (st != LSCHED_OK)
		return st;
	TRY(run, "event record", cudaEventRecord(c->done, c->stream));
	return LSCHED_OK;
}

/* Queues of kind rounds ask for one launch after the other; the host gives them when it comes by. For
 * other threads the execution is never over in between. */
static lsched_status next_round(lsched_run *run, cuda_run *c)
{
	lsched_status st;

	pthread_mutex_lock(&run->lock);
	st = launch_round(run, c);
	pthread_mutex_unlock(&run->lock);
	return st;
}

static int done_here(lsched_run *run, cuda_run *c)
{
	/* an error also ends the waiting; cuda_wait reports it */
	if (!lsched_i_cuda_ended(run))
		return 0;
	if (!run->entry->rounds || run->ctx->lost || !c->h_result->again ||
		cudaEventQuery(c->done) != cudaSuccess)
		return 1;
	return next_round(run, c) != LSCHED_OK;
}

static int cuda_done(lsched_run *run)
{
	device_guard g;
	int done;

	if (guard_enter(&g, home_of(run->ctx)) != cudaSuccess)
		return 1;
	done = done_here(run, (cuda_run *)run->impl);
	guard_leave(&g);
	return done;
}

static lsched_status wait_here(lsched_run *run, cuda_run *c)
{
	const size_t bytes = (size_t)run->max_workers * run->o.trace * sizeof(lsched_event);

	lsched_status st = lsched_i_cuda_await(run);

	while (st == LSCHED_OK && c->h_result->again) {
		st = next_round(run, c);
		if (st == LSCHED_OK)
			st = lsched_i_cuda_await(run);
	}
	if (st != LSCHED_OK)
		return st;
	if (run->o.worker_stats) {
		TRY(run, "copying the workers' statistics",
			cudaMemcpyAsync(run->worker_stats, run->args.worker_stats,
				(size_t)run->max_workers * sizeof(*run->worker_stats),
				cudaMemcpyDeviceToHost, c->own));
		TRY(run, "copying the workers' statistics", cudaStreamSynchronize(c->own));
	}
	if (run->o.trace) {
		TRY(run, "copying the timeline",
			cudaMemcpyAsync(run->events_raw, c->d_events, bytes, cudaMemcpyDeviceToHost,
				c->own));
		TRY(run, "copying the timeline", cudaStreamSynchronize(c->own));
	}
	return LSCHED_OK;
}

static lsched_status cuda_wait(lsched_run *run)
{
	device_guard g;
	lsched_status st;

	TRY(run, "device", guard_enter(&g, home_of(run->ctx)));
	st = wait_here(run, (cuda_run *)run->impl);
	lsched_i_cuda_over(run);
	guard_leave(&g);
	return st;
}

extern "C" const lsched_i_backend lsched_i_backend_cuda = {
	LSCHED_BACKEND_CUDA,
	cuda_open,
	cuda_close,
	cuda_create,
	cuda_destroy,
	cuda_start,
	cuda_done,
	cuda_wait,
	lsched_i_cuda_cancel,
	lsched_i_cuda_glance,
	lsched_i_cuda_mem_alloc,
	lsched_i_cuda_mem_free,
	lsched_i_cuda_mem_write,
	lsched_i_cuda_mem_read,
	lsched_i_cuda_mem_zero,
};
