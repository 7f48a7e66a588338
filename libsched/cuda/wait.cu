/* Waits for a start, and abandons it. CUDA has no wait with a time limit and no way to end a
 * kernel, so the host polls the event, and from time to time copies the workers' state on a stream
 * of its own: a copy needs no SM, which a kernel that hangs may not leave free (a memset needs one,
 * so the failure flag is set by a copy, too). Nothing here blocks: no allocation, no
 * synchronisation but with copies that are known to end. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "libsched/core/shared.h"
#include "libsched/cuda/context.cuh"

/* Errors after which every call of this process on the device fails. */
static int breaks_context(cudaError_t e)
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
	const char *who = run ? run->program->name : "memory";

	(void)cudaGetLastError(); /* else a non-sticky error shows in the caller's next call */
	(void)lsched_i_error(
		ctx, run, LSCHED_ERR_DEVICE, "%s: %s: %s", who, what, cudaGetErrorString(e));
	if (breaks_context(e) && !ctx->lost) {
		ctx->lost = LSCHED_I_LOST_ERROR;
		snprintf(ctx->lost_why, sizeof(ctx->lost_why), "%s", ctx->error);
	}
	return e == cudaErrorMemoryAllocation ? LSCHED_ERR_NOMEM : LSCHED_ERR_DEVICE;
}

void lsched_i_cuda_started(lsched_run *run)
{
	cuda_run *c = (cuda_run *)run->impl;
	cuda_ctx *x = (cuda_ctx *)run->ctx->impl;

	c->begun = c->failed = c->telling = 0;
	c->progress = c->outstanding = 0;
	c->next = x->started;
	x->started = run;
}

void lsched_i_cuda_over(lsched_run *run)
{
	cuda_run *c = (cuda_run *)run->impl;
	lsched_run **link = &((cuda_ctx *)run->ctx->impl)->started;

	while (*link && *link != run)
		link = &((cuda_run *)(*link)->impl)->next;
	if (*link)
		*link = c->next;
	pthread_mutex_lock(&run->lock);
	if ((c->looking || c->telling) && run->ctx->lost != LSCHED_I_LOST_HANG) {
		/* what it brings must not be taken for the next start's, nor reach its workers */
		(void)cudaStreamSynchronize(c->own);
		c->looking = c->telling = 0;
	}
	pthread_mutex_unlock(&run->lock);
}

/* Takes what the last copy brought, and asks for the next. Under the lock. */
static void glance(lsched_run *run, cuda_run *c, uint64_t now_ns)
{
	const lsched_i_state *s = &c->glimpse->state;
	cudaError_t e;

	if (c->looking) {
		e = cudaStreamQuery(c->own);
		if (e == cudaErrorNotReady) {
			/* that copies stand still for so long is no better sign than no progress */
			c->begun |=
				run->args.timeout_ns && now_ns - c->asked_ns > run->args.timeout_ns;
			return;
		}
		c->looking = 0;
		if (e == cudaSuccess) {
			c->outstanding = s->outstanding.v;
			c->progress = lsched_i_progress(
				s->outstanding.v, s->next_root.v, s->items.heartbeat.v);
			c->begun |= (s->next_root.v | s->outstanding.v | s->exits.v) != 0;
			c->failed |= c->begun && s->failed.v != 0;
		}
	}
	if (c->clears) {
		if (cudaEventQuery(c->cleared) == cudaErrorNotReady)
			return;
		c->clears = 0;
	}
	if (cudaMemcpyAsync(&c->glimpse->state, run->args.state, sizeof(c->glimpse->state),
		    cudaMemcpyDeviceToHost, c->own) == cudaSuccess) {
		c->looking = 1;
		c->asked_ns = now_ns;
	}
}

/* The tasks that do not return, if the workers wrote them down and the copy comes at once. */
static const uint32_t *stuck_tasks(const lsched_run *run, const cuda_run *c)
{
	const uint64_t start = lsched_i_cpu_now_ns();

	if (!run->args.current_task ||
		cudaMemcpyAsync(c->now, run->args.current_task, run->args.workers * 4,
			cudaMemcpyDeviceToHost, c->own) != cudaSuccess)
		return NULL;
	for (uint32_t spins = 0; cudaStreamQuery(c->own) == cudaErrorNotReady; spins++) {
		if (lsched_i_cpu_now_ns() - start > 500000000u)
			return NULL;
		lsched_i_cpu_relax(spins);
	}
	return c->now;
}

/* Looks at all that is in flight, for a run may wait for one before it. Nonzero when the context is
 * lost, to a hang. */
static int look_at_all(lsched_ctx *ctx, uint64_t now_ns)
{
	lsched_run *run = ((cuda_ctx *)ctx->impl)->started;

	while (run) {
		cuda_run *c = (cuda_run *)run->impl;
		int what = LSCHED_I_KEEP_WAITING;

		if (cudaEventQuery(c->done) == cudaErrorNotReady) {
			pthread_mutex_lock(&run->lock);
			glance(run, c, now_ns);
			what = lsched_i_watchdog_check(
				run, now_ns, c->begun, c->progress, c->failed);
			pthread_mutex_unlock(&run->lock);
		}
		if (what == LSCHED_I_STOP_WORKERS) {
			c->glimpse->stop = LSCHED_I_FAIL_HOST;
			(void)cudaMemcpyAsync(&run->args.state->failed.v, &c->glimpse->stop, 4,
				cudaMemcpyHostToDevice, c->own);
		} else if (what == LSCHED_I_ABANDON) {
			(void)lsched_i_explain_stuck(run, stuck_tasks(run, c));
			return 1;
		}
		run = c->next;
	}
	return 0;
}

int lsched_i_cuda_is_over(const lsched_run *run)
{
	const cuda_run *c = (const cuda_run *)run->impl;

	return cudaEventQuery(c->done) != cudaErrorNotReady &&
	       !(run->entry->rounds && c->h_result->again);
}

/* That something was not ready yet is none of the caller's business. */
static void forget_not_ready(void)
{
	if (cudaPeekAtLastError() == cudaErrorNotReady)
		(void)cudaGetLastError();
}

/* Short runs are polled as hard as cudaEventSynchronize() does it; then the processor is offered to
 * others; a run of milliseconds is not late by more than some percent. */
static void rest(uint64_t waited_ns)
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
	uint64_t look_at = start + every_ns;
	cudaError_t e;

	if (every_ns == 0) {
		e = cudaEventSynchronize(done);
	} else {
		while ((e = cudaEventQuery(done)) == cudaErrorNotReady) {
			const uint64_t now = lsched_i_cpu_now_ns();

			if (now >= look_at) {
				look_at = now + every_ns;
				if (look_at_all(run->ctx, now))
					return run->stuck ? LSCHED_ERR_TIMEOUT
							  : lsched_i_refuse(run->ctx, run);
			}
			rest(now - start);
		}
		forget_not_ready();
	}
	if (e != cudaSuccess)
		return lsched_i_cuda_fail(run->ctx, run, "execution", e);
	return LSCHED_OK;
}

/* lsched_run_done() alone detects a hang, too. */
int lsched_i_cuda_ended(lsched_run *run)
{
	cuda_ctx *x = (cuda_ctx *)run->ctx->impl;
	const uint64_t every_ns = lsched_i_watchdog_check_every_ns(run);
	const cudaError_t e = cudaEventQuery(((cuda_run *)run->impl)->done);
	uint64_t now;
	int lost = 0;

	if (e != cudaErrorNotReady)
		return 1;
	now = every_ns ? lsched_i_cpu_now_ns() : 0;
	if (every_ns && now >= x->look_at_ns) {
		x->look_at_ns = now + every_ns;
		lost = look_at_all(run->ctx, now);
	}
	forget_not_ready();
	return lost;
}

/* By a copy, which reaches workers that leave no place on an SM; behind the clearing of the memory,
 * if the stream has not come to that yet. A worker that fails at the same time has left its
 * record. */
static cudaError_t tell_cancelled(lsched_run *run, cuda_run *c)
{
	cudaError_t e = cudaSuccess;

	c->glimpse->cancelled = LSCHED_I_FAIL_CANCELLED;
	if (c->clears)
		e = cudaStreamWaitEvent(c->own, c->cleared, 0);
	if (e == cudaSuccess)
		e = cudaMemcpyAsync(&run->args.state->failed.v, &c->glimpse->cancelled, 4,
			cudaMemcpyHostToDevice, c->own);
	c->telling = 1;
	return e;
}

lsched_status lsched_i_cuda_cancel(lsched_run *run)
{
	device_guard g;
	cudaError_t e = guard_enter(&g, home_of(run->ctx));

	if (e != cudaSuccess)
		return LSCHED_ERR_DEVICE;
	if (lsched_i_cuda_is_over(run)) {
		guard_leave(&g);
		return LSCHED_ERR_STATE;
	}
	e = tell_cancelled(run, (cuda_run *)run->impl);
	forget_not_ready();
	guard_leave(&g);
	return e == cudaSuccess ? LSCHED_OK : LSCHED_ERR_DEVICE;
}

/* What the last copy of the state brought; asks for the next. */
void lsched_i_cuda_glance(lsched_run *run, lsched_i_glance *g)
{
	cuda_run *c = (cuda_run *)run->impl;
	device_guard d;

	if (guard_enter(&d, home_of(run->ctx)) != cudaSuccess)
		return;
	g->over = lsched_i_cuda_is_over(run);
	if (g->over) {
		g->finished = c->h_result->count[LSCHED_I_N_TASKS];
	} else {
		glance(run, c, lsched_i_cpu_now_ns());
		g->outstanding = c->outstanding + run->args.tasks;
	}
	forget_not_ready();
	guard_leave(&d);
}
