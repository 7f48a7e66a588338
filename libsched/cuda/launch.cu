/* Starts on CUDA: one kernel launch and one event record each (under sync a launch per wavefront,
 * with queues in rounds a launch per round). The last worker of a kernel writes the result to
 * pinned host memory itself. */
#include <string.h>
#include "libsched/cuda/context.cuh"

static lsched_status launch(lsched_run *run, cuda_run *c)
{
	const uint32_t per_block = run->program->warps_per_block;
	const dim3 blocks((run->args.workers + per_block - 1) / per_block);
	void *params[2] = { &run->args, c->program_ctx };

	if (run->all_at_once)
		TRY(run, "cooperative kernel launch",
			cudaLaunchCooperativeKernel(c->kernel, blocks, dim3(c->block_threads),
				params, c->shared_bytes, c->stream));
	else
		TRY(run, "kernel launch",
			cudaLaunchKernel(c->kernel, blocks, dim3(c->block_threads), params,
				c->shared_bytes, c->stream));
	return LSCHED_OK;
}

/* Launches the kernel once for each wavefront; the last worker of the last launch writes the
 * result. */
static lsched_status launch_waves(lsched_run *run, cuda_run *c)
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
		st = launch(run, c);
	}
	a->workers = all;
	return st;
}

/* Launches an execution, or the next round of it. */
static lsched_status launch_round(lsched_run *run, cuda_run *c)
{
	lsched_status st;

	c->h_result->again = 0;
	st = run->o.scheme == LSCHED_SCHEME_SYNC ? launch_waves(run, c) : launch(run, c);
	if (st == LSCHED_OK)
		TRY(run, "event record", cudaEventRecord(c->done, c->stream));
	return st;
}

static lsched_status start_in_context(lsched_run *run, cuda_run *c, cudaStream_t stream)
{
	lsched_status st;

	c->clear_pending = run->must_clear;
	if (run->must_clear)
		TRY(run, "clearing device memory",
			cudaMemsetAsync(run->memory, 0, run->plan.bytes, stream));
	if (c->clear_pending)
		TRY(run, "event record", cudaEventRecord(c->cleared, stream));
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
	st = launch_round(run, c);
	if (st == LSCHED_OK)
		lsched_i_cuda_add(run);
	return st;
}

/* Checks that a start can be enqueued on a caller's stream. */
static lsched_status check_stream(lsched_run *run, cudaStream_t stream)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
	cudaError_t e;

	if (run->entry->rounds)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_UNSUPPORTED,
			"%s: queue %s cannot start on a caller's stream, because the host launches "
			"its rounds one after the other, and later work on the stream would run "
			"before them: pass NULL and call lsched_run_finish() before that work, or "
			"choose another queue, such as ring or steal",
			run->program->name, lsched_queue_name(run->o.queue));
	e = cudaStreamIsCapturing(stream, &capture);
	if (e == cudaSuccess && capture == cudaStreamCaptureStatusNone)
		return LSCHED_OK;
	if (e != cudaSuccess && e != cudaErrorStreamCaptureImplicit)
		return lsched_i_cuda_fail(run->ctx, run, "the start's stream", e);
	(void)cudaGetLastError();
	return lsched_i_error(run->ctx, run, LSCHED_ERR_UNSUPPORTED,
		"%s: the stream is being captured into a CUDA graph, which cannot contain a start, "
		"because each start has its own arguments: end the capture first, or start on "
		"another stream",
		run->program->name);
}

lsched_status lsched_i_cuda_start(lsched_run *run, const void *program_ctx, void *stream)
{
	cuda_run *c = (cuda_run *)run->impl;
	device_guard g;
	lsched_status st;

	memcpy(c->program_ctx, program_ctx, run->program->ctx_bytes);
	TRY(run, "device", guard_enter(&g, context_of(run->ctx)));
	st = stream ? check_stream(run, (cudaStream_t)stream) : LSCHED_OK;
	if (st == LSCHED_OK)
		st = start_in_context(
			run, c, stream ? (cudaStream_t)stream : ((cuda_ctx *)run->ctx->impl)->work);
	guard_leave(&g);
	return st;
}

/* Launches the next round of a queue with the capability ROUNDS: the host does so when it waits or
 * polls. The lock prevents other threads from observing an end between two rounds. */
static lsched_status next_round(lsched_run *run, cuda_run *c)
{
	lsched_status st;

	pthread_mutex_lock(&run->lock);
	st = launch_round(run, c);
	pthread_mutex_unlock(&run->lock);
	return st;
}

static int done_in_context(lsched_run *run, cuda_run *c)
{
	/* an error ends the execution, too; lsched_i_cuda_wait() reports it */
	if (!lsched_i_cuda_poll(run))
		return 0;
	if (run->ctx->lost || !c->h_result->again || cudaEventQuery(c->done) != cudaSuccess)
		return 1;
	return next_round(run, c) != LSCHED_OK;
}

int lsched_i_cuda_done(lsched_run *run)
{
	device_guard g;
	int done;

	if (guard_enter(&g, context_of(run->ctx)) != cudaSuccess)
		return 1;
	done = done_in_context(run, (cuda_run *)run->impl);
	guard_leave(&g);
	return done;
}

static lsched_status wait_in_context(lsched_run *run, cuda_run *c)
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

lsched_status lsched_i_cuda_wait(lsched_run *run)
{
	device_guard g;
	lsched_status st;

	TRY(run, "device", guard_enter(&g, context_of(run->ctx)));
	st = wait_in_context(run, (cuda_run *)run->impl);
	lsched_i_cuda_remove(run);
	guard_leave(&g);
	return st;
}
