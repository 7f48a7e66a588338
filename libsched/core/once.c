/* A program run once, with defaults for all else. */
#include <stdio.h>
#include <string.h>
#include "libsched/core/backend.h"

sched_status sched_run_once(const sched_program *program, const void *program_ctx, uint32_t tasks,
	sched_stats *stats, char *msg, size_t msg_bytes)
{
	sched_run *run = NULL;
	sched_run_options ro;
	sched_options o;
	sched_ctx *ctx;
	sched_status st;

	if (stats)
		memset(stats, 0, sizeof(*stats));
	sched_options_init(&o);
	if (program)
		o.backend = program->backend;
	st = sched_open(&ctx, &o, msg, msg_bytes);
	if (st != SCHED_OK)
		return st;
	sched_run_options_init(&ro);
	ro.max_tasks = tasks ? tasks : 1;
	st = sched_run_create(&run, ctx, program, &ro);
	if (st == SCHED_OK)
		st = sched_run_start(run, program_ctx, tasks, NULL);
	if (st == SCHED_OK)
		st = sched_run_finish(run, stats);
	if (st != SCHED_OK && msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s", sched_last_error(ctx));
	sched_run_destroy(&run);
	sched_close(&ctx);
	return st;
}
