/* Host-side watchdog: detects a run without progress and reports the error.
 *
 * Idle workers detect a hang themselves and can report more details, so while one waits the host
 * leaves it to them, however rarely they have the processor. If there is neither progress nor a
 * step of a wait for somewhat longer than the time limit, or no progress for some such times, the
 * host sets the failure flag. If after the same time again there is no progress and a worker has
 * not left, it abandons the context. It also sets the flag when the run's time limit has passed,
 * for bodies that read it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "libsched/core/backend.h"
#include "libsched/core/shared.h"

/* Time by which the host waits longer than idle workers, besides an eighth of the limit. */
#define HOST_DELAY_NS UINT64_C(250000000)
/* While workers wait, but do not report, it waits this many times as long: bodies may begin waits
 * for ever. */
#define STEPS_MOST 8

void lsched_i_watchdog_begin(lsched_run *run)
{
	memset(&run->watchdog, 0, sizeof(run->watchdog));
}

uint64_t lsched_i_watchdog_check_every_ns(const lsched_run *run)
{
	const uint64_t timeout = run->args.timeout_ns, limit = run->args.limit_ns;
	const uint64_t shorter = timeout == 0 || (limit && limit < timeout) ? limit : timeout;

	return shorter ? lsched_i_watch_step_ns(shorter) : 0;
}

int lsched_i_watchdog_check(lsched_run *run, uint64_t now_ns, uint64_t begun_ns, uint32_t progress,
	uint32_t steps, int failed)
{
	lsched_i_host_watchdog *w = &run->watchdog;
	const uint64_t timeout = run->args.timeout_ns, limit = run->args.limit_ns;
	const uint64_t most = timeout + timeout / 8 + HOST_DELAY_NS;
	uint64_t since = now_ns - w->last_ns;

	if (begun_ns == 0)
		return LSCHED_I_KEEP_WAITING;
	if (limit && !failed && !w->limited && now_ns - begun_ns > limit) {
		w->limited = 1;
		return LSCHED_I_STOP_WORKERS;
	}
	if (timeout == 0)
		return LSCHED_I_KEEP_WAITING;
	if (w->last_ns == 0 || progress != w->progress || (failed && !w->stopped)) {
		/* after a failure, by a worker, the host or cancel, the workers have the full
		 * time limit to leave */
		if (failed && !w->stopped)
			w->stopped = -1;
		w->last_ns = now_ns;
		w->waited_ns = w->alone_ns = 0;
		w->progress = progress;
		w->steps = steps;
		return LSCHED_I_KEEP_WAITING;
	}
	since = lsched_i_watch_counted_ns(timeout, since);
	w->last_ns = now_ns;
	w->waited_ns += since;
	w->alone_ns = steps != w->steps && !failed ? 0 : w->alone_ns + since;
	w->steps = steps;
	if (w->alone_ns <= most && w->waited_ns <= STEPS_MOST * most)
		return LSCHED_I_KEEP_WAITING;
	w->waited_ns = w->alone_ns = 0;
	if (w->stopped)
		return LSCHED_I_ABANDON;
	w->stopped = 1;
	return LSCHED_I_STOP_WORKERS;
}

lsched_status lsched_i_explain_stopped(lsched_run *run)
{
	if (run->watchdog.limited)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_TIMEOUT,
			"%s: not finished within run_limit_ms of %" PRIu32
			" ms: the caller stopped it while the workers were busy (%s, queue %s)",
			run->program->name, run->o.run_limit_ms, lsched_scheme_name(run->o.scheme),
			lsched_queue_name(run->o.queue));
	return lsched_i_error(run->ctx, run, LSCHED_ERR_TIMEOUT,
		"%s: no progress for %" PRIu32 " ms while all workers were busy: a task exceeded "
		"the time limit and returned only after cancellation (%s, queue %s)",
		run->program->name, run->o.timeout_ms, lsched_scheme_name(run->o.scheme),
		lsched_queue_name(run->o.queue));
}

lsched_status lsched_i_explain_hang(lsched_run *run, const uint32_t *current_task)
{
	const uint32_t n = run->args.workers;
	const char *kind = run->program->item_words ? "an item of procedure" : "task";
	char cause[160] = "a task does not return (record a timeline to get its number)";
	uint32_t first = LSCHED_NO_TASK, worker = 0, more = 0;

	for (uint32_t k = 0; current_task && k < n; k++) {
		const uint32_t task = __atomic_load_n(&current_task[k], __ATOMIC_RELAXED);

		if (task == 0)
			continue;
		if (first == LSCHED_NO_TASK) {
			first = task - 1;
			worker = k;
		} else {
			more++;
		}
	}
	if (first != LSCHED_NO_TASK) {
		const int used = snprintf(cause, sizeof(cause),
			"%s %" PRIu32 " on worker %" PRIu32 " does not return", kind, first,
			worker);

		if (more)
			snprintf(cause + used, sizeof(cause) - (size_t)used,
				", neither do the tasks of %" PRIu32 " other workers", more);
	}
	if (!run->program->item_words)
		run->error_task = first;
	run->hangs = 1;
	(void)lsched_i_error(run->ctx, run, LSCHED_ERR_TIMEOUT,
		"%s: no progress for %" PRIu32 " ms: %s; the context is lost (%s, queue %s)",
		run->program->name, run->o.timeout_ms, cause, lsched_scheme_name(run->o.scheme),
		lsched_queue_name(run->o.queue));
	run->ctx->lost = LSCHED_I_LOST_HANG;
	snprintf(run->ctx->lost_reason, sizeof(run->ctx->lost_reason), "%s", run->error);
	return LSCHED_ERR_TIMEOUT;
}

int lsched_i_forked(const lsched_ctx *ctx)
{
	return ctx->process != getpid();
}

int lsched_i_ctx_lost(lsched_ctx *ctx)
{
	if (lsched_i_forked(ctx) && ctx->lost != LSCHED_I_LOST_FORK) {
		ctx->lost = LSCHED_I_LOST_FORK;
		snprintf(ctx->lost_reason, sizeof(ctx->lost_reason),
			"process %ld has opened it, and this child process has neither its "
			"threads nor its device; open another context here",
			(long)ctx->process);
	}
	return ctx->lost;
}

int lsched_i_run_lost(lsched_run *run)
{
	const int lost = lsched_i_ctx_lost(run->ctx);

	if (lost == LSCHED_I_LOST_FORK)
		pthread_mutex_init(&run->lock, NULL);
	return lost;
}

lsched_status lsched_i_lost_error(lsched_ctx *ctx, lsched_run *run)
{
	char why[LSCHED_I_TEXT_BYTES - 32];

	memcpy(why, ctx->lost_reason, sizeof(why));
	why[sizeof(why) - 1] = '\0';
	return lsched_i_error(ctx, run,
		ctx->lost == LSCHED_I_LOST_FORK ? LSCHED_ERR_STATE : ctx->b->lost_status,
		"the context is lost: %s", why);
}
