/* Calls from other threads during an execution: cancel, and queries of the progress. */
#include <string.h>
#include "libsched/core/backend.h"
#include "libsched/core/shared.h"

/* Size of the struct in the first version that stores its size. */
#define PROGRESS_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_run_progress_info, cancelled)

/* Records the numbers of an execution that has ended; they are valid until the next start. */
static void record_end(lsched_run *run, uint64_t finished)
{
	lsched_i_control *c = &run->control;

	c->finished = finished;
	c->outstanding = run->program->has_rule && run->args.tasks > finished
				 ? run->args.tasks - finished
				 : 0;
	if (c->end_ns == 0)
		c->end_ns = lsched_i_cpu_now_ns();
}

void lsched_i_control_begin(lsched_run *run, uint64_t start_ns)
{
	lsched_i_control *c = &run->control;

	pthread_mutex_lock(&run->lock);
	memset(c, 0, sizeof(*c));
	c->start_ns = start_ns;
	run->started = 1;
	if (run->no_work) /* has ended already, but lsched_run_finish() must follow */
		record_end(run, 0);
	pthread_mutex_unlock(&run->lock);
}

int lsched_i_control_end(lsched_run *run, int complete)
{
	int cancelled;

	pthread_mutex_lock(&run->lock);
	record_end(
		run, complete ? run->args.result->count[LSCHED_I_N_TASKS] : run->control.finished);
	run->started = 0;
	cancelled = run->control.cancelled;
	pthread_mutex_unlock(&run->lock);
	return cancelled;
}

lsched_status lsched_run_cancel(lsched_run *run)
{
	lsched_status st = LSCHED_ERR_STATE;

	if (!run)
		return LSCHED_ERR_ARG;
	if (lsched_i_forked(run->ctx))
		return st;
	pthread_mutex_lock(&run->lock);
	if (run->started && !run->no_work)
		st = run->control.cancelled ? LSCHED_OK : run->ctx->b->cancel(run);
	if (st == LSCHED_OK)
		run->control.cancelled = 1;
	pthread_mutex_unlock(&run->lock);
	return st;
}

/* Updates the numbers of an execution that is not finished. With a rule `finished` never decreases:
 * the last worker resets the outstanding count for the next start before the end is observable. */
static void update_progress(lsched_run *run)
{
	lsched_i_control *c = &run->control;
	lsched_i_snapshot s = { 0, run->args.tasks, 0 };
	uint64_t finished;

	run->ctx->b->snapshot(run, &s);
	if (s.ended) {
		record_end(run, s.finished);
		return;
	}
	if (!run->program->has_rule) {
		c->finished = LSCHED_NOT_KNOWN;
		c->outstanding = (int32_t)s.outstanding < 0 ? 0 : s.outstanding;
		return;
	}
	finished = s.outstanding < run->args.tasks ? run->args.tasks - s.outstanding : 0;
	if (finished > c->finished)
		c->finished = finished;
	c->outstanding = run->args.tasks - c->finished;
}

lsched_status lsched_run_progress(lsched_run *run, lsched_run_progress_info *info)
{
	lsched_run_progress_info known = { 0 };
	const lsched_i_control *c;

	if (!run || !info || lsched_i_sized_out(info, sizeof(known), PROGRESS_LEAST_BYTES, &known))
		return LSCHED_ERR_ARG;
	if (lsched_i_forked(run->ctx))
		return LSCHED_ERR_STATE;
	pthread_mutex_lock(&run->lock);
	c = &run->control;
	if (run->started && !run->no_work && c->end_ns == 0)
		update_progress(run);
	known.executing = run->started && !run->no_work && c->end_ns == 0;
	known.finished = c->finished;
	known.outstanding = c->outstanding;
	if (c->start_ns)
		known.elapsed_ns =
			(known.executing ? lsched_i_cpu_now_ns() : c->end_ns) - c->start_ns;
	known.cancelled = (uint32_t)c->cancelled;
	pthread_mutex_unlock(&run->lock);
	(void)lsched_i_sized_out(info, sizeof(known), PROGRESS_LEAST_BYTES, &known);
	return LSCHED_OK;
}
