/* lsched_run_once(): opens a context, executes a program once with default options, closes it. */
#include <stdio.h>
#include "libsched/core/backend.h"

lsched_status lsched_run_once(const lsched_program *program, const void *program_ctx,
	uint32_t tasks, lsched_stats *stats, char *msg, size_t msg_bytes)
{
	static const lsched_stats none;
	const char *why = stats ? lsched_i_stats_out(stats, &none) : NULL;
	lsched_run *run = NULL;
	lsched_run_options ro;
	lsched_options o;
	lsched_ctx *ctx;
	lsched_status st;

	if (why) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "lsched_stats %s", why);
		return LSCHED_ERR_ARG;
	}
	lsched_options_init(&o);
	if (program)
		o.backend = program->backend;
	st = lsched_open(&ctx, &o, msg, msg_bytes);
	if (st != LSCHED_OK)
		return st;
	lsched_run_options_init(&ro);
	ro.max_tasks = tasks ? tasks : 1;
	st = lsched_run_create(&run, ctx, program, &ro);
	if (st == LSCHED_OK)
		st = lsched_run_start(run, program_ctx, tasks, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, stats);
	if (st != LSCHED_OK && msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s", lsched_last_error(ctx));
	lsched_run_destroy(&run);
	lsched_close(&ctx);
	return st;
}
