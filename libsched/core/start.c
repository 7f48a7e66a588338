/* Starts of a run, and the workers' arguments. */
#include <inttypes.h>
#include "libsched/core/backend.h"
#include "libsched/cpu/relax.h"

/* Returns the number of workers to start: at most as many as can have work at once. */
static uint32_t useful_workers(const lsched_run *run, const void *program_ctx, uint32_t tasks)
{
	uint32_t n = tasks;

	if (run->o.scheme == LSCHED_SCHEME_STATIC || run->o.scheme == LSCHED_SCHEME_EPOCH)
		n = run->program->count(program_ctx, LSCHED_I_COUNT_CHAINS, 0);
	else if (!run->program->has_rule)
		n = UINT32_MAX; /* one item may spawn any number of items */
	if (run->start_workers && n > run->start_workers)
		n = run->start_workers;
	return n < run->max_workers ? n : run->max_workers;
}

/* Sets the workers' arguments of one start. */
static void fill_start(lsched_run *run, const void *program_ctx, uint32_t tasks)
{
	lsched_i_args *a = &run->args;

	a->tasks = tasks;
	a->workers = tasks ? useful_workers(run, program_ctx, tasks) : 0;
	/* the same for all starts: a ring without a count of its items does not clear its slots */
	a->queue_limit = run->program->has_rule && run->o.queue_capacity >= run->o.max_tasks
				 ? 0
				 : run->o.queue_capacity;
	/* idle workers before a round ends: one less than the percentage, rounded up */
	a->rounds_idle_limit = (uint32_t)(((uint64_t)a->workers * run->o.idle_percent + 99) / 100);
	a->rounds_idle_limit -= a->rounds_idle_limit > 0;
	a->sync_wave = 0;
	a->sync_wave_end = run->o.scheme == LSCHED_SCHEME_SYNC
				   ? run->program->count(program_ctx, LSCHED_I_COUNT_WAVES, 0)
				   : 0;
	a->last_launch = 1;
	if (++a->epoch == 0) { /* wrapped: flags of old starts would be valid again */
		a->epoch = 1;
		/* no scheme of items has flags, and paused jobs need the memory */
		run->must_clear |= !run->program->item_words;
	}
	run->no_work =
		a->workers == 0 || (run->o.scheme == LSCHED_SCHEME_SYNC && a->sync_wave_end == 0);
}

lsched_status lsched_run_start(
	lsched_run *run, const void *program_ctx, uint32_t tasks, void *cuda_stream)
{
	const uint64_t start_ns = lsched_i_cpu_now_ns();
	lsched_status st;

	if (!run)
		return LSCHED_ERR_ARG;
	if (lsched_i_run_lost(run))
		return lsched_i_lost_error(run->ctx, run);
	if (run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: started again before it was finished; call lsched_run_finish() first",
			run->program->name);
	if (!program_ctx)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: program_ctx is NULL: a start needs the program's LSCHED_CTX",
			run->program->name);
	if (tasks > run->o.max_tasks)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: %" PRIu32 " tasks exceed max_tasks, which is %" PRIu32,
			run->program->name, tasks, run->o.max_tasks);
	run->error[0] = '\0';
	run->error_task = LSCHED_NO_TASK;
	run->error_code = 0;
	run->event_count = 0;

	fill_start(run, program_ctx, tasks);
	if (!run->no_work) {
		lsched_i_watchdog_begin(run);
		st = run->ctx->b->start(run, program_ctx, cuda_stream);
		if (st != LSCHED_OK) {
			lsched_i_run_forget(run);
			return st;
		}
		run->must_clear = 0;
	}
	lsched_i_control_begin(run, start_ns);
	return LSCHED_OK;
}

lsched_status lsched_run_set_workers(lsched_run *run, uint32_t workers)
{
	if (!run)
		return LSCHED_ERR_ARG;
	if (run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: the number of workers cannot change during an execution; call "
			"lsched_run_finish() first",
			run->program->name);
	if (workers > run->max_workers)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: %" PRIu32 " workers requested, but the run was created for %" PRIu32,
			run->program->name, workers, run->max_workers);
	run->start_workers = workers;
	return LSCHED_OK;
}
