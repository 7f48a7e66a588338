/* Ends of calls before their work is complete: by another thread, or by the time limit. */
#include "collide/core/context.h"
#include "libsched/core/clock.h"

#include <inttypes.h>

static int is_cancelled(const collide_ctx *c)
{
	return __atomic_load_n(&c->control.cancelled, __ATOMIC_SEQ_CST) != 0;
}

void collide_cancel(collide_ctx *ctx)
{
	if (!ctx)
		return;
	/* before the cancel of the run, which has no effect on one that has not started: the
	 * calling thread reads this after the start */
	__atomic_store_n(&ctx->control.cancelled, 1u, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&ctx->control.lock);
	if (ctx->control.running)
		(void)lsched_run_cancel(ctx->control.running);
	pthread_mutex_unlock(&ctx->control.lock);
}

void collide_resume(collide_ctx *ctx)
{
	if (ctx)
		__atomic_store_n(&ctx->control.cancelled, 0u, __ATOMIC_SEQ_CST);
}

/* Ends the call: it returns this status, also if collide_resume() follows at once. */
static collide_status end(collide_ctx *c, collide_status status)
{
	c->control.ended = status;
	if (status == COLLIDE_ERR_CANCELLED)
		return collide_i_fail(status,
			"collide_cancel() has ended the call; collide_resume() allows the next "
			"one");
	return collide_i_fail(status,
		"the call was not complete within time_limit_ms of %" PRIu32 " ms",
		c->control.limit_ms);
}

static int is_late(const collide_ctx *c)
{
	return c->control.end_ns && lsched_i_clock_ns() >= c->control.end_ns;
}

collide_status collide_i_begin(collide_ctx *c)
{
	collide_i_control *k = &c->control;

	k->ended = COLLIDE_OK;
	k->end_ns = k->limit_ms ? lsched_i_clock_ns() + k->limit_ms * UINT64_C(1000000) : 0;
	return collide_i_check(c);
}

collide_status collide_i_check(collide_ctx *c)
{
	if (c->control.ended != COLLIDE_OK)
		return end(c, c->control.ended);
	if (is_cancelled(c))
		return end(c, COLLIDE_ERR_CANCELLED);
	return is_late(c) ? end(c, COLLIDE_ERR_TIME_LIMIT) : COLLIDE_OK;
}

int collide_i_ended(void *ctx)
{
	return collide_i_check(ctx) != COLLIDE_OK;
}

static void set_running(collide_ctx *c, lsched_run *run)
{
	pthread_mutex_lock(&c->control.lock);
	c->control.running = run;
	pthread_mutex_unlock(&c->control.lock);
}

/* The rest of the time limit of the call, for an execution. */
static lsched_status set_limit(const collide_ctx *c, lsched_run *run)
{
	const uint64_t now = c->control.end_ns ? lsched_i_clock_ns() : 0;
	const uint64_t rest = c->control.end_ns > now ? c->control.end_ns - now : 0;

	if (!c->control.end_ns)
		return LSCHED_OK;
	/* rounded up, so that the limit of the call has passed when the run ends by it */
	return lsched_run_set_limit(run, (uint32_t)(rest / 1000000u) + 1);
}

collide_status collide_i_run(
	collide_ctx *c, lsched_run *run, const void *program_ctx, uint32_t tasks, lsched_status *s)
{
	lsched_status st = set_limit(c, run);

	set_running(c, run);
	if (st == LSCHED_OK)
		st = lsched_run_start(run, program_ctx, tasks, c->stream);
	if (st == LSCHED_OK) {
		if (is_cancelled(c))
			(void)lsched_run_cancel(run);
		st = lsched_run_finish(run, NULL);
	}
	set_running(c, NULL);
	*s = st;
	if (st == LSCHED_OK)
		return COLLIDE_OK;
	if (st == LSCHED_ERR_CANCELLED)
		return end(c, COLLIDE_ERR_CANCELLED);
	if (st == LSCHED_ERR_TIMEOUT && is_late(c))
		return end(c, COLLIDE_ERR_TIME_LIMIT);
	return collide_i_sched_fail(st, lsched_run_error(run));
}
