/* Starts that end with items left, and their continuation; see items/stop.h. */
#include <inttypes.h>
#include <string.h>
#include "libsched/core/backend.h"

void lsched_i_left_forget(lsched_run *run)
{
	run->must_clear = 1;
	memset(&run->left, 0, sizeof(run->left));
}

uint32_t lsched_i_left_units(lsched_run *run, uint32_t tasks, int more)
{
	lsched_i_left *left = &run->left;
	lsched_i_args *a = &run->args;

	if (!more) {
		left->next_root = 0;
		left->end_root = 0;
		if (!run->jobs_max) /* a paused job may have some */
			left->joins_open = 0;
	}
	left->end_root += tasks;
	a->stop_base = left->base;
	a->stop_chunks = left->chunks;
	/* unit number stop_chunks is root next_root; the difference may wrap */
	a->stop_root_offset = (uint32_t)left->next_root - left->chunks;
	return left->chunks + (uint32_t)(left->end_root - left->next_root);
}

lsched_status lsched_i_left_record(lsched_run *run, lsched_stats *stats)
{
	const lsched_i_result *r = run->args.result;
	lsched_i_left *left = &run->left;
	const uint32_t had = run->args.stop_chunks;
	lsched_status st = LSCHED_OK;

	left->joins_open += (uint32_t)r->count[LSCHED_I_N_EXCESS];
	if (run->jobs_max) /* core/jobs_member.c checks the joins */
		return LSCHED_OK;
	if (!run->program->stack_chunks)
		return lsched_i_check_joins_closed(run, left->joins_open);
	left->base += r->stop_first < had ? r->stop_first : had;
	left->chunks = r->stop_tail - left->base;
	left->items = r->stop_items;
	left->next_root += r->stop_first > had ? r->stop_first - had : 0;
	left->stopped = left->chunks != 0 || left->next_root != left->end_root;
	stats->stopped = (uint32_t)left->stopped;
	stats->items_left = left->items;
	stats->roots_left = (uint32_t)(left->end_root - left->next_root);
	if (!left->stopped)
		st = lsched_i_check_joins_closed(run, left->joins_open);
	return st;
}

lsched_status lsched_run_continue(
	lsched_run *run, const void *program_ctx, uint32_t more_roots, void *cuda_stream)
{
	return run ? lsched_i_start(run, program_ctx, more_roots, cuda_stream, 1) : LSCHED_ERR_ARG;
}

lsched_status lsched_run_discard(lsched_run *run)
{
	if (!run)
		return LSCHED_ERR_ARG;
	if (run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: items of an execution cannot be discarded before it was finished; "
			"call lsched_run_finish() first",
			run->program->name);
	if (run->left.stopped)
		lsched_i_left_forget(run);
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

lsched_status lsched_run_request_stop(lsched_run *run)
{
	lsched_status st = LSCHED_ERR_STATE;

	if (!run)
		return LSCHED_ERR_ARG;
	if (!run->program->stack_chunks)
		return LSCHED_ERR_UNSUPPORTED;
	if (lsched_i_forked(run->ctx))
		return st;
	pthread_mutex_lock(&run->lock);
	if (run->started && !run->no_work) {
		st = run->ctx->b->request_stop(run);
		run->clear_stop = 1;
	}
	pthread_mutex_unlock(&run->lock);
	return st;
}
