/* Error messages and the log. */
#include <inttypes.h>
#include <stdio.h>
#include "libsched/core/backend.h"

void lsched_i_log(const lsched_ctx *ctx, lsched_log_level level, const char *format, ...)
{
	char text[LSCHED_I_TEXT_BYTES];
	va_list ap;

	if (!ctx->o.log || level > ctx->o.log_level)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	ctx->o.log(ctx->o.log_opaque, level, text);
}

lsched_status lsched_i_error(
	lsched_ctx *ctx, lsched_run *run, lsched_status status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(ctx->error, sizeof(ctx->error), format, ap);
	va_end(ap);
	if (run)
		snprintf(run->error, sizeof(run->error), "%s", ctx->error);
	lsched_i_log(ctx, LSCHED_LOG_ERROR, "%s", ctx->error);
	return status;
}

void lsched_i_procedure_text(const lsched_program *p, uint32_t proc, char *text, size_t bytes)
{
	if (p->procedures && proc < p->procedure_count)
		snprintf(text, bytes, "%s", p->procedures[proc].name);
	else
		snprintf(text, bytes, "%" PRIu32, proc);
}

/* Errors of items. */
static lsched_status explain_item(lsched_run *run, const lsched_i_failure *f)
{
	const char *prog = run->program->name;
	lsched_ctx *ctx = run->ctx;
	char proc[80];

	run->error_task = LSCHED_NO_TASK;
	lsched_i_procedure_text(run->program, f->why == LSCHED_I_FAIL_RETURNS ? f->detail : f->task,
		proc, sizeof(proc));
	switch (f->why) {
	case LSCHED_I_FAIL_ITEM:
		run->error_code = (int)f->detail;
		return lsched_i_error(ctx, run, LSCHED_ERR_TASK_FAILED,
			"%s: an item of procedure %s failed with code %d on worker %" PRIu32
			" (queue %s)",
			prog, proc, (int)f->detail, f->worker, lsched_queue_name(run->o.queue));
	case LSCHED_I_FAIL_SPAWN:
		if (f->detail)
			return lsched_i_error(ctx, run, LSCHED_ERR_TASK_FAILED,
				"%s: an item of procedure %s created more items than its LSCHED_TO "
				"states, on worker %" PRIu32 "; increase it, or use lsched_room()",
				prog, proc, f->worker);
		return lsched_i_error(ctx, run, LSCHED_ERR_TASK_FAILED,
			"%s: an item of procedure %s created more items than LSCHED_MAX_SPAWN, on "
			"worker %" PRIu32 "; increase LSCHED_MAX_SPAWN",
			prog, proc, f->worker);
	case LSCHED_I_FAIL_RETURNS:
		return lsched_i_error(ctx, run, LSCHED_ERR_TASK_FAILED,
			"%s: an item of procedure %s returned to a join that had all its values "
			"(worker %" PRIu32 "); lsched_fork() needs the number of its children, and "
			"each returns once",
			prog, proc, f->worker);
	default: /* LSCHED_I_FAIL_JOINS */
		return lsched_i_error(ctx, run, LSCHED_ERR_UNSUPPORTED,
			"%s: an item called lsched_fork(), but the program was compiled without "
			"LSCHED_JOINS; define it",
			prog);
	}
}

/* Errors of the bodies of tasks, and of the program's rule. */
static lsched_status explain_program(lsched_run *run, const lsched_i_failure *f)
{
	const char *prog = run->program->name, *queue = lsched_queue_name(run->o.queue);
	const char *scheme = lsched_scheme_name(run->o.scheme);
	lsched_ctx *ctx = run->ctx;

	switch (f->why) {
	case LSCHED_I_FAIL_TASK:
		run->error_code = (int)f->detail;
		return lsched_i_error(ctx, run, LSCHED_ERR_TASK_FAILED,
			"%s: task %" PRIu32 " failed with code %d on worker %" PRIu32
			" (%s, queue %s)",
			prog, f->task, (int)f->detail, f->worker, scheme, queue);
	case LSCHED_I_FAIL_STREAM:
		run->error_task = LSCHED_NO_TASK;
		return lsched_i_error(ctx, run, LSCHED_ERR_ARG,
			"%s: a body appended to a stream that is not open; call "
			"lsched_stream_open(), or name it in lsched_once.arrays",
			prog);
	case LSCHED_I_FAIL_PREDS:
		return lsched_i_error(ctx, run, LSCHED_ERR_ARG,
			"%s: task %" PRIu32
			" has more than 32 predecessors, too many for the scheme %s; use static",
			prog, f->task, scheme);
	case LSCHED_I_FAIL_COUNT:
		return lsched_i_error(ctx, run, LSCHED_ERR_ARG,
			"%s: a counter fell below zero: more than %" PRIu32
			" tasks were executed (%s, queue %s); the rule names a successor twice, or "
			"pred_count of a task is too small",
			prog, run->args.tasks, scheme, queue);
	default:
		return lsched_i_error(
			ctx, run, LSCHED_ERR_DEVICE, "%s: unknown failure %" PRIu32, prog, f->why);
	}
}

/* Errors of memory whose size is fixed by the run's options. */
static lsched_status explain_overflow(lsched_run *run, const lsched_i_failure *f)
{
	const char *prog = run->program->name, *queue = lsched_queue_name(run->o.queue);
	lsched_ctx *ctx = run->ctx;

	switch (f->why) {
	case LSCHED_I_FAIL_QUEUE_FULL:
		return lsched_i_error(ctx, run, LSCHED_ERR_OVERFLOW,
			"%s: queue %s of %" PRIu32 " items (bin_size %" PRIu32
			") is full: worker %" PRIu32 " could not enqueue task %" PRIu32
			"; increase queue_capacity or bin_size, or use the policy inline",
			prog, queue, run->o.queue_capacity, run->o.bin_size, f->worker, f->task);
	case LSCHED_I_FAIL_INLINE_FULL:
		return lsched_i_error(ctx, run, LSCHED_ERR_OVERFLOW,
			"%s: queue %s of %" PRIu32 " items and the spill list of worker %" PRIu32
			" (inline_depth %" PRIu32 ") are full: no slot for task %" PRIu32
			"; increase queue_capacity or inline_depth",
			prog, queue, run->o.queue_capacity, f->worker, run->o.inline_depth,
			f->task);
	case LSCHED_I_FAIL_CHUNKS:
		return lsched_i_error(ctx, run, LSCHED_ERR_OVERFLOW,
			"%s: all %" PRIu32 " chunks of 32 items are in use (worker %" PRIu32
			"); increase queue_capacity",
			prog, run->args.items_chunk_words * 32u, f->worker);
	default: /* LSCHED_I_FAIL_JOINS */
		return lsched_i_error(ctx, run, LSCHED_ERR_OVERFLOW,
			"%s: all %" PRIu32 " joins are in use (worker %" PRIu32
			"); increase lsched_run_options.max_joins, or check that every child of "
			"lsched_fork() calls lsched_return()",
			prog, run->args.items_join_words * 32u, f->worker);
	}
}

/* Errors of workers with items that had no room for their outputs (LSCHED_PROCEDURES). */
static lsched_status explain_full(lsched_run *run, const lsched_i_failure *f)
{
	const lsched_program *prog = run->program;
	const uint32_t proc = (f->task & 255u) - 1, target = (f->task >> 8) - 1;

	run->error_task = LSCHED_NO_TASK;
	if (target < prog->procedure_count)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_OVERFLOW,
			"%s: no progress for %" PRIu32 " ms: items of procedure %s wait for "
			"procedure %s, which is at its capacity of %" PRIu32
			" items (worker %" PRIu32
			", queue %s); increase procedure_capacity, or let "
			"consumers have higher numbers than producers",
			prog->name, run->o.timeout_ms, prog->procedures[proc].name,
			prog->procedures[target].name, run->args.items_capacity[target], f->worker,
			lsched_queue_name(run->o.queue));
	return lsched_i_error(run->ctx, run, LSCHED_ERR_OVERFLOW,
		"%s: no progress for %" PRIu32 " ms: items of procedure %s have no room for their "
		"outputs, all %" PRIu32 " chunks of 32 items are in use (worker %" PRIu32
		", queue %s); increase queue_capacity",
		prog->name, run->o.timeout_ms, prog->procedures[proc].name,
		run->args.items_chunk_words * 32u, f->worker, lsched_queue_name(run->o.queue));
}

/* Errors of workers that waited for items of the queue. */
static lsched_status explain_idle(lsched_run *run, const lsched_i_failure *f)
{
	const char *prog = run->program->name, *queue = lsched_queue_name(run->o.queue);
	const char *scheme = lsched_scheme_name(run->o.scheme);
	char cause[96] = "";

	if (f->task != LSCHED_NO_TASK)
		snprintf(cause, sizeof(cause),
			"; task %" PRIu32 " is not ready, %" PRIu32
			" of its predecessors have finished",
			f->task, f->detail);
	if (f->why == LSCHED_I_FAIL_STUCK)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_TIMEOUT,
			"%s: no progress possible: worker %" PRIu32
			" found queue %s empty (%s, %" PRIu32 " tasks left)%s",
			prog, f->worker, queue, scheme, f->left, cause);
	return lsched_i_error(run->ctx, run, LSCHED_ERR_TIMEOUT,
		"%s: no progress for %" PRIu32 " ms: worker %" PRIu32
		" waits for items of queue %s (%s, %" PRIu32 " tasks left)%s",
		prog, run->o.timeout_ms, f->worker, queue, scheme, f->left, cause);
}

/* Errors of the other waits, and of the time limit of a run. */
static lsched_status explain_wait(lsched_run *run, const lsched_i_failure *f)
{
	const char *prog = run->program->name, *queue = lsched_queue_name(run->o.queue);
	const char *scheme = lsched_scheme_name(run->o.scheme);
	const uint32_t ms = run->o.timeout_ms;
	lsched_ctx *ctx = run->ctx;

	switch (f->why) {
	case LSCHED_I_FAIL_WAIT:
		return lsched_i_error(ctx, run, LSCHED_ERR_TIMEOUT,
			"%s: no progress for %" PRIu32 " ms: worker %" PRIu32
			" waits for task %" PRIu32 "; task %" PRIu32
			" blocks it and has not finished; check that the rule puts it into an "
			"earlier chain (%s, %" PRIu32 " tasks left)",
			prog, ms, f->worker, f->detail, f->task, scheme, f->left);
	case LSCHED_I_FAIL_MESSAGE:
		return lsched_i_error(ctx, run, LSCHED_ERR_TIMEOUT,
			"%s: no progress for %" PRIu32 " ms: task %" PRIu32 " on worker %" PRIu32
			" waits for a word that task %" PRIu32
			" has not sent; call lsched_send() for each word that successors receive "
			"(%s, %" PRIu32 " tasks left)",
			prog, ms, f->task, f->worker, f->detail, scheme, f->left);
	case LSCHED_I_FAIL_BARRIER:
		return lsched_i_error(ctx, run, LSCHED_ERR_TIMEOUT,
			"%s: no progress for %" PRIu32 " ms: worker %" PRIu32
			" waits at the barrier after wavefront %" PRIu32 " (%s, %" PRIu32
			" tasks left)",
			prog, ms, f->worker, f->detail, scheme, f->left);
	case LSCHED_I_FAIL_SLOT:
		return lsched_i_error(ctx, run, LSCHED_ERR_TIMEOUT,
			"%s: no progress for %" PRIu32 " ms: worker %" PRIu32
			" waits for a slot of queue %s (%" PRIu32 " tasks left)",
			prog, ms, f->worker, queue, f->left);
	default: /* LSCHED_I_FAIL_LIMIT */
		return lsched_i_error(ctx, run, LSCHED_ERR_TIMEOUT,
			"%s: not finished within run_limit_ms of %" PRIu32 " ms: worker %" PRIu32
			" stopped (%s, queue %s, %" PRIu32 " tasks left)",
			prog, run->o.run_limit_ms, f->worker, scheme, queue, f->left);
	}
}

lsched_status lsched_i_explain(lsched_run *run, const lsched_i_failure *f)
{
	run->error_task = f->task;
	switch (f->why) {
	case LSCHED_I_FAIL_QUEUE_FULL:
	case LSCHED_I_FAIL_INLINE_FULL:
	case LSCHED_I_FAIL_CHUNKS:
		return explain_overflow(run, f);
	case LSCHED_I_FAIL_JOINS:
		return run->program->has_joins ? explain_overflow(run, f) : explain_item(run, f);
	case LSCHED_I_FAIL_ITEM:
	case LSCHED_I_FAIL_SPAWN:
	case LSCHED_I_FAIL_RETURNS:
		return explain_item(run, f);
	case LSCHED_I_FAIL_IDLE:
	case LSCHED_I_FAIL_STUCK:
		return explain_idle(run, f);
	case LSCHED_I_FAIL_FULL:
		return explain_full(run, f);
	case LSCHED_I_FAIL_WAIT:
	case LSCHED_I_FAIL_MESSAGE:
	case LSCHED_I_FAIL_BARRIER:
	case LSCHED_I_FAIL_SLOT:
	case LSCHED_I_FAIL_LIMIT:
		return explain_wait(run, f);
	default:
		return explain_program(run, f);
	}
}

lsched_status lsched_i_explain_cancelled(lsched_run *run, uint64_t tasks)
{
	char all[32] = "";

	if (run->program->has_rule)
		snprintf(all, sizeof(all), " of %" PRIu32, run->args.tasks);
	return lsched_i_error(run->ctx, run, LSCHED_ERR_CANCELLED,
		"%s: the run was cancelled after %" PRIu64 "%s tasks (%s, queue %s)",
		run->program->name, tasks, all, lsched_scheme_name(run->o.scheme),
		lsched_queue_name(run->o.queue));
}
