/* The end of an execution on CUDA: waiting for it with the host's watchdog, cancel, progress.
 *
 * CUDA has no wait with a time limit and cannot end a kernel. So the host polls the event, and at
 * intervals copies the workers' state on a stream of the run. A copy needs no SM; a kernel that
 * hangs may occupy all of them. A memset needs one, so the failure flag is set by a copy, too.
 * Nothing here blocks: it allocates nothing and synchronises with copies only, which always end. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "libsched/core/shared.h"
#include "libsched/cuda/context.cuh"

/* Whether all further calls of this process on the device fail after the error. */
static int corrupts_context(cudaError_t e)
{
	switch (e) {
	case cudaErrorIllegalAddress:
	case cudaErrorLaunchTimeout:
	case cudaErrorAssert:
	case cudaErrorHardwareStackError:
	case cudaErrorIllegalInstruction:
	case cudaErrorMisalignedAddress:
	case cudaErrorInvalidAddressSpace:
	case cudaErrorInvalidPc:
	case cudaErrorLaunchFailure:
	case cudaErrorECCUncorrectable:
	case cudaErrorNvlinkUncorrectable:
		return 1;
	default:
		return 0;
	}
}

lsched_status lsched_i_cuda_fail(lsched_ctx *ctx, lsched_run *run, const char *what, cudaError_t e)
{
	const char *name = run ? run->program->name : "memory";

	(void)cudaGetLastError(); /* else the caller's next call would return this error */
	(void)lsched_i_error(
		ctx, run, LSCHED_ERR_DEVICE, "%s: %s: %s", name, what, cudaGetErrorString(e));
	if (corrupts_context(e) && !ctx->lost) {
		ctx->lost = LSCHED_I_LOST_ERROR;
		snprintf(ctx->lost_reason, sizeof(ctx->lost_reason), "%s", ctx->error);
	}
	return e == cudaErrorMemoryAllocation ? LSCHED_ERR_NOMEM : LSCHED_ERR_DEVICE;
}

void lsched_i_cuda_add(lsched_run *run)
{
	cuda_run *c = (cuda_run *)run->impl;
	cuda_ctx *x = (cuda_ctx *)run->ctx->impl;

	c->failed = c->cancel_pending = 0;
	c->begun_ns = 0;
	c->progress = c->wait_steps = c->outstanding = 0;
	c->next = x->started;
	x->started = run;
}

void lsched_i_cuda_remove(lsched_run *run)
{
	cuda_run *c = (cuda_run *)run->impl;
	lsched_run **link = &((cuda_ctx *)run->ctx->impl)->started;

	while (*link && *link != run)
		link = &((cuda_run *)(*link)->impl)->next;
	if (*link)
		*link = c->next;
	pthread_mutex_lock(&run->lock);
	if ((c->copy_pending || c->cancel_pending) && !lsched_i_keeps_device(run->ctx)) {
		/* a copy of this execution must not reach the next one */
		(void)cudaStreamSynchronize(c->own);
		c->copy_pending = c->cancel_pending = 0;
	}
	pthread_mutex_unlock(&run->lock);
}

/* Reads the last copy of the workers' state, if it is complete, and enqueues the next one. Under
 * the lock. */
static void update_copy(lsched_run *run, cuda_run *c, uint64_t now_ns)
{
	const uint32_t words = run->args.mark_words, workers = run->args.workers;
	const lsched_i_state *s = &c->h_copy->state;
	cudaError_t e;

	if (c->copy_pending) {
		e = cudaStreamQuery(c->own);
		if (e == cudaErrorNotReady) {
			/* a copy that takes longer than the time limit counts as no progress */
			if (c->begun_ns == 0 && run->args.timeout_ns &&
				now_ns - c->copy_begin_ns > run->args.timeout_ns)
				c->begun_ns = now_ns;
			return;
		}
		c->copy_pending = 0;
		if (e == cudaSuccess) {
			c->outstanding = s->outstanding.v;
			if (c->begun_ns == 0 &&
				(s->next_root.v | s->outstanding.v | s->exits.v) != 0)
				c->begun_ns = now_ns;
			c->failed |= c->begun_ns && s->failed.v != 0;
			c->progress = lsched_i_progress(c->h_marks, words, workers, s->launches.v);
			c->wait_steps = lsched_i_wait_steps(c->h_marks, words, workers);
		}
	}
	if (c->clear_pending) {
		if (cudaEventQuery(c->cleared) == cudaErrorNotReady)
			return;
		c->clear_pending = 0;
	}
	if (cudaMemcpyAsync(c->h_marks, run->args.marks, (size_t)workers * words * 4,
		    cudaMemcpyDeviceToHost, c->own) == cudaSuccess &&
		cudaMemcpyAsync(&c->h_copy->state, run->args.state, sizeof(c->h_copy->state),
			cudaMemcpyDeviceToHost, c->own) == cudaSuccess) {
		c->copy_pending = 1;
		c->copy_begin_ns = now_ns;
	}
}

/* Returns the current tasks of the workers; NULL: they do not record them, or the copy takes longer
 * than 0.5 s. */
static const uint32_t *copy_current_tasks(const lsched_run *run, const cuda_run *c)
{
	const uint64_t start = lsched_i_cpu_now_ns();

	if (!run->args.current_task ||
		cudaMemcpyAsync(c->h_current_task, run->args.current_task, run->args.workers * 4,
			cudaMemcpyDeviceToHost, c->own) != cudaSuccess)
		return NULL;
	for (uint32_t spins = 0; cudaStreamQuery(c->own) == cudaErrorNotReady; spins++) {
		if (lsched_i_cpu_now_ns() - start > 500000000u)
			return NULL;
		lsched_i_cpu_relax(spins);
	}
	return c->h_current_task;
}

/* Checks the watchdogs of all started runs, because a run may wait for a run before it. Returns
 * nonzero if one hangs: the context is lost. */
static int check_watchdogs(lsched_ctx *ctx, uint64_t now_ns)
{
	lsched_run *run = ((cuda_ctx *)ctx->impl)->started;

	while (run) {
		cuda_run *c = (cuda_run *)run->impl;
		int action = LSCHED_I_KEEP_WAITING;

		if (cudaEventQuery(c->done) == cudaErrorNotReady) {
			pthread_mutex_lock(&run->lock);
			update_copy(run, c, now_ns);
			action = lsched_i_watchdog_check(
				run, now_ns, c->begun_ns, c->progress, c->wait_steps, c->failed);
			pthread_mutex_unlock(&run->lock);
		}
		if (action == LSCHED_I_STOP_WORKERS) {
			c->h_copy->stop = LSCHED_I_FAIL_HOST;
			(void)cudaMemcpyAsync(&run->args.state->failed.v, &c->h_copy->stop, 4,
				cudaMemcpyHostToDevice, c->own);
		} else if (action == LSCHED_I_ABANDON) {
			(void)lsched_i_explain_hang(run, copy_current_tasks(run, c));
			return 1;
		}
		run = c->next;
	}
	return 0;
}

int lsched_i_cuda_has_ended(const lsched_run *run)
{
	const cuda_run *c = (const cuda_run *)run->impl;

	return cudaEventQuery(c->done) != cudaErrorNotReady && !c->h_result->again;
}

/* Removes cudaErrorNotReady, so that a caller's cudaGetLastError() does not return it. */
static void clear_not_ready(void)
{
	if (cudaPeekAtLastError() == cudaErrorNotReady)
		(void)cudaGetLastError();
}

/* Backoff between two polls: none in the first 0.1 ms, as in cudaEventSynchronize(); then the
 * processor is yielded, and from 4 ms on the host sleeps for 1/64 of the time waited so far (50 to
 * 500 us). */
static void back_off(uint64_t waited_ns)
{
	struct timespec t = { 0, 50000 };

	if (waited_ns < 100000)
		return;
	if (waited_ns < 4000000) {
		(void)sched_yield();
		return;
	}
	if (waited_ns / 64 > 50000)
		t.tv_nsec = waited_ns / 64 < 500000 ? (long)(waited_ns / 64) : 500000;
	(void)nanosleep(&t, NULL);
}

lsched_status lsched_i_cuda_await(lsched_run *run)
{
	const cudaEvent_t done = ((cuda_run *)run->impl)->done;
	const uint64_t every_ns = lsched_i_watchdog_check_every_ns(run),
		       start = lsched_i_cpu_now_ns();
	uint64_t check_at = start + every_ns;
	cudaError_t e;

	if (every_ns == 0) {
		e = cudaEventSynchronize(done);
	} else {
		while ((e = cudaEventQuery(done)) == cudaErrorNotReady) {
			const uint64_t now = lsched_i_cpu_now_ns();

			if (now >= check_at) {
				check_at = now + every_ns;
				if (check_watchdogs(run->ctx, now))
					return run->hangs ? LSCHED_ERR_TIMEOUT
							  : lsched_i_lost_error(run->ctx, run);
			}
			back_off(now - start);
		}
		clear_not_ready();
	}
	if (e != cudaSuccess)
		return lsched_i_cuda_fail(run->ctx, run, "execution", e);
	return LSCHED_OK;
}

/* Also detects hangs, for callers that poll and never wait. */
int lsched_i_cuda_poll(lsched_run *run)
{
	cuda_ctx *x = (cuda_ctx *)run->ctx->impl;
	const uint64_t every_ns = lsched_i_watchdog_check_every_ns(run);
	const cudaError_t e = cudaEventQuery(((cuda_run *)run->impl)->done);
	uint64_t now;
	int lost = 0;

	if (e != cudaErrorNotReady)
		return 1;
	now = every_ns ? lsched_i_cpu_now_ns() : 0;
	if (every_ns && now >= x->next_check_ns) {
		x->next_check_ns = now + every_ns;
		lost = check_watchdogs(run->ctx, now);
	}
	clear_not_ready();
	return lost;
}

/* Sets a word of the workers' state by a copy, which needs no SM, after the memory was cleared. */
static cudaError_t send_word(cuda_run *c, uint32_t *d_word, uint32_t *h_value, uint32_t value)
{
	cudaError_t e = cudaSuccess;

	*h_value = value;
	if (c->clear_pending)
		e = cudaStreamWaitEvent(c->own, c->cleared, 0);
	if (e == cudaSuccess)
		e = cudaMemcpyAsync(d_word, h_value, 4, cudaMemcpyHostToDevice, c->own);
	c->cancel_pending = 1;
	return e;
}

/* Sends a word to an execution that has not ended. */
static lsched_status send_to_workers(
	lsched_run *run, uint32_t *d_word, uint32_t *h_value, uint32_t value)
{
	device_guard g;
	cudaError_t e = guard_enter(&g, context_of(run->ctx));

	if (e != cudaSuccess)
		return LSCHED_ERR_DEVICE;
	if (lsched_i_cuda_has_ended(run)) {
		guard_leave(&g);
		return LSCHED_ERR_STATE;
	}
	e = send_word((cuda_run *)run->impl, d_word, h_value, value);
	clear_not_ready();
	guard_leave(&g);
	return e == cudaSuccess ? LSCHED_OK : LSCHED_ERR_DEVICE;
}

/* A worker that fails at the same time has written its record already. */
lsched_status lsched_i_cuda_cancel(lsched_run *run)
{
	return send_to_workers(run, &run->args.state->failed.v,
		&((cuda_run *)run->impl)->h_copy->cancelled, LSCHED_I_FAIL_CANCELLED);
}

void lsched_i_cuda_snapshot(lsched_run *run, lsched_i_snapshot *s)
{
	cuda_run *c = (cuda_run *)run->impl;
	device_guard g;

	if (guard_enter(&g, context_of(run->ctx)) != cudaSuccess)
		return;
	s->ended = lsched_i_cuda_has_ended(run);
	if (s->ended) {
		s->finished = c->h_result->count[LSCHED_I_N_TASKS];
	} else {
		update_copy(run, c, lsched_i_cpu_now_ns());
		s->outstanding = c->outstanding + run->args.tasks;
	}
	clear_not_ready();
	guard_leave(&g);
}
